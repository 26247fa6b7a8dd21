"""The text of a collection at a URL: it stays there, and is read by ranges.

Whoever checks the texts against their hashes (TextStore) does so for these, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from doxeval.storage import RemoteDirectory

_FIRST_WINDOW = 64 << 10
_LARGEST_WINDOW = 8 << 20


class _Held(NamedTuple):
    """Bytes that were read last, perhaps ahead of what was asked for."""

    begin: int
    data: bytes
    asked_end: int
    window: int  # how much was read ahead

    @property
    def end(self) -> int:
        return self.begin + len(self.data)


class RemoteText:
    """The parts of a text at a URL, given with their sizes.

    A text is read by itself, and not a byte more. But if texts are read one after another, as they
    are for an index, more and more is read ahead: up to 8 MiB, so that there are few requests.

    >>> import fsspec
    >>> from doxeval.documents.manifest import COLLECTION
    >>> fsspec.filesystem("memory").pipe("/tides/text.bin", b"Low tide. High tide.")
    >>> text = RemoteText(RemoteDirectory("memory://tides", COLLECTION), {"text.bin": 20})
    >>> text.read(4, 9), text.where(4)
    (b'tide.', 'memory://tides/text.bin')
    """

    def __init__(self, remote: RemoteDirectory, parts: Mapping[str, int]) -> None:
        self._remote = remote
        self._names = list(parts)
        ends = list(accumulate(parts.values()))
        self._begins = [0, *ends[:-1]]
        self._size = ends[-1]
        # One value, replaced as a whole, so that threads do not disturb each other.
        self._held = _Held(0, b"", -1, 0)

    def read(self, begin: int, end: int) -> bytes:
        """The bytes from one position to another."""
        begin, end = max(begin, 0), min(end, self._size)
        if begin >= end:
            return b""
        held = self._held
        if begin < held.begin or end > held.end:
            held = self._fetched(held, begin, end)
        self._held = held._replace(asked_end=end)
        return held.data[begin - held.begin : end - held.begin]

    def where(self, position: int) -> str:
        """The URL of the file that has the byte at a position, for messages."""
        return self._remote.address(self._names[self._part(position)])

    def _fetched(self, held: _Held, begin: int, end: int) -> _Held:
        """The bytes of a range, and those after it if the last range ended where this one begins.

        What is already here is not read again.
        """
        is_next = begin == held.asked_end
        window = min(2 * held.window or _FIRST_WINDOW, _LARGEST_WINDOW) if is_next else 0
        here = held.data[begin - held.begin :] if is_next else b""
        first = begin + len(here)
        more = self._range(first, min(max(end, first + window), self._size))
        return _Held(begin, here + more, end, window)

    def _range(self, begin: int, end: int) -> bytes:
        pieces = []
        while begin < end:
            part = self._part(begin)
            first = self._begins[part]
            last = self._begins[part + 1] if part + 1 < len(self._begins) else self._size
            upto = min(end, last)
            pieces.append(self._remote.read(self._names[part], begin - first, upto - first))
            begin = upto
        return b"".join(pieces)

    def _part(self, position: int) -> int:
        return max(bisect_right(self._begins, position) - 1, 0)
