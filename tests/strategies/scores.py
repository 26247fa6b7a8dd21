"""Random tables of scores."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from doxeval.scores import MeasureFacts, RunScores, ScoreTable

_MEASURES = ["MAiP", "iP[.01]", "gP@5", "MAgP(score=F,beta=.5)"]


def score_tables(
    least_runs: int = 1, most_runs: int = 4, most_topics: int = 8
) -> st.SearchStrategy[ScoreTable]:
    """Tables of scores in [0, 1]: undefined scores, topics that do not count or lack results."""

    @st.composite
    def tables(draw: st.DrawFn) -> ScoreTable:
        labels = draw(st.lists(st.sampled_from(_MEASURES), min_size=1, max_size=4, unique=True))
        topics = draw(st.integers(1, most_topics))
        scores = st.one_of(
            st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]), st.floats(0, 1, width=32)
        )
        row = st.lists(scores, min_size=topics, max_size=topics)
        flags = st.lists(st.booleans(), min_size=topics, max_size=topics)
        runs = []
        for number in range(draw(st.integers(least_runs, most_runs))):
            values = draw(st.lists(row, min_size=len(labels), max_size=len(labels)))
            counted = np.array(draw(st.one_of(st.just([True] * topics), flags)))
            has_results = draw(st.one_of(st.none(), flags.map(np.array)))
            runs.append(
                RunScores(f"run{number}", np.array(values), counted, has_results=has_results)
            )
        facts = tuple(MeasureFacts(label, f"{label} as used", "a measure") for label in labels)
        return ScoreTable(facts, tuple(f"t{topic}" for topic in range(topics)), tuple(runs))

    return tables()
