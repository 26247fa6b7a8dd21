"""Assessments as JSONL, one statement per line; this format holds everything there is to say.

    {"topic", "doc", "start", "end"}          a highlighted passage, half-open, in characters
    {"topic", "doc", "bep"}                   the best entry point, an offset
    {"topic", "doc", "path", "e", "s"}        the grade of an element
    {"topic", "doc", "nodes": [paths], "rel"} the relevance of a unit: one or more elements
    {"topic", "doc", "judged": true}          judged; not relevant if nothing else is said

Each may carry `docsize` (the length of the document), `assessor` and `pool`; what several
assessors say about a document are several judgments. `scale` says what e and s are: "2003" (both
0 to 3; this is also meant where no scale is given), "2002" (relevance 0 to 3, coverage N, L, S or
E) or "2005" (0, 1, 2 or "?", and a share of the text: a number or a fraction such as "1/3"; or
instead of s the counts `size` and `rsize`). A path alone is an unjudged element.

For what other formats say there are also: `start_point` and `end_point` or `bep_point` (text
points, with `whitespace`: "keep" or "strip"), `grade` (one for the whole document), `in_pool`,
`inferred`, `inconsistent`, `collection` and `version`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import IO, Any

from doxeval.assessments.grades import COVERAGES, Grade2002, Grade2003, Grade2005
from doxeval.assessments.highlights import in_order
from doxeval.assessments.judgment import (
    AssessedUnit,
    GradedElement,
    Judgment,
    Judgments,
    MeasuredElement,
    PointPassage,
)
from doxeval.columns.fields import Fields
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError
from doxeval.files import json_lines

# What each kind of line must have, and what it may have besides.
_STATEMENTS: dict[frozenset[str], frozenset[str]] = {
    frozenset({"start", "end"}): frozenset(),
    frozenset({"start_point", "end_point"}): frozenset({"size"}),
    frozenset({"bep"}): frozenset(),
    frozenset({"bep_point"}): frozenset(),
    frozenset({"path"}): frozenset({"e", "s", "size", "rsize", "scale"})
    | {"in_pool", "inferred", "inconsistent"},
    frozenset({"nodes", "rel"}): frozenset(),
    frozenset({"grade"}): frozenset(),
    frozenset({"judged"}): frozenset(),
}
_ABOUT = ("docsize", "assessor", "pool", "collection", "version", "whitespace")
_SAYING = sorted({name for need, more in _STATEMENTS.items() for name in need | more})
FIELDS = ("topic", "doc", *_SAYING, *_ABOUT)
_FRACTION = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_SCALES = ("2002", "2003", "2005")


def read_jsonl(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> line = b'{"topic": "7", "doc": "a", "start": 3, "end": 9}'
    >>> read_jsonl(io.BytesIO(line), "a.jsonl").judgments[0].highlights
    ((3, 9),)
    """
    drafts: dict[tuple[str, str, str | None, str | None], _Draft] = {}
    for number, record in json_lines(file, origin):
        try:
            given = Fields(record, FIELDS)
            key = (
                given.text("topic"),
                normalised_id(given.text("doc")),
                given.optional_text("assessor"),
                given.optional_text("pool"),
            )
            drafts.setdefault(key, _Draft(number)).add(given)
        except FormatError as error:
            raise FormatError(error.message, origin, number) from None
    if not drafts:
        raise FormatError("no assessments in the file", origin)
    warnings: list[str] = []
    return Judgments(
        [draft.finish(*key, origin, warnings) for key, draft in drafts.items()], warnings
    )


@dataclass
class _Draft:
    """A judgment in the making."""

    line: int
    passages: list[tuple[int, int]] = field(default_factory=list)
    points: list[PointPassage] = field(default_factory=list)
    grades: list[GradedElement] = field(default_factory=list)
    elements: list[MeasuredElement] = field(default_factory=list)
    units: list[AssessedUnit] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    def add(self, given: Fields) -> None:
        """Take in a line."""
        said = given.names & set(_SAYING)
        if not any(need <= said <= need | more for need, more in _STATEMENTS.items()):
            raise FormatError(
                f"fields {', '.join(sorted(said)) or 'missing'}: expected start and end, bep, "
                "path with e and s, nodes and rel, or judged"
            )
        if "start" in said:
            self.passages.append(_range(given))
        elif "start_point" in said:
            points = (given.text("start_point"), given.text("end_point"))
            self.points.append(PointPassage(*points, given.whole("size")))
        elif "path" in said:
            self._add_element(given)
        elif "nodes" in said:
            self.units.append(AssessedUnit(given.paths("nodes"), given.number("rel") or 0.0))
        elif "judged" in said and not given.flag("judged"):
            raise FormatError("judged is false: a document that is not judged is left out")
        self._set("best_entry_point", given.whole("bep"))
        self._set("entry_point", given.optional_text("bep_point"))
        self._set("relevance", _signed(given, "grade"))
        self._set("document_length", given.whole("docsize"))
        self._set("collection", given.optional_text("collection"))
        self._set("version", given.optional_text("version"))
        self._set("whitespace", given.choice("whitespace", ("keep", "strip")))

    def _add_element(self, given: Fields) -> None:
        path = given.text("path")
        if "size" in given or "rsize" in given:
            self.elements.append(_measured(path, given))
        else:
            flags = (given.flag(name) for name in ("in_pool", "inferred", "inconsistent"))
            self.grades.append(GradedElement(path, _grade(given), *flags))

    def _set(self, name: str, value: object) -> None:
        if value is not None and self.facts.setdefault(name, value) != value:
            raise FormatError(
                f"{name.replace('_', ' ')} {value!r} contradicts {self.facts[name]!r}"
            )

    def finish(
        self,
        topic: str,
        document: str,
        assessor: str | None,
        pool: str | None,
        origin: str,
        warnings: list[str],
    ) -> Judgment:
        """The judgment."""
        highlights, overlap = in_order(self.passages)
        if overlap:
            warnings.append(f"{origin}:{self.line}: passages that overlap were merged")
        length = self.facts.get("document_length")
        if length is not None and highlights and highlights[-1][1] > length:
            raise FormatError(
                f"a passage ends at {highlights[-1][1]}, beyond the document's {length}",
                origin,
                self.line,
            )
        return Judgment(
            topic,
            document,
            highlights,
            assessor=assessor,
            pool=pool,
            passages=tuple(self.points),
            grades=tuple(self.grades),
            elements=tuple(self.elements),
            units=tuple(self.units),
            origin=origin,
            line=self.line,
            **self.facts,
        )


def _range(given: Fields) -> tuple[int, int]:
    start, end = given.whole("start") or 0, given.whole("end") or 0
    if end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    return start, end


def _signed(given: Fields, name: str) -> int | None:
    value = given.number(name)
    if value is not None and value != int(value):
        raise FormatError(f"{name} is {value!r}: expected a whole number")
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
    raise FormatError(f"e {e!r} and s {s!r} are no grade of the scale {scale}")


def _measured(path: str, given: Fields) -> MeasuredElement:
    e, size, rsize = given.raw("e"), given.whole("size"), given.whole("rsize")
    if given.choice("scale", _SCALES) != "2005" or size is None or rsize is None or "s" in given:
        raise FormatError('size and rsize go together, with "scale": "2005" and without s')
    if e != "?" and e not in (0, 1, 2):
        raise FormatError(f"e is {e!r}: expected 0, 1, 2 or ?")
    return MeasuredElement(path, None if e == "?" else _small(e), size, rsize)


def _small(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _share(value: object) -> Fraction:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Fraction(str(value))
    if isinstance(value, str) and _FRACTION.fullmatch(value):
        return Fraction(value)
    raise ValueError


def write_jsonl(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Assessments as JSONL.

    >>> list(write_jsonl([Judgment("7", "a")]))
    [b'{"topic": "7", "doc": "a", "judged": true}\\n']
    """
    for judgment in judgments:
        about = {name: getattr(judgment, name) for name in ("assessor", "pool")}
        once = {
            "docsize": judgment.document_length,
            **{name: getattr(judgment, name) for name in ("collection", "version", "whitespace")},
        }
        for statement in _statements(judgment):
            record = {
                "topic": judgment.topic,
                "doc": judgment.document,
                **statement,
                **{name: value for name, value in (about | once).items() if value is not None},
            }
            yield json.dumps(record, ensure_ascii=False).encode() + b"\n"
            once = {}


def _statements(judgment: Judgment) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if judgment.best_entry_point is not None:
        found.append({"bep": judgment.best_entry_point})
    if judgment.entry_point is not None:
        found.append({"bep_point": judgment.entry_point})
    found += [{"start": start, "end": end} for start, end in judgment.highlights]
    for start, end, size in judgment.passages:
        counted = {} if size is None else {"size": size}
        found.append({"start_point": start, "end_point": end, **counted})
    found += map(_graded_record, judgment.grades)
    found += [
        {
            "path": element.path,
            "e": "?" if element.exhaustivity is None else element.exhaustivity,
            "size": element.size,
            "rsize": element.highlighted,
            "scale": "2005",
        }
        for element in judgment.elements
    ]
    found += [{"nodes": list(nodes), "rel": rel} for nodes, rel in judgment.units]
    if judgment.relevance is not None:
        found.append({"grade": judgment.relevance})
    return found or [{"judged": True}]


def _graded_record(element: GradedElement) -> dict[str, Any]:
    record: dict[str, Any] = {"path": element.path}
    grade = element.grade
    if isinstance(grade, Grade2002):
        record |= {"e": grade.relevance, "s": grade.coverage, "scale": "2002"}
    elif isinstance(grade, Grade2003):
        record |= {"e": grade.exhaustivity, "s": grade.specificity, "scale": "2003"}
    elif isinstance(grade, Grade2005):
        e = "?" if grade.exhaustivity is None else grade.exhaustivity
        share = grade.specificity
        record |= {"e": e, "s": f"{share.numerator}/{share.denominator}", "scale": "2005"}
    flags = ("in_pool", "inferred", "inconsistent")
    return record | {name: True for name in flags if getattr(element, name)}
