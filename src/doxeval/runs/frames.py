"""Runs as data frames of pandas and polars; neither is imported unless a frame is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from doxeval.errors import InputError
from doxeval.runs.arrays import columns_of_arrays
from doxeval.runs.optional import optional_module
from doxeval.runs.record_errors import FIELDS
from doxeval.runs.result_columns import ResultColumns
from doxeval.wording import brief

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable

# What other programs call the columns.
ALIASES = {
    **dict.fromkeys(("topic_id", "qid", "query_id", "q_id"), "topic"),
    **dict.fromkeys(("docno", "doc_id", "docid", "document"), "doc"),
    "chunk_id": "chunk",
}
# Columns that say nothing, as in files of TREC.
_EMPTY_COLUMNS = {"Q0", "q0", "iteration", "iter"}


def columns_of_frame(
    frame: Any, chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """The results of a data frame, the ids of runs in it, and warnings.

    >>> import polars
    >>> columns, _, _ = columns_of_frame(polars.DataFrame({"qid": ["7"], "docno": ["a"]}))
    >>> columns.document_labels.distinct
    ('a',)
    """
    if hasattr(frame, "collect"):
        raise InputError("a lazy frame of polars: expected a data frame, which collect() gives")
    if not hasattr(frame, "columns") or not hasattr(frame, "__getitem__"):
        raise InputError(f"a {type(frame).__name__}: expected a data frame of pandas or polars")
    names = _columns_by_field(frame)
    return columns_of_arrays({field: frame[name] for field, name in names.items()}, names, chunks)


def _columns_by_field(frame: Any) -> dict[str, str]:
    """The name of the column that holds each field."""
    names: dict[str, str] = {}
    for name in frame.columns:
        if name in _EMPTY_COLUMNS:
            continue
        field = ALIASES.get(name, name)
        if field not in FIELDS:
            raise InputError(
                f"unknown column {brief(name)}: expected {', '.join(FIELDS)} "
                f"(or {', '.join(ALIASES)}); leave out columns that are something else"
            )
        if field in names:
            raise InputError(
                f"the columns {brief(names[field])} and {brief(name)} are both {field}"
            )
        names[field] = name
    for field in ("topic", "doc"):
        if field not in names and not (field == "doc" and "chunk" in names):
            others = ", ".join(name for name, alias in ALIASES.items() if alias == field)
            raise InputError(f"no column {field} (or {others}) in the data frame")
    return names


def pandas_frame(fields: dict[str, list[Any]]) -> Any:
    """Columns by field as a data frame of pandas; a whole number that is missing is NA.

    >>> pandas_frame({"topic": ["7", "7"], "start": [3, None]}).dtypes["start"]
    Int64Dtype()
    """
    pandas = optional_module("pandas")
    return pandas.DataFrame(
        {
            name: pandas.array(values, dtype="Int64") if _has_gaps(values, int) else values
            for name, values in fields.items()
        }
    )


def _has_gaps(values: list[Any], kind: type) -> bool:
    """Whether some of these values are missing, and the others are of a kind."""
    return set(map(type, values)) == {kind, type(None)}


def polars_frame(fields: dict[str, list[Any]]) -> Any:
    """Columns by field as a data frame of polars.

    >>> polars_frame({"topic": ["7"], "start": [3]}).rows()
    [('7', 3)]
    """
    return optional_module("polars").DataFrame(fields)
