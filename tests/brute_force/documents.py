"""Twins of the measures over whole documents."""

from __future__ import annotations

from fractions import Fraction

from brute_force.numbers import Score, total
from brute_force.recall_bases import digits
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


@twin("P")
def precision(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    relevant = relevant_documents(scene, rel)
    hits = relevant & set(ranked_documents(scene, judged_only)[:k])
    return Fraction(len(hits), k) if relevant else None


@twin("R")
def recall(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    relevant = relevant_documents(scene, rel)
    hits = relevant & set(ranked_documents(scene, judged_only)[:k])
    return Fraction(len(hits), len(relevant)) if relevant else None


@twin("AP")
def average_precision(scene: Scene, *, k: int | None, rel: int, judged_only: bool) -> Score:
    relevant = relevant_documents(scene, rel)
    if not relevant:
        return None
    ranked = ranked_documents(scene, judged_only)[:k]
    precisions = [
        Fraction(len(relevant & set(ranked[:rank])), rank)
        for rank, document in enumerate(ranked, 1)
        if document in relevant
    ]
    return total(precisions) / len(relevant)
