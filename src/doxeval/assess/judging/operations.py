"""What an assessor does, as the browser sends it: decoded with limits, never trusted.

    kind                     what it carries
    highlight, unhighlight   start, end and the quoted text
    bep                      start, and the quoted text after it (32 characters, less at the end)
    grade                    path and value; the value null takes the grade back
    note                     value: text
    comment                  start, end and the quoted text; value: text, of which none removes it
    problem, skip            value: true or false
    import                   value: a whole state; never accepted from a browser
    clear-bep, validate, not-relevant, reopen, undo, redo      nothing

A quote is sent as text, or, if it is long, as its length and its SHA-256. All other fields are
absent or null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from doxeval.assess.judging.article import Article
from doxeval.assess.judging.state import (
    GradeValue,
    Offset,
    State,
    convert_plain,
    flaw_of_comment,
    flaw_of_note,
    flaw_of_text,
)
from doxeval.errors import FormatError, InputError
from doxeval.messages import join_names, quoted, suggestion

LONGEST_QUOTE = 4096
LONGEST_PATH = 100_000
LATEST_VERSION = 1 << 53
# How much text after a best entry point is quoted.
BEP_QUOTE = 32

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
    "comment": frozenset({"start", "end", "value"}) | _QUOTE,
    "problem": frozenset({"value"}),
    "skip": frozenset({"value"}),
    "undo": _NOTHING,
    "redo": _NOTHING,
    "import": frozenset({"value"}),
}


class MalformedOperation(InputError):
    """The operation is not written as operations are: a field is missing, unknown or absurd."""


class QuoteMismatch(InputError):
    """The text at the operation's place is not the text that the assessor saw there."""


@dataclass(frozen=True)
class Operation:
    """One gesture of an assessor; see the top of this file for what each kind carries.

    >>> Operation("a1", 0, "highlight", start=4, end=8, quote="tide").as_json()["end"]
    8
    """

    op_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,64}\Z")]
    base_version: Annotated[int, Meta(ge=0, lt=LATEST_VERSION)]
    kind: str
    start: Offset | None = None
    end: Offset | None = None
    quote: str | None = None
    quote_length: Offset | None = None
    quote_sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None
    path: Annotated[str, Meta(pattern="^/", max_length=LONGEST_PATH)] | None = None
    value: Any = None
    client_time: Annotated[str, Meta(pattern=r"^[0-9A-Za-z:.+-]{1,40}\Z")] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return all its fields as plain values, as `parse_operation` reads them."""
        return asdict(self)


_FIELDS = tuple(Operation.__dataclass_fields__)
_WHOLE = "a whole number from 0 on"
_EXPECTED = {
    "op_id": "up to 64 letters, digits and . _ : -",
    "base_version": _WHOLE,
    "start": _WHOLE,
    "end": _WHOLE,
    "quote": "text",
    "quote_length": _WHOLE,
    "quote_sha256": "64 hexadecimal digits in lower case",
    "path": "the path of an element",
    "client_time": "a time like 2026-01-31T12:00:00Z",
}
# What the value of each kind is.
_VALUES: Mapping[str, tuple[Any, str]] = {
    "grade": (GradeValue | None, "2, 1, '?', two whole numbers from 0 to 3, or null"),
    "note": (str, "text"),
    "comment": (str, "text"),
    "problem": (bool, "true or false"),
    "skip": (bool, "true or false"),
    "import": (dict, "a judgment"),
}


def parse_operation(data: object, *, imports: bool = False) -> Operation:
    """Return the operation that plain values of JSON say; a MalformedOperation explains why not.

    With `imports`, whole states are accepted too: from our own log, never from a browser.

    >>> parse_operation({"op_id": "a1", "base_version": 0, "kind": "skip", "value": True}).value
    True
    >>> parse_operation({"op_id": "a1", "base_version": 0, "kind": "skip", "value": 1})
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.operations.MalformedOperation: value is 1: expected true or false
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
    if not {"op_id", "base_version"} <= data.keys():
        raise MalformedOperation("expected an op_id and a base_version")
    carried = KINDS[kind]
    foreign = [name for name in _FIELDS if name not in _ALWAYS | carried]
    if extra := [name for name in foreign if data.get(name) is not None]:
        raise MalformedOperation(f"{kind} does not carry {join_names(extra)}")
    for name in ("start", "end", "path"):
        if name in carried and data.get(name) is None:
            raise MalformedOperation(f"{name} is None: expected {_EXPECTED[name]}")
    try:
        operation: Operation = convert_plain(data, Operation)
    except msgspec.ValidationError as error:
        name = str(error).rpartition("`$.")[2].rstrip("`")
        raise MalformedOperation(
            f"{name} is {quoted(data[name])}: expected {_EXPECTED[name]}"
        ) from None
    if operation.path is not None and (flaw := flaw_of_text(operation.path)):
        raise MalformedOperation(f"path: {flaw}")
    if "quote" in carried:
        _check_quote_fields(operation)
    if "value" in carried:
        _check_value(operation)
    return operation


def _check_quote_fields(operation: Operation) -> None:
    quote, length, digest = operation.quote, operation.quote_length, operation.quote_sha256
    if quote is None:
        if length is None or digest is None:
            raise MalformedOperation("expected the quoted text, or its length and SHA-256")
        return
    if length is not None or digest is not None:
        raise MalformedOperation("expected a quote, or its length and SHA-256, not both")
    if len(quote) > LONGEST_QUOTE:
        raise MalformedOperation(
            f"quote has {len(quote):,} characters: send the length and the SHA-256 of a quote "
            f"of more than {LONGEST_QUOTE:,}"
        )
    if flaw := flaw_of_text(quote):
        raise MalformedOperation(f"quote: {flaw}")


def _check_value(operation: Operation) -> None:
    value = operation.value
    expected, description = _VALUES[operation.kind]
    try:
        convert_plain(value, expected)
        if operation.kind == "import":
            State.from_json(value)
    except msgspec.ValidationError:
        raise MalformedOperation(f"value is {quoted(value)}: expected {description}") from None
    except FormatError as error:
        raise MalformedOperation(f"value: {error.message}") from None
    flaws = {"note": flaw_of_note, "comment": flaw_of_comment}
    if operation.kind in flaws and (flaw := flaws[operation.kind](value)):
        raise MalformedOperation(f"value: {flaw}")


def check_quote(operation: Operation, article: Article) -> None:
    """Raise QuoteMismatch unless the article has the quoted text exactly there.

    Operations that carry no place pass.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<p>Low tide.</p>"}), "a")
    >>> check_quote(Operation("1", 0, "highlight", start=4, end=8, quote="tide"), article)
    >>> check_quote(Operation("1", 0, "highlight", start=3, end=7, quote="tide"), article)
    Traceback (most recent call last):
        ...
    doxeval.assess.judging.operations.QuoteMismatch: text 3 to 7 is not what was quoted
    """
    if operation.start is None:
        return
    start, length = operation.start, len(article.text)
    end = min(start + BEP_QUOTE, length) if operation.kind == "bep" else operation.end
    if end is None or end > length or start > end:
        raise QuoteMismatch(f"the document has {length:,} characters, and {end} is beyond them")
    if not _is_quoted(article.text[start:end], operation):
        raise QuoteMismatch(f"text {start:,} to {end:,} is not what was quoted")


def _is_quoted(text: str, operation: Operation) -> bool:
    if operation.quote is not None:
        return text == operation.quote
    return (
        len(text) == operation.quote_length
        and hashlib.sha256(text.encode()).hexdigest() == operation.quote_sha256
    )
