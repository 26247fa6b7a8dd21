"""A run by the fields of records: what JSONL, CSV, Parquet and data frames hold."""

from __future__ import annotations

from typing import Any

from doxeval.arrays import Bools
from doxeval.runs.record_errors import FIELDS
from doxeval.runs.result import Kind
from doxeval.runs.result_columns import ResultColumns, names_of
from doxeval.runs.span_lists import SpanLists


def by_field(columns: ResultColumns, run_id: str) -> dict[str, list[Any]]:
    """The fields that the results have, each with a value for every result, None if it has none.

    >>> from doxeval.runs.result import Result
    >>> from doxeval.runs.result_columns import columns_of_results
    >>> columns, _ = columns_of_results([Result("1", "a"), Result("1", "b", Kind.POINT, 7)])
    >>> by_field(columns, "mine")
    {'topic': ['1', '1'], 'doc': ['a', 'b'], 'offset': [None, 7], 'run': ['mine', 'mine']}
    """
    found: dict[str, list[Any]] = {
        "topic": names_of(columns.topic_labels),
        "doc": names_of(columns.document_labels),
        **_units(columns),
        "run": [run_id] * len(columns.kind),
    }
    if columns.rank is not None:
        found["rank"] = columns.rank.tolist()
    if columns.score is not None:
        found["score"] = columns.score.tolist()
    if columns.tokens is not None:
        found["tokens"] = _where(columns.tokens >= 0, columns.tokens.tolist())
    return {name: found[name] for name in FIELDS if name in found}


def _units(columns: ResultColumns) -> dict[str, list[Any]]:
    """The fields that say where results are."""
    kind, has_paths = columns.kind, columns.path_labels.numbers >= 0
    is_passage, is_point = kind == Kind.PASSAGE, kind == Kind.POINT
    start, end = columns.start.tolist(), columns.end.tolist()
    all_paths = names_of(columns.path_labels)
    first = [paths and paths[0] for paths in all_paths]
    last = [paths and paths[-1] for paths in all_paths]
    nodes = [paths and list(paths) for paths in all_paths]
    candidates: dict[str, tuple[Bools, list[Any]]] = {
        "path": (kind == Kind.ELEMENT, first),
        "start": (is_passage & ~has_paths, start),
        "end": (is_passage & ~has_paths, end),
        "start_point": (is_passage & has_paths, first),
        "end_point": (is_passage & has_paths, last),
        "nodes": (kind == Kind.TREE, nodes),
        "spans": (kind == Kind.SPANS, _lists(columns.spans)),
        "offset": (is_point & ~has_paths, start),
        "point": (is_point & has_paths, first),
    }
    return {name: _where(has, values) for name, (has, values) in candidates.items() if has.any()}


def _lists(spans: SpanLists | None) -> list[list[list[int]]]:
    """The ranges as JSON has them."""
    return [] if spans is None else [list(map(list, own)) for own in spans.as_tuples()]


def _where(has: Bools, values: list[Any]) -> list[Any]:
    if has.all():
        return values
    return [value if given else None for given, value in zip(has.tolist(), values, strict=True)]
