"""The paths of elements that files of assessments name."""

from __future__ import annotations

import re

from doxeval.assessments.judgment import GradedElement, Judgment, MeasuredElement
from doxeval.documents import Step, format_path, parse_path
from doxeval.errors import FormatError, SyntaxProblem

# A path in which every step is numbered, as almost all files have them.
_NUMBERED = re.compile(r"(?:/[^\s/\[\]()@*|]+\[[1-9][0-9]{0,8}\])+")


def line_of(element: GradedElement | MeasuredElement, judgment: Judgment) -> int | None:
    """The line of an element, or else of the judgment it belongs to.

    >>> line_of(GradedElement("/a[1]", None), Judgment("7", "d", origin="7.xml", line=3))
    3
    """
    own = element.line if isinstance(element, GradedElement) else None
    return judgment.line if own is None else own


def steps_of(element: GradedElement | MeasuredElement, judgment: Judgment) -> tuple[Step, ...]:
    """The steps of an element's path; a path that does not parse is an error with its line.

    >>> steps_of(GradedElement("/a/b[2]", None), Judgment("7", "d"))
    (Step(tag='a', ordinal=1), Step(tag='b', ordinal=2))
    """
    try:
        return parse_path(element.path)
    except SyntaxProblem as error:
        raise FormatError(error.message, judgment.origin, line_of(element, judgment)) from None


def numbered_path(element: GradedElement | MeasuredElement, judgment: Judgment) -> str:
    """The path of an element with all its steps numbered.

    >>> numbered_path(GradedElement("/a/b[2]", None), Judgment("7", "d"))
    '/a[1]/b[2]'
    """
    path = element.path
    return path if _NUMBERED.fullmatch(path) else format_path(steps_of(element, judgment))
