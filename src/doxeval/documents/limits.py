"""Limits that keep a hostile or broken document from eating the machine."""

from __future__ import annotations

from dataclasses import dataclass

from doxeval.errors import DocumentError

# The node table sorts depths as 16-bit integers, so no document may be deeper than this.
DEEPEST_POSSIBLE = 30_000


@dataclass(frozen=True)
class Limits:
    """What one document may be at most.

    >>> Limits(depth=50).depth
    50
    """

    depth: int = 1000
    bytes: int = 64 << 20
    elements: int = 4_000_000
    # Entities may not blow a document's text up to more than this many times its bytes (plus a
    # little, so that a short document may use a long abbreviation).
    expansion: int = 10
    expansion_allowance: int = 10_000


def too_deep(limits: Limits) -> str:
    """What is wrong with a document that is too deep."""
    return f"more than {limits.depth:,} elements inside each other (--max-depth sets the limit)"


def check_bytes(size: int, limits: Limits, origin: str) -> None:
    """Refuse a document of too many bytes."""
    if size > limits.bytes:
        raise DocumentError(
            f"more than {limits.bytes:,} bytes in one document (--max-bytes sets the limit)", origin
        )


def check_elements(count: int, limits: Limits, origin: str) -> None:
    """Refuse a document of too many elements."""
    if count > limits.elements:
        raise DocumentError(
            f"more than {limits.elements:,} elements in one document "
            "(--max-elements sets the limit)",
            origin,
        )
