"""Numbers as a Java program reads, adds, divides and prints them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal

from doxeval.errors import FormatError
from doxeval.messages import quoted

LARGEST_INT = (1 << 31) - 1
_INT = re.compile(rb"[+-]?0*([0-9]{1,10})")


def java_double(value: float) -> str:
    """Return a number as Double.toString does: decimal from .001 to 10 million, else with an E.

    >>> [java_double(value) for value in (0.25, 1.0, 2.05e-4, 12345678.0, float("nan"))]
    ['0.25', '1.0', '2.05E-4', '1.2345678E7', 'NaN']
    """
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    shortest = Decimal(repr(value)).normalize()
    first, *rest = map(str, shortest.as_tuple().digits)
    sign = "-" if value < 0 else ""
    return f"{sign}{first}.{''.join(rest) or '0'}E{shortest.adjusted()}"


def java_int(field: bytes, what: str) -> int:
    """Return a field as Integer.parseInt reads it, which refuses more than 32 bits.

    >>> java_int(b"042", "an offset"), java_int(b"-7", "an offset")
    (42, -7)
    """
    if field.isdigit() and len(field) < 10:
        return int(field)
    match = _INT.fullmatch(field)
    if match is None or int(match[1]) > LARGEST_INT:
        raise FormatError(
            f"{quoted(field_text(field))} is not {what}: "
            f"expected a whole number of at most {LARGEST_INT}"
        )
    return -int(match[1]) if field.startswith(b"-") else int(match[1])


def field_text(field: bytes) -> str:
    """Return a field for a message: as text, and shortened.

    >>> field_text(b"12x"), len(field_text(b"9" * 100))
    ('12x', 41)
    """
    text = field.decode(errors="replace")
    return text if len(text) <= 40 else f"{text[:40]}…"


def quotient(a: float, b: float) -> float:
    """Return a quotient as in Java, where 0/0 is not a number. (Nothing else is divided by 0 here.)

    >>> quotient(1, 4), quotient(0, 0)
    (0.25, nan)
    """
    return a / b if b else math.nan


def quotient_or_zero(a: float, b: float) -> float:
    """Return a quotient, or 0 where there is nothing to divide by.

    >>> quotient_or_zero(1, 4), quotient_or_zero(0, 0)
    (0.25, 0.0)
    """
    return a / b if b else 0.0


def left_to_right_sum(values: Iterable[float]) -> float:
    """Return a sum rounded after each addition, as in Java; Python's own sum may be more exact.

    >>> left_to_right_sum([1.0, 1e100, 1.0, -1e100])
    0.0
    """
    total = 0.0
    for value in values:
        total += value
    return total
