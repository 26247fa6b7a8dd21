"""Twins of the measures over whole documents that are relevant or not."""

from __future__ import annotations

import math
from fractions import Fraction

from brute_force.numbers import ONE, ZERO, Score, quotient, total
from brute_force.recall_bases import digits
from brute_force.results import (
    average_precision_of_results,
    precision_of_results,
    recall_of_chunks,
)
from brute_force.scene import Scene
from brute_force.twins import twin
from doxeval.assessments import Judgment


def is_relevant(judgment: Judgment) -> bool:
    """Whether anything in a document is relevant."""
    return bool(
        judgment.highlights
        or judgment.elements
        or any(unit.relevance > 0 for unit in judgment.units)
        or any(digits(graded.grade)[0] != "0" for graded in judgment.grades)
    )


def grades(scene: Scene) -> dict[str, int]:
    """The grade of each judged document."""
    return {
        judgment.document: max(judgment.relevance or 0, 1)
        if is_relevant(judgment)
        else judgment.relevance or 0
        for judgment in scene.judgments
    }


def relevant_documents(scene: Scene, rel: int = 1) -> set[str]:
    """The documents that have at least a grade."""
    return {document for document, grade in grades(scene).items() if grade >= rel}


def ranked_documents(scene: Scene, judged_only: bool) -> list[str]:
    """The documents in the order of their first parts."""
    judged = {document for document, grade in grades(scene).items() if grade >= 0}
    return [name for name in scene.documents if name in judged or not judged_only]


def hits(scene: Scene, rel: int, judged_only: bool, k: int | None = None) -> int:
    """How many of the first k documents are relevant."""
    relevant = relevant_documents(scene, rel)
    return len(relevant & set(ranked_documents(scene, judged_only)[:k]))


def precisions(scene: Scene, rel: int, judged_only: bool) -> list[tuple[int, Fraction]]:
    """The number of relevant documents so far, and precision, at each relevant document."""
    relevant, found = relevant_documents(scene, rel), []
    for rank, document in enumerate(ranked_documents(scene, judged_only), 1):
        if document in relevant:
            found.append((rank, Fraction(hits(scene, rel, judged_only, rank), rank)))
    return found


def truncated(x: Fraction, count: int) -> int:
    """A share of a number as trec_eval takes it, in double precision."""
    return int(float(x) * count + 0.9)


@twin("P")
def precision(
    scene: Scene, *, k: int, rel: int, judged_only: bool, unit: str, cover: Fraction
) -> Score:
    if unit == "result":
        return precision_of_results(scene, k, cover)
    relevant = relevant_documents(scene, rel)
    return Fraction(hits(scene, rel, judged_only, k), k) if relevant else None


@twin("R")
def recall(
    scene: Scene, *, k: int, rel: int, judged_only: bool, unit: str, cover: Fraction
) -> Score:
    if unit == "result":
        return recall_of_chunks(scene, k, cover)
    relevant = relevant_documents(scene, rel)
    return Fraction(hits(scene, rel, judged_only, k), len(relevant)) if relevant else None


@twin("Rprec")
def precision_at_all(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    return Fraction(hits(scene, rel, judged_only, relevant), relevant) if relevant else None


@twin("AP")
def average_precision(
    scene: Scene,
    *,
    k: int | None = None,
    rel: int,
    judged_only: bool,
    unit: str = "document",
    cover: Fraction = ONE,
    of: str = "relevant",
) -> Fraction | None:
    if unit == "result":
        return average_precision_of_results(scene, k, cover, of)
    relevant = relevant_documents(scene, rel)
    if not relevant:
        return None
    found = precisions(scene, rel, judged_only)
    return total(value for rank, value in found if k is None or rank <= k) / len(relevant)


def logarithm(value: Fraction | None) -> Score:
    """The logarithm of a score, but not of 0."""
    return None if value is None else math.log(max(float(value), 0.00001))


@twin("GMAP")
def geometric_precision(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    return logarithm(average_precision(scene, rel=rel, judged_only=judged_only))


@twin("Success")
def success(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    is_any = hits(scene, rel, judged_only, k) > 0
    return Fraction(is_any) if relevant_documents(scene, rel) else None


@twin("IPrec")
def interpolated_precision(
    scene: Scene, *, x: Fraction, rel: int, judged_only: bool
) -> Fraction | None:
    relevant = len(relevant_documents(scene, rel))
    if not relevant:
        return None
    by_count = enumerate(precisions(scene, rel, judged_only), 1)
    reached = [value for count, (_, value) in by_count if count >= truncated(x, relevant)]
    return max(reached, default=ZERO)


@twin("Bpref")
def binary_preference(scene: Scene, *, rel: int, judged_only: bool) -> Fraction | None:
    relevant = relevant_documents(scene, rel)
    others = {name for name, grade in grades(scene).items() if 0 <= grade < rel}
    if not relevant:
        return None
    ranked, score = ranked_documents(scene, judged_only), ZERO
    for at, document in enumerate(ranked):
        if document in relevant:
            above = min(len(others & set(ranked[:at])), len(relevant))
            score += 1 - quotient(above, min(len(others), len(relevant)))
    return score / len(relevant)


@twin("infAP")
def inferred_precision(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    judged, relevant = grades(scene), relevant_documents(scene, rel)
    if not relevant:
        return None
    tiny, score = Fraction("0.00001"), ZERO
    ranked = ranked_documents(scene, judged_only)
    for at, document in enumerate(ranked):
        if document not in relevant:
            continue
        above = [judged[name] for name in ranked[:at] if name in judged]
        found = sum(grade >= rel for grade in above)
        seen = sum(grade >= 0 for grade in above)
        chance = (found + tiny) / (seen + 2 * tiny)
        score += Fraction(1, at + 1) + Fraction(len(above), at + 1) * chance
    return score / len(relevant)


@twin("Judged")
def judged_share(scene: Scene, *, k: int) -> Score:
    ranked = ranked_documents(scene, False)[:k]
    judged = [name for name in ranked if grades(scene).get(name, -1) >= 0]
    return quotient(len(judged), len(ranked))


@twin("SetP")
def set_precision(scene: Scene, *, rel: int, judged_only: bool) -> Fraction | None:
    returned = len(ranked_documents(scene, judged_only))
    relevant = relevant_documents(scene, rel)
    return quotient(hits(scene, rel, judged_only), returned) if relevant else None


@twin("SetR")
def set_recall(scene: Scene, *, rel: int, judged_only: bool) -> Fraction | None:
    relevant = relevant_documents(scene, rel)
    return Fraction(hits(scene, rel, judged_only), len(relevant)) if relevant else None


@twin("SetF")
def set_f(scene: Scene, *, beta: Fraction, rel: int, judged_only: bool) -> Score:
    precision = set_precision(scene, rel=rel, judged_only=judged_only)
    recall = set_recall(scene, rel=rel, judged_only=judged_only)
    if precision is None or recall is None:
        return None
    return quotient((beta + 1) * precision * recall, recall + beta * precision)


@twin("NumRet")
def number_returned(scene: Scene, *, judged_only: bool) -> Score:
    return Fraction(len(ranked_documents(scene, judged_only)))


@twin("NumRel")
def number_relevant(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    return Fraction(len(relevant_documents(scene, rel)))


@twin("NumRelRet")
def number_relevant_returned(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    return Fraction(hits(scene, rel, judged_only))
