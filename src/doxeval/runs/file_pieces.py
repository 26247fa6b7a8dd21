"""A large file of a run in pieces of whole topics, each of which can be read by itself."""

from __future__ import annotations

import io
import os
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.files import is_compressed, limit_expansion, parsed_json
from doxeval.runs.read_write import format_of
from doxeval.runs.records import jsonl_run_blocks
from doxeval.runs.run import Block
from doxeval.runs.text import next_topic_begins, text_blocks

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

PIECE = 32 << 20
_WINDOW = 1 << 18


class FilePiece(NamedTuple):
    """The bytes [begin, end) of a file."""

    begin: int
    end: int


def pieces_of_file(path: str | os.PathLike[str], size: int | None = None) -> list[FilePiece]:
    """Where an uncompressed file of text or JSONL can be cut; no pieces if it cannot, or is small.

    Only some lines around each cut are looked at. A topic may still be found in several pieces, if
    its results do not stand together.
    """
    size, name = size or PIECE, os.fspath(path)
    find = {"text": _next_in_text, "jsonl": _next_in_jsonl}.get(format_of(name) or "text")
    if find is None or is_compressed(name):
        return []
    try:
        total = os.stat(name).st_size if os.path.isfile(name) else 0
        if total < 2 * size:
            return []
        with Path(name).open("rb") as file:
            wanted = np.linspace(0, total, total // size + 1).astype(np.int64)[1:-1].tolist()
            cuts = [cut for at in wanted if (cut := _cut(file, at, find, size // 2)) is not None]
    except OSError:  # whoever reads the run tells what is wrong with it
        return []
    edges = [0, *dict.fromkeys(cuts), total]
    return [FilePiece(*edge) for edge in pairwise(edges)]


def _cut(file: IO[bytes], at: int, find: Any, most: int) -> int | None:
    """Where the next topic begins behind a position, unless that is too far away."""
    window = min(_WINDOW, most)
    while window <= most:
        file.seek(at)
        data = file.read(window)
        begin, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
        found = find(data, begin, end) if begin else None
        if found is not None:
            return int(at + found)
        window *= 4
    return None


def _next_in_text(data: bytes, begin: int, end: int) -> int | None:
    return next_topic_begins(data, begin, end)


def _next_in_jsonl(data: bytes, begin: int, end: int) -> int | None:
    """As for text, by the field topic; None also if some line is no object with a topic."""
    first: str | None = None
    while begin < end:
        after = data.find(b"\n", begin) + 1
        line = data[begin:after]
        if not line.isspace():
            topic = _topic_of(line)
            if topic is None:
                return None
            if first is not None and topic != first:
                return begin
            first = topic
        begin = after
    return None


def _topic_of(line: bytes) -> str | None:
    try:
        topic = parsed_json(line)["topic"]
    except (ValueError, KeyError, TypeError):
        return None
    return str(topic).strip()


class _Bytes(io.RawIOBase):
    """A part of a file, and how many lines have been read of it."""

    def __init__(self, path: str, piece: FilePiece) -> None:
        self._file = Path(path).open("rb", buffering=0)  # noqa: SIM115  # closed in `close`
        self._file.seek(piece.begin)
        self._left = piece.end - piece.begin
        self.lines = 0

    def readable(self) -> bool:
        """It is."""
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


class PieceReader:
    """Reads one piece of a file in blocks; lines are counted from where the piece begins."""

    def __init__(self, path: str, piece: FilePiece) -> None:
        self._path = path
        self._piece = piece
        self._bytes: _Bytes | None = None

    @property
    def lines(self) -> int:
        """How many lines have been read."""
        return 0 if self._bytes is None else self._bytes.lines

    def blocks(
        self, rows: int, *, ends: bool = False, chunks: ChunkTable | None = None
    ) -> Generator[Block]:
        """The results of the piece."""
        with limit_expansion(self._opened, self._path) as file:
            where: dict[str, Any] = {"rows": rows, "is_first": self._piece.begin == 0}
            if format_of(self._path) == "jsonl":
                yield from jsonl_run_blocks(file, self._path, chunks, **where)
            else:
                yield from text_blocks(file, self._path, ends=ends, **where)

    def _opened(self) -> IO[bytes]:
        self._bytes = _Bytes(self._path, self._piece)
        return self._bytes  # type: ignore[return-value]  # as far as it is read
