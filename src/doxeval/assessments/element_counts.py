"""How many assessed elements have each grade, level and tag.

Everything that papers report is a sum over such counts: grades, levels or tags by themselves, or
the levels of the elements with one grade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from doxeval.messages import plural

K = TypeVar("K", str, int)
_COVERAGES = "ELSN"
WHOLLY, PARTLY, TOO_SMALL, UNJUDGED = _WORDS = ("wholly", "partly", "?", "U")


class ElementCount(NamedTuple):
    """The number of elements with one grade, level and tag; a document's root is at level 1."""

    grade: str
    level: int
    tag: str
    elements: int


@dataclass(frozen=True, repr=False)
class ElementCounts:
    """Counts of elements, one row for each combination of grade, level and tag that occurs.

    >>> counts = ElementCounts.of({("3E", 1, "article"): 1, ("3E", 2, "sec"): 3, ("2L", 1, "a"): 2})
    >>> counts
    ElementCounts(6 elements: 3E 4, 2L 2)
    >>> counts.by_level, counts.by_tag
    ({1: 3, 2: 3}, {'sec': 3, 'a': 2, 'article': 1})
    >>> counts.only({"3E"}).below_root
    0.75
    """

    rows: tuple[ElementCount, ...] = ()

    @classmethod
    def of(cls, counts: dict[tuple[str, int, str], int]) -> ElementCounts:
        """Counts by grade, level and tag; the best grade comes first, then levels and tags."""
        rows = (ElementCount(*key, count) for key, count in counts.items() if count)
        return cls(tuple(sorted(rows, key=lambda row: (_place(row.grade), *row[1:]))))

    def __len__(self) -> int:
        """The number of elements."""
        return sum(row.elements for row in self.rows)

    @property
    def by_grade(self) -> dict[str, int]:
        """The number of elements with each grade, the best one first."""
        return self._by(lambda row: row.grade)

    @property
    def by_level(self) -> dict[int, int]:
        """The number of elements at each level, from the root down."""
        return dict(sorted(self._by(lambda row: row.level).items()))

    @property
    def by_tag(self) -> dict[str, int]:
        """The number of elements with each tag, the most frequent one first."""
        return dict(sorted(self._by(lambda row: row.tag).items(), key=_most_first))

    def _by(self, key: Callable[[ElementCount], K]) -> dict[K, int]:
        counts: Counter[K] = Counter()
        for row in self.rows:
            counts[key(row)] += row.elements
        return dict(counts)

    @property
    def below_root(self) -> float | None:
        """The share of elements that are not the root of their document; None if there are none."""
        roots = self.by_level.get(1, 0)
        return 1 - roots / len(self) if self.rows else None

    def share_of(self, tags: Collection[str]) -> float | None:
        """The share of elements that have one of these tags; None if there are no elements."""
        own = sum(row.elements for row in self.rows if row.tag in tags)
        return own / len(self) if self.rows else None

    def only(self, grades: Collection[str]) -> ElementCounts:
        """The elements with one of these grades."""
        return ElementCounts(tuple(row for row in self.rows if row.grade in grades))

    def __repr__(self) -> str:
        grades = ", ".join(f"{grade} {count:,}" for grade, count in self.by_grade.items())
        return f"ElementCounts({plural(len(self), 'element')}{f': {grades}' if grades else ''})"

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values, for JSON: by grade, by level, by tag, and one by one."""
        return {
            "elements": len(self),
            "grades": self.by_grade,
            "levels": {str(level): count for level, count in self.by_level.items()},
            "tags": self.by_tag,
            "below_root": self.below_root,
            "rows": [row._asdict() for row in self.rows],
        }


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _place(grade: str) -> tuple[list[int], int]:
    """Where a grade stands: the highest numbers first, then coverage from exact to none."""
    digits = [-int(character) for character in grade if character.isdigit()]
    return digits or [1 + _WORDS.index(grade)], _COVERAGES.find(grade[-1:])
