"""Highlighting text and taking highlights back.

The gesture changes only what is at its place. A new highlight becomes one with those that it
overlaps or touches, and with its neighbours if only white space stands between: otherwise a
section that is highlighted paragraph by paragraph would never be highlighted as a whole. For the
same reason a highlight is not split where nothing but white space would come out of it. White
space alone is never a highlight.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TypeAlias

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.refusals import Refused
from doxeval.assess.judging.state import Range

Ranges: TypeAlias = tuple[Range, ...]


def highlighted(ranges: Ranges, start: int, end: int, article: Article) -> Ranges:
    """The highlights with one more.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p> <p>High</p> tide</s>"}), "a")
    >>> highlighted(((0, 3),), 4, 8, article)
    ((0, 8),)
    """
    check_range(start, end, article)
    if article.is_white(start, end):
        raise Refused("white-space", "Only white space is selected: select some text.")
    first, after = _at(ranges, start, end)
    if first < after:
        start, end = min(start, ranges[first][0]), max(end, ranges[after - 1][1])
    while first and article.is_white(ranges[first - 1][1], start):
        first -= 1
        start = ranges[first][0]
    while after < len(ranges) and article.is_white(end, ranges[after][0]):
        end = ranges[after][1]
        after += 1
    return (*ranges[:first], (start, end), *ranges[after:])


def unhighlighted(ranges: Ranges, start: int, end: int, article: Article) -> Ranges:
    """The highlights without the text of a range.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low or high tide</p>"}), "a")
    >>> unhighlighted(((0, 16),), 4, 11, article)
    ((0, 4), (11, 16))
    """
    check_range(start, end, article)
    first, after = _at(ranges, start, end)
    if first == after:
        return ranges
    left = (ranges[first][0], min(start, ranges[first][1]))
    right = (max(end, ranges[after - 1][0]), ranges[after - 1][1])
    kept = [one for one in (left, right) if not article.is_white(*one)]
    if len(kept) == 2 and article.is_white(left[1], right[0]):
        raise Refused(
            "white-space",
            "White space between highlighted words stays highlighted: select the words to remove.",
        )
    return (*ranges[:first], *kept, *ranges[after:])


def check_range(start: int, end: int, article: Article) -> None:
    """Refuse a range that is empty or not in the document."""
    if start >= end:
        raise Refused("empty", "Nothing is selected: select some text.")
    if end > len(article.text):
        raise Refused(
            "outside",
            f"The document has {len(article.text):,} characters, and the selection ends at "
            f"{end:,}.",
        )


def _at(ranges: Ranges, start: int, end: int) -> tuple[int, int]:
    """The first range that shares characters with [start, end), and the first after those."""
    first = bisect_right(ranges, start, key=lambda one: one[1])
    return first, bisect_left(ranges, end, lo=first, key=lambda one: one[0])
