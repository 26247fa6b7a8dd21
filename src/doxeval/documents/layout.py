"""The files of a collection: their names, and the arrays in them (see sealed/columns.py)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from doxeval.documents.nodes import COLUMNS
from doxeval.sealed.columns import Column

TEXT_FILE = "text.bin"
IDS_FILE = "documents.ids.txt"
ORIGINS_FILE = "documents.origins.txt"
TAGS_FILE = "summary.tags.json"
# Beside the arrays.
OTHER_FILES = frozenset({TEXT_FILE, IDS_FILE, ORIGINS_FILE, TAGS_FILE})
HASH_BYTES = 32


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
