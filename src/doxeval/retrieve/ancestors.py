"""From elements up to the ancestors from which the steps of a path lead to them.

The steps are numbered from 1, and a set of steps is the bits of a whole number. On the way up from
an element, a step is *open* at an ancestor if the ancestor may take it, that is, if the steps
behind it lead from there down to the element. At the element itself only the last step is open.
Whatever takes step i opens step i − 1 for its parent, and also for all ancestors above if step i
is written with `//`. Where bit 0 is open, no step is left to take: from this ancestor the steps
lead to the element.

What happens on the way up depends only on the tags of a path, so it is worked out once for all
elements with the same path, by operations on whole arrays, and only for the paths of the elements
given, however many there are in the collection. Tags are compared exactly, as in path patterns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Ints, concatenated_ranges, distinct_below
from doxeval.documents import Collection, PathSummary, number_with_bits
from doxeval.topics import NexiStep

_MOST_BITS = 62  # of the machine's whole numbers; Python's own take over where there are more steps


class AncestorPairs(NamedTuple):
    """Ancestors of one depth: `ancestors[i]` is an ancestor of the element `rows[which[i]]`.

    Both columns ascend, `ancestors` with repetitions.
    """

    which: Ints
    ancestors: Ints


class _AncestorLevel(NamedTuple):
    """One depth on the way up from some paths.

    alive: the paths, as positions, that have an open step at their ancestor of this depth, or
    above; origins: those from whose ancestor at this depth the steps lead down to them.
    """

    depth: int
    alive: Ints
    origins: Ints
    above: Ints  # the ancestor at this depth of each path, NO_PARENT above the root


class PathFilter:
    """The paths that fit some steps from the root, or from any element (`anywhere`).

    A path is looked at when it is first needed.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<a><s><p>One.</p></s><p>Two.</p></a>"})
    >>> steps = [NexiStep("//", ("s",)), NexiStep("/")]
    >>> PathFilter(tree.summary, steps).of_rows(tree, np.arange(4)).tolist()
    [False, False, True, False]
    """

    def __init__(
        self, summary: PathSummary, steps: Sequence[NexiStep], anywhere: bool = False
    ) -> None:
        self._summary = summary
        self._steps = (NexiStep("//"), *steps) if anywhere else tuple(steps)
        self._is_known = np.zeros(len(summary), dtype=np.bool_)
        self._fits = np.zeros(len(summary), dtype=np.bool_)

    def of_paths(self, paths: Ints) -> Bools:
        """Return whether each path of the summary fits."""
        unknown = paths[~self._is_known[paths]]
        if len(unknown):
            distinct, _ = distinct_below(len(self._summary), unknown)
            self._is_known[distinct] = True
            for level in _levels(self._summary, distinct, self._steps):
                if level.depth == 0:
                    self._fits[distinct[level.origins]] = True
        fits: Bools = self._fits[paths]
        return fits

    def of_rows(self, collection: Collection, rows: Ints) -> Bools:
        """Return whether the path of each element fits."""
        return self.of_paths(collection.nodes.path[rows])


def find_ancestors(
    collection: Collection, rows: Ints, steps: Sequence[NexiStep], into: PathFilter | None = None
) -> Iterator[AncestorPairs]:
    """Yield the ancestors of elements from which steps lead to them, the deepest first.

    The elements are given as ascending rows. Each pair of an element and an ancestor is yielded
    once; with `into`, only if the path of the ancestor fits.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<s><s><p>One.</p></s><p>Two.</p></s>"})
    >>> rows = tree.matching("//p")
    >>> for which, ancestors in find_ancestors(tree, rows, [NexiStep("//", ("p",))]):
    ...     print(rows[which].tolist(), ancestors.tolist())
    [2] [1]
    [2, 3] [0, 0]
    """
    paths, path_of = distinct_below(len(collection.summary), collection.nodes.path[rows])
    by_depth = _PositionsByDepth(collection.summary.depth_of[paths][path_of])
    at = rows.astype(np.int64)
    first = np.zeros_like(at)  # the first row of an element's document, once it is needed
    active = by_depth.at(0)
    for level in _levels(collection.summary, paths, steps):
        if level.depth == 0:
            return
        is_alive = np.zeros(len(paths), dtype=np.bool_)
        is_alive[level.alive] = True
        joining = by_depth.at(level.depth + 1)
        joining = joining[is_alive[path_of[joining]]]
        first[joining] = collection.rows[collection.documents_of(rows[joining])]
        active = np.concatenate([active[is_alive[path_of[active]]], joining])
        active = np.sort(active, kind="stable")  # which merges them in linear time
        at[active] = first[active] + collection.nodes.parent[at[active]]
        if not len(level.origins):
            continue
        is_origin = np.zeros(len(paths), dtype=np.bool_)
        is_origin[level.origins] = True if into is None else into.of_paths(level.above)
        which = active[is_origin[path_of[active]]]
        if len(which):
            yield AncestorPairs(which, at[which])


def subtree_rows(collection: Collection, rows: Ints) -> Ints:
    """Return all elements inside some elements, and these themselves, ascending.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<a><s><p>One.</p></s><p>Two.</p></a>"})
    >>> subtree_rows(tree, np.array([1, 2])).tolist()
    [1, 2]
    """
    size = collection.nodes.size[rows].astype(np.int64)
    inside_of_earlier = np.maximum.accumulate(np.append(0, rows + size))[:-1]
    outermost = rows >= inside_of_earlier
    return concatenated_ranges(rows[outermost], size[outermost])


class _PositionsByDepth:
    """Positions by depth, ascending within one depth."""

    def __init__(self, depth: Ints) -> None:
        # No element is deeper than 16 bits can say, and numpy sorts these by counting.
        small = depth.astype(np.int16)
        self._order = np.argsort(small, kind="stable")
        self._bounds = np.searchsorted(small[self._order], np.arange(small.max(initial=0) + 2))

    @property
    def deepest(self) -> int:
        return len(self._bounds) - 2

    def at(self, depth: int) -> Ints:
        """Return the positions at a depth, which is at most the deepest."""
        return self._order[self._bounds[depth] : self._bounds[depth + 1]]


def _levels(
    summary: PathSummary, paths: Ints, steps: Sequence[NexiStep]
) -> Iterator[_AncestorLevel]:
    """Yield the way up from distinct paths, one depth after another, down to 0: above the root."""
    by_depth = _PositionsByDepth(summary.depth_of[paths])
    if len(steps) > by_depth.deepest:
        return  # every step takes an element
    bits = _StepBits(summary, steps)
    opened: npt.NDArray[Any] = np.full(len(paths), bits.last, dtype=bits.dtype)
    at = paths.astype(np.int64)
    alive = by_depth.at(0)
    for level in range(by_depth.deepest - 1, -1, -1):
        alive = np.concatenate([alive, by_depth.at(level + 1)])
        now_open = bits.above(opened[alive], summary.tag_of[at[alive]])
        is_alive = now_open != 0
        alive, now_open = alive[is_alive], now_open[is_alive]
        opened[alive] = now_open
        at[alive] = summary.parent_of[at[alive]]
        origins = alive[(now_open & 1) != 0]
        yield _AncestorLevel(level, alive, origins, at[origins])


class _StepBits:
    """Steps as bits: tells which are open above, given those that are open and a tag."""

    def __init__(self, summary: PathSummary, steps: Sequence[NexiStep]) -> None:
        self.dtype: type = np.int64 if len(steps) <= _MOST_BITS else object
        self.last = 1 << len(steps)
        steps_of: dict[int, list[int]] = {}
        any_tag: list[int] = []
        for number, step in enumerate(steps, 1):
            if not step.tags:
                any_tag.append(number)
            for tag in set(step.tags) & summary.tag_numbers.keys():
                steps_of.setdefault(summary.tag_numbers[tag], []).append(number)
        # For each tag, the steps that accept it.
        anything = number_with_bits(any_tag)
        self._accepting = np.full(len(summary.tags), anything, dtype=self.dtype)
        for tag_number, numbers in steps_of.items():
            self._accepting[tag_number] = anything | number_with_bits(numbers)
        # The steps in front of those with `//`: once open, they are open all the way up.
        self._staying = number_with_bits(
            number for number, step in enumerate(steps) if step.axis == "//"
        )

    def above(self, opened: npt.NDArray[Any], tags: Ints) -> npt.NDArray[Any]:
        taken = opened & self._accepting[tags]
        open_above: npt.NDArray[Any] = (taken >> 1) | (opened & self._staying)
        return open_above
