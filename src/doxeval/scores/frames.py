"""Scores as data frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from doxeval.errors import FormatError
from doxeval.messages import quoted

if TYPE_CHECKING:
    from doxeval.scores.table import ScoreTable

Kind = Literal["pandas", "polars"]
KINDS: tuple[Kind, ...] = ("pandas", "polars")


def long_frame(table: ScoreTable, kind: Kind) -> Any:
    """One row per score: run, topic, measure, value.

    >>> from doxeval.scores import ScoreTable
    >>> len(long_frame(ScoreTable((), (), ()), "pandas"))
    0
    """
    library = library_of(kind)
    rows = list(table.rows())
    keys = {name: [getattr(row, name) for row in rows] for name in ("run", "topic", "measure")}
    values = [[row.value] for row in rows]
    if kind == "polars":
        return _in_polars(library, keys, ["value"], values)
    return _in_pandas(library, keys, ["value"], values).reset_index()


def mean_frame(table: ScoreTable, kind: Kind | None = None) -> Any:
    """One row per run, one column per measure: means.

    >>> from doxeval.scores import ScoreTable
    >>> mean_frame(ScoreTable((), (), ()), "pandas").shape
    (0, 0)
    """
    means = [table.means_of(index) for index in range(len(table.runs))]
    return _wide(kind, {"run": list(table)}, table.labels, means)


def topic_frame(table: ScoreTable, run: str | None = None, kind: Kind | None = None) -> Any:
    """One row per topic (of one run, or of every run), one column per measure.

    >>> from doxeval.scores import ScoreTable
    >>> list(topic_frame(ScoreTable((), (), ()), kind="pandas").index.names)
    ['run', 'topic']
    """
    indices = range(len(table.runs)) if run is None else [table.index_of_run(run)]
    rows = [
        (table.runs[index].run, topic, values)
        for index in indices
        for topic, values in table.topics_of(index)
    ]
    keys = {"run": [name for name, _, _ in rows], "topic": [topic for _, topic, _ in rows]}
    if run is not None:
        del keys["run"]
    return _wide(kind, keys, table.labels, [values for _, _, values in rows])


def _wide(
    kind: Kind | None,
    keys: dict[str, list[str]],
    labels: Sequence[str],
    rows: Sequence[Sequence[float | None]],
) -> Any:
    library = library_of(kind)
    make = _in_polars if library.__name__ == "polars" else _in_pandas
    return make(library, keys, labels, rows)


def library_of(kind: Kind | None) -> Any:
    """The library to make frames with: the wanted one, or else the first that is installed.

    >>> library_of("pandas").__name__
    'pandas'
    """
    wanted: Sequence[str] = KINDS if kind is None else (kind,)
    for name in wanted:
        if name not in KINDS:
            raise FormatError(f"kind={quoted(name)}: expected 'pandas' or 'polars'")
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    missing = "neither of which is" if kind is None else "which is not"
    raise FormatError(f"a data frame needs {' or '.join(wanted)}, {missing} installed")


def _in_pandas(
    pd: Any,
    keys: dict[str, list[str]],
    labels: Sequence[str],
    rows: Sequence[Sequence[float | None]],
) -> Any:
    """Numbers under their labels; the keys are the index."""
    numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(labels))
    index = (
        pd.Index(*keys.values(), name=next(iter(keys)))
        if len(keys) == 1
        else pd.MultiIndex.from_arrays(list(keys.values()), names=list(keys))
    )
    return pd.DataFrame(numbers, index=index, columns=list(labels))


def _in_polars(
    pl: Any,
    keys: dict[str, list[str]],
    labels: Sequence[str],
    rows: Sequence[Sequence[float | None]],
) -> Any:
    """Columns of keys, then of numbers."""
    columns = [[row[column] for row in rows] for column in range(len(labels))]
    return pl.DataFrame(
        [pl.Series(name, texts, pl.String) for name, texts in keys.items()]
        + [
            pl.Series(label, numbers, pl.Float64)
            for label, numbers in zip(labels, columns, strict=True)
        ]
    )
