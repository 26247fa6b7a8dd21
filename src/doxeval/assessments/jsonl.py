"""Assessments as JSONL, one statement per line; this format holds everything there is to say.

    {"topic", "doc", "start", "end"}          a highlighted passage, half-open, in characters
    {"topic", "doc", "start", "end", "need", "grade", "alternative"?}   the same, for a need
    {"topic", "doc", "bep"}                   the best entry point, an offset
    {"topic", "doc", "path", "e", "s"}        the grade of an element
    {"topic", "doc", "nodes": [paths], "rel"} the relevance of a unit: one or more elements
    {"topic", "doc", "subtopic", "grade"}     the grade of the document for a subtopic
    {"topic", "doc", "judged": true}          judged; not relevant if nothing else is said
    {"topic", "answerable": false}            no document answers the topic
    {"topic", "answers": [texts]}             strings, any of which answers the topic

Passages of a topic with the same `need` are alternatives: any of them answers it; a passage without
one is a need of its own. Those of a need that also have the same `alternative`, a name, are one
alternative of several spans in one document, all of which must be shown. `grade` is the weight of
the need, a number above 0, 1 if it is not given.

The grade of a document with subtopics is the highest of theirs, unless it is given besides them.

Each may carry `docsize` (the length of the document), `assessor` and `pool`; what several
assessors say about a document are several judgments. `marks` lists what is special about a
judgment: "adjudicated", "draft", "honeypot", "off-pool", "problem", "program" (a program made it,
or one of those it was made from), "skipped". `scale` says what e and s are: "2003" (both 0 to 3;
this is also meant where no scale is given), "2002" (relevance 0 to 3, coverage N, L, S or E) or
"2005" (0, 1, 2 or "?", and a share of the text: a number or a fraction such as "1/3"; or instead of
s the counts `size` and `rsize`). A path alone is an unjudged element.

For what other formats say there are also: `start_point` and `end_point` or `bep_point` (text
points, with `whitespace`: "keep" or "strip"), `grade` (one for the whole document), `in_pool`,
`inferred`, `inconsistent`, `collection` and `version`.

A name that is given twice in a line is an error, and so is a whole number beyond 64 bits.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from operator import attrgetter
from typing import IO, Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.columns import (
    NO_GRADE,
    UNKNOWN,
    JudgmentColumns,
    Judgments,
    characters_by_row,
    judgment_columns,
    whole_file,
)
from doxeval.assessments.grades import COVERAGES, FINEST_SHARE, Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import (
    LARGEST_GRADE,
    MARKS,
    AssessedUnit,
    GradedElement,
    Judgment,
    MeasuredElement,
    NeededSpan,
    PointPassage,
    SubtopicGrade,
    TopicAnswer,
    merge_passages,
)
from doxeval.assessments.needs import spans_without_need
from doxeval.columns import WRONG, Factorizer, Fields, line_blocks, whole_numbers
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import decode_json, text_lines
from doxeval.messages import plural, quoted, truncate
from doxeval.spans import TOO_LONG, Spans, merge_spans

# What each kind of statement must have, and what it may have besides.
_STATEMENTS: dict[frozenset[str], frozenset[str]] = {
    frozenset({"start", "end"}): frozenset({"need", "grade", "alternative"}),
    frozenset({"start_point", "end_point"}): frozenset({"size"}),
    frozenset({"bep"}): frozenset(),
    frozenset({"bep_point"}): frozenset(),
    frozenset({"path"}): frozenset({"e", "s", "size", "rsize", "scale"})
    | {"in_pool", "inferred", "inconsistent"},
    frozenset({"nodes", "rel"}): frozenset(),
    frozenset({"subtopic", "grade"}): frozenset(),
    frozenset({"grade"}): frozenset(),
    frozenset({"judged"}): frozenset(),
}
_OF_STATEMENTS = frozenset().union(*_STATEMENTS, *_STATEMENTS.values())
_OF_JUDGMENTS = ("docsize", "assessor", "marks", "pool", "collection", "version", "whitespace")
_OF_TOPICS = ("answerable", "answers")
FIELDS = ("topic", "doc", *sorted(_OF_STATEMENTS), *_OF_TOPICS, *_OF_JUDGMENTS)
# Fields of a result that assessments do not have, and those of a statement that results do not.
OF_RUNS = ("score", "rank", "run")
OF_ASSESSMENTS = (
    frozenset(FIELDS)
    - {"topic", "doc", "path", "start", "end", "nodes"}
    - {"start_point", "end_point"}
)
RUNS_FIRST = "runs come first, then assessments"
_FRACTION = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_SCALES = ("2002", "2003", "2005")


# Lines


def read_jsonl(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> line = b'{"topic": "7", "doc": "a", "start": 3, "end": 9}'
    >>> read_jsonl(io.BytesIO(line), "a.jsonl").judgments[0].highlights
    ((3, 9),)
    """
    data = whole_file(file, origin)
    judgments = _read_plain(data, origin)
    if judgments is None:
        judgments = judgments_of_statements(_statements_on_lines(data, origin), origin)
    if not judgments.judgments and not judgments.judgments.answers:
        raise FormatError("no assessments in the file", origin)
    return judgments


def _statements_on_lines(data: bytes, origin: str) -> Iterator[tuple[int, Any]]:
    """Yield the JSON value of each line that is not blank, with its number."""
    for number, line in text_lines(io.BytesIO(data), origin):
        try:
            value = decode_json(line)
        except ValueError:
            raise FormatError("expected a JSON object", origin, number) from None
        if isinstance(value, dict) and line.count(":") != len(value):
            _refuse_repeated_names(line, origin, number)
        yield number, value


def _refuse_repeated_names(line: str, origin: str, number: int) -> None:
    def refuse(pairs: list[tuple[str, Any]]) -> None:
        for name, times in Counter(name for name, _ in pairs).items():
            if times > 1:
                raise FormatError(f"{quoted(name)} is given twice", origin, number)

    json.loads(line, object_pairs_hook=refuse)


# Statements one by one


def judgments_of_statements(statements: Iterable[tuple[int, Any]], origin: str | None) -> Judgments:
    """Return the judgments that numbered statements make up.

    A statement is a record of named fields, as a line of JSONL or a row of a frame. All statements
    of one assessor and pool about a document for a topic are one judgment. The number of a
    statement is its line in a file, or without an origin its row in a frame.

    >>> document = {"topic": "7", "doc": "a"}
    >>> statements = [{**document, "start": 3, "end": 9}, {**document, "bep": 4}]
    >>> list(judgments_of_statements(enumerate(statements), None).judgments)
    [Judgment('7', 'a', highlights=((3, 9),), best_entry_point=4)]
    """
    drafts: dict[tuple[str, str, str | None, str | None], _Draft] = {}
    answers: dict[str, TopicAnswer] = {}
    topics: dict[str, None] = {}
    for number, record in statements:
        line = None if origin is None else number
        try:
            fields = Fields(record, FIELDS)
            topics.setdefault(fields.text("topic"))
            if any(name in fields for name in _OF_TOPICS):
                _add_answer(answers, fields)
                continue
            topic, document = fields.text("topic"), normalise_id(fields.text("doc"))
            assessor, pool = fields.optional_text("assessor"), fields.optional_text("pool")
            key = (topic, document, assessor, pool)
            if key not in drafts:
                drafts[key] = _Draft(number, {"assessor": assessor, "pool": pool, "line": line})
            drafts[key].add(fields, line)
            _refuse_huge_numbers(record)
        except FormatError as error:
            of_run = [name for name in OF_RUNS if isinstance(record, dict) and name in record]
            message = error.message
            if of_run:
                seen = looks_like_a_run(f"the field {of_run[0]}")
                message = f"{seen}; as assessments, it is wrong here: {message}"
            raise _wrong(message, origin, number) from None
    judgments: list[Judgment] = []
    warnings: list[str] = []
    for (topic, document, *_), draft in drafts.items():
        highlights, overlap = merge_passages((span.start, span.end) for span in draft.spans)
        if overlap and not draft.has_needs:
            warnings.append(_overlap_warning(origin, draft.number))
        length = draft.facts.get("document_length", TOO_LONG)
        if highlights and highlights[-1][1] > length:
            message = f"a passage ends at {highlights[-1][1]}, beyond the document's {length}"
            raise _wrong(message, origin, draft.number)
        needs = tuple(draft.spans) if draft.has_needs else ()
        parts: dict[str, Any] = {name: tuple(values) for name, values in draft.parts.items()}
        judgments.append(
            Judgment(
                topic, document, highlights, needs=needs, origin=origin, **parts, **draft.facts
            )
        )
    warnings += draft_warnings(judgments, origin)
    columns = JudgmentColumns.of(judgments)
    try:
        columns = columns.with_answers(answers, topics) if answers else columns
    except FormatError as error:
        raise FormatError(error.message, origin) from None
    return Judgments(columns, warnings)


def _add_answer(answers: dict[str, TopicAnswer], fields: Fields) -> None:
    """Take in a statement about a topic: that it has no answer, or what its answer says."""
    others = fields.names - {"topic", *_OF_TOPICS}
    if others or len(fields.names) != 2:
        raise FormatError(
            f"fields {', '.join(sorted(fields.names))}: expected a topic with answerable or answers"
        )
    topic = fields.text("topic")
    if topic in answers:
        raise FormatError(f"two statements about the answer of topic {truncate(topic)}")
    if "answerable" in fields:
        if fields.flag("answerable"):
            raise FormatError("answerable is true: expected false, or no statement at all")
        answers[topic] = TopicAnswer(exists=False)
        return
    texts = fields.raw("answers")
    if not (isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)):
        raise FormatError(f"answers is {quoted(texts)}: expected a list of texts")
    answers[topic] = TopicAnswer(tuple(texts))


def looks_like_a_run(what: str) -> str:
    """Return the message for somebody who gave a run as assessments.

    >>> looks_like_a_run("the field score")
    'this looks like a run (the field score), not assessments: runs come first, then assessments'
    """
    return f"this looks like a run ({what}), not assessments: {RUNS_FIRST}"


def draft_warnings(judgments: Iterable[Judgment], origin: str | None) -> list[str]:
    """Return a warning if some judgments are drafts, or of documents that were placed as a test.

    >>> draft_warnings([Judgment("7", "a", marks=("draft",)), Judgment("7", "b")], "a.jsonl")
    ['a.jsonl: 1 draft among the judgments; they count']
    """
    marks = Counter(mark for judgment in judgments for mark in judgment.marks)
    counts = [plural(marks[mark], mark) for mark in ("draft", "honeypot") if marks[mark]]
    where = "" if origin is None else f"{origin}: "
    return [f"{where}{' and '.join(counts)} among the judgments; they count"] if counts else []


def _overlap_warning(origin: str | None, number: int) -> str:
    """Return the warning for passages that overlap, with the first statement of their judgment."""
    where = f"row {number}" if origin is None else f"{origin}:{number}"
    return f"{where}: passages that overlap were merged"


def _wrong(message: str, origin: str | None, number: int) -> FormatError:
    if origin is None:
        return FormatError(f"row {number}: {message}")
    return FormatError(message, origin, number)


def _refuse_huge_numbers(record: Mapping[str, Any]) -> None:
    for name, value in record.items():
        if type(value) is int and value.bit_length() > 64:
            raise FormatError(f"{name}: expected a number of at most 64 bits")


@lru_cache(maxsize=256)
def _is_statement(names: frozenset[str]) -> bool:
    return any(need <= names <= need | more for need, more in _STATEMENTS.items())


@dataclass
class _Draft:
    """A judgment in the making.

    number: of its first statement. facts: the fields of a Judgment that have one value. parts:
    those that have several, but not the passages by offsets: these are `spans`, which are needs if
    any of them states one.
    """

    number: int
    facts: dict[str, Any]
    parts: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    spans: list[NeededSpan] = field(default_factory=list)
    has_needs: bool = False

    def add(self, fields: Fields, line: int | None) -> None:
        """Take in a statement, and its line if it stands in a file."""
        given = fields.names
        names = given & _OF_STATEMENTS
        if not _is_statement(frozenset(names)):
            raise FormatError(
                f"fields {', '.join(sorted(names)) or 'missing'}: expected start and end, bep, "
                "path with e and s, nodes and rel, or judged"
            )
        if "start" in names:
            self._add_span(fields)
        elif "start_point" in names:
            points = (fields.text("start_point"), fields.text("end_point"))
            self.parts["passages"].append(PointPassage(*points, fields.whole("size")))
        elif "size" in names or "rsize" in names:
            self.parts["elements"].append(_measured(fields))
        elif "path" in names:
            self.parts["grades"].append(_graded(fields, line))
        elif "nodes" in names:
            unit = AssessedUnit(fields.paths("nodes"), fields.number("rel") or 0.0)
            self.parts["units"].append(unit)
        elif "subtopic" in names:
            self._add_subtopic(fields)
        elif "judged" in names and not fields.flag("judged"):
            raise FormatError("judged is false: a document that is not judged is left out")
        for name, (attribute, read) in _FACTS.items():
            if name in given and not (name == "grade" and given & {"start", "subtopic"}):
                self._set(attribute, read(fields, name))

    def _add_span(self, fields: Fields) -> None:
        self.has_needs |= "need" in fields or "grade" in fields
        grade = fields.number("grade")
        weight = 1 if grade is None else int(grade) if grade == int(grade) else grade
        start, end = fields.whole("start") or 0, fields.whole("end") or 0
        if end < start:
            raise FormatError(f"the passage ends at {end} before it starts at {start}")
        need, alternative = fields.optional_text("need"), fields.optional_text("alternative")
        if alternative is not None and need is None:
            raise FormatError(f"alternative {quoted(alternative)}: expected a need as well")
        self.spans.append(NeededSpan(need, start, end, weight, alternative))

    def _add_subtopic(self, fields: Fields) -> None:
        graded = SubtopicGrade(fields.text("subtopic"), _document_grade(fields, "grade"))
        if any(graded.subtopic == subtopic for subtopic, _ in self.parts["subtopics"]):
            raise FormatError(f"subtopic {quoted(graded.subtopic)} is given twice")
        self.parts["subtopics"].append(graded)

    def _set(self, name: str, value: object) -> None:
        if value is not None and self.facts.setdefault(name, value) != value:
            raise FormatError(
                f"{name.replace('_', ' ')} {quoted(value)} contradicts {quoted(self.facts[name])}"
            )


def _marks(fields: Fields, name: str) -> tuple[str, ...]:
    marks = fields.raw(name)
    if not isinstance(marks, list) or not all(mark in MARKS for mark in marks):
        raise FormatError(
            f"marks is {quoted(marks)}: expected a list of some of {', '.join(MARKS)}"
        )
    return tuple(mark for mark in MARKS if mark in marks)


def _document_grade(fields: Fields, name: str) -> int:
    grade = fields.number(name) or 0.0
    if grade != int(grade):
        raise FormatError(f"grade is {quoted(grade)}: expected a whole number")
    return int(grade)


def _whitespace(fields: Fields, name: str) -> str | None:
    return fields.choice(name, ("keep", "strip"))


# What is stated once about a judgment: its field, and how it is read.
_FACTS: dict[str, tuple[str, Callable[[Fields, str], Any]]] = {
    "bep": ("best_entry_point", Fields.whole),
    "bep_point": ("entry_point", Fields.text),
    "grade": ("relevance", _document_grade),
    "docsize": ("document_length", Fields.whole),
    "marks": ("marks", _marks),
    "collection": ("collection", Fields.text),
    "version": ("version", Fields.text),
    "whitespace": ("whitespace", _whitespace),
}


def _graded(fields: Fields, line: int | None) -> GradedElement:
    path = fields.text("path")
    flags = {name: fields.flag(name) for name in ("in_pool", "inferred", "inconsistent")}
    return GradedElement(path, _grade(fields), **flags, line=line)


def _grade(fields: Fields) -> Grade2002 | Grade2003 | Grade2005 | None:
    scale = fields.choice("scale", _SCALES) or "2003"
    if "e" not in fields and "s" not in fields:
        return None
    e, s = fields.raw("e"), fields.raw("s")
    try:
        if scale == "2002" and s in tuple(COVERAGES):
            return Grade2002(_level(e), s)
        if scale == "2003":
            return Grade2003(_level(e), _level(s))
        if scale == "2005":
            return Grade2005(None if e == "?" else _level(e), _share(s))
    except ValueError:
        pass
    raise FormatError(f"e {quoted(e)} and s {quoted(s)} are no grade of the scale {scale}")


def _measured(fields: Fields) -> MeasuredElement:
    path = fields.text("path")
    e, size, rsize = fields.raw("e"), fields.whole("size"), fields.whole("rsize")
    if fields.choice("scale", _SCALES) != "2005" or size is None or rsize is None or "s" in fields:
        raise FormatError('size and rsize go together, with "scale": "2005" and without s')
    if e != "?" and (type(e) is not int or e not in range(3)):  # true and 1.0 equal 1
        raise FormatError(f"e is {quoted(e)}: expected 0, 1, 2 or ?")
    return MeasuredElement(path, None if e == "?" else e, size, rsize)


def _level(value: object) -> int:
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


# Plain statements by columns: ten times as fast as one by one, and all that most files have

_OFFSETS = ("start", "end", "bep", "docsize")
_PLAIN = ("topic", "doc", *_OFFSETS, "grade", "judged")
# No grade, and not NO_GRADE either.
_WRONG_GRADE = NO_GRADE - 1
_NAME_END = re.compile(rb'"\s*:')


def _read_plain(data: bytes, origin: str) -> Judgments | None:
    """Return the judgments; None if a statement is not plain or something is wrong."""
    statements = PlainStatements()
    for begin, end, first in line_blocks(data):
        columns = _decode_plain(data[begin:end].removesuffix(b"\n"))
        if columns is None:
            return None
        numbers = np.arange(first, first + len(columns["topic"]))
        if not statements.add(columns, numbers):
            return None
    return statements.judgments(origin)


@cache
def _plain_decoder() -> Any:
    """Return a decoder of plain statements; numbers are checked as columns."""
    import msgspec

    names, number, flag = str | int | None, int | float | None, bool | None
    types: dict[str, Any] = {
        **dict.fromkeys(("topic", "doc"), names),
        **dict.fromkeys((*_OFFSETS, "grade"), number),
        "judged": flag,
    }
    fields = [(name, types[name] | msgspec.UnsetType, msgspec.UNSET) for name in _PLAIN]
    record = msgspec.defstruct("PlainStatement", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(record)


def _decode_plain(lines: bytes) -> dict[str, list[Any]] | None:
    """Return the statements of lines as columns, None for what is not given.

    None if there is anything but a plain statement on each line, or a name may be given twice.
    """
    import msgspec

    # Every line begins an object, and there are as many objects as lines, or one could go over
    # two lines: for a decoder, line ends are white space.
    count = lines.count(b"\n") + 1
    if lines.startswith(b"{") + lines.count(b"\n{") != count:
        return None
    try:
        records = _plain_decoder().decode_lines(lines)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    columns: dict[str, list[Any]] = {}
    given = 0
    for name in _PLAIN:
        values = list(map(attrgetter(name), records))
        missing = values.count(msgspec.UNSET)
        given += len(values) - missing
        if missing < len(values):
            columns[name] = [None if value is msgspec.UNSET else value for value in values]
    # A colon follows every name, and the quotation mark at its end; both are elsewhere in
    # strings only.
    is_certain = lines.count(b":") == given or len(_NAME_END.findall(lines)) == given
    return columns if is_certain and len(records) == count and "topic" in columns else None


class _StatementNumbers(NamedTuple):
    """Some statements; an offset that is not given is UNKNOWN, a grade NO_GRADE."""

    number: Ints
    topic: Ints
    document: Ints
    start: Ints
    end: Ints
    bep: Ints
    docsize: Ints
    grade: Ints


class PlainStatements:
    """Statements of spans, entry points and grades of whole documents, taken in by columns.

    Whatever is unusual or wrong is declined, and left to `judgments_of_statements`.

    >>> statements = PlainStatements()
    >>> columns = {"topic": ["7", "7"], "doc": ["a", "b"], "start": [3, None], "end": [9, None]}
    >>> statements.add({**columns, "bep": [None, 4]}, np.array([1, 2]))
    True
    >>> list(statements.judgments("a.jsonl").judgments)
    [Judgment('7', 'a', highlights=((3, 9),)), Judgment('7', 'b', best_entry_point=4)]
    >>> statements.add({**columns, "path": [None, "/s[1]"]}, np.array([3, 4]))
    False
    """

    def __init__(self) -> None:
        self._topics = Factorizer()
        self._documents = Factorizer(lambda names: list(map(normalise_id, names)))
        self._parts: list[_StatementNumbers] = []

    def add(self, columns: Mapping[str, Sequence[Any]], numbers: Ints) -> bool:
        """Take in statements, each with its number; return False if some of them are not plain.

        A value of None is a field that is not there.
        """
        if not {"topic", "doc"} <= columns.keys() <= set(_PLAIN):
            return False
        if any(map(_has_huge_numbers, (columns["topic"], columns["doc"]))):
            return False
        unknown: Ints = np.full(len(numbers), UNKNOWN, dtype=np.int64)
        offsets = {
            name: whole_numbers(columns[name]) if name in columns else unknown for name in _OFFSETS
        }
        part = _StatementNumbers(
            number=numbers,
            topic=self._topics.numbers(columns["topic"]),
            document=self._documents.numbers(columns["doc"]),
            **offsets,
            grade=_grades(columns["grade"])
            if "grade" in columns
            else np.full_like(unknown, NO_GRADE),
        )
        self._parts.append(part)
        return _are_statements(part, columns.get("judged", ()))

    def judgments(self, origin: str | None) -> Judgments | None:
        """Return the judgments that all statements make up; None if something is wrong."""
        if not any(len(part.number) for part in self._parts):
            return None
        given = _StatementNumbers(*map(np.concatenate, zip(*self._parts, strict=True)))
        documents = self._documents.names
        row, first = _first_appearances(given.topic * len(documents) + given.document)
        length = _consistent_values(row, len(first), given.docsize, UNKNOWN)
        entry = _consistent_values(row, len(first), given.bep, UNKNOWN)
        grade = _consistent_values(row, len(first), given.grade, NO_GRADE)
        if length is None or entry is None or grade is None:
            return None
        spans = np.flatnonzero(given.start != UNKNOWN)
        passages = Spans(row[spans], given.start[spans], given.end[spans])
        highlights = merge_spans(passages)
        known = length[highlights.group]
        if ((known != UNKNOWN) & (highlights.end > known)).any():
            return None
        number = given.number[first]
        characters = characters_by_row(passages, len(first))
        overlapping = characters != characters_by_row(highlights, len(first))
        judgments = judgment_columns(
            self._topics.names,
            tuple(documents),
            given.topic[first],
            given.document[first],
            length=length,
            entry=entry,
            grade=grade,
            highlights=highlights,
            line=None if origin is None else number,
            origins=() if origin is None else (origin,),
        )
        warnings = [_overlap_warning(origin, line) for line in number[overlapping].tolist()]
        return Judgments(judgments, warnings)


def _has_huge_numbers(values: Sequence[Any]) -> bool:
    if int not in set(map(type, values)):
        return False
    return any(type(value) is int and value.bit_length() > 64 for value in values)


def _grades(values: Sequence[Any]) -> Ints:
    """Return the grades of documents; NO_GRADE where there is none, _WRONG_GRADE for all else."""
    grades = [
        NO_GRADE
        if value is None
        else value
        if type(value) is int and abs(value) <= LARGEST_GRADE
        else _WRONG_GRADE
        for value in values
    ]
    return np.array(grades, dtype=np.int64)


def _are_statements(given: _StatementNumbers, judged: Sequence[Any]) -> bool:
    """Return whether all fields are right, and each statement states exactly one thing."""
    if any(value is not True and value is not None for value in judged):
        return False
    if (given.topic < 0).any() or (given.document < 0).any() or (given.grade == _WRONG_GRADE).any():
        return False
    for offset in (given.start, given.end, given.bep, given.docsize):
        if ((offset == WRONG) | (offset >= TOO_LONG)).any():
            return False
    is_span = given.start != UNKNOWN
    if ((given.end != UNKNOWN) != is_span).any() or (given.end < given.start).any():
        return False
    is_judged = np.zeros(len(given.number), dtype=np.bool_)
    is_judged[: len(judged)] = [value is True for value in judged]
    kinds = [is_span, given.bep != UNKNOWN, given.grade != NO_GRADE, is_judged]
    return bool((np.sum(kinds, axis=0) == 1).all())


def _first_appearances(keys: Ints) -> tuple[Ints, Ints]:
    """Return the number of each key by first appearance, and where each comes first."""
    order = np.argsort(keys, kind="stable")
    is_first = np.append(True, np.diff(keys[order]) != 0)
    first = order[is_first]
    by_appearance = np.argsort(first)
    number = np.empty(len(first), dtype=np.int64)
    number[by_appearance] = np.arange(len(first))
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = number[np.cumsum(is_first) - 1]
    return numbers, first[by_appearance]


def _consistent_values(row: Ints, rows: int, values: Ints, missing: int) -> Ints | None:
    """Return the value of each row, `missing` if none is given; None if statements contradict."""
    given = np.flatnonzero(values != missing)
    by_row = np.full(rows, missing, dtype=np.int64)
    by_row[row[given]] = values[given]
    return by_row if (by_row[row[given]] == values[given]).all() else None


# Writing


def write_jsonl(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments as JSONL; what columns or `Assessments` know of answers comes first.

    >>> list(write_jsonl([Judgment("7", "a")]))
    [b'{"topic": "7", "doc": "a", "judged": true}\\n']
    """
    for topic, answer in getattr(judgments, "answers", {}).items():
        record: dict[str, Any] = {"topic": topic}
        record |= {"answers": list(answer.texts)} if answer.exists else {"answerable": False}
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"
    for judgment in judgments:
        for record in statements_of(judgment):
            yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def statements_of(judgment: Judgment) -> Iterator[dict[str, Any]]:
    """Yield the statements that make up a judgment; what is stated once is in the first.

    >>> list(statements_of(Judgment("7", "a", ((3, 9),), document_length=20)))
    [{'topic': '7', 'doc': 'a', 'start': 3, 'end': 9, 'docsize': 20}]
    """
    always = {name: getattr(judgment, name) for name in ("assessor", "pool")}
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
            **{name: value for name, value in (always | once).items() if value is not None},
        }
        once = {}


def _statements(judgment: Judgment) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    if judgment.best_entry_point is not None:
        records.append({"bep": judgment.best_entry_point})
    if judgment.entry_point is not None:
        records.append({"bep_point": judgment.entry_point})
    records += map(_needed_record, judgment.needs)
    records += [{"start": start, "end": end} for start, end in spans_without_need(judgment)]
    for start, end, size in judgment.passages:
        counted = {} if size is None else {"size": size}
        records.append({"start_point": start, "end_point": end, **counted})
    records += map(_graded_record, judgment.grades)
    records += [
        {
            "path": element.path,
            "e": "?" if element.exhaustivity is None else element.exhaustivity,
            "size": element.size,
            "rsize": element.highlighted,
            "scale": "2005",
        }
        for element in judgment.elements
    ]
    records += [{"nodes": list(nodes), "rel": rel} for nodes, rel in judgment.units]
    records += [subtopic._asdict() for subtopic in judgment.subtopics]
    highest = max((grade for _, grade in judgment.subtopics), default=None)
    if judgment.relevance is not None and judgment.relevance != highest:
        records.append({"grade": judgment.relevance})
    return records or [{"judged": True}]


def _needed_record(span: NeededSpan) -> dict[str, Any]:
    need = {} if span.need is None else {"need": span.need}
    together = {} if span.alternative is None else {"alternative": span.alternative}
    # The grade is always written: it distinguishes spans of needs from other passages.
    return {"start": span.start, "end": span.end, **need, "grade": span.grade, **together}


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
