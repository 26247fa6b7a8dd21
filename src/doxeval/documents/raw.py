"""Documents before they are parsed, and loading their bytes."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from doxeval.documents.limits import Limits, check_bytes
from doxeval.documents.options import Format
from doxeval.documents.records import Record
from doxeval.errors import DocumentError, SourceError
from doxeval.files import COMPRESSIONS, is_compressed, open_input, read_up_to

_SMALL_FILE = 64 << 10
_TYPICAL_COMPRESSION = 10
_COMPRESSED = (*COMPRESSIONS, ".zip", ".tgz", ".tbz2", ".txz", ".tzst")


class RawDocument(NamedTuple):
    """A document before it is parsed.

    origin: its name in error messages: a file, a member of an archive, or a line.
    name: its path inside the source, without the suffixes that an id does not need.
    content: its bytes; None if they must be read from the file `origin`; a record if reading the
        source has parsed it already; an error if it cannot be read at all.
    weight: how many bytes of the source it accounts for.
    """

    origin: str
    name: str
    format: Format
    content: bytes | Record | DocumentError | None
    weight: int

    @property
    def bytes_in_memory(self) -> int:
        """About how many bytes of memory it takes once it is loaded."""
        if isinstance(self.content, bytes):
            return len(self.content)
        if isinstance(self.content, Record):
            return len(self.content.text)
        return expected_bytes(self.origin, self.weight)


def expected_bytes(path: str, size: int) -> int:
    """About how many bytes a file has when it is decompressed, judging by its name and size.

    >>> expected_bytes("a.xml", 100), expected_bytes("a.xml.gz", 100), expected_bytes("a.zip", 100)
    (100, 1000, 1000)
    """
    return size * (_TYPICAL_COMPRESSION if path.lower().endswith(_COMPRESSED) else 1)


def load(path: str, limits: Limits) -> bytes:
    """The bytes of a file, decompressed."""
    if is_compressed(path):
        try:
            with open_input(path) as file:
                data = read_up_to(file, limits.bytes)
        except SourceError as error:
            raise DocumentError(error.message, path) from error
        check_bytes(len(data), limits, path)
        return data
    try:
        # This takes two thirds of the time of a file object, and there may be millions of files.
        descriptor = os.open(path, os.O_RDONLY)
        try:
            data = os.read(descriptor, _SMALL_FILE)
            # A pipe may give less than there is to come.
            if len(data) == _SMALL_FILE or not stat.S_ISREG(os.fstat(descriptor).st_mode):
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    data += read_up_to(file, max(limits.bytes - len(data), 0))
            check_bytes(len(data), limits, path)
            return data
        finally:
            os.close(descriptor)
    except OSError as error:
        raise DocumentError(error.strerror or str(error), path) from error
