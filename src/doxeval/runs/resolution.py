"""A run against its collection: paths, points and offsets become elements and spans of text.

This is where references meet the collection. What does not resolve (an unknown document, a path
that names nothing, a span beyond the end) is collected with its line; nothing is moved or guessed.
Without a collection, paths are compared after every step has got its number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.documents import Collection, Trees, covers, covers_of_groups, format_path, parse_path
from doxeval.errors import InputError, SyntaxProblem
from doxeval.messages import quoted
from doxeval.runs.columns import Kind, RowSpans, SpanLists, spans_by_row
from doxeval.runs.run import Run
from doxeval.spans import Spans

if TYPE_CHECKING:
    from doxeval.documents import Offsets, Whitespace


class Unresolved(NamedTuple):
    """A result that does not resolve: its row, its line in the file, and why.

    >>> Unresolved(0, 1, "unknown document 'b'").reason
    "unknown document 'b'"
    """

    row: int
    line: int
    reason: str


@dataclass(frozen=True, eq=False)
class ResolvedRun:
    """A run with the documents, elements and spans of a collection, row by row.

    document: the document's number; node: the element (the root for a document, -1 for passages,
    points and trees); start, end: the span in code points (of a tree: that of its first node).
    A row that does not resolve has -1 everywhere. trees: the nodes of each result that is a tree.
    spans: the spans of results with several of them, whose start and end are those of the first.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>One.</s>"})
    >>> resolve(Run.from_dict({"1": ["a"]}), collection).node.tolist()
    [0]
    """

    run: Run
    document: Ints
    node: Ints
    start: Ints
    end: Ints
    trees: Trees
    unresolved: tuple[Unresolved, ...]
    spans: SpanLists | None = None

    def __len__(self) -> int:
        return len(self.run)

    def __repr__(self) -> str:
        return f"ResolvedRun({self.run!r}, {len(self.unresolved):,} unresolved)"

    def rows(self, rows: Ints) -> ResolvedRun:
        """Return only these rows, in this order; what did not resolve is not listed again."""
        return ResolvedRun(
            self.run.rows(rows),
            self.document[rows],
            self.node[rows],
            self.start[rows],
            self.end[rows],
            self.trees.rows(rows),
            (),
            None if self.spans is None else self.spans.rows(rows),
        )

    def pieces(self, rows: Ints | None = None) -> RowSpans:
        """Return the text spans of the given rows (default: all), grouped by row.

        The row of each span is its result's position among the given rows.

        >>> run = Run.from_dict({"1": [("a", [(0, 5), (9, 12)]), ("a", 5, 9)]})
        >>> [column.tolist() for column in resolve_without_collection(run).pieces()]
        [[0, 0, 1], [0, 9, 5], [5, 12, 9]]
        """
        if rows is None:
            return spans_by_row(self.start, self.end, self.spans)
        spans = None if self.spans is None else self.spans.rows(rows)
        return spans_by_row(self.start[rows], self.end[rows], spans)

    @cached_property
    def sizes(self) -> Ints:
        """The number of characters of each result."""
        size = self.end - self.start
        if self.spans is None:
            return size
        return np.where(self.spans.counts > 0, self.spans.sizes(), size)

    def as_trees(self, collection: Collection) -> Trees:
        """Return every result as a set of elements; one that does not resolve has none.

        A passage becomes the cover of its text, and so does a result with several spans; an
        entry point becomes the innermost element around it.

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p> <p>3.</p></s>"})
        >>> run = Run.from_dict({"1": ["a", ("a", 2, 8)]})
        >>> resolve(run, collection).as_trees(collection).as_sets()
        [(0,), (1, 2)]
        """
        kind, node = self.run.kind, self.node.copy()
        is_known = self.document >= 0
        points = np.flatnonzero((kind == Kind.POINT) & is_known)
        node[points] = collection.innermost(
            self.document[points], self.start[points], self.end[points]
        )
        is_text = (kind == Kind.PASSAGE) | (kind == Kind.SPANS)
        passages = np.flatnonzero(is_text & is_known)
        covered = self._covers(passages, collection)
        single = np.flatnonzero(node >= 0)
        counts = self.trees.counts.copy()
        counts[single] = 1
        counts[passages] = covered.counts
        begin = np.append(0, np.cumsum(counts))
        nodes = np.empty(int(begin[-1]), dtype=np.int64)
        nodes[begin[single]] = node[single]
        nodes[concatenated_ranges(begin[passages], covered.counts)] = covered.nodes
        several = np.flatnonzero(self.trees.counts > 0)
        nodes[concatenated_ranges(begin[several], counts[several])] = self.trees.nodes
        return Trees(nodes, begin)

    def _covers(self, rows: Ints, collection: Collection) -> Trees:
        """Return the covers of passages; several spans are covered together."""
        documents = self.document[rows]
        if self.spans is None:
            return covers(collection, documents, self.start[rows], self.end[rows])
        return covers_of_groups(collection, documents, Spans(*self.pieces(rows)))


def resolve(
    run: Run,
    collection: Collection,
    *,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> ResolvedRun:
    """Resolve all results of a run.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> run = Run.from_dict({"1": [("a", "/s[1]/p[2]"), "b"]})
    >>> resolved = resolve(run, collection)
    >>> resolved.start.tolist(), resolved.end.tolist()
    ([4, -1], [8, -1])
    >>> resolved.unresolved
    (Unresolved(row=1, line=2, reason="unknown document 'b'"),)
    """
    return _Resolver(run, collection, offsets, whitespace).resolve()


def resolve_without_collection(run: Run) -> ResolvedRun:
    """Return a run without a collection: results have the spans they state, and nothing else.

    >>> resolved = resolve_without_collection(Run.from_dict({"1": [("a", 5, 9), "b"]}))
    >>> resolved.start.tolist(), resolved.end.tolist(), resolved.node.tolist()
    ([5, -1], [9, -1], [-1, -1])
    """
    nothing = np.full(len(run), -1, dtype=np.int64)
    end = np.where(run.kind == Kind.POINT, run.start, run.end)
    trees = Trees.empty(len(run))
    return ResolvedRun(run, nothing, nothing, run.start, end, trees, (), run.spans)


class _Resolver:
    def __init__(
        self, run: Run, collection: Collection, offsets: Offsets, whitespace: Whitespace | None
    ) -> None:
        self._run = run
        self._collection = collection
        self._offsets = offsets
        self._points = collection.points(whitespace)
        nothing = np.full(len(run), -1, dtype=np.int64)
        self._node, self._start, self._end = nothing, nothing.copy(), nothing.copy()
        self._tree_sizes = np.zeros(len(run), dtype=np.int64)
        self._tree_nodes: list[int] = []
        self._reasons: dict[int, str] = {}
        self._spans: SpanLists | None = None

    def resolve(self) -> ResolvedRun:
        run = self._run
        numbers = self._collection.find_documents(run.documents)
        document = numbers[run.document] if len(run) else run.document
        self._document = document
        for row in np.flatnonzero(document < 0).tolist():
            self._reasons[row] = f"unknown document {quoted(run.documents[int(run.document[row])])}"
        known, by_points = document >= 0, run.path >= 0
        is_span = (run.kind == Kind.PASSAGE) | (run.kind == Kind.POINT)
        for is_such, resolve_rows in (
            (run.kind == Kind.DOCUMENT, self._documents),
            (run.kind == Kind.ELEMENT, self._elements),
            (is_span & ~by_points, self._offset_spans),
            (is_span & by_points, self._point_spans),
            (run.kind == Kind.TREE, self._trees),
        ):
            rows = np.flatnonzero(known & is_such)
            if len(rows):
                resolve_rows(rows)
        if run.spans is not None:
            self._several(run.spans, known)
        return self._finish()

    def _finish(self) -> ResolvedRun:
        bad = np.array(sorted(self._reasons), dtype=np.int64)
        for column in (self._node, self._start, self._end):
            column[bad] = -1
        document = self._document.astype(np.int64, copy=True)
        document[bad] = -1
        lines = self._run.line
        return ResolvedRun(
            self._run,
            document,
            self._node,
            self._start,
            self._end,
            Trees(
                np.array(self._tree_nodes, dtype=np.int64),
                np.append(0, np.cumsum(self._tree_sizes)),
            ),
            tuple(
                Unresolved(row, int(lines[row]), self._reasons[row])
                for row in sorted(self._reasons)
            ),
            None if self._spans is None else self._spans.without(bad),
        )

    def _set_nodes(self, rows: Ints, nodes: Ints) -> None:
        self._node[rows] = nodes
        self._start[rows] = self._collection.nodes.start[nodes]
        self._end[rows] = self._collection.nodes.end[nodes]

    def _documents(self, rows: Ints) -> None:
        self._set_nodes(rows, self._collection.rows[self._document[rows]])

    def _elements(self, rows: Ints) -> None:
        known = self._run.paths
        paths = [known[number][0] for number in self._run.path[rows].tolist()]
        nodes = self._collection.find_nodes(self._document[rows], paths)
        exists = nodes >= 0
        self._set_nodes(rows[exists], nodes[exists])
        for at in np.flatnonzero(~exists).tolist():
            self._reasons[int(rows[at])] = self._why_not(int(rows[at]), paths[at])

    def _why_not(self, row: int, path: str) -> str:
        document = self._collection.id_of(int(self._document[row]))
        return self._collection.why_not(document, path)

    def _offset_spans(self, rows: Ints) -> None:
        """Resolve passages and entry points that are given by offsets."""
        is_point = self._run.kind[rows] == Kind.POINT
        given_start = self._run.start[rows]
        given_end = np.where(is_point, given_start, self._run.end[rows])
        start, end, reasons = self._inside(rows, given_start, given_end)
        self._start[rows], self._end[rows] = start, end
        for at, reason in reasons.items():
            span = f"[{given_start[at]:,}, {given_end[at]:,})"
            given = f"offset {given_start[at]:,}" if is_point[at] else span
            self._reasons[int(rows[at])] = f"{given} {reason}"

    def _several(self, given: SpanLists, known: Bools) -> None:
        """Resolve results with several spans, each of which must be inside the document."""
        listed = np.flatnonzero(known[given.owner])
        owner, given_start, given_end = (
            given.owner[listed],
            given.start[listed],
            given.end[listed],
        )
        start, end, reasons = self._inside(owner, given_start, given_end)
        for at, reason in reasons.items():
            span = f"[{given_start[at]:,}, {given_end[at]:,})"
            self._reasons.setdefault(int(owner[at]), f"{span} {reason}")
        self._spans = SpanLists.merged(Spans(owner, start, end), len(self._run))
        filled = np.flatnonzero(self._spans.counts)
        first = self._spans.begin[filled]
        self._start[filled], self._end[filled] = self._spans.start[first], self._spans.end[first]

    def _inside(self, rows: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, dict[int, str]]:
        """Return spans of rows in code points, and why some are not inside their documents."""
        if self._offsets == "bytes":
            start, end = self._from_bytes(rows, start), self._from_bytes(rows, end)
        length = self._collection.nodes.end[self._collection.rows[self._document[rows]]]
        outside = np.flatnonzero((end > length) | (start < 0) | (end < 0))
        return (
            start,
            end,
            {
                at: f"is not inside the document's {int(length[at]):,} characters"
                if start[at] >= 0 and end[at] >= 0
                else "splits a character, or is not inside the document"
                for at in outside.tolist()
            },
        )

    def _from_bytes(self, rows: Ints, positions: Ints) -> Ints:
        """Return code points from bytes of UTF-8; -1 where a position splits a character."""
        result = np.full(len(rows), -1, dtype=np.int64)
        documents = self._document[rows]
        for document in np.unique(documents).tolist():
            here = np.flatnonzero(documents == document)
            result[here] = self._collection.characters_at(document, positions[here])
        return result

    def _point_spans(self, rows: Ints) -> None:
        points = [self._run.paths[number] for number in self._run.path[rows].tolist()]
        documents = self._document[rows]
        starts = self._points.offsets(documents, [pair[0] for pair in points], "start")
        ends = self._points.offsets(documents, [pair[-1] for pair in points], "end")
        for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
            row = int(rows[at])
            is_point = self._run.kind[row] == Kind.POINT
            if isinstance(start, InputError):
                self._reasons[row] = str(start)
            elif is_point:
                self._start[row] = self._end[row] = start
            elif isinstance(end, InputError):
                self._reasons[row] = str(end)
            elif end < start:
                self._reasons[row] = f"the passage ends at {end:,} before it starts at {start:,}"
            else:
                self._start[row], self._end[row] = start, end

    def _trees(self, rows: Ints) -> None:
        trees = [self._run.paths[number] for number in self._run.path[rows].tolist()]
        sizes = [len(tree) for tree in trees]
        paths = [path for tree in trees for path in tree]
        nodes = self._collection.find_nodes(np.repeat(self._document[rows], sizes), paths)
        at = 0
        for row, size in zip(rows.tolist(), sizes, strict=True):
            tree = nodes[at : at + size]
            missing = np.flatnonzero(tree < 0)
            if len(missing):
                self._reasons[row] = self._why_not(row, paths[at + int(missing[0])])
            else:
                distinct = sorted(set(tree.tolist()))
                self._tree_nodes += distinct
                self._tree_sizes[row] = len(distinct)
                self._start[row] = self._collection.nodes.start[distinct[0]]
                self._end[row] = self._collection.nodes.end[distinct[0]]
            at += size


def path_numbers(run: Run) -> Ints:
    """Return a number for each result's paths, the same for all spellings of them.

    The root of a document has 0, and so has the whole document.

    >>> run = Run.from_dict({"1": [("d", "/a/p"), ("d", "/a[1]/p[1]"), ("d", "/a[1]"), "d"]})
    >>> path_numbers(run).tolist()
    [1, 1, 0, 0]
    """
    numbers: dict[tuple[str, ...], int] = {(): 0}
    canonical = [numbers.setdefault(_canonical_paths(paths), len(numbers)) for paths in run.paths]
    return np.array([*canonical, 0], dtype=np.int64)[run.path]


def span_numbers(run: Run) -> Ints:
    """Return a number for the spans of each result with several; 0 for all others."""
    return np.zeros(len(run), dtype=np.int64) if run.spans is None else run.spans.numbers()


def unit_numbers(run: Run) -> Ints:
    """Return a number for each result's paths, or for its spans if it has several."""
    return path_numbers(run) + span_numbers(run)  # none has both


def unit_kinds(run: Run) -> Ints:
    """Return the kind of each result; a whole document counts as an element, its root."""
    return np.where(run.kind == Kind.DOCUMENT, int(Kind.ELEMENT), run.kind)


def canonical_path(path: str) -> str:
    """Return a path with every step numbered; a string that is not a path stays as it is.

    >>> canonical_path("/article/sec[2]"), canonical_path("here")
    ('/article[1]/sec[2]', 'here')
    """
    try:
        return format_path(parse_path(path))
    except SyntaxProblem:
        return path


def _canonical_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return paths in order, none for the root; text points stay as they are."""
    if any("text()" in point for point in paths):
        return paths
    spellings = tuple(sorted(set(map(canonical_path, paths))))
    return () if len(spellings) == 1 and spellings[0].count("/") == 1 else spellings


def subtree_spans(paths: Sequence[str]) -> tuple[Ints, Ints]:
    """Return a span of numbers for each path, which includes the spans of all paths below it.

    The spans of other paths are apart from it. An empty path stands for the whole document.

    >>> start, end = subtree_spans(["/a[1]/p[2]", "/a", "/a[1]/p[1]", "", "/a[1]/p"])
    >>> list(zip(start.tolist(), end.tolist()))
    [(3, 4), (1, 4), (2, 3), (0, 4), (2, 3)]
    """
    # Each step ends with the character that sorts first, so everything below a path follows it.
    keys = [canonical_path(path).replace("/", "\x00") + "\x00" for path in paths]
    ordered = sorted(set(keys))
    spans = {
        key: (at, bisect_left(ordered, key[:-1] + "\x01", at)) for at, key in enumerate(ordered)
    }
    start, end = np.array([spans[key] for key in keys], dtype=np.int64).reshape(-1, 2).T
    return start, end
