"""INEX paths and text points as text.

A path names one element: `/article[1]/body[1]/sec[2]`. Each step is numbered among its siblings
of the same tag; a step without a number is number 1. A text point names a position in the text:
`/article[1]/p[3]/text()[1].23` is the position after 23 characters of the first text node of that
element. A path alone is a point too (the beginning or the end of its element).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted

STEP = re.compile(r"([^\s/\[\]()@*|]+)(?:\[([0-9]{1,9})\])?")
_POINT = re.compile(r"(.+)/text\(\)(?:\[([0-9]{1,9})\])?\.([0-9]{1,10})", re.DOTALL)


class Step(NamedTuple):
    """One step of a path: the n-th child with that tag."""

    tag: str
    ordinal: int


class TextPoint(NamedTuple):
    """A position `offset` characters into a text node; without a text node, the element itself."""

    path: str
    text_node: int | None
    offset: int


def parse_path(path: str) -> tuple[Step, ...]:
    """Return the steps of an absolute path.

    >>> parse_path("/article[1]/sec[2]")
    (Step(tag='article', ordinal=1), Step(tag='sec', ordinal=2))
    >>> parse_path("/article/p") == parse_path("/article[1]/p[1]")
    True
    """
    path = path.strip()
    if not path.startswith("/") or path == "/":
        raise SyntaxProblem(
            f"{quoted(path)} is not a path: expected something like /article[1]/sec[2]"
        )
    steps: list[Step] = []
    for text in path[1:].split("/"):
        match = STEP.fullmatch(text)
        if match is None or not int(match[2] or 1):
            raise SyntaxProblem(
                f"step {len(steps) + 1} of path {quoted(path)} is {quoted(text)}: expected a tag "
                "and its number, like sec[2]"
            )
        steps.append(Step(match[1], int(match[2] or 1)))
    return tuple(steps)


def format_path(steps: Iterable[Step]) -> str:
    """Return a path as text, every step numbered.

    >>> format_path([Step("article", 1), Step("sec", 2)])
    '/article[1]/sec[2]'
    """
    return "".join(f"/{tag}[{ordinal}]" for tag, ordinal in steps)


def parse_point(point: str) -> TextPoint:
    """Return a text point, or a path taken as a point.

    >>> parse_point("/article[1]/p[3]/text()[1].23")
    TextPoint(path='/article[1]/p[3]', text_node=1, offset=23)
    >>> parse_point("/article[1]/p[3]")
    TextPoint(path='/article[1]/p[3]', text_node=None, offset=0)
    """
    point = point.strip()
    match = _POINT.fullmatch(point)
    if match is None:
        if "text()" in point:
            raise SyntaxProblem(
                f"{quoted(point)} is not a text point: expected something like "
                "/article[1]/p[3]/text()[1].23"
            )
        return TextPoint(format_path(parse_path(point)), None, 0)
    return TextPoint(format_path(parse_path(match[1])), int(match[2] or 1), int(match[3]))


def format_point(point: TextPoint) -> str:
    """Return a text point as text.

    >>> format_point(TextPoint("/article[1]/p[3]", 1, 23))
    '/article[1]/p[3]/text()[1].23'
    """
    if point.text_node is None:
        return point.path
    return f"{point.path}/text()[{point.text_node}].{point.offset}"
