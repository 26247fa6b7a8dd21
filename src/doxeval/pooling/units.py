"""Retrieval units: which part of its document a result is, the same for all spellings and runs.

A unit is a key and a span. The key stands for the paths of an element or a tree; a passage or an
entry point has a span instead. A whole document, which is the same as its root, has neither.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.messages import plural, quoted
from doxeval.runs import Kind, Run, canonical_path, resolve

NO_KEY = -1
NO_SPAN = -1
# Passages and entry points between text points, which only a collection can resolve.
UNKNOWN_SPAN = -2
_NUMBERED = re.compile(r"(?:/[^\s/\[\]()@*|]+\[[1-9][0-9]{0,8}\])+")


class ResultUnits(NamedTuple):
    """For each row of a run its document (-1: not resolved), key and span; and warnings."""

    document: Ints
    key: Ints
    start: Ints
    end: Ints
    warnings: tuple[str, ...] = ()

    def rows(self, rows: Ints) -> ResultUnits:
        """Return only these rows, with all warnings."""
        key, start, end = self.key[rows], self.start[rows], self.end[rows]
        return ResultUnits(self.document[rows], key, start, end, self.warnings)


class UnitNumbering(ABC):
    """A way to number the units that results are; keys mean the same in all runs."""

    @abstractmethod
    def units_of(self, run: Run) -> ResultUnits:
        """Return the unit that each result of a run is."""

    @abstractmethod
    def document_ids(self, run: Run, documents: Ints) -> list[str]:
        """Return the ids of documents that have these numbers in a run's units."""

    @abstractmethod
    def paths(self, key: int) -> tuple[str, ...]:
        """Return the paths that a key stands for."""

    @abstractmethod
    def in_order(self, keys: Ints) -> Ints:
        """Return a number for each key, the same whatever the order of runs is."""


class WholeDocuments(UnitNumbering):
    """Every result stands for its document, at the level of documents.

    >>> run = Run.from_dict({"7": [("a", "/s[1]/p[2]"), "a"]})
    >>> WholeDocuments().units_of(run).key.tolist()
    [-1, -1]
    """

    def __init__(self, collection: Collection | None = None) -> None:
        self._collection = collection

    def units_of(self, run: Run) -> ResultUnits:
        """Return only documents."""
        nothing = np.full(len(run), NO_KEY, dtype=np.int64)
        if self._collection is None:
            return ResultUnits(run.document, nothing, nothing, nothing)
        document = _documents_in(self._collection, run)
        return ResultUnits(
            document, nothing, nothing, nothing, _unresolved_documents(run, document)
        )

    def document_ids(self, run: Run, documents: Ints) -> list[str]:
        """Return them as the run or the collection has them."""
        if self._collection is None:
            return list(map(run.documents.__getitem__, documents.tolist()))
        return list(map(self._collection.id_of, documents.tolist()))

    def paths(self, key: int) -> tuple[str, ...]:
        """Return none."""
        return ()

    def in_order(self, keys: Ints) -> Ints:
        """Return them as they are: there are none."""
        return keys


class StatedUnits(UnitNumbering):
    """Units as runs state them, without a collection: the same if their paths or spans are.

    >>> run = Run.from_dict({"7": [("d", "/a/p"), ("d", "/a[1]/p[1]"), ("d", "/a[1]"), "d"]})
    >>> StatedUnits().units_of(run).key.tolist()
    [0, 0, -1, -1]
    """

    def __init__(self) -> None:
        self._number: dict[tuple[str, ...], int] = {}
        self._names: list[tuple[str, ...]] = []

    def units_of(self, run: Run) -> ResultUnits:
        """Return units by paths and spans."""
        in_range = (run.kind == Kind.PASSAGE) | (run.kind == Kind.POINT)
        by_points = in_range & (run.path >= 0)
        key = np.full(len(run), NO_KEY, dtype=np.int64)
        for rows, spell in ((~in_range, _spelt), (by_points, tuple)):
            numbers, which = np.unique(run.path[rows & (run.path >= 0)], return_inverse=True)
            keys = [self._key(spell(run.paths[number])) for number in numbers.tolist()]
            key[rows & (run.path >= 0)] = np.array(keys, dtype=np.int64)[which]
        start = np.where(in_range, run.start, NO_SPAN)
        end = np.where(run.kind == Kind.POINT, start, np.where(in_range, run.end, NO_SPAN))
        start[by_points] = end[by_points] = UNKNOWN_SPAN
        return ResultUnits(run.document, key, start, end, _point_warnings(int(by_points.sum())))

    def _key(self, paths: tuple[str, ...]) -> int:
        if not paths:
            return NO_KEY
        number = self._number.setdefault(paths, len(self._names))
        if number == len(self._names):
            self._names.append(paths)
        return number

    def document_ids(self, run: Run, documents: Ints) -> list[str]:
        """Return them as the run has them."""
        return list(map(run.documents.__getitem__, documents.tolist()))

    def paths(self, key: int) -> tuple[str, ...]:
        """Return the paths that were numbered."""
        return self._names[key]

    def in_order(self, keys: Ints) -> Ints:
        """Order keys by their paths, as text."""
        occurring = np.unique(keys[keys >= 0]).tolist()
        rank = np.full(len(self._names) + 1, NO_KEY, dtype=np.int64)
        rank[sorted(occurring, key=self._names.__getitem__)] = np.arange(len(occurring))
        return rank[keys]


def _spelt(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return paths in one spelling and order; none for the root, which is the whole document."""
    every = {path if _NUMBERED.fullmatch(path) else canonical_path(path) for path in paths}
    if len(every) == 1 and next(iter(every)).count("/") == 1:
        return ()
    return tuple(sorted(every))


def _documents_in(collection: Collection, run: Run) -> Ints:
    numbers = collection.find_documents(run.documents)
    return numbers[run.document] if len(run) else run.document


def _unresolved_documents(run: Run, document: Ints) -> tuple[str, ...]:
    return _unresolved_warnings(
        [
            (
                int(run.line[row]),
                f"unknown document {quoted(run.documents[int(run.document[row])])}",
            )
            for row in np.flatnonzero(document < 0).tolist()
        ]
    )


def _unresolved_warnings(unresolved: list[tuple[int, str]]) -> tuple[str, ...]:
    """Return a warning about results that do not resolve: lines and reasons; none if all do."""
    if not unresolved:
        return ()
    what = (
        "1 result does not resolve and is"
        if len(unresolved) == 1
        else (f"{len(unresolved):,} results do not resolve and are")
    )
    return (f"{what} left out, the first on line {unresolved[0][0]}: {unresolved[0][1]}",)


def _point_warnings(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    verb = "is" if count == 1 else "are"
    return (
        f"{plural(count, 'result')} {verb} given by text points, which only a collection "
        "resolves; only the documents are pooled",
    )


class ResolvedUnits(UnitNumbering):
    """Units in a collection: elements by their nodes, passages and entry points by their text.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"d": "<a><p>One.</p></a>"})
    >>> run = Run.from_dict({"7": [("d", "/a/p"), ("d", "/a[1]"), ("d", 0, 3), ("e", "/a[1]")]})
    >>> units = ResolvedUnits(collection).units_of(run)
    >>> units.key.tolist(), units.start.tolist(), units.document.tolist()
    ([1, -1, -1, -1], [-1, -1, 0, -1], [0, 0, 0, -1])
    >>> units.warnings
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

    def units_of(self, run: Run) -> ResultUnits:
        """Return units as the run resolves."""
        resolved = resolve(
            run, self._collection, offsets=self._offsets, whitespace=self._whitespace
        )
        in_range = (run.kind == Kind.PASSAGE) | (run.kind == Kind.POINT)
        roots = self._collection.rows[resolved.document]
        key = np.where(resolved.node == roots, NO_KEY, resolved.node)
        trees = np.flatnonzero(resolved.trees.counts > 0)
        for row, nodes in zip(trees.tolist(), resolved.trees.rows(trees).as_sets(), strict=True):
            key[row] = NO_KEY if nodes == (roots[row],) else self._tree_key(nodes)
        start = np.where(in_range, resolved.start, NO_SPAN)
        end = np.where(in_range, resolved.end, NO_SPAN)
        unresolved = [(problem.line, problem.reason) for problem in resolved.unresolved]
        return ResultUnits(resolved.document, key, start, end, _unresolved_warnings(unresolved))

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
        """Return them as the collection has them."""
        return [self._collection.id_of(number) for number in documents.tolist()]

    def paths(self, key: int) -> tuple[str, ...]:
        """Return the paths of a node, or of the nodes of a tree."""
        nodes = (key,) if key < self._first_tree else self._trees[key - self._first_tree]
        return tuple(self._collection.path_of(node) for node in nodes)

    def in_order(self, keys: Ints) -> Ints:
        """Order keys as their nodes are in documents."""
        trees = range(len(self._trees))
        rank = np.empty(len(trees), dtype=np.int64)
        rank[sorted(trees, key=self._trees.__getitem__)] = np.arange(len(trees))
        ordered, first = keys.copy(), self._first_tree
        is_tree = keys >= first
        ordered[is_tree] = first + rank[keys[is_tree] - first]
        return ordered
