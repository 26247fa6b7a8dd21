"""Runs as inex_eval reads them: eight fields on every line.

    topic Q0 article rank rsv run-id offset length

The order of the lines is the ranking; rank and rsv are ignored. On lines of topics that were not
assessed, only the number of fields is checked. An offset of X or -1 stands for a passage that is
nowhere in its article.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple

from doxeval.compat.java import LARGEST_INT, java_int, numbered_lines, shown
from doxeval.errors import FormatError

_FIELDS = 8
_UNKNOWN = frozenset((b"X", b"-1"))
_UNKNOWN_SIZE = 18
# An empty range here shares no text with anything, overlaps nothing, and is far from any point.
_NOWHERE = -(1 << 40)


class Passage(NamedTuple):
    """One line of a run; `size` is the length of the range, or a fixed size for an offset of X."""

    article: bytes
    start: int
    end: int
    size: int
    line: int


@dataclass
class TopicResults:
    """The results of a topic, in the order of the file."""

    topic: bytes
    first_line: int
    run_id: bytes = b""
    results: list[Passage] = field(default_factory=list)


def read_submission(
    path: str | os.PathLike[str], assessed: Container[bytes]
) -> dict[bytes, TopicResults]:
    """The results of the assessed topics, in the order of the file.

    A topic that comes back after another topic is refused.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("7 Q0 a 1 0.5 mine 100 50\\n8 Q0 a 1 0.5 mine 0 50\\n")
    >>> read_submission(path, {b"7"})[b"7"].results
    [Passage(article=b'a', start=100, end=150, size=50, line=1)]
    """
    origin = os.fspath(path)
    topics: dict[bytes, TopicResults] = {}
    number = 0
    topic, current = b"", None
    for number, line in numbered_lines(path):
        fields = line.split()
        if len(fields) != _FIELDS or line[:1].isspace():
            raise FormatError(_wrong_fields(line), origin, number)
        if fields[0] != topic:
            topic = fields[0]
            current = _new_topic(topics, topic, origin, number) if topic in assessed else None
        if current is not None:
            current.run_id = fields[5]
            current.results.append(_result(fields, origin, number))
    if not number:
        raise FormatError("no results in the file", origin)
    return topics


def _new_topic(
    topics: dict[bytes, TopicResults], topic: bytes, origin: str, line: int
) -> TopicResults:
    if topic in topics:
        first, last = topics[topic].first_line, topics[topic].results[-1].line
        raise FormatError(
            f"topic {shown(topic)} is in two separate blocks, lines {first} to {last} and from"
            f" line {line}: expected all results of a topic together",
            origin,
            line,
        )
    topics[topic] = TopicResults(topic, line)
    return topics[topic]


def _wrong_fields(line: bytes) -> str:
    expected = "expected 8: topic Q0 article rank rsv run-id offset length"
    fields = len(line.split())
    if fields and line[:1].isspace():
        return f"begins with white space, which counts as an empty field; {expected}"
    return f"{fields} fields; {expected}" if fields else f"a blank line; {expected}"


def _result(fields: list[bytes], origin: str, line: int) -> Passage:
    offset, length = fields[6], fields[7]
    if offset in _UNKNOWN:
        return Passage(fields[2], _NOWHERE, _NOWHERE, _UNKNOWN_SIZE, line)
    start = java_int(offset, "an offset", origin, line)
    size = java_int(length, "a length", origin, line)
    if size < 0:
        raise FormatError(f"a negative length, {size}; expected 0 or more", origin, line)
    if start + size > LARGEST_INT:
        raise FormatError(
            f"the passage ends at {start + size}; expected at most {LARGEST_INT}", origin, line
        )
    return Passage(fields[2], start, start + size, size, line)
