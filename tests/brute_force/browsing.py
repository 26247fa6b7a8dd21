"""Twins of the measures for users who browse: BEPD, PRUM and EPRUM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from brute_force.navigation import step
from brute_force.numbers import ONE, ZERO, Number, Score, ceiling, mean, quotient, total
from brute_force.recall_bases import Values, recall_base
from brute_force.scene import Scene
from brute_force.twins import twin

# Of each item, the probabilities that it shows the targets.
Matrix = tuple[tuple[Fraction, ...], ...]


# Where the targets are


def _to_entry_points(scene: Scene, patience: Fraction, length: Fraction | int | str) -> Matrix:
    """How near the first result of each document is to each best entry point."""
    if length == "collection":
        length = Fraction(sum(map(len, scene.texts.values())), len(scene.texts))
    reach = patience * Fraction(length)
    return tuple(
        tuple(
            reach / (reach + abs(units[0].start - entry)) if target == document else ZERO
            for target, entry in scene.entries.items()
        )
        for document, units in scene.documents.items()
    )


def _to_elements(scene: Scene, nav: str, ideal: Values) -> Matrix:
    """Whether each result is one of the ideal elements, or how likely a user goes on to it."""
    return tuple(
        tuple(ONE if unit == target else step(scene, nav, unit, target) for target in ideal)
        for unit in scene.ranked
    )


@twin("BEPD")
def bepd(scene: Scene, *, A: Fraction, L: Fraction | int | str) -> Score:  # noqa: N803  # as the measure has it
    if not scene.entries:
        return None
    near = _to_entry_points(scene, A, L)
    return total(sum(row, ZERO) for row in near) / len(scene.entries)


# What users see


@dataclass(frozen=True)
class Ending:
    """One way a user's search may end: how likely, after how many items, how many of them useful.

    Useful items show something new. The end may come before enough was seen.
    """

    probability: Fraction
    consulted: int
    useful: int
    is_reached: bool


@lru_cache(maxsize=64)
def endings(p: Matrix, wanted: int) -> list[Ending]:
    """All ways to go down a list until so many targets are known, or the list ends.

    A user knows a set of targets, and has had so many useful items. Each item shows any of the
    other targets, or does not.
    """
    found = []
    going: dict[tuple[frozenset[int], int], Fraction] = {(frozenset(), 0): ONE}
    for rank, row in enumerate(p, 1):
        after: dict[tuple[frozenset[int], int], Fraction] = {}
        for (known, useful), probability in going.items():
            for new, chance in _shown(row, known).items():
                now = known | new, useful + bool(new)
                if len(now[0]) >= wanted:
                    found.append(Ending(probability * chance, rank, now[1], True))
                else:
                    after[now] = after.get(now, ZERO) + probability * chance
        going = after
    return found + [Ending(p_, len(p), useful, False) for (_, useful), p_ in going.items()]


def _shown(row: tuple[Fraction, ...], known: frozenset[int]) -> dict[frozenset[int], Fraction]:
    """The sets of unknown targets that an item may show, with their probabilities."""
    sure = {e for e, chance in enumerate(row) if chance == 1 and e not in known}
    open_ones = [e for e, chance in enumerate(row) if 0 < chance < 1 and e not in known]
    found = {}
    for outcome in product((False, True), repeat=len(open_ones)):
        chance = ONE
        for e, is_shown in zip(open_ones, outcome, strict=True):
            chance *= row[e] if is_shown else 1 - row[e]
        new = sure | {e for e, is_shown in zip(open_ones, outcome, strict=True) if is_shown}
        found[frozenset(new)] = chance
    return found


def eprum_at_level(p: Matrix, wanted: int) -> Fraction:
    """The expected precision where the user stops."""
    return total(
        ending.probability * Fraction(wanted, ending.consulted)
        for ending in endings(p, wanted)
        if ending.is_reached
    )


def eprum_at_rank(p: Matrix, k: int) -> Fraction:
    """The expected number of targets that are known after k items, over k."""
    known = ZERO
    for target in range(len(p[0]) if p else 0):
        unseen = ONE
        for row in p[:k]:
            unseen *= 1 - row[target]
        known += 1 - unseen
    return known / k


def prum_at_level(p: Matrix, wanted: int, unreached: str) -> Fraction:
    """The share of the consulted items that lead to something new."""
    counted = [
        ending for ending in endings(p, wanted) if ending.is_reached or unreached == "truncate"
    ]
    useful = total(ending.probability * ending.useful for ending in counted)
    consulted = total(ending.probability * ending.consulted for ending in counted)
    reached = total(ending.probability for ending in counted if ending.is_reached)
    weight = {"zero": reached, "truncate": ONE, "condition": ONE}[unreached]
    return quotient(useful, consulted) * weight


def precision_at_target(p: Matrix, wanted: int) -> Fraction:
    """i / rank_i: precision where the i-th target is found, without any browsing."""
    hits = [rank for rank, row in enumerate(p, 1) if any(row)]
    return Fraction(wanted, hits[wanted - 1]) if wanted <= len(hits) else ZERO


def _at_recall(kernel: Callable[[int], Number], targets: int, x: Fraction | None) -> Score:
    """A measure at a recall level, or its mean over all levels; None without targets."""
    if not targets:
        return None
    if x is None:
        return mean([kernel(wanted) for wanted in range(1, targets + 1)])
    return kernel(max(1, ceiling(x * targets)))


def _sought(
    scene: Scene,
    targets: str,
    nav: str,
    quant: str,
    ignore: str,
    patience: Fraction,
    length: Fraction | str,
) -> tuple[Matrix, int]:
    """What a user sees and how many targets there are; who navigates looks for ideal elements."""
    if nav == "auto":
        nav = "none" if scene.steps is None or targets == "bep" else "matrix"
    if targets == "ideal" or (targets == "auto" and nav != "none"):
        ideal = recall_base(scene, "ideal", quant, ignore)
        return _to_elements(scene, nav, ideal), len(ideal)
    assert ignore == "none"
    return _to_entry_points(scene, patience, length), len(scene.entries)


@twin("PRUM")
def prum(
    scene: Scene,
    *,
    A: Fraction,  # noqa: N803  # as the measure has it
    L: Fraction | str,  # noqa: N803  # as the measure has it
    targets: str,
    nav: str,
    quant: str,
    ignore: str,
    x: Fraction | None,
    unreached: str,
) -> Score:
    p, count = _sought(scene, targets, nav, quant, ignore, A, L)
    return _at_recall(lambda wanted: prum_at_level(p, wanted, unreached), count, x)


@twin("EPRUM")
def eprum(
    scene: Scene,
    *,
    A: Fraction,  # noqa: N803  # as the measure has it
    L: Fraction | str,  # noqa: N803  # as the measure has it
    targets: str,
    nav: str,
    quant: str,
    ignore: str,
    k: int | None,
    x: Fraction | None,
) -> Score:
    p, count = _sought(scene, targets, nav, quant, ignore, A, L)
    if k is not None:
        return eprum_at_rank(p, k) if count else None
    return _at_recall(lambda wanted: eprum_at_level(p, wanted), count, x)
