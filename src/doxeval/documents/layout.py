"""The files of a collection: their names, the arrays in them, and what the manifest must say.

The text has no hash as a file: each document's text has its own, and is compared with it whenever
it is read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np

from doxeval.documents.build.options import VERIFIED_BYTES, TextStorage, Whitespace
from doxeval.documents.ids import number_type
from doxeval.documents.nodes import COLUMNS
from doxeval.errors import CollectionError
from doxeval.storage import Column, StoreType, has_counts, is_size
from doxeval.storage import read_manifest as read_sealed_manifest

TEXT_FILE = "text.bin"
IDS_FILE = "documents.ids.txt"
ORIGINS_FILE = "documents.origins.txt"
TAGS_FILE = "summary.tags.json"
# Beside the arrays.
OTHER_FILES = frozenset({TEXT_FILE, IDS_FILE, ORIGINS_FILE, TAGS_FILE})
HASH_BYTES = 32
_TEXT_PART = re.compile(r"text\.(?!0000)([0-9]{4}|[1-9][0-9]{4,8})\.bin")


def text_part(number: int) -> str:
    """Return the name of a part of the text.

    >>> text_part(0), text_part(1)
    ('text.bin', 'text.0001.bin')
    """
    return f"text.{number:04}.bin" if number else TEXT_FILE


def text_parts(names: Iterable[str]) -> list[str]:
    """Return the parts of the text among the names of files, in order.

    >>> text_parts(["text.0001.bin", "documents.ids.txt", "text.bin"])
    ['text.bin', 'text.0001.bin']
    """
    return sorted(filter(is_text_file, names), key=lambda name: (len(name), name))


def is_text_file(name: str) -> bool:
    """Return whether a file is a part of the text, judging by its name."""
    return name == TEXT_FILE or _TEXT_PART.fullmatch(name) is not None


class _TextNames(Container[str]):
    """The names of all parts there may be."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and is_text_file(name)


TEXT_NAMES = _TextNames()


def columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """Return the arrays of a collection with these counts, by the names of their files.

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
    """Return the arrays that a collection may lack, since earlier versions did not write them.

    >>> sorted(optional_columns_of({"documents": 2, "elements": 5, "paths": 3}))
    ['summary.elements.npy']
    """
    return {"summary.elements.npy": Column(np.dtype("<i8"), counts["paths"])}


_COUNTS = ("documents", "elements", "paths", "tags", "source_bytes")
# Totals over all elements; collections built by earlier versions lack them.
STATISTICS = ("characters", "longest_document", "element_characters")


def read_manifest(directory: Path) -> dict[str, Any]:
    """Return the manifest of a collection, if it is of this version, unaltered and complete."""
    return read_sealed_manifest(COLLECTION, directory)


def _missing(manifest: Mapping[str, Any]) -> str | None:
    """Return the part of a manifest that is absent or not of the right type."""
    if not has_counts(manifest, *_COUNTS):
        return "counts"
    if not manifest["counts"]["documents"] or not manifest["counts"]["elements"]:
        return "counts"
    if "statistics" in manifest and not _are_sizes(manifest["statistics"], STATISTICS):
        return "statistics"
    options = manifest.get("options")
    return None if isinstance(options, dict) and _are_options(options) else "options"


def _are_sizes(values: object, names: Iterable[str]) -> bool:
    return isinstance(values, dict) and all(is_size(values.get(name)) for name in names)


def _are_options(options: Mapping[str, Any]) -> bool:
    inline = options.get("inline")
    return (
        options.get("whitespace") in get_args(Whitespace)
        and options.get("text") in get_args(TextStorage)
        and isinstance(inline, list)
        and all(isinstance(tag, str) for tag in inline)
    )


COLLECTION = StoreType(
    format="doxeval collection",
    version=1,
    noun="collection",
    again="build the collection again",
    makes_one="build_collection, or `doxeval collection build`, makes one",
    error=CollectionError,
    unhashed=TEXT_NAMES,
    verified_bytes=VERIFIED_BYTES,
    missing=_missing,
    columns=columns_of,
    optional_columns=optional_columns_of,
    other_files=OTHER_FILES,
    unread=frozenset({ORIGINS_FILE}),
)
