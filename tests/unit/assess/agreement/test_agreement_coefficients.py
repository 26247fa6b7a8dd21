"""Coefficients of agreement: printed examples, and plain twins that follow the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement_twins import plain_alpha, plain_kappa
from doxeval.assess.agreement import (
    Table,
    cohen_kappa,
    krippendorff_alpha,
    mean,
    total,
    weighted_kappa,
)

# K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
# A: binary data of two observers without missing values, printed there with α = .095.
MEG = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
OWEN = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
# C: nominal data of four observers with missing values, printed there with α = .743.
NO: int | None = None
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NO, NO, NO],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NO, 3],
    [NO, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NO],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NO],
]


def counts(first: Sequence[int], second: Sequence[int], categories: int) -> list[list[int]]:
    pairs = Counter(zip(first, second, strict=True))
    return [[pairs[i, j] for j in range(categories)] for i in range(categories)]


def test_the_binary_example_of_krippendorff() -> None:
    depths = [(2, one + other, 1) for one, other in zip(MEG, OWEN, strict=True)]
    alpha = krippendorff_alpha(depths)
    assert alpha is not None
    assert round(float(alpha), 3) == 0.095
    assert alpha == plain_alpha(list(zip(MEG, OWEN, strict=True)))


def test_the_twin_gives_the_nominal_example_of_krippendorff() -> None:
    alpha = plain_alpha(list(zip(*FOUR, strict=True)))
    assert alpha is not None
    assert round(float(alpha), 3) == 0.743


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, None])] * 4), min_size=1, max_size=9))
def test_alpha_is_what_the_definition_says(units: list[tuple[int | None, ...]]) -> None:
    depths = [
        (len(given), sum(given), 1)
        for unit in units
        if (given := [value for value in unit if value is not None])
    ]
    assert krippendorff_alpha(depths) == plain_alpha(units)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_kappa_is_what_the_definition_says(said: list[tuple[int, int]]) -> None:
    first, second = zip(*said, strict=True)
    table = counts(first, second, 4)
    assert cohen_kappa(table) == plain_kappa(first, second, weighted=False)
    assert weighted_kappa(table) == plain_kappa(first, second, weighted=True)


def test_kappa_of_complete_agreement_is_one_and_of_one_category_undefined() -> None:
    assert cohen_kappa([[3, 0], [0, 2]]) == 1 == weighted_kappa([[3, 0], [0, 2]])
    assert cohen_kappa([[5, 0], [0, 0]]) is None
    assert weighted_kappa([[5, 0], [0, 0]]) is None


def test_weights_are_linear() -> None:
    """κ = 1 − 10 · 2 / Σ |i − j| rᵢ cⱼ, whether one disagreement is by two grades or two by one."""
    by_two = [[3, 0, 1], [0, 3, 0], [0, 0, 3]]  # rows 4 3 3, columns 3 3 4
    assert weighted_kappa(by_two) == 1 - Fraction(20, (12 + 9) + (12 + 9) + 2 * (16 + 9))
    by_one = [[3, 1, 0], [0, 2, 1], [0, 0, 3]]  # rows 4 3 3, columns 3 3 4
    assert weighted_kappa(by_one) == weighted_kappa(by_two)
    assert cohen_kappa(by_one) != cohen_kappa(by_two)


@pytest.mark.parametrize(
    ("table", "jaccard", "f1", "kappa"),
    [
        (Table(0, 0, 0, 5), None, None, None),
        (Table(0, 2, 0, 3), 0, 0, 0),
        (Table(4, 0, 0, 0), 1, 1, None),
        (Table(1, 1, 1, 1), Fraction(1, 3), Fraction(1, 2), 0),
        (Table(0, 0, 0, 0), None, None, None),
    ],
)
def test_tables_at_the_edges(
    table: Table, jaccard: Fraction | None, f1: Fraction | None, kappa: Fraction | None
) -> None:
    assert (table.jaccard, table.f1, table.kappa) == (jaccard, f1, kappa)


def test_sums_and_means_of_nothing() -> None:
    assert total([]) == Table(0, 0, 0, 0)
    assert mean([]) is None
    assert mean([None, None]) is None
    assert krippendorff_alpha([]) is None
