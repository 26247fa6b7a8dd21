"""What the tasks demand of a topic's results; inex_eval stops at the first that breaks a rule."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict

from doxeval.compat.java import shown
from doxeval.compat.submitted import Result, TopicRun
from doxeval.errors import FormatError


def check_no_overlap(run: TopicRun, origin: str) -> None:
    """Passages of an article may touch, but not share text; an empty one may not lie in another.

    >>> results = [Result(b"a", 0, 50, 50, 1), Result(b"a", 40, 60, 20, 2)]
    >>> check_no_overlap(TopicRun(b"7", 1, b"r", results), "run.txt")
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:2: topic 7, article a: the passage overlaps that of line 1
    """
    accepted: defaultdict[bytes, list[tuple[int, int, int]]] = defaultdict(list)
    for result in run.results:
        passages = accepted[result.article]
        passage = (result.start, result.end, result.line)
        place = bisect(passages, passage)
        # Those accepted are apart from each other, so only the neighbours can overlap.
        for start, end, line in passages[max(place - 1, 0) : place + 1]:
            if result.start < end and start < result.end:
                raise _broken(run, result, f"the passage overlaps that of line {line}", origin)
        passages.insert(place, passage)


def check_together(run: TopicRun, origin: str) -> None:
    """All results of an article must come one after another.

    >>> results = [Result(name, 0, 9, 9, line) for line, name in enumerate([b"a", b"b", b"a"], 1)]
    >>> check_together(TopicRun(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
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


def check_one_each(run: TopicRun, origin: str) -> None:
    """An article may have one result only.

    >>> results = [Result(b"a", 0, 9, 9, 1), Result(b"a", 9, 18, 9, 2)]
    >>> check_one_each(TopicRun(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
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


def _broken(run: TopicRun, result: Result, reason: str, origin: str) -> FormatError:
    place = f"topic {shown(run.topic)}, article {shown(result.article)}"
    return FormatError(f"{place}: {reason}", origin, result.line)
