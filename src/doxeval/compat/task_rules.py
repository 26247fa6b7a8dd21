"""The rules of the tasks for a topic's results; inex_eval stops at the first that breaks one."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict

from doxeval.compat.java import shown
from doxeval.compat.submission import Passage, TopicResults
from doxeval.errors import FormatError


def check_no_overlap(run: TopicResults, origin: str) -> None:
    """Passages of an article may touch, but not share text; an empty one may not lie in another.

    >>> results = [Passage(b"a", 0, 50, 50, 1), Passage(b"a", 40, 60, 20, 2)]
    >>> check_no_overlap(TopicResults(b"7", 1, b"r", results), "run.txt")
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:2: topic 7, article a: the passage overlaps that of line 1
    """
    accepted: defaultdict[bytes, list[tuple[int, int, int]]] = defaultdict(list)
    for result in run.results:
        passages = accepted[result.article]
        passage = (result.start, result.end, result.line)
        position = bisect(passages, passage)
        # Accepted passages do not overlap each other, so only the neighbours can overlap this one.
        for start, end, line in passages[max(position - 1, 0) : position + 1]:
            if result.start < end and start < result.end:
                raise _broken(run, result, f"the passage overlaps that of line {line}", origin)
        passages.insert(position, passage)


def check_grouped(run: TopicResults, origin: str) -> None:
    """All results of an article must follow one another.

    >>> results = [Passage(name, 0, 9, 9, line) for line, name in enumerate([b"a", b"b", b"a"], 1)]
    >>> check_grouped(TopicResults(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:3: topic 7, article a: comes back after...
    """
    last: dict[bytes, int] = {}
    previous = b""
    for result in run.results:
        if result.article != previous and result.article in last:
            reason = (
                f"comes back after another article, from line {last[result.article]}: expected all"
                " results of an article together"
            )
            raise _broken(run, result, reason, origin)
        previous = result.article
        last[previous] = result.line


def check_one_result_each(run: TopicResults, origin: str) -> None:
    """An article may have one result only.

    >>> results = [Passage(b"a", 0, 9, 9, 1), Passage(b"a", 9, 18, 9, 2)]
    >>> check_one_result_each(TopicResults(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:2: topic 7, article a: a second result, after...
    """
    line_of: dict[bytes, int] = {}
    for result in run.results:
        earlier = line_of.setdefault(result.article, result.line)
        if earlier != result.line:
            reason = f"a second result, after that of line {earlier}: expected one for each article"
            raise _broken(run, result, reason, origin)


def _broken(run: TopicResults, result: Passage, reason: str, origin: str) -> FormatError:
    where = f"topic {shown(run.topic)}, article {shown(result.article)}"
    return FormatError(f"{where}: {reason}", origin, result.line)
