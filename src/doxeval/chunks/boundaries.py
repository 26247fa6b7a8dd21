"""Where sections, paragraphs and sentences begin, and how the boundaries of chunks agree with them.

Sections follow the headings of Markdown, or the outline of a document that is a tree. Paragraphs
are apart by blank lines, and sentences end at a full stop, question mark or exclamation mark before
white space, or where their paragraph ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Ints, OffsetBits
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
    """Return the headings of a text, without those in fenced code.

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
        elif (signs := _HEADING.match(line[0])) is not None:
            yield Heading(at, len(signs[1]))
        at = line.end()


class TextStructure:
    """A text, and where its sections, paragraphs and sentences begin; each is worked out once.

    texts: what finds words and white space, and keeps both, for this `text` under its `name`.
    find_outline: what finds the sections, if they are not those after the headings of Markdown.

    >>> structure = TextStructure("# One\\n\\nFirst. Second.\\n\\n## Two\\n")
    >>> structure.sections(1).tolist(), structure.sections().tolist()
    ([0], [0, 23])
    >>> structure.paragraphs.tolist(), structure.sentences.tolist()
    ([0, 7, 23], [0, 7, 14, 23])
    """

    def __init__(
        self,
        text: str,
        find_outline: Callable[[], Sequence[Heading]] | None = None,
        texts: Texts | None = None,
        name: str = "",
    ) -> None:
        self.text = text
        self._find_outline = find_outline
        self._texts = Texts({name: text}) if texts is None else texts
        self._name = name

    @cached_property
    def outline(self) -> Sequence[Heading]:
        """The sections, with their levels."""
        return headings(self.text) if self._find_outline is None else self._find_outline()

    @property
    def non_space(self) -> OffsetBits:
        """Where the characters are that are not white space."""
        return self._texts.non_space(self._name)

    def sections(self, level: int | None = None) -> Ints:
        """Return where sections with this level or a higher one begin, and the text itself."""
        starts = {
            heading.start for heading in self.outline if level is None or heading.level <= level
        }
        return self._from_text_on(np.array(sorted(starts | {0}), dtype=np.int64))

    @property
    def words(self) -> OffsetBits:
        """Where words start: those that measures count."""
        return self._texts.starts(self._name, "words")

    @cached_property
    def paragraphs(self) -> Ints:
        """Where paragraphs begin."""
        starts = [0, *(blank.end() for blank in _BLANK_LINES.finditer(self.text))]
        return self._from_text_on(np.array(starts, dtype=np.int64))

    @cached_property
    def sentences(self) -> Ints:
        """Where sentences begin; an abbreviation ends none.

        >>> TextStructure("One. Dr. Who came. (Two?) Three").sentences.tolist()
        [0, 5, 19, 26]
        """
        text, starts = self.text, [0]
        for end in _SENTENCE_END.finditer(text):
            before = text[max(0, end.start() - _LONGEST_ABBREVIATION) : end.start() + 1]
            if end[0] != "." or _ABBREVIATION.search(before) is None:
                starts.append(end.end())
        merged = np.union1d(np.array(starts, dtype=np.int64), self.paragraphs)
        return self._from_text_on(merged)

    def _from_text_on(self, starts: Ints) -> Ints:
        """Return starts moved over white space, each once, without those at the end."""
        non_space = self.non_space
        at = non_space.before(starts)
        return np.unique(non_space.at(at[at < len(non_space)]))


# The outlines of documents that are trees

# As INEX, JATS, DocBook and HTML call them.
_SECTION_TAGS = frozenset(
    "chapter section sec sect sect1 sect2 sect3 sect4 sect5 subsection subsec ss1 ss2 ss3".split()
)


def outlines(
    columns: NodeColumns, rows: Ints, summary: PathSummary, names: Iterable[str]
) -> dict[str, tuple[Heading, ...]]:
    """Return where the sections of each document begin and end, by its name, with their levels.

    rows: the first row of each document, and the number of all rows. Documents without sections
    are left out.

    >>> from doxeval.documents.examples import example_collection
    >>> xml = "<article>Zero. <sec>One. <ss1>Two. </ss1></sec><p>Three.</p></article>"
    >>> collection = example_collection({"a": xml, "b": "<p>Four.</p>"})
    >>> outlines(collection.nodes, collection.rows, collection.summary, collection.ids())
    {'a': (Heading(start=6, level=1), Heading(start=11, level=2), Heading(start=16, level=1))}
    """
    levels = _levels(summary)
    nodes = np.flatnonzero(levels[columns.path] > 0)
    level = levels[columns.path[nodes]]
    by_name: dict[str, tuple[Heading, ...]] = {}
    edges = np.searchsorted(nodes, rows)
    for number, name in enumerate(names):
        some = slice(int(edges[number]), int(edges[number + 1]))
        if some.start < some.stop:
            start, end = columns.start[nodes[some]], columns.end[nodes[some]]
            by_name[name] = _section_edges(start, end, level[some])
    return by_name


def _section_edges(start: Ints, end: Ints, level: Ints) -> tuple[Heading, ...]:
    """Return the edges of sections, each with the highest level that begins or ends there."""
    highest: dict[int, int] = {}
    edges = np.concatenate([start, end]).tolist()
    for at, of_edge in zip(edges, np.concatenate([level, level]).tolist(), strict=True):
        highest[at] = min(of_edge, highest.get(at, of_edge))
    return tuple(Heading(at, highest[at]) for at in sorted(highest))


def _levels(summary: PathSummary) -> Ints:
    """Return how many sections each path is in, itself counted; 0 if it is no section itself."""
    is_section = [tag.rpartition(":")[2].lower() in _SECTION_TAGS for tag in summary.tags]
    inside = [0] * len(summary)
    levels = [0] * len(summary)
    tags = summary.tag_of.tolist()
    for path, parent in enumerate(summary.parent_of.tolist()):
        above = inside[parent] if parent >= 0 else 0
        inside[path] = above + is_section[tags[path]]
        levels[path] = inside[path] if is_section[tags[path]] else 0
    return np.array(levels, dtype=np.int64)


# Boundaries of all documents

_KEY = 1 << 32


class BoundaryAgreement(NamedTuple):
    """Precision, recall and F of boundaries.

    precision: the share of the chunks' boundaries that are boundaries of the kind. recall: the
    share of these that are boundaries of chunks. A share of nothing is nan.
    """

    precision: float
    recall: float
    f: float


class Boundaries:
    """The boundaries of sections, paragraphs and sentences in documents, found when needed.

    Boundaries are counted in non-space characters, so that white space around them makes no
    difference. The beginning and the end of a document are no boundaries.
    """

    def __init__(self, docs: Documents, texts: Texts | None = None) -> None:
        self.docs = docs
        self.names = tuple(docs)
        self.texts = Texts(docs) if texts is None else texts
        self.offsets = NonSpaceOffsets(self.texts, strict=True)
        self._structures: dict[str, TextStructure] = {}

    def of(self, name: str) -> TextStructure:
        """Return the structure of a document."""
        if name not in self._structures:
            find_outline = partial(self.docs.outline, name)
            text = self.docs[name]
            self._structures[name] = TextStructure(text, find_outline, self.texts, name)
        return self._structures[name]

    @cached_property
    def sizes(self) -> Ints:
        """The non-space characters of each document."""
        document = np.arange(len(self.names))
        lengths = np.array([len(self.docs[name]) for name in self.names], dtype=np.int64)
        return self.offsets.before(self.names, document, lengths)

    @cached_property
    def by_kind(self) -> dict[str, Ints]:
        """The boundaries of each kind, document and offset as one number, ascending.

        Sections are all sections; `sections 2` are those with a heading of level 2 or higher.
        A kind without boundaries is left out.
        """
        structures = [self.of(name) for name in self.names]
        starts = {
            "sections": [structure.sections() for structure in structures],
            "paragraphs": [structure.paragraphs for structure in structures],
            "sentences": [structure.sentences for structure in structures],
        }
        levels = {heading.level for structure in structures for heading in structure.outline}
        if len(levels) > 1:
            starts |= {
                f"sections {level}": [structure.sections(level) for structure in structures]
                for level in sorted(levels)
            }
        found = {kind: self._inside(of_documents) for kind, of_documents in starts.items()}
        return {kind: keys for kind, keys in found.items() if len(keys)}

    def _inside(self, starts: Sequence[Ints]) -> Ints:
        document = np.repeat(np.arange(len(starts)), list(map(len, starts)))
        offset = np.concatenate(starts) if starts else document
        return self.inside(document, offset)

    def inside(self, document: Ints, offset: Ints) -> Ints:
        """Return offsets that are no edge of their document, as one number each, ascending."""
        counted = self.offsets.before(self.names, document, offset)
        is_inside = (counted > 0) & (counted < self.sizes[document])
        return np.unique((document * _KEY + counted)[is_inside])


def boundary_agreement(boundaries: Ints, reference: Ints) -> BoundaryAgreement:
    """Return how boundaries agree with others; both are ascending numbers.

    >>> boundary_agreement(np.array([3, 5, 8, 9]), np.array([3, 9, 12]))
    BoundaryAgreement(precision=0.5, recall=0.6666666666666666, f=0.5714285714285714)
    """
    both = len(np.intersect1d(boundaries, reference, assume_unique=True))
    precision = both / len(boundaries) if len(boundaries) else float("nan")
    recall = both / len(reference) if len(reference) else float("nan")
    total = len(boundaries) + len(reference)
    return BoundaryAgreement(precision, recall, 2 * both / total if total else float("nan"))
