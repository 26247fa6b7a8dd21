"""Runs as dictionaries, as other programs for evaluation have them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import DoxevalError, InputError
from doxeval.messages import quoted
from doxeval.runs.arrays import collected
from doxeval.runs.record_columns import BadRecord
from doxeval.runs.result import Kind
from doxeval.runs.result_columns import ResultColumns, names_of

_FIELDS = ("topic", "rank", "doc", "start", "end", "path", "spans", "score")

_EXPECTED = (
    "expected {document: score}, or a list of documents, (document, start, end), "
    "(document, path) or (document, [(start, end), …])"
)


def columns_of_dict(given: Mapping[Any, Any]) -> tuple[ResultColumns, tuple[str, ...]]:
    """The results of {topic: {document: score}} or {topic: [result, …]}, and warnings.

    >>> columns, _ = columns_of_dict({"7": {"a": 0.2, "b": 0.9}})
    >>> columns.document_labels.distinct
    ('b', 'a')
    """
    if not isinstance(given, Mapping):
        raise InputError(f"the run is a {type(given).__name__}: expected a dict of topics")
    fields: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    for topic, results in given.items():
        found = _of_topic(topic, results)
        count = len(found["doc"])
        fields["topic"] += [topic] * count
        fields["rank"] += range(1, count + 1)
        for name in _FIELDS[2:]:
            fields[name] += found.get(name, [None] * count)
    used = {
        name: values
        for name, values in fields.items()
        if not values or any(value is not None for value in values)
    }
    try:
        columns, _, warnings = collected(used, {})
    except BadRecord as error:
        topic, document = fields["topic"][error.row], fields["doc"][error.row]
        raise InputError(
            error.reason, f"topic {quoted(topic)}, document {quoted(document)}"
        ) from None
    return columns, warnings


def _of_topic(topic: Any, results: Any) -> dict[str, Sequence[Any]]:
    """The results of a topic by field."""
    if isinstance(results, Mapping):
        scores = _scores(topic, results)
        documents = list(results)
        order = np.argsort(-scores, kind="stable")
        return {
            "doc": [documents[at] for at in order.tolist()],
            "score": scores[order].tolist(),
        }
    if isinstance(results, Sequence) and not isinstance(results, str | bytes):
        units = [_unit(topic, result) for result in results]
        names = ("doc", "start", "end", "path", "spans")
        return dict(zip(names, zip(*units, strict=True), strict=True)) if units else {"doc": ()}
    raise InputError(f"topic {quoted(topic)} has {quoted(results)}: {_EXPECTED}")


def _scores(topic: Any, results: Mapping[Any, Any]) -> Floats:
    scores = np.array([_score(score) for score in results.values()], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        document, score = list(results.items())[int(bad[0])]
        where = f"topic {quoted(topic)}, document {quoted(document)}"
        raise InputError(f"{where}: score is {quoted(score)}: expected a number")
    return scores


def _score(score: Any) -> float:
    """A score as a number; nan for what is none."""
    if type(score) is float:
        return score
    try:
        return math.nan if isinstance(score, str | bytes | bool) else float(score)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _unit(topic: Any, result: Any) -> tuple[Any, ...]:
    """Document, start, end, path and ranges of a result."""
    match result:
        case str() | int() | np.integer():
            return result, None, None, None, None
        case [document, str() as path]:
            return document, None, None, path, None
        case [document, list() | tuple() as spans] if spans:
            return document, None, None, None, spans
        case [document, int() | np.integer() as start, int() | np.integer() as end]:
            if 0 <= start <= end:
                return document, start, end, None, None
            raise InputError(
                f"topic {quoted(topic)} has {quoted(result)}: expected a start of 0 or more, and "
                "an end that is not before it"
            )
    raise InputError(f"topic {quoted(topic)} has {quoted(result)}: {_EXPECTED}")


def dict_of_columns(columns: ResultColumns) -> dict[str, dict[str, float]]:
    """A run of whole documents as {topic: {document: score}}.

    >>> dict_of_columns(columns_of_dict({"7": {"a": 0.2, "b": 0.9}})[0])
    {'7': {'b': 0.9, 'a': 0.2}}
    """
    if (columns.kind != Kind.DOCUMENT).any():
        raise DoxevalError(
            "a dict of scores has whole documents only, and this run has parts of documents: "
            "to_pandas(), to_polars() and iteration over the run give all of it"
        )
    found: dict[str, dict[str, float]] = {}
    scores = [None] * len(columns.kind) if columns.score is None else columns.score.tolist()
    names = names_of(columns.topic_labels), names_of(columns.document_labels)
    for topic, document, score in zip(*names, scores, strict=True):
        ranked = found.setdefault(topic, {})
        if document in ranked:
            raise DoxevalError(
                f"document {quoted(document)} is there twice for topic {quoted(topic)}: "
                "a dict has it once"
            )
        ranked[document] = 1 / (len(ranked) + 1) if score is None else score
    return found
