"""The stored text of documents, read one document at a time, here or at a URL.

The texts stand one after another in one file or in several, the parts. Positions count the bytes of
all parts. At a URL the text stays there, and is read by ranges. Either way, each text is compared
with its hash.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from doxeval.arrays import Bytes, Ints
from doxeval.documents.build.options import TextStorage
from doxeval.errors import CollectionError, MissingText
from doxeval.files import zstd
from doxeval.messages import Parameter

if TYPE_CHECKING:  # few collections are at a URL
    from doxeval.storage import RemoteDirectory

_LEVEL = 3
_MOST_BYTES = 4  # of a character in UTF-8


def encode_texts(texts: list[bytes], storage: TextStorage) -> list[bytes]:
    """Return the texts of documents in the form in which they are stored.

    >>> encode_texts([b"one", b"two"], "none")
    [b'', b'']
    """
    if storage == "none":
        return [b""] * len(texts)
    if storage == "plain":
        return texts
    compressor = zstd().ZstdCompressor(level=_LEVEL)
    return [compressor.compress(text, compressor.FLUSH_FRAME) for text in texts]


class TextBytes:
    """The bytes of all parts, wherever they are, given the names of parts in messages and sizes."""

    def __init__(self, names: Sequence[str], sizes: Iterable[int]) -> None:
        self._names = names
        self._ends = list(accumulate(sizes))

    def read(self, begin: int, end: int) -> bytes:
        """Return the bytes from one position to another."""
        pieces = []
        while begin < end:
            part = bisect_right(self._ends, begin)
            if part == len(self._ends):
                break
            first = self._ends[part - 1] if part else 0
            upto = min(end, self._ends[part])
            pieces.append(self._read_part(part, begin - first, upto - first))
            begin = upto
        return b"".join(pieces)

    def where(self, position: int) -> str:
        """Return the file that has the byte at a position, for messages."""
        return self._names[min(bisect_right(self._ends, position), len(self._ends) - 1)]

    def _read_part(self, part: int, begin: int, end: int) -> bytes:
        """Return bytes of a part, counted from its beginning."""
        raise NotImplementedError


class MappedText(TextBytes):
    """Parts that are mapped into memory, given with their names in messages.

    >>> import numpy as np
    >>> parts = [np.frombuffer(data, np.uint8) for data in (b"low ", b"", b"tide")]
    >>> text = MappedText(parts, ["text.bin", "text.0001.bin", "text.0002.bin"])
    >>> text.read(0, 8), text.read(5, 7), text.where(5)
    (b'low tide', b'id', 'text.0002.bin')
    """

    def __init__(self, parts: Sequence[Bytes], names: Sequence[str]) -> None:
        super().__init__(names, map(len, parts))
        self._parts = parts

    def _read_part(self, part: int, begin: int, end: int) -> bytes:
        return self._parts[part][begin:end].tobytes()


class TextStore:
    """Reads texts; each is checked against its hash, so an altered text is never returned.

    `collection` is what messages call the collection.
    """

    def __init__(
        self, collection: str, text: TextBytes, ends: Ints, hashes: Bytes, storage: TextStorage
    ) -> None:
        self._collection = collection
        self._text = text
        self._ends = ends
        self._hashes = hashes
        self._storage = storage

    def read(self, document: int, characters: int) -> str:
        """Return the text of a document, given its number and how many characters it has."""
        if self._storage == "none":
            raise MissingText(
                f"the collection {self._collection} was built without its text ("
                + Parameter("text", "none")
                + ")"
            )
        begin = int(self._ends[document - 1]) if document else 0
        data = self._text.read(begin, int(self._ends[document]))
        if self._storage == "compressed":
            most = _MOST_BYTES * characters
            decompressor = zstd().ZstdDecompressor()
            try:
                data = bytes(decompressor.decompress(data, most + 1))
            except (zstd().ZstdError, MemoryError) as error:
                raise self._damage(begin, f"a text is damaged: {error}") from error
            if not decompressor.eof or decompressor.unused_data or len(data) > most:
                raise self._damage(begin, "a text is damaged: it is not one whole frame")
        import hashlib

        if hashlib.sha256(data).digest() != self._hashes[document].tobytes():
            raise self._damage(begin, "a text is not the one that was stored")
        text = data.decode()
        if len(text) != characters:
            raise self._damage(begin, "a text does not have the length of its document")
        return text

    def _damage(self, begin: int, what: str) -> CollectionError:
        message = f"{what}; build the collection again"
        return CollectionError(message, self._text.where(begin))


_FIRST_WINDOW = 64 << 10
_LARGEST_WINDOW = 8 << 20


class _Window(NamedTuple):
    """Bytes that were read last, perhaps ahead of what was requested."""

    begin: int
    data: bytes
    requested_end: int
    ahead: int  # how many bytes were read ahead

    @property
    def end(self) -> int:
        return self.begin + len(self.data)


class RemoteText(TextBytes):
    """The parts of a text at a URL, given with their sizes.

    A text is read by itself, and not a byte more. But if texts are read one after another, as they
    are for an index, more and more is read ahead: up to 8 MiB, so that there are few requests.

    >>> import fsspec
    >>> from doxeval.documents import COLLECTION
    >>> from doxeval.storage import RemoteDirectory
    >>> fsspec.filesystem("memory").pipe("/tides/text.bin", b"Low tide. High tide.")
    >>> text = RemoteText(RemoteDirectory("memory://tides", COLLECTION), {"text.bin": 20})
    >>> text.read(4, 9), text.where(4)
    (b'tide.', 'memory://tides/text.bin')
    """

    def __init__(self, remote: RemoteDirectory, parts: Mapping[str, int]) -> None:
        super().__init__([remote.address(name) for name in parts], parts.values())
        self._remote = remote
        self._parts = list(parts)
        # One value, replaced as a whole, so that threads do not disturb each other.
        self._last = _Window(0, b"", -1, 0)

    def read(self, begin: int, end: int) -> bytes:
        """Return the bytes from one position to another."""
        begin, end = max(begin, 0), min(end, self._ends[-1])
        if begin >= end:
            return b""
        last = self._last
        if begin < last.begin or end > last.end:
            last = self._fetch(last, begin, end)
        self._last = last._replace(requested_end=end)
        return last.data[begin - last.begin : end - last.begin]

    def _fetch(self, last: _Window, begin: int, end: int) -> _Window:
        """Fetch the bytes of a range, and some after it if the last one ended where this begins.

        What is already in memory is not read again.
        """
        is_next = begin == last.requested_end
        window = min(2 * last.ahead or _FIRST_WINDOW, _LARGEST_WINDOW) if is_next else 0
        here = last.data[begin - last.begin :] if is_next else b""
        first = begin + len(here)
        return _Window(begin, here + super().read(first, max(end, first + window)), end, window)

    def _read_part(self, part: int, begin: int, end: int) -> bytes:
        return self._remote.read(self._parts[part], begin, end)
