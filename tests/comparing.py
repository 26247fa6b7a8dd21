"""Tables of scores to compare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from doxeval.comparison import Pair, Test, compare, generator, significance_of
from doxeval.scores import MeasureFacts, RunScores, ScoreTable


def table_of(
    scores: dict[str, list[float]], higher_is_better: bool = True, label: str = "M"
) -> ScoreTable:
    facts = MeasureFacts(label, f"{label}(x=1)", "a measure", higher_is_better=higher_is_better)
    count = len(next(iter(scores.values())))
    counted = np.ones(count, dtype=np.bool_)
    runs = tuple(RunScores(run, np.array([values]), counted) for run, values in scores.items())
    return ScoreTable((facts,), tuple(str(topic) for topic in range(count)), runs)


def only_pair(table: ScoreTable, test: Test = "t", **options: float) -> Pair:
    (pair,) = compare(table, "M", test, **options).pairs  # type: ignore[arg-type]  # as the test wants it
    return pair


def random_scores(count: int, topics: int, seed: int = 1) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    topic = random.random(topics)
    return {
        f"run{place}": np.clip(topic + random.normal(place / 20, 0.2, topics), 0, 2).tolist()
        for place in range(count)
    }


def p_of(test: Test, steps: Sequence[int], seed: int = 0, resamples: int = 2000) -> float:
    result = significance_of(test, np.array(steps), 0.05, resamples, generator(seed, "a", "b"))
    assert result is not None
    return result.p


def facts(lowest: float = 0.0, highest: float | None = 1.0) -> MeasureFacts:
    return MeasureFacts("M", "M(x=1)", "a measure", lowest, highest)


def two_measures(
    means: Sequence[tuple[float | None, float | None]], second_is_better_higher: bool = True
) -> ScoreTable:
    """Systems of one topic by the measures A and B."""
    facts = (
        MeasureFacts("A", "A", "a measure"),
        MeasureFacts("B", "B", "another", higher_is_better=second_is_better_higher),
    )
    values = np.array(means, dtype=np.float64)
    runs = tuple(
        RunScores(f"s{place:03}", row[:, None], np.array([True]))
        for place, row in enumerate(values)
    )
    return ScoreTable(facts, ("1",), runs)
