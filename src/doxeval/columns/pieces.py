"""The text of a file, cut into pieces of whole lines.

Pieces are small enough to stay in the processor's cache while their columns are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PIECE = 1 << 20
# What `str.split` takes for white space, and a reader of bytes does not.
_WIDE_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class Piece(NamedTuple):
    """Some whole lines of a file: where they begin and end, and the number of the first."""

    begin: int
    end: int
    line: int


def line_blocks(data: bytes) -> Iterator[Piece]:
    """The lines of a file in pieces.

    >>> list(line_blocks(b"a\\nb\\n"))
    [Piece(begin=0, end=4, line=1)]
    """
    begin, line = 0, 1
    while begin < len(data):
        end = data.find(b"\n", begin + _PIECE) + 1 or len(data)
        yield Piece(begin, end, line)
        line += data.count(b"\n", begin, end)
        begin = end


def has_plain_spaces(data: bytes) -> bool:
    """Whether fields of the text are the same to a reader of bytes as to `str.split`.

    They are if the text is UTF-8 without white space beyond ASCII; control characters are for the
    table of fields to find.

    >>> has_plain_spaces("é b".encode()), has_plain_spaces("a\\xa0b".encode())
    (True, False)
    """
    if data.isascii():
        return True
    try:
        return _WIDE_SPACES.search(data.decode()) is None
    except UnicodeDecodeError:
        return False
