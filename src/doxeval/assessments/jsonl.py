"""Assessments as JSONL, one statement per line; this format holds everything there is to say.

    {"topic", "doc", "start", "end"}          a highlighted passage, half-open, in characters
    {"topic", "doc", "start", "end", "need", "grade"}   the same, as an answer to a need
    {"topic", "doc", "bep"}                   the best entry point, an offset
    {"topic", "doc", "path", "e", "s"}        the grade of an element
    {"topic", "doc", "nodes": [paths], "rel"} the relevance of a unit: one or more elements
    {"topic", "doc", "judged": true}          judged; not relevant if nothing else is said

Passages of a topic with the same `need` are alternatives: any of them answers it; a passage without
one is a need of its own. `grade` is the weight of the need, a number above 0, 1 if it is not given.

Each may carry `docsize` (the length of the document), `assessor` and `pool`; what several
assessors say about a document are several judgments. `marks` lists what is special about a
judgment: "adjudicated", "draft", "honeypot", "off-pool", "problem", "skipped". `scale` says what e
and s are: "2003" (both 0 to 3; this is also meant where no scale is given), "2002" (relevance 0 to
3, coverage N, L, S or E) or "2005" (0, 1, 2 or "?", and a share of the text: a number or a fraction
such as "1/3"; or instead of s the counts `size` and `rsize`). A path alone is an unjudged element.

For what other formats say there are also: `start_point` and `end_point` or `bep_point` (text
points, with `whitespace`: "keep" or "strip"), `grade` (one for the whole document), `in_pool`,
`inferred`, `inconsistent`, `collection` and `version`.

Statements about documents, one after another, and the judgments that they make up.

A statement is a record of named fields, as a line of JSONL or a row of a frame has them (`jsonl`
says what they mean). All statements of one assessor and pool about a document for a topic are one
judgment.

Plain statements, many at once: ranges, entry points, and grades of whole documents.

They are what most files of statements hold. Whatever is unusual or wrong is left to `statements`,
which looks at them one by one.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import IO, Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import NO_GRADE, UNKNOWN, plain_judgments, whole_text
from doxeval.assessments.grades import COVERAGES, FINEST_SHARE, Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import (
    LARGEST_GRADE,
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
from doxeval.assessments.needs import beside_needs
from doxeval.columns import Fields, Numbering, by_first_appearance, line_blocks, objects_on_lines
from doxeval.documents import normalised_id
from doxeval.errors import FormatError
from doxeval.files import json_lines
from doxeval.messages import plural, quoted
from doxeval.spans import TOO_LONG, Spans, merged

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


# A number that is not given; those that are given are far above.
_ABSENT = -(1 << 62)
_NUMBERS = ("start", "end", "bep", "docsize", "grade")
_FIELDS = frozenset({"topic", "doc", "judged", *_NUMBERS})


class _Part(NamedTuple):
    """Some statements; a number that is not given is _ABSENT."""

    number: Ints
    topic: Ints
    document: Ints
    start: Ints
    end: Ints
    bep: Ints
    docsize: Ints
    grade: Ints


class PlainStatements:
    """Statements that are taken in by columns, as long as all of them are plain.

    >>> statements = PlainStatements()
    >>> said = {"topic": ["7", "7"], "doc": ["a", "b"], "start": [3, None], "end": [9, None]}
    >>> statements.add({**said, "bep": [None, 4]}, np.array([1, 2]))
    True
    >>> list(statements.judgments("a.jsonl").judgments)
    [Judgment('7', 'a', highlights=((3, 9),)), Judgment('7', 'b', best_entry_point=4)]
    >>> statements.add({**said, "path": [None, "/s[1]"]}, np.array([3, 4]))
    False
    """

    def __init__(self) -> None:
        self._topics = Numbering()
        self._documents = Numbering(lambda names: list(map(normalised_id, names)))
        self._parts: list[_Part] = []

    def add(self, columns: Mapping[str, Sequence[Any]], numbers: Ints) -> bool:
        """Take in statements, each with its number; False if some of them are not plain.

        A value of None is a field that is not there.
        """
        if not {"topic", "doc"} <= set(columns) <= _FIELDS:
            return False
        topic = self._topics.numbers(columns["topic"])
        document = self._documents.numbers(columns["doc"])
        if (topic < 0).any() or (document < 0).any():
            return False
        said = [_whole_numbers(columns.get(name), name, len(numbers)) for name in _NUMBERS]
        if any(values is None for values in said):
            return False
        part = _Part(numbers, topic, document, *(one for one in said if one is not None))
        self._parts.append(part)
        return _are_statements(part, columns.get("judged", ()))

    def judgments(self, origin: str | None) -> Judgments | None:
        """The judgments that all statements make up; None if something is wrong with them."""
        if not any(len(part.number) for part in self._parts):
            return None
        said = self._in_order()
        topics, topic = by_first_appearance(self._topics.names, said.topic)
        documents, document = by_first_appearance(self._documents.names, said.document)
        row, first = _first_appearances(topic * len(documents) + document)
        facts = [_said_once(row, len(first), one) for one in (said.docsize, said.bep, said.grade)]
        if any(one is None for one in facts):
            return None
        length, entry, grade = (one for one in facts if one is not None)
        ranges = np.flatnonzero(said.start != _ABSENT)
        passages = Spans(row[ranges], said.start[ranges], said.end[ranges])
        highlights = merged(passages)
        known = length[highlights.group]
        if ((known != _ABSENT) & (highlights.end > known)).any():
            return None
        number = said.number[first]
        overlapping = _sums(passages, len(first)) != _sums(highlights, len(first))
        judgments = plain_judgments(
            topics,
            tuple(documents),
            topic[first],
            document[first],
            length=np.where(length == _ABSENT, UNKNOWN, length),
            entry=np.where(entry == _ABSENT, UNKNOWN, entry),
            grade=np.where(grade == _ABSENT, NO_GRADE, grade),
            highlights=highlights,
            line=None if origin is None else number,
            origin=origin,
        )
        warnings = [overlap_warning(origin, one) for one in number[overlapping].tolist()]
        return Judgments(judgments, warnings)

    def _in_order(self) -> _Part:
        """All statements by their numbers."""
        said = _Part(*(np.concatenate(column) for column in zip(*self._parts, strict=True)))
        order = np.argsort(said.number, kind="stable")
        return _Part(*(column[order] for column in said))


def _whole_numbers(values: Sequence[Any] | None, name: str, count: int) -> Ints | None:
    """Numbers in the usual range, with _ABSENT for None; None if some are anything else."""
    found = np.full(count, _ABSENT, dtype=np.int64)
    if values is None:
        return found
    types = set(map(type, values))
    if not types <= {int, type(None)}:
        return None
    is_given = np.ones(count, dtype=np.bool_)
    if types != {int}:
        is_given = np.fromiter((value is not None for value in values), np.bool_, count)
        values = [value for value in values if value is not None]
    lowest, highest = (-LARGEST_GRADE, LARGEST_GRADE) if name == "grade" else (0, TOO_LONG - 1)
    if values and not (lowest <= min(values) and max(values) <= highest):
        return None
    found[is_given] = values
    return found


def _are_statements(said: _Part, judged: Sequence[Any]) -> bool:
    """Whether each says exactly one thing, and ranges do not end before they start."""
    if any(one is not True and one is not None for one in judged):
        return False
    is_judged = np.zeros(len(said.number), dtype=np.bool_)
    is_judged[: len(judged)] = [one is True for one in judged]
    is_range = said.start != _ABSENT
    if ((said.end != _ABSENT) != is_range).any() or (said.end < said.start).any():
        return False
    kinds = [is_range, said.bep != _ABSENT, said.grade != _ABSENT, is_judged]
    return bool((np.sum(kinds, axis=0) == 1).all())


def _first_appearances(keys: Ints) -> tuple[Ints, Ints]:
    """The number of each key in the order of first appearance, and where each comes first."""
    is_first = np.append(True, keys[1:] != keys[:-1])  # neighbours are often the same
    blocks = np.flatnonzero(is_first)
    _, first, which = np.unique(keys[blocks], return_index=True, return_inverse=True)
    order = np.argsort(first)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return position[which][np.cumsum(is_first) - 1], blocks[first[order]]


def _said_once(row: Ints, rows: int, values: Ints) -> Ints | None:
    """What is said of each row, _ABSENT if nothing; None if statements contradict each other."""
    given = np.flatnonzero(values != _ABSENT)
    found = np.full(rows, _ABSENT, dtype=np.int64)
    found[row[given]] = values[given]
    return found if (found[row[given]] == values[given]).all() else None


def _sums(spans: Spans, rows: int) -> Ints:
    found = np.zeros(rows, dtype=np.int64)
    np.add.at(found, spans.group, spans.lengths())
    return found


def read_jsonl(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> line = b'{"topic": "7", "doc": "a", "start": 3, "end": 9}'
    >>> read_jsonl(io.BytesIO(line), "a.jsonl").judgments[0].highlights
    ((3, 9),)
    """
    data = whole_text(file, origin)
    found = _by_columns(data, origin)
    if found is None:
        found = judgments_of_statements(json_lines(io.BytesIO(data), origin), origin)
    if not found.judgments:
        raise FormatError("no assessments in the file", origin)
    return found


def _by_columns(data: bytes, origin: str) -> Judgments | None:
    """The judgments, if all lines are plain statements and nothing is wrong."""
    statements = PlainStatements()
    for begin, end, line in line_blocks(data):
        records = _records(data[begin:end])
        if records is None:
            return None
        for names, rows in _by_names(records).items():
            own = [records[row] for row in rows]
            columns = {name: [record[name] for record in own] for name in names}
            if not statements.add(columns, np.array(rows) + line):
                return None
    return statements.judgments(origin)


def _by_names(records: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], list[int]]:
    """The rows of records with the same fields in the same order."""
    found: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, record in enumerate(records):
        found[tuple(record)].append(row)
    return found


def _records(lines: bytes) -> list[dict[str, Any]] | None:
    """The objects of many lines, parsed together; None if lines may hold anything else."""
    try:
        return objects_on_lines(lines.decode().replace("\r\n", "\n").rstrip())
    except UnicodeDecodeError:
        return None


def write_jsonl(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Assessments as JSONL.

    >>> list(write_jsonl([Judgment("7", "a")]))
    [b'{"topic": "7", "doc": "a", "judged": true}\\n']
    """
    for judgment in judgments:
        for record in statements_of(judgment):
            yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def statements_of(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """The statements that make up a judgment, with what is said once in the first.

    >>> list(statements_of(Judgment("7", "a", ((3, 9),), document_length=20)))
    [{'topic': '7', 'doc': 'a', 'start': 3, 'end': 9, 'docsize': 20}]
    """
    about = {name: getattr(judgment, name) for name in ("assessor", "pool")}
    once = {
        "docsize": judgment.document_length,
        "marks": list(judgment.marks) or None,
        **{name: getattr(judgment, name) for name in ("collection", "version", "whitespace")},
    }
    for statement in _statements(judgment):
        yield {
            "topic": judgment.topic,
            "doc": judgment.document,
            **statement,
            **{name: value for name, value in (about | once).items() if value is not None},
        }
        once = {}


def _statements(judgment: Judgment) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if judgment.best_entry_point is not None:
        found.append({"bep": judgment.best_entry_point})
    if judgment.entry_point is not None:
        found.append({"bep_point": judgment.entry_point})
    found += map(_needed_record, judgment.needs)
    found += [{"start": start, "end": end} for start, end in beside_needs(judgment)]
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


def _needed_record(one: NeededSpan) -> dict[str, Any]:
    need = {} if one.need is None else {"need": one.need}
    # A grade is always said: it tells the ranges of needs from other passages.
    return {"start": one.start, "end": one.end, **need, "grade": one.grade}


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
