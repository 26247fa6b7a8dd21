"""The manifest of a collection: what it must say, apart from the list of files.

The text has no hash as a file: each document's text has its own, and is compared with it whenever
it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from doxeval.documents.layout import (
    ORIGINS_FILE,
    OTHER_FILES,
    TEXT_NAMES,
    columns_of,
    optional_columns_of,
)
from doxeval.documents.limits import VERIFIED_BYTES
from doxeval.documents.options import TextStorage, Whitespace
from doxeval.errors import CollectionError
from doxeval.storage import Kind, has_counts, is_size
from doxeval.storage import read_manifest as read_sealed_manifest

_COUNTS = ("documents", "elements", "paths", "tags", "source_bytes")
# Totals over all elements; collections built by earlier versions lack them.
STATISTICS = ("characters", "longest_document", "element_characters")


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a collection, if it is of this version, unaltered and complete."""
    return read_sealed_manifest(COLLECTION, directory)


def _missing(manifest: Mapping[str, Any]) -> str | None:
    """The part of a manifest that is absent or not of the right type."""
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


COLLECTION = Kind(
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
