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
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE
from doxeval.runs.blocks import Block, run_at_once
from doxeval.runs.run import Run
from doxeval.runs.text_reader import TextReader
from doxeval.runs.topic_ends import last_topic_begins

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
    from doxeval.runs.mistaken import explained_by_text

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
