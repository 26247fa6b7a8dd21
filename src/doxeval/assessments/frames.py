"""Assessments from and to dicts and data frames, as other libraries have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import chain
from operator import index
from typing import Any

import numpy as np

from doxeval.assessments.columns import JudgmentColumns, Judgments
from doxeval.assessments.jsonl import (
    FIELDS,
    OF_ASSESSMENTS,
    OF_RUNS,
    RUNS_FIRST,
    PlainStatements,
    judgments_of_statements,
    looks_like_a_run,
    statements_of,
)
from doxeval.assessments.judgment import Judgment, NeededSpan
from doxeval.columns import (
    ALIASES,
    FrameColumns,
    column_names,
    columns_by_field,
    columns_of_tuples,
    refuse_unknown,
)
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, OutputError
from doxeval.messages import quoted, truncate

_EXPECTED = "a dict {topic: {document: grade or list of (start, end)}}"
_DOCUMENT_FIELDS = tuple(name for name in FIELDS if name != "rel")
_OF_NEEDED = ("start", "end", "need", "grade", "alternative")


def judgments_of_dict(judged: Mapping[Any, Mapping[Any, Any]]) -> JudgmentColumns:
    """Return the judgments of {topic: {document: grade or ranges}}.

    >>> list(judgments_of_dict({"7": {"a": 1}}))
    [Judgment('7', 'a', relevance=1)]
    """
    if not isinstance(judged, Mapping):
        raise FormatError(f"a {type(judged).__name__}: expected {_EXPECTED}")
    for topic, documents in judged.items():
        if not isinstance(documents, Mapping):
            raise FormatError(
                f"topic {quoted(topic)} has {quoted(documents)}: expected {_EXPECTED}; {RUNS_FIRST}"
            )
        if not documents:
            raise FormatError(f"topic {quoted(topic)} has no judged documents")
    values = list(chain.from_iterable(documents.values() for documents in judged.values()))
    if set(map(type, values)) == {int}:
        topics = [topic for topic, documents in judged.items() for _ in documents]
        names = list(chain.from_iterable(judged.values()))
        graded = _plain_judgments({"topic": topics, "doc": names, "grade": values})
        if graded is not None:
            return graded.judgments
    return JudgmentColumns.of(
        [
            _judgment(_name(topic), normalise_id(_name(document)), value)
            for topic, documents in judged.items()
            for document, value in documents.items()
        ]
    )


def _plain_judgments(columns: Mapping[str, Sequence[Any]]) -> Judgments | None:
    statements = PlainStatements()
    is_plain = statements.add(columns, np.arange(len(columns["topic"])))
    return statements.judgments(None) if is_plain else None


def _name(given: Any) -> str:
    """Return the id of a topic or document, which may be a whole number."""
    try:
        name = given if isinstance(given, str) else str(index(given))
    except TypeError:
        name = ""
    if not name.strip():
        raise FormatError(f"{quoted(given)} is no id of a topic or document: expected a string")
    return name.strip()


def _judgment(topic: str, document: str, value: Any) -> Judgment:
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        ranges = tuple(value)
        if any(map(_is_needed, ranges)):
            return Judgment(topic, document, needs=tuple(map(_needed, ranges)))
        return Judgment(topic, document, ranges)
    try:
        return Judgment(topic, document, relevance=index(value))
    except TypeError:
        is_score = isinstance(value, float | Mapping)
        scores = f"; these look like scores of a run: {RUNS_FIRST}" if is_score else ""
        raise FormatError(
            f"document {truncate(str(document))} of topic {truncate(str(topic))}: {quoted(value)} "
            f"is neither a grade (a whole number) nor a list of (start, end){scores}"
        ) from None


def _is_needed(given: Any) -> bool:
    if isinstance(given, Mapping | NeededSpan):
        return True
    return isinstance(given, tuple | list) and len(given) > 2 and isinstance(given[2], str | None)


def _needed(given: Any) -> NeededSpan:
    """Return a span with its need, given as a value, a tuple or a dict."""
    try:
        if isinstance(given, NeededSpan):
            return given
        if isinstance(given, Mapping):
            refuse_unknown(given, _OF_NEEDED)
            return NeededSpan(
                given.get("need"),
                given["start"],
                given["end"],
                given.get("grade", 1),
                given.get("alternative"),
            )
        if 2 <= len(given) <= 4:
            start, end, *more = given
            return NeededSpan(more[0] if more else None, start, end, *more[1:])
    except (KeyError, TypeError):
        pass
    raise FormatError(
        f"{quoted(given)}: expected (start, end), (start, end, need), (start, end, need, grade) or "
        "a dict of these"
    )


def grades_by_topic(columns: JudgmentColumns) -> dict[str, dict[str, int]]:
    """Return the grade of each document, or whether it is relevant.

    >>> grades_by_topic(JudgmentColumns.of([Judgment("7", "a", relevance=-1)]))
    {'7': {'a': -1}}
    """
    return _by_topic(columns, columns.document_grades().tolist())


def highlights_by_topic(
    columns: JudgmentColumns,
) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """Return the highlighted ranges of each document.

    >>> highlights_by_topic(JudgmentColumns.of([Judgment("7", "a", ((0, 5),))]))
    {'7': {'a': [(0, 5)]}}
    """
    _, start, end = columns.highlights
    ranges = list(zip(start.tolist(), end.tolist(), strict=True))
    edges = np.searchsorted(columns.highlights.group, np.arange(len(columns) + 1)).tolist()
    return _by_topic(columns, [ranges[edges[row] : edges[row + 1]] for row in range(len(columns))])


def _by_topic(columns: JudgmentColumns, values: Sequence[Any]) -> dict[str, dict[str, Any]]:
    by_topic: dict[str, dict[str, Any]] = {topic: {} for topic in columns.topics}
    documents = list(columns.documents)
    rows = zip(columns.topic.tolist(), columns.document.tolist(), values, strict=True)
    for topic, document, value in rows:
        by_topic[columns.topics[topic]][documents[document]] = value
    return by_topic


# Frames


def judgments_of_frame(frame: Any) -> Judgments:
    """Return the judgments of a frame of pandas or polars, whose rows are statements of JSONL.

    >>> import pandas
    >>> frame = pandas.DataFrame({"topic": ["7"], "doc": ["a"], "start": [3], "end": [9]})
    >>> list(judgments_of_frame(frame).judgments)
    [Judgment('7', 'a', highlights=((3, 9),))]
    """
    # In a frame of nodes, rel is their relevance; else it is the grade of a document.
    nodes = "nodes" in column_names(frame)
    given = columns_by_field(frame, FIELDS if nodes else _DOCUMENT_FIELDS)
    columns = {field: frame[name].to_list() for field, name in given.names.items()}
    return _judgments_of_columns(given, columns)


def judgments_of_tuples(rows: Iterable[Any]) -> Judgments:
    """Return the judgments of named tuples, each of which is a statement.

    >>> from collections import namedtuple
    >>> Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
    >>> list(judgments_of_tuples([Qrel("7", "a", 2, "0")]).judgments)
    [Judgment('7', 'a', relevance=2)]
    """
    return _judgments_of_columns(*columns_of_tuples(rows, _DOCUMENT_FIELDS))


def _judgments_of_columns(given: FrameColumns, listed: Mapping[str, list[Any]]) -> Judgments:
    _refuse_run(given)
    columns = {field: _values(values) for field, values in listed.items()}
    for field in {"e", "s"} & set(columns):  # polars knows no columns of numbers and `?` or `1/3`
        columns[field] = [
            int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value
            for value in columns[field]
        ]
    judged = _plain_judgments(columns)
    if judged is None:
        values = zip(*columns.values(), strict=True)
        records = (dict(zip(columns, row, strict=True)) for row in values)
        judged = judgments_of_statements(enumerate(records), None)
    if not judged.judgments:
        raise FormatError("no rows in the frame")
    return Judgments(judged.judgments, [*given.warnings, *judged.warnings])


def _refuse_run(given: FrameColumns) -> None:
    """Refuse a frame that has the columns of a run, and none that only assessments have."""
    known = {*OF_RUNS, *ALIASES["score"], *ALIASES["run"]}
    of_run = [name for name in given.ignored if name in known]
    if of_run and not given.names.keys() & OF_ASSESSMENTS:
        raise FormatError(looks_like_a_run(f"the column {of_run[0]}"))


def _values(given: list[Any]) -> list[Any]:
    """Return the values of a column as Python has them: missing ones None, whole numbers int."""
    if set(map(type, given)) <= {str, int, type(None)}:
        return given
    return [_value(value) for value in given]


def _value(value: Any) -> Any:
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        if value != value:  # nan, which stands for a missing value
            return None
        return int(value) if value.is_integer() else value
    return value


def pandas_frame(judgments: Iterable[Judgment]) -> Any:
    """Return the statements of judgments as a frame of pandas.

    >>> pandas_frame([Judgment("7", "a", ((3, 9),), 4)])["end"].to_list()
    [<NA>, 9]
    """
    pandas = _import("pandas")
    series = {}
    for name, values in _columns(judgments).items():
        missing = None in values
        whole = {type(value) for value in values if value is not None} == {int}
        series[name] = pandas.Series(values, dtype="Int64" if whole and missing else None)
    return pandas.DataFrame(series)


def polars_frame(judgments: Iterable[Judgment]) -> Any:
    """Return the statements of judgments as a frame of polars.

    >>> polars_frame([Judgment("7", "a", ((3, 9),), 4)])["end"].to_list()
    [None, 9]
    """
    columns = _columns(judgments)
    for name, values in columns.items():
        if len(set(map(type, values)) - {type(None)}) > 1:  # which polars does not take
            columns[name] = [None if value is None else str(value) for value in values]
    return _import("polars").DataFrame(columns)


def _columns(judgments: Iterable[Judgment]) -> dict[str, list[Any]]:
    """Return the statements of judgments by field, None for what a statement does not have."""
    records = [record for judgment in judgments for record in statements_of(judgment)]
    names = {name for record in records for name in record}
    return {name: [record.get(name) for record in records] for name in FIELDS if name in names}


def _import(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise OutputError(f"a data frame of {name} needs {name}, which is not installed") from None
