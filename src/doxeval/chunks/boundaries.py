"""Where sections, paragraphs and sentences begin, and how the boundaries of chunks agree with them.

Sections follow the headings of Markdown, or the outline of a document that is a tree. Paragraphs
are apart by blank lines, and sentences end at a full stop, question mark or exclamation mark before
white space, or where their paragraph ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, OffsetBits, distinct
from doxeval.documents import CharacterClasses, NodeColumns, PathSummary
from doxeval.measures import NonSpaceOffsets, Texts

if TYPE_CHECKING:
    from doxeval.chunks.documents import Documents


LINE_END = r"(?:\r\n|\r(?!\n)|\n)"  # never half of one
_BLANK_LINES = re.compile(rf"{LINE_END}[^\S\r\n]*(?:{LINE_END}[^\S\r\n]*)+")
# What a character is at the end of a sentence. A full stop of Chinese or Japanese ends one whatever
# follows; after others and what closes a quotation there must be white space.
_OTHER, _STOP, _FULL_STOP, _CLOSING, _SPACE = range(5)
_ENDINGS = {_STOP: ".!?…", _FULL_STOP: "。！？", _CLOSING: "\"')]}»”’"}
_CLASS_OF_ENDING = {mark: number for number, marks in _ENDINGS.items() for mark in marks}
_ABBREVIATIONS = (
    "Mr Mrs Ms Dr Prof St Jr Sr Inc Ltd Co Corp No Nos Fig Figs Eq vs al cf ca approx p pp Vol "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
).split()
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:[A-Z]|[A-Za-z](?:\.[A-Za-z])+|" + "|".join(_ABBREVIATIONS) + r")\.$"
)
_LONGEST_ABBREVIATION = 12
_MOST_LETTERS = max(map(len, _ABBREVIATIONS))
_PLACES = np.array([1 << 8 * place for place in range(_MOST_LETTERS + 1)], dtype=np.uint64)
_KEYS = np.array([int.from_bytes(word.encode(), "big") for word in _ABBREVIATIONS], dtype=np.uint64)
_LINE_MARK = re.compile("#|`{3}|~{3}")
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
    for sign in _LINE_MARK.finditer(text):
        at = sign.start()
        while at and text[at - 1] == " ":
            at -= 1
        line = _LINE.match(text, at)
        if line is None or (at and text[at - 1] not in "\r\n"):
            continue
        mark = _FENCE.match(line[0])
        if fence:
            if mark is not None and mark[1].startswith(fence) and mark[1] == line[0].strip():
                fence = ""
        elif mark is not None:
            fence = mark[1]
        elif (signs := _HEADING.match(line[0])) is not None:
            yield Heading(at, len(signs[1]))


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
        starts = np.append(0, sentence_ends(self.text))
        return self._from_text_on(np.sort(np.append(starts, self.paragraphs)))

    def _from_text_on(self, starts: Ints) -> Ints:
        """Return starts moved over white space, each once, without those at the end."""
        non_space = self.non_space
        at = non_space.before(starts)
        return distinct(non_space.at(at[at < len(non_space)]))


def _class_of_ending(character: str) -> int:
    return _SPACE if character.isspace() else _CLASS_OF_ENDING.get(character, _OTHER)


_CLASSES_OF_ENDINGS = CharacterClasses(_class_of_ending)


def sentence_ends(text: str) -> Ints:
    """Return where sentences end, marks that close quotations or brackets included.

    >>> sentence_ends("Who? (Dr. Who.) It’s 3.5!").tolist()
    [4, 15]
    """
    classes = np.append(_CLASSES_OF_ENDINGS.of_text(text), np.uint8(_OTHER))
    is_stop = classes == _STOP
    first = np.flatnonzero(is_stop & ~np.append(False, is_stop[:-1]))
    after = np.flatnonzero(~is_stop & np.append(False, is_stop[:-1]))
    full_stops = np.flatnonzero(classes == _FULL_STOP)
    first, after = np.append(first, full_stops), np.append(after, full_stops + 1)
    closing = np.flatnonzero(classes[after] == _CLOSING)
    while len(closing):
        after[closing] += 1
        closing = closing[classes[after[closing]] == _CLOSING]
    is_end = (classes[after] == _SPACE) | (classes[first] == _FULL_STOP)
    first, after = first[is_end], after[is_end]
    single = np.flatnonzero(after == first + 1)
    likely = single[_may_abbreviate(text, first[single])]
    abbreviates = [_abbreviates(text, at) for at in first[likely].tolist()]
    return np.sort(np.delete(after, likely[np.array(abbreviates, dtype=np.bool_)]))


def _abbreviates(text: str, at: int) -> bool:
    """Return whether a mark is the full stop of an abbreviation."""
    before = text[max(0, at - _LONGEST_ABBREVIATION) : at + 1]
    return text[at] == "." and _ABBREVIATION.search(before) is not None


def _may_abbreviate(text: str, at: Ints) -> Bools:
    """Return whether the letters before each mark are a single one, or those of an abbreviation."""
    codes = np.frombuffer(text.encode("latin-1", "replace"), dtype=np.uint8)
    padded = np.append(np.zeros(_MOST_LETTERS + 1, dtype=np.uint8), codes)
    letters = padded[at[:, None] + np.arange(_MOST_LETTERS, -1, -1)]  # the last one first
    is_letter = (((letters | 32) >= ord("a")) & ((letters | 32) <= ord("z"))).astype(np.uint8)
    in_word = np.multiply.accumulate(is_letter, axis=1)
    key = (letters * in_word).astype(np.uint64) @ _PLACES
    may_abbreviate: Bools = (in_word.sum(axis=1) == 1) | np.isin(key, _KEYS)
    return may_abbreviate


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


def page_spans(
    columns: NodeColumns, rows: Ints, summary: PathSummary, names: Iterable[str]
) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of the pages of each document that has any, by its name.

    Pages are the elements `page` directly below the root, as PDF has them. rows: as for `outlines`.

    >>> from doxeval.documents.examples import example_collection
    >>> xml = "<document><page>One.</page> <page>Two.</page></document>"
    >>> collection = example_collection({"a": xml, "b": "<p>Three.</p>"})
    >>> page_spans(collection.nodes, collection.rows, collection.summary, collection.ids())
    {'a': [(0, 4), (5, 9)]}
    """
    tags, parents = summary.tag_of.tolist(), summary.parent_of.tolist()
    is_page = [
        summary.tags[tag] == "page" and parent >= 0 and parents[parent] < 0
        for tag, parent in zip(tags, parents, strict=True)
    ]
    nodes = np.flatnonzero(np.array([*is_page, False])[columns.path])
    edges = np.searchsorted(nodes, rows).tolist()
    by_name = {}
    for name, (first, end) in zip(names, pairwise(edges), strict=True):
        if first < end:
            some = nodes[first:end]
            starts, ends = columns.start[some].tolist(), columns.end[some].tolist()
            by_name[name] = list(zip(starts, ends, strict=True))
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
        return distinct((document * _KEY + counted)[is_inside])


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
