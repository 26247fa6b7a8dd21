"""Figures for notebooks as files of every kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from doxeval.comparison import compare
from doxeval.scores import MeasureFacts, RunScores, ScoreTable


def test_plots_are_saved(tmp_path: Path) -> None:
    counted = np.array([True, True, True])
    runs = [
        RunScores(run, np.array([scores]), counted)
        for run, scores in {"a": [0.1, np.nan, 0.4], "b": [0.5, 0.6, 0.9]}.items()
    ]
    table = ScoreTable((MeasureFacts("M", "M(a=1)", "a measure"),), ("1", "2", "3"), tuple(runs))
    begins = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    for kind, first in begins.items():
        for plot in (table.plot(), table.plot(kind="topics"), compare(table, "M").plot()):
            assert plot.save(tmp_path / f"plot.{kind}").read_bytes().startswith(first)
