"""Writing the text of a collection, in parts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Literal

from doxeval.documents.layout import text_part
from doxeval.documents.text import TextBytes
from doxeval.output import flush_to_disk
from doxeval.storage import SealedWriter

_BLOCK = 1 << 22

# How a part comes from another collection: that collection gives it away, or shares it.
Handover = Literal["moved", "shared"]


class TextWriter:
    """Writes texts into one part after another. Only the first part may be empty.

    `size` is how many bytes all parts have so far.
    """

    def __init__(self, sealed: SealedWriter) -> None:
        self._sealed = sealed
        self._number = 0
        self._begin = 0  # of this part
        self._is_ended = False
        self._file = sealed.file(text_part(0))
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        if data and self._is_ended:
            self._next()
            self._file = self._sealed.file(text_part(self._number))
        self._file.write(data)
        self.size += len(data)

    def end_part(self) -> None:
        """Put what follows into another part."""
        self._is_ended = self._part_size > 0

    def take_part(self, path: Path, handover: Handover) -> None:
        """Add a file as a part of its own, without copying it if the file system allows that."""
        size = path.stat().st_size
        if not size:
            return
        if self._part_size:
            self._next()
        place = self._sealed.directory / text_part(self._number)
        self._file.close()
        place.unlink(missing_ok=True)
        _hand_over(path, place, handover)
        self.size += size
        self._is_ended = True

    def has_room(self, size: int, most: int) -> bool:
        """Whether a part with so many bytes more would be within `most`."""
        return (0 if self._is_ended else self._part_size) + size <= most

    def copy(self, text: TextBytes, begin: int, end: int) -> None:
        """Add bytes of another collection's text."""
        for first in range(begin, end, _BLOCK):
            self.write(text.read(first, min(first + _BLOCK, end)))

    @property
    def _part_size(self) -> int:
        return self.size - self._begin

    def _next(self) -> None:
        if not self._file.closed:
            flush_to_disk(self._file)
            self._file.close()  # there may be more parts than a process may have open files
        self._number += 1
        self._begin = self.size
        self._is_ended = False


def _hand_over(path: Path, place: Path, handover: Handover) -> None:
    """Rename or link a file, or copy it where the system refuses that."""
    try:
        if handover == "moved":
            path.rename(place)
        else:
            os.link(path, place)
    except OSError:  # another file system, one without links, or a file of somebody else
        place.unlink(missing_ok=True)
        with path.open("rb") as source, place.open("wb") as copy:
            shutil.copyfileobj(source, copy, _BLOCK)
            flush_to_disk(copy)
