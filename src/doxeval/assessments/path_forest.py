"""Elements that are known by their paths alone, numbered as a collection would number them.

Without a collection the ancestors of an element are the prefixes of its path, and its siblings
stand in the order in which the file names them.

An element is kept as a step below another element, so a path costs as much as it has steps,
however deep it is; one that continues a path that was met before costs its last step alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import NO_PARENT, STEP, PathSummary, Step, SummaryBuilder, parse_path
from doxeval.errors import SyntaxProblem

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
