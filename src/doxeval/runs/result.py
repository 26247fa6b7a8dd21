"""One result of a run, and the kinds of results there are."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

# The document of a result whose text stands in no document: it is read, and not relevant. Each such
# text has a document of its own, from 0 to its length.
_NOT_FOUND = "(not found {})"
_IS_NOT_FOUND = re.compile(r"\(not found [1-9][0-9]*\)")


def not_found(number: int) -> str:
    """Return the id of the document of a text that stands in no document.

    >>> not_found(3), is_not_found(not_found(3)), is_not_found("a")
    ('(not found 3)', True, False)
    """
    return _NOT_FOUND.format(number)


def is_not_found(document: str) -> bool:
    """Return whether an id is that of a text which stands in no document."""
    return _IS_NOT_FOUND.fullmatch(document) is not None


class Kind(IntEnum):
    """What a result is.

    >>> Kind.PASSAGE.name
    'PASSAGE'
    """

    DOCUMENT = 0  # a whole document
    ELEMENT = 1  # an element, by its path
    PASSAGE = 2  # a range of text: by characters (start, end) or by two text points
    POINT = 3  # an entry point: an offset or a text point
    TREE = 4  # a set of elements, by their paths
    SPANS = 5  # several ranges of text of one document


class Result(NamedTuple):
    """One result of a run, spelt out.

    paths: the path of an element, the paths of a tree, the text points of a passage or an entry
    point; empty where start and end (or start alone) say it in characters, and for documents.
    spans: the ranges of a result that has several. tokens: how many tokens it costs to read it,
    where the system says so.

    >>> Result("7", "a", Kind.PASSAGE, 0, 99)
    Result('7', 'a', kind=Kind.PASSAGE, start=0, end=99)
    >>> Result("7", "a", Kind.ELEMENT, paths=("/article[1]/sec[2]",)).paths
    ('/article[1]/sec[2]',)
    >>> Result("7", "a", Kind.SPANS, spans=((0, 5), (9, 12)), tokens=3)
    Result('7', 'a', kind=Kind.SPANS, spans=((0, 5), (9, 12)), tokens=3)
    """

    topic: str
    document: str
    kind: Kind = Kind.DOCUMENT
    start: int | None = None
    end: int | None = None
    paths: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None
    spans: tuple[tuple[int, int], ...] = ()
    tokens: int | None = None

    def __repr__(self) -> str:
        names, defaults = self._fields[2:], self._field_defaults
        given = {name: value for name in names if (value := getattr(self, name)) != defaults[name]}
        kind = {"kind": f"Kind.{self.kind.name}"} if "kind" in given else {}
        named = {name: repr(value) for name, value in given.items()} | kind
        shown = [repr(self.topic), repr(self.document), *(f"{n}={v}" for n, v in named.items())]
        return f"Result({', '.join(shown)})"
