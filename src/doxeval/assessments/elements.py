"""Assessed elements: all elements that assessors graded, or that hold highlighted text.

Elements come as columns over all topics, sorted by topic and document order, each with its grade
on one scale. Recall bases are chosen from them, and measures look up there what a retrieved
element is worth. `RelevantElements` decides which of the functions here fits.

Paths are looked up in the collection. Without one, elements are known by the paths that files
name, and a `PathForest` numbers them as a collection would.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Container
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, distinct_below, portions, positions_in
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

_BLOCK = 200_000  # about how many elements are looked at together

SpecificityFrom = Literal["passages", "file"]


@dataclass(frozen=True, eq=False)
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
        """Return topic and node as one number, in the order of the rows."""
        return topic * (self.nodes_in_all + 1) + node

    def find(self, topic: Ints, node: Ints) -> Ints:
        """Return the row of each element, given by topic and node; -1 where it has none."""
        row = positions_in(self.keys(self.topic, self.node), self.keys(topic, node))
        return np.where(node < 0, -1, row)

    def has_tag(self, tags: Container[str]) -> Bools:
        """Return whether the tag of each element is one of these."""
        if not tags or not len(self.tags):
            return np.zeros(len(self), dtype=np.bool_)
        return np.array([tag in tags for tag in self.tags], dtype=np.bool_)[self.tag]

    def rows(self, rows: Ints) -> AssessedElements:
        """Return only some of the elements."""
        names = ("topic", "document", "node", "after", "tag", "size", "rsize")
        columns = {name: getattr(self, name)[rows] for name in names}
        return replace(
            self, **columns, grades=GradeColumns(*(column[rows] for column in self.grades))
        )

    def none_of(self, scale: Scale) -> AssessedElements:
        """Return no elements, of a scale."""
        return replace(self.rows(np.zeros(0, dtype=np.int64)), scale=scale)


def elements_from_highlights(assessments: Assessments, collection: Collection) -> AssessedElements:
    """Return every element that holds highlighted text, with its size, rsize and specificity.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> judged = Assessments([Judgment("7", "a", ((4, 8),))])
    >>> elements = elements_from_highlights(judged, collection)
    >>> [collection.path_of(node) for node in elements.node.tolist()]
    ['/s[1]', '/s[1]/p[2]']
    >>> elements.size.tolist(), elements.rsize.tolist()
    ([8, 4], [4, 4])
    """
    judged = assessments.columns
    rows, group = distinct_below(len(judged), judged.highlights.group)
    topic = judged.topic[rows]
    document = assessments.document_numbers(collection)[judged.document[rows]]
    highlights = Spans(group, judged.highlights.start, judged.highlights.end)
    pair, node, rsize = _highlighted_nodes(document, highlights, collection)
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


def _highlighted_nodes(
    document: Ints, highlights: Spans, collection: Collection
) -> tuple[Ints, Ints, Ints]:
    """Return the elements with highlighted text: their pairs, nodes and highlighted characters.

    Pairs of a topic and a document are given by the document of each; highlights are grouped by
    the position of their pair.
    """
    columns = collection.nodes
    first = np.asarray(collection.rows[document], dtype=np.int64)
    counts = np.asarray(collection.rows[document + 1], dtype=np.int64) - first
    blocks = [np.zeros((3, 0), dtype=np.int64)]
    for block in portions(counts, _BLOCK):
        node = concatenated_ranges(first[block], counts[block])
        pair = np.repeat(np.arange(block.start, block.stop), counts[block])
        spans = slice(*np.searchsorted(highlights.group, [block.start, block.stop]))
        highlighted = Spans(*(column[spans] for column in highlights))
        start, end = columns.start[node].astype(np.int64), columns.end[node].astype(np.int64)
        rsize = shared_lengths(Spans(pair, start, end), highlighted)
        kept = np.flatnonzero(rsize > 0)
        blocks.append(np.stack([pair[kept], node[kept], rsize[kept]]))
    pair, node, rsize = np.concatenate(blocks, axis=1)
    return pair, node, rsize


class _ListedElement(NamedTuple):
    """An element as a file lists it; row: of its judgment."""

    row: int
    path: str
    grade: tuple[int, int, int]
    size: int = -1
    rsize: int = -1


def elements_from_grades(
    assessments: Assessments, collection: Collection | None = None
) -> AssessedElements:
    """Return the graded elements of 2002–04 (or of 2005, where the grade holds the specificity).

    >>> from doxeval.assessments.judgment import GradedElement
    >>> graded = GradedElement("/s[1]/p[1]", Grade2003(3, 2))
    >>> elements = elements_from_grades(Assessments([Judgment("7", "a", grades=(graded,))]))
    >>> elements.grades.level.tolist(), elements.grades.part.tolist()
    ([3], [2])
    """
    graded = [
        (row, element)
        for row, element in assessments.columns.each("grades")
        if element.grade is not None
    ]
    scales = {type(element.grade) for _, element in graded}
    if len(scales) > 1:
        names = " and ".join(sorted(SCALE_NAMES[scale] for scale in scales))
        raise FormatError(f"{names} in one set of assessments cannot be compared")
    listed = [_ListedElement(row, element.path, element.grade.columns) for row, element in graded]
    return _resolve_elements(assessments, collection, next(iter(scales), Grade2003), listed)


def elements_from_lists(
    assessments: Assessments,
    collection: Collection | None = None,
    specificity: SpecificityFrom = "file",
) -> AssessedElements:
    """Return the elements that files of 2005–07 list, with their exhaustivity.

    Specificity is the share of text as the file counted it, or, given a collection, as the
    highlighted passages say.
    """
    listed = []
    for row, element in assessments.columns.each("elements"):
        if element.highlighted > element.size:
            judgment = assessments.columns[row]
            raise FormatError(
                f"{short_path(element.path)} has rsize {element.highlighted}, more than its size "
                f"{element.size}",
                judgment.origin,
                judgment.line,
            )
        level = TOO_SMALL if element.exhaustivity is None else element.exhaustivity
        share = Fraction(element.highlighted, element.size or 1)
        grade = (level, share.numerator, share.denominator)
        listed.append(_ListedElement(row, element.path, grade, element.size, element.highlighted))
    elements = _resolve_elements(assessments, collection, Grade2005, listed)
    if specificity == "file" or collection is None:
        return elements
    highlighted = elements_from_highlights(assessments, collection)
    rows = highlighted.find(elements.topic, elements.node)
    rsize = np.where(rows < 0, 0, highlighted.rsize[rows] if len(highlighted) else 0)
    grades = GradeColumns(elements.grades.level, rsize, np.maximum(elements.size, 1))
    return replace(elements, rsize=rsize, grades=grades)


def _resolve_elements(
    assessments: Assessments,
    collection: Collection | None,
    scale: Scale,
    listed: Sequence[_ListedElement],
) -> AssessedElements:
    """Return the elements that files list, each with its node in the collection or a forest."""
    judged = assessments.columns
    row = np.array([element.row for element in listed], dtype=np.int64)
    paths = [element.path for element in listed]
    tree: Collection | PathForest
    if collection is None:
        pairs = [judged.pair(element.row) for element in listed]
        tree = PathForest((pair, [path]) for pair, path in zip(pairs, paths, strict=True))
        document = tree.find_documents(pairs)
    else:
        tree = collection
        document = assessments.document_numbers(collection)[judged.document[row]]
    node = tree.find_nodes(document, paths)
    for at in np.flatnonzero(node < 0).tolist():
        judgment = judged[listed[at].row]
        raise UnknownReference(
            f"no element {short_path(paths[at])} in document {truncate(judgment.document)} "
            "of the collection",
            judgment.origin,
            judgment.line,
        )
    topic = judged.topic[row]
    values = np.array(
        [(*element.grade, element.size, element.rsize) for element in listed], dtype=np.int64
    ).reshape(-1, 5)
    order = np.lexsort((node, topic))
    again = (np.diff(topic[order]) == 0) & (np.diff(node[order]) == 0)
    differs = again & (values[order][1:] != values[order][:-1]).any(axis=1)
    for at in order[1:][differs].tolist():
        judgment = judged[listed[at].row]
        raise FormatError(
            f"{short_path(paths[at])} of document {truncate(judgment.document)} has two grades "
            f"for topic {truncate(judgment.topic)}",
            judgment.origin,
            judgment.line,
        )
    kept = order[np.append(True, ~again)] if len(order) else order  # each element once
    topic, document, node = topic[kept], document[kept], node[kept]
    level, part, whole, size, rsize = values[kept].T
    tags: Sequence[str]
    if isinstance(tree, PathForest):
        after, tag, tags, nodes_in_all = tree.after[node], tree.tag[node], tree.tags, len(tree)
    else:
        nodes, summary = tree.nodes, tree.summary
        size = (nodes.end[node] - nodes.start[node]).astype(np.int64)
        after, tag, tags = node + nodes.size[node], summary.tag_of[nodes.path[node]], summary.tags
        nodes_in_all = len(nodes.path)
    return AssessedElements(
        assessments.topics,
        scale,
        topic,
        document,
        node,
        after,
        tag,
        tags,
        size,
        rsize,
        GradeColumns(level, part, whole),
        nodes_in_all,
        tree if isinstance(tree, PathForest) else None,
    )


# Paths

# A path in which every step is numbered, as almost all files have them.
_NUMBERED = re.compile(r"(?:/[^\s/\[\]()@*|]+\[[1-9][0-9]{0,8}\])+")


def line_of(element: GradedElement | MeasuredElement, judgment: Judgment) -> int | None:
    """Return the line of an element, or else of the judgment it belongs to.

    >>> line_of(GradedElement("/a[1]", None), Judgment("7", "d", origin="7.xml", line=3))
    3
    """
    line = element.line if isinstance(element, GradedElement) else None
    return judgment.line if line is None else line


def steps_of(element: GradedElement | MeasuredElement, judgment: Judgment) -> tuple[Step, ...]:
    """Return the steps of an element's path; one that does not parse is an error with its line.

    >>> steps_of(GradedElement("/a/b[2]", None), Judgment("7", "d"))
    (Step(tag='a', ordinal=1), Step(tag='b', ordinal=2))
    """
    try:
        return parse_path(element.path)
    except SyntaxProblem as error:
        raise FormatError(error.message, judgment.origin, line_of(element, judgment)) from None


def numbered_path(element: GradedElement | MeasuredElement, judgment: Judgment) -> str:
    """Return the path of an element with all its steps numbered.

    >>> numbered_path(GradedElement("/a/b[2]", None), Judgment("7", "d"))
    '/a[1]/b[2]'
    """
    path = element.path
    return path if _NUMBERED.fullmatch(path) else format_path(steps_of(element, judgment))


_NOT_FOUND = -1


class PathForest:
    """The elements of some documents that paths name, each with a number in document order.

    The ancestors of an element are the prefixes of its path; siblings are in the order in which
    they are named. The descendants of an element have the numbers from its own to `after`.
    The key of a document may be anything: an id, or a topic and an id.

    An element is kept as a step below another element, so that a path costs as much as it has
    steps, however deep it is; one that continues an earlier path costs its last step alone.

    >>> forest = PathForest([("a", ["/s[1]/p[2]", "/s[1]"]), ("b", ["/s[1]"])])
    >>> forest.find_nodes(forest.find_documents(["a", "a", "b"]), ["/s", "/s/p[2]", "/t"]).tolist()
    [0, 1, -1]
    >>> forest.after.tolist(), [forest.tags[tag] for tag in forest.tag.tolist()]
    ([2, 2, 3], ['s', 'p', 's'])
    """

    def __init__(self, documents: Iterable[tuple[Hashable, Iterable[str]]]) -> None:
        # Here elements have provisional numbers, by first appearance. What is above the root of a
        # document is numbered from -2 down: `_top`.
        self._documents: dict[Hashable, int] = {}
        self._below: dict[tuple[int, Step], int] = {}
        self._node_of_path: dict[int, dict[str, int]] = {}
        for name, paths in documents:
            document = self._documents.setdefault(name, len(self._documents))
            for path in paths:
                self._add(document, path)
        self._number: Ints = self._in_document_order()

    def _add(self, document: int, path: str) -> int:
        """Return the provisional number of an element, a new one if it is new."""
        nodes = self._node_of_path.setdefault(document, {})
        path = path.strip()
        above, _, last = path.rpartition("/")
        at = nodes.get(above, _NOT_FOUND)
        match = STEP.fullmatch(last) if at != _NOT_FOUND else None
        if match is not None and match[2] != "0":
            steps: Sequence[Step] = [Step(match[1], int(match[2] or 1))]
        else:
            steps, at = parse_path(path), _top(document)
        for step in steps:
            at = self._below.setdefault((at, step), len(self._below))
        nodes[path] = at
        return at

    def _in_document_order(self) -> Ints:
        """Return the number of each element; its children follow it as they were named."""
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
        """Return the numbers of documents, -1 for an unknown one."""
        find = self._documents.get
        return np.fromiter((find(name, -1) for name in documents), np.int64, len(documents))

    def find_roots(self, documents: Sequence[int] | Ints) -> Ints:
        """Return the root of each document, -1 if it is not known."""
        roots: dict[int, int] = {}
        for node, above in enumerate(self._parent):
            if above < 0:
                roots.setdefault(above, int(self._number[node]))
        numbers = np.asarray(documents).tolist()
        return np.array([roots.get(_top(document), -1) for document in numbers], dtype=np.int64)

    def find_nodes(self, documents: Sequence[int] | Ints, paths: Sequence[str]) -> Ints:
        """Return the elements of many (document, path) pairs, -1 where there is none."""
        pairs = zip(np.asarray(documents).tolist(), paths, strict=True)
        node = np.fromiter((self._find(*pair) for pair in pairs), np.int64, len(paths))
        return np.where(node < 0, -1, self._number[node] if len(self) else -1)

    def _find(self, document: int, path: str) -> int:
        """Return the provisional number of an element, _NOT_FOUND if it is not there."""
        nodes = self._node_of_path.get(document)
        if nodes is None:
            return _NOT_FOUND
        path = path.strip()
        if path in nodes:
            return nodes[path]
        try:
            steps = parse_path(path)
        except SyntaxProblem:
            return _NOT_FOUND
        at = _top(document)
        for step in steps:
            at = self._below.get((at, step), _NOT_FOUND)
            if at == _NOT_FOUND:
                break
        return at


def _top(document: int) -> int:
    """Return the number of what is above the root of a document."""
    return -2 - document
