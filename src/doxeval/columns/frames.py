"""Data frames and named tuples of others: which of their columns are the fields of records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from doxeval.errors import FormatError
from doxeval.messages import join_names, quoted

# What other programs call the fields: PyTerrier (qid, docno, label), ir_measures and ir_datasets
# (query_id, doc_id, relevance), ranx (q_id, doc_id, rel), BEIR (query-id, corpus-id).
ALIASES: dict[str, tuple[str, ...]] = {
    "topic": ("topic_id", "qid", "query_id", "q_id", "query-id"),
    "doc": ("docno", "doc_id", "docid", "document", "corpus-id"),
    "chunk": ("chunk_id",),
    "score": ("sim", "rsv"),
    "run": ("run_id", "tag"),
    "grade": ("relevance", "rel", "label"),
}
# Columns that say nothing, as in files of TREC.
_EMPTY = frozenset({"Q0", "q0", "iteration", "iter"})
# PyTerrier's number of a document, beside its id.
_NUMBER, _ID = "docid", "docno"
# The columns of BEIR's qrels, where a grade is called a score.
BEIR_HEADER = ("query-id", "corpus-id", "score")


class Frame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __getitem__(self, name: Any, /) -> Any: ...


class FrameColumns(NamedTuple):
    """Which column of a data frame holds each field, and which columns are ignored.

    what: where the columns are, as messages have it.
    """

    names: dict[str, Any]
    ignored: tuple[Any, ...] = ()
    what: str = "the data frame"

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning that names the columns that are ignored, if there are any."""
        if not self.ignored:
            return ()
        return (f"columns of {self.what} that are ignored: {join_names(list(self.ignored), 20)}",)


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
    >>> columns_by_field(frame, ("topic", "doc", "score")).names
    {'topic': 'qid', 'doc': 'docno'}
    """
    return _by_field(column_names(frame), fields, "the data frame")


def _by_field(columns: Sequence[Any], fields: Collection[str], what: str) -> FrameColumns:
    """Return which of some columns holds each field; `what` is what they are columns of."""
    field_of = {name: field for field in fields for name in ALIASES.get(field, ())}
    field_of |= {field: field for field in fields}
    if _ID in columns:
        field_of.pop(_NUMBER, None)
    if "grade" in fields and set(BEIR_HEADER) <= set(columns):
        field_of["score"] = "grade"
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
                f"no column {field} (or {', '.join(ALIASES[field])}) in {what}; it has {listed}"
            )
    return FrameColumns(names, tuple(map(str, ignored)), what)


def are_named_tuples(given: Any) -> bool:
    """Return whether a list has named tuples of topics and documents, judging by the first.

    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> are_named_tuples([ScoredDoc("7", "a", 0.5)]), are_named_tuples([("7", "a", 0.5)])
    (True, False)
    """
    if not isinstance(given, list | tuple) or not given:
        return False
    names = getattr(type(given[0]), "_fields", ())
    return all({field, *ALIASES[field]}.intersection(names) for field in ("topic", "doc"))


def columns_of_tuples(
    rows: Iterable[Any], fields: Collection[str]
) -> tuple[FrameColumns, dict[str, list[Any]]]:
    """Return the values of named tuples by field, and what each field is called in them.

    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> columns_of_tuples([ScoredDoc("7", "a", 0.5)], ("topic", "doc", "score"))[1]
    {'topic': ['7'], 'doc': ['a'], 'score': [0.5]}
    """
    listed = list(rows)
    if not are_named_tuples(listed):
        first = quoted(listed[0]) if listed else "nothing"
        raise FormatError(
            f"row 0 is {first}: expected named tuples with query_id and doc_id, such as "
            "ScoredDoc and Qrel of ir_measures"
        )
    by_field = _by_field(type(listed[0])._fields, fields, "the named tuples")
    columns: dict[str, list[Any]] = {}
    for field, name in by_field.names.items():
        try:
            columns[field] = list(map(attrgetter(name), listed))
        except AttributeError:
            row = next(at for at, each in enumerate(listed) if not hasattr(each, name))
            given = quoted(listed[row])
            raise FormatError(f"row {row} is {given}: expected {name}, as in row 0") from None
    return by_field, columns
