"""The twin of ERRU: going from every result to every relevant unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from brute_force.numbers import ONE, Score, quotient
from brute_force.recall_bases import Values, grade_of, ideal_base, ignored_tags, values
from brute_force.scene import Scene, Unit
from brute_force.twins import twin
from brute_force.words import words_in

Exponents = tuple[float, ...]


@dataclass(frozen=True)
class Looking:
    """What ERRU knows of a topic: how relevant units are, and how they cover what was asked for.

    coverage is E (exact), L (too large), S (too small) or N (none).
    """

    relevance: Values
    coverage: dict[Unit, str]


def looking_at(scene: Scene, ignore: str = "none") -> Looking:
    """By the highlights of a world that has any, by grades elsewhere."""
    if scene.any_highlights:
        return looking_at_highlights(scene, ignore)
    return looking_at_grades(scene, ignore)


def looking_at_highlights(scene: Scene, ignore: str = "none") -> Looking:
    ideal = ideal_base(values(scene, "spec", ignore))

    def coverage(element: Unit) -> str:
        if element in ideal:
            return "E"
        if any(other.is_inside(element) for other in ideal):
            return "L"
        return "S" if any(element.is_inside(other) for other in ideal) else "N"

    return Looking(ideal, {element: coverage(element) for element in scene.elements})


def looking_at_grades(scene: Scene, ignore: str = "none") -> Looking:
    """Elements with ignored tags are as if nobody had graded them."""
    ignored = ignored_tags(ignore)
    given = {e: grade_of(scene, e) for e in scene.elements if e.tag not in ignored}
    grades = {element: given.get(element) or "0N" for element in scene.elements}
    chances = {"3E": ONE, "2E": Fraction(1, 2), "1E": Fraction(1, 4)}
    relevance = {
        element: chances[grade]
        for element, grade in grades.items()
        if grade in chances
        and element.size
        and not any(element.is_inside(o) and grades[o] in chances for o in scene.elements)
    }
    return Looking(relevance, {element: grade[1] for element, grade in grades.items()})


@twin("ERRU")
def erru(scene: Scene, *, k: int, unit: str, exponents: str, ignore: str) -> Score:
    look = looking_at(scene, ignore)
    in_all = sum(look.relevance.values())
    if not in_all:
        return None
    powers = tuple(map(float, exponents.split("+")))
    looked = _chances_to_be_looked_at(scene.levels, k)
    seen = 0.0
    for element, relevance in look.relevance.items():
        missed = 1.0
        for returned, chance in looked.items():
            goes = _goes(scene, returned, element, look.coverage[returned], unit, powers)
            missed *= 1 - chance * goes
        seen += relevance * (1 - missed)
    return seen / in_all


def _chances_to_be_looked_at(levels: list[list[Unit]], k: int) -> dict[Unit, float]:
    """P(L|k): of results that share a rank, any may come first."""
    chances = {}
    before = 0
    for level in levels:
        for unit in level:
            chances[unit] = min(max((k - before) / len(level), 0.0), 1.0)
        before += len(level)
    return chances


def _goes(scene: Scene, x: Unit, e: Unit, coverage: str, unit: str, powers: Exponents) -> float:
    """The probability that a user goes from x to e."""
    exact, fitting, other = powers

    def length(start: int, end: int) -> int:
        words = words_in(scene, x.document, start, end)
        return {"words": words, "characters": end - start}[unit]

    if x == e:
        return 1.0
    if x.document != e.document:
        return 0.0
    if x.is_inside(e) or e.is_inside(x):
        near = "S" if x.is_inside(e) else "L"
        power = {"E": exact, near: fitting}.get(coverage, other)
        inner, outer = (x, e) if x.is_inside(e) else (e, x)
        share = quotient(length(inner.start, inner.end), length(outer.start, outer.end))
        return math.pow(share, power)
    between = length(x.end, e.start) if x.end <= e.start else length(e.end, x.start)
    return 1 / (2 + between)
