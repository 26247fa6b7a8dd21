"""Which part of its document a result is, according to the collection."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.pooling.parts import NO_KEY, NO_RANGE, Identifier, Parts, about_unresolved
from doxeval.runs import Kind, Run, resolve


class ResolvedParts(Identifier):
    """Parts in a collection: elements by their nodes, passages and entry points by their text.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"d": "<a><p>One.</p></a>"})
    >>> run = Run.from_dict({"7": [("d", "/a/p"), ("d", "/a[1]"), ("d", 0, 3), ("e", "/a[1]")]})
    >>> parts = ResolvedParts(collection).parts(run)
    >>> parts.key.tolist(), parts.start.tolist(), parts.document.tolist()
    ([1, -1, -1, -1], [-1, -1, 0, -1], [0, 0, 0, -1])
    >>> parts.warnings
    ("1 result does not resolve and is left out, the first on line 4: unknown document 'e'",)
    """

    def __init__(
        self,
        collection: Collection,
        offsets: Offsets = "characters",
        whitespace: Whitespace | None = None,
    ) -> None:
        self._collection = collection
        self._offsets = offsets
        self._whitespace = whitespace
        self._tree_number: dict[tuple[int, ...], int] = {}
        self._trees: list[tuple[int, ...]] = []

    def parts(self, run: Run) -> Parts:
        """As the run resolves."""
        found = resolve(run, self._collection, offsets=self._offsets, whitespace=self._whitespace)
        in_range = (run.kind == Kind.PASSAGE) | (run.kind == Kind.POINT)
        roots = self._collection.rows[found.document]
        key = np.where(found.node == roots, NO_KEY, found.node)
        trees = np.flatnonzero(found.trees.counts > 0)
        for row, nodes in zip(trees.tolist(), found.trees.rows(trees).as_sets(), strict=True):
            key[row] = NO_KEY if nodes == (roots[row],) else self._tree_key(nodes)
        start = np.where(in_range, found.start, NO_RANGE)
        end = np.where(in_range, found.end, NO_RANGE)
        lost = [(one.line, one.reason) for one in found.unresolved]
        return Parts(found.document, key, start, end, about_unresolved(lost))

    def _tree_key(self, nodes: tuple[int, ...]) -> int:
        if len(nodes) == 1:
            return nodes[0]
        number = self._tree_number.setdefault(nodes, len(self._trees))
        if number == len(self._trees):
            self._trees.append(nodes)
        return self._first_tree + number

    @property
    def _first_tree(self) -> int:
        """Keys below this are nodes."""
        return len(self._collection.nodes.start)

    def document_ids(self, run: Run, documents: Ints) -> list[str]:
        """As the collection has them."""
        return [self._collection.id_of(number) for number in documents.tolist()]

    def paths(self, key: int) -> tuple[str, ...]:
        """The paths of a node, or of the nodes of a tree."""
        nodes = (key,) if key < self._first_tree else self._trees[key - self._first_tree]
        return tuple(self._collection.path_of(node) for node in nodes)

    def in_order(self, keys: Ints) -> Ints:
        """In the order of the document."""
        trees = range(len(self._trees))
        rank = np.empty(len(trees), dtype=np.int64)
        rank[sorted(trees, key=self._trees.__getitem__)] = np.arange(len(trees))
        found, first = keys.copy(), self._first_tree
        is_tree = keys >= first
        found[is_tree] = first + rank[keys[is_tree] - first]
        return found
