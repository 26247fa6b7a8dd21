"""Large files of runs in pieces of whole topics, each of which can be read by itself."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.errors import SourceError
from doxeval.files import decode_json, is_compressed, limit_expansion
from doxeval.runs.read_write import FORMATS, format_of_file
from doxeval.runs.run import Block, ReadOptions
from doxeval.runs.text import next_topic_begins

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

PIECE = 32 << 20
_WINDOW = 1 << 18  # bytes first looked at for the beginning of a topic


class FilePiece(NamedTuple):
    """The bytes [begin, end) of a file."""

    begin: int
    end: int


def pieces_of_file(path: str | os.PathLike[str], size: int | None = None) -> list[FilePiece]:
    """Return pieces of an uncompressed file of lines; none if it is small, or is not one.

    Only some lines around each edge are looked at. A topic may still be in several pieces, if
    its results are not together.

    >>> pieces_of_file("mine.csv")
    []
    """
    size, name = size or PIECE, os.fspath(path)
    if is_compressed(name):
        return []
    try:
        total = os.stat(name).st_size if os.path.isfile(name) else 0
        find = _FINDERS.get(format_of_file(name)) if total >= 2 * size else None
        if find is None:
            return []
        with Path(name).open("rb") as file:
            targets = np.linspace(0, total, total // size + 1).astype(np.int64)[1:-1].tolist()
            near = max(size // 2, 1)
            inner = [_topic_edge(file, target, find, near) for target in targets]
            edges = [0, *dict.fromkeys(edge for edge in inner if edge is not None), total]
    except (OSError, SourceError):  # whoever reads the run says what is wrong with it
        return []
    return [FilePiece(*edge) for edge in pairwise(edges)]


def _topic_edge(
    file: IO[bytes], at: int, find: Callable[[bytes, int, int], int | None], near: int
) -> int | None:
    """Return where the next topic begins behind a position, unless that is too far away."""
    window = min(_WINDOW, near)
    while window <= near:
        file.seek(at)
        data = file.read(window)
        begin, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        edge = find(data, begin, end) if begin else None
        if edge is not None:
            return at + edge
        window *= 4
    return None


def _next_topic_in_jsonl(data: bytes, begin: int, end: int) -> int | None:
    """Return the same as for text, by the field topic; None also if some line has none."""
    first: str | None = None
    while begin < end:
        after = data.find(b"\n", begin) + 1
        line = data[begin:after]
        if not line.isspace():
            try:
                topic = str(decode_json(line)["topic"]).strip()
            except (ValueError, KeyError, TypeError):
                return None
            if first is not None and topic != first:
                return begin
            first = topic
        begin = after
    return None


_FINDERS: dict[str, Callable[[bytes, int, int], int | None]] = {
    "text": next_topic_begins,
    "msmarco": next_topic_begins,
    "jsonl": _next_topic_in_jsonl,
}


class PieceReader:
    """Reads one piece of a file in blocks; lines are counted from where the piece begins."""

    def __init__(self, path: str, piece: FilePiece) -> None:
        self._path = path
        self._piece = piece
        self._bytes: _PieceBytes | None = None

    @property
    def lines(self) -> int:
        """How many lines have been read."""
        return 0 if self._bytes is None else self._bytes.lines

    def blocks(
        self, rows: int, *, ends: bool = False, chunks: ChunkTable | None = None
    ) -> Generator[Block]:
        """Yield the results of the piece."""
        options = ReadOptions(ends, chunks, rows, is_first=self._piece.begin == 0)
        with limit_expansion(self._open, self._path) as file:
            yield from FORMATS[format_of_file(self._path)].read(file, self._path, options)

    def _open(self) -> IO[bytes]:
        self._bytes = _PieceBytes(self._path, self._piece)
        return self._bytes  # type: ignore[return-value]  # as far as it is read


class _PieceBytes(io.RawIOBase):
    """A part of a file, and how many lines have been read of it."""

    def __init__(self, path: str, piece: FilePiece) -> None:
        self._file = Path(path).open("rb", buffering=0)  # noqa: SIM115  # closed in `close`
        self._file.seek(piece.begin)
        self._left = piece.end - piece.begin
        self.lines = 0

    def readable(self) -> bool:
        """Return that it is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer."""
        count = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= count
        codes = np.frombuffer(buffer, dtype=np.uint8, count=count)
        self.lines += int(np.count_nonzero(codes == 10))
        return count

    def close(self) -> None:
        """Close the file, too."""
        self._file.close()
        super().close()
