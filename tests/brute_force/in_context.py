"""Twins of the in-context measures: documents in a ranking, each with a score."""

from __future__ import annotations

from fractions import Fraction

from brute_force.documents import relevant_documents
from brute_force.hixeval import f_score
from brute_force.numbers import ZERO, Score, quotient, total
from brute_force.scene import Scene, Unit
from brute_force.twins import twin


def _f_of_document(scene: Scene, document: str, units: list[Unit], beta: Fraction) -> Fraction:
    relevant = {at for at in scene.highlighted if at[0] == document}
    returned = {at for unit in units for at in unit.characters}
    both = len(relevant & returned)
    return f_score(quotient(both, len(returned)), quotient(both, len(relevant)), beta)


def _nearness_of_entry(scene: Scene, document: str, units: list[Unit], within: int) -> Fraction:
    if document not in scene.entries:
        return ZERO
    distance = abs(units[0].start - scene.entries[document])
    return max(Fraction(within - distance, within), ZERO)


def _reading_of_document(
    scene: Scene, document: str, units: list[Unit], tolerated: int
) -> Fraction:
    returned = {at for unit in units for _, at in unit.characters}
    whole = range(len(scene.texts[document]))
    reading = sorted(returned) + [at for at in whole if at not in returned]
    relevant = irrelevant = 0
    for at in reading:
        is_relevant = (document, at) in scene.highlighted
        relevant, irrelevant = relevant + is_relevant, irrelevant + (not is_relevant)
        if irrelevant == tolerated:
            break
    return quotient(relevant, relevant + irrelevant)


def _scored(
    scene: Scene, score: str, beta: Fraction, n: int, irr: int
) -> list[tuple[bool, Fraction]]:
    """Of each document by first appearance: whether it is relevant, and what it is worth."""
    found = []
    relevant = relevant_documents(scene)
    for document, units in scene.documents.items():
        if document not in relevant:
            found.append((False, ZERO))
        elif score == "F":
            found.append((True, _f_of_document(scene, document, units, beta)))
        elif score == "bep":
            found.append((True, _nearness_of_entry(scene, document, units, n)))
        else:
            assert score == "t2i"
            found.append((True, _reading_of_document(scene, document, units, irr)))
    return found


def _precision(scored: list[tuple[bool, Fraction]], k: int) -> Fraction:
    return total(score for _, score in scored[:k]) / k


@twin("gP")
def gp(scene: Scene, *, score: str, beta: Fraction, n: int, irr: int, k: int) -> Score:
    if not relevant_documents(scene):
        return None
    return _precision(_scored(scene, score, beta, n, irr), k)


@twin("gR")
def gr(scene: Scene, *, k: int) -> Score:
    relevant = relevant_documents(scene)
    found = set(list(scene.documents)[:k]) & relevant
    return Fraction(len(found), len(relevant)) if relevant else None


@twin("MAgP")
def magp(scene: Scene, *, score: str, beta: Fraction, n: int, irr: int, k: int | None) -> Score:
    """A cut-off cuts the ranking of documents first."""
    relevant = relevant_documents(scene)
    if not relevant:
        return None
    scored = _scored(scene, score, beta, n, irr)[:k]
    precisions = [
        _precision(scored, rank) for rank, (is_relevant, _) in enumerate(scored, 1) if is_relevant
    ]
    return total(precisions) / len(relevant)
