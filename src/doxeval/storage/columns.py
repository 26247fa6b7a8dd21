"""Arrays on disk, as `.npy` files of one dimension.

The type and the length of an array follow from the counts in the manifest, and so does its header,
byte for byte: a file with any other header is refused before a single value is read, so no file can
ask for an array of Python objects.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.output import flush_to_disk

HEADER_BYTES = 128


class Column(NamedTuple):
    """The values of an array, and how many there are."""

    dtype: np.dtype[Any]
    length: int

    @property
    def header(self) -> bytes:
        """The beginning of the file, in version 1.0 of NumPy's format.

        >>> Column(np.dtype("<i4"), 3).header[10:68]
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}   "
        """
        facts = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        text = repr(facts).encode().ljust(HEADER_BYTES - 11) + b"\n"
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return HEADER_BYTES + self.length * self.dtype.itemsize


class ColumnFile:
    """A one-dimensional `.npy` file that grows.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "squares.npy"
    >>> column = ColumnFile(path, "<i4")
    >>> column.append([0, 1])
    >>> column.append([4])
    >>> column.finish()
    >>> np.load(path).tolist()
    [0, 1, 4]
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._count = 0
        self._file = path.open("wb")
        self._file.write(self._header())

    def append(self, values: npt.ArrayLike) -> None:
        """Add values at the end."""
        array = np.ascontiguousarray(values, dtype=self._dtype)
        self._count += array.size
        self._file.write(array.data)

    def finish(self) -> None:
        """Write the final header, and make sure that everything is on disk; once is enough."""
        if self._file.closed:
            return
        self._file.seek(0)
        self._file.write(self._header())
        flush_to_disk(self._file)
        self._file.close()

    def close(self) -> None:
        """Close the file, finished or not."""
        with suppress(OSError):  # a full disk was reported when it was first noticed
            self._file.close()

    def _header(self) -> bytes:
        return Column(self._dtype, self._count).header
