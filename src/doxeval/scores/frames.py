"""Scores as data frames of pandas or polars.

A frame is of the kind that is given, or else of the first library that is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.scores.views import DOCUMENT_TYPES

if TYPE_CHECKING:
    from doxeval.scores.table import ScoreTable

Kind = Literal["pandas", "polars"]
KINDS: tuple[Kind, ...] = ("pandas", "polars")


def long_frame(table: ScoreTable, kind: Kind) -> Any:
    """Return one row per score: run, topic, measure, value.

    >>> from doxeval.scores import ScoreTable
    >>> len(long_frame(ScoreTable((), (), ()), "pandas"))
    0
    """
    rows = list(table.rows())
    keys = {name: [getattr(row, name) for row in rows] for name in ("run", "topic", "measure")}
    frame = _frame(kind, keys, ["value"], [[row.value] for row in rows])
    return frame if kind == "polars" else frame.reset_index()


def mean_frame(table: ScoreTable, kind: Kind | None = None) -> Any:
    """Return one row per run, one column per measure: means.

    >>> from doxeval.scores import ScoreTable
    >>> mean_frame(ScoreTable((), (), ()), "pandas").shape
    (0, 0)
    """
    means = [table.means_of(index) for index in range(len(table.runs))]
    return _frame(kind, {"run": list(table)}, table.labels, means)


def topic_frame(table: ScoreTable, run: str | None = None, kind: Kind | None = None) -> Any:
    """Return one row per topic (of one run, or of every run), one column per measure.

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
    return _frame(kind, keys, table.labels, [values for _, _, values in rows])


def document_frame(table: ScoreTable, kind: Kind | None = None) -> Any:
    """Return one row per score of a document; pandas if it is installed, else polars.

    >>> from doxeval.scores import ScoreTable
    >>> list(document_frame(ScoreTable((), (), ())))[:5]
    ['run', 'topic', 'document', 'rank', 'scored_by']
    """
    library = library_of(kind)
    rows = list(table.document_rows())
    columns = {name: [getattr(row, name) for row in rows] for name in DOCUMENT_TYPES}
    if library.__name__ == "polars":
        types = {str: library.String, int: library.Int64, float: library.Float64}
        schema = {name: types[type_] for name, type_ in DOCUMENT_TYPES.items()}
        return library.DataFrame(columns, schema)
    nullable = {str: "object", int: "Int64", float: "float64"}  # whole numbers or <NA>
    schema = {name: nullable[type_] for name, type_ in DOCUMENT_TYPES.items()}
    return library.DataFrame(columns).astype(schema)


def library_of(kind: Kind | None) -> Any:
    """Return the library to make frames with: the given one, or else the first installed.

    >>> library_of("pandas").__name__
    'pandas'
    """
    names: Sequence[str] = KINDS if kind is None else (kind,)
    for name in names:
        if name not in KINDS:
            raise FormatError(f"kind={quoted(name)}: expected 'pandas' or 'polars'")
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    missing = "neither of which is" if kind is None else "which is not"
    raise FormatError(f"a data frame needs {' or '.join(names)}, {missing} installed")


def _frame(
    kind: Kind | None,
    keys: dict[str, list[str]],
    labels: Sequence[str],
    rows: Sequence[Sequence[float | None]],
) -> Any:
    """Return a frame of numbers under labels; keys are columns in polars, the index in pandas."""
    library = library_of(kind)
    if library.__name__ == "polars":
        columns = [library.Series(name, texts, library.String) for name, texts in keys.items()]
        for number, label in enumerate(labels):
            columns.append(library.Series(label, [row[number] for row in rows], library.Float64))
        return library.DataFrame(columns)
    numbers = np.array(rows, dtype=np.float64).reshape(len(rows), len(labels))
    index = (
        library.Index(*keys.values(), name=next(iter(keys)))
        if len(keys) == 1
        else library.MultiIndex.from_arrays(list(keys.values()), names=list(keys))
    )
    return library.DataFrame(numbers, index=index, columns=list(labels))
