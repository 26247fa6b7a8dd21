"""Which pairs of systems measures tell apart, against tests done by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from doxeval.comparison import TESTS, Test, compare_all, significant_agreement
from doxeval.errors import InputError
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from levels import examples
from strategies import score_tables

VERDICTS = ("same", "opposite", "only_first", "only_second", "neither", "untested")


def table_of(values: dict[str, list[list[float]]], lower: str = "") -> ScoreTable:
    """A table of runs with scores by measures A, B, …; some measures are better if lower."""
    count = len(next(iter(values.values())))
    facts = tuple(
        MeasureFacts(name, name, "a measure", higher_is_better=name not in lower)
        for name in "ABCDE"[:count]
    )
    runs = tuple(
        RunScores(run, np.array(own), np.ones(len(own[0]), dtype=bool))
        for run, own in values.items()
    )
    topics = tuple(str(topic) for topic in range(len(next(iter(values.values()))[0])))
    return ScoreTable(facts, topics, runs)


def told_apart_by_hand(values: dict[str, list[float]], alpha: float) -> dict[frozenset[str], str]:
    """The better run of each pair with a significant difference: t tests, Holm's correction."""
    tested = sorted(
        (float(stats.ttest_rel(values[one], values[two]).pvalue), one, two)
        for one, two in combinations(values, 2)
    )
    found = {}
    for place, (p, one, two) in enumerate(tested):
        if p * (len(tested) - place) >= alpha:
            break  # and so are all larger ones
        better = one if np.mean(values[one]) > np.mean(values[two]) else two
        found[frozenset((one, two))] = better
    return found


def test_against_tests_by_hand() -> None:
    random = np.random.default_rng(5)
    quality = {"A": [0.1, 0.2, 0.3, 0.6, 0.65], "B": [0.1, 0.22, 0.6, 0.3, 0.7]}
    values = {
        f"run{n}": [(quality[name][n] + random.normal(0, 0.15, 12)).tolist() for name in quality]
        for n in range(5)
    }
    by = [told_apart_by_hand({run: own[m] for run, own in values.items()}, 0.05) for m in (0, 1)]
    found = significant_agreement(table_of(values)).pair("A", "B")
    pairs = [frozenset(pair) for pair in combinations(values, 2)]
    expected = {
        "same": {p for p in pairs if p in by[0] and p in by[1] and by[0][p] == by[1][p]},
        "opposite": {p for p in pairs if p in by[0] and p in by[1] and by[0][p] != by[1][p]},
        "only_first": {p for p in pairs if p in by[0] and p not in by[1]},
        "only_second": {p for p in pairs if p not in by[0] and p in by[1]},
        "neither": {p for p in pairs if p not in by[0] and p not in by[1]},
        "untested": set(),
    }
    assert all(expected[verdict] for verdict in VERDICTS[:5]), "every verdict occurs"
    for verdict in VERDICTS:
        assert {frozenset(pair) for pair in getattr(found, verdict)} == expected[verdict], verdict
    for pair in found.same + found.opposite + found.only_first:
        assert by[0][frozenset(pair)] == pair[0], "the better one by the first measure comes first"
    for pair in found.only_second:
        assert by[1][frozenset(pair)] == pair[0]
    told = sum(map(len, (expected[verdict] for verdict in VERDICTS[:4])))
    assert found.agreement == len(expected["same"]) / told
    assert found.same_verdict == (len(expected["same"]) + len(expected["neither"])) / 10


def test_a_measure_where_lower_is_better_agrees_with_its_opposite() -> None:
    good, bad = [0.8, 0.9, 0.85, 0.9], [0.1, 0.15, 0.2, 0.1]
    values = {"x": [good, bad], "y": [bad, good]}
    assert significant_agreement(table_of(values, lower="B")).pair("A", "B").same == (("x", "y"),)
    assert significant_agreement(table_of(values)).pair("A", "B").opposite == (("x", "y"),)


def test_pairs_that_cannot_be_tested_are_told() -> None:
    values = {"x": [[0.5, 0.1], [0.5, np.nan]], "y": [[0.4, 0.2], [0.2, 0.3]]}
    found = significant_agreement(table_of(values))
    pair = found.pair("B", "A")
    assert (pair.untested, pair.tested, pair.agreement) == ((("x", "y"),), 0, None)
    assert pair.same_verdict is None
    assert [(one.tested, one.share) for one in found.measures] == [(1, 0.0), (0, None)]
    assert any("not tested" in note for note in found.notes)


@examples(60)
@given(score_tables(least_runs=2))
def test_every_pair_has_one_verdict_and_order_does_not_matter(table: ScoreTable) -> None:
    if len(table.measures) < 2:
        with pytest.raises(InputError, match="two measures or more, not 1"):
            significant_agreement(table)
        return
    found = significant_agreement(table, alpha=0.3)
    all_pairs = len(table.runs) * (len(table.runs) - 1) // 2
    labels = list(table.labels)
    backwards = significant_agreement(table, labels[::-1], alpha=0.3)
    fewer = replace(table, runs=table.runs[::-1])
    for pair in found.pairs:
        assert sum(pair.counts.values()) == all_pairs
        assert pair.tested == all_pairs - len(pair.untested)
        again = backwards.pair(pair.first, pair.second)
        assert (again.first, again.second) == (pair.second, pair.first)
        assert again.same == pair.same
        assert again.only_first == pair.only_second
        assert {frozenset(p) for p in again.opposite} == {frozenset(p) for p in pair.opposite}
        assert (again.agreement, again.same_verdict) == (pair.agreement, pair.same_verdict)
    assert significant_agreement(fewer, alpha=0.3).pairs == found.pairs
    told = {one.measure.label: one for one in compare_all(table, alpha=0.3)}
    for power in found.measures:
        assert power.distinguished == sum(pair.significant for pair in told[power.measure].pairs)


@pytest.mark.parametrize("test", TESTS)
def test_a_measure_agrees_with_itself(test: Test) -> None:
    random = np.random.default_rng(1)
    values = {f"r{n}": [row := (n / 4 + random.random(9) / 3).tolist(), row] for n in range(4)}
    found = significant_agreement(table_of(values), test=test, resamples=2000, seed=3)
    (pair,) = found.pairs
    assert len(pair.same) == found.measures[0].distinguished > 0
    assert (pair.agreement, pair.same_verdict) == (1.0, 1.0)
