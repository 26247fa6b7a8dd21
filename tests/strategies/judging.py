"""Random articles, and what assessors do to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from doxeval.assess.judging import Article, Grade, Mode, Operation
from strategies.trees import Node, Piece, located, nodes
from strategies.world_documents import library_of

_TEXTS = ["Low", " ", "\n ", "tide ", " e\u0301", "𝔸", "שלום", "x", "\r\n", ""]
_TAGS = ["sec", "p", "b"]


def article_of(node: Node, document: str = "a") -> Article:
    """The article that a tree of elements makes, without a collection."""
    places = located(node)
    row_of = {place.path: row for row, place in enumerate(places)}
    tags = sorted({place.tag for place in places})

    def column(values: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(values, dtype=np.int64)

    return Article(
        document,
        node.text,
        start=column([place.start for place in places]),
        end=column([place.end for place in places]),
        parent=column([row_of[place.parent] if place.parent else -1 for place in places]),
        size=column(
            [
                sum(f"{other.path}/".startswith(f"{place.path}/") for other in places)
                for place in places
            ]
        ),
        tag=column([tags.index(place.tag) for place in places]),
        ordinal=column([place.ordinal for place in places]),
        tags=tuple(tags),
    )


def trees_to_judge() -> st.SearchStrategy[Node]:
    """Small documents with white space between and around their words."""
    said = st.sampled_from(_TEXTS).map(lambda text: Piece(text.replace("\r", "&#13;"), text))
    return nodes(said, _TAGS) | st.integers(0, 500).map(lambda number: library_of(number)[0][1])


def articles() -> st.SearchStrategy[Article]:
    """Small articles."""
    return trees_to_judge().map(article_of)


def operations_on(article: Article, mode: Mode) -> st.SearchStrategy[list[Operation]]:
    """What an assessor may try, one after another; some of it is not allowed."""
    # Grades are about nothing before something is highlighted: often all of it is, at once.
    all_of_it = {"kind": "highlight", "start": 0, "end": len(article.text)}
    first = st.sampled_from([[], [all_of_it]]) if mode == "2005" else st.just([])
    return st.tuples(first, st.lists(_operation_on(article, mode), max_size=20)).map(
        lambda made: [
            Operation(f"o{number}", number, **fields)
            for number, fields in enumerate([*made[0], *made[1]])
        ]
    )


def _operation_on(article: Article, mode: Mode) -> st.SearchStrategy[dict[str, Any]]:
    offsets = st.integers(0, len(article.text) + 1)
    ranges = st.tuples(offsets, offsets).map(sorted)
    # Elements are often highlighted from beginning to end.
    whole = st.integers(0, len(article) - 1).map(
        lambda row: [int(article.start[row]), int(article.end[row])]
    )
    marking = st.builds(
        lambda kind, place: {"kind": kind, "start": place[0], "end": place[1]},
        st.sampled_from(["highlight", "highlight", "unhighlight"]),
        ranges | whole,
    )
    commenting = st.builds(
        lambda place, value: {
            "kind": "comment", "start": place[0], "end": place[1], "value": value
        },
        ranges | whole,
        st.sampled_from(["why?", "𝔸", " "]),
    )  # fmt: skip
    pointing = offsets.map(lambda offset: {"kind": "bep", "start": offset})
    grading = st.builds(
        lambda row, value: {"kind": "grade", "path": article.path_of(row), "value": value},
        st.integers(0, len(article) - 1),
        st.none() | st.sampled_from(_values(mode)).map(_plain),
    )
    rest = st.sampled_from(
        [
            {"kind": "clear-bep"},
            {"kind": "validate"},
            {"kind": "not-relevant"},
            {"kind": "reopen"},
            {"kind": "note", "value": "see §2"},
            {"kind": "problem", "value": True},
            {"kind": "skip", "value": True},
            {"kind": "skip", "value": False},
        ]
    )
    rest = rest | commenting
    if mode == "2006":
        return st.one_of(marking, marking, pointing, rest)
    if mode == "2005":
        return st.one_of(grading, grading, grading, marking, rest)
    return st.one_of(grading, grading, grading, rest)


def _values(mode: Mode) -> list[Grade]:
    if mode == "2003":
        return [(0, 0), (1, 1), (3, 1), (3, 3), (2, 2), (1, 3), (2, 0), (0, 1), (2, 1)]
    return [2, 1, "?"]


def _plain(grade: Grade) -> Any:
    return list(grade) if isinstance(grade, tuple) else grade
