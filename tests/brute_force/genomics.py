"""Twins of the measures of TREC Genomics: loops over characters and results."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from brute_force.numbers import ZERO, Score, quotient
from brute_force.scene import Character, Scene, Unit
from brute_force.twins import twin


@dataclass
class Gold:
    """A gold passage: its characters, and its aspects."""

    characters: frozenset[Character]
    aspects: set[object] = field(default_factory=set)


def gold_of(scene: Scene) -> list[Gold]:
    """The gold passages of a topic as they are listed, each document, offset and length once."""
    listed: dict[tuple[str, int, int], Gold] = {}
    for judgment in scene.judgments:
        stated = [(need.need, need.start, need.end) for need in judgment.needs]
        plain = [] if stated else [(None, start, end) for start, end in judgment.highlights]
        for number, (aspect, start, end) in enumerate((*stated, *plain)):
            document = judgment.document
            text = frozenset((document, at) for at in range(start, end))
            passage = listed.setdefault((document, start, end), Gold(text))
            passage.aspects.add((document, number) if aspect is None else aspect)
    return list(listed.values())


def first_overlapped(unit: Unit, gold: list[Gold]) -> Gold | None:
    """The first listed passage of which a result has a character."""
    return next((passage for passage in gold if passage.characters & unit.characters), None)


@twin("cAP")
def character_average_precision(scene: Scene) -> Score:
    relevant = {at for passage in gold_of(scene) for at in passage.characters}
    if not relevant:
        return None
    seen: set[Character] = set()
    hits = read = 0
    precisions = ZERO
    for unit in scene.ranked:
        for at in sorted(unit.characters):
            if at in relevant and at in seen:
                continue
            read += 1
            if at in relevant:
                seen.add(at)
                hits += 1
                precisions += Fraction(hits, read)
    return precisions / len(relevant)


@twin("pAP")
def passage_average_precision(scene: Scene) -> Score:
    gold = gold_of(scene)
    if not gold:
        return None
    overlap = length = results = 0
    precisions = ZERO
    met: list[int] = []
    for unit in scene.ranked:
        length += unit.size
        passage = first_overlapped(unit, gold)
        if passage is not None:
            overlap += len(passage.characters & unit.characters)
            results += 1
            precisions += Fraction(overlap, length)
            met.append(id(passage))
    missed = sum(id(passage) not in met for passage in gold)
    return quotient(precisions, results + missed)


@twin("aspectAP")
def aspect_average_precision(scene: Scene) -> Score:
    gold = gold_of(scene)
    aspects = {aspect for passage in gold for aspect in passage.aspects}
    if not aspects:
        return None
    seen: set[object] = set()
    hits = read = 0
    precisions = ZERO
    for unit in scene.ranked:
        passage = first_overlapped(unit, gold)
        if passage is None:
            read += 1
            continue
        new = passage.aspects - seen
        if new:
            hits += 1
            read += 1
            precisions += len(new) * Fraction(hits, read)
        seen |= new
    return precisions / len(aspects)
