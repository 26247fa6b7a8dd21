"""The twins of ng, ngR and ngP."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from brute_force.numbers import (
    ONE,
    ZERO,
    Number,
    Score,
    best_precision,
    hundredths,
    mean,
    quotient,
    total,
)
from brute_force.recall_bases import grade_of, ignored_tags
from brute_force.scene import Character, Scene, Unit
from brute_force.twins import twin


@dataclass(frozen=True)
class Point:
    """After a result: recall, and numerator and denominator of precision."""

    recall: Fraction
    covered: Fraction
    read: Fraction

    @property
    def precision(self) -> Fraction:
        """Which share of what was read was asked for."""
        return quotient(self.covered, self.read)


STEPS = 8


class Worth:
    """rel and cov of every element, and what recall is a share of."""

    def __init__(self, scene: Scene, quant: str, ignore: str, denominator: str) -> None:
        self.rel, self.cov = {}, {}
        for e in scene.elements:
            is_ignored = e.tag in ignored_tags(ignore)
            self.rel[e], self.cov[e] = (ZERO, ZERO) if is_ignored else _separate(scene, e, quant)
        whole = {"documents": scene.roots, "components": scene.elements}[denominator]
        self.wanted = total(self.rel[element] for element in whole)


@twin("ng")
def ng(
    scene: Scene, *, overlap: str, quant: str, ignore: str, denominator: str, unretrieved: str
) -> Score:
    worth = Worth(scene, quant, ignore, denominator)
    if not worth.wanted:
        return None
    points = _points(scene, overlap, worth)
    if not points:
        return ZERO
    end = Point(
        ONE,
        total(worth.cov[root] * root.size for root in scene.roots),
        Fraction(sum(root.size for root in scene.roots)),
    )
    curve = [(float(point.recall), float(point.precision)) for point in points]
    if unretrieved == "block":
        curve.append((1.0, float(end.precision)))
    precisions: list[Number] = [best_precision(curve, float(x)) for x in hundredths(1)]
    if unretrieved in ("auto", "linear"):
        beyond = [_best_beyond(points[-1], end, x) for x in hundredths(1)]
        precisions = [max(pair) for pair in zip(precisions, beyond, strict=True)]
    return mean(precisions)


def _best_beyond(last: Point, end: Point, x: Fraction) -> float:
    """The best precision at recall x or more, as the rest is read at an even rate.

    The rest is read in steps from where x is reached, so that nothing is assumed about the shape of
    the curve between.
    """
    missing = ONE - last.recall
    first = quotient(x - last.recall, missing) if x > last.recall else ZERO
    best = 0.0
    for step in range(STEPS + 1):
        f = first + (ONE - first) * Fraction(step, STEPS)
        covered = last.covered + f * (end.covered - last.covered)
        read = last.read + f * (end.read - last.read)
        best = max(best, float(quotient(covered, read)))
    return best


@twin("ngR")
def ng_recall(
    scene: Scene, *, overlap: str, quant: str, ignore: str, denominator: str, k: int
) -> Score:
    worth = Worth(scene, quant, ignore, denominator)
    if not worth.wanted:
        return None
    points = _points(scene, overlap, worth)
    return points[:k][-1].recall if points else ZERO


@twin("ngP")
def ng_precision(scene: Scene, *, overlap: str, quant: str, ignore: str, k: int) -> Score:
    worth = Worth(scene, quant, ignore, "components")
    if not worth.wanted:
        return None
    points = _points(scene, overlap, worth)
    return points[:k][-1].precision if points else ZERO


def _points(scene: Scene, overlap: str, worth: Worth) -> list[Point]:
    """Recall and precision after each result."""
    points = []
    seen: set[Character] = set()
    found = covered = read = ZERO
    for unit in scene.ranked:
        new = {"o": len(unit.characters - seen), "s": unit.size}[overlap]
        seen |= unit.characters
        found += worth.rel[unit] * quotient(new, unit.size)
        covered += worth.cov[unit] * new
        read += new
        recall = quotient(found, worth.wanted)
        points.append(Point(min(recall, ONE), covered, read))
    return points


def _separate(scene: Scene, element: Unit, quant: str) -> tuple[Fraction, Fraction]:
    """How much of what was asked for is in an element, and how much of it was asked for."""
    if not element.size:
        return ZERO, ZERO
    if quant == "spec":
        in_all = len(scene.highlighted)
        return quotient(scene.relevant_in(element), in_all), scene.specificity(element)
    grade = grade_of(scene, element)
    if grade is None:
        return ZERO, ZERO
    thirds = {digit: Fraction(int(digit), 3) for digit in "0123"}
    shares = {"E": ONE, "L": Fraction(1, 2), "S": ZERO, "N": ZERO} | thirds
    rel, cov = shares[grade[0]], shares[grade[1]]
    return {"strict": (Fraction(rel == 1), Fraction(cov == 1)), "gen": (rel, cov)}[quant]
