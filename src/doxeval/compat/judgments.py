"""Assessments as inex_eval reads them, one judged article per line.

    topic Q0 article rsize length bep off:len off:len …
    topic Q0 article 0 length

Like the tool, this does not check columns against each other. The column rsize decides whether an
article is relevant, and the sum of rsize is the relevant text of the topic. The passages decide how
much relevant text a result has; where they overlap, text counts twice. A line of six fields has no
entry point. If an article is judged twice, both lines count for the topic, but the article keeps
the rsize and length of the first line, the entry point of the last, and the passages of all.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from doxeval.compat.java import LARGEST_INT, java_int, numbered_lines, shown
from doxeval.errors import FormatError
from doxeval.messages import quoted

_EXPECTED = "expected topic Q0 article rsize length bep off:len …"


@dataclass
class JudgedArticle:
    """An article as it was judged for a topic."""

    relevant_size: int
    length: int
    entry_point: int | None = None
    passages: list[tuple[int, int]] = field(default_factory=list)

    def relevant_in(self, start: int, end: int) -> int:
        """The relevant characters in a range; text of two passages counts twice.

        >>> JudgedArticle(30, 100, passages=[(10, 20), (40, 60)]).relevant_in(15, 50)
        15
        """
        starts, ends = self._edges
        return starts.passed(end) - starts.passed(start) - ends.passed(end) + ends.passed(start)

    @cached_property
    def highlights(self) -> list[tuple[int, int]]:
        """The relevant text as ranges in order that do not touch.

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
        """The sum of the distances from all edges before the position to it."""
        count = bisect_right(self._positions, position)
        return count * position - self._sums[count]


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
        """An article, if it was judged and its rsize says that it is relevant."""
        article = self.articles.get(name)
        return article if article and article.relevant_size > 0 else None


def read_judgments(paths: Iterable[str | os.PathLike[str]]) -> dict[bytes, JudgedTopic]:
    """The judged topics of one or more files, taken together.

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
            if fields := line.split():
                is_empty = False
                if line[:1].isspace():
                    reason = "begins with white space, which counts as an empty field"
                    raise FormatError(f"{reason}; {_EXPECTED}", origin, number)
                _judge(topics, fields, origin, number)
        if is_empty:
            raise FormatError("no assessments in the file", origin)
    return topics


def _judge(topics: dict[bytes, JudgedTopic], fields: list[bytes], origin: str, line: int) -> None:
    if len(fields) < 5:
        raise FormatError(f"{len(fields)} fields; {_EXPECTED}", origin, line)
    relevant_size = java_int(fields[3], "an rsize", origin, line)
    length = java_int(fields[4], "a length", origin, line)
    topic = topics.setdefault(fields[0], JudgedTopic())
    article = topic.add(fields[2], relevant_size, length)
    if len(fields) > 6:
        article.entry_point = java_int(fields[5], "a best entry point", origin, line)
        article.passages += [_passage(text, origin, line) for text in fields[6:]]


def _passage(text: bytes, origin: str, line: int) -> tuple[int, int]:
    offset, colon, length = text.partition(b":")
    if not colon:
        raise FormatError(f"{quoted(shown(text))} is not a passage: expected off:len", origin, line)
    start = java_int(offset, "an offset", origin, line)
    end = start + java_int(length, "a length", origin, line)
    if not 0 <= start <= end <= LARGEST_INT:
        raise FormatError(
            f"the passage {shown(text)} is outside the possible range: expected offset and length"
            f" of 0 or more, and an end of at most {LARGEST_INT}",
            origin,
            line,
        )
    return start, end
