"""The fields of a record of a run, and why a record is refused."""

from __future__ import annotations

from typing import Any

from doxeval.columns import Fields
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.runs.result import Kind
from doxeval.runs.result_columns import RANGE, is_range

FIELDS = (
    "topic",
    "doc",
    "chunk",
    "path",
    "start",
    "end",
    "start_point",
    "end_point",
    "nodes",
    "spans",
    "offset",
    "point",
    "rank",
    "score",
    "tokens",
    "run",
)
# What a result is, by the fields that say where it is.
UNITS: dict[frozenset[str], Kind] = {
    frozenset[str](): Kind.DOCUMENT,
    frozenset({"path"}): Kind.ELEMENT,
    frozenset({"start", "end"}): Kind.PASSAGE,
    frozenset({"start_point", "end_point"}): Kind.PASSAGE,
    frozenset({"nodes"}): Kind.TREE,
    frozenset({"spans"}): Kind.SPANS,
    frozenset({"offset"}): Kind.POINT,
    frozenset({"point"}): Kind.POINT,
}
UNIT_FIELDS = frozenset().union(*UNITS)


def why_refused(record: Any) -> str:
    """What is wrong with a record that cannot be a result.

    >>> why_refused({"topic": "1", "doc": "a", "rank": -1})
    'rank is -1: expected a whole number, 0 or more'
    """
    try:
        _check(record)
    except FormatError as error:
        return error.message
    return "the record is not a result"


def _check(record: Any) -> None:
    fields = Fields(record, FIELDS)
    unit = UNIT_FIELDS & fields.names
    if unit not in UNITS:
        raise FormatError(
            f"fields {', '.join(sorted(unit))} together: expected start and end, spans, path, "
            "nodes, offset, or none of them"
        )
    start, end, _ = (fields.whole(name) for name in ("start", "end", "offset"))
    if start is not None and end is not None and end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    fields.text("topic")
    fields.text("doc")
    if "nodes" in fields:
        fields.paths("nodes")
    if "spans" in fields:
        _check_spans(fields.raw("spans"))
    for name in ("path", "point", "start_point", "end_point"):
        fields.optional_text(name)
    for name in ("rank", "tokens"):
        fields.whole(name)
    fields.number("score")
    fields.optional_text("run")


def _check_spans(given: Any) -> None:
    if not isinstance(given, list):
        raise FormatError(f"spans is {quoted(given)}: {RANGE}")
    for pair in given:
        if not is_range(pair):
            raise FormatError(f"spans has {quoted(pair)}: {RANGE}")
