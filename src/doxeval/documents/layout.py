"""The files of a collection: their names, and the arrays in them.

Every array is a `.npy` file of one dimension. Its type and its length follow from the counts in
the manifest, and so does its header, byte for byte: a file with any other header is refused
before a single value is read, so no file can ask for an array of Python objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from doxeval.documents.nodes import COLUMNS

TEXT_FILE = "text.bin"
IDS_FILE = "documents.ids.txt"
ORIGINS_FILE = "documents.origins.txt"
TAGS_FILE = "summary.tags.json"
HEADER_BYTES = 128
HASH_BYTES = 32


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


def columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """The arrays of a collection with these counts, by the names of their files.

    >>> counts = {"documents": 2, "elements": 5, "paths": 3}
    >>> columns_of(counts)["documents.rows.npy"].length
    3
    """
    documents, elements, paths = (counts[name] for name in ("documents", "elements", "paths"))
    lengths = {
        **{f"nodes.{name}": ("<i4", elements) for name in COLUMNS},
        "documents.rows": ("<i8", documents + 1),
        "documents.id_ends": ("<i8", documents),
        "documents.text_ends": ("<i8", documents),
        "documents.sha256": ("|u1", HASH_BYTES * documents),
        "documents.index_keys": ("<u8", documents),
        "documents.index_checks": ("<u8", documents),
        "documents.index_numbers": ("<i4", documents),
        "summary.parent": ("<i4", paths),
        "summary.tag": ("<i4", paths),
    }
    return {f"{name}.npy": Column(np.dtype(kind), n) for name, (kind, n) in lengths.items()}


def file_names(counts: Mapping[str, int]) -> set[str]:
    """All files that a collection needs, apart from its manifest."""
    return {*columns_of(counts), TEXT_FILE, IDS_FILE, ORIGINS_FILE, TAGS_FILE}
