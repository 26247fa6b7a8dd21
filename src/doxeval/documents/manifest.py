"""The manifest of a collection on disk, and the seal on its files.

A collection is written once. When it is complete, the size and the SHA-256 of every file go
into the manifest, and every file's time of last change is set to one fixed moment. The manifest
contains a checksum of itself. How files are compared with the manifest: see sealed_files.py.
(The text has no hash as a file: each document's text has its own, and is compared with it
whenever it is read.)
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from doxeval.documents.layout import TEXT_FILE as TEXT_FILE
from doxeval.documents.layout import file_names
from doxeval.documents.options import TextStorage, Whitespace
from doxeval.errors import CollectionError
from doxeval.unfinished import moved_away

NAME = "manifest.json"
FORMAT = "doxeval collection"
VERSION = 1
SEALED_AT = 946_684_800 * 10**9  # 2000-01-01 in nanoseconds
BUILD_AGAIN = "build the collection again"
_COUNTS = ("documents", "elements", "paths", "tags", "source_bytes")


def seal(directory: Path, facts: dict[str, Any]) -> None:
    """Write the manifest over all files of a directory and set the seal on them."""
    files: dict[str, dict[str, Any]] = {}
    for path in sorted(directory.iterdir()):
        files[path.name] = {"bytes": path.stat().st_size}
        if path.name != TEXT_FILE:
            with path.open("rb") as file:
                files[path.name]["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        os.utime(path, ns=(SEALED_AT, SEALED_AT))
    manifest = {"format": FORMAT, "version": VERSION, **facts, "files": files}
    manifest["checksum"] = _checksum(manifest)
    text = json.dumps(manifest, indent=1) + "\n"  # lone surrogates of file names survive
    (directory / NAME).write_text(text, encoding="utf-8")


def is_collection(directory: Path) -> bool:
    """Whether there is a collection, of whatever version and state.

    >>> is_collection(Path("no/such/place"))
    False
    """
    try:
        return bool(_parsed(directory).get("format") == FORMAT)
    except CollectionError:
        return False


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a collection, if it is of this version, unaltered and complete."""
    manifest = _parsed(directory)
    if manifest.get("format") != FORMAT:
        raise CollectionError("this is not the manifest of a collection", str(directory / NAME))
    if manifest.get("version") != VERSION:
        raise CollectionError(
            f"the collection has format version {str(manifest.get('version'))[:20]}, this doxeval "
            f"reads version {VERSION}; build it again",
            str(directory),
        )
    sealed = {name: value for name, value in manifest.items() if name != "checksum"}
    if manifest.get("checksum") != _checksum(sealed):
        raise CollectionError(f"the manifest was altered; {BUILD_AGAIN}", str(directory))
    missing = _missing(manifest)
    if missing is not None:
        message = f"the manifest has no usable {missing}; {BUILD_AGAIN}"
        raise CollectionError(message, str(directory / NAME))
    return manifest


def _parsed(directory: Path) -> dict[str, Any]:
    path = directory / NAME
    damaged = CollectionError(f"the manifest is damaged; {BUILD_AGAIN}", str(path))
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CollectionError(_why_missing(directory), str(directory)) from None
    except OSError as error:
        raise CollectionError(error.strerror or str(error), str(path)) from error
    except (ValueError, RecursionError):
        raise damaged from None
    if not isinstance(manifest, dict):
        raise damaged
    return manifest


def _why_missing(directory: Path) -> str:
    old = moved_away(directory)
    if old is not None and not directory.exists():
        return (
            f"a build was killed while it replaced the collection; the old one is {old.name} in "
            "the same directory, and the next build puts it back"
        )
    expected = "no collection here" if directory.is_dir() else "no such directory"
    return f"{expected}; build_collection, or `doxeval collection build`, makes one"


def _checksum(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _missing(manifest: Mapping[str, Any]) -> str | None:
    """The part of a manifest that is absent or not of the right type."""
    counts, options, files = (manifest.get(name) for name in ("counts", "options", "files"))
    if not isinstance(counts, dict) or not all(_is_size(counts.get(name)) for name in _COUNTS):
        return "counts"
    if not counts["documents"] or not counts["elements"]:
        return "counts"
    if not isinstance(options, dict) or not _are_options(options):
        return "options"
    if not isinstance(files, dict) or not all(map(_is_file, files, files.values())):
        return "list of files"
    absent = sorted(file_names(counts) - set(files))
    return f"hash of {absent[0]}" if absent else None


def _is_size(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _are_options(options: Mapping[str, Any]) -> bool:
    inline = options.get("inline")
    return (
        options.get("whitespace") in get_args(Whitespace)
        and options.get("text") in get_args(TextStorage)
        and isinstance(inline, list)
        and all(isinstance(tag, str) for tag in inline)
    )


def _is_file(name: str, recorded: object) -> bool:
    """Whether an entry is a size and a hash, for a file that lies in the collection itself."""
    if not isinstance(recorded, dict) or not _is_size(recorded.get("bytes")):
        return False
    has_hash = isinstance(recorded.get("sha256"), str) or name == TEXT_FILE
    return has_hash and name == os.path.basename(name) and name not in ("", ".", "..")
