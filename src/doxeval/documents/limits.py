"""Limits that keep a hostile or broken document from using up memory or time."""

from __future__ import annotations

from dataclasses import dataclass, fields

from doxeval.errors import DocumentError, InputError
from doxeval.messages import Message, Parameter

# The node table sorts depths as 16-bit integers, so no document may be deeper than this.
DEEPEST_POSSIBLE = 30_000
# The node table has 32-bit integers for elements and characters of a document.
MOST_ELEMENTS_OF_A_DOCUMENT = 1 << 30
LONGEST_DOCUMENT = (1 << 31) - 1
# A topic and an element of a collection fit into one number of 64 bits, for 2^23 topics.
MOST_ELEMENTS = 1 << 40
MOST_TOPICS = 1 << 23
# No other limit is set higher.
HIGHEST_LIMIT = 1 << 40
_HIGHEST = {
    "depth": DEEPEST_POSSIBLE,
    "bytes": LONGEST_DOCUMENT,
    "elements": MOST_ELEMENTS_OF_A_DOCUMENT,
}
# When a collection is opened, so much of it is compared with its hashes, the smallest files first
# and the text left out. Hashing it takes a fraction of a second.
VERIFIED_BYTES = 256 << 20
# Far longer than any path; an id is kept in memory and in every line that refers to it.
LONGEST_ID = 10_000


@dataclass(frozen=True)
class Limits:
    """Upper limits for one document.

    >>> Limits(depth=50).depth
    50
    >>> Limits(depth=40_000)
    Traceback (most recent call last):
    doxeval.errors.InputError: depth=40000: expected a whole number from 1 to 30,000
    """

    depth: int = 1000
    bytes: int = 64 << 20
    elements: int = 4_000_000
    # Of Markdown, whose parser takes some ten microseconds for each line.
    lines: int = 100_000
    # Entities may not expand a document's text to more than this many times its bytes (plus an
    # allowance, so that a short document may use an entity with a long value).
    expansion: int = 10
    expansion_allowance: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name == "expansion_allowance" else 1
            most = _HIGHEST.get(field.name, HIGHEST_LIMIT)
            if not isinstance(value, int) or not least <= value <= most:
                raise InputError(
                    Parameter(field.name, value)
                    + f": expected a whole number from {least} to {most:,}"
                )


def _sets(name: str) -> Message:
    return Parameter(name) + " sets the limit"


def too_deep(limits: Limits) -> str:
    """The message about a document that is too deep."""
    return f"elements nested more than {limits.depth:,} deep; " + _sets("depth")


def check_bytes(size: int, limits: Limits, origin: str) -> None:
    """Refuse a document with too many bytes."""
    if size > limits.bytes:
        message = f"more than {limits.bytes:,} bytes in one document; "
        raise DocumentError(message + _sets("bytes"), origin)


def check_elements(count: int, limits: Limits, origin: str) -> None:
    """Refuse a document with too many elements."""
    if count > limits.elements:
        message = f"more than {limits.elements:,} elements in one document; "
        raise DocumentError(message + _sets("elements"), origin)


def check_lines(count: int, limits: Limits, origin: str) -> None:
    """Refuse a document with too many lines."""
    if count > limits.lines:
        message = f"more than {limits.lines:,} lines of Markdown in one document; "
        raise DocumentError(message + _sets("lines"), origin)
