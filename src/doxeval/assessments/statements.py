"""Statements about documents, one after another, and the judgments that they make up.

A statement is a record of named fields, as a line of JSONL or a row of a frame has them (`jsonl`
says what they mean). All statements of one assessor and pool about a document for a topic are one
judgment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from doxeval.assessments.grades import COVERAGES, FINEST_SHARE, Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import (
    MARKS,
    AssessedUnit,
    GradedElement,
    Judgment,
    Judgments,
    MeasuredElement,
    NeededSpan,
    PointPassage,
    in_order,
)
from doxeval.columns import Fields
from doxeval.documents import normalised_id
from doxeval.errors import FormatError
from doxeval.messages import plural, quoted
from doxeval.spans import TOO_LONG

# What each kind of statement must have, and what it may have besides.
_STATEMENTS: dict[frozenset[str], frozenset[str]] = {
    frozenset({"start", "end"}): frozenset({"need", "grade"}),
    frozenset({"start_point", "end_point"}): frozenset({"size"}),
    frozenset({"bep"}): frozenset(),
    frozenset({"bep_point"}): frozenset(),
    frozenset({"path"}): frozenset({"e", "s", "size", "rsize", "scale"})
    | {"in_pool", "inferred", "inconsistent"},
    frozenset({"nodes", "rel"}): frozenset(),
    frozenset({"grade"}): frozenset(),
    frozenset({"judged"}): frozenset(),
}
_ABOUT = ("docsize", "assessor", "marks", "pool", "collection", "version", "whitespace")
_SAYING = sorted({name for need, more in _STATEMENTS.items() for name in need | more})
FIELDS = ("topic", "doc", *_SAYING, *_ABOUT)
# Fields of a result that assessments do not have, and those of a statement that results do not.
OF_RUNS = ("score", "rank", "run")
OF_ASSESSMENTS = (
    frozenset(FIELDS)
    - {"topic", "doc", "path", "start", "end", "nodes"}
    - {
        "start_point",
        "end_point",
    }
)
RUNS_FIRST = "runs come first, then assessments"
_FRACTION = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_SCALES = ("2002", "2003", "2005")


def judgments_of_statements(statements: Iterable[tuple[int, Any]], origin: str | None) -> Judgments:
    """The judgments that numbered statements make up.

    The number of a statement is its line in a file, or without an origin its row in a frame.

    >>> about = {"topic": "7", "doc": "a"}
    >>> said = [{**about, "start": 3, "end": 9}, {**about, "bep": 4}]
    >>> judgments_of_statements(enumerate(said), None).judgments
    [Judgment('7', 'a', highlights=((3, 9),), best_entry_point=4)]
    """
    drafts: dict[tuple[str, str, str | None, str | None], _Draft] = {}
    for number, record in statements:
        try:
            given = Fields(record, FIELDS)
            key = (
                given.text("topic"),
                normalised_id(given.text("doc")),
                given.optional_text("assessor"),
                given.optional_text("pool"),
            )
            line = None if origin is None else number
            drafts.setdefault(key, _Draft(number)).add(given, line)
        except FormatError as error:
            of_run = [name for name in OF_RUNS if isinstance(record, dict) and name in record]
            message = error.message
            if of_run:
                seen = looks_like_a_run(f"the field {of_run[0]}")
                message = f"{seen}; as assessments, it is wrong here: {message}"
            raise _wrong(message, origin, number) from None
    judgments: list[Judgment] = []
    warnings: list[str] = []
    for (topic, document, assessor, pool), draft in drafts.items():
        highlights, overlap = in_order(draft.passages)
        if overlap and not draft.has_needs:
            warnings.append(overlap_warning(origin, draft.number))
        if highlights and highlights[-1][1] > draft.length:
            message = f"a passage ends at {highlights[-1][1]}, beyond the document's {draft.length}"
            raise _wrong(message, origin, draft.number)
        about = {"origin": origin, "line": None if origin is None else draft.number}
        said = {"assessor": assessor, "pool": pool, **draft.said(), **about}
        judgments.append(Judgment(topic, document, highlights, **said))
    warnings += unsettled(judgments, origin)
    return Judgments(judgments, warnings)


def looks_like_a_run(what: str) -> str:
    """Return what to tell somebody who gave a run as assessments.

    >>> looks_like_a_run("the field score")
    'this looks like a run (the field score), not assessments: runs come first, then assessments'
    """
    return f"this looks like a run ({what}), not assessments: {RUNS_FIRST}"


def unsettled(judgments: Iterable[Judgment], origin: str | None) -> list[str]:
    """A warning if some judgments are drafts, or of documents that were placed as a test.

    >>> unsettled([Judgment("7", "a", marks=("draft",)), Judgment("7", "b")], "a.jsonl")
    ['a.jsonl: 1 draft among the judgments; they count']
    """
    marked = Counter(mark for judgment in judgments for mark in judgment.marks)
    found = [plural(marked[mark], mark) for mark in ("draft", "honeypot") if marked[mark]]
    where = "" if origin is None else f"{origin}: "
    return [f"{where}{' and '.join(found)} among the judgments; they count"] if found else []


def overlap_warning(origin: str | None, number: int) -> str:
    """The warning for passages that overlap, with the first statement about their document."""
    return f"{_place(origin, number)}: passages that overlap were merged"


def _place(origin: str | None, number: int) -> str:
    return f"row {number}" if origin is None else f"{origin}:{number}"


def _wrong(message: str, origin: str | None, number: int) -> FormatError:
    if origin is None:
        return FormatError(f"row {number}: {message}")
    return FormatError(message, origin, number)


@dataclass
class _Draft:
    """A judgment in the making; number: of its first statement."""

    number: int
    needed: list[NeededSpan] = field(default_factory=list)
    has_needs: bool = False
    points: list[PointPassage] = field(default_factory=list)
    grades: list[GradedElement] = field(default_factory=list)
    elements: list[MeasuredElement] = field(default_factory=list)
    units: list[AssessedUnit] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def passages(self) -> list[tuple[int, int]]:
        """The highlighted ranges."""
        return [(one.start, one.end) for one in self.needed]

    @property
    def length(self) -> int:
        """The length of the document, or more than any has."""
        length: int = self.facts.get("document_length", TOO_LONG)
        return length

    def said(self) -> dict[str, Any]:
        """What was said, but for offsets of passages."""
        return {
            "passages": tuple(self.points),
            "grades": tuple(self.grades),
            "elements": tuple(self.elements),
            "units": tuple(self.units),
            "needs": tuple(self.needed) if self.has_needs else (),
            **self.facts,
        }

    def add(self, given: Fields, line: int | None) -> None:
        """Take in a statement, and its line if it stands in a file."""
        said = given.names & set(_SAYING)
        if not any(need <= said <= need | more for need, more in _STATEMENTS.items()):
            raise FormatError(
                f"fields {', '.join(sorted(said)) or 'missing'}: expected start and end, bep, "
                "path with e and s, nodes and rel, or judged"
            )
        if "start" in said:
            self._add_range(given)
        elif "start_point" in said:
            points = (given.text("start_point"), given.text("end_point"))
            self.points.append(PointPassage(*points, given.whole("size")))
        elif "path" in said:
            self._add_element(given, line)
        elif "nodes" in said:
            self.units.append(AssessedUnit(given.paths("nodes"), given.number("rel") or 0.0))
        elif "judged" in said and not given.flag("judged"):
            raise FormatError("judged is false: a document that is not judged is left out")
        self._set("best_entry_point", given.whole("bep"))
        self._set("entry_point", given.optional_text("bep_point"))
        self._set("relevance", None if "start" in said else _signed(given, "grade"))
        self._set("document_length", given.whole("docsize"))
        self._set("marks", _marks(given))
        self._set("collection", given.optional_text("collection"))
        self._set("version", given.optional_text("version"))
        self._set("whitespace", given.choice("whitespace", ("keep", "strip")))

    def _add_range(self, given: Fields) -> None:
        self.has_needs |= bool({"need", "grade"} & given.names)
        grade = given.number("grade")
        weight = 1 if grade is None else int(grade) if grade == int(grade) else grade
        self.needed.append(NeededSpan(given.optional_text("need"), *_range(given), weight))

    def _add_element(self, given: Fields, line: int | None) -> None:
        path = given.text("path")
        if "size" in given or "rsize" in given:
            self.elements.append(_measured(path, given))
        else:
            flags = {name: given.flag(name) for name in ("in_pool", "inferred", "inconsistent")}
            self.grades.append(GradedElement(path, _grade(given), **flags, line=line))

    def _set(self, name: str, value: object) -> None:
        if value is not None and self.facts.setdefault(name, value) != value:
            raise FormatError(
                f"{name.replace('_', ' ')} {quoted(value)} contradicts {quoted(self.facts[name])}"
            )


def _marks(given: Fields) -> tuple[str, ...] | None:
    marks = given.raw("marks")
    if marks is None:
        return None
    if not isinstance(marks, list) or not all(mark in MARKS for mark in marks):
        raise FormatError(
            f"marks is {quoted(marks)}: expected a list of some of {', '.join(MARKS)}"
        )
    return tuple(mark for mark in MARKS if mark in marks)


def _range(given: Fields) -> tuple[int, int]:
    start, end = given.whole("start") or 0, given.whole("end") or 0
    if end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    return start, end


def _signed(given: Fields, name: str) -> int | None:
    value = given.number(name)
    if value is not None and value != int(value):
        raise FormatError(f"{name} is {quoted(value)}: expected a whole number")
    return None if value is None else int(value)


def _grade(given: Fields) -> Grade2002 | Grade2003 | Grade2005 | None:
    scale = given.choice("scale", _SCALES) or "2003"
    if not {"e", "s"} & given.names:
        return None
    e, s = given.raw("e"), given.raw("s")
    try:
        if scale == "2002" and s in tuple(COVERAGES):
            return Grade2002(_small(e), s)
        if scale == "2003":
            return Grade2003(_small(e), _small(s))
        if scale == "2005":
            return Grade2005(None if e == "?" else _small(e), _share(s))
    except ValueError:
        pass
    raise FormatError(f"e {quoted(e)} and s {quoted(s)} are no grade of the scale {scale}")


def _measured(path: str, given: Fields) -> MeasuredElement:
    e, size, rsize = given.raw("e"), given.whole("size"), given.whole("rsize")
    if given.choice("scale", _SCALES) != "2005" or size is None or rsize is None or "s" in given:
        raise FormatError('size and rsize go together, with "scale": "2005" and without s')
    if e != "?" and (type(e) is not int or e not in range(3)):  # true and 1.0 equal 1
        raise FormatError(f"e is {quoted(e)}: expected 0, 1, 2 or ?")
    return MeasuredElement(path, None if e == "?" else e, size, rsize)


def _small(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _share(value: object) -> Fraction:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number and not (isinstance(value, str) and _FRACTION.fullmatch(value)):
        raise ValueError
    share = Fraction(str(value))
    if share.denominator > FINEST_SHARE:
        raise FormatError(f"s is {quoted(value)}: expected at most twelve digits")
    return share
