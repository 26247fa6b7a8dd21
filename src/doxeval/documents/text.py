"""The stored text of documents: one file, read one document at a time."""

from __future__ import annotations

import hashlib
from pathlib import Path

from doxeval.arrays import Bytes, Ints
from doxeval.documents.options import TextStorage
from doxeval.errors import CollectionError, MissingText
from doxeval.files import zstd

_LEVEL = 3
_MOST_BYTES = 4  # of a character in UTF-8


def as_stored(texts: list[bytes], storage: TextStorage) -> list[bytes]:
    """The texts of documents in the form in which they are stored.

    >>> as_stored([b"one", b"two"], "none")
    [b'', b'']
    """
    if storage == "none":
        return [b""] * len(texts)
    if storage == "plain":
        return texts
    compressor = zstd().ZstdCompressor(level=_LEVEL)
    return [compressor.compress(text, compressor.FLUSH_FRAME) for text in texts]


class TextStore:
    """Reads texts; each is checked against its hash, so an altered text is never returned."""

    def __init__(
        self, path: Path, data: Bytes, ends: Ints, hashes: Bytes, storage: TextStorage
    ) -> None:
        self._path = path
        self._data = data
        self._ends = ends
        self._hashes = hashes
        self.storage = storage

    def read(self, document: int, characters: int) -> str:
        """The text of a document, given by its number; it has so many characters."""
        if self.storage == "none":
            raise MissingText(
                f"the collection {self._path.parent} was built without its text (text='none')"
            )
        begin = int(self._ends[document - 1]) if document else 0
        data = self._data[begin : int(self._ends[document])].tobytes()
        if self.storage == "compressed":
            data = self._decompressed(data, _MOST_BYTES * characters)
        if hashlib.sha256(data).digest() != self._hashes[document].tobytes():
            raise self._damaged("a text is not the one that was stored")
        text = data.decode()
        if len(text) != characters:
            raise self._damaged("a text does not have the length of its document")
        return text

    def _decompressed(self, data: bytes, most: int) -> bytes:
        decompressor = zstd().ZstdDecompressor()
        try:
            text = bytes(decompressor.decompress(data, most + 1))
        except (zstd().ZstdError, MemoryError) as error:
            raise self._damaged(f"a text is damaged: {error}") from error
        if not decompressor.eof or decompressor.unused_data or len(text) > most:
            raise self._damaged("a text is damaged: it is not one whole frame")
        return text

    def _damaged(self, what: str) -> CollectionError:
        return CollectionError(f"{what}; build the collection again", str(self._path))
