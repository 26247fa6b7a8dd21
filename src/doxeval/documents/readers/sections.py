"""Sections from headings: what belongs to a heading of HTML becomes a `section`.

    <h2>Tides</h2> <p>…</p> <h3>Causes</h3> <p>…</p>
    section[1]/h2[1]   section[1]/p[1]   section[1]/section[1]/h3[1]   section[1]/section[1]/p[1]

A heading opens a section among its siblings, wherever it is. The section lasts until the next
heading of the same or a higher level among those siblings, or until the end of their parent.

Some elements stand for the heading they hold, so that the section holds what follows them:

- `header`, `hgroup`, `summary` and `legend`, for the first heading in them (headings in an
  `article`, `aside`, `nav` or `section` inside do not count);
- a `div` or an inline element that holds one heading and next to it nothing but inline elements:
  `<div><h2>Tides</h2><a>edit</a></div>`.

There are no sections inside them. A `<section>` of the page that begins with a heading, and has no
other of the same or a higher level, already is the section of that heading, and gets no second one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from doxeval.documents.build.options import Limits, check_elements, too_deep
from doxeval.documents.readers.tag_events import END, TagEventsBuilder
from doxeval.errors import DocumentError

if TYPE_CHECKING:
    pass

SECTION = "section"
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_STAND_FOR_HEADING = frozenset("header hgroup legend summary".split())
_SECTIONING = frozenset("article aside nav section".split())
# The inline elements of HTML, and those that show no text. These are fixed: the tree must not
# depend on which tags a user counts as inline when words are cut.
_INLINE = frozenset(
    "a abbr b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark "
    "meter picture progress q rp rt ruby s samp script small span strike strong style sub sup svg "
    "template time tt u var wbr".split()
)
_WRAPPERS = _INLINE | {"div"}
_NONE = 7  # below the lowest level


def with_sections(
    marks: TagEventsBuilder, text: str, limits: Limits, origin: str
) -> TagEventsBuilder:
    """Add a section for each heading to the marks of a page.

    >>> marks = TagEventsBuilder()
    >>> for tag in ("body", "h1", "", "p", "", ""):
    ...     marks.open(tag, 0) if tag else marks.close(0)
    >>> [name for name in with_sections(marks, "", Limits(), "a.html").names if name]
    ['body', 'section', 'h1', 'p']
    """
    if _LEVELS.keys().isdisjoint(marks.names):
        return marks
    levels, has_section = _heading_levels(marks, text)
    result = TagEventsBuilder()
    attributes = dict(marks.attributes)
    parents: list[_OpenSections] = []
    depth = row = 0
    inside_heading: int | None = None  # how many elements are open around it
    for mark, (name, at) in enumerate(zip(marks.names, marks.positions, strict=True)):
        if name == END:
            depth -= 1 + parents.pop().close(result, at, 0)
            result.close(at)
            if inside_heading == len(parents):
                inside_heading = None
            continue
        level = levels.get(mark)
        if level and parents and inside_heading is None:
            depth -= parents[-1].close(result, at, level)
            if mark not in has_section:
                parents[-1].open(result, at, level)
                depth += 1
            inside_heading = len(parents)
        result.open(name, at, attributes.get(row))
        parents.append(_OpenSections())
        row += 1
        depth += 1
        if depth > limits.depth:
            raise DocumentError(too_deep(limits), origin)
    check_elements(result.elements, limits, origin)
    return result


@dataclass(slots=True)
class _OpenSections:
    """The levels of the sections that are open among the children of an element."""

    levels: list[int] = field(default_factory=list)

    def open(self, marks: TagEventsBuilder, at: int, level: int) -> None:
        """Open a section."""
        marks.open(SECTION, at)
        self.levels.append(level)

    def close(self, marks: TagEventsBuilder, at: int, level: int) -> int:
        """Close the sections of a level and of all lower ones, and return how many."""
        count = 0
        while self.levels and self.levels[-1] >= level:
            self.levels.pop()
            marks.close(at)
            count += 1
        return count


@dataclass(slots=True)
class _Open:
    """An open element, and what is known so far about the headings in it.

    headings: how many there are at any depth. first: the level of the first that a `header` could
    stand for. only_inline: whether its children, except headings, are inline, and it has no text of
    its own. leading: the child, if it is a heading, with which it begins. rivals: the highest level
    of the other headings among its children. ink: how many stretches of text that are not only
    white space come before it.
    """

    mark: int
    tag: str
    ink: int
    headings: int = 0
    first: int = 0
    holds_heading: bool = False
    only_inline: bool = True
    leading: int = -1
    rivals: int = _NONE


def _heading_levels(marks: TagEventsBuilder, text: str) -> tuple[dict[int, int], set[int]]:
    """Return the level of each start tag that is a heading or stands for one.

    Return also those of them for which the `<section>` around them already is the section.
    """
    levels: dict[int, int] = {}
    has_section: set[int] = set()
    stack: list[_Open] = []
    before = ink = 0
    for mark, (name, at) in enumerate(zip(marks.names, marks.positions, strict=True)):
        if text[before:at].strip():
            ink += 1
            stack[-1].only_inline = False
        before = at
        if name != END:
            stack.append(_Open(mark, name, ink))
            continue
        element = stack.pop()
        level = _level(element)
        if level:
            levels[element.mark] = level
        has_leading = element.tag == SECTION and element.leading >= 0
        if has_leading and levels[element.leading] < element.rivals:
            has_section.add(element.leading)
        if stack:
            _update_parent(stack[-1], element, level)
    return levels, has_section


def _level(element: _Open) -> int:
    """Return the level of the heading that an element is or stands for, or 0."""
    if element.tag in _LEVELS:
        return _LEVELS[element.tag]
    if element.tag in _STAND_FOR_HEADING:
        return element.first
    is_wrapper = element.tag in _WRAPPERS and element.only_inline
    return element.first if is_wrapper and element.holds_heading and element.headings == 1 else 0


def _update_parent(parent: _Open, element: _Open, level: int) -> None:
    """Add what is known about a closed element to what is known about its parent."""
    if element.tag not in _SECTIONING:
        parent.first = parent.first or level or element.first
    parent.headings += element.headings + (element.tag in _LEVELS)
    if not level:
        parent.only_inline &= element.tag in _INLINE
        return
    if not parent.holds_heading and element.ink == parent.ink:
        parent.leading = element.mark
    else:
        parent.rivals = min(parent.rivals, level)
    parent.holds_heading = True
