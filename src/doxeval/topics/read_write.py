"""Reading and checking files of topics of any format; the readers and writers by format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Literal

from doxeval.errors import FormatError, OutputError, SyntaxProblem
from doxeval.files import open_input, open_output, uncompressed_name
from doxeval.messages import quoted, truncate
from doxeval.named import checked
from doxeval.topics.inex_xml import read_inex_topics, write_inex_topics
from doxeval.topics.lines import (
    read_jsonl_topics,
    read_tab_topics,
    write_jsonl_topics,
    write_tab_topics,
)
from doxeval.topics.nexi import parse_content, parse_structured
from doxeval.topics.topic import TEXT_FIELDS, Topic

TopicFormat = Literal["inex", "jsonl", "tab"]

READERS: dict[TopicFormat, Callable[[IO[bytes], str], Iterator[Topic]]] = {
    "inex": read_inex_topics,
    "jsonl": read_jsonl_topics,
    "tab": read_tab_topics,
}
WRITERS: dict[TopicFormat, Callable[[Iterable[Topic]], Iterator[str]]] = {
    "inex": write_inex_topics,
    "jsonl": write_jsonl_topics,
    "tab": write_tab_topics,
}
_SUFFIXES: dict[str, TopicFormat] = {
    ".xml": "inex",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tsv": "tab",
    ".tab": "tab",
    ".txt": "tab",
}


@checked
def read_topics(path: str | os.PathLike[str], format: TopicFormat | None = None) -> list[Topic]:
    """The topics of a file, in its order; by default the file's name says the format.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "topics.tsv"
    >>> _ = path.write_text("1\\tsteam engine\\n")
    >>> [topic.title for topic in read_topics(path)]
    ['steam engine']
    """
    name = os.fspath(path)
    chosen = _checked(format) or _format_of(name)
    with open_input(path) as file:
        topics = list(READERS[chosen](file, name))
    if not topics:
        raise FormatError("no topics in the file", name)
    return topics


@checked
def write_topics(
    topics: Iterable[Topic], path: str | os.PathLike[str], format: TopicFormat | None = None
) -> None:
    """Write topics; by default the file's name says the format.

    It is an error if the format cannot hold all fields, and then nothing is written.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "topics.tsv"
    >>> write_topics([Topic("1", title="steam engine")], path)
    >>> path.read_text()
    '1\\tsteam engine\\n'
    """
    given, name = list(topics), os.fspath(path)
    chosen = _checked(format) or _format_of(name)
    lost = losses(given, chosen)
    if lost:
        raise OutputError(f"{name}: the format {chosen} cannot hold {', '.join(lost)}")
    with open_output(path) as file:
        file.writelines(line.encode() for line in WRITERS[chosen](given))


def _checked(format: TopicFormat | None) -> TopicFormat | None:
    if format is not None and format not in READERS:
        raise FormatError(f"no format {quoted(format)} of topics; there are {', '.join(READERS)}")
    return format


def _format_of(name: str) -> TopicFormat:
    suffix = os.path.splitext(uncompressed_name(name))[1].lower()
    if suffix not in _SUFFIXES:
        expected = ", ".join(_SUFFIXES)
        message = f"cannot tell the format from the file's name: expected one of {expected}"
        raise FormatError(message, name)
    return _SUFFIXES[suffix]


def problems(topics: Iterable[Topic]) -> Iterator[tuple[FormatError, bool]]:
    """The problems of topics, each with whether it is an error; otherwise it is a warning.

    >>> [(str(problem), is_error) for problem, is_error in problems([Topic("1"), Topic("1")])]
    [("duplicate topic '1'", True)]
    """
    seen: dict[str, Topic] = {}
    for topic in topics:
        if topic.id in seen:
            first = seen[topic.id]
            where = f", first on line {first.line}" if first.line is not None else ""
            yield _problem(topic, f"duplicate topic {quoted(topic.id)}{where}"), True
        seen.setdefault(topic.id, topic)
        if topic.structured is not None:
            try:
                parse_structured(topic.structured)
            except SyntaxProblem as error:
                yield _problem(topic, f"topic {quoted(topic.id)}, castitle, {error}"), True
        elif topic.is_cas and not topic.cas_parts:
            reason = (
                f"topic {quoted(topic.id)} is of type {truncate(str(topic.query_type))} but has "
                "no castitle"
            )
            yield _problem(topic, reason), True
        if topic.content is not None:
            try:
                parse_content(topic.content)
            except SyntaxProblem as error:
                yield _problem(topic, f"topic {quoted(topic.id)}, title, {error}"), False


def losses(topics: Iterable[Topic], format: TopicFormat) -> list[str]:
    """The fields that would be lost if topics were written in a format.

    >>> losses([Topic("1", title="a", narrative="b")], "tab")
    ['narrative']
    """
    if format != "tab":
        return []
    kept = {"title"}
    topics = list(topics)
    lost = [
        name
        for name in TEXT_FIELDS
        if name not in kept and any(getattr(topic, name) is not None for topic in topics)
    ]
    return lost + (["cas_parts"] if any(topic.cas_parts for topic in topics) else [])


def _problem(topic: Topic, reason: str) -> FormatError:
    return FormatError(reason, topic.origin, topic.line)
