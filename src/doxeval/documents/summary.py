"""The path summary: every distinct path of a collection, without ordinals.

A collection of millions of elements has few distinct paths (`/article/body/sec/p`). Each element
has the number of its path, so the strings of a path are kept once, depths are looked up, and
patterns are matched without touching the elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.tag_names import END

NO_PARENT = -1


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
        depths = [0] * len(self)
        for path, parent in enumerate(self.parent_of.tolist()):
            depths[path] = 1 if parent == NO_PARENT else depths[parent] + 1
        return np.array(depths, dtype=np.int32)

    @cached_property
    def tag_numbers(self) -> dict[str, int]:
        """The number of each tag."""
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def children(self) -> dict[tuple[int, int], int]:
        """The path below a path (or NO_PARENT) with a tag number."""
        pairs = zip(self.parent_of.tolist(), self.tag_of.tolist(), strict=True)
        return {pair: path for path, pair in enumerate(pairs)}

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


class _TagNumbers(dict[str, int]):
    """Numbers of tags; a new tag gets the next number. End tags have no name, and number -1."""

    def __init__(self) -> None:
        super().__init__({END: -1})

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self) - 1
        return number


class SummaryBuilder:
    """A path summary that grows.

    >>> builder = SummaryBuilder()
    >>> article = builder.child(NO_PARENT, builder.tag("article"))
    >>> builder.child(article, builder.tag("sec")), builder.child(article, builder.tag("sec"))
    (1, 1)
    """

    def __init__(self) -> None:
        self.tag_numbers = _TagNumbers()
        self._paths: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._paths)

    @property
    def tag_count(self) -> int:
        """The number of tags seen so far."""
        return len(self.tag_numbers) - 1

    def tag(self, name: str) -> int:
        """The number of a tag; a new tag gets the next number."""
        return self.tag_numbers[name]

    def child(self, parent: int, tag: int) -> int:
        """The number of the path `tag` under `parent`; a new path gets the next number."""
        return self._paths.setdefault((parent, tag), len(self._paths))

    def absorb(self, other: PathSummary) -> Ints:
        """Add all paths of another summary; returns the number of each in this one."""
        tags = [self.tag(name) for name in other.tags]
        here: list[int] = []
        for parent, tag in zip(other.parent_of.tolist(), other.tag_of.tolist(), strict=True):
            here.append(self.child(parent if parent == NO_PARENT else here[parent], tags[tag]))
        return np.array(here, dtype=np.int32)

    def finish(self) -> PathSummary:
        """The summary so far."""
        return PathSummary(
            [tag for tag in self.tag_numbers if tag != END],
            _column(parent for parent, _ in self._paths),
            _column(tag for _, tag in self._paths),
        )


def _column(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)
