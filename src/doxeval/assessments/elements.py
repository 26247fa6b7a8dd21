"""Assessed elements: all elements that assessors graded, or that hold highlighted text.

Elements come as columns over all topics, sorted by topic and document order, each with its grade
on one scale. Recall bases are chosen from them, and measures look up there what a retrieved
element is worth. Which of the functions here fits is for `relevant_elements` to decide.

The paths of elements that files of assessments name.

Elements that are known by their paths alone, numbered as a collection would number them.

Without a collection the ancestors of an element are the prefixes of its path, and its siblings
stand in the order in which the file names them.

An element is kept as a step below another element, so a path costs as much as it has steps,
however deep it is; one that continues a path that was met before costs its last step alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from collections.abc import Collection as Container
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, portions, positions_in
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.grades import (
    SCALE_NAMES,
    TOO_SMALL,
    Grade2003,
    Grade2005,
    GradeColumns,
    Scale,
    Specificity,
)
from doxeval.assessments.judgment import GradedElement, Judgment, MeasuredElement
from doxeval.documents import (
    NO_PARENT,
    STEP,
    Collection,
    PathSummary,
    Step,
    SummaryBuilder,
    format_path,
    parse_path,
)
from doxeval.errors import FormatError, SyntaxProblem, UnknownReference
from doxeval.messages import short_path, truncate
from doxeval.spans import Spans, shared_lengths

_NOWHERE = -1


class PathForest:
    """The elements of some documents, each with a number in document order.

    The descendants of an element have the numbers between its own and `after`.

    A document is whatever tells one from another: an id, or a topic and an id, where what another
    topic says is not to count.

    >>> forest = PathForest([("a", ["/s[1]/p[2]", "/s[1]"]), ("b", ["/s[1]"])])
    >>> forest.find_nodes(forest.find_documents(["a", "a", "b"]), ["/s", "/s/p[2]", "/t"]).tolist()
    [0, 1, -1]
    >>> forest.after.tolist(), [forest.tags[tag] for tag in forest.tag.tolist()]
    ([2, 2, 3], ['s', 'p', 's'])
    """

    def __init__(self, documents: Iterable[tuple[Hashable, Iterable[str]]]) -> None:
        # Here elements have provisional numbers, by first appearance. Above the root of a document
        # is a place of its own, numbered from -2 down: `_top`.
        self._documents: dict[Hashable, int] = {}
        self._below: dict[tuple[int, Step], int] = {}
        self._met: dict[int, dict[str, int]] = {}  # the elements of paths, by document
        for name, paths in documents:
            document = self._documents.setdefault(name, len(self._documents))
            for path in paths:
                self._add(document, path)
        self._number: Ints = self._in_document_order()

    def _add(self, document: int, path: str) -> int:
        """The provisional number of an element, which is new if it was not met before."""
        met = self._met.setdefault(document, {})
        path = path.strip()
        above, _, last = path.rpartition("/")
        at = met.get(above, _NOWHERE)
        match = STEP.fullmatch(last) if at != _NOWHERE else None
        if match is not None and match[2] != "0":
            steps: Sequence[Step] = [Step(match[1], int(match[2] or 1))]
        else:
            steps, at = parse_path(path), _top(document)
        for step in steps:
            at = self._below.setdefault((at, step), len(self._below))
        met[path] = at
        return at

    def _in_document_order(self) -> Ints:
        """The number of each element, whose children follow it in the order they were named."""
        children: dict[int, list[int]] = {}
        for node, (above, _) in enumerate(self._below):
            children.setdefault(above, []).append(node)
        numbers = np.empty(len(self._below), dtype=np.int64)
        pending = [
            root
            for document in reversed(range(len(self._documents)))
            for root in reversed(children.get(_top(document), ()))
        ]
        number = 0
        while pending:
            node = pending.pop()
            numbers[node] = number
            number += 1
            pending += reversed(children.get(node, ()))
        return numbers

    @cached_property
    def _parent(self) -> list[int]:
        """The provisional number above each element, below 0 for a root."""
        return [above for above, _ in self._below]

    def __len__(self) -> int:
        """The number of elements."""
        return len(self._below)

    @cached_property
    def after(self) -> Ints:
        """For each element the first number behind its descendants."""
        sizes = [1] * len(self)
        for node in range(len(self) - 1, -1, -1):  # children appear after their parents
            above = self._parent[node]
            if above >= 0:
                sizes[above] += sizes[node]
        after = np.empty(len(self), dtype=np.int64)
        after[self._number] = self._number + np.array(sizes, dtype=np.int64)
        return after

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The distinct tags, in document order."""
        named = [step.tag for _, step in self._below]
        return tuple(dict.fromkeys(named[node] for node in np.argsort(self._number).tolist()))

    @cached_property
    def tag(self) -> Ints:
        """The tag of each element, as its position in `tags`."""
        positions = {tag: position for position, tag in enumerate(self.tags)}
        tags = np.empty(len(self), dtype=np.int64)
        tags[self._number] = [positions[step.tag] for _, step in self._below]
        return tags

    @cached_property
    def path_numbers(self) -> tuple[PathSummary, Ints]:
        """The distinct paths without ordinals, and which of them each element has."""
        builder = SummaryBuilder()
        paths: list[int] = []
        for above, step in self._below:
            path = NO_PARENT if above < 0 else paths[above]
            paths.append(builder.child(path, builder.tag(step.tag)))
        numbers = np.empty(len(self), dtype=np.int64)
        numbers[self._number] = paths
        return builder.finish(), numbers

    def find_documents(self, documents: Sequence[Hashable]) -> Ints:
        """The numbers of documents, -1 for an unknown one."""
        find = self._documents.get
        return np.fromiter((find(name, -1) for name in documents), np.int64, len(documents))

    def find_roots(self, documents: Sequence[int] | Ints) -> Ints:
        """The root of each document, -1 if it is not known."""
        roots: dict[int, int] = {}
        for node, above in enumerate(self._parent):
            if above < 0:
                roots.setdefault(above, int(self._number[node]))
        wanted = np.asarray(documents).tolist()
        return np.array([roots.get(_top(document), -1) for document in wanted], dtype=np.int64)

    def find_nodes(self, documents: Sequence[int] | Ints, paths: Sequence[str]) -> Ints:
        """The elements of many (document, path) pairs, -1 where there is none."""
        pairs = zip(np.asarray(documents).tolist(), paths, strict=True)
        found = np.fromiter((self._find(*pair) for pair in pairs), np.int64, len(paths))
        return np.where(found < 0, -1, self._number[found] if len(self) else -1)

    def _find(self, document: int, path: str) -> int:
        """The provisional number of an element, _NOWHERE if it is not there."""
        met = self._met.get(document)
        if met is None:
            return _NOWHERE
        path = path.strip()
        if path in met:
            return met[path]
        try:
            steps = parse_path(path)
        except SyntaxProblem:
            return _NOWHERE
        at = _top(document)
        for step in steps:
            at = self._below.get((at, step), _NOWHERE)
            if at == _NOWHERE:
                break
        return at


def _top(document: int) -> int:
    """What stands above the root of a document."""
    return -2 - document


_BLOCK = 200_000  # about how many elements are looked at together

SpecificityFrom = Literal["passages", "file"]


@dataclass(frozen=True)
class AssessedElements:
    """Elements with grades, sorted by topic and document order.

    topic: its position in `topics`. document, node: as the collection (or the forest of paths)
    numbers them; the descendants of an element lie between node and after.
    size, rsize: its characters and its highlighted ones; -1 where only a collection could tell.
    """

    topics: tuple[str, ...]
    scale: Scale
    topic: Ints
    document: Ints
    node: Ints
    after: Ints
    tag: Ints
    tags: Sequence[str]
    size: Ints
    rsize: Ints
    grades: GradeColumns
    nodes_in_all: int
    # Where paths are looked up if there is no collection.
    forest: PathForest | None = None

    def __len__(self) -> int:
        return len(self.node)

    def keys(self, topic: Ints, node: Ints) -> Ints:
        """Topic and node as one number, in the order of the rows."""
        return topic * (self.nodes_in_all + 1) + node

    def find(self, topic: Ints, node: Ints) -> Ints:
        """The row of each element, given by topic and node; -1 where it has none."""
        found = positions_in(self.keys(self.topic, self.node), self.keys(topic, node))
        return np.where(node < 0, -1, found)

    def has_tag(self, tags: Container[str]) -> Bools:
        """Whether the tag of each element is one of these."""
        if not tags or not len(self.tags):
            return np.zeros(len(self), dtype=np.bool_)
        return np.array([tag in tags for tag in self.tags], dtype=np.bool_)[self.tag]

    def none_of(self, scale: Scale) -> AssessedElements:
        """No elements, of a scale."""
        empty = np.zeros(0, dtype=np.int64)
        names = ("topic", "document", "node", "after", "tag", "size", "rsize")
        columns: dict[str, Any] = dict.fromkeys(names, empty)
        return replace(self, **columns, scale=scale, grades=GradeColumns(empty, empty, empty))


class _Stated(NamedTuple):
    """What a file says of an element."""

    path: str
    grade: tuple[int, int, int]
    size: int = -1
    rsize: int = -1


def elements_from_highlights(assessments: Assessments, collection: Collection) -> AssessedElements:
    """Every element that holds highlighted text, with its size, rsize and specificity.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> found = elements_from_highlights(Assessments([Judgment("7", "a", ((4, 8),))]), collection)
    >>> [collection.path_of(node) for node in found.node.tolist()]
    ['/s[1]', '/s[1]/p[2]']
    >>> found.size.tolist(), found.rsize.tolist()
    ([8, 4], [4, 4])
    """
    topic, document, highlights = _highlighted(assessments, collection)
    pair, node, rsize = _holding(document, highlights, collection)
    order = np.lexsort((node, topic[pair]))
    pair, node, rsize = pair[order], node[order], rsize[order]
    columns = collection.nodes
    size = columns.end[node].astype(np.int64) - columns.start[node]
    return AssessedElements(
        assessments.topics,
        Specificity,
        topic[pair],
        document[pair],
        node,
        node + columns.size[node],
        collection.summary.tag_of[columns.path[node]],
        collection.summary.tags,
        size,
        rsize,
        GradeColumns(np.zeros(len(node), dtype=np.int64), rsize, size),
        len(columns.path),
    )


def _holding(document: Ints, highlights: Spans, collection: Collection) -> tuple[Ints, Ints, Ints]:
    """The elements with highlighted text: their pairs, nodes and highlighted characters.

    Pairs of a topic and a document are given by the document of each.
    """
    columns = collection.nodes
    first = np.asarray(collection.rows[document], dtype=np.int64)
    counts = np.asarray(collection.rows[document + 1], dtype=np.int64) - first
    found = [np.zeros((3, 0), dtype=np.int64)]
    for block in portions(counts, _BLOCK):
        node = concatenated_ranges(first[block], counts[block])
        pair = np.repeat(np.arange(block.start, block.stop), counts[block])
        own = slice(*np.searchsorted(highlights.group, [block.start, block.stop]))
        highlighted = Spans(*(column[own] for column in highlights))
        start, end = columns.start[node].astype(np.int64), columns.end[node].astype(np.int64)
        rsize = shared_lengths(Spans(pair, start, end), highlighted)
        kept = np.flatnonzero(rsize > 0)
        found.append(np.stack([pair[kept], node[kept], rsize[kept]]))
    pair, node, rsize = np.concatenate(found, axis=1)
    return pair, node, rsize


def _highlighted(assessments: Assessments, collection: Collection) -> tuple[Ints, Ints, Spans]:
    """The topics and documents with highlights, and these, grouped by the position of the pair."""
    columns = assessments.columns
    rows, group = np.unique(columns.highlights.group, return_inverse=True)
    documents = collection.find_documents(columns.documents).astype(np.int64)
    highlights = Spans(group, columns.highlights.start, columns.highlights.end)
    return columns.topic[rows], documents[columns.document[rows]], highlights


def elements_from_grades(
    assessments: Assessments, collection: Collection | None = None
) -> AssessedElements:
    """The graded elements of 2002–04 (or of 2005, where the grade holds the specificity).

    >>> from doxeval.assessments.judgment import GradedElement
    >>> graded = GradedElement("/s[1]/p[1]", Grade2003(3, 2))
    >>> found = elements_from_grades(Assessments([Judgment("7", "a", grades=(graded,))]))
    >>> found.grades.level.tolist(), found.grades.part.tolist()
    ([3], [2])
    """
    scales = {
        type(element.grade)
        for judgment in assessments.detailed()
        for element in judgment.grades
        if element.grade is not None
    }
    if len(scales) > 1:
        names = " and ".join(sorted(SCALE_NAMES[scale] for scale in scales))
        raise FormatError(f"{names} in one set of assessments cannot be compared")

    def graded(judgment: Judgment) -> list[_Stated]:
        return [
            _Stated(element.path, element.grade.columns)
            for element in judgment.grades
            if element.grade is not None
        ]

    return _placed(assessments, collection, next(iter(scales), Grade2003), graded)


def elements_from_lists(
    assessments: Assessments,
    collection: Collection | None = None,
    specificity: SpecificityFrom = "file",
) -> AssessedElements:
    """The elements that files of 2005–07 list, with their exhaustivity.

    Specificity is the share of text as the file counted it, or, given a collection, as the
    highlighted passages say.
    """

    def listed(judgment: Judgment) -> list[_Stated]:
        return [
            _Stated(e.path, _share_in_file(e, judgment), e.size, e.highlighted)
            for e in judgment.elements
        ]

    found = _placed(assessments, collection, Grade2005, listed)
    if specificity == "file" or collection is None:
        return found
    return _with_sizes(found, elements_from_highlights(assessments, collection), collection)


def _share_in_file(element: MeasuredElement, judgment: Judgment) -> tuple[int, int, int]:
    level = TOO_SMALL if element.exhaustivity is None else element.exhaustivity
    if element.highlighted > element.size:
        raise FormatError(
            f"{short_path(element.path)} has rsize {element.highlighted}, more than its size "
            f"{element.size}",
            judgment.origin,
            judgment.line,
        )
    share = Fraction(element.highlighted, element.size or 1)
    return level, share.numerator, share.denominator


def _with_sizes(
    found: AssessedElements, measured: AssessedElements, collection: Collection
) -> AssessedElements:
    """The elements with the sizes of the collection and what is highlighted in them."""
    columns = collection.nodes
    size = (columns.end[found.node] - columns.start[found.node]).astype(np.int64)
    rows = measured.find(found.topic, found.node)
    rsize = np.where(rows < 0, 0, measured.rsize[rows] if len(measured) else 0)
    grades = GradeColumns(found.grades.level, rsize, np.maximum(size, 1))
    return replace(found, size=size, rsize=rsize, grades=grades)


def _placed(
    assessments: Assessments,
    collection: Collection | None,
    scale: Scale,
    stated_in: Callable[[Judgment], list[_Stated]],
) -> AssessedElements:
    """The elements that files state, each with its node in the collection or the forest."""
    judged = [(judgment, one) for judgment in assessments.detailed() for one in stated_in(judgment)]
    forest = None
    if collection is None:
        forest = PathForest((judgment.pair, [one.path]) for judgment, one in judged)
        document = forest.find_documents([judgment.pair for judgment, _ in judged])
    else:
        document = collection.find_documents([judgment.document for judgment, _ in judged])
    home = collection or forest or PathForest([])
    node = home.find_nodes(document, [one.path for _, one in judged])
    _refuse_unknown(node, judged)
    topics = {topic: position for position, topic in enumerate(assessments.topics)}
    topic = np.array([topics[judgment.topic] for judgment, _ in judged], dtype=np.int64)
    said = np.array(
        [(*one.grade, one.size, one.rsize) for _, one in judged], dtype=np.int64
    ).reshape(-1, 5)
    rows = _said_once(topic, node, said, judged)
    node = node[rows]
    level, part, whole, size, rsize = said[rows].T
    if collection is not None:
        columns = collection.nodes
        size = (columns.end[node] - columns.start[node]).astype(np.int64)
    return AssessedElements(
        assessments.topics,
        scale,
        topic[rows],
        document[rows],
        node,
        *_relatives(node, home),
        size,
        rsize,
        GradeColumns(level, part, whole),
        len(home.nodes.path) if isinstance(home, Collection) else len(home),
        forest,
    )


def _relatives(node: Ints, home: Collection | PathForest) -> tuple[Ints, Ints, Sequence[str]]:
    """Where the descendants of each element end, its tag, and all tags."""
    if isinstance(home, PathForest):
        return home.after[node], home.tag[node], home.tags
    columns = home.nodes
    tag = home.summary.tag_of[columns.path[node]]
    return node + columns.size[node], tag, home.summary.tags


def _refuse_unknown(node: Ints, judged: Sequence[tuple[Judgment, _Stated]]) -> None:
    for row in np.flatnonzero(node < 0).tolist():
        judgment, one = judged[row]
        raise UnknownReference(
            f"no element {short_path(one.path)} in document {truncate(judgment.document)} of "
            "the collection",
            judgment.origin,
            judgment.line,
        )


def _said_once(
    topic: Ints, node: Ints, said: Ints, judged: Sequence[tuple[Judgment, _Stated]]
) -> Ints:
    """The rows in order of topic and node; one element with two grades is an error."""
    order = np.lexsort((node, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(node[order]) == 0)
    differs = again & (said[order][1:] != said[order][:-1]).any(axis=1)
    for position in np.flatnonzero(differs).tolist():
        judgment, one = judged[int(order[position + 1])]
        raise FormatError(
            f"{short_path(one.path)} of document {truncate(judgment.document)} has two grades "
            f"for topic {truncate(judgment.topic)}",
            judgment.origin,
            judgment.line,
        )
    return order[np.append(True, ~again)] if len(order) else order


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
