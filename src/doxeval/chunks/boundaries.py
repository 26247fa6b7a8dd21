"""Where sections, paragraphs and sentences begin, and how the boundaries of chunks agree with them.

Sections follow the headings of Markdown, or the outline of a document that is a tree. Paragraphs
are apart by blank lines, and sentences end at a full stop, question mark or exclamation mark before
white space, or where their paragraph ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import NodeColumns, PathSummary
from doxeval.measures import NonSpaceOffsets, Texts

if TYPE_CHECKING:
    from doxeval.chunks.documents import Documents


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


# As INEX, JATS, DocBook and HTML call them.
NAMES = frozenset(
    "chapter section sec sect sect1 sect2 sect3 sect4 sect5 subsection subsec ss1 ss2 ss3".split()
)


def outlines(
    columns: NodeColumns, rows: Ints, summary: PathSummary, names: Iterable[str]
) -> dict[str, tuple[Heading, ...]]:
    """Where the sections of each document begin and end, by its name, with their levels.

    rows: the first row of each document, and the number of all rows. Documents without sections
    are left out.

    >>> from doxeval.documents.examples import example_collection
    >>> xml = "<article>Zero. <sec>One. <ss1>Two. </ss1></sec><p>Three.</p></article>"
    >>> found = example_collection({"a": xml, "b": "<p>Four.</p>"})
    >>> outlines(found.nodes, found.rows, found.summary, found.ids())
    {'a': (Heading(start=6, level=1), Heading(start=11, level=2), Heading(start=16, level=1))}
    """
    levels = _levels(summary)
    nodes = np.flatnonzero(levels[columns.path] > 0)
    level = levels[columns.path[nodes]]
    found: dict[str, tuple[Heading, ...]] = {}
    edges = np.searchsorted(nodes, rows)
    for number, name in enumerate(names):
        own = slice(int(edges[number]), int(edges[number + 1]))
        if own.start < own.stop:
            start, end = columns.start[nodes[own]], columns.end[nodes[own]]
            found[name] = _section_edges(start, end, level[own])
    return found


def _section_edges(start: Ints, end: Ints, level: Ints) -> tuple[Heading, ...]:
    """The edges of sections, each with the highest level that begins or ends there."""
    highest: dict[int, int] = {}
    edges = np.concatenate([start, end]).tolist()
    for at, own in zip(edges, np.concatenate([level, level]).tolist(), strict=True):
        highest[at] = min(own, highest.get(at, own))
    return tuple(Heading(at, highest[at]) for at in sorted(highest))


def _levels(summary: PathSummary) -> Ints:
    """How many sections each path is in, itself counted; 0 if it is no section itself."""
    is_section = [tag.rpartition(":")[2].lower() in NAMES for tag in summary.tags]
    inside = [0] * len(summary)
    own = [0] * len(summary)
    tags = summary.tag_of.tolist()
    for path, parent in enumerate(summary.parent_of.tolist()):
        above = inside[parent] if parent >= 0 else 0
        inside[path] = above + is_section[tags[path]]
        own[path] = inside[path] if is_section[tags[path]] else 0
    return np.array(own, dtype=np.int64)


_KEY = 1 << 32


class Agreement(NamedTuple):
    """Precision, recall and F of borders.

    precision: the share of the chunks' borders that are borders of the kind. recall: the share of
    these that are borders of chunks. A share of nothing is nan.
    """

    precision: float
    recall: float
    f: float


class Structure:
    """The borders of sections, paragraphs and sentences in documents, found when asked for.

    Borders are counted in solid characters, so that white space around them makes no difference.
    The beginning and the end of a document are no borders.
    """

    def __init__(self, docs: Documents, texts: Texts | None = None) -> None:
        self.names = tuple(docs)
        self.texts = Texts(docs) if texts is None else texts
        self.solid = NonSpaceOffsets(self.texts, strict=True)
        self._docs = docs

    @cached_property
    def sizes(self) -> Ints:
        """The solid characters of each document."""
        document = np.arange(len(self.names))
        lengths = np.array([len(self._docs[name]) for name in self.names], dtype=np.int64)
        return self.solid.before(self.names, document, lengths)

    @cached_property
    def borders(self) -> dict[str, Ints]:
        """The borders of each kind, document and offset as one number, ascending.

        Sections are all sections; `sections 2` are those with a heading of level 2 or higher.
        A kind without borders is left out.
        """
        found = {
            "sections": self._sections(None),
            "paragraphs": self._starts(self._by_text(paragraph_starts)),
            "sentences": self._starts(self._by_text(sentence_starts)),
        }
        used = {one.level for name in self.names for one in self._docs.outline(name)}
        if len(used) > 1:
            found |= {f"sections {level}": self._sections(level) for level in sorted(used)}
        return {name: starts for name, starts in found.items() if len(starts)}

    def _sections(self, level: int | None) -> Ints:
        docs = self._docs
        return self._starts(lambda name: section_starts(docs[name], level, docs.outline(name)))

    def _by_text(self, starts: Callable[[str], Ints]) -> Callable[[str], Ints]:
        return lambda name: starts(self._docs[name])

    def _starts(self, starts: Callable[[str], Ints]) -> Ints:
        found: list[Ints] = [np.zeros(0, dtype=np.int64)]
        for number, name in enumerate(self.names):
            own = starts(name)
            found.append(self.keys(np.full(len(own), number), own))
        return self.inner(np.concatenate(found))

    def keys(self, document: Ints, offset: Ints) -> Ints:
        """Offsets of documents as one number each, in solid characters."""
        return document * _KEY + self.solid.before(self.names, document, offset)

    def inner(self, keys: Ints) -> Ints:
        """Those of some borders that are not an edge of their document, each once, ascending."""
        document, offset = keys // _KEY, keys % _KEY
        return np.unique(keys[(offset > 0) & (offset < self.sizes[document])])


def agreement(found: Ints, reference: Ints) -> Agreement:
    """How borders agree; both are ascending numbers.

    >>> agreement(np.array([3, 5, 8, 9]), np.array([3, 9, 12]))
    Agreement(precision=0.5, recall=0.6666666666666666, f=0.5714285714285714)
    """
    both = len(np.intersect1d(found, reference, assume_unique=True))
    precision = both / len(found) if len(found) else float("nan")
    recall = both / len(reference) if len(reference) else float("nan")
    total = len(found) + len(reference)
    return Agreement(precision, recall, 2 * both / total if total else float("nan"))
