"""Assessments and runs as inex_eval reads them, line by line.

Assessments have one judged article per line:

    topic Q0 article rsize length bep off:len off:len …
    topic Q0 article 0 length

Like the tool, this does not check columns against each other. The column rsize decides whether an
article is relevant, and the sum of rsize is the relevant text of the topic. The passages decide how
much relevant text a result has; where they overlap, text counts twice. A line of six fields has no
entry point. If an article is judged twice, both lines count for the topic, but the article keeps
the rsize and length of the first line, the entry point of the last, and the passages of all.

Runs have eight fields on every line:

    topic Q0 article rank rsv run-id offset length

The order of the lines is the ranking; rank and rsv are ignored. On lines of topics that were not
assessed, only the number of fields is checked. An offset of X or -1 stands for a passage that is
not found in its article.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate
from typing import NamedTuple

from doxeval.compat.java_numbers import LARGEST_INT, field_text, java_int
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE, open_input
from doxeval.messages import quoted

_RUN_FIELDS = 8
_UNKNOWN_OFFSETS = frozenset((b"X", b"-1"))
_UNKNOWN_SIZE = 18
# An empty span here shares no text with anything, overlaps nothing, and is far from any point.
_NOT_FOUND = -(1 << 40)


# Assessments


def read_judgments(paths: Iterable[str | os.PathLike[str]]) -> dict[bytes, JudgedTopic]:
    """Return the judged topics of one or more files, taken together.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("7 Q0 a 5 100 10 10:5\\n7 Q0 b 0 50\\n")
    >>> read_judgments([path])[b"7"].articles[b"a"].passages
    [(10, 15)]
    """
    topics: dict[bytes, JudgedTopic] = {}
    for path in paths:
        origin = os.fspath(path)
        is_empty = True
        for number, line in numbered_lines(path):
            if line.strip():
                is_empty = False
                try:
                    _add_judgment(topics, line)
                except FormatError as error:
                    raise FormatError(error.message, origin, number) from None
        if is_empty:
            raise FormatError("no assessments in the file", origin)
    return topics


def _add_judgment(topics: dict[bytes, JudgedTopic], line: bytes) -> None:
    expected = "expected topic Q0 article rsize length bep off:len …"
    fields = line.split()
    if line[:1].isspace():
        reason = "begins with white space, which counts as an empty field"
        raise FormatError(f"{reason}; {expected}")
    if len(fields) < 5:
        raise FormatError(f"{len(fields)} fields; {expected}")
    relevant_size = java_int(fields[3], "an rsize")
    length = java_int(fields[4], "a length")
    topic = topics.setdefault(fields[0], JudgedTopic())
    article = topic.add(fields[2], relevant_size, length)
    if len(fields) > 6:
        article.entry_point = java_int(fields[5], "a best entry point")
        article.passages += map(_passage, fields[6:])


def _passage(text: bytes) -> tuple[int, int]:
    offset, colon, length = text.partition(b":")
    if not colon:
        raise FormatError(f"{quoted(field_text(text))} is not a passage: expected off:len")
    start = java_int(offset, "an offset")
    end = start + java_int(length, "a length")
    if not 0 <= start <= end <= LARGEST_INT:
        raise FormatError(
            f"the passage {field_text(text)} is outside the possible range: expected offset and"
            f" length of 0 or more, and an end of at most {LARGEST_INT}"
        )
    return start, end


@dataclass
class JudgedTopic:
    """The judgments of a topic: its articles, and how much is relevant in all of them together."""

    relevant_articles: int = 0
    relevant_size: int = 0
    articles: dict[bytes, JudgedArticle] = field(default_factory=dict)

    def add(self, article: bytes, relevant_size: int, length: int) -> JudgedArticle:
        """Count the judgment of an article.

        >>> topic = JudgedTopic()
        >>> _ = topic.add(b"a", 30, 100), topic.add(b"b", 0, 200)
        >>> topic.relevant_articles, topic.relevant_size
        (1, 30)
        """
        if relevant_size > 0:
            self.relevant_articles += 1
            self.relevant_size += relevant_size
        return self.articles.setdefault(article, JudgedArticle(relevant_size, length))

    def relevant_article(self, name: bytes) -> JudgedArticle | None:
        """Return an article if it was judged and its rsize says that it is relevant."""
        article = self.articles.get(name)
        return article if article and article.relevant_size > 0 else None


@dataclass
class JudgedArticle:
    """An article as it was judged for a topic."""

    relevant_size: int
    length: int
    entry_point: int | None = None
    passages: list[tuple[int, int]] = field(default_factory=list)

    def relevant_in(self, start: int, end: int) -> int:
        """Return the relevant characters in a span; text of two passages counts twice.

        >>> JudgedArticle(30, 100, passages=[(10, 20), (40, 60)]).relevant_in(15, 50)
        15
        """
        starts, ends = self._edges
        return starts.passed(end) - starts.passed(start) - ends.passed(end) + ends.passed(start)

    @cached_property
    def highlights(self) -> list[tuple[int, int]]:
        """The relevant text as spans in order that do not touch.

        >>> JudgedArticle(30, 100, passages=[(40, 50), (10, 20), (15, 30)]).highlights
        [(10, 30), (40, 50)]
        """
        merged: list[tuple[int, int]] = []
        for start, end in sorted(self.passages):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            elif start < end:
                merged.append((start, end))
        return merged

    @cached_property
    def _edges(self) -> tuple[_Edges, _Edges]:
        return _Edges(start for start, _ in self.passages), _Edges(end for _, end in self.passages)


class _Edges:
    """The starts (or ends) of passages, to count the overlap with all of them at once."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._positions = sorted(positions)
        self._sums = [0, *accumulate(self._positions)]

    def passed(self, position: int) -> int:
        """Return the sum of the distances from all edges before the position to it."""
        count = bisect_right(self._positions, position)
        return count * position - self._sums[count]


# Runs


def read_submission(
    path: str | os.PathLike[str], assessed: Container[bytes]
) -> dict[bytes, TopicResults]:
    """Return the results of the assessed topics, in the order of the file.

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
        try:
            fields = _run_fields(line)
            if fields[0] != topic:
                topic = fields[0]
                current = _new_topic(topics, topic, number) if topic in assessed else None
            if current is not None:
                current.run_id = fields[5]
                current.results.append(_result(fields, number))
        except FormatError as error:
            raise FormatError(error.message, origin, number) from None
    if not number:
        raise FormatError("no results in the file", origin)
    return topics


def _run_fields(line: bytes) -> list[bytes]:
    fields = line.split()
    if len(fields) == _RUN_FIELDS and not line[:1].isspace():
        return fields
    expected = "expected 8: topic Q0 article rank rsv run-id offset length"
    if fields and line[:1].isspace():
        raise FormatError(f"begins with white space, which counts as an empty field; {expected}")
    raise FormatError(f"{f'{len(fields)} fields' if fields else 'a blank line'}; {expected}")


def _new_topic(topics: dict[bytes, TopicResults], topic: bytes, line: int) -> TopicResults:
    if topic in topics:
        first, last = topics[topic].first_line, topics[topic].results[-1].line
        raise FormatError(
            f"topic {field_text(topic)} is in two separate blocks, lines {first} to {last} and from"
            f" line {line}: expected all results of a topic together"
        )
    topics[topic] = TopicResults(topic, line)
    return topics[topic]


def _result(fields: list[bytes], line: int) -> Passage:
    offset, length = fields[6], fields[7]
    if offset in _UNKNOWN_OFFSETS:
        return Passage(fields[2], _NOT_FOUND, _NOT_FOUND, _UNKNOWN_SIZE, line)
    start = java_int(offset, "an offset")
    size = java_int(length, "a length")
    if size < 0:
        raise FormatError(f"a negative length, {size}; expected 0 or more")
    if start + size > LARGEST_INT:
        raise FormatError(f"the passage ends at {start + size}; expected at most {LARGEST_INT}")
    return Passage(fields[2], start, start + size, size, line)


class Passage(NamedTuple):
    """One line of a run; `size` is the length of the span, or a fixed size for an offset of X."""

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


# Lines


def numbered_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    r"""Yield each line of a file, blank ones too; a line ends with \n, \r\n or a \r alone.

    A byte order mark is refused: Java would take it as part of the first topic's name.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_bytes(b"one\r\n\ntwo\rthree")
    >>> list(numbered_lines(path))
    [(1, b'one'), (2, b''), (3, b'two'), (4, b'three')]
    """
    origin = os.fspath(path)
    number = 0
    with open_input(path) as file:
        for data in iter(partial(file.readline, LONGEST_LINE + 1), b""):
            if len(data) > LONGEST_LINE:
                raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, number + 1)
            for line in data.splitlines():
                number += 1
                if not line.isascii():
                    _check_text(line, origin, number)
                yield number, line


def _check_text(line: bytes, origin: str, number: int) -> None:
    if number == 1 and line.startswith(BYTE_ORDER_MARK):
        raise FormatError("begins with a byte order mark: expected plain UTF-8", origin, 1)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {line[error.start]:#04x} is not UTF-8 text"
        raise FormatError(reason, origin, number) from None
