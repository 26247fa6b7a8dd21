"""The columns of a text run, from its bytes; see `text` for the format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.columns import Columns, Labels, NameLabels, Names, TokenTable, Words
from doxeval.errors import FormatError
from doxeval.runs.blocks import Block
from doxeval.runs.run import Kind, Run

_PIECE = 1 << 20
_FIELDS = (6, 7, 8)


class _Piece(NamedTuple):
    """The columns of one piece of the file: numbers, and where names begin and end."""

    line: Ints
    rank: Ints
    score: Floats
    start: Ints
    end: Ints
    spans: Ints  # two rows for each column of names


class TextReader:
    """Reads a file block by block, each of whole lines; what the first line says holds for all.

    Blocks are read in pieces that are small enough to stay in the processor's cache. Pieces are
    cut as if the file were one block: an error is then the same, however the file comes in blocks.

    >>> block = TextReader("a.run").block(b"7 Q0 a.xml 1 0.5 mine 100 50\\n")
    >>> [(result.document, result.start, result.end) for result in block.run]
    [('a', 100, 150)]
    """

    def __init__(self, origin: str, *, ends: bool = False) -> None:
        self._origin = origin
        self._ends = ends
        self._fields = 0
        self._by_path = False
        self._data = b""
        self._words = Words(b"")
        self._run_ids: dict[str, None] = {}
        self.next_line = 1
        # Where the current block and the current piece begin in the file, and how far it is read.
        self._block_at = self._piece_at = self._at = 0

    @property
    def shape(self) -> tuple[int, bool]:
        """How many fields all lines have, and whether those behind the sixth are paths."""
        return self._fields, self._by_path

    def block(self, data: bytes) -> Block | None:
        """The results of some lines; None if all are blank."""
        self._data, self._words, self._run_ids, self._at = data, Words(data), {}, 0
        pieces = [piece for at, end in self._cuts() if (piece := self._piece(at, end))]
        self._block_at += len(data)
        return self._joined(pieces) if pieces else None

    def _joined(self, pieces: list[_Piece]) -> Block:
        line, rank, score, start, end = (
            np.concatenate(column) for column in list(zip(*pieces, strict=True))[:5]
        )
        spans = np.concatenate([piece.spans for piece in pieces], axis=1)
        names = [Names(self._words, *spans[at : at + 2]) for at in range(0, len(spans), 2)]
        topics, documents, *paths = names
        run_ids = tuple(self._run_ids)
        run = Run(
            run_ids[-1],
            NameLabels(topics),
            NameLabels(documents, document_ids=True),
            _path_labels(paths, len(line)),
            np.full(len(line), int(_kind(*self.shape)), dtype=np.int64),
            start,
            end,
            rank,
            score,
            line,
            origin=self._origin,
        )
        return Block(run, run_ids, self.shape)

    def _cuts(self) -> Iterator[tuple[int, int]]:
        """Where pieces of whole lines begin and end."""
        while self._at < len(self._data):
            end = self._data.find(b"\n", self._full) + 1
            yield self._at, end or len(self._data)
            self._at = end or len(self._data)
            if end:
                self._piece_at = self._block_at + end

    @property
    def _full(self) -> int:
        """From where in the block the current piece ends with the line."""
        return max(self._piece_at + _PIECE - self._block_at, self._at)

    def read_on(self, following: bytes) -> None:
        """Read the piece with an error again, with those lines of it that follow the block.

        In one piece, some errors are told before others, even if they stand behind these.
        """
        data = self._data
        behind = self._full - len(data)
        if behind < 0 or data.find(b"\n", self._full) >= 0:
            return  # the piece ends within the block
        end = following.find(b"\n", behind) + 1 or len(following)
        self._data = data[self._at :] + following[:end]
        self._words = Words(self._data)
        self._piece(0, len(self._data))

    def _piece(self, at: int, end: int) -> _Piece | None:
        table = TokenTable(self._words.piece(at, end))
        first_line = self.next_line
        control = table.control_character()
        if control is not None:
            line = first_line + self._data.count(b"\n", at, at + control)
            code = self._data[at + control]
            raise FormatError(f"control character {code:#04x}", self._origin, line)
        if not len(table.lines):
            self.next_line += table.line_ends
            return None
        lines = table.lines + first_line
        checked = _Checked(self._shaped(table, lines), lines, self._origin)
        columns = checked.columns
        nothing: Ints = np.full(len(columns), -1, dtype=np.int64)
        start, last = nothing, nothing
        if self._by_path:
            checked.paths(range(6, self._fields))
        elif self._fields == 7:
            start = checked.integers(6, "an entry point")
        elif self._fields == 8:
            start = checked.integers(6, "an offset")
            last = checked.integers(7, "an end" if self._ends else "a length")
            last = last if self._ends else start + last
            checked.refuse(last < start, "the passage ends before it starts")
        self._run_ids.update(dict.fromkeys(columns.names(5).distinct))
        kept = (0, 2, *(range(6, self._fields) if self._by_path else ()))
        rank, score = checked.integers(3, "a rank"), checked.scores(4)
        self.next_line += table.line_ends
        return _Piece(
            lines,
            rank,
            score,
            start,
            last,
            np.stack([edge for column in kept for edge in columns.span(column)]) + at,
        )

    def _shaped(self, table: TokenTable, lines: Ints) -> Columns:
        """The columns; the first line of the file says how many fields every line must have."""
        settled = self._fields > 0
        first = self._fields or int(table.fields[0])
        wrong = np.flatnonzero(table.fields != (first if first in _FIELDS else 0))
        if len(wrong):
            expected = f"{first} fields as before" if settled or wrong[0] else "6, 7 or 8 fields"
            raise FormatError(
                f"{table.fields[wrong[0]]} fields; expected {expected} (qid Q0 file rank rsv "
                "runid, then nothing, a path or an entry point, or an offset and a length)",
                self._origin,
                int(lines[wrong[0]]),
            )
        columns = table.columns(first)
        if not settled:
            self._fields = first
            self._by_path = first > 6 and bool(columns.starts_with(6, b"/")[0])
        return columns


class _Checked:
    """Columns whose values are checked as they are taken; an error names the line."""

    def __init__(self, columns: Columns, lines: Ints, origin: str) -> None:
        self.columns = columns
        self._lines = lines
        self._origin = origin

    def integers(self, column: int, what: str) -> Ints:
        values = self.columns.integers(column)
        message = f"{{}} is not {what}: expected a whole number of at most 18 digits"
        self.refuse(values < 0, message, column)
        return values

    def scores(self, column: int) -> Floats:
        values = self.columns.floats(column)
        self.refuse(~np.isfinite(values), "{} is not a score: expected a number", column)
        return values

    def paths(self, columns: range) -> None:
        what = "a path" if len(columns) == 1 else "a text point"
        message = f"{{}} where {what} that starts with '/' was expected, as in the lines before"
        for column in columns:
            self.refuse(~self.columns.starts_with(column, b"/"), message, column)

    def refuse(self, wrong: Bools, message: str, column: int = 0) -> None:
        """Raise an error for the first row that is wrong, if any is."""
        if wrong.any():
            row = int(np.argmax(wrong))
            shown = _shown(self.columns.text(row, column))
            raise FormatError(message.format(shown), self._origin, int(self._lines[row]))


class _PathLabels(Labels[tuple[str, ...]]):
    """Places that are paths of elements."""

    def __init__(self, paths: Names) -> None:
        self._paths = paths

    def _worked_out(self) -> tuple[Sequence[tuple[str, ...]], Ints]:
        return [(path,) for path in self._paths.distinct], self._paths.numbering[0]


def _path_labels(names: list[Names], rows: int) -> Labels[tuple[str, ...]]:
    """The paths of results: of elements, or pairs of text points."""
    if not names:
        return Labels.none(rows)
    if len(names) == 1:
        return _PathLabels(names[0])
    pairs = list(zip(*names, strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    return Labels.of(tuple(numbers), np.fromiter((numbers[p] for p in pairs), np.int64, rows))


def _kind(fields: int, by_path: bool) -> Kind:
    """The kind of all results, by their number of fields and whether they are paths."""
    if fields == 6:
        return Kind.DOCUMENT
    if fields == 8:
        return Kind.PASSAGE
    return Kind.ELEMENT if by_path else Kind.POINT


def _shown(text: bytes) -> str:
    shown = text[:60].decode("utf-8", "replace")
    return repr(shown + ("…" if len(text) > 60 else ""))
