"""Twins of the measures over documents with grades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from brute_force.documents import grades, ranked_documents, relevant_documents
from brute_force.numbers import ONE, ZERO, Score
from brute_force.results import ndcg_of_results
from brute_force.scene import Scene
from brute_force.twins import twin


def ranked_grades(scene: Scene, judged_only: bool) -> list[int]:
    """The grades of returned documents, 0 for those that have none, or one below."""
    judged = grades(scene)
    return [max(judged.get(name, 0), 0) for name in ranked_documents(scene, judged_only)]


def best_grades(scene: Scene) -> list[int]:
    """All grades above 0, the highest first."""
    return sorted((grade for grade in grades(scene).values() if grade > 0), reverse=True)


def discounted(values: Sequence[int], k: int | None = None, gain: str = "linear") -> float:
    """The gain of the first k grades."""
    gains = [value if gain == "linear" else 2**value - 1 for value in values[:k]]
    return sum(value / math.log2(rank + 1) for rank, value in enumerate(gains, 1))


def normalised_gain(scene: Scene, k: int | None, judged_only: bool, gain: str = "linear") -> float:
    """nDCG, where there is something to gain."""
    best = discounted(best_grades(scene), k, gain)
    return discounted(ranked_grades(scene, judged_only), k, gain) / best


@twin("nDCG")
def ndcg(
    scene: Scene,
    *,
    k: int | None,
    gain: str,
    judged_only: bool,
    unit: str,
    cover: Fraction,
    of: str,
) -> Score:
    if unit == "result":
        return ndcg_of_results(scene, k, cover, gain, of)
    return normalised_gain(scene, k, judged_only, gain) if best_grades(scene) else None


@twin("ERR")
def expected_reciprocal_rank(scene: Scene, *, k: int, max: int, judged_only: bool) -> Score:
    if not best_grades(scene):
        return None
    score, reading = ZERO, ONE
    for rank, grade in enumerate(ranked_grades(scene, judged_only)[:k], 1):
        satisfied = Fraction(2**grade - 1, 2**max)
        score += reading * satisfied / rank
        reading *= 1 - satisfied
    return score


@twin("RBP")
def rank_biased_precision(
    scene: Scene, *, k: int | None, p: Fraction, rel: int, judged_only: bool
) -> Score:
    relevant, score, weight = relevant_documents(scene, rel), ZERO, 1 - p
    for document in ranked_documents(scene, judged_only)[:k]:
        score += weight if document in relevant else 0
        weight *= p
    return score if relevant else None


@twin("RBPresidual")
def rank_biased_residual(
    scene: Scene, *, k: int | None, p: Fraction, rel: int, judged_only: bool
) -> Score:
    """What is missing if all that was not judged were relevant."""
    known, weight = ZERO, 1 - p
    for document in ranked_documents(scene, judged_only)[:k]:
        known += weight if grades(scene).get(document, -1) >= 0 else 0
        weight *= p
    return 1 - known if relevant_documents(scene, rel) else None
