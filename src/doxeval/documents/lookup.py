"""Many paths to their elements at once.

All paths asked for form a tree of their own: `/article[1]` above `/article[1]/sec[2]`, and so
on. The elements of the documents in question are walked level by level, all documents
together, and each element learns which of those paths it is. Then every (document, path) pair
is one look-up. The work is proportional to the elements of the documents asked about, and
everything runs over whole arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges, positions_in
from doxeval.documents.nodes import NodeColumns
from doxeval.documents.paths import STEP
from doxeval.documents.summary import NO_PARENT, PathSummary

_NOT_A_PATH = -1
_NOTHING_ABOVE = 0  # the node of the path tree above all roots


class _PathTree(NamedTuple):
    """The paths asked for and everything above them, parents before children.

    A node is the path `parent` with one more step. A step is a path of the summary and an
    ordinal; `step` is its place in `steps`, which has them all, as single numbers, ascending.
    """

    parent: Ints
    depth: Ints
    step: Ints
    steps: Ints
    summary_paths: Ints  # those that occur


def find_nodes(
    documents: Ints, paths: Sequence[str], columns: NodeColumns, rows: Ints, summary: PathSummary
) -> Ints:
    """The row of each (document, path) pair, -1 where there is none.

    `documents` are document numbers (-1: unknown), `rows` each document's first row.
    """
    wanted, tree = _path_tree(paths, summary)
    asked = (documents >= 0) & (wanted != _NOT_A_PATH)
    touched, which = np.unique(documents[asked], return_inverse=True)
    result = np.full(len(paths), -1, dtype=np.int64)
    if not len(touched):
        return result
    first = rows[touched]
    counts = rows[touched + 1] - first
    candidates = concatenated_ranges(first, counts)
    base = np.cumsum(counts) - counts  # each document's first row among the candidates
    document_of = np.repeat(np.arange(len(touched)), counts)
    node_of = _identified(candidates, base, document_of, columns, tree, summary)
    known = np.flatnonzero(node_of >= 0)
    keys = document_of[known] * len(tree.parent) + node_of[known]
    order = np.argsort(keys)
    found = positions_in(keys[order], which * len(tree.parent) + wanted[asked])
    hits = np.flatnonzero(asked)[found >= 0]
    result[hits] = candidates[known[order[found[found >= 0]]]]
    return result


def _identified(
    candidates: Ints,
    base: Ints,
    document_of: Ints,
    columns: NodeColumns,
    tree: _PathTree,
    summary: PathSummary,
) -> Ints:
    """For each candidate row, which node of the path tree it is, or -1."""
    is_needed = np.zeros(len(summary), dtype=np.bool_)
    is_needed[tree.summary_paths] = True
    summary_path = columns.path[candidates]
    left = np.flatnonzero(is_needed[summary_path])
    step = positions_in(tree.steps, _codes(summary_path[left], columns.ordinal[candidates[left]]))
    left, step = left[step >= 0], step[step >= 0]
    parent = base[document_of[left]] + columns.parent[candidates[left]]
    depth = summary.depth_of[summary_path[left]]
    node_of = np.full(len(candidates), -1, dtype=np.int64)
    for level in range(1, int(tree.depth.max()) + 1):
        here = np.flatnonzero(depth == level)
        above = np.full(len(here), _NOTHING_ABOVE) if level == 1 else node_of[parent[here]]
        here, above = here[above >= 0], above[above >= 0]
        nodes = np.flatnonzero(tree.depth == level)
        keys = tree.parent[nodes] * len(tree.steps) + tree.step[nodes]
        order = np.argsort(keys)
        found = positions_in(keys[order], above * len(tree.steps) + step[here])
        node_of[left[here[found >= 0]]] = nodes[order[found[found >= 0]]]
    return node_of


def _codes(summary_path: Ints, ordinal: Ints) -> Ints:
    """A step as one number."""
    return (summary_path.astype(np.int64) << 32) | ordinal


def _path_tree(paths: Sequence[str], summary: PathSummary) -> tuple[Ints, _PathTree]:
    """The place of each path in the tree of all of them, and that tree."""
    builder = _PathTreeBuilder(summary)
    wanted = np.fromiter((builder.add(path) for path in paths), np.int64, len(paths))
    return wanted, builder.finish()


class _PathTreeBuilder:
    def __init__(self, summary: PathSummary) -> None:
        self._tags = summary.tag_numbers
        self._children = summary.children
        self._deepest = int(summary.depth_of.max(initial=0))
        self._known: dict[str, int] = {"": _NOTHING_ABOVE}
        self._steps: dict[str, tuple[int, int]] = {}  # tag number and ordinal of a step's text
        # Parent, summary path and ordinal of each node, to its number.
        self._nodes: dict[tuple[int, int, int], int] = {(-1, NO_PARENT, 0): _NOTHING_ABOVE}
        self._summary_path: list[int] = [NO_PARENT]
        self._depth: list[int] = [0]

    def add(self, path: str) -> int:
        """The node of a path, or _NOT_A_PATH if no document has anything like it."""
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
        steps, step = np.unique(_codes(summary_path, ordinal), return_inverse=True)
        depth = np.array(self._depth, dtype=np.int64)
        return _PathTree(parent, depth, step, steps, np.unique(summary_path[1:]))
