"""Lines of text that have different numbers of fields, read by columns."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Bytes, Ints, concatenated_ranges
from doxeval.columns.tokens import Columns, TokenTable
from doxeval.columns.words import Words


class RaggedTable(TokenTable):
    """The fields of all lines that are not blank, however many each line has.

    >>> table = RaggedTable(Words(b"a 1 x\\nb 22\\nc 3 y z\\n"))
    >>> table.leading(2).integers(1).tolist()
    [1, 22, 3]
    >>> rows, rest = table.trailing(2)
    >>> rows.tolist(), list(rest.names(0))
    ([0, 2, 2], ['x', 'y', 'z'])
    """

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self._first = np.cumsum(self.fields) - self.fields

    def leading(self, count: int) -> Columns:
        """The first so many fields of every line, each of which must have them."""
        if len(self.fields) and (self.fields == count).all():
            return self.columns(count)
        return self._columns([self._first + position for position in range(count)])

    def field(self, position: int, rows: Ints) -> Columns:
        """One field of some lines, each of which must have it, as a table of one column."""
        return self._columns([self._first[rows] + position])

    def trailing(self, position: int) -> tuple[Ints, Columns]:
        """All fields from a position on: the row of each, and a table of one column."""
        count = np.maximum(self.fields - position, 0)
        rows = np.repeat(np.arange(len(count)), count)
        return rows, self._columns([concatenated_ranges(self._first + position, count)])

    def _columns(self, fields: list[Ints]) -> Columns:
        """A table of fields, given column by column by their numbers among all."""
        edges = [self._edges[2 * own + side] for own in fields for side in (0, 1)]
        return Columns(self._words, np.stack(edges))


def split_fields(words: Words, fields: Columns, separator: bytes) -> Columns | None:
    """A column of fields like `12:34` as two columns, cut at the first separator.

    None if some field has no separator, or nothing before or behind it.

    >>> words = Words(b"12:34 5:6")
    >>> both = split_fields(words, RaggedTable(words).trailing(0)[1], b":")
    >>> both.integers(0).tolist(), both.integers(1).tolist()
    ([12, 5], [34, 6])
    """
    begins, ends = fields.span(0)
    codes: Bytes = np.frombuffer(words.data, dtype=np.uint8)
    cuts = np.append(np.flatnonzero(codes == separator[0]), len(codes))
    at = cuts[np.searchsorted(cuts, begins)]
    if not ((at > begins) & (at + 1 < ends)).all():
        return None
    return Columns(words, np.stack([begins, at, at + 1, ends]))
