"""The manifest of a collection on disk, and the seal on its files.

A collection is written once. When it is complete, the size and the SHA-256 of every file go
into the manifest, and every file's time of last change is set to one fixed moment. Whatever
writes to a file later moves that time, and then its contents are compared with the manifest
before they are used; a file that still has the seal's time is trusted, so opening even a very
large collection takes no time. (The text needs no such check: each document's text is compared
with its own hash whenever it is read.)
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from doxeval.errors import CollectionError
from doxeval.unfinished import moved_away

NAME = "manifest.json"
FORMAT = "doxeval collection"
VERSION = 1
TEXT_FILE = "text.bin"
_SEALED_AT = 946_684_800 * 10**9  # 2000-01-01 in nanoseconds


def seal(directory: Path, facts: dict[str, Any]) -> None:
    """Write the manifest over all files of a directory and set the seal on them."""
    files: dict[str, dict[str, Any]] = {}
    for path in sorted(directory.iterdir()):
        files[path.name] = {"bytes": path.stat().st_size}
        if path.name != TEXT_FILE:
            files[path.name]["sha256"] = _digest(path)
        os.utime(path, ns=(_SEALED_AT, _SEALED_AT))
    manifest = {"format": FORMAT, "version": VERSION, **facts, "files": files}
    manifest["checksum"] = _checksum(manifest)
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
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


def read_sealed(directory: Path) -> dict[str, Any]:
    """The manifest of a collection whose files are as they were written."""
    manifest = _parsed(directory)
    if manifest.get("format") != FORMAT:
        raise CollectionError("this is not the manifest of a collection", str(directory / NAME))
    if manifest.get("version") != VERSION:
        raise CollectionError(
            f"the collection has format version {manifest.get('version')}, this doxeval reads "
            f"version {VERSION}; build it again",
            str(directory),
        )
    sealed = {name: value for name, value in manifest.items() if name != "checksum"}
    if manifest.get("checksum") != _checksum(sealed):
        raise CollectionError(
            "the manifest was altered; build the collection again", str(directory)
        )
    for name, recorded in manifest["files"].items():
        _check_file(directory / name, recorded)
    return manifest


def _parsed(directory: Path) -> dict[str, Any]:
    path = directory / NAME
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CollectionError(_why_missing(directory), str(directory)) from None
    except OSError as error:
        raise CollectionError(error.strerror or str(error), str(path)) from error
    except (ValueError, RecursionError):
        raise CollectionError(
            "the manifest is damaged; build the collection again", str(path)
        ) from None
    if not isinstance(manifest, dict):
        raise CollectionError("the manifest is damaged; build the collection again", str(path))
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


def _check_file(path: Path, recorded: dict[str, Any]) -> None:
    try:
        state = path.stat()
        if state.st_size != recorded["bytes"]:
            raise CollectionError(
                f"the file has {state.st_size:,} bytes instead of {recorded['bytes']:,}; "
                "build the collection again",
                str(path),
            )
        if state.st_mtime_ns == _SEALED_AT or "sha256" not in recorded:
            return
        if _digest(path) != recorded["sha256"]:
            raise CollectionError("the file was altered; build the collection again", str(path))
    except OSError as error:
        raise CollectionError(error.strerror or str(error), str(path)) from error
    with suppress(OSError):  # someone else's collection: it is checked again next time
        os.utime(path, ns=(_SEALED_AT, _SEALED_AT))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
