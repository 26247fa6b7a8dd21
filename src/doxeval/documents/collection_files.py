"""The open files of a collection, with what a collection's own files must agree on.

A collection at a URL has its columns in the cache (see sealed/cache.py), and its text at the URL.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.documents.layout import IDS_FILE, TAGS_FILE, text_parts
from doxeval.documents.manifest import COLLECTION, read_manifest
from doxeval.documents.text import MappedText, TextBytes
from doxeval.errors import CollectionError
from doxeval.storage import URL_FILE, SealedFiles, local_path

if TYPE_CHECKING:  # few collections are at a URL
    from doxeval.storage import Cached


class CollectionFiles(SealedFiles):
    """The open files of a collection, and its manifest."""

    def __init__(self, directory: Path, cached: Cached | None = None) -> None:
        self.remote = None if cached is None else cached.remote
        kind = COLLECTION if cached is None else cached.kind
        super().__init__(kind, directory, only_hashed=cached is not None)
        self._check_ends()

    def tags(self) -> list[str]:
        """The tags of all elements."""
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
        """The texts of all documents, one after another."""
        files = self.manifest["files"]
        parts = text_parts(files)
        if self.remote is not None:
            from doxeval.documents.remote_text import RemoteText

            return RemoteText(self.remote, {name: files[name]["bytes"] for name in parts})
        paths = [str(self.directory / name) for name in parts]
        return MappedText([self.raw(name) for name in parts], paths)

    def _check_ends(self) -> None:
        """Check that the last entry of each column of borders is the end of what they divide."""
        files = self.manifest["files"]
        expected = {
            "documents.rows": self.manifest["counts"]["elements"],
            "documents.id_ends": files[IDS_FILE]["bytes"],
            "documents.text_ends": sum(files[name]["bytes"] for name in text_parts(files)),
        }
        for name, end in expected.items():
            if self.column(name)[-1] != end:
                raise self.damaged(f"{name}.npy", f"expected {end:,} at the end")


def opened_files(location: str | os.PathLike[str], seal: str | None = None) -> CollectionFiles:
    """The files of a collection in a directory or at a URL.

    If the seal is known, and the cache has a collection of that seal, its URL is not asked again.

    >>> from doxeval.documents.examples import example_collection
    >>> opened_files(example_collection({"a": "<p>One.</p>"}).location).tags()
    ['p']
    """
    directory = local_path(location, CollectionError)
    if directory is not None:
        return _in_directory(directory)
    from doxeval.storage import cached

    here = cached(COLLECTION, os.fsdecode(location), seal)
    try:
        return CollectionFiles(here.directory, here)
    except CollectionError:
        here.repair()  # a file in the cache was damaged; what was is downloaded again
        return CollectionFiles(here.directory, here)


def _in_directory(directory: Path) -> CollectionFiles:
    try:
        return CollectionFiles(directory)
    except CollectionError:
        if not (directory / URL_FILE).exists():
            raise
    from doxeval.storage import url_of

    message = (
        f"this is the cache of a collection whose texts are elsewhere: open {url_of(directory)}"
    )
    raise CollectionError(message, str(directory))


def current_manifest(location: str | os.PathLike[str]) -> dict[str, Any]:
    """The manifest that is in a directory or at a URL now.

    >>> from doxeval.documents.examples import example_collection
    >>> current_manifest(example_collection({"a": "<p>One.</p>"}).location)["format"]
    'doxeval collection'
    """
    directory = local_path(location, CollectionError)
    if directory is not None:
        return read_manifest(directory)
    from doxeval.storage import RemoteDirectory

    return RemoteDirectory(os.fsdecode(location), COLLECTION).manifest()
