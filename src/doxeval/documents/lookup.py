"""Finding many elements at once: by their paths, or around ranges of text.

By path: the wanted paths form a tree (`/article[1]` is above `/article[1]/sec[2]`). Level by
level, in all wanted documents together, each element is matched with its node in this tree. Then
each (document, path) pair takes one search. The work is proportional to the number of elements in
the wanted documents, and is done on whole arrays.

Around a range: in document order, elements begin at ascending offsets. So the last element that
begins at or before the start of a range is the innermost element around the range, or inside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges, positions_in
from doxeval.documents.nodes import NodeColumns
from doxeval.documents.paths import STEP
from doxeval.documents.summary import NO_PARENT, PathSummary
from doxeval.errors import CollectionError

_NOT_A_PATH = -1
_TOP = 0  # the node of the path tree above all roots


class _PathTree(NamedTuple):
    """The wanted paths and all paths above them, parents before children.

    A node is its parent's path and one more step. The code of a step is a path of the summary and
    an ordinal as one number.
    """

    parent: Ints
    depth: Ints
    step: Ints  # the index of the node's step in `step_codes`
    step_codes: Ints  # distinct, ascending
    summary_paths: Ints  # the paths of the summary that occur


def find_nodes(
    documents: Ints, paths: Sequence[str], columns: NodeColumns, rows: Ints, summary: PathSummary
) -> Ints:
    """The row of each (document, path) pair, -1 if there is no such element.

    `documents` are document numbers (-1: unknown), `rows` the first row of each document.
    """
    wanted, tree = _path_tree(paths, summary)
    possible = (documents >= 0) & (wanted != _NOT_A_PATH)
    distinct, which = np.unique(documents[possible], return_inverse=True)
    result = np.full(len(paths), -1, dtype=np.int64)
    if not len(distinct):
        return result
    first = rows[distinct]
    counts = rows[distinct + 1] - first
    candidates = concatenated_ranges(first, counts)
    base = np.cumsum(counts) - counts  # the first row of each document among the candidates
    document_of = np.repeat(np.arange(len(distinct)), counts)
    node_of = _identified(candidates, base, document_of, columns, tree, summary)
    known = np.flatnonzero(node_of >= 0)
    keys = document_of[known] * len(tree.parent) + node_of[known]
    order = np.argsort(keys)
    position = positions_in(keys[order], which * len(tree.parent) + wanted[possible])
    is_found = position >= 0
    result[np.flatnonzero(possible)[is_found]] = candidates[known[order[position[is_found]]]]
    return result


def innermost_nodes(
    documents: Ints, starts: Ints, ends: Ints, columns: NodeColumns, rows: Ints
) -> Ints:
    """The row of the innermost element around each range, -1 if the document has no such range.

    `documents` are document numbers (-1: unknown), `rows` the first row of each document.
    """
    inside = (documents >= 0) & (starts >= 0) & (starts <= ends)
    inside[inside] = ends[inside] <= columns.end[rows[documents[inside]]]
    result = np.full(len(documents), -1, dtype=np.int64)
    distinct, which = np.unique(documents[inside], return_inverse=True)
    if not len(distinct):
        return result
    first = rows[distinct]
    counts = rows[distinct + 1] - first
    candidates = concatenated_ranges(first, counts)
    # Keys of a document and an offset, ascending over all documents.
    document_of = np.repeat(np.arange(len(distinct)), counts)
    keys = (document_of << 32) | columns.start[candidates]
    wanted = (which << 32) | starts[inside]
    node = candidates[np.searchsorted(keys, wanted, side="right") - 1]
    root = first[which]
    beyond = ends[inside]
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


def _identified(
    candidates: Ints,
    base: Ints,
    document_of: Ints,
    columns: NodeColumns,
    tree: _PathTree,
    summary: PathSummary,
) -> Ints:
    """The node of the path tree with the path of each candidate row, or -1."""
    is_needed = np.zeros(len(summary), dtype=np.bool_)
    is_needed[tree.summary_paths] = True
    summary_path = columns.path[candidates]
    left = np.flatnonzero(is_needed[summary_path])
    codes = _codes(summary_path[left], columns.ordinal[candidates[left]])
    step = positions_in(tree.step_codes, codes)
    left, step = left[step >= 0], step[step >= 0]
    parent = base[document_of[left]] + columns.parent[candidates[left]]
    depth = summary.depth_of[summary_path[left]]
    node_of = np.full(len(candidates), -1, dtype=np.int64)
    for level in range(1, int(tree.depth.max()) + 1):
        here = np.flatnonzero(depth == level)
        above = np.full(len(here), _TOP) if level == 1 else node_of[parent[here]]
        here, above = here[above >= 0], above[above >= 0]
        nodes = np.flatnonzero(tree.depth == level)
        keys = tree.parent[nodes] * len(tree.step_codes) + tree.step[nodes]
        order = np.argsort(keys)
        position = positions_in(keys[order], above * len(tree.step_codes) + step[here])
        is_found = position >= 0
        node_of[left[here[is_found]]] = nodes[order[position[is_found]]]
    return node_of


def _codes(summary_path: Ints, ordinal: Ints) -> Ints:
    """Steps as single numbers."""
    return (summary_path.astype(np.int64) << 32) | ordinal


def _path_tree(paths: Sequence[str], summary: PathSummary) -> tuple[Ints, _PathTree]:
    """The tree of all paths, and the node of each path in it."""
    builder = _PathTreeBuilder(summary)
    wanted = np.fromiter((builder.add(path) for path in paths), np.int64, len(paths))
    return wanted, builder.finish()


class _PathTreeBuilder:
    def __init__(self, summary: PathSummary) -> None:
        self._tags = summary.tag_numbers
        self._children = summary.children
        self._deepest = int(summary.depth_of.max(initial=0))
        self._known: dict[str, int] = {"": _TOP}  # the node of each path
        self._steps: dict[str, tuple[int, int]] = {}  # the tag number and ordinal of each step
        # The node for each parent, summary path and ordinal.
        self._nodes: dict[tuple[int, int, int], int] = {(-1, NO_PARENT, 0): _TOP}
        self._summary_path: list[int] = [NO_PARENT]
        self._depth: list[int] = [0]

    def add(self, path: str) -> int:
        """The node of a path; _NOT_A_PATH if no document of the collection can have it."""
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
            step = self._steps[text] = self._parsed(text)
        tag, ordinal = step
        summary_path = self._children.get((self._summary_path[parent], tag))
        if summary_path is None:
            return _NOT_A_PATH
        node = self._nodes.setdefault((parent, summary_path, ordinal), len(self._nodes))
        if node == len(self._depth):
            self._summary_path.append(summary_path)
            self._depth.append(self._depth[parent] + 1)
        return node

    def _parsed(self, text: str) -> tuple[int, int]:
        match = STEP.fullmatch(text)
        if match is None:
            return _NOT_A_PATH, 0
        return self._tags.get(match[1], _NOT_A_PATH), int(match[2] or 1)

    def finish(self) -> _PathTree:
        nodes = np.array(list(self._nodes), dtype=np.int64)
        parent, summary_path, ordinal = nodes.T
        codes, step = np.unique(_codes(summary_path, ordinal), return_inverse=True)
        depth = np.array(self._depth, dtype=np.int64)
        return _PathTree(parent, depth, step, codes, np.unique(summary_path[1:]))
