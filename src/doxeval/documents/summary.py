"""The path summary: every distinct path of a collection, without ordinals.

A collection of millions of elements has few distinct paths (`/article/body/sec/p`). Each element
has the number of its path, so the strings of a path are kept once, depths are looked up, and
patterns are matched without touching the elements.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from doxeval.arrays import Ints

NO_PARENT = -1
NO_PATH = -1
TAG_BITS = 32  # of the key of a path, below those of its parent


def path_keys(parent: Ints, tag: Ints) -> Ints:
    """The parent and the last tag of each path as one number.

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
        """The column, and what is wrong with it, if it leads to a path or tag that is not there.

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
        """The path below a path (or NO_PARENT) with a tag number; NO_PATH if there is none.

        >>> summary = PathSummary(["article", "sec"], np.array([-1, 0, 1]), np.array([0, 1, 1]))
        >>> summary.child(1, 1), summary.child(1, 0)
        (2, -1)
        """
        keys, paths = self._by_key
        key = parent << TAG_BITS | tag
        at = int(keys.searchsorted(key))
        return int(paths[at]) if at < len(keys) and keys[at] == key else NO_PATH

    def tag(self, path: int) -> str:
        """The last tag of a path."""
        return self.tags[int(self.tag_of[path])]

    def label(self, path: int) -> str:
        """A path as text, without ordinals."""
        steps: list[str] = []
        while path != NO_PARENT:
            steps.append(self.tag(path))
            path = int(self.parent_of[path])
        return "/" + "/".join(reversed(steps))
