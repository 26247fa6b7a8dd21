"""Twins of the measures over whole documents."""

from __future__ import annotations

from fractions import Fraction

from brute_force.numbers import Score, total
from brute_force.recall_bases import digits
from brute_force.scene import Scene
from brute_force.twins import twin


def relevant_documents(scene: Scene) -> set[str]:
    """The documents in which anything is relevant."""
    return {
        judgment.document
        for judgment in scene.judgments
        if judgment.highlights
        or judgment.elements
        or any(unit.relevance > 0 for unit in judgment.units)
        or any(digits(graded.grade)[0] != "0" for graded in judgment.grades)
    }


@twin("P")
def precision(scene: Scene, *, k: int) -> Score:
    relevant = relevant_documents(scene)
    found = relevant & set(list(scene.documents)[:k])
    return Fraction(len(found), k) if relevant else None


@twin("R")
def recall(scene: Scene, *, k: int) -> Score:
    relevant = relevant_documents(scene)
    found = relevant & set(list(scene.documents)[:k])
    return Fraction(len(found), len(relevant)) if relevant else None


@twin("AP")
def average_precision(scene: Scene) -> Score:
    relevant = relevant_documents(scene)
    if not relevant:
        return None
    ranked = list(scene.documents)
    precisions = [
        Fraction(len(relevant & set(ranked[:rank])), rank)
        for rank, document in enumerate(ranked, 1)
        if document in relevant
    ]
    return total(precisions) / len(relevant)
