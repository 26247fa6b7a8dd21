"""Twins of HiXEval: precision and recall in highlighted characters."""

from __future__ import annotations

from fractions import Fraction

from brute_force.needs import wants_of
from brute_force.numbers import ONE, ZERO, Score, hundredths, mean, quotient
from brute_force.scene import Character, Scene
from brute_force.twins import twin

Points = list[tuple[Fraction, Fraction]]  # precision and recall after each result


def points_of(scene: Scene, alpha: Fraction, resize: str) -> Points | None:
    """Precision and recall in characters; None if there is no relevant text."""
    wants = wants_of(scene)
    if not wants.total:
        return None
    points = []
    seen: set[Character] = set()
    text: list[Character] = []
    counted = read = ZERO
    for unit in scene.ranked:
        counted += scene.relevant_in(unit)
        text += sorted(unit.characters)
        found = alpha * counted + (1 - alpha) * wants.shown(set(text))
        useful = alpha * counted + (1 - alpha) * wants.by_best_shown(text).shown(set(text))
        new = len(unit.characters - seen)
        in_relevant = unit.document in scene.highlighted_documents
        read += {"full": unit.size, "new": new, "tool": new if in_relevant else unit.size}[resize]
        seen |= unit.characters
        points.append((quotient(useful, read), min(found / wants.total, ONE)))
    return points


def _at(points: Points, k: int) -> tuple[Fraction, Fraction]:
    """Precision and recall at a rank, or at the end of the list."""
    return points[:k][-1] if points else (ZERO, ZERO)


def f_score(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    return quotient((1 + beta**2) * precision * recall, beta**2 * precision + recall)


@twin("cP")
def precision(scene: Scene, *, k: int, alpha: Fraction, resize: str) -> Score:
    points = points_of(scene, alpha, resize)
    return None if points is None else _at(points, k)[0]


@twin("cR")
def recall(scene: Scene, *, k: int, alpha: Fraction, resize: str) -> Score:
    points = points_of(scene, alpha, resize)
    return None if points is None else _at(points, k)[1]


@twin("cF")
def f_measure(scene: Scene, *, k: int, alpha: Fraction, resize: str, beta: Fraction) -> Score:
    points = points_of(scene, alpha, resize)
    return None if points is None else f_score(*_at(points, k), beta)


@twin("MAcP")
def mean_precision(scene: Scene, *, k: int, alpha: Fraction, resize: str) -> Score:
    points = points_of(scene, alpha, resize)
    return None if points is None else mean([_at(points, r)[0] for r in range(1, k + 1)])


def _interpolated(points: Points, x: Fraction) -> Fraction:
    return max((precision for precision, recall in points if recall >= x), default=ZERO)


@twin("iP")
def interpolated_precision(scene: Scene, *, x: Fraction, alpha: Fraction, resize: str) -> Score:
    points = points_of(scene, alpha, resize)
    return None if points is None else _interpolated(points, x)


@twin("MAiP")
def maip(scene: Scene, *, k: int | None, alpha: Fraction, resize: str) -> Score:
    """A cut-off cuts the list first."""
    points = points_of(scene, alpha, resize)
    if points is None:
        return None
    return mean([_interpolated(points[:k], x) for x in hundredths(0)])
