"""Coefficients of agreement as their definitions say, one unit at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


def plain_alpha(units: Sequence[Sequence[int | None]]) -> Fraction | None:
    """α for nominal data: each ordered pair of values of a unit counts 1/(m − 1)."""
    observed = Fraction(0)
    for unit in units:
        values = [value for value in unit if value is not None]
        for one, other in permutations(values, 2):
            observed += Fraction(int(one != other), len(values) - 1)
    values = [
        value
        for unit in units
        if sum(one is not None for one in unit) > 1
        for value in unit
        if value is not None
    ]
    n = len(values)
    expected = sum(int(one != other) for one, other in permutations(values, 2))
    if not expected:
        return None
    return 1 - (observed / n) / Fraction(expected, n * (n - 1))


def plain_kappa(first: Sequence[int], second: Sequence[int], weighted: bool) -> Fraction | None:
    """κ from two lists of labels: mean disagreement of what was said, over that of all pairs."""

    def apart(one: int, other: int) -> int:
        return abs(one - other) if weighted else int(one != other)

    seen = sum(apart(one, other) for one, other in zip(first, second, strict=True))
    chance = sum(apart(one, other) for one in first for other in second)
    return 1 - Fraction(seen, len(first)) / Fraction(chance, len(first) ** 2) if chance else None
