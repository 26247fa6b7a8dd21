"""The rules of judging once more, slowly, from the sentences that state them.

Highlights are sets of characters here, elements are paths with a start and an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias

from doxeval.assess.judging import Article

ORDER = ["?", 1, 2]


class NotAllowed(Exception):
    """The rules forbid it."""


# Highlights as sets of characters


def runs_of(characters: Iterable[int]) -> list[tuple[int, int]]:
    """The stretches without a gap."""
    runs: list[tuple[int, int]] = []
    for one in sorted(characters):
        if runs and runs[-1][1] == one:
            runs[-1] = (runs[-1][0], one + 1)
        else:
            runs.append((one, one + 1))
    return runs


def with_highlight(characters: set[int], start: int, end: int, text: str) -> set[int]:
    if not 0 <= start < end <= len(text) or not text[start:end].strip():
        raise NotAllowed
    return filled(characters | set(range(start, end)), text)


def without_highlight(characters: set[int], start: int, end: int, text: str) -> set[int]:
    if not 0 <= start < end <= len(text):
        raise NotAllowed
    left = characters - set(range(start, end))
    for first, last in runs_of(left):
        if not text[first:last].strip():
            left -= set(range(first, last))
    after = filled(left, text)
    if after == characters and left != characters:
        raise NotAllowed
    return after


def filled(characters: set[int], text: str) -> set[int]:
    """With the white space between two highlights."""
    runs = runs_of(characters)
    gaps = [(one[1], other[0]) for one, other in pairwise(runs)]
    white = [gap for gap in gaps if not text[gap[0] : gap[1]].strip()]
    return characters.union(*(range(*gap) for gap in white))


# Exhaustivity of 2005


class PlainExhaustivity:
    """The elements of an article, and the rules for their grades."""

    def __init__(self, article: Article) -> None:
        self.places = {
            article.path_of(row): (int(article.start[row]), int(article.end[row]))
            for row in range(len(article))
        }

    def is_touched(self, path: str, characters: set[int]) -> bool:
        return bool(characters & set(range(*self.places[path])))

    def holds_whole_passage(self, path: str, characters: set[int]) -> bool:
        start, end = self.places[path]
        return any(start <= first and last <= end for first, last in runs_of(characters))

    def inside(self, path: str) -> list[str]:
        return [other for other in self.places if other.startswith(f"{path}/")]

    def around(self, path: str) -> list[str]:
        return [other for other in self.places if path.startswith(f"{other}/")]

    def children(self, path: str) -> list[str]:
        return [other for other in self.inside(path) if "/" not in other[len(path) + 1 :]]

    def graded(
        self, grades: Mapping[str, object], path: str, value: object, characters: set[int]
    ) -> dict[str, object]:
        if not self.is_touched(path, characters):
            raise NotAllowed
        after = dict(grades)
        if value is None:
            # What others force on it cannot be taken back.
            if any(after.get(one) == 2 for one in self.inside(path)):
                raise NotAllowed
            if any(after.get(one) == "?" for one in self.around(path)):
                raise NotAllowed
            after.pop(path, None)
            return self.supported(grades, after)
        if value == "?" and self.holds_whole_passage(path, characters):
            raise NotAllowed
        after[path] = value
        if value == "?":  # cascades to descendants
            for one in self.inside(path):
                if self.is_touched(one, characters):
                    after[one] = "?"
        if value == 2:  # propagates upward
            after.update(dict.fromkeys(self.around(path), 2))
        if value == 1:  # over a parent's "?" resets the parent
            for one in self.around(path):
                if after.get(one) == "?":
                    del after[one]
        for one in self.inside(path):  # lowering a parent resets larger descendants
            if one in after and ORDER.index(after[one]) > ORDER.index(value):
                del after[one]
        return self.supported(grades, after)

    def rehighlighted(
        self, grades: Mapping[str, object], characters: set[int]
    ) -> dict[str, object]:
        after = {
            path: grade
            for path, grade in grades.items()
            if self.is_touched(path, characters)
            and not (grade == "?" and self.holds_whole_passage(path, characters))
        }
        for path in [path for path, grade in after.items() if grade == "?"]:
            for one in self.inside(path):
                if self.is_touched(one, characters):
                    after[one] = "?"
        return self.supported(grades, after)

    def supported(
        self, before: Mapping[str, object], after: dict[str, object]
    ) -> dict[str, object]:
        """A parent left without a child to support its grade resets."""

        def has_support(path: str, grades: Mapping[str, object]) -> bool:
            return any(grades.get(child) == grades[path] for child in self.children(path))

        while True:
            lost = [
                path
                for path, grade in after.items()
                if grade in (1, 2)
                and before.get(path) == grade
                and has_support(path, before)
                and not has_support(path, after)
            ]
            if not lost:
                return after
            for path in lost:
                del after[path]


# Grades of 2003–04

Pair: TypeAlias = tuple[int, int]
ALL_GRADES = [(e, s) for e in range(4) for s in range(4)]


class PlainGrades(PlainExhaustivity):
    """The rules of consistency, and what follows from grades by trying all others."""

    def __init__(self, article: Article) -> None:
        super().__init__(article)
        self.text = article.text

    def has_own_text(self, path: str) -> bool:
        own = set(range(*self.places[path]))
        for child in self.children(path):
            own -= set(range(*self.places[child]))
        return any(not self.text[one].isspace() for one in own)

    def nearest_around(self, path: str, grades: Mapping[str, Pair]) -> str | None:
        return max((one for one in self.around(path) if one in grades), key=len, default=None)

    def broken(self, grades: Mapping[str, Pair]) -> set[tuple[str, str, str | None]]:
        """Which rule is broken, where, and by which element inside."""
        found: set[tuple[str, str, str | None]] = set()
        for path, (e, s) in grades.items():
            if (e == 0) != (s == 0):
                found.add(("E0 iff S0", path, None))
            around = self.nearest_around(path, grades)
            if around is not None:
                if grades[around][0] < e:
                    found.add(("E(parent) >= E(child)", around, path))
                if s > 0 and grades[around][1] == 0:
                    found.add(("S(child) > 0 makes S(parent) > 0", around, path))
            children = self.children(path)
            if children and all(one in grades for one in children) and not self.has_own_text(path):
                if s > max(grades[one][1] for one in children):
                    found.add(("S(parent) <= max S(children)", path, None))
                if e > 0 and all(grades[one][0] == 0 for one in children):
                    found.add(("all children E0 gives E0", path, None))
        return found

    def inferred(self, given: Mapping[str, Pair]) -> dict[str, Pair]:
        """The elements for which one grade only breaks no rule, round after round."""
        grades = dict(given)
        while True:
            before = self.broken(grades)
            new = {}
            for path in self.places.keys() - grades.keys():
                possible = [
                    grade for grade in ALL_GRADES if self.broken({**grades, path: grade}) <= before
                ]
                if len(possible) == 1:
                    new[path] = possible[0]
            if not new:
                return {path: grade for path, grade in grades.items() if path not in given}
            grades |= new
