"""What an assessor has said of a document so far: one immutable value, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import lt
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast

from doxeval.errors import FormatError
from doxeval.messages import quoted, short_path

Mode: TypeAlias = Literal["2006", "2005", "2003"]
MODES: tuple[Mode, ...] = ("2006", "2005", "2003")
Status: TypeAlias = Literal["open", "validated"]
Range: TypeAlias = tuple[int, int]
# 2005: 2, 1 or "?"; 2003: exhaustivity and specificity.
Grade: TypeAlias = int | str | tuple[int, int]

LONGEST_NOTE = 10_000
# No text has as many characters.
TOO_LONG = 1 << 32
_FIELDS = ("highlights", "bep", "grades", "inferred", "status", "skipped", "problem", "note")


@dataclass(frozen=True)
class State:
    """The judgment of one document as it stands.

    highlights: the relevant text as ranges of code points, sorted, apart from each other.
    bep: the best entry point, an offset.
    grades: by the path of the element; an element without a grade is unknown, which is never 0.
    inferred: the paths whose grade follows from other grades and was not given by the assessor.
    status: "validated" when the assessor says it is done. skipped: put off for later.
    problem: something is wrong with the document. note: the assessor's own words.

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
        """Its fields as plain values for JSON, all of them, grades in the order of their paths."""
        return {
            "highlights": [list(one) for one in self.highlights],
            "bep": self.bep,
            "grades": {path: plain_grade(self.grades[path]) for path in sorted(self.grades)},
            "inferred": sorted(self.inferred),
            "status": self.status,
            "skipped": self.skipped,
            "problem": self.problem,
            "note": self.note,
        }

    @classmethod
    def from_json(cls, data: object) -> State:
        """The state that these plain values say; anything else is an error.

        >>> State.from_json({"highlights": []})
        Traceback (most recent call last):
            ...
        doxeval.errors.FormatError: a judgment without 'bep'
        """
        given = _checked_fields(data)
        grades = grades_from_json(given["grades"])
        inferred = given["inferred"]
        if not isinstance(inferred, list) or not all(
            isinstance(path, str) and path in grades for path in inferred
        ):
            raise FormatError("inferred: expected a list of paths that are graded")
        return cls(
            highlights=ranges_from_json(given["highlights"]),
            bep=given["bep"],
            grades=MappingProxyType(grades),
            inferred=frozenset(inferred),
            status=given["status"],
            skipped=given["skipped"],
            problem=given["problem"],
            note=given["note"],
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.as_json()

    def __setstate__(self, data: dict[str, Any]) -> None:
        for name, value in vars(State.from_json(data)).items():
            object.__setattr__(self, name, value)


def is_above_zero(grade: Grade) -> bool:
    """Whether a grade says anything but irrelevant.

    >>> is_above_zero("?"), is_above_zero((0, 0)), is_above_zero((1, 1))
    (True, False, True)
    """
    return any(grade) if isinstance(grade, tuple) else grade != 0


def plain_grade(grade: Grade | None) -> Any:
    """A grade for JSON.

    >>> plain_grade((3, 1)), plain_grade("?"), plain_grade(None)
    ([3, 1], '?', None)
    """
    return list(grade) if isinstance(grade, tuple) else grade


def grade_from_json(value: object) -> Grade | None:
    """The grade that a value of JSON stands for, None if it is no grade of any mode.

    >>> grade_from_json([3, 1]), grade_from_json("?"), grade_from_json(True)
    ((3, 1), '?', None)
    """
    if isinstance(value, list):
        both = len(value) == 2 and all(type(one) is int and 0 <= one <= 3 for one in value)
        return (value[0], value[1]) if both else None
    return cast(Grade, value) if value == "?" or (type(value) is int and value in (1, 2)) else None


def grades_from_json(data: object) -> dict[str, Grade]:
    """Grades by path; anything else is an error."""
    if not isinstance(data, dict):
        raise FormatError(f"grades: expected an object, and it is {quoted(data)}")
    grades: dict[str, Grade] = {}
    for path, value in data.items():
        grade = grade_from_json(value)
        if grade is None:
            raise FormatError(
                f"the grade of {short_path(path)} is {quoted(value)}: expected 2, 1, '?' or two "
                "whole numbers from 0 to 3"
            )
        grades[path] = grade
    return grades


def ranges_from_json(data: object) -> tuple[Range, ...]:
    """Ranges in order that do not overlap, touch or stand empty; anything else is an error."""
    if type(data) is not list or not set(map(type, data)) <= {list} or set(map(len, data)) - {2}:
        raise FormatError("highlights: expected a list of pairs")
    flat = list(chain.from_iterable(data))
    if not set(map(type, flat)) <= {int}:
        raise FormatError("highlights: expected pairs of whole numbers")
    if flat and not 0 <= flat[0] <= flat[-1] < TOO_LONG:
        raise FormatError("highlights: expected offsets of 0 or more")
    if not all(map(lt, flat, islice(flat, 1, None))):
        raise FormatError("highlights: expected ranges in order, apart from each other, not empty")
    return tuple(zip(flat[0::2], flat[1::2], strict=True))


def _checked_fields(data: object) -> dict[str, Any]:
    """The fields of a state, the simple ones checked."""
    if not isinstance(data, dict):
        raise FormatError(f"expected a judgment as an object, and it is {quoted(data)}")
    for name in _FIELDS:
        if name not in data:
            raise FormatError(f"a judgment without {name!r}")
    if unknown := [name for name in data if name not in _FIELDS]:
        raise FormatError(f"a judgment has no field {quoted(unknown[0])}")
    bep = data["bep"]
    if bep is not None and not (type(bep) is int and 0 <= bep < TOO_LONG):
        raise FormatError(f"bep is {quoted(bep)}: expected an offset or null")
    if data["status"] not in ("open", "validated"):
        raise FormatError(f"status is {quoted(data['status'])}: expected open or validated")
    for name in ("skipped", "problem"):
        if type(data[name]) is not bool:
            raise FormatError(f"{name} is {quoted(data[name])}: expected true or false")
    if flaw := flaw_of_note(data["note"]):
        raise FormatError(f"note: {flaw}")
    return data


def flaw_of_note(note: object) -> str | None:
    """What keeps a value from being a note, if anything does.

    >>> flaw_of_note("see §2"), flaw_of_note(3)
    (None, 'expected text, and it is 3')
    """
    if not isinstance(note, str):
        return f"expected text, and it is {quoted(note)}"
    if len(note) > LONGEST_NOTE:
        return f"{len(note):,} characters, and there may be {LONGEST_NOTE:,}"
    return flaw_of_text(note)


def flaw_of_text(text: str) -> str | None:
    """What keeps a text from being stored: databases take no NUL and no lone surrogates.

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
