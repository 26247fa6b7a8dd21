"""Runs as text, one result per line, as in INEX 2009 and 2010.

    qid Q0 file rank rsv runid                        a whole document
    qid Q0 file rank rsv runid /article[1]/sec[2]     an element
    qid Q0 file rank rsv runid 1204                   an entry point
    qid Q0 file rank rsv runid 1204 350               a passage: offset and length
    qid Q0 file rank rsv runid POINT POINT            a passage between two text points

Fields are separated by white space; there is one kind per file. Lines are in the order of the
ranking. A byte order mark before the first line is passed over; anything else is an error that
names the line. With `ends` the last column is an end,
not a length, as some programs write it.

Files of any size are read block by block, cut where the topic changes. What is wrong with a file
is told as if it had been read at once: a byte that is not UTF-8 comes before all else, and the
first line decides how many fields all lines must have.

The columns of a text run, from its bytes; see `text` for the format.

Where the lines of one topic end in a text run, and those of the next begin.

Runs written as text, in the format that `text` describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Bytes, Floats, Ints
from doxeval.columns import Columns, Labels, NameLabels, Names, TokenTable, Words
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE
from doxeval.messages import quoted
from doxeval.runs.run import Block, Kind, Run, run_at_once

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


_WINDOW = 1 << 16


def last_topic_begins(data: bytes, begin: int, end: int) -> int:
    """Where the lines of the last topic begin, in whole lines of text; `begin` if all are its own.

    The topic is the first field of a line; blank lines belong to the topic before them.

    >>> data = b"7 Q0 a\\n7 Q0 b\\n8 Q0 a\\n8 Q0 c\\n"
    >>> data[last_topic_begins(data, 0, len(data)) :]
    b'8 Q0 a\\n8 Q0 c\\n'
    """
    topic, last = _last_topic(data, begin, end)
    if topic is None:
        return begin
    # What most lines of the topic begin with: the topic, and one character behind it.
    prefix = topic + data[last + len(topic) : last + len(topic) + 1]
    window, at = _WINDOW, last
    while at > begin:
        low = max(begin, at - window)
        for line in _other_lines(data, prefix, low, at)[::-1].tolist():
            fields = data[line : data.find(b"\n", line)].split(None, 1)
            if fields and fields[0] != topic:
                return data.find(b"\n", line) + 1
        at, window = low, 4 * window
    fields = data[begin : data.find(b"\n", begin)].split(None, 1)
    if fields and fields[0] != topic:
        return data.find(b"\n", begin) + 1
    return begin


def next_topic_begins(data: bytes, begin: int, end: int) -> int | None:
    """Where the lines of another topic begin than that of the first line; None: nowhere.

    >>> data = b"7 Q0 a\\n\\n7 Q0 b\\n8 Q0 a\\n"
    >>> next_topic_begins(data, 0, len(data))
    15
    """
    topic, at = _first_topic(data, begin, end)
    if topic is None:
        return None
    prefix = topic + data[at + len(topic) : at + len(topic) + 1]
    for line in _other_lines(data, prefix, at, end).tolist():
        fields = data[line : data.find(b"\n", line)].split(None, 1)
        if fields and fields[0] != topic:
            return int(line)
    return None


def _first_topic(data: bytes, begin: int, end: int) -> tuple[bytes | None, int]:
    """The topic of the first line that is not blank, and where that line begins."""
    while begin < end:
        after = data.find(b"\n", begin, end) + 1 or end
        fields = data[begin:after].split(None, 1)
        if fields:
            return fields[0], begin
        begin = after
    return None, begin


def _last_topic(data: bytes, begin: int, end: int) -> tuple[bytes | None, int]:
    """The topic of the last line that is not blank, and where that line begins."""
    while end > begin:
        line = data.rfind(b"\n", begin, end - 1) + 1 or begin
        fields = data[line:end].split(None, 1)
        if fields:
            return fields[0], line
        end = line
    return None, begin


def _other_lines(data: bytes, prefix: bytes, low: int, high: int) -> Ints:
    """Where those lines begin behind `low` and before `high` that do not begin with the prefix."""
    codes: Bytes = np.frombuffer(data, dtype=np.uint8)
    lines = np.flatnonzero(codes[low : max(high - 1, low)] == 10) + low + 1
    is_other = np.zeros(len(lines), dtype=np.bool_)
    for place, code in enumerate(prefix):
        is_other |= codes[np.minimum(lines + place, len(codes) - 1)] != code
    return lines[is_other]


_LONG_ROW = 80  # bytes; most rows are shorter
_HEAD = 1 << 20  # by which a file of another kind is recognised
_MOST_BEHIND = 2 << 30  # bytes behind an error that are looked at
_AT_ONCE = 1 << 24  # bytes read, where nothing else says how many


def read_text_run(file: IO[bytes], origin: str, *, ends: bool = False) -> Run:
    """Read a run.

    >>> import io
    >>> run = read_text_run(io.BytesIO(b"7 Q0 a.xml 1 0.5 mine 100 50\\n"), "run.txt")
    >>> [(result.document, result.start, result.end) for result in run.results()]
    [('a', 100, 150)]
    """
    return run_at_once(next(text_blocks(file, origin, ends=ends)))


def text_blocks(
    file: IO[bytes],
    origin: str,
    *,
    ends: bool = False,
    rows: int | None = None,
    is_first: bool = True,
) -> Iterator[Block]:
    """A run in blocks of about so many rows; without a number, all of it is one block.

    Not `is_first`: from within a file, where there is no byte order mark.

    >>> import io
    >>> file = io.BytesIO(b"".join(b"%d Q0 a 1 0.5 mine\\n" % topic for topic in range(1, 9)))
    >>> [list(block.run.topics) for block in text_blocks(file, "a.run", rows=4)]
    [['1', '2', '3'], ['4', '5', '6'], ['7', '8']]
    """
    lines, reader = _Lines(file, origin, rows, is_first), TextReader(origin, ends=ends)
    has_results = False
    for data in lines:
        first_line = reader.next_line
        check_encoding(data, origin, first_line)
        try:
            block = reader.block(data)
        except FormatError as error:
            next_line = first_line + data.count(b"\n")
            raise _as_at_once(error, reader, lines, next_line) from None
        lines.next_line = reader.next_line
        if block is not None:
            has_results = True
            yield block
    if not has_results:
        raise _explained(FormatError("no results in the file", origin), lines.head)


class _Lines:
    """The lines of a file in blocks that end where a topic does."""

    def __init__(self, file: IO[bytes], origin: str, rows: int | None, is_first: bool) -> None:
        self._file = file
        self._origin = origin
        self._rows = rows
        self._is_first = is_first
        self._ahead = b""  # what was read to see how long rows are
        self._rest = b""  # behind the last block
        self.head = b""  # of the file
        self.next_line = 1

    def __iter__(self) -> Iterator[bytes]:
        self._ahead = self._read(_AT_ONCE if self._rows is None else _LONG_ROW * self._rows)
        if self._is_first and self._ahead.startswith(BYTE_ORDER_MARK):
            self._ahead = self._ahead.removeprefix(BYTE_ORDER_MARK)
            self.head = self.head.removeprefix(BYTE_ORDER_MARK)
        size = self._size_of_block()
        while block := self._next(size):
            yield block

    def _size_of_block(self) -> int:
        """How many bytes a block has, as far as the first rows tell."""
        if self._rows is None:
            return _AT_ONCE
        sample = self._ahead[: 1 << 16]
        return self._rows * (len(sample) // max(sample.count(b"\n"), 1) + 1)

    def _next(self, size: int) -> bytes:
        """The next block; it is longer if a topic is, and empty at the end of the file."""
        waiting, length = [self._rest], len(self._rest)
        while True:
            wanted = max(size - length, 1)
            more = self._read(wanted)
            if len(more) < wanted:
                self._rest = b""
                return b"".join((*waiting, more)) if length else more
            cut = self._cut(more)
            if cut:
                self._rest = more[cut:]
                return b"".join((*waiting, memoryview(more)[:cut]))
            waiting.append(more)
            length += len(more)
            self._refuse_endless(waiting)
            size = 2 * length

    def _cut(self, data: bytes) -> int:
        """Where the last topic begins in data that may begin and end within lines; 0: nowhere."""
        begin, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        if self._rows is None or begin >= end:
            return 0
        cut = last_topic_begins(data, begin, end)
        return 0 if cut == begin else cut

    def _read(self, count: int) -> bytes:
        """So many bytes, or fewer at the end of the file."""
        found = [self._ahead[:count]]
        self._ahead = self._ahead[count:]
        left = count - len(found[0])
        while left and (more := self._file.read(left)):
            found.append(more)
            left -= len(more)
            if len(self.head) < _HEAD:
                self.head += more[: _HEAD - len(self.head)]
        return found[-1] if not any(found[:-1]) else b"".join(found)

    def _refuse_endless(self, waiting: list[bytes]) -> None:
        """Refuse an endless line before it fills the memory."""
        behind = 0
        for data in reversed(waiting):
            behind += len(data) - data.rfind(b"\n") - 1
            if b"\n" in data:
                break
        if behind > LONGEST_LINE:
            line = self.next_line + sum(data.count(b"\n") for data in waiting)
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", self._origin, line)

    def rest(self) -> Iterator[bytes]:
        """What has not been handed out yet, in blocks of whole lines; a pipe may have no end."""
        left = _MOST_BEHIND
        while left > 0 and (more := self._read(_AT_ONCE)):
            left -= len(more)
            data = self._rest + more
            end = data.rfind(b"\n") + 1
            self._refuse_endless([data])
            self._rest = data[end:]
            yield data[:end]
        yield self._rest


def _as_at_once(
    error: FormatError, reader: TextReader, lines: _Lines, next_line: int
) -> FormatError:
    """The error that comes first if the whole file is read at once; the file is read to its end.

    next_line: the number of the first line behind the block with the error.
    """
    following = b""
    lines.next_line = next_line
    for data in lines.rest():
        check_encoding(data, error.origin or "", lines.next_line)
        lines.next_line += data.count(b"\n")
        if len(following) < 2 * _HEAD:  # as much as a piece has
            following += data
    try:
        reader.read_on(following)
    except FormatError as first:
        error = first
    return _explained(error, lines.head)


def _explained(error: FormatError, head: bytes) -> FormatError:
    from doxeval.runs.run import explained_by_text

    return explained_by_text(error, head)


def check_encoding(data: bytes, origin: str, first_line: int = 1) -> None:
    """Refuse bytes that are not UTF-8.

    >>> check_encoding(b"a\\n\\xff", "a.run")
    Traceback (most recent call last):
    doxeval.errors.FormatError: a.run:2: byte 0xff is not UTF-8 text
    """
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        reason = f"byte {data[error.start]:#04x} is not UTF-8 text"
        raise FormatError(reason, origin, line) from None


def write_text_run(run: Run) -> Iterator[bytes]:
    """The run as text; `text_losses` says beforehand what the format cannot hold.

    >>> list(write_text_run(Run.from_arrays([7], ["a"], start=[5], end=[9], run_id="mine")))
    [b'7 Q0 a 1 1.0 mine 5 4\\n']
    """
    ranks: dict[str, int] = {}
    for result in run.results():
        ranks[result.topic] = rank = ranks.get(result.topic, 0) + 1
        fields: list[object] = [
            result.topic,
            "Q0",
            result.document,
            rank if result.rank is None else result.rank,
            1.0 / rank if result.score is None else result.score,
            run.run_id,
        ]
        if result.paths:
            fields += result.paths
        elif result.kind == Kind.POINT:
            fields.append(result.start)
        elif result.kind == Kind.PASSAGE and result.start is not None and result.end is not None:
            fields += [result.start, result.end - result.start]
        yield " ".join(map(str, fields)).encode() + b"\n"


def text_losses(run: Run) -> list[str]:
    """Why a run cannot be written as text, or what would be lost.

    >>> text_losses(Run.from_dict({"1": ["a b"]}))
    ["documents whose ids hold white space, like 'a b'"]
    """
    problems = []
    kinds = {Kind(kind).name.lower() for kind in np.unique(run.kind).tolist()}
    has_paths = run.path >= 0
    by_points = set(has_paths[run.kind == Kind.PASSAGE].tolist())
    if len(kinds) > 1 or len(by_points) > 1:
        problems.append(f"results of several kinds ({', '.join(sorted(kinds))})")
    if "tree" in kinds:
        problems.append("trees")
    if "spans" in kinds:
        problems.append("results with several ranges")
    if run.tokens is not None:
        problems.append("numbers of tokens")
    if has_paths[run.kind == Kind.POINT].any():
        problems.append("entry points that are text points")
    for what, names in (
        ("topics whose ids hold", run.topics),
        ("documents whose ids hold", run.documents),
        ("paths that hold", [path for paths in run.paths for path in paths]),
        ("a run id that holds", [run.run_id]),
    ):
        spaced = next((name for name in names if len(name.split()) != 1), None)
        if spaced is not None:
            problems.append(
                f"{what} white space, like {quoted(spaced)}" if spaced else f"{what} nothing"
            )
    return problems
