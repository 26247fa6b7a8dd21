"""The judgment of a document as it stands, and changes of it: immutable values, and their JSON.

A change has enough to undo an operation and to redo it, and no more: only fields that differ are
kept, and of highlights, grades and inferred paths only those that came or went, so that a log of
many small operations on a large judgment stays small.

JSON is decoded into the records of this file, which refuse everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from operator import lt
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from doxeval.errors import FormatError, InputError
from doxeval.messages import quoted, short_path

Status: TypeAlias = Literal["open", "validated"]
Range: TypeAlias = tuple[int, int]
# 2005: 2, 1 or "?"; 2003: exhaustivity and specificity.
Grade: TypeAlias = int | str | tuple[int, int]
# Where a passage begins and ends, and what the assessor says of it.
Comment: TypeAlias = tuple[int, int, str]

LONGEST_NOTE = 10_000
LONGEST_COMMENT, MOST_COMMENTS = 2_000, 500
# No text has as many characters.
TOO_LONG = 1 << 32

# Types of JSON values.
Offset = Annotated[int, Meta(ge=0, lt=TOO_LONG)]
_Level = Annotated[int, Meta(ge=0, le=3)]
GradeValue: TypeAlias = Literal[1, 2, "?"] | tuple[_Level, _Level]
_RangeValues: TypeAlias = list[tuple[Offset, Offset]]
_CommentValues: TypeAlias = list[tuple[Offset, Offset, str]]
R = TypeVar("R")


class OperationRefused(InputError):
    """The rules of judging do not allow the operation; `code` says which rule, in one word.

    >>> str(OperationRefused("outside", "The document ends before that."))
    'The document ends before that.'
    """

    def __init__(self, code: str, explanation: str) -> None:
        super().__init__(explanation)
        self.code = code

    def __reduce__(self) -> tuple[Callable[[str, str], OperationRefused], tuple[str, str]]:
        return OperationRefused, (self.code, self.message)


class WrongChange(InputError):
    """A change is undone or redone on a state that it does not belong to."""


class StateRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A judgment as JSON has it."""

    highlights: _RangeValues
    bep: Offset | None
    grades: dict[str, GradeValue]
    inferred: list[str]
    status: Status
    skipped: bool
    problem: bool
    note: str
    comments: _CommentValues = []


_EXPECTED = {
    "highlights": "a list of pairs of whole numbers, 0 or more, in order, apart from each other, "
    "not empty",
    "bep": "an offset or null",
    "grades": "an object",
    "inferred": "a list of paths that are graded",
    "status": "open or validated",
    "skipped": "true or false",
    "problem": "true or false",
    "note": "text",
    "comments": "a list of two whole numbers and a text, in order",
}
_GRADES = "2, 1, '?' or two whole numbers from 0 to 3"


@dataclass(frozen=True)
class State:
    """The judgment of one document as it stands.

    highlights: the relevant text as ranges of code points, sorted, apart from each other.
    bep: the best entry point, an offset.
    grades: by the path of the element; an element without a grade is unknown, which is never 0.
    inferred: the paths whose grade follows from other grades and was not given by the assessor.
    status: "validated" when the assessor says it is done. skipped: put off for later.
    problem: something is wrong with the document. note: the assessor's own words about it.
    comments: those about passages, in the order of the text.

    >>> state = State(highlights=((0, 5),), bep=0)
    >>> state.as_json()["highlights"], State.from_json(state.as_json()) == state
    ([[0, 5]], True)
    """

    highlights: tuple[Range, ...] = ()
    bep: int | None = None
    grades: Mapping[str, Grade] = field(default_factory=dict, hash=False)
    inferred: frozenset[str] = frozenset()
    status: Status = "open"
    skipped: bool = False
    problem: bool = False
    note: str = ""
    comments: tuple[Comment, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.grades, MappingProxyType):
            object.__setattr__(self, "grades", MappingProxyType(dict(self.grades)))

    @property
    def is_relevant(self) -> bool:
        """Whether anything is highlighted, or graded above zero.

        >>> State().is_relevant, State(grades={"/a[1]": (0, 0)}).is_relevant
        (False, False)
        """
        return bool(self.highlights) or any(map(is_above_zero, self.grades.values()))

    @property
    def highlighted(self) -> int:
        """How many characters are highlighted.

        >>> State(highlights=((0, 5), (9, 12))).highlighted
        8
        """
        return sum(end - start for start, end in self.highlights)

    def as_json(self) -> dict[str, Any]:
        """Return its fields as plain values for JSON, grades in the order of their paths."""
        return {
            "highlights": [list(pair) for pair in self.highlights],
            "bep": self.bep,
            "grades": {path: plain_grade(self.grades[path]) for path in sorted(self.grades)},
            "inferred": sorted(self.inferred),
            "status": self.status,
            "skipped": self.skipped,
            "problem": self.problem,
            "note": self.note,
            **({"comments": [list(comment) for comment in self.comments]} if self.comments else {}),
        }

    @classmethod
    def from_json(cls, data: object) -> State:
        """Return the state that these plain values say; anything else is an error.

        >>> State.from_json({"highlights": []})
        Traceback (most recent call last):
            ...
        doxeval.errors.FormatError: a judgment without 'bep'
        """
        record = _state_record(data)
        grades = MappingProxyType(record.grades)
        if not all(path in grades for path in record.inferred):
            raise FormatError(f"inferred: expected {_EXPECTED['inferred']}")
        if flaw := flaw_of_note(record.note):
            raise FormatError(f"note: {flaw}")
        return cls(
            highlights=_ranges(record.highlights),
            bep=record.bep,
            grades=grades,
            inferred=frozenset(record.inferred),
            status=record.status,
            skipped=record.skipped,
            problem=record.problem,
            note=record.note,
            comments=_comments(record.comments),
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.as_json()

    def __setstate__(self, data: dict[str, Any]) -> None:
        for name, value in vars(State.from_json(data)).items():
            object.__setattr__(self, name, value)


def _state_record(data: object) -> StateRecord:
    try:
        record: StateRecord = convert_plain(data, StateRecord)
    except msgspec.ValidationError as error:
        grades = data.get("grades") if isinstance(data, dict) else None
        for path, value in grades.items() if isinstance(grades, dict) else ():
            if grade_from_json(value) is None:
                raise FormatError(
                    f"the grade of {short_path(path)} is {quoted(value)}: expected {_GRADES}"
                ) from None
        raise FormatError(explain(error, data, StateRecord, "a judgment", _EXPECTED)) from None
    return record


def convert_plain(value: object, kind: Any) -> Any:
    r"""Return plain values of JSON as a type; a ValidationError says where they do not fit.

    >>> convert_plain([1, 2], tuple[int, int])
    (1, 2)
    >>> convert_plain({"bep": "\ud800"}, dict[str, int])
    Traceback (most recent call last):
    msgspec.ValidationError: Expected `int`, got `str` - at `$[...]`
    """
    try:
        return msgspec.convert(value, kind)
    except UnicodeEncodeError:  # msgspec looks at words in UTF-8, which has no lone surrogates
        msgspec.convert(_without_surrogates(value), kind)
        raise msgspec.ValidationError("lone surrogates are no text") from None


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(of) for key, of in value.items()}
    return list(map(_without_surrogates, value)) if isinstance(value, list | tuple) else value


def explain(
    error: msgspec.ValidationError,
    data: object,
    record: type,
    what: str,
    expected: Mapping[str, str],
) -> str:
    """Return what is wrong with plain values that are no such record, in our words."""
    if not isinstance(data, dict):
        return f"expected {what} as an object, and it is {quoted(data)}"
    fields = {known.name: known for known in msgspec.structs.fields(record)}
    for name, known in fields.items():
        if known.required and name not in data:
            return f"{what} without {name!r}"
    for name in data:
        if name not in fields:
            return f"{what} has no field {quoted(name)}"
    at = re.search(r"`\$\.(\w+)", str(error))
    if at is None:
        return f"expected {what}: {error}"
    return f"{at[1]} is {quoted(data[at[1]])}: expected {expected[at[1]]}"


def is_above_zero(grade: Grade) -> bool:
    """Tell whether a grade says anything but irrelevant.

    >>> is_above_zero("?"), is_above_zero((0, 0)), is_above_zero((1, 1))
    (True, False, True)
    """
    return any(grade) if isinstance(grade, tuple) else grade != 0


def plain_grade(grade: Grade | None) -> Any:
    """Return a grade for JSON.

    >>> plain_grade((3, 1)), plain_grade("?"), plain_grade(None)
    ([3, 1], '?', None)
    """
    return list(grade) if isinstance(grade, tuple) else grade


def grade_from_json(value: object) -> Grade | None:
    """Return the grade that a value of JSON stands for, None if it is no grade of any mode.

    >>> grade_from_json([3, 1]), grade_from_json("?"), grade_from_json(True)
    ((3, 1), '?', None)
    """
    try:
        grade: Grade = convert_plain(value, GradeValue)
    except msgspec.ValidationError:
        return None
    return grade


def _ranges(pairs: _RangeValues) -> tuple[Range, ...]:
    """Return ranges that are in order and do not overlap, touch or stand empty."""
    flat = list(chain.from_iterable(pairs))
    if not all(map(lt, flat, islice(flat, 1, None))):
        raise FormatError(f"highlights: expected {_EXPECTED['highlights']}")
    return tuple(pairs)


def _comments(values: _CommentValues) -> tuple[Comment, ...]:
    """Return comments that are in order, one for each passage."""
    passages = [(start, end) for start, end, _ in values]
    is_ordered = all(map(lt, passages, islice(passages, 1, None)))
    if not is_ordered or any(start >= end for start, end in passages):
        raise FormatError(f"comments: expected {_EXPECTED['comments']}")
    for flaw in filter(None, (flaw_of_comment(text) for _, _, text in values)):
        raise FormatError(f"comments: {flaw}")
    if len(values) > MOST_COMMENTS:
        raise FormatError(f"comments: {len(values):,}, and there may be {MOST_COMMENTS:,}")
    return tuple(values)


def merged_comments(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """Return comments in order; those on the same passage become one, one below the other.

    >>> merged_comments([(4, 8, "low"), (0, 3, "why?"), (4, 8, "or high"), (4, 8, "low")])
    ((0, 3, 'why?'), (4, 8, 'low\\nor high'))
    """
    texts: dict[Range, dict[str, None]] = {}
    for start, end, text in comments:
        texts.setdefault((start, end), {})[text] = None
    joined = {place: "\n".join(of_place) for place, of_place in sorted(texts.items())}
    return tuple((*place, text[:LONGEST_COMMENT]) for place, text in joined.items())[:MOST_COMMENTS]


def flaw_of_comment(comment: str) -> str | None:
    """Return what keeps a text from being a comment on a passage, if anything does.

    >>> flaw_of_comment("see §2"), flaw_of_comment("a" * 2001)
    (None, '2,001 characters, and there may be 2,000')
    """
    if len(comment) > LONGEST_COMMENT:
        return f"{len(comment):,} characters, and there may be {LONGEST_COMMENT:,}"
    return flaw_of_text(comment)


def flaw_of_note(note: str) -> str | None:
    """Return what keeps a text from being a note, if anything does.

    >>> flaw_of_note("see §2"), flaw_of_note("\\0")
    (None, 'the character NUL cannot be stored')
    """
    if len(note) > LONGEST_NOTE:
        return f"{len(note):,} characters, and there may be {LONGEST_NOTE:,}"
    return flaw_of_text(note)


def flaw_of_text(text: str) -> str | None:
    """Return what keeps a text from being stored: databases take no NUL and no lone surrogates.

    >>> flaw_of_text("fine"), flaw_of_text("\\ud800")
    (None, 'lone surrogates are no text')
    """
    if "\0" in text:
        return "the character NUL cannot be stored"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "lone surrogates are no text"
    return None


# Changes

_SIMPLE = ("bep", "status", "skipped", "problem", "note", "comments")


class _ChangedRanges(Struct, frozen=True, forbid_unknown_fields=True):
    removed: _RangeValues
    added: _RangeValues


class _ChangedPaths(Struct, frozen=True, forbid_unknown_fields=True):
    removed: list[str]
    added: list[str]


class _ChangeRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A change as JSON has it: before and after of what differs."""

    highlights: _ChangedRanges = _ChangedRanges([], [])
    grades: dict[str, tuple[GradeValue | None, GradeValue | None]] = {}
    inferred: _ChangedPaths = _ChangedPaths([], [])
    bep: tuple[Offset | None, Offset | None] | UnsetType = UNSET
    status: tuple[Status, Status] | UnsetType = UNSET
    skipped: tuple[bool, bool] | UnsetType = UNSET
    problem: tuple[bool, bool] | UnsetType = UNSET
    note: tuple[str, str] | UnsetType = UNSET
    comments: tuple[_CommentValues, _CommentValues] | UnsetType = UNSET


@dataclass(frozen=True)
class Change:
    """The difference between two states.

    removed, added: highlights that went and that came. grades: before and after by path, None
    where there is no grade. no_longer_inferred, newly_inferred: paths. fields: before and after
    of the best entry point, status, skipped, problem, note and comments, as far as they differ.

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
        """Tell whether anything changed."""
        return self != Change()

    def reversed(self) -> Change:
        """Return the change back.

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
        """Return what changed, as plain values for JSON."""
        data: dict[str, Any] = {}
        if self.removed or self.added:
            data["highlights"] = {
                "removed": [list(pair) for pair in self.removed],
                "added": [list(pair) for pair in self.added],
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
        for name, pair in self.fields.items():
            comments = name == "comments"
            data[name] = [[list(each) for each in side] if comments else side for side in pair]
        return data

    @classmethod
    def from_json(cls, data: object) -> Change:
        """Return the change that these plain values say; anything else is an error."""
        try:
            record: _ChangeRecord = convert_plain(data, _ChangeRecord)
        except msgspec.ValidationError:
            raise FormatError("this is not the change of a judgment") from None
        both = {name: getattr(record, name) for name in _SIMPLE}
        fields = {name: pair for name, pair in both.items() if pair is not UNSET}
        if "comments" in fields:
            fields["comments"] = tuple(_comments(side) for side in fields["comments"])
        for note in fields.get("note", ()):
            if flaw := flaw_of_note(note):
                raise FormatError(f"note: {flaw}")
        return cls(
            _ranges(record.highlights.removed),
            _ranges(record.highlights.added),
            record.grades,
            frozenset(record.inferred.removed),
            frozenset(record.inferred.added),
            fields,
        )


def change_between(before: State, after: State) -> Change:
    """Return what has to change in one state to make it the other."""
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
    """Return the state after a change; WrongChange if the change did not begin at this state."""
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
    """Return the state before a change; WrongChange if the change did not end at this state."""
    return redone(state, change.reversed())


def _only_in(some: tuple[Range, ...], others: tuple[Range, ...]) -> tuple[Range, ...]:
    if some is others:
        return ()
    known = set(others)
    return tuple(pair for pair in some if pair not in known)


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
