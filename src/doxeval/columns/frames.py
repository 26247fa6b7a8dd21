"""Data frames of pandas and polars: which of their columns are the fields of records."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, Protocol

from doxeval.errors import FormatError
from doxeval.messages import join_names, quoted

# What other programs call the fields.
ALIASES: dict[str, tuple[str, ...]] = {
    "topic": ("topic_id", "qid", "query_id", "q_id"),
    "doc": ("docno", "doc_id", "docid", "document"),
    "chunk": ("chunk_id",),
    "score": ("sim", "rsv"),
    "run": ("run_id", "tag"),
    "grade": ("relevance", "rel", "label"),
}
# Columns that say nothing, as in files of TREC.
_EMPTY = frozenset({"Q0", "q0", "iteration", "iter"})
# PyTerrier's number of a document, beside its id.
_NUMBER, _ID = "docid", "docno"


class Frame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any: ...


class FrameColumns(NamedTuple):
    """Which column of a data frame holds each field, and which columns are ignored."""

    names: dict[str, Any]
    ignored: tuple[Any, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning that names the columns that are ignored, if there are any."""
        if not self.ignored:
            return ()
        return (
            f"columns of the data frame that are ignored: {join_names(list(self.ignored), 20)}",
        )


def is_frame(value: Any) -> bool:
    """Return whether a value is a data frame of pandas or polars, lazy ones included.

    >>> import pandas
    >>> is_frame(pandas.DataFrame()), is_frame({"columns": []})
    (True, False)
    """
    kind = type(value)  # lazy frames compute their columns when they are looked at
    has_rows = hasattr(kind, "iterrows") or hasattr(kind, "iter_rows") or hasattr(kind, "collect")
    return hasattr(kind, "columns") and has_rows


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns; an error unless it is a data frame.

    >>> column_names([])
    Traceback (most recent call last):
    doxeval.errors.FormatError: a list: expected a data frame of pandas or polars
    """
    if hasattr(frame, "collect"):
        raise FormatError("a lazy frame of polars: expected a data frame, which collect() gives")
    if not is_frame(frame):
        raise FormatError(f"a {type(frame).__name__}: expected a data frame of pandas or polars")
    return list(frame.columns)


def columns_by_field(frame: Any, fields: Collection[str]) -> FrameColumns:
    """Return the columns of a frame by field; topic and doc (or chunk) must be there.

    >>> import pandas
    >>> frame = pandas.DataFrame({"qid": ["7"], "docno": ["a"], "docid": [3], "query": ["fog"]})
    >>> columns_by_field(frame, ("topic", "doc", "score"))
    FrameColumns(names={'topic': 'qid', 'doc': 'docno'}, ignored=('docid', 'query'))
    """
    columns = column_names(frame)
    field_of = {name: field for field in fields for name in ALIASES.get(field, ())}
    field_of |= {field: field for field in fields}
    if _ID in columns:
        field_of.pop(_NUMBER, None)
    names: dict[str, Any] = {}
    ignored: list[Any] = []
    for name in columns:
        field = field_of.get(name)
        if field is None:
            ignored += [] if name in _EMPTY else [name]
        elif field in names:
            both = f"{quoted(names[field])} and {quoted(name)}"
            raise FormatError(f"the columns {both} are both {field}")
        else:
            names[field] = name
    for field in ("topic", "doc"):
        if field not in names and not (field == "doc" and "chunk" in names):
            listed = join_names(list(map(str, columns)), 60) or "none"
            raise FormatError(
                f"no column {field} (or {', '.join(ALIASES[field])}) in the data frame; "
                f"it has {listed}"
            )
    return FrameColumns(names, tuple(map(str, ignored)))
