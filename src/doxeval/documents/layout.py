"""The files of a collection: their names, the arrays in them, the manifest, and opening them.

The text has no hash as a file: each document's text has its own, and is compared with it whenever
it is read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from doxeval.documents.build.options import VERIFIED_BYTES, TextStorage, Whitespace
from doxeval.documents.ids import number_type
from doxeval.documents.nodes import COLUMNS
from doxeval.documents.text import MappedText, RemoteText, TextBytes
from doxeval.errors import CollectionError
from doxeval.storage import (
    URL_FILE,
    Column,
    StoredFiles,
    StoreType,
    has_counts,
    is_size,
    local_path,
    read_manifest,
)

if TYPE_CHECKING:
    from doxeval.storage import CachedStore

TEXT_FILE = "text.bin"
IDS_FILE = "documents.ids.txt"
ORIGINS_FILE = "documents.origins.txt"
TAGS_FILE = "summary.tags.json"
DISPLAY_TEXTS_FILE = "display.texts.txt"
# The files that are not arrays.
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


# The arrays of display facts, in the order of DisplayColumns.
DISPLAY_TYPES = {"elements": "<i8", "names": "|u1", "values": "<i8", "text_ends": "<i8"}


def optional_columns_of(counts: Mapping[str, int]) -> dict[str, Column]:
    """Return the arrays that a collection may lack.

    Earlier versions did not write them, and display facts are written only where there are some.

    >>> counts = {"documents": 2, "elements": 5, "paths": 3}
    >>> sorted(optional_columns_of(counts))
    ['summary.elements.npy']
    >>> optional_columns_of({**counts, "facts": 7, "fact_texts": 2})["display.values.npy"].length
    7
    """
    columns = {"summary.elements.npy": Column(np.dtype("<i8"), counts["paths"])}
    if "facts" in counts:
        for name, kind in DISPLAY_TYPES.items():
            length = counts["fact_texts" if name == "text_ends" else "facts"]
            columns[f"display.{name}.npy"] = Column(np.dtype(kind), length)
    return columns


_COUNTS = ("documents", "elements", "paths", "tags", "source_bytes")
_DISPLAY_COUNTS = ("facts", "fact_texts")
# Totals over all elements; collections built by earlier versions lack them.
_STATISTICS = ("characters", "longest_document", "element_characters")


def _missing(manifest: Mapping[str, Any]) -> str | None:
    """Return the part of a manifest that is absent or not of the right type."""
    if not has_counts(manifest, *_COUNTS):
        return "counts"
    if not manifest["counts"]["documents"] or not manifest["counts"]["elements"]:
        return "counts"
    if "facts" in manifest["counts"]:
        display = {f"display.{name}.npy" for name in DISPLAY_TYPES} | {DISPLAY_TEXTS_FILE}
        files = manifest.get("files")
        if not has_counts(manifest, *_DISPLAY_COUNTS):
            return "counts"
        if not isinstance(files, dict) or not display <= files.keys():
            return "list of files"
    statistics = manifest.get("statistics", dict.fromkeys(_STATISTICS, 0))
    if not isinstance(statistics, dict):
        return "statistics"
    if not all(is_size(statistics.get(name)) for name in _STATISTICS):
        return "statistics"
    options = manifest.get("options")
    if not isinstance(options, dict):
        return "options"
    inline = options.get("inline")
    are_right = (
        options.get("whitespace") in get_args(Whitespace)
        and options.get("text") in get_args(TextStorage)
        and isinstance(inline, list)
        and all(isinstance(tag, str) for tag in inline)
    )
    return None if are_right else "options"


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


class _AllNames(Container[str]):
    def __contains__(self, name: object) -> bool:
        return True


# A part of a collection while that is built: written, absorbed and removed by the same command, so
# none of it is hashed.
SHARD = replace(COLLECTION, unhashed=_AllNames(), verified_bytes=0)


class CollectionFiles(StoredFiles):
    """The open files of a collection, and its manifest."""

    def __init__(
        self,
        directory: Path,
        open_cached: CachedStore | None = None,
        store_type: StoreType | None = None,
    ) -> None:
        self.remote = None if open_cached is None else open_cached.remote
        kind = COLLECTION if open_cached is None else open_cached.store_type
        super().__init__(store_type or kind, directory, only_hashed=open_cached is not None)
        self._check_ends()

    def tags(self) -> list[str]:
        """Return the tags of all elements."""
        try:
            tags = json.loads(self.raw(TAGS_FILE).tobytes().decode())
        except (ValueError, RecursionError):
            tags = None
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise self.damaged(TAGS_FILE, "expected a list of tags")
        if len(set(tags)) != len(tags) or len(tags) != self.manifest["counts"]["tags"]:
            raise self.damaged(TAGS_FILE, "expected different tags, as many as the manifest says")
        return tags

    def text(self) -> TextBytes:
        """Return the texts of all documents, one after another."""
        files = self.manifest["files"]
        parts = text_parts(files)
        if self.remote is not None:
            return RemoteText(self.remote, {name: files[name]["bytes"] for name in parts})
        paths = [str(self.directory / name) for name in parts]
        return MappedText([self.raw(name) for name in parts], paths)

    def _check_ends(self) -> None:
        """Check that the last entry of each column of ends is the end of what they divide."""
        files = self.manifest["files"]
        expected = {
            "documents.rows": self.manifest["counts"]["elements"],
            "documents.id_ends": files[IDS_FILE]["bytes"],
            "documents.text_ends": sum(files[name]["bytes"] for name in text_parts(files)),
        }
        if self.has_column("display.text_ends"):
            expected["display.text_ends"] = files[DISPLAY_TEXTS_FILE]["bytes"]
        for name, end in expected.items():
            if int(self.column(name)[-1:].sum()) != end:  # a column of display may be empty
                raise self.damaged(f"{name}.npy", f"expected {end:,} at the end")


def open_files(location: str | os.PathLike[str], checksum: str | None = None) -> CollectionFiles:
    """Return the files of a collection in a directory or at a URL.

    If its checksum is known, and the cache has that collection, its URL is not read again.

    >>> from doxeval.documents.examples import example_collection
    >>> open_files(example_collection({"a": "<p>One.</p>"}).location).tags()
    ['p']
    """
    directory = local_path(location, CollectionError)
    if directory is not None:
        return _open_directory(directory)
    from doxeval.storage import open_cached

    here = open_cached(COLLECTION, os.fsdecode(location), checksum)
    try:
        return CollectionFiles(here.directory, here)
    except CollectionError:
        here.repair()  # a file in the cache was damaged; what was is downloaded again
        return CollectionFiles(here.directory, here)


def _open_directory(directory: Path) -> CollectionFiles:
    try:
        return CollectionFiles(directory)
    except CollectionError:
        if not (directory / URL_FILE).exists():
            raise
    from doxeval.storage import cached_url

    message = (
        f"this is the cache of a collection whose texts are elsewhere: open {cached_url(directory)}"
    )
    raise CollectionError(message, str(directory))


def current_manifest(location: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the manifest that is in a directory or at a URL now.

    >>> from doxeval.documents.examples import example_collection
    >>> current_manifest(example_collection({"a": "<p>One.</p>"}).location)["format"]
    'doxeval collection'
    """
    directory = local_path(location, CollectionError)
    if directory is not None:
        return read_manifest(COLLECTION, directory)
    from doxeval.storage import RemoteDirectory

    return RemoteDirectory(os.fsdecode(location), COLLECTION).manifest()
