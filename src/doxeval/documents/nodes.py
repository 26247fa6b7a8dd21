"""The node table and the path summary: all that is known about the trees of documents.

The node table has one row per element, in document order, with six columns of 32-bit integers:

    path     which path of the path summary
    ordinal  the number among siblings of the same tag, from 1
    parent   the parent's row, counted from the document's first row; -1 for a root
    size     rows of the subtree, the element itself included
    start    code points of the document's text before the element
    end      code points of the document's text up to its end

The subtree of row r is rows r … r + size − 1, and the next sibling, if there is one, is row
r + size. `tabulate` computes the columns for many documents at once from their tag events,
each by a few sorts and sums over whole arrays.

The path summary has every distinct path of a collection, without ordinals. A collection of millions
of elements has few (`/article/body/sec/p`). Each element has the number of its path, so the strings
of a path are kept once, depths are looked up, and patterns are matched without touching the
elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, distinct_below, last_true, positions_in
from doxeval.documents.build.options import DEEPEST_POSSIBLE, LONGEST_DOCUMENT
from doxeval.documents.readers.tag_events import END_NUMBER, TagEvents, number_names
from doxeval.errors import DocumentError, InputError

NO_PARENT = -1
NO_PATH = -1
TAG_BITS = 32  # of the key of a path, below those of its parent
# Paths are numbers of 32 bits in the node table.
MOST_PATHS = (1 << 31) - 1
_RECENT = 1 << 17  # how many paths may be in the dictionary from one batch to the next
COLUMNS = ("path", "ordinal", "parent", "size", "start", "end")
_NO_ROWS = np.empty(0, dtype=np.int32)


class NodeColumns(NamedTuple):
    """The six columns."""

    path: Ints
    ordinal: Ints
    parent: Ints
    size: Ints
    start: Ints
    end: Ints


class NodeTable(NamedTuple):
    """The rows of some documents, how many rows each document has, and their own paths."""

    columns: NodeColumns
    rows: Ints
    summary: PathSummary


def path_keys(parent: Ints, tag: Ints) -> Ints:
    """Return the parent and the last tag of each path as one number.

    >>> path_keys(np.array([-1, 0, 0]), np.array([0, 0, 1])).tolist()
    [-4294967296, 0, 1]
    """
    return parent.astype(np.int64) << TAG_BITS | tag


class PathSummary:
    """A tree of tags: path i is the tag `tags[tag_of[i]]` under the path `parent_of[i]`.

    Parents come before their children.

    >>> summary = PathSummary(["article", "sec"], np.array([-1, 0, 1]), np.array([0, 1, 1]))
    >>> summary.label(2)
    '/article/sec/sec'
    >>> summary.depth_of.tolist()
    [1, 2, 3]
    """

    def __init__(self, tags: list[str], parent_of: Ints, tag_of: Ints) -> None:
        self.tags = tags
        self.parent_of = parent_of
        self.tag_of = tag_of

    def __len__(self) -> int:
        return len(self.parent_of)

    def flaw(self) -> tuple[str, str] | None:
        """Return the column with a path or tag that does not exist, and what is wrong; or None.

        >>> PathSummary(["a"], np.array([-1, 1]), np.array([0, 0])).flaw()
        ('parent', 'a path comes before its parent')
        """
        paths = np.arange(len(self))
        if not ((self.parent_of >= NO_PARENT) & (self.parent_of < paths)).all():
            return "parent", "a path comes before its parent"
        if not ((self.tag_of >= 0) & (self.tag_of < len(self.tags))).all():
            return "tag", "a path has a tag that does not exist"
        return None

    @cached_property
    def depth_of(self) -> Ints:
        """The number of steps of each path; a document's root is at depth 1."""
        # For each path (and, at the end, for none): one above it, and how many steps lead there.
        # Every round doubles the steps.
        above = np.append(self.parent_of, NO_PARENT).astype(np.int32)
        steps = np.append(np.ones(len(self), dtype=np.int32), np.int32(0))
        while (above != NO_PARENT).any():
            steps += steps[above]
            above = above[above]
        return steps[:-1]

    @cached_property
    def tag_numbers(self) -> dict[str, int]:
        """The number of each tag."""
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def _by_key(self) -> tuple[Ints, Ints]:
        """The keys of all paths in ascending order, and the path with each."""
        keys = path_keys(self.parent_of, self.tag_of)
        paths = np.argsort(keys, kind="stable").astype(np.int32)
        return keys[paths], paths

    def child(self, parent: int, tag: int) -> int:
        """Return the path below a path (or NO_PARENT) with a tag number; NO_PATH if there is none.

        >>> summary = PathSummary(["article", "sec"], np.array([-1, 0, 1]), np.array([0, 1, 1]))
        >>> summary.child(1, 1), summary.child(1, 0)
        (2, -1)
        """
        keys, paths = self._by_key
        key = parent << TAG_BITS | tag
        at = int(keys.searchsorted(key))
        return int(paths[at]) if at < len(keys) and keys[at] == key else NO_PATH

    def tag(self, path: int) -> str:
        """Return the last tag of a path."""
        return self.tags[int(self.tag_of[path])]

    def label(self, path: int) -> str:
        """Return a path as text, without ordinals."""
        steps: list[str] = []
        while path != NO_PARENT:
            steps.append(self.tag(path))
            path = int(self.parent_of[path])
        return "/" + "/".join(reversed(steps))


_EMPTY = NodeTable(NodeColumns(*[_NO_ROWS] * 6), _NO_ROWS, PathSummary([], _NO_ROWS, _NO_ROWS))


# From tag events to rows


def tabulate(events: TagEvents) -> NodeTable:
    """Return the node table of the documents in `events`.

    >>> from doxeval.documents.readers.xml import XmlReader
    >>> reader = XmlReader()
    >>> reader.read(b"<s><p>one</p><p>two</p></s>", "a.xml")
    >>> table = tabulate(reader.take())
    >>> table.columns.ordinal.tolist(), table.columns.parent.tolist()
    ([1, 1, 2], [-1, 0, 0])
    >>> table.columns.start.tolist(), table.columns.end.tolist()
    ([0, 0, 3], [6, 3, 6])
    """
    if not len(events.names):
        return _EMPTY
    names = number_names(events.names)
    builder = SummaryBuilder(names.distinct)
    tag_of_event = names.numbers
    opens = tag_of_event != END_NUMBER
    depth_of_event = _depths(opens)
    by_depth = np.argsort(depth_of_event, kind="stable")
    # At one depth, over all documents, start tags and end tags alternate.
    start_event, end_event = by_depth[0::2], by_depth[1::2]
    last_row_at = np.cumsum(opens, dtype=np.int32) - 1
    row = last_row_at[start_event]
    depth = depth_of_event[start_event]
    order = _RowsByDepth(row, depth, _parents(row, depth), tag_of_event[start_event])

    roots = row[: np.searchsorted(depth, 2)]
    size = _scatter(row, last_row_at[end_event] - row + 1)
    rows = size[roots]
    first_text = events.positions[start_event[: len(roots)]]
    if (events.positions[end_event[: len(roots)]] - first_text).max() > LONGEST_DOCUMENT:
        raise DocumentError(f"more than {LONGEST_DOCUMENT:,} characters of text in one document")
    parent = _scatter(row, order.parent)
    columns = NodeColumns(
        path=_scatter(row, _paths(order, builder)),
        ordinal=_scatter(row, _ordinals(order)),
        parent=np.where(parent == NO_PARENT, NO_PARENT, parent - np.repeat(roots, rows)),
        size=size,
        start=_scatter(row, events.positions[start_event]) - np.repeat(first_text, rows),
        end=_scatter(row, events.positions[end_event]) - np.repeat(first_text, rows),
    )
    return NodeTable(
        NodeColumns(*(column.astype(np.int32, copy=False) for column in columns)),
        rows.astype(np.int64),
        builder.finish(),
    )


class _RowsByDepth(NamedTuple):
    """All rows sorted by depth, in document order within one depth.

    Rows of the same parent are neighbours in this order, and so are elements of one depth
    over all documents: most of what the table needs is a look at the neighbour.
    """

    row: Ints
    depth: Ints
    parent: Ints  # the parent's row over all documents, NO_PARENT for roots
    tag: Ints


def _depths(opens: Bools) -> Ints:
    """Return the depth of the element that each tag opens or closes, small enough to sort fast."""
    after = np.cumsum(opens.astype(np.int8) * 2 - 1, dtype=np.int32)
    if after.max() > DEEPEST_POSSIBLE:
        raise DocumentError(f"elements nested more than {DEEPEST_POSSIBLE:,} deep")
    return (after + ~opens).astype(np.int16)


def _parents(row: Ints, depth: Ints) -> Ints:
    """Return the parent of each row, in depth order."""
    depth_in_text_order = _scatter(row, depth)
    first_child = np.ones(len(row), dtype=np.bool_)
    first_child[1:] = np.diff(depth_in_text_order) == 1
    # A first child's parent is the row before it; a later child's parent is that of the
    # sibling before it, which is its neighbour in depth order.
    parent = row[last_true(first_child[row])] - 1
    parent[depth == 1] = NO_PARENT
    return parent


def _ordinals(order: _RowsByDepth) -> Ints:
    """Return the number of each row among its siblings of the same tag, in depth order."""
    # Fewer than 2^15 tags is the common case, and numpy sorts 16-bit integers by radix.
    tag = order.tag if order.tag.max() >= 1 << 15 else order.tag.astype(np.int16)
    by_tag = np.argsort(tag, kind="stable")
    tag, parent = order.tag[by_tag], order.parent[by_tag]
    first = np.ones(len(tag), dtype=np.bool_)
    first[1:] = (np.diff(tag) != 0) | (np.diff(parent) != 0) | (parent[1:] == NO_PARENT)
    return _scatter(by_tag, np.arange(len(tag)) - last_true(first) + 1)


def _paths(order: _RowsByDepth, builder: SummaryBuilder) -> Ints:
    """Return the path of each row, in depth order, one depth after another."""
    paths = np.empty(len(order.row), dtype=np.int32)
    path_of_row = np.empty(len(order.row), dtype=np.int32)
    tags = builder.tag_count
    bounds = np.searchsorted(order.depth, np.arange(1, int(order.depth[-1]) + 2)).tolist()
    for low, high in pairwise(bounds):
        # Nothing is above a root, everything else has a path above it.
        above = path_of_row[order.parent[low:high]] if low else np.full(high, NO_PARENT)
        keys = (above.astype(np.int64) + 1) * tags + order.tag[low:high]
        distinct, which = distinct_below((len(builder) + 1) * tags, keys)
        numbers = [builder.child(key // tags - 1, key % tags) for key in distinct.tolist()]
        paths[low:high] = np.array(numbers, dtype=np.int32)[which]
        path_of_row[order.row[low:high]] = paths[low:high]
    return paths


def _scatter(where: Ints, values: Ints) -> Ints:
    """Return an array with `values[i]` at `where[i]`, `where` being a permutation."""
    result = np.empty(len(values), dtype=values.dtype)
    result[where] = values
    return result


# A path summary that grows. Paths are looked up by their keys: the parent and the tag as one
# number. Recent paths are in a dictionary. Where a summary grows from batch to batch, most paths go
# from there into a few sorted arrays, each at least twice as long as the next, which take 12 bytes
# for each path.


class SummaryBuilder:
    """A path summary that grows.

    >>> builder = SummaryBuilder()
    >>> article = builder.child(NO_PARENT, builder.tag("article"))
    >>> builder.child(article, builder.tag("sec")), builder.child(article, builder.tag("sec"))
    (1, 1)
    """

    def __init__(self, tags: Iterable[str] = ()) -> None:
        self._tags = {tag: number for number, tag in enumerate(tags)}
        self._recent: dict[int, int] = {}
        self._parts: list[_PathKeys] = []
        self._put_away = 0  # how many paths are in parts

    def __len__(self) -> int:
        return self._put_away + len(self._recent)

    @property
    def tag_count(self) -> int:
        """The number of tags seen so far."""
        return len(self._tags)

    def tag(self, name: str) -> int:
        """Return the number of a tag; a new tag gets the next number."""
        return self._tags.setdefault(name, len(self._tags))

    def child(self, parent: int, tag: int) -> int:
        """Return the number of the path `tag` under `parent`; a new path gets the next number."""
        key = parent << TAG_BITS | tag
        if self._parts and key not in self._recent:
            path = int(self._find_in_parts(np.array([key]))[0])
            if path != NO_PATH:
                return path
        return self._recent.setdefault(key, len(self))

    def absorb(self, other: PathSummary) -> Ints:
        """Add all paths of another summary; return the number of each in this one.

        They are looked up level by level: whatever is below a new path is new. New paths are
        numbered in the order of the other summary, where parents come before their children.
        """
        tag_here = np.array([self.tag(name) for name in other.tags], dtype=np.int64)
        tag = tag_here[other.tag_of]
        here = np.full(len(other) + 1, NO_PATH, dtype=np.int64)  # the last stands for NO_PARENT
        for level in _levels(other):
            above = here[other.parent_of[level]]
            is_old = (above != NO_PATH) | (other.parent_of[level] == NO_PARENT)
            here[level[is_old]] = self._find(path_keys(above[is_old], tag[level[is_old]]))
        new = np.flatnonzero(here[:-1] == NO_PATH)
        here[new] = np.arange(len(self), len(self) + len(new))
        keys = path_keys(here[other.parent_of[new]], tag[new])
        self._recent.update(zip(keys.tolist(), here[new].tolist(), strict=True))
        if len(self) > MOST_PATHS:
            raise InputError(f"more than {MOST_PATHS:,} different paths in one collection")
        if len(self._recent) > _RECENT:
            self._make_part()
        return here[:-1].astype(np.int32)

    def finish(self) -> PathSummary:
        """Return the finished path summary."""
        keys = np.empty(len(self), dtype=np.int64)
        for part in [*self._parts, self._recent_part()]:
            keys[part.paths] = part.keys
        parent, tag = keys >> TAG_BITS, keys & ((1 << TAG_BITS) - 1)
        return PathSummary(list(self._tags), parent.astype(np.int32), tag.astype(np.int32))

    def _find(self, keys: Ints) -> Ints:
        """Return the path with each key, or NO_PATH."""
        paths = self._find_in_parts(keys)
        unknown = np.flatnonzero(paths == NO_PATH)
        paths[unknown] = [self._recent.get(key, NO_PATH) for key in keys[unknown].tolist()]
        return paths

    def _find_in_parts(self, keys: Ints) -> Ints:
        paths = np.full(len(keys), NO_PATH, dtype=np.int64)
        for part in self._parts:
            position = positions_in(part.keys, keys)
            is_found = position >= 0
            paths[is_found] = part.paths[position[is_found]]
        return paths

    def _recent_part(self) -> _PathKeys:
        recent = self._recent
        keys = np.fromiter(recent, np.int64, len(recent))
        return _PathKeys(keys, np.fromiter(recent.values(), np.int32, len(recent)))

    def _make_part(self) -> None:
        """Put all recent paths into a part."""
        self._put_away = len(self)
        self._parts.append(_sort_parts([self._recent_part()]))
        self._recent = {}
        while len(self._parts) > 1 and len(self._parts[-1].keys) * 2 > len(self._parts[-2].keys):
            self._parts[-2:] = [_sort_parts(self._parts[-2:])]


class _PathKeys(NamedTuple):
    """Keys of paths in ascending order, and the number of each path."""

    keys: Ints
    paths: Ints


def _sort_parts(parts: list[_PathKeys]) -> _PathKeys:
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys, kind="stable")
    return _PathKeys(keys[order], np.concatenate([part.paths for part in parts])[order])


def _levels(summary: PathSummary) -> list[Ints]:
    """Return the paths at each depth, from the roots down."""
    depth = summary.depth_of
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


# Sets of elements


class Trees(NamedTuple):
    """Sets of elements: the nodes of tree i are at [begin[i], begin[i + 1]), ascending."""

    nodes: Ints
    begin: Ints

    @classmethod
    def of_singletons(cls, nodes: Ints) -> Trees:
        """Return trees of one element each."""
        return cls(nodes, np.arange(len(nodes) + 1))

    @classmethod
    def empty(cls, count: int) -> Trees:
        """Return the given number of trees without elements."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(count + 1, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def counts(self) -> Ints:
        """The number of nodes of each tree."""
        return np.diff(self.begin)

    def rows(self, rows: Ints) -> Trees:
        """Return only the trees of these rows, in this order."""
        if not len(self.nodes):
            return Trees.empty(len(rows))
        counts = self.begin[rows + 1] - self.begin[rows]
        nodes = self.nodes[concatenated_ranges(self.begin[rows], counts)]
        return Trees(nodes, np.append(0, np.cumsum(counts)))

    def emptied(self, which: Bools) -> Trees:
        """Return the trees, but without the nodes of some.

        >>> Trees.of_singletons(np.array([3, 5])).emptied(np.array([True, False])).as_sets()
        [(), (5,)]
        """
        counts = np.where(which, 0, self.counts)
        nodes = self.nodes[np.repeat(~which, self.counts)]
        return Trees(nodes, np.append(0, np.cumsum(counts)))

    def as_sets(self) -> list[tuple[int, ...]]:
        """Return each tree as a tuple of its nodes."""
        nodes = self.nodes.tolist()
        return [tuple(nodes[begin:end]) for begin, end in pairwise(self.begin.tolist())]
