"""The rules of ranking by task, where random worlds hardly ever lead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.retrieve import (
    ScoredUnits,
    best_first,
    best_in_context,
    fetch_browse,
    focused,
    in_context,
    round_scores,
    score_articles_by_best_unit,
    thorough,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15)


def candidates(*units: tuple[int, float, int, int], articles: list[float]) -> ScoredUnits:
    """Units as (article, score, begin, end)."""
    article, score, begin, end = (np.array(column) for column in zip(*units, strict=True))
    return ScoredUnits(article, score.astype(float), begin, end, np.array(articles))


@given(FINITE.filter(lambda value: value == 0 or abs(value) > 1e-13))
def test_nine_digits(value: float) -> None:
    found = float(round_scores(np.array([value]))[0])
    assert found == pytest.approx(float(f"{value:.8e}"), rel=1.1e-8)
    assert found == pytest.approx(value, rel=5.1e-9)
    assert float(round_scores(np.array([found]))[0]) == found


def test_last_bits_do_not_matter() -> None:
    one = 12.3456789012
    assert round_scores(np.array([one])) == round_scores(np.array([np.nextafter(one, 99)]))


def test_the_best_of_many_with_ties_in_their_order() -> None:
    score = np.array([1.0, 5.0] * 500)
    assert best_first(score, 3).tolist() == [1, 3, 5]
    assert best_first(score, 501).tolist()[-2:] == [999, 0]


def test_ties_go_to_the_outer_element() -> None:
    units = candidates((0, 1, 0, 9), (0, 1, 0, 9), (0, 1, 9, 12), articles=[1.0])
    assert focused(units, 9).which.tolist() == [0, 2]


def test_focused_looks_further_if_much_overlaps() -> None:
    nested = [(0, 100.0 - n, 0, 100 - n) for n in range(50)]
    units = candidates(*nested, (0, 1.0, 200, 201), (0, 0.5, 300, 301), articles=[1.0])
    assert focused(units, 2).which.tolist() == [0, 50]
    assert focused(units, 5).which.tolist() == [0, 50, 51]


def test_scores_below_zero_are_no_reason_to_lose_the_best() -> None:
    units = candidates((0, -4, 0, 1), (0, -2, 1, 2), (1, 3, 9, 10), articles=[-1.0, 2.0])
    found = in_context(units, 9, 0.5)
    assert (found.which.tolist(), found.score.tolist()) == ([2, 1], [2.0, -1.0])


def test_in_context_is_in_document_order_and_fetch_browse_by_score() -> None:
    units = candidates((0, 1, 0, 1), (0, 2, 1, 2), (1, 3, 9, 10), (1, 9, 10, 11), articles=[7, 5])
    assert in_context(units, 9, 0.3).which.tolist() == [0, 1, 2, 3]
    assert fetch_browse(units, 9, 0.3).which.tolist() == [1, 0, 3, 2]
    assert best_in_context(units, 9).which.tolist() == [1, 3]
    by_best = score_articles_by_best_unit(units)
    assert best_in_context(by_best, 9).which.tolist() == [3, 1]
    assert best_in_context(by_best, 9).score.tolist() == [9, 2]


def test_nothing_is_presented_as_nothing() -> None:
    nothing = ScoredUnits(*(np.empty(0, dtype=np.int64),) * 4, np.zeros(3))  # type: ignore[arg-type]
    nothing = nothing._replace(score=np.empty(0))
    assert len(thorough(nothing, 5).which) == len(focused(nothing, 5).which) == 0
    assert len(in_context(nothing, 5, 0.5).which) == 0
    assert len(fetch_browse(nothing, 5, 0.5).which) == 0
    assert len(best_in_context(nothing, 5).which) == 0
