"""How likely a reader goes from one element of a document to another, by loops."""

from __future__ import annotations

from fractions import Fraction

from brute_force.numbers import ZERO, quotient, total
from brute_force.scene import Scene, Unit

SECTIONS = {"section": "section", "sec": "section", "ss1": "ss1", "subsection": "ss1"}


def step(scene: Scene, nav: str, source: Unit, target: Unit) -> Fraction:
    """The probability of a step between two elements; nobody leaves a document."""
    if source.document != target.document or nav == "none":
        return ZERO
    models = {
        "depth": _by_depth,
        "hierarchical": _up_and_down,
        "matrix": _given,
        "neighbours": _beside,
    }
    return models[nav](scene, source, target)


def _given(scene: Scene, source: Unit, target: Unit) -> Fraction:
    assert scene.steps is not None
    given = scene.steps.get(source.document, {}).get(source.path, {}).get(target.path, 0.0)
    return Fraction(repr(given))


def _up_and_down(scene: Scene, source: Unit, target: Unit) -> Fraction:
    def weight(other: Unit) -> Fraction:
        if other.is_inside(source):
            return quotient(other.size, source.size)
        return quotient(source.size, other.size) if source.is_inside(other) else ZERO

    return quotient(weight(target), total(weight(other) for other in scene.elements))


def _beside(scene: Scene, source: Unit, target: Unit) -> Fraction:
    """One half, shared by the siblings just before and just after."""
    parent = source.path.rpartition("/")[0]
    siblings = [
        one
        for one in scene.elements
        if one.document == source.document and one.path.rpartition("/")[0] == parent
    ]
    at = [one.path for one in siblings].index(source.path)
    beside = [siblings[one].path for one in (at - 1, at + 1) if 0 <= one < len(siblings)]
    return Fraction(1, 2 * len(beside)) if target.path in beside else ZERO


def _by_depth(scene: Scene, source: Unit, target: Unit) -> Fraction:
    """1 / mean depth of the target's group, over the sum of that for all groups."""

    def group(element: Unit) -> str:
        return "article" if element.is_root else SECTIONS.get(element.tag, "other")

    depths: dict[str, list[int]] = {}
    for element in scene.elements:
        depths.setdefault(group(element), []).append(element.depth)
    weights = {name: Fraction(len(own), sum(own)) for name, own in depths.items()}
    return weights[group(target)] / total(weights.values())
