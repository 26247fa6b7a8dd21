"""Runs as text, one result per line, as in INEX 2009 and 2010.

    qid Q0 file rank rsv runid                        a whole document
    qid Q0 file rank rsv runid /article[1]/sec[2]     an element
    qid Q0 file rank rsv runid 1204                   an entry point
    qid Q0 file rank rsv runid 1204 350               a passage: offset and length
    qid Q0 file rank rsv runid POINT POINT            a passage between two text points

Fields are separated by white space; there is one kind per file. Lines are in the order of the
ranking. Anything else is an error that names the line. With `ends` the last column is an end,
not a length, as some programs write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.columns.labels import Labels, NameLabels
from doxeval.columns.names import Names
from doxeval.columns.tokens import Columns, TokenTable
from doxeval.columns.words import Words
from doxeval.errors import FormatError
from doxeval.runs.run import Floats, Kind, Run
from doxeval.wording import listed

LARGEST_FILE = 2 << 30
_CHUNK = 16 << 20
_PIECE = 1 << 20
_FIELDS = (6, 7, 8)


def read_text_run(file: IO[bytes], origin: str, *, ends: bool = False) -> Run:
    """Read a run.

    >>> import io
    >>> run = read_text_run(io.BytesIO(b"7 Q0 a.xml 1 0.5 mine 100 50\\n"), "run.txt")
    >>> [(result.document, result.start, result.end) for result in run.results()]
    [('a', 100, 150)]
    """
    chunks: list[bytes] = []
    while chunk := file.read(_CHUNK):
        chunks.append(chunk)
        if len(chunks) * _CHUNK > LARGEST_FILE:
            raise FormatError(f"more than {LARGEST_FILE:,} bytes in one run", origin)
    data = b"".join(chunks)
    _check_encoding(data, origin)
    try:
        return _TextReader(data, origin, ends).read()
    except FormatError as error:
        from doxeval.runs.mistaken import explained_by_text

        raise explained_by_text(error, data) from None


class _Piece(NamedTuple):
    """The columns of one piece of the file: numbers, and where names begin and end."""

    line: Ints
    rank: Ints
    score: Floats
    start: Ints
    end: Ints
    spans: Ints  # two rows for each column of names


class _TextReader:
    """Reads a file in pieces that are small enough to stay in the processor's cache."""

    def __init__(self, data: bytes, origin: str, ends: bool) -> None:
        self._data = data
        self._words = Words(data)
        self._origin = origin
        self._ends = ends
        self._fields = 0
        self._by_path = False
        self._next_line = 1
        self._run_ids: dict[str, None] = {}

    def read(self) -> Run:
        pieces = [piece for at, end in self._cuts() if (piece := self._piece(at, end))]
        if not pieces:
            raise FormatError("no results in the file", self._origin)
        line, rank, score, start, end = (
            np.concatenate(column) for column in list(zip(*pieces, strict=True))[:5]
        )
        spans = np.concatenate([piece.spans for piece in pieces], axis=1)
        names = [Names(self._words, *spans[at : at + 2]) for at in range(0, len(spans), 2)]
        topics, documents, *paths = names
        run_ids = list(self._run_ids)
        warnings = []
        if len(run_ids) > 1:
            warnings.append(f"{len(run_ids)} run ids in one file: {listed(run_ids, 5)}")
        return Run(
            run_ids[-1],
            NameLabels(topics),
            NameLabels(documents, document_ids=True),
            _path_labels(paths, len(line)),
            np.full(len(line), int(_kind(self._fields, self._by_path)), dtype=np.int64),
            start,
            end,
            rank,
            score,
            line,
            warnings=tuple(warnings),
            origin=self._origin,
        )

    def _cuts(self) -> Iterator[tuple[int, int]]:
        """Where pieces of whole lines begin and end."""
        at = 0
        while at < len(self._data):
            end = self._data.find(b"\n", at + _PIECE) + 1 or len(self._data)
            yield at, end
            at = end

    def _piece(self, at: int, end: int) -> _Piece | None:
        table = TokenTable(self._words.piece(at, end))
        first_line = self._next_line
        self._next_line += table.line_ends
        control = table.control_character()
        if control is not None:
            line = first_line + self._data.count(b"\n", at, at + control)
            code = self._data[at + control]
            raise FormatError(f"control character {code:#04x}", self._origin, line)
        if not len(table.lines):
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
        return _Piece(
            lines,
            checked.integers(3, "a rank"),
            checked.scores(4),
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


def _check_encoding(data: bytes, origin: str) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {data[error.start]:#04x} is not UTF-8 text"
        raise FormatError(reason, origin, line) from None


def _shown(text: bytes) -> str:
    shown = text[:60].decode("utf-8", "replace")
    return repr(shown + ("…" if len(text) > 60 else ""))
