"""The twin of inex_eval, and of the expected search length that it is built on."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

from brute_force.numbers import TOLERANCE, ZERO, Score, ceiling, hundredths, mean, total
from brute_force.recall_bases import values
from brute_force.scene import Scene
from brute_force.twins import twin


@twin("inex_eval")
def inex_eval(
    scene: Scene,
    *,
    quant: str,
    ignore: str,
    k: int | None,
    interpolation: str,
    unretrieved: str,
) -> Score:
    """A cut-off cuts the list first, also where results are tied."""
    full = values(scene, quant, ignore)
    if not full:
        return None
    wanted_in_all = total(full.values())
    levels = []
    ranked = scene.ranked[:k]
    for whole in scene.levels:
        level = [unit for unit in whole if unit in ranked]
        if not level:
            continue
        relevance = total(full.get(unit, ZERO) for unit in level)
        levels.append((relevance, Fraction(len(level)) - relevance))
    if not levels:
        return ZERO
    if unretrieved == "level" or (unretrieved == "auto" and scene.has_collection):
        rest = wanted_in_all - total(relevance for relevance, _ in levels)
        levels.append((rest, len(scene.elements) - len(ranked) - rest))
    wanted = [x * wanted_in_all for x in hundredths(1)]
    if interpolation == "ceiling":
        wanted = [Fraction(ceiling(gain)) for gain in wanted]
    rounded = [(float(relevance), float(others)) for relevance, others in levels]
    return mean([_precision_at_recall(float(gain), rounded) for gain in wanted])


@twin("qP")
def quantised_precision(scene: Scene, *, quant: str, ignore: str, k: int) -> Score:
    full = values(scene, quant, ignore)
    return total(full.get(unit, ZERO) for unit in scene.ranked[:k]) / k if full else None


@twin("qR")
def quantised_recall(scene: Scene, *, quant: str, ignore: str, k: int) -> Score:
    full = values(scene, quant, ignore)
    if not full:
        return None
    return total(full.get(unit, ZERO) for unit in scene.ranked[:k]) / total(full.values())


def _precision_at_recall(wanted: float, levels: list[tuple[float, float]]) -> float:
    """How much of what a user sees is relevant who stops when so much relevance is found."""
    found = others = 0.0
    for relevant, irrelevant in levels:
        if found + relevant >= wanted - TOLERANCE:
            searched = others + (wanted - found) * irrelevant / (relevant + 1)
            return wanted / (wanted + searched)
        found, others = found + relevant, others + irrelevant
    return 0.0


def others_before(wanted: int, relevant: int, others: int) -> Fraction:
    """The expected number of others before the wanted relevant one, over all orders."""
    counts = []
    for order in permutations(range(relevant + others)):
        places = [place for place, unit in enumerate(order) if unit < relevant]
        counts.append(places[wanted - 1] - (wanted - 1))
    return Fraction(sum(counts), len(counts))
