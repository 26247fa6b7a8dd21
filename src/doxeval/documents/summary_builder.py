"""A path summary that grows.

Paths are found by their keys: the parent and the tag as one number. Recent paths are in a
dictionary. Where a summary grows from batch to batch, most paths go from there into a few sorted
arrays, each at least twice as long as the next, which take 12 bytes for each path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, positions_in
from doxeval.documents.summary import NO_PARENT, NO_PATH, TAG_BITS, PathSummary, path_keys
from doxeval.documents.tag_names import END
from doxeval.errors import InputError

# Paths are numbers of 32 bits in the node table.
MOST_PATHS = (1 << 31) - 1
_RECENT = 1 << 17  # how many paths may be in the dictionary from one batch to the next


class _TagNumbers(dict[str, int]):
    """Numbers of tags; a new tag gets the next number. End tags have no name, and number -1."""

    def __init__(self) -> None:
        super().__init__({END: -1})

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self) - 1
        return number


class _Part(NamedTuple):
    """Keys of paths in ascending order, and the number of each path."""

    keys: Ints
    paths: Ints


class SummaryBuilder:
    """A path summary that grows.

    >>> builder = SummaryBuilder()
    >>> article = builder.child(NO_PARENT, builder.tag("article"))
    >>> builder.child(article, builder.tag("sec")), builder.child(article, builder.tag("sec"))
    (1, 1)
    """

    def __init__(self) -> None:
        self.tag_numbers = _TagNumbers()
        self._recent: dict[int, int] = {}
        self._parts: list[_Part] = []
        self._put_away = 0  # how many paths are in parts

    def __len__(self) -> int:
        return self._put_away + len(self._recent)

    @property
    def tag_count(self) -> int:
        """The number of tags seen so far."""
        return len(self.tag_numbers) - 1

    def tag(self, name: str) -> int:
        """The number of a tag; a new tag gets the next number."""
        return self.tag_numbers[name]

    def child(self, parent: int, tag: int) -> int:
        """The number of the path `tag` under `parent`; a new path gets the next number."""
        key = parent << TAG_BITS | tag
        if self._parts and key not in self._recent:
            path = int(self._in_parts(np.array([key]))[0])
            if path != NO_PATH:
                return path
        return self._recent.setdefault(key, len(self))

    def absorb(self, other: PathSummary) -> Ints:
        """Add all paths of another summary; returns the number of each in this one."""
        tags = [self.tag(name) for name in other.tags]
        if self._parts:
            here = self._absorbed(other, np.array(tags, dtype=np.int64)[other.tag_of])
        else:
            here = self._absorbed_one_by_one(other, tags)
        if len(self) > MOST_PATHS:
            raise InputError(f"more than {MOST_PATHS:,} different paths in one collection")
        if len(self._recent) > _RECENT:
            self._make_part()
        return here.astype(np.int32, copy=False)

    def finish(self) -> PathSummary:
        """The summary so far."""
        keys = np.empty(len(self), dtype=np.int64)
        for part in [*self._parts, self._recent_part()]:
            keys[part.paths] = part.keys
        parent, tag = keys >> TAG_BITS, keys & ((1 << TAG_BITS) - 1)
        names = [tag for tag in self.tag_numbers if tag != END]
        return PathSummary(names, parent.astype(np.int32), tag.astype(np.int32))

    def _absorbed_one_by_one(self, other: PathSummary, tags: list[int]) -> Ints:
        """The number of each path of another summary, while all paths here are recent ones."""
        recent = self._recent
        here: list[int] = []
        for parent, tag in zip(other.parent_of.tolist(), other.tag_of.tolist(), strict=True):
            above = parent if parent == NO_PARENT else here[parent]
            here.append(recent.setdefault(above << TAG_BITS | tags[tag], len(recent)))
        return np.array(here, dtype=np.int32)

    def _absorbed(self, other: PathSummary, tag: Ints) -> Ints:
        """The same, level by level, given the number here of each path's tag.

        Whatever is below a new path is new. New paths are numbered in the order of the other
        summary, where parents come before their children.
        """
        here = np.full(len(other), NO_PATH, dtype=np.int64)
        for level in _levels(other):
            parent = other.parent_of[level]
            above = np.where(parent == NO_PARENT, NO_PARENT, here[parent])
            is_old = (parent == NO_PARENT) | (above != NO_PATH)
            level, above = level[is_old], above[is_old]
            if not len(level):
                break
            here[level] = self._found(path_keys(above, tag[level]))
        new = np.flatnonzero(here == NO_PATH)
        here[new] = np.arange(len(self), len(self) + len(new))
        parent = other.parent_of[new]
        keys = path_keys(np.where(parent == NO_PARENT, NO_PARENT, here[parent]), tag[new])
        self._recent.update(zip(keys.tolist(), here[new].tolist(), strict=True))
        return here

    def _found(self, keys: Ints) -> Ints:
        """The path with each key, or NO_PATH."""
        paths = self._in_parts(keys)
        unknown = np.flatnonzero(paths == NO_PATH)
        paths[unknown] = [self._recent.get(key, NO_PATH) for key in keys[unknown].tolist()]
        return paths

    def _in_parts(self, keys: Ints) -> Ints:
        paths = np.full(len(keys), NO_PATH, dtype=np.int64)
        for part in self._parts:
            position = positions_in(part.keys, keys)
            is_found = position >= 0
            paths[is_found] = part.paths[position[is_found]]
        return paths

    def _recent_part(self) -> _Part:
        recent = self._recent
        keys = np.fromiter(recent, np.int64, len(recent))
        return _Part(keys, np.fromiter(recent.values(), np.int32, len(recent)))

    def _make_part(self) -> None:
        """Put all recent paths into a part."""
        self._put_away = len(self)
        self._parts.append(_in_order([self._recent_part()]))
        self._recent = {}
        while len(self._parts) > 1 and len(self._parts[-1].keys) * 2 > len(self._parts[-2].keys):
            self._parts[-2:] = [_in_order(self._parts[-2:])]


def _in_order(parts: list[_Part]) -> _Part:
    keys = np.concatenate([part.keys for part in parts])
    order = np.argsort(keys, kind="stable")
    return _Part(keys[order], np.concatenate([part.paths for part in parts])[order])


def _levels(summary: PathSummary) -> list[Ints]:
    """The paths at each depth, from the roots down."""
    depth = summary.depth_of
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)
