"""The fields of one record, as in JSONL or CSV, each checked as it is taken."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from doxeval.errors import FormatError
from doxeval.messages import closest, quoted

LARGEST_WHOLE = 1 << 62  # whole numbers stay below it
# What people write, and what the field is called here.
_OTHER_NAMES = {
    **dict.fromkeys(("qid", "query", "query_id", "q_id", "topic_id"), "topic"),
    **dict.fromkeys(("docid", "doc_id", "docno", "document", "document_id", "file"), "doc"),
    **dict.fromkeys(("begin", "from", "start_index", "start_char"), "start"),
    **dict.fromkeys(("stop", "to", "end_index", "end_char"), "end"),
    **dict.fromkeys(("text", "content", "exact", "passage"), "quote"),
    **dict.fromkeys(("relevance", "label"), "grade"),
    **dict.fromkeys(("chunk_id", "chunkid"), "chunk"),
    **dict.fromkeys(("rsv", "similarity"), "score"),
    **dict.fromkeys(("run_id", "runid", "system"), "run"),
}
_PAGES = ("page", "pages", "page_no", "page_number")


def unknown_field(name: str, known: Sequence[str]) -> str:
    """Return what is wrong with a record that has a field of this name: none of the known ones.

    >>> unknown_field("qoute", ["doc", "quote"])
    "unknown field 'qoute': expected doc, quote; did you mean quote?"
    """
    message = f"unknown field {quoted(name)}: expected {', '.join(known)}"
    if name.lower() in _PAGES and {"start", "end"} <= set(known):
        other = ", or the text itself as quote" if "quote" in known else ""
        return f"{message}; pages have no offsets: give start and end in the document{other}"
    meant = _OTHER_NAMES.get(name.lower())
    if meant not in known:
        meant = closest(name, known)
    return message if meant is None else f"{message}; did you mean {meant}?"


def refuse_unknown(
    record: Mapping[str, Any], known: Sequence[str], accepted: Collection[str] = ()
) -> None:
    """Raise an error for a field that is not known; null and empty ones are absent.

    accepted: names that may stand there too, and are not worth telling.

    >>> refuse_unknown({"doc": "a", "text": "Thirty days"}, ("doc", "quote"))
    Traceback (most recent call last):
    doxeval.errors.FormatError: unknown field 'text': expected doc, quote; did you mean quote?
    """
    unknown = [
        str(name)
        for name, value in record.items()
        if name not in known and name not in accepted and value not in (None, "", [])
    ]
    if unknown:
        raise FormatError(unknown_field(min(unknown), known))


class Fields:
    """The fields of one record. Those that are null or empty are absent; unknown ones are an error.

    >>> fields = Fields({"topic": 7, "start": 3, "path": None}, ("topic", "start", "path"))
    >>> fields.text("topic"), fields.whole("start"), "path" in fields
    ('7', 3, False)
    """

    def __init__(self, record: Any, known: Sequence[str]) -> None:
        if not isinstance(record, dict):
            raise FormatError("expected an object with topic and doc")
        self._given = {name: v for name, v in record.items() if v not in (None, "", [])}
        if not self._given.keys() <= set(known):
            refuse_unknown(self._given, known)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    @property
    def names(self) -> set[str]:
        """The fields that are there."""
        return set(self._given)

    def raw(self, name: str) -> Any:
        """A field as it is given, unchecked; None if it is absent."""
        return self._given.get(name)

    def text(self, name: str) -> str:
        """A string that must be there; ids may be written as numbers."""
        value = self._given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise FormatError(f"{name} is missing or not a string")
        return value.strip()

    def optional_text(self, name: str) -> str | None:
        """A string, if it is there."""
        return self.text(name) if name in self else None

    def whole(self, name: str) -> int | None:
        """A whole number that is not negative, if it is there."""
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST_WHOLE:
            raise FormatError(f"{name} is {quoted(value)}: expected a whole number, 0 or more")
        return value

    def number(self, name: str) -> float | None:
        """A finite number, if it is there."""
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            raise FormatError(f"{name} is {quoted(value)}: expected a number")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false; false if it is absent."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise FormatError(f"{name} is {quoted(value)}: expected true or false")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """One of a few strings (or numbers), if it is there."""
        if name not in self:
            return None
        value = str(self._given[name])
        if value not in choices:
            raise FormatError(f"{name} is {quoted(value)}: expected one of {', '.join(choices)}")
        return value

    def paths(self, name: str) -> tuple[str, ...]:
        """A list of paths that must be there."""
        value = self._given.get(name)
        if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
            raise FormatError(f"{name} is not a list of paths")
        return tuple(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
