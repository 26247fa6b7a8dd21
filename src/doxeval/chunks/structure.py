"""Where sections, paragraphs and sentences of a text begin.

Sections follow the headings of Markdown, or the outline of a document that is a tree. Paragraphs
are apart by blank lines, and sentences end at a full stop, question mark or exclamation mark before
white space, or where their paragraph ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints

_BLANK_LINES = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:(?:\r\n?|\n)[^\S\r\n]*)+")
_CLOSING = r"[\"')\]}»”’]*"
_SENTENCE_END = re.compile(rf"(?:[.!?…]+{_CLOSING}(?=\s)|[。！？]{_CLOSING})")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:[A-Z]|[A-Za-z](?:\.[A-Za-z])+|Mrs?|Ms|Dr|Prof|St|Jr|Sr|Inc|Ltd|Co|Corp|"
    r"No|Nos|Fig|Figs|Eq|vs|al|cf|ca|approx|pp?|Vol|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
    r"\.$"
)
_LONGEST_ABBREVIATION = 12
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|\r?\n?$)")


class Heading(NamedTuple):
    """Where a section begins, and its level from 1 on: that of a heading of Markdown, up to 6."""

    start: int
    level: int


def headings(text: str) -> list[Heading]:
    """The headings of a text, those in fenced code left out.

    >>> headings("# One\\n\\n```\\n# no heading\\n```\\n## Two\\n")
    [Heading(start=0, level=1), Heading(start=28, level=2)]
    """
    return list(_headings(text)) if "#" in text else []


def _headings(text: str) -> Iterator[Heading]:
    fence = ""
    at = 0
    while at < len(text):
        line = _LINE.match(text, at)
        if line is None or line.end() == at:
            return
        mark = _FENCE.match(line[0])
        if fence:
            if mark is not None and mark[1].startswith(fence) and mark[1] == line[0].strip():
                fence = ""
        elif mark is not None:
            fence = mark[1]
        elif (found := _HEADING.match(line[0])) is not None:
            yield Heading(at, len(found[1]))
        at = line.end()


def section_starts(
    text: str, level: int | None = None, outline: Sequence[Heading] | None = None
) -> Ints:
    """Where sections begin whose headings have this level or a higher one, and the text itself.

    outline: the sections, if they are not those of Markdown.

    >>> section_starts("Before.\\n# One\\n## Two\\n", 1).tolist()
    [0, 8]
    """
    sections = headings(text) if outline is None else outline
    found = [0, *(one.start for one in sections if level is None or one.level <= level)]
    return _starts(text, np.unique(np.array(found, dtype=np.int64)))


def paragraph_starts(text: str) -> Ints:
    """Where paragraphs begin.

    >>> paragraph_starts("One.\\nStill one.\\n\\nTwo.").tolist()
    [0, 17]
    """
    found = [0, *(one.end() for one in _BLANK_LINES.finditer(text))]
    return _starts(text, np.array(found, dtype=np.int64))


def sentence_starts(text: str) -> Ints:
    """Where sentences begin.

    >>> sentence_starts("One. Dr. Who came. (Two?) Three").tolist()
    [0, 5, 19, 26]
    """
    found = [0]
    for end in _SENTENCE_END.finditer(text):
        before = text[max(0, end.start() - _LONGEST_ABBREVIATION) : end.start() + 1]
        if end[0] != "." or _ABBREVIATION.search(before) is None:
            found.append(end.end())
    paragraphs = paragraph_starts(text)
    return _starts(text, np.union1d(np.array(found, dtype=np.int64), paragraphs))


def _starts(text: str, given: Ints) -> Ints:
    """The starts moved over white space, each once, those at the end left out."""
    solid = solid_offsets(text)
    at = np.searchsorted(solid, given)
    return np.unique(solid[at[at < len(solid)]])


def solid_offsets(text: str) -> Ints:
    """Where the characters of a text are that are not white space.

    >>> solid_offsets("a b\\u2028c").tolist()
    [0, 2, 4]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return np.flatnonzero(~is_blank(codes))


def is_blank(codes: Ints) -> np.typing.NDArray[np.bool_]:
    """Whether each code point is white space."""
    found = np.zeros(len(codes), dtype=np.bool_)
    for low, high in _BLANK_RANGES:
        found |= (codes >= low) & (codes <= high)
    return found


def _blank_ranges() -> tuple[tuple[int, int], ...]:
    """The ranges of code points that `str.isspace` accepts; all are in the first plane."""
    blanks = [code for code in range(0x3001) if chr(code).isspace()]
    ranges: list[tuple[int, int]] = []
    for code in blanks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = ranges[-1][0], code
        else:
            ranges.append((code, code))
    return tuple(ranges)


_BLANK_RANGES = _blank_ranges()
