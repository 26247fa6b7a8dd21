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
"""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import numpy as np

from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005
from doxeval.assessments.judgment import GradedElement, Judgment, Judgments, NeededSpan
from doxeval.assessments.needs import beside_needs
from doxeval.assessments.plain_statements import PlainStatements
from doxeval.assessments.statements import judgments_of_statements
from doxeval.assessments.text_columns import whole_text
from doxeval.columns import line_blocks, objects_on_lines
from doxeval.errors import FormatError
from doxeval.files import json_lines


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
