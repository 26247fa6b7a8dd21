"""Finding many elements at once: by their paths, and around spans of text.

The requested paths form a tree, which is matched against the rows of the documents level by
level (`find_nodes`). For spans: in document order, elements begin at ascending offsets, so the last
element that begins at or before the start of a span is the innermost element around the span, or
inside it (`innermost_nodes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, portions, positions_in
from doxeval.documents.nodes import NO_PARENT, NO_PATH, NodeColumns, PathSummary
from doxeval.documents.paths import STEP
from doxeval.errors import CollectionError

_BLOCK = 200_000  # about how many elements are looked at together
_NOT_A_PATH = -1
_TOP = 0  # the node of the path tree above all roots
_SPANS = 100_000  # how many spans are looked up together


# By paths


def find_nodes(
    documents: Ints, paths: Sequence[str], columns: NodeColumns, rows: Ints, summary: PathSummary
) -> Ints:
    """Return the row of each (document, path) pair, -1 if there is no such element.

    `documents` are document numbers (-1: unknown), `rows` the first row of each document.
    """
    builder = _PathTreeBuilder(summary)
    node_of_path = np.fromiter((builder.add(path) for path in paths), np.int64, len(paths))
    tree = builder.finish()
    result = np.full(len(paths), -1, dtype=np.int64)
    possible = np.flatnonzero((documents >= 0) & (node_of_path != _NOT_A_PATH))
    possible = possible[np.argsort(documents[possible], kind="stable")]
    distinct, begins = np.unique(documents[possible], return_index=True)
    begins = np.append(begins, len(possible))
    first = rows[distinct]
    counts = rows[distinct + 1] - first
    for block in portions(counts, _BLOCK):
        pairs = possible[begins[block.start] : begins[block.stop]]
        which = np.searchsorted(distinct[block], documents[pairs])
        candidates = _Candidates(first[block], counts[block], columns, summary)
        result[pairs] = candidates.find(which, node_of_path[pairs], tree)
    return result


class _PathTree(NamedTuple):
    """The requested paths and all paths above them.

    A node is its parent's path and one more step. The code of a step is a path of the summary and
    an ordinal as one number.
    """

    nodes: int
    levels: list[_PathLevel]
    step_codes: Ints  # distinct, ascending
    is_needed: Bools  # for each path of the summary, whether it occurs

    def key(self, parent: Ints, step: Ints) -> Ints:
        """Return a node's parent and the index of its step in `step_codes`, as one number."""
        return parent * len(self.step_codes) + step


class _PathLevel(NamedTuple):
    """The nodes of the path tree at one depth, in the order of their keys: parent and step."""

    keys: Ints
    nodes: Ints


class _PathTreeBuilder:
    """Adds paths, given as text, to a path tree."""

    def __init__(self, summary: PathSummary) -> None:
        self._tags = summary.tag_numbers
        self._paths = len(summary)
        self._summary = summary
        self._children: dict[tuple[int, int], int] = {}  # of the summary, those looked up so far
        self._deepest = int(summary.depth_of.max(initial=0))
        self._known: dict[str, int] = {"": _TOP}  # the node of each path
        self._steps: dict[str, tuple[int, int]] = {}  # the tag number and ordinal of each step
        # The node for each parent, summary path and ordinal.
        self._nodes: dict[tuple[int, int, int], int] = {(-1, NO_PARENT, 0): _TOP}
        self._summary_path: list[int] = [NO_PARENT]
        self._depth: list[int] = [0]

    def add(self, path: str) -> int:
        """Return the node of a path; _NOT_A_PATH if no document of the collection can have it."""
        node = self._known.get(path)
        if node is None:
            node = self._known[path] = self._add(path.strip())
        return node

    def _add(self, path: str) -> int:
        if not path.startswith("/") or path.count("/") > self._deepest:
            return _NOT_A_PATH
        missing = []  # most paths share all but their last step with an earlier one
        while path not in self._known:
            missing.append(path)
            path = path.rpartition("/")[0]
        node = self._known[path]
        for prefix in reversed(missing):
            node = self._known[prefix] = self._child(node, prefix.rpartition("/")[2])
        return node

    def _child(self, parent: int, text: str) -> int:
        if parent == _NOT_A_PATH:
            return _NOT_A_PATH
        step = self._steps.get(text)
        if step is None:
            step = self._steps[text] = self._parse_step(text)
        tag, ordinal = step
        if tag == _NOT_A_PATH:
            return _NOT_A_PATH
        below = self._summary_path[parent], tag
        summary_path = self._children.get(below)
        if summary_path is None:
            summary_path = self._children[below] = self._summary.child(*below)
        if summary_path == NO_PATH:
            return _NOT_A_PATH
        node = self._nodes.setdefault((parent, summary_path, ordinal), len(self._nodes))
        if node == len(self._depth):
            self._summary_path.append(summary_path)
            self._depth.append(self._depth[parent] + 1)
        return node

    def _parse_step(self, text: str) -> tuple[int, int]:
        match = STEP.fullmatch(text)
        if match is None:
            return _NOT_A_PATH, 0
        return self._tags.get(match[1], _NOT_A_PATH), int(match[2] or 1)

    def finish(self) -> _PathTree:
        nodes = np.array(list(self._nodes), dtype=np.int64)
        parent, summary_path, ordinal = nodes.T
        codes, step = np.unique(_codes(summary_path, ordinal), return_inverse=True)
        is_needed = np.zeros(self._paths, dtype=np.bool_)
        is_needed[summary_path[1:]] = True
        tree = _PathTree(len(nodes), [], codes, is_needed)
        depth = np.array(self._depth, dtype=np.int64)
        for number in range(1, int(depth.max()) + 1):
            here = np.flatnonzero(depth == number)
            keys = tree.key(parent[here], step[here])
            order = np.argsort(keys)
            tree.levels.append(_PathLevel(keys[order], here[order]))
        return tree


class _Candidates:
    """All elements of some documents."""

    def __init__(
        self, first: Ints, counts: Ints, columns: NodeColumns, summary: PathSummary
    ) -> None:
        self._row = concatenated_ranges(first, counts)
        self._base = np.cumsum(counts) - counts  # the first candidate of each document
        self._document = np.repeat(np.arange(len(counts)), counts)
        self._columns = columns
        self._summary = summary

    def find(self, document: Ints, node: Ints, tree: _PathTree) -> Ints:
        """Return the row of each pair of a document and a node of the path tree, or -1."""
        node_of = self._identify(tree)
        known = np.flatnonzero(node_of >= 0)
        keys = self._document[known] * tree.nodes + node_of[known]
        order = np.argsort(keys)
        position = positions_in(keys[order], document * tree.nodes + node)
        is_found = position >= 0
        result = np.full(len(document), -1, dtype=np.int64)
        result[is_found] = self._row[known[order[position[is_found]]]]
        return result

    def _identify(self, tree: _PathTree) -> Ints:
        """Return the node of the path tree with the path of each candidate, or -1."""
        columns = self._columns
        summary_path = columns.path[self._row]
        left = np.flatnonzero(tree.is_needed[summary_path])
        codes = _codes(summary_path[left], columns.ordinal[self._row[left]])
        step = positions_in(tree.step_codes, codes)
        left, step = left[step >= 0], step[step >= 0]
        parent = self._base[self._document[left]] + columns.parent[self._row[left]]
        depth = self._summary.depth_of[summary_path[left]]
        node_of = np.full(len(self._row), -1, dtype=np.int64)
        for number, level in enumerate(tree.levels, 1):
            here = np.flatnonzero(depth == number)
            above = np.full(len(here), _TOP) if number == 1 else node_of[parent[here]]
            here, above = here[above >= 0], above[above >= 0]
            position = positions_in(level.keys, tree.key(above, step[here]))
            is_found = position >= 0
            node_of[left[here[is_found]]] = level.nodes[position[is_found]]
        return node_of


def _codes(summary_path: Ints, ordinal: Ints) -> Ints:
    """Return steps as single numbers."""
    return (summary_path.astype(np.int64) << 32) | ordinal


# Around spans


def innermost_nodes(
    documents: Ints, starts: Ints, ends: Ints, columns: NodeColumns, rows: Ints
) -> Ints:
    """Return the row of the innermost element around each span; -1 if no document has the span.

    `documents` are document numbers (-1: unknown), `rows` the first row of each document.
    """
    inside = (documents >= 0) & (starts >= 0) & (starts <= ends)
    inside[inside] = ends[inside] <= columns.end[rows[documents[inside]]]
    result = np.full(len(documents), -1, dtype=np.int64)
    document, beyond = documents[inside], ends[inside]
    root = rows[document]
    node = first_beginning(columns, root, rows[document + 1], starts[inside] + 1) - 1
    climbing = np.flatnonzero(columns.end[node] < beyond)
    while len(climbing):
        above = root[climbing] + columns.parent[node[climbing]]
        if (above >= node[climbing]).any():
            raise CollectionError(
                "a parent comes after its child; build the collection again", "nodes.parent.npy"
            )
        node[climbing] = above
        climbing = climbing[columns.end[node[climbing]] < beyond[climbing]]
    result[inside] = node
    return result


def first_beginning(columns: NodeColumns, low: Ints, high: Ints, offsets: Ints) -> Ints:
    """Return the first row of each document, [low, high), that begins at an offset or after it.

    If there is none, the result is `high`.

    >>> from doxeval.documents.examples import example_collection
    >>> nodes = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"}).nodes
    >>> whole, offsets = np.array([0, 0, 0]), np.array([0, 1, 5])
    >>> first_beginning(nodes, whole, whole + 3, offsets).tolist()
    [0, 2, 3]
    """
    result = np.empty(len(offsets), dtype=np.int64)
    for begin in range(0, len(offsets), _SPANS):
        block = slice(begin, begin + _SPANS)
        result[block] = _bisect(columns.start, low[block], high[block], offsets[block])
    return result


def _bisect(starts: Ints, low: Ints, high: Ints, offsets: Ints) -> Ints:
    """Return the same, for all documents at once: every step halves what is left of each."""
    last = len(starts) - 1
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        is_before = (low < high) & (starts[np.minimum(middle, last)] < offsets)
        low = np.where(is_before, middle + 1, low)
        high = np.where(is_before, high, middle)
    return low
