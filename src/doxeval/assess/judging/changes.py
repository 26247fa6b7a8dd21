"""What an operation changed: enough to undo it and to redo it, and no more.

Only fields that differ are kept, and of highlights, grades and inferred paths only those that
came or went, so that a log of many small operations on a large judgment stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from doxeval.assess.judging.refusals import WrongChange
from doxeval.assess.judging.state import (
    Grade,
    Range,
    State,
    grade_from_json,
    plain_grade,
    ranges_from_json,
)
from doxeval.errors import FormatError

_SIMPLE = ("bep", "status", "skipped", "problem", "note")


@dataclass(frozen=True)
class Change:
    """The difference between two states.

    removed, added: highlights that went and that came. grades: before and after by path, None
    where there is no grade. no_longer_inferred, newly_inferred: paths. fields: before and after
    of the best entry point, status, skipped, problem and note, as far as they differ.

    >>> before, after = State(), State(highlights=((0, 5),), note="good")
    >>> change = change_between(before, after)
    >>> change.as_json()
    {'highlights': {'removed': [], 'added': [[0, 5]]}, 'note': ['', 'good']}
    >>> redone(before, change) == after, undone(after, change) == before
    (True, True)
    """

    removed: tuple[Range, ...] = ()
    added: tuple[Range, ...] = ()
    grades: Mapping[str, tuple[Grade | None, Grade | None]] = field(
        default_factory=dict, hash=False
    )
    no_longer_inferred: frozenset[str] = frozenset()
    newly_inferred: frozenset[str] = frozenset()
    fields: Mapping[str, tuple[Any, Any]] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return self != Change()

    def reversed(self) -> Change:
        """The change back.

        >>> Change(added=((0, 5),)).reversed()
        Change(removed=((0, 5),))
        """
        return Change(
            self.added,
            self.removed,
            {path: (after, before) for path, (before, after) in self.grades.items()},
            self.newly_inferred,
            self.no_longer_inferred,
            {name: (after, before) for name, (before, after) in self.fields.items()},
        )

    def __repr__(self) -> str:
        from doxeval.messages import short_repr

        return short_repr(self)

    def as_json(self) -> dict[str, Any]:
        """What changed, as plain values for JSON."""
        data: dict[str, Any] = {}
        if self.removed or self.added:
            data["highlights"] = {
                "removed": [list(one) for one in self.removed],
                "added": [list(one) for one in self.added],
            }
        if self.grades:
            data["grades"] = {
                path: [plain_grade(before), plain_grade(after)]
                for path, (before, after) in sorted(self.grades.items())
            }
        if self.no_longer_inferred or self.newly_inferred:
            data["inferred"] = {
                "removed": sorted(self.no_longer_inferred),
                "added": sorted(self.newly_inferred),
            }
        return data | {name: list(pair) for name, pair in self.fields.items()}

    @classmethod
    def from_json(cls, data: object) -> Change:
        """The change that these plain values say; anything else is an error."""
        try:
            return _change_of(data)
        except (TypeError, ValueError, LookupError, AttributeError):
            raise FormatError("this is not the change of a judgment") from None


def change_between(before: State, after: State) -> Change:
    """What has to change in one state to make it the other."""
    return Change(
        _only_in(before.highlights, after.highlights),
        _only_in(after.highlights, before.highlights),
        _changed_grades(before.grades, after.grades),
        before.inferred - after.inferred,
        after.inferred - before.inferred,
        {
            name: (getattr(before, name), getattr(after, name))
            for name in _SIMPLE
            if getattr(before, name) != getattr(after, name)
        },
    )


def redone(state: State, change: Change) -> State:
    """The state after a change; WrongChange if the change did not begin at this state."""
    if not change:
        return state
    highlights = set(state.highlights)
    if not (
        highlights.issuperset(change.removed)
        and highlights.isdisjoint(change.added)
        and all(state.grades.get(path) == pair[0] for path, pair in change.grades.items())
        and state.inferred >= change.no_longer_inferred
        and state.inferred.isdisjoint(change.newly_inferred)
        and all(getattr(state, name) == pair[0] for name, pair in change.fields.items())
    ):
        raise WrongChange("this change does not belong to the judgment as it stands")
    return replace(
        state,
        highlights=tuple(sorted(highlights.difference(change.removed).union(change.added)))
        if change.removed or change.added
        else state.highlights,
        grades=_with_grades(state.grades, change.grades),
        inferred=(state.inferred - change.no_longer_inferred) | change.newly_inferred,
        **{name: pair[1] for name, pair in change.fields.items()},
    )


def undone(state: State, change: Change) -> State:
    """The state before a change; WrongChange if the change did not end at this state."""
    return redone(state, change.reversed())


def _only_in(some: tuple[Range, ...], others: tuple[Range, ...]) -> tuple[Range, ...]:
    if some is others:
        return ()
    known = set(others)
    return tuple(one for one in some if one not in known)


def _changed_grades(
    before: Mapping[str, Grade], after: Mapping[str, Grade]
) -> dict[str, tuple[Grade | None, Grade | None]]:
    if before is after:
        return {}
    changed = {
        path: (grade, after.get(path)) for path, grade in before.items() if after.get(path) != grade
    }
    return changed | {path: (None, grade) for path, grade in after.items() if path not in before}


def _with_grades(
    grades: Mapping[str, Grade], changes: Mapping[str, tuple[Grade | None, Grade | None]]
) -> Mapping[str, Grade]:
    if not changes:
        return grades
    changed = dict(grades)
    for path, (_, after) in changes.items():
        if after is None:
            changed.pop(path, None)
        else:
            changed[path] = after
    return MappingProxyType(changed)


def _change_of(data: Any) -> Change:
    if unknown := data.keys() - {"highlights", "grades", "inferred", *_SIMPLE}:
        raise ValueError(unknown)
    ranges = data.get("highlights", {"removed": [], "added": []})
    inferred = data.get("inferred", {"removed": [], "added": []})
    return Change(
        ranges_from_json(ranges["removed"]),
        ranges_from_json(ranges["added"]),
        {
            path: (_grade_or_none(before), _grade_or_none(after))
            for path, (before, after) in data.get("grades", {}).items()
        },
        _paths(inferred["removed"]),
        _paths(inferred["added"]),
        {name: _both(name, *data[name]) for name in _SIMPLE if name in data},
    )


def _both(name: str, before: Any, after: Any) -> tuple[Any, Any]:
    """Two values of a field that states can have."""
    for value in (before, after):
        State.from_json(State().as_json() | {name: value})
    return before, after


def _paths(data: Any) -> frozenset[str]:
    if not isinstance(data, list) or not all(isinstance(path, str) for path in data):
        raise ValueError(data)
    return frozenset(data)


def _grade_or_none(value: Any) -> Grade | None:
    grade = None if value is None else grade_from_json(value)
    if grade is None and value is not None:
        raise ValueError(value)
    return grade
