"""JSON of numbers by topic and document, `{topic: {document: number}}`, as ranx writes it.

The file is decoded topic by topic, so that only its bytes and one topic are in memory at a time.
What cannot be decoded so is read again as a whole, to say what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Ints
from doxeval.errors import FormatError
from doxeval.messages import quoted

_LINE_END = b"\n"[0]
_BEGIN = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"\s*:?|[{}\[\]]')


class TopicNumbers(NamedTuple):
    """The numbers of a topic's documents, in the order of the file, and the line of each.

    line: where the topic's object begins.
    """

    topic: str
    line: int
    documents: list[str]
    values: list[Any]
    lines: Ints


def begins_nested(begin: bytes) -> bool:
    """Return whether a file is an object of objects, given how it begins.

    >>> begins_nested(b'{"7": {"a": 1}}'), begins_nested(b'{"topic": "7", "doc": "a"}')
    (True, False)
    """
    return _BEGIN.match(begin) is not None


def nested_numbers(
    data: bytes, origin: str, number: type[int] | type[float]
) -> Iterator[TopicNumbers]:
    """Yield the topics of a file one by one; numbers are grades (int) or scores (float).

    >>> topics = nested_numbers(b'{"7": {"a": 0.5,\\n"b": 2}}', "run.json", float)
    >>> [(each.documents, each.values, each.lines.tolist()) for each in topics]
    [(['a', 'b'], [0.5, 2.0], [1, 2])]
    """
    import msgspec

    refused = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
    decoder: Any = msgspec.json.Decoder(dict[str, number])  # type: ignore[valid-type]
    topics: Mapping[str, msgspec.Raw]
    try:
        topics = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except refused:
        raise _problem(data, origin, number) from None
    if _may_repeat_topics(data, topics):
        problem = _first_problem(data, origin, number)
        if problem is not None:
            raise problem
    at, line = 0, 1
    for topic, raw in topics.items():
        # In the order of the file. A topic's name could only look like an empty object, and has
        # no line ends, so that lines are right even then.
        begin = data.index(raw, at)
        line += data.count(b"\n", at, begin)
        text = bytes(raw)
        try:
            documents: dict[str, Any] = decoder.decode(text)
        except refused:
            raise _problem(data, origin, number) from None
        if text.count(b":") != len(documents) and len(_KEY.findall(text)) != len(documents):
            raise _problem(data, origin, number)
        lines = _lines_of_documents(text, len(documents), line)
        yield TopicNumbers(topic, line, list(documents), list(documents.values()), lines)
        at = begin + len(text)
        line += text.count(b"\n")


def _may_repeat_topics(data: bytes, topics: Mapping[str, Any]) -> bool:
    """Return whether a topic may be there twice: of a repeated name, the decoder keeps the last.

    Every name has a colon; a topic whose name has another is looked at more closely.
    """
    inside = sum(bytes(raw).count(b":") for raw in topics.values())
    return data.count(b":") != inside + len(topics)


def _lines_of_documents(text: bytes, count: int, first: int) -> Ints:
    """Return the line of each document in the object of a topic, which begins on a line."""
    line_ends = text.count(b"\n")
    if not line_ends:
        return np.full(count, first)
    if line_ends == count + 1 and text.count(b",\n") == count - 1:  # as it is usually printed
        return np.arange(first + 1, first + 1 + count)
    codes: Bytes = np.frombuffer(text, dtype=np.uint8)
    names = [match.start() for match in _KEY.finditer(text)]
    return first + np.searchsorted(np.flatnonzero(codes == _LINE_END), names)


# What is wrong


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with all its names, repeated ones too."""


def _problem(data: bytes, origin: str, number: type) -> FormatError:
    problem = _first_problem(data, origin, number)
    return problem or FormatError(f"expected JSON, {_shape(number)}, in UTF-8", origin)


def _shape(number: type) -> str:
    return "{topic: {document: grade}}" if number is int else "{topic: {document: score}}"


def _first_problem(data: bytes, origin: str, number: type) -> FormatError | None:
    """Return what is wrong first in the file; None if it is as it should be."""
    import json

    try:
        text = data.decode()
        value = json.loads(text, object_pairs_hook=_Pairs)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return FormatError(f"byte {data[error.start]:#04x} is not UTF-8 text", origin, line)
    except json.JSONDecodeError as error:
        reason = f"expected JSON, {_shape(number)}: {error.msg}"
        return FormatError(reason, origin, error.lineno)
    except (ValueError, RecursionError):  # numbers of thousands of digits, thousands of brackets
        return FormatError(f"expected JSON, {_shape(number)}", origin)
    if not isinstance(value, _Pairs):
        return FormatError(f"expected {_shape(number)}", origin, 1)
    lines = _lines_of_names(text)
    topics: set[str] = set()
    for topic, documents in value:
        line = next(lines)
        where = f"topic {quoted(topic)}"
        if topic in topics:
            return FormatError(f"{where} is given twice", origin, line)
        topics.add(topic)
        if not isinstance(documents, _Pairs):
            reason = f"{where} has {quoted(documents)}: expected {_shape(number)}"
            return FormatError(reason, origin, line)
        known: set[str] = set()
        for document, given in documents:
            line = next(lines)
            where = f"topic {quoted(topic)}, document {quoted(document)}"
            if document in known:
                return FormatError(f"{where} is given twice", origin, line)
            known.add(document)
            if not _is_number(given, number):
                return FormatError(f"{where} has {_expected(given, number)}", origin, line)
    return None


def _is_number(given: Any, number: type) -> bool:
    if type(given) is int:
        return number is int or given.bit_length() < 1024
    return number is float and type(given) is float and np.isfinite(given)


def _expected(given: Any, number: type) -> str:
    if number is float:
        return f"{quoted(given)}: expected a score, a number"
    of_run = "; these look like scores of a run" if type(given) is float else ""
    return f"{quoted(given)}: expected a grade, a whole number{of_run}"


def _lines_of_names(text: str) -> Iterator[int]:
    """Yield the line of the name of each topic and of each of its documents, as they come."""
    depth, line, at = 0, 1, 0
    for match in _TOKEN.finditer(text):
        part = match.group()
        if part in "{[":
            depth += 1
        elif part in "}]":
            depth -= 1
        elif depth <= 2 and part.endswith(":"):
            line += text.count("\n", at, match.start())
            at = match.start()
            yield line
