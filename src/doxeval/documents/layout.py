"""The files of a collection: their names, and the arrays in them (see sealed/columns.py)."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

import numpy as np

from doxeval.documents.id_index import number_type
from doxeval.documents.nodes import COLUMNS
from doxeval.storage import Column

TEXT_FILE = "text.bin"
IDS_FILE = "documents.ids.txt"
ORIGINS_FILE = "documents.origins.txt"
TAGS_FILE = "summary.tags.json"
# Beside the arrays.
OTHER_FILES = frozenset({TEXT_FILE, IDS_FILE, ORIGINS_FILE, TAGS_FILE})
HASH_BYTES = 32
_TEXT_PART = re.compile(r"text\.(?!0000)([0-9]{4}|[1-9][0-9]{4,8})\.bin")


def text_part(number: int) -> str:
    """The name of a part of the text.

    >>> text_part(0), text_part(1)
    ('text.bin', 'text.0001.bin')
    """
    return f"text.{number:04}.bin" if number else TEXT_FILE


def text_parts(names: Iterable[str]) -> list[str]:
    """The parts of the text among the names of files, in order.

    >>> text_parts(["text.0001.bin", "documents.ids.txt", "text.bin"])
    ['text.bin', 'text.0001.bin']
    """
    return sorted(filter(is_text, names), key=lambda name: (len(name), name))


def is_text(name: str) -> bool:
    """Whether a file is a part of the text, judging by its name."""
    return name == TEXT_FILE or _TEXT_PART.fullmatch(name) is not None


class _TextNames(Container[str]):
    """The names of all parts there may be."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and is_text(name)


TEXT_NAMES = _TextNames()


def columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """The arrays of a collection with these counts, by the names of their files.

    >>> counts = {"documents": 2, "elements": 5, "paths": 3}
    >>> columns_of(counts)["documents.rows.npy"].length
    3
    """
    documents, elements, paths = (counts[name] for name in ("documents", "elements", "paths"))
    lengths: dict[str, tuple[Any, int]] = {
        **{f"nodes.{name}": ("<i4", elements) for name in COLUMNS},
        "documents.rows": ("<i8", documents + 1),
        "documents.id_ends": ("<i8", documents),
        "documents.text_ends": ("<i8", documents),
        "documents.sha256": ("|u1", HASH_BYTES * documents),
        "documents.index_keys": ("<u8", documents),
        "documents.index_checks": ("<u8", documents),
        "documents.index_numbers": (number_type(documents), documents),
        "summary.parent": ("<i4", paths),
        "summary.tag": ("<i4", paths),
    }
    return {f"{name}.npy": Column(np.dtype(kind), n) for name, (kind, n) in lengths.items()}


def optional_columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """The arrays that a collection may lack, since earlier versions did not write them.

    >>> sorted(optional_columns_of({"documents": 2, "elements": 5, "paths": 3}))
    ['summary.elements.npy']
    """
    return {"summary.elements.npy": Column(np.dtype("<i8"), counts["paths"])}
