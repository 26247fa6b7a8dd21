"""Measures whose mean over topics is a geometric one: scores of topics are logarithms."""

from __future__ import annotations

import math

import pytest

from doxeval.comparison import compare, mean_interval
from doxeval.errors import DoxevalWarning
from doxeval.evaluation import evaluate

QRELS = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
RUN = {"1": {"a": 2.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}
OTHER = {"1": {"x": 2.0, "a": 1.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}


def test_means_are_geometric_in_every_view() -> None:
    table = evaluate({"mine": RUN, "other": OTHER}, QRELS, ["GMAP", "AP"])
    mine = 0.5 ** (1 / 3)
    assert table["mine"]["GMAP"] == pytest.approx(mine)
    assert table["mine"].topics["2"]["GMAP"] == pytest.approx(math.log(0.5))
    assert table.mean()["other"]["GMAP"] == pytest.approx(0.25 ** (1 / 3))
    assert table["mine"]["AP"] == pytest.approx(2.5 / 3)
    assert f"{mine:.4f}" in str(table)


def test_a_comparison_shows_geometric_means_and_says_what_differences_are() -> None:
    table = evaluate({"mine": RUN, "other": OTHER}, QRELS, "GMAP")
    with pytest.warns(DoxevalWarning, match="GMAP: means are geometric, differences are those of"):
        comparison = compare(table, "GMAP")
    assert comparison.ranking[0].mean == pytest.approx(0.5 ** (1 / 3))
    assert abs(comparison.pairs[0].difference or 0) == pytest.approx(math.log(2) / 3)


def test_the_interval_is_around_the_mean() -> None:
    table = evaluate({"mine": RUN}, QRELS, "GMAP")
    interval = mean_interval(table.runs[0].values[0], table.measures[0])
    assert interval is not None
    assert interval[0] < 0.5 ** (1 / 3) < interval[1] <= 1
