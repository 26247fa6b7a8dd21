"""Elements that are known by their paths alone, numbered as a collection would number them.

Without a collection the ancestors of an element are the prefixes of its path, and its siblings
stand in the order in which the file names them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.paths import Step, parse_path
from doxeval.documents.summary import NO_PARENT, PathSummary, SummaryBuilder
from doxeval.errors import SyntaxProblem

_Tree: TypeAlias = "dict[Step, _Tree]"


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
        trees: dict[Hashable, _Tree] = {}
        for document, paths in documents:
            tree = trees.setdefault(document, {})
            for path in paths:
                below = tree
                for step in _steps(path):
                    below = below.setdefault(step, {})
        self._documents = {document: number for number, document in enumerate(trees)}
        self._nodes: dict[tuple[int, tuple[Step, ...]], int] = {}
        self._roots: dict[int, int] = {}
        self._after: list[int] = []
        self._tag: list[str] = []
        for number, tree in enumerate(trees.values()):
            self._number(number, tree)

    def _number(self, document: int, tree: _Tree) -> None:
        """Number the elements of a document; `pending` holds what is still to do, last first."""
        pending: list[tuple[tuple[Step, ...], _Tree | None, int]] = [
            ((step,), below, -1) for step, below in reversed(tree.items())
        ]
        while pending:
            steps, below, node = pending.pop()
            if below is None:  # all below it is done
                self._after[node] = len(self._after)
                continue
            node = self._nodes[document, steps] = len(self._after)
            self._roots.setdefault(document, node)
            self._after.append(-1)
            self._tag.append(steps[-1].tag)
            pending.append((steps, None, node))
            pending += [((*steps, step), more, -1) for step, more in reversed(below.items())]

    def __len__(self) -> int:
        """The number of elements."""
        return len(self._after)

    @cached_property
    def after(self) -> Ints:
        """For each element the first number behind its descendants."""
        return np.array(self._after, dtype=np.int64)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The distinct tags."""
        return tuple(dict.fromkeys(self._tag))

    @cached_property
    def tag(self) -> Ints:
        """The tag of each element, as its position in `tags`."""
        positions = {tag: position for position, tag in enumerate(self.tags)}
        return np.array([positions[tag] for tag in self._tag], dtype=np.int64)

    @cached_property
    def path_numbers(self) -> tuple[PathSummary, Ints]:
        """The distinct paths without ordinals, and which of them each element has."""
        builder = SummaryBuilder()
        numbers = np.empty(len(self), dtype=np.int64)
        for (_, steps), node in self._nodes.items():
            path = NO_PARENT
            for step in steps:
                path = builder.child(path, builder.tag(step.tag))
            numbers[node] = path
        return builder.finish(), numbers

    def find_documents(self, documents: Sequence[Hashable]) -> Ints:
        """The numbers of documents, -1 for an unknown one."""
        find = self._documents.get
        return np.fromiter((find(name, -1) for name in documents), np.int64, len(documents))

    def find_roots(self, documents: Sequence[int] | Ints) -> Ints:
        """The root of each document, -1 if it is not known."""
        return np.array([self._roots.get(one, -1) for one in np.asarray(documents).tolist()])

    def find_nodes(self, documents: Sequence[int] | Ints, paths: Sequence[str]) -> Ints:
        """The elements of many (document, path) pairs, -1 where there is none."""
        pairs = zip(np.asarray(documents).tolist(), map(_steps_if_any, paths), strict=True)
        return np.fromiter((self._nodes.get(pair, -1) for pair in pairs), np.int64, len(paths))


@lru_cache(1 << 16)
def _steps(path: str) -> tuple[Step, ...]:
    return parse_path(path)


def _steps_if_any(path: str) -> tuple[Step, ...]:
    try:
        return _steps(path)
    except SyntaxProblem:
        return ()
