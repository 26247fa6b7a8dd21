"""The stored text of documents: one file, read one document at a time."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from doxeval.arrays import Bytes, Ints
from doxeval.documents.options import TextStorage
from doxeval.errors import CollectionError, MissingText
from doxeval.files import zstd

_LEVEL = 3


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

    def __init__(self, path: Path, ends: Ints, hashes: Bytes, storage: TextStorage) -> None:
        self._path = path
        self._ends = ends
        self._hashes = hashes
        self.storage = storage
        self._data: Bytes | None = None

    def read(self, document: int) -> str:
        """The text of a document, given by its number."""
        if self.storage == "none":
            raise MissingText(
                f"the collection {self._path.parent} was built without its text (text='none')"
            )
        if self._data is None:
            empty = self._path.stat().st_size == 0
            self._data = np.empty(0, np.uint8) if empty else np.memmap(self._path, np.uint8, "r")
        begin = int(self._ends[document - 1]) if document else 0
        data = self._data[begin : int(self._ends[document])].tobytes()
        if self.storage == "compressed":
            data = self._decompress(data)
        if hashlib.sha256(data).digest() != self._hashes[document].tobytes():
            raise CollectionError("a text is not the one that was stored", str(self._path))
        return data.decode()

    def _decompress(self, data: bytes) -> bytes:
        try:
            return bytes(zstd().decompress(data))
        except zstd().ZstdError as error:
            raise CollectionError(f"a text is damaged: {error}", str(self._path)) from error
