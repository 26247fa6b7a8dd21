"""What an assessor does, as the browser sends it: parsed with limits, never trusted.

    kind                     what it carries
    highlight, unhighlight   start, end and the quoted text
    bep                      start, and the quoted text after it (32 characters, less at the end)
    grade                    path and value; the value null takes the grade back
    note                     value: text
    problem, skip            value: true or false
    import                   value: a whole state; never accepted from a browser
    clear-bep, validate, not-relevant, reopen, undo, redo      nothing

A quote is sent as text, or, if it is long, as its length and its SHA-256. All other fields are
absent or null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from doxeval.assess.judging.refusals import MalformedOperation
from doxeval.assess.judging.state import (
    TOO_LONG,
    State,
    flaw_of_note,
    flaw_of_text,
    grade_from_json,
)
from doxeval.errors import FormatError
from doxeval.messages import join_names, quoted, suggestion

LONGEST_QUOTE = 4096
LONGEST_PATH = 100_000
LATEST_VERSION = 1 << 53

_ALWAYS = frozenset({"op_id", "base_version", "kind", "client_time"})
_QUOTE = frozenset({"quote", "quote_length", "quote_sha256"})
_NOTHING: frozenset[str] = frozenset()
# The fields of each kind beside those that all kinds have.
KINDS: Mapping[str, frozenset[str]] = {
    "highlight": frozenset({"start", "end"}) | _QUOTE,
    "unhighlight": frozenset({"start", "end"}) | _QUOTE,
    "bep": frozenset({"start"}) | _QUOTE,
    "clear-bep": _NOTHING,
    "grade": frozenset({"path", "value"}),
    "validate": _NOTHING,
    "not-relevant": _NOTHING,
    "reopen": _NOTHING,
    "note": frozenset({"value"}),
    "problem": frozenset({"value"}),
    "skip": frozenset({"value"}),
    "undo": _NOTHING,
    "redo": _NOTHING,
    "import": frozenset({"value"}),
}
_TOKEN = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIME = re.compile(r"[0-9A-Za-z:.+-]{1,40}")


@dataclass(frozen=True)
class Operation:
    """One gesture of an assessor; see the top of this file for what each kind carries.

    >>> Operation("a1", 0, "highlight", start=4, end=8, quote="tide").as_json()["end"]
    8
    """

    op_id: str
    base_version: int
    kind: str
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    quote_length: int | None = None
    quote_sha256: str | None = None
    path: str | None = None
    value: Any = None
    client_time: str | None = None

    def as_json(self) -> dict[str, Any]:
        """All its fields as plain values, as `parse_operation` reads them."""
        return asdict(self)


_FIELDS = tuple(Operation.__dataclass_fields__)


def parse_operation(data: object, *, imports: bool = False) -> Operation:
    """The operation that plain values of JSON say; MalformedOperation explains what is wrong.

    With `imports`, whole states are accepted too: from our own log, never from a browser.

    >>> parse_operation({"op_id": "a1", "base_version": 0, "kind": "skip", "value": True}).value
    True
    >>> parse_operation({"op_id": "a1", "base_version": 0, "kind": "skip", "value": 1})
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.refusals.MalformedOperation: value is 1: expected true or false
    """
    if not isinstance(data, dict):
        raise MalformedOperation(f"expected an operation as an object, and it is {quoted(data)}")
    if unknown := [name for name in data if name not in _FIELDS]:
        raise MalformedOperation(f"an operation has no field {quoted(unknown[0])}")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS or (kind == "import" and not imports):
        known = [name for name in KINDS if name != "import"]
        hint = suggestion(kind, known) if isinstance(kind, str) else ""
        raise MalformedOperation(f"kind is {quoted(kind)}: there is no such operation{hint}")
    operation = Operation(**data) if {"op_id", "base_version"} <= data.keys() else None
    if operation is None:
        raise MalformedOperation("expected an op_id and a base_version")
    _check_always(operation)
    foreign = [name for name in _FIELDS if name not in _ALWAYS | KINDS[kind]]
    if extra := [name for name in foreign if data.get(name) is not None]:
        raise MalformedOperation(f"{kind} does not carry {join_names(extra)}")
    _check_places(operation)
    if "quote" in KINDS[kind]:
        _check_quote_fields(operation)
    if "value" in KINDS[kind]:
        _check_value(operation)
    return operation


def _check_always(operation: Operation) -> None:
    if not isinstance(operation.op_id, str) or not _TOKEN.fullmatch(operation.op_id):
        raise MalformedOperation(
            f"op_id is {quoted(operation.op_id)}: expected up to 64 letters, digits and . _ : -"
        )
    _whole("base_version", operation.base_version, LATEST_VERSION)
    time = operation.client_time
    if time is not None and not (isinstance(time, str) and _TIME.fullmatch(time)):
        raise MalformedOperation(
            f"client_time is {quoted(time)}: expected a time like 2026-01-31T12:00:00Z"
        )


def _check_places(operation: Operation) -> None:
    for name in ("start", "end"):
        if name in KINDS[operation.kind]:
            _whole(name, getattr(operation, name), TOO_LONG)
    path = operation.path
    if "path" in KINDS[operation.kind] and not (
        isinstance(path, str) and path.startswith("/") and len(path) <= LONGEST_PATH
    ):
        raise MalformedOperation(f"path is {quoted(path)}: expected the path of an element")
    if path is not None and (flaw := flaw_of_text(path)):
        raise MalformedOperation(f"path: {flaw}")


def _check_quote_fields(operation: Operation) -> None:
    quote, length, digest = operation.quote, operation.quote_length, operation.quote_sha256
    if quote is not None:
        if length is not None or digest is not None:
            raise MalformedOperation("expected a quote, or its length and SHA-256, not both")
        if not isinstance(quote, str):
            raise MalformedOperation(f"quote is {quoted(quote)}: expected text")
        if len(quote) > LONGEST_QUOTE:
            raise MalformedOperation(
                f"quote has {len(quote):,} characters: send the length and the SHA-256 of a quote "
                f"of more than {LONGEST_QUOTE:,}"
            )
        if flaw := flaw_of_text(quote):
            raise MalformedOperation(f"quote: {flaw}")
        return
    if length is None or digest is None:
        raise MalformedOperation("expected the quoted text, or its length and SHA-256")
    _whole("quote_length", length, TOO_LONG)
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        raise MalformedOperation(
            f"quote_sha256 is {quoted(digest)}: expected 64 hexadecimal digits in lower case"
        )


def _check_value(operation: Operation) -> None:
    value = operation.value
    if operation.kind == "grade":
        if value is not None and grade_from_json(value) is None:
            raise MalformedOperation(
                f"value is {quoted(value)}: expected 2, 1, '?', two whole numbers from 0 to 3, or "
                "null"
            )
    elif operation.kind == "note":
        if flaw := flaw_of_note(value):
            raise MalformedOperation(f"value: {flaw}")
    elif operation.kind == "import":
        try:
            State.from_json(value)
        except FormatError as error:
            raise MalformedOperation(f"value: {error.message}") from None
    elif type(value) is not bool:
        raise MalformedOperation(f"value is {quoted(value)}: expected true or false")


def _whole(name: str, value: object, bound: int) -> None:
    if type(value) is not int or not 0 <= value < bound:
        raise MalformedOperation(f"{name} is {quoted(value)}: expected a whole number from 0 on")
