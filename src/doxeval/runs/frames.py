"""Runs as data frames of pandas and polars; neither is imported unless a frame is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from doxeval.columns import ALIASES, columns_by_field
from doxeval.messages import Parameter
from doxeval.runs.arrays import columns_of_arrays
from doxeval.runs.mistaken import LooksLikeAssessments
from doxeval.runs.optional import optional_module
from doxeval.runs.record_errors import FIELDS
from doxeval.runs.result_columns import ResultColumns

if TYPE_CHECKING:
    from doxeval.runs.chunk_table import ChunkTable


def columns_of_frame(
    frame: Any, chunks: ChunkTable | None = None
) -> tuple[ResultColumns, tuple[str, ...], tuple[str, ...]]:
    """The results of a data frame, the ids of runs in it, and warnings.

    >>> import polars
    >>> columns, _, _ = columns_of_frame(polars.DataFrame({"qid": ["7"], "docno": ["a"]}))
    >>> columns.document_labels.distinct
    ('a',)
    """
    found = columns_by_field(frame, FIELDS)
    graded = [name for name in ("grade", *ALIASES["grade"]) if name in found.ignored]
    if graded and not {"score", "rank"} & found.names.keys():
        raise LooksLikeAssessments(
            f"this looks like assessments (the column {graded[0]}), not a run: runs come first, "
            "and assessments are given as " + Parameter("assessments")
        )
    given = {field: frame[name] for field, name in found.names.items()}
    columns, run_ids, warnings = columns_of_arrays(given, found.names, chunks)
    return columns, run_ids, (*found.warnings, *warnings)


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
