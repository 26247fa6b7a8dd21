"""Coefficients of agreement, as exact fractions. None where a coefficient is undefined.

Cohen's κ (1960) compares two assessors: κ = (o − e) / (1 − e), with o the share of units on which
they agree, and e the share on which they would agree by chance, each with their own frequencies
of categories. κ is undefined where e = 1: both put everything into one and the same category.

Weighted κ (Cohen 1968) is for categories in an order: κ = 1 − Σ wᵢⱼ oᵢⱼ / Σ wᵢⱼ eᵢⱼ, where a
disagreement weighs as much as the two categories are apart: wᵢⱼ = |i − j| (linear).

Krippendorff's α (2011) is for any number of assessors, of whom each may have left out some units:
α = 1 − D_o / D_e, the observed over the expected disagreement. Units that only one assessor judged
do not count. For two categories, with n₀ and n₁ values of each, n in all, and o₀₁ the sum over
units of n₀ᵤ n₁ᵤ / (mᵤ − 1), it is α = 1 − (n − 1) o₀₁ / (n₀ n₁). α is undefined where all values
are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple


class Table(NamedTuple):
    """What two assessors said of each unit: relevant to both, to the first, the second, neither.

    >>> table = Table(both=20, first=5, second=10, neither=15)
    >>> table.kappa, table.jaccard, table.f1
    (Fraction(2, 5), Fraction(4, 7), Fraction(8, 11))
    >>> Table(0, 0, 0, 9).kappa is None
    True
    """

    both: int
    first: int
    second: int
    neither: int

    @property
    def units(self) -> int:
        """The number of units."""
        return sum(self)

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's κ."""
        return cohen_kappa([[self.both, self.first], [self.second, self.neither]])

    @property
    def jaccard(self) -> Fraction | None:
        """What is relevant to both, over what is relevant to any; undefined if nothing is."""
        return share(self.both, self.both + self.first + self.second)

    @property
    def f1(self) -> Fraction | None:
        """The harmonic mean of precision and recall, whichever assessor is the reference."""
        return share(2 * self.both, 2 * self.both + self.first + self.second)

    @property
    def precision(self) -> Fraction | None:
        """The share of what is relevant to the first that is relevant to the second too."""
        return share(self.both, self.both + self.first)

    @property
    def recall(self) -> Fraction | None:
        """The share of what is relevant to the second that is relevant to the first too."""
        return share(self.both, self.both + self.second)


def total(tables: Iterable[Table]) -> Table:
    """Return the sum of tables.

    >>> total([Table(1, 0, 0, 2), Table(0, 3, 0, 1)])
    Table(both=1, first=3, second=0, neither=3)
    """
    return Table(*(sum(column) for column in zip(Table(0, 0, 0, 0), *tables, strict=True)))


def cohen_kappa(counts: Sequence[Sequence[int]]) -> Fraction | None:
    """Return Cohen's κ of a square table: how often the first said i and the second j.

    >>> cohen_kappa([[20, 5], [10, 15]])
    Fraction(2, 5)
    """
    return _kappa(counts, [[int(i != j) for j in range(len(counts))] for i in range(len(counts))])


def weighted_kappa(counts: Sequence[Sequence[int]]) -> Fraction | None:
    """Return weighted κ of a square table whose categories are in an order, with linear weights.

    >>> weighted_kappa([[5, 1, 0], [0, 3, 1], [1, 0, 4]])
    Fraction(37, 52)
    """
    return _kappa(counts, [[abs(i - j) for j in range(len(counts))] for i in range(len(counts))])


def _kappa(counts: Sequence[Sequence[int]], weights: Sequence[Sequence[int]]) -> Fraction | None:
    """Return 1 − the weight of the observed disagreements over that of the expected ones."""
    first = [sum(row) for row in counts]
    second = [sum(column) for column in zip(*counts, strict=True)]
    cells = [(i, j) for i in range(len(counts)) for j in range(len(counts))]
    seen = sum(weights[i][j] * counts[i][j] for i, j in cells)
    expected = sum(weights[i][j] * first[i] * second[j] for i, j in cells)
    return 1 - Fraction(seen * sum(first), expected) if expected else None


def krippendorff_alpha(depths: Iterable[tuple[int, int, int]]) -> Fraction | None:
    """Return Krippendorff's α of units with two values.

    depths: (assessors who judged a unit, how many of them said relevant, the number of such units).

    >>> krippendorff_alpha([(2, 2, 3), (2, 1, 1), (2, 0, 4), (1, 1, 9)])
    Fraction(16, 21)
    """
    ones = zeros = 0
    observed = Fraction(0)
    for assessors, relevant, units in depths:
        if assessors < 2:
            continue
        ones += relevant * units
        zeros += (assessors - relevant) * units
        observed += Fraction(relevant * (assessors - relevant) * units, assessors - 1)
    if not ones or not zeros:
        return None
    return 1 - (ones + zeros - 1) * observed / (ones * zeros)


def share(part: int, whole: int) -> Fraction | None:
    """Return a share; undefined if the whole is nothing.

    >>> share(1, 2), share(0, 0)
    (Fraction(1, 2), None)
    """
    return Fraction(part, whole) if whole else None


def mean(values: Iterable[Fraction | float | None]) -> float | None:
    """Return the mean of the values that are defined; None if none is.

    Fractions are not added up as such: the sum of thousands would have an enormous denominator.

    >>> mean([Fraction(1), None, Fraction(0)])
    0.5
    """
    defined = [float(value) for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None
