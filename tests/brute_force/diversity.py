"""Twins of the measures of diversity."""

from __future__ import annotations

import math
from fractions import Fraction

from brute_force.documents import grades
from brute_force.needs import needs_of
from brute_force.numbers import ZERO, Number, Score, total
from brute_force.scene import Scene
from brute_force.twins import twin

Subtopics = frozenset[object]
NOTHING: Subtopics = frozenset()


def answered(scene: Scene, rel: int) -> dict[str, Subtopics]:
    """Which subtopics each judged document answers; needs, if no judgment has subtopics."""
    answers: dict[str, set[object]] = {judgment.document: set() for judgment in scene.judgments}
    if any(judgment.subtopics for judgment in scene.every_judgment):
        for judgment in scene.judgments:
            for subtopic, grade in judgment.subtopics:
                if grade >= rel:
                    answers[judgment.document].add(subtopic)
    else:
        for number, need in enumerate(needs_of(scene)):
            for text in need.alternatives:
                ((document, _), *_) = text
                answers[document].add(number)
    return {document: frozenset(subtopics) for document, subtopics in answers.items()}


def ranked(scene: Scene, judged_only: bool) -> list[str]:
    """The documents in their order, those of one level by their ids."""
    judged = {document for document, grade in grades(scene).items() if grade >= 0}
    documents: list[str] = []
    for level in scene.levels:
        documents += sorted({unit.document for unit in level} - set(documents))
    return [document for document in documents if document in judged or not judged_only]


def worth(subtopics: Subtopics, above: list[Subtopics], alpha: Fraction) -> Fraction:
    """What a document gains below others."""
    return total(
        (1 - alpha) ** sum(subtopic in others for others in above) for subtopic in subtopics
    )


def gains(lists: list[Subtopics], alpha: Fraction) -> list[Fraction]:
    """What the documents of a list gain, one after another."""
    return [worth(subtopics, lists[:at], alpha) for at, subtopics in enumerate(lists)]


def run_of(scene: Scene, rel: int, judged_only: bool) -> list[Subtopics]:
    """What the documents of the run answer."""
    answers = answered(scene, rel)
    return [answers.get(document, NOTHING) for document in ranked(scene, judged_only)]


def number_of_subtopics(scene: Scene, rel: int) -> int:
    """How many subtopics some document answers."""
    return len(frozenset().union(*answered(scene, rel).values()))


def discounted(values: list[Fraction]) -> Number:
    """DCG."""
    return sum((value / math.log2(rank + 1) for rank, value in enumerate(values, 1)), 0.0)


@twin("alpha_nDCG")
def alpha_ndcg(scene: Scene, *, k: int, alpha: Fraction, rel: int, judged_only: bool) -> Score:
    left = answered(scene, rel)
    if not number_of_subtopics(scene, rel):
        return None
    ideal: list[Subtopics] = []
    while left:
        best = max(left, key=lambda document: (worth(left[document], ideal, alpha), document))
        ideal.append(left.pop(best))
    run = gains(run_of(scene, rel, judged_only), alpha)
    return discounted(run[:k]) / discounted(gains(ideal, alpha)[:k])


@twin("ERR_IA")
def err_ia(scene: Scene, *, k: int, alpha: Fraction, rel: int, judged_only: bool) -> Score:
    subtopics = number_of_subtopics(scene, rel)
    run = gains(run_of(scene, rel, judged_only), alpha)[:k]
    highest = total(subtopics * (1 - alpha) ** (rank - 1) / rank for rank in range(1, k + 1))
    reciprocal = total(gain / rank for rank, gain in enumerate(run, 1))
    return reciprocal / highest if subtopics else None


@twin("NRBP")
def nrbp(scene: Scene, *, alpha: Fraction, beta: Fraction, rel: int, judged_only: bool) -> Score:
    subtopics = number_of_subtopics(scene, rel)
    run = gains(run_of(scene, rel, judged_only), alpha)
    gained = total(gain * beta**before for before, gain in enumerate(run))
    return gained * (1 - (1 - alpha) * beta) / subtopics if subtopics else None


@twin("P_IA")
def p_ia(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    """The mean of the precision for each subtopic."""
    run = run_of(scene, rel, judged_only)[:k]
    every = frozenset().union(*answered(scene, rel).values())
    by_subtopic = [Fraction(sum(one in answers for answers in run), k) for one in every]
    return sum(by_subtopic, ZERO) / len(every) if every else None


@twin("StRecall")
def subtopic_recall(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    seen = frozenset().union(*run_of(scene, rel, judged_only)[:k])
    subtopics = number_of_subtopics(scene, rel)
    return Fraction(len(seen), subtopics) if subtopics else None
