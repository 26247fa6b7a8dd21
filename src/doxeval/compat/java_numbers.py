"""Lines, fields and numbers as a Java program reads and prints them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial

from doxeval.errors import FormatError
from doxeval.files import LONGEST_LINE, open_input
from doxeval.messages import quoted

LARGEST_INT = (1 << 31) - 1
_INT = re.compile(rb"[+-]?0*([0-9]{1,10})")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def java_double(value: float) -> str:
    """A number as Double.toString gives it: decimal from .001 up to 10 million, else with an E.

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


def java_int(field: bytes, what: str, origin: str, line: int) -> int:
    """A field as Integer.parseInt reads it, which refuses numbers of more than 32 bits.

    >>> java_int(b"042", "an offset", "run.txt", 1), java_int(b"-7", "an offset", "run.txt", 1)
    (42, -7)
    """
    if field.isdigit() and len(field) < 10:
        return int(field)
    match = _INT.fullmatch(field)
    if match is None or int(match[1]) > LARGEST_INT:
        raise FormatError(
            f"{quoted(field_text(field))} is not {what}: "
            f"expected a whole number of at most {LARGEST_INT}",
            origin,
            line,
        )
    return -int(match[1]) if field.startswith(b"-") else int(match[1])


def numbered_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    r"""Each line of a file, blank ones too; a line ends with \n, \r\n or a \r alone.

    A byte order mark is refused: Java would take it as part of the first topic's name.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_bytes(b"one\r\n\ntwo\rthree")
    >>> list(numbered_lines(path))
    [(1, b'one'), (2, b''), (3, b'two'), (4, b'three')]
    """
    origin = os.fspath(path)
    number = 0
    with open_input(path) as file:
        for data in iter(partial(file.readline, LONGEST_LINE + 1), b""):
            if len(data) > LONGEST_LINE:
                raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, number + 1)
            for line in data.splitlines():
                number += 1
                if not line.isascii():
                    _check_text(line, origin, number)
                yield number, line


def _check_text(line: bytes, origin: str, number: int) -> None:
    if number == 1 and line.startswith(_BYTE_ORDER_MARK):
        raise FormatError("begins with a byte order mark: expected plain UTF-8", origin, 1)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        reason = f"byte {line[error.start]:#04x} is not UTF-8 text"
        raise FormatError(reason, origin, number) from None


def field_text(field: bytes) -> str:
    """A field as a message shows it: as text, and shortened.

    >>> field_text(b"12x"), len(field_text(b"9" * 100))
    ('12x', 41)
    """
    text = field.decode(errors="replace")
    return text if len(text) <= 40 else f"{text[:40]}…"
