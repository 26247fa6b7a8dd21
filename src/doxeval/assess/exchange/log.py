"""The log of operations as JSONL: who did what to which judgment, and what it changed.

    {"seq", "topic", "doc", "assessor", "adjudicated", "version", "time", "operation", "change"}

seq numbers the operations of a campaign; version is that of the judgment after the operation.
assessor is a pseudonym; of a program its name, and then "program" is true. operation is what the
browser sent, change what came of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from doxeval.assess.judging import (
    Article,
    Change,
    Mode,
    Operation,
    State,
    apply,
    check_quote,
    parse_operation,
    redone,
)
from doxeval.columns import Fields
from doxeval.errors import FormatError, InputError
from doxeval.files import json_lines, open_input, open_output
from doxeval.messages import json_text

_FIELDS = ("seq", "topic", "doc", "assessor", "adjudicated", "program", "version", "time")
_VALUES = ("operation", "change")


@dataclass(frozen=True)
class LoggedOperation:
    """An operation that was carried out.

    adjudicated: on the judgment that adjudicators share; assessor is then who of them did it.
    program: the assessor is a program. origin, line: where it was read, if it was.

    >>> skip = Operation("a1", 0, "skip", value=True)
    >>> change = Change(fields={"skipped": (False, True)})
    >>> LoggedOperation(1, "7", "a", "A1", False, 1, "2026-01-31T12:00Z", skip, change).key
    ('7', 'a', 'A1')
    """

    seq: int
    topic: str
    document: str
    assessor: str | None
    adjudicated: bool
    version: int
    server_time: str
    operation: Operation
    change: Change
    program: bool = False
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, str, str | None]:
        """The judgment that it belongs to: topic, document, and assessor (None: adjudicated)."""
        return self.topic, self.document, None if self.adjudicated else self.assessor

    def as_json(self) -> dict[str, Any]:
        """Return its parts as plain values, as a line of the log has them."""
        return {
            "seq": self.seq,
            "topic": self.topic,
            "doc": self.document,
            "assessor": self.assessor,
            "adjudicated": self.adjudicated,
            **({"program": True} if self.program else {}),
            "version": self.version,
            "time": self.server_time,
            "operation": self.operation.as_json(),
            "change": self.change.as_json(),
        }


def log_lines(operations: Iterable[LoggedOperation]) -> Iterator[bytes]:
    """Yield the lines of a log.

    >>> list(log_lines([]))
    []
    """
    for operation in operations:
        yield json_text(operation.as_json()).encode() + b"\n"


def write_log(operations: Iterable[LoggedOperation], path: str | os.PathLike[str]) -> None:
    """Write a log, complete or not at all.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> note = Operation("a1", 0, "note", value="good")
    >>> change = Change(fields={"note": ("", "good")})
    >>> done = LoggedOperation(1, "7", "a", "A1", False, 1, "2026-01-31T12:00Z", note, change)
    >>> write_log([done], path)
    >>> list(read_log(path)) == [done]
    True
    """
    with open_output(path) as file:
        file.writelines(log_lines(operations))


def read_log(path: str | os.PathLike[str]) -> Iterator[LoggedOperation]:
    """Yield the operations of a log, one after another; a line that is none is an error."""
    with open_input(path) as file:
        yield from logged_operations(file, os.fspath(path))


def logged_operations(file: IO[bytes], origin: str) -> Iterator[LoggedOperation]:
    """Yield the operations of an open file.

    >>> import io
    >>> list(logged_operations(io.BytesIO(b'{"seq": 1}'), "log.jsonl"))
    Traceback (most recent call last):
        ...
    doxeval.errors.FormatError: log.jsonl:1: topic is missing or not a string
    """
    for number, record in json_lines(file, origin):
        try:
            yield _logged(record, origin, number)
        except InputError as error:
            raise FormatError(error.message, origin, number) from None


def _logged(record: Any, origin: str, line: int) -> LoggedOperation:
    given = Fields(record, (*_FIELDS, *_VALUES))
    seq, version = given.whole("seq"), given.whole("version")
    topic, document = given.text("topic"), given.text("doc")
    if seq is None or version is None:
        raise FormatError("expected a seq and a version")
    return LoggedOperation(
        seq,
        topic,
        document,
        given.optional_text("assessor"),
        given.flag("adjudicated"),
        version,
        given.text("time"),
        parse_operation(given.raw("operation"), imports=True),
        Change.from_json(record.get("change")),
        given.flag("program"),
        origin,
        line,
    )


def replayed(operations: Iterable[LoggedOperation], article: Article, mode: Mode) -> State:
    """Return the state that all operations on one judgment lead to.

    Every operation is carried out again. If that does not give what the log says, the log is not
    intact, or not of this text, which is an error. An imported state replaces all that was there,
    perhaps on an earlier version of the text: of what came before it, only changes are followed.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low tide.</p>"}), "a")
    >>> highlight = Operation("a1", 0, "highlight", start=4, end=8, quote="tide")
    >>> change = Change(added=((4, 8),))
    >>> done = LoggedOperation(1, "7", "a", "A1", False, 1, "2026-01-31T12:00Z", highlight, change)
    >>> replayed([done], article, "2006").highlights
    ((4, 8),)
    """
    state = State()
    every = list(operations)
    imports = [at for at, done in enumerate(every) if done.operation.kind == "import"]
    for at, done in enumerate(every):
        try:
            if done.version != at + 1:
                raise FormatError(f"version {done.version}: expected {at + 1}")
            after = redone(state, done.change)
            if at >= max(imports, default=0):
                _check_again(done.operation, state, after, article, mode)
        except InputError as error:
            message = f"operation {done.operation.op_id} (seq {done.seq}): {error.message}"
            raise FormatError(message, done.origin, done.line) from None
        state = after
    return state


def _check_again(
    operation: Operation, before: State, after: State, article: Article, mode: Mode
) -> None:
    """Refuse an operation that does not make one state of the other."""
    check_quote(operation, article)
    if operation.kind in ("undo", "redo"):
        return  # which go where an earlier operation came from, or led to
    if apply(operation, before, article, mode) != after:
        raise FormatError("it gives another judgment than the log says")
