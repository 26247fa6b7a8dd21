"""Twins of the XCG measures: gains, and the effort that they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from itertools import accumulate
from typing import Any

from brute_force.numbers import TOLERANCE, ZERO, Score, hundredths, mean, quotient, total
from brute_force.recall_bases import Values, recall_base, values
from brute_force.scene import Character, Scene, Unit
from brute_force.twins import twin


@dataclass(frozen=True)
class Gains:
    """What each result gains, and what the best results would gain."""

    run: list[float]
    ideal: list[float]


def gains(
    scene: Scene, base: str, quant: str, ignore: str, overlap: bool, penalty: Fraction
) -> Gains | None:
    """The gains by a recall base; None if it is empty. With overlap, seen text gains less."""
    full = values(scene, quant, ignore)
    best = recall_base(scene, base, quant, ignore)
    if not full:
        return None
    if base == "ideal":
        run = normalised_gains(scene.ranked, full, best)
    elif overlap and quant == "spec" and not scene.lists_say:
        run = _gains_of_unseen_characters(scene, full, penalty)
    elif overlap:
        run = _gains_of_unseen_text(scene, full, penalty)
    else:
        run = [full.get(unit, ZERO) for unit in scene.ranked]
    return Gains([float(gain) for gain in run], sorted(map(float, best.values()), reverse=True))


def normalised_gains(ranked: list[Unit], full: Values, ideal: Values) -> list[Fraction]:
    """No ideal element gains more than it is worth, in however many parts it is returned."""
    remaining = dict(ideal)
    found = []
    for unit in ranked:
        if unit not in full:
            found.append(ZERO)
            continue
        candidates = [element for element in ideal if element.touches(unit)]
        charged = max(candidates, key=lambda element: remaining[element])
        gain = max(ZERO, min(full[unit], remaining[charged]))
        remaining[charged] -= gain
        found.append(gain)
    return found


def _gains_of_unseen_characters(scene: Scene, full: Values, penalty: Fraction) -> list[Fraction]:
    """Highlighted text: a relevant character that was seen before counts 1 − penalty."""
    found = []
    seen: set[Character] = set()
    for unit in scene.ranked:
        relevant = unit.characters & scene.highlighted
        worth = total(1 - penalty if one in seen else 1 for one in relevant)
        found.append(quotient(worth, unit.size) if unit in full else ZERO)
        seen |= unit.characters
    return found


def _gains_of_unseen_text(scene: Scene, full: Values, penalty: Fraction) -> list[Fraction]:
    found = []
    seen: set[Character] = set()
    for unit in scene.ranked:
        found.append(_gain(scene, unit, full, seen, penalty))
        seen |= unit.characters
    return found


def _gain(
    scene: Scene, unit: Unit, full: Values, seen: set[Character], penalty: Fraction
) -> Fraction:
    if unit not in full:
        return ZERO
    if not unit.characters & seen:
        return full[unit]
    if unit.characters <= seen:
        return (1 - penalty) * full[unit]
    below = total(
        _gain(scene, child, full, seen, penalty) * quotient(child.size, unit.size)
        for child in scene.elements
        if child.document == unit.document and child.path.rpartition("/")[0] == unit.path
    )
    return penalty * below + (1 - penalty) * full[unit]


ByGains = Callable[..., Score]


def by_gains(function: ByGains) -> ByGains:
    """A twin that is given the gains in place of the parameters that lead to them."""

    @wraps(function)
    def found(
        scene: Scene,
        *,
        base: str,
        quant: str,
        ignore: str,
        overlap: bool,
        penalty: Fraction,
        **own: Any,
    ) -> Score:
        single = gains(scene, base, quant, ignore, overlap, penalty)
        return None if single is None else function(single, **own)

    return found


def cumulated(single: list[float], k: int) -> float:
    """The gain of the first k."""
    return math.fsum(single[:k])


@twin("xCG")
@by_gains
def xcg(found: Gains, *, k: int) -> Score:
    return cumulated(found.run, k)


@twin("gr")
@by_gains
def gain_recall(found: Gains, *, k: int) -> Score:
    return cumulated(found.run, k) / math.fsum(found.ideal)


@twin("nxCG")
@by_gains
def nxcg(found: Gains, *, k: int) -> Score:
    return cumulated(found.run, k) / cumulated(found.ideal, k)


@twin("MAnxCG")
@by_gains
def manxcg(found: Gains, *, k: int) -> Score:
    return mean([cumulated(found.run, i) / cumulated(found.ideal, i) for i in range(1, k + 1)])


def _effort(single: list[float], gain: float, ranks: str) -> float | None:
    """How far a user goes to gain so much; None if it cannot be had."""
    before = 0.0
    for rank, now in enumerate(accumulate(single), 1):
        if now >= gain - TOLERANCE:
            share = min((gain - before) / (now - before), 1) if now > before else 1.0
            return {"integer": float(rank), "interpolated": rank - 1 + share}[ranks]
        before = now
    return None


def effort_precision(found: Gains, gain: float, ranks: str) -> float:
    run, ideal = _effort(found.run, gain, ranks), _effort(found.ideal, gain, ranks)
    return 0.0 if run is None or ideal is None else ideal / run


def at_recall(found: Gains, x: Fraction, ranks: str) -> float:
    """Effort-precision at a gain-recall."""
    if x == 0:
        return float(bool(found.run))
    gain = x * math.fsum(found.ideal)
    return linear(found, gain) if ranks == "linear" else effort_precision(found, gain, ranks)


def natural_points(found: Gains) -> list[tuple[float, float]]:
    """The gain and the effort-precision at each rank where something is gained."""
    reached = [cumulated(found.run, k) for k, gain in enumerate(found.run, 1) if gain > 0]
    return [(gain, effort_precision(found, gain, "integer")) for gain in reached]


def linear(found: Gains, gain: float) -> float:
    """Effort-precision on the straight lines between natural points; 0 beyond the last."""
    below, above = None, None
    for point in natural_points(found):
        if point[0] >= gain - TOLERANCE:
            above = point
            break
        below = point
    if above is None:
        return 0.0
    if below is None or above[0] <= gain:
        return above[1]
    share = (gain - below[0]) / (above[0] - below[0])
    return below[1] + share * (above[1] - below[1])


@twin("ep")
@by_gains
def ep(found: Gains, *, x: Fraction, ranks: str) -> Score:
    return at_recall(found, x, ranks)


@twin("MAep")
@by_gains
def maep(found: Gains, *, k: int | None, ranks: str) -> Score:
    """A cut-off cuts the list first."""
    found = Gains(found.run[:k], found.ideal)
    if ranks == "linear":  # averaged at natural points, between which it would be linear
        return math.fsum(effort for _, effort in natural_points(found)) / len(found.ideal)
    reached = [cumulated(found.run, k) for k, gain in enumerate(found.run, 1) if gain > 0]
    return sum(effort_precision(found, gain, ranks) for gain in reached) / len(found.ideal)


@twin("iMAep")
@by_gains
def imaep(found: Gains, *, ranks: str) -> Score:
    return mean([at_recall(found, x, ranks) for x in hundredths(1)])
