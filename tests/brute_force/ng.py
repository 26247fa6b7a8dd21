"""The twin of ng."""

from __future__ import annotations

from fractions import Fraction

from brute_force.numbers import ONE, ZERO, Score, best_precision, hundredths, mean, quotient, total
from brute_force.recall_bases import Values, grade_of
from brute_force.scene import Character, Scene, Unit
from brute_force.twins import twin


@twin("ng")
def ng(scene: Scene, *, overlap: str, quant: str, denominator: str, unretrieved: str) -> Score:
    rel = {e: _separate(scene, e, quant)[0] for e in scene.elements}
    cov = {e: _separate(scene, e, quant)[1] for e in scene.elements}
    whole = {"documents": scene.roots, "components": scene.elements}[denominator]
    wanted = total(rel[element] for element in whole)
    if not wanted:
        return None
    points = _points(scene, overlap, rel, cov, wanted)
    if not points:
        return ZERO
    if unretrieved in ("auto", "block"):
        covered = total(cov[root] * root.size for root in scene.roots)
        points.append((1.0, float(quotient(covered, sum(root.size for root in scene.roots)))))
    return mean([best_precision(points, x) for x in map(float, hundredths(1))])


def _points(
    scene: Scene, overlap: str, rel: Values, cov: Values, wanted: Fraction
) -> list[tuple[float, float]]:
    """Recall and precision after each result."""
    points = []
    seen: set[Character] = set()
    recall = covered = read = ZERO
    for unit in scene.ranked:
        new = {"o": len(unit.characters - seen), "s": unit.size}[overlap]
        seen |= unit.characters
        recall += rel[unit] * quotient(new, unit.size)
        covered += cov[unit] * new
        read += new
        points.append((float(min(recall / wanted, ONE)), float(quotient(covered, read))))
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
