"""Assessments in the XML of INEX 2002 to 2007, one file for each topic.

2002 to 2004, grades of elements:

    <assessments pool="12" topic="076">
      <file file="co/1999/r2024">
        <path path="/article[1]" relevance="3" coverage="E"/>                  2002
        <path path="/article[1]/bdy[1]" exhaustiveness="2" specificity="3"     2003–04
              inpool="true" inferred="false" inconsistant="false"/>
      </file>
    </assessments>

2005 to 2007, highlighted passages, a best entry point (not in 2005) and the elements they touch:

    <assessments pool="12" topic="231" version="2" whitespace-text-node="keep">
      <file collection="ieee" name="co/1999/r2024">
        <best-entry-point path="/article[1]/bdy[1]/p[1]/text()[1].0"/>
        <passage start="POINT" end="POINT" size="99"/>
        <element path="/article[1]" exhaustivity="2" size="9999" rsize="99"/>
      </file>
    </assessments>

A grade that is missing or U is unjudged, a missing flag is false (`inconsistant` is how the files
spell it). A document of 2002–04 with only zero grades, or one of 2005–07 with nothing in it, was
judged and is not relevant. Passages are text points and need the collection; sizes are kept but
were counted differently from year to year.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, Literal, NamedTuple

import numpy as np

from doxeval.assessments.columns import Judgments, NameNumbers, judgment_columns
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import GradedElement, Judgment, MeasuredElement, PointPassage
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.markup import XmlElement, quote_attribute, read_elements
from doxeval.messages import quoted


def read_inex_xml(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> xml = b'<assessments topic="7"><file name="a"/></assessments>'
    >>> [judgment.is_relevant for judgment in read_inex_xml(io.BytesIO(xml), "7.xml").judgments]
    [False]
    """
    judged = [
        _judged(element, above[0] if above else element, origin)
        for element, above in read_elements(file, {"file"}, origin)
    ]
    if not judged:
        raise FormatError("no <file> in the file: no document is judged", origin)
    topics, documents = NameNumbers(), NameNumbers()
    columns = judgment_columns(
        topic=topics.numbers(document.topic for document in judged),
        document=documents.numbers(document.name for document in judged),
        topics=topics.names,  # all of them are numbered by now
        documents=documents.names,
        line=np.array([document.line for document in judged], dtype=np.int64),
        origins=(origin,),
        details={row: document.details for row, document in enumerate(judged) if document.details},
    )
    broken = sum(element.inconsistent for _, element in columns.each("grades"))
    warning = f"{origin}: {broken} grades are marked as inconsistent; they count"
    return Judgments(columns, [warning] if broken else [])


class _JudgedDocument(NamedTuple):
    """What a <file> says; details: the fields of a Judgment that have no column."""

    topic: str
    name: str
    line: int
    details: dict[str, Any]


def _judged(element: XmlElement, assessments: XmlElement, origin: str) -> _JudgedDocument:
    topic = assessments.attribute("topic", "topic_id", "topic-id")
    document = element.attribute("name", "file")
    if not topic:
        raise FormatError('expected <assessments topic="…"> around <file>', origin, element.line)
    if not document:
        raise FormatError('<file> without name="…" or file="…"', origin, element.line)
    entry = element.child("best-entry-point")
    details = {
        "passages": tuple(_passage(e, origin) for e in element.children if e.tag == "passage"),
        "entry_point": None if entry is None else _required(entry, "path", origin),
        "grades": tuple(_graded(e, origin) for e in element.children if e.tag == "path"),
        "elements": tuple(_measured(e, origin) for e in element.children if e.tag == "element"),
        "pool": assessments.attribute("pool"),
        "collection": element.attribute("collection"),
        "version": assessments.attribute("version"),
        "whitespace": _whitespace(assessments, origin),
    }
    given = {name: value for name, value in details.items() if value}
    return _JudgedDocument(topic, normalise_id(document), element.line, given)


def _whitespace(assessments: XmlElement, origin: str) -> Literal["keep", "strip"] | None:
    given = assessments.attribute("whitespace-text-node")
    if given not in (None, "keep", "strip"):
        raise FormatError(
            f"whitespace-text-node is {quoted(given)}: expected keep or strip",
            origin,
            assessments.line,
        )
    return given  # type: ignore[return-value]  # the line above leaves only these


def _passage(element: XmlElement, origin: str) -> PointPassage:
    return PointPassage(
        _required(element, "start", origin),
        _required(element, "end", origin),
        _number(element, "size", origin) if _value(element, "size") else None,
    )


def _graded(element: XmlElement, origin: str) -> GradedElement:
    return GradedElement(
        _required(element, "path", origin),
        _grade(element, origin),
        in_pool=_flag(element, "inpool", origin),
        inferred=_flag(element, "inferred", origin),
        inconsistent=_flag(element, "inconsistant", origin),
        line=element.line,
    )


def _grade(element: XmlElement, origin: str) -> Grade2002 | Grade2003 | None:
    relevance = element.attribute("relevance")
    if relevance is not None:
        coverage = element.attribute("coverage", "cov") or ""
        if len(relevance) != 1 or relevance not in "0123" or coverage not in tuple("NLSE"):
            raise FormatError(
                f"relevance {quoted(relevance)}, coverage {quoted(coverage)}: "
                "expected 0–3 and N, L, S or E",
                origin,
                element.line,
            )
        return Grade2002(int(relevance), coverage)
    grades = [_value(element, name) or "U" for name in ("exhaustiveness", "specificity")]
    if any(len(grade) != 1 or grade not in "0123U" for grade in grades):
        raise FormatError(
            f"exhaustiveness {quoted(grades[0])}, specificity {quoted(grades[1])}: "
            "expected 0–3 or U",
            origin,
            element.line,
        )
    return None if "U" in grades else Grade2003(int(grades[0]), int(grades[1]))


def _measured(element: XmlElement, origin: str) -> MeasuredElement:
    exhaustivity = _value(element, "exhaustivity")
    if exhaustivity not in ("0", "1", "2", "?"):
        raise FormatError(
            f"exhaustivity {quoted(exhaustivity)}: expected 0, 1, 2 or ?", origin, element.line
        )
    return MeasuredElement(
        _required(element, "path", origin),
        None if exhaustivity == "?" else int(exhaustivity),
        _number(element, "size", origin),
        _number(element, "rsize", origin),
    )


def _flag(element: XmlElement, name: str, origin: str) -> bool:
    given = _value(element, name) or "false"
    if given not in ("true", "false"):
        raise FormatError(
            f"{name} is {quoted(given)}: expected true or false", origin, element.line
        )
    return given == "true"


def _number(element: XmlElement, name: str, origin: str) -> int:
    given = _value(element, name)
    if not given.isascii() or not given.isdigit() or len(given) > 12:
        raise FormatError(
            f"{name} is {quoted(given)}: expected a whole number", origin, element.line
        )
    return int(given)


def _required(element: XmlElement, name: str, origin: str) -> str:
    given = _value(element, name)
    if not given:
        raise FormatError(f'<{element.tag}> without {name}="…"', origin, element.line)
    return given


def _value(element: XmlElement, name: str) -> str:
    """Return the value of an attribute, stripped; the empty string if it is missing."""
    return element.attributes.get(name, "").strip()


def write_inex_grades(judgments: Sequence[Judgment]) -> Iterator[bytes]:
    """Yield judgments of one topic and pool as XML of 2002–04.

    >>> element = GradedElement("/a[1]", Grade2003(3, 2))
    >>> print(b"".join(write_inex_grades([Judgment("7", "d", grades=(element,))])).decode())
    <assessments topic="7">
     <file file="d">
      <path path="/a[1]" exhaustiveness="3" specificity="2"/>
     </file>
    </assessments>
    <BLANKLINE>
    """
    first = judgments[0]
    yield _tag("assessments", {"pool": first.pool, "topic": first.topic})
    for judgment in judgments:
        lines = [_graded_tag(element) for element in judgment.grades]
        yield _file_tag({"file": judgment.document}, lines)
    yield b"</assessments>\n"


def write_inex_highlights(judgments: Sequence[Judgment]) -> Iterator[bytes]:
    """Yield judgments of one topic and pool as XML of 2005–07.

    >>> judged = Judgment("7", "d", passages=(PointPassage("/a[1]", "/a[1]", 9),))
    >>> print(b"".join(write_inex_highlights([judged])).decode())
    <assessments topic="7">
     <file name="d">
      <passage start="/a[1]" end="/a[1]" size="9"/>
     </file>
    </assessments>
    <BLANKLINE>
    """
    first = judgments[0]
    attributes = {
        "pool": first.pool,
        "topic": first.topic,
        "version": first.version,
        "whitespace-text-node": first.whitespace,
    }
    yield _tag("assessments", attributes)
    for judgment in judgments:
        lines = []
        if judgment.entry_point is not None:
            lines.append(_empty_tag("best-entry-point", {"path": judgment.entry_point}))
        lines += [_empty_tag("passage", passage._asdict()) for passage in judgment.passages]
        lines += [_measured_tag(element) for element in judgment.elements]
        yield _file_tag({"collection": judgment.collection, "name": judgment.document}, lines)
    yield b"</assessments>\n"


def _graded_tag(element: GradedElement) -> bytes:
    grade = element.grade
    given: dict[str, object] = {"path": element.path}
    if isinstance(grade, Grade2002):
        given |= {"relevance": grade.relevance, "coverage": grade.coverage}
    elif isinstance(grade, Grade2003):
        given |= {"exhaustiveness": grade.exhaustivity, "specificity": grade.specificity}
    flags = {
        "inpool": element.in_pool,
        "inferred": element.inferred,
        "inconsistant": element.inconsistent,
    }
    return _empty_tag("path", given | {name: "true" for name, is_set in flags.items() if is_set})


def _measured_tag(element: MeasuredElement) -> bytes:
    given = {
        "path": element.path,
        "exhaustivity": "?" if element.exhaustivity is None else element.exhaustivity,
        "size": element.size,
        "rsize": element.highlighted,
    }
    return _empty_tag("element", given)


def _file_tag(given: Mapping[str, object], lines: list[bytes]) -> bytes:
    if not lines:
        return b" " + _empty_tag("file", given).lstrip()
    return b" " + _tag("file", given) + b"".join(lines) + b" </file>\n"


def _empty_tag(name: str, given: Mapping[str, object]) -> bytes:
    return b"  " + _tag(name, given)[:-2] + b"/>\n"


def _tag(name: str, given: Mapping[str, object]) -> bytes:
    attributes = "".join(
        f" {key}={quote_attribute(value)}" for key, value in given.items() if value is not None
    )
    return f"<{name}{attributes}>\n".encode()
