"""Runs in the XML of INEX 2002 to 2008.

    <inex-submission participant-id="12" run-id="mine" task="Focused" query="automatic"
                     result-type="element|passage|fol">
      <topic-fields title="yes" castitle="no"/> <description>…</description>
      <collections><collection>wikipedia</collection></collections>
      <topic topic-id="1">
        <result><file>F</file><path>/article[1]/sec[2]</path><rank>1</rank><rsv>0.5</rsv></result>
        <result><file>F</file><passage start="POINT" end="POINT"/></result>
        <result><file>F</file><fol offset="0" length="99"/></result>
      </topic>
    </inex-submission>

Results are in the order of the ranking; `rank` and `rsv` may be missing. A result without path,
passage or fol is the whole document. Collections may also be inside a topic; attributes may
have stray spaces around their values. A unit that contradicts the result-type is a warning.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import IO, Any

from doxeval.columns import normalise_id
from doxeval.errors import FormatError
from doxeval.files import name_of_file
from doxeval.markup import XmlElement, escape_text, quote_attribute, read_elements
from doxeval.messages import quoted
from doxeval.runs.columns import Kind, Result, columns_of_results
from doxeval.runs.run import (
    Block,
    LooksLikeAssessments,
    LooksLikeTopics,
    ReadOptions,
    Run,
    split_into_blocks,
    unwritten_costs,
)

_HEAD = 1 << 16  # by which a file of another kind is recognised
_TAG = re.compile(r"<([a-z][\w-]*)")
_ATTRIBUTES = ("participant_id", "task", "query", "result_type")
WRITTEN_FACTS = (*_ATTRIBUTES, "topic_fields", "description", "collections")
_EXPECTED_UNITS = {"element": Kind.ELEMENT, "passage": Kind.PASSAGE, "fol": Kind.PASSAGE}


def xml_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run in blocks of whole topics; the file is read as a whole.

    >>> xml = b'<inex-submission run-id="r"><topic topic-id="1"><result><file>a</file></result>'
    >>> file = io.BytesIO(xml + b"</topic></inex-submission>")
    >>> block = next(xml_blocks(file, "r.xml", ReadOptions()))
    >>> block.run.run_id, next(block.run.results()).document
    ('r', 'a')
    """
    reader = io.BufferedReader(file, _HEAD)  # type: ignore[type-var]  # decompressors are raw enough
    try:
        head = reader.peek(_HEAD)
        run = _read(reader, origin)
    finally:
        reader.detach()
    if not len(run):
        error = FormatError("no <topic> with a <result> in the file", origin)
        raise _explain(error, head)
    yield from split_into_blocks(run, len(run) if options.rows is None else options.rows)


def _explain(error: FormatError, head: bytes) -> FormatError:
    """Return an error about a run without results, with what the file looks like instead.

    >>> error = _explain(FormatError("no <topic>", "q.xml"), b'<assessments topic="7">')
    >>> str(error).partition(", ")[0]
    'q.xml: this looks like assessments (the XML of INEX 2002–07)'
    """
    tags = set(_TAG.findall(head.replace(b"\0", b"").decode("utf-8", "replace").lower()))
    if "assessments" in tags:
        return LooksLikeAssessments.instead(error, "the XML of INEX 2002–07")
    if tags & {"inex_topic", "inex-topic-file", "castitle"}:
        return LooksLikeTopics.instead(error, "the XML of INEX")
    return error


def _read(file: IO[bytes], origin: str) -> Run:
    results: list[Result] = []
    lines: list[int] = []
    facts: dict[str, Any] = {}
    contradictions: list[int] = []
    for topic, above in read_elements(file, {"topic"}, origin):
        if above:
            facts |= _facts(above[0])
        topic_id = topic.attribute("topic-id", "topic_id", "id")
        if not topic_id:
            raise FormatError('<topic> without topic-id="…"', origin, topic.line)
        facts |= _collections(topic)
        for element in topic.children:
            if element.tag != "result":
                continue
            result = _result(element, topic_id, origin)
            expected = _EXPECTED_UNITS.get(str(facts.get("result_type", "")).lower())
            if expected is not None and result.kind not in (expected, Kind.DOCUMENT):
                contradictions.append(element.line)
            results.append(result)
            lines.append(element.line)
    columns, warnings = columns_of_results(results, lines)
    if contradictions:
        contradicting = (
            f"{len(contradictions)} results contradict the result-type "
            f"{quoted(facts['result_type'])}, the first on line {contradictions[0]}"
        )
        warnings = (contradicting, *warnings)
    name = str(facts.pop("run_id", name_of_file(origin)))
    return Run(name, *columns, facts, warnings, origin)


def _facts(submission: XmlElement) -> dict[str, Any]:
    """Return what the file says of the run as a whole."""
    facts: dict[str, Any] = {
        name.replace("-", "_"): value.strip()
        for name, value in submission.attributes.items()
        if value.strip()
    }
    description = submission.child_text("description")
    if description is not None:
        facts["description"] = description
    fields = submission.child("topic-fields")
    if fields is not None:
        facts["topic_fields"] = {name: value.strip() for name, value in fields.attributes.items()}
    return facts | _collections(submission)


def _collections(element: XmlElement) -> dict[str, Any]:
    collections = element.child("collections")
    if collections is None:
        return {}
    return {"collections": [child.text.strip() for child in collections.children]}


def _result(element: XmlElement, topic: str, origin: str) -> Result:
    document = element.child_text("file")
    if document is None:
        raise FormatError("<result> without <file>", origin, element.line)
    rank, score = element.child_text("rank"), element.child_text("rsv")
    kind, start, end, paths = _unit(element, origin)
    return Result(
        topic,
        normalise_id(document),
        kind,
        start,
        end,
        paths,
        None if rank is None else _integer(rank, "rank", origin, element.line),
        None if score is None else _score(score, origin, element.line),
    )


def _unit(element: XmlElement, origin: str) -> tuple[Kind, int | None, int | None, tuple[str, ...]]:
    path, passage, fol = (element.child(tag) for tag in ("path", "passage", "fol"))
    if sum(unit is not None for unit in (path, passage, fol)) > 1:
        raise FormatError("<result> with more than one unit", origin, element.line)
    if passage is not None:
        points = (passage.attribute("start"), passage.attribute("end"))
        if not points[0] or not points[1]:
            raise FormatError("<passage> without start and end", origin, passage.line)
        return Kind.PASSAGE, None, None, (points[0], points[1])
    if fol is not None:
        offset = _integer(fol.attribute("offset") or "", "offset", origin, fol.line)
        length = _integer(fol.attribute("length") or "", "length", origin, fol.line)
        return Kind.PASSAGE, offset, offset + length, ()
    text = "" if path is None else path.text.strip()
    return (Kind.ELEMENT, None, None, (text,)) if text else (Kind.DOCUMENT, None, None, ())


def _integer(text: str, what: str, origin: str, line: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise FormatError(
            f"{what} is {quoted(text)}: expected a whole number, 0 or more", origin, line
        )
    return int(text)


def _score(text: str, origin: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise FormatError(f"rsv is {quoted(text)}: expected a number", origin, line)
    return value


def write_xml_run(run: Run) -> Iterator[bytes]:
    """Yield the run as XML.

    >>> b"".join(write_xml_run(Run.from_results([Result("1", "a")], "r"))).splitlines()[2]
    b'<result><file>a</file></result>'
    """
    given = "".join(
        f" {name.replace('_', '-')}={quote_attribute(run.facts[name])}"
        for name in _ATTRIBUTES
        if name in run.facts
    )
    yield f"<inex-submission run-id={quote_attribute(run.run_id)}{given}>\n".encode()
    yield from (f"{text}\n".encode() for text in _head(run.facts))
    topic = None
    for result in run.results():
        if result.topic != topic:
            yield b"" if topic is None else b"</topic>\n"
            topic = result.topic
            yield f"<topic topic-id={quote_attribute(topic)}>\n".encode()
        yield f"<result>{''.join(_parts(result))}</result>\n".encode()
    yield b"</inex-submission>\n" if topic is None else b"</topic>\n</inex-submission>\n"


def _head(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what is said about the run before its results, in the order of the DTD."""
    fields = facts.get("topic_fields")
    if fields:
        given = "".join(f" {name}={quote_attribute(value)}" for name, value in fields.items())
        yield f"<topic-fields{given}/>"
    if "description" in facts:
        yield f"<description>{escape_text(facts['description'])}</description>"
    if "collections" in facts:
        names = (f"<collection>{escape_text(name)}</collection>" for name in facts["collections"])
        yield f"<collections>{''.join(names)}</collections>"


def _parts(result: Result) -> Iterator[str]:
    yield f"<file>{escape_text(result.document)}</file>"
    if result.kind == Kind.ELEMENT:
        yield f"<path>{escape_text(result.paths[0])}</path>"
    elif result.kind == Kind.PASSAGE and result.paths:
        start, end = map(quote_attribute, result.paths)
        yield f"<passage start={start} end={end}/>"
    elif result.start is not None and result.end is not None:
        yield f'<fol offset="{result.start}" length="{result.end - result.start}"/>'
    if result.rank is not None:
        yield f"<rank>{result.rank}</rank>"
    if result.score is not None:
        yield f"<rsv>{result.score!r}</rsv>"


def xml_losses(run: Run) -> list[str]:
    """Return what of a run the format cannot hold."""
    kinds = set(run.kind.tolist())
    names = {
        Kind.POINT: "entry points",
        Kind.TREE: "trees",
        Kind.SPANS: "results with several ranges",
    }
    lost = [name for kind, name in names.items() if kind in kinds]
    return [*lost, *unwritten_costs(run)]
