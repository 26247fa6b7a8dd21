"""The files of a collection, compared with its manifest before anything is read from them.

Whenever a collection is opened, the size of every file and the header of every array are compared
with the manifest. Contents are hashed, too: of the smallest files first, as long as they have at
most VERIFIED_BYTES together (the text does not count: each document's text is hashed when it is
read). For most collections that is all of them. A process remembers the hash of a file until the
file changes, so opening the collection again, or in forked workers, costs nothing.

The few largest files of a larger collection are hashed only if they no longer have the time stamp
of the seal. Damage that leaves their sizes and time stamps as they were is found by
`Collection.verify`.

Small files are read into memory; the others are mapped. Either way they stay as they were opened
if the collection is built anew in the meantime.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bytes
from doxeval.documents.layout import (
    HEADER_BYTES,
    IDS_FILE,
    ORIGINS_FILE,
    TAGS_FILE,
    TEXT_FILE,
    columns_of,
)
from doxeval.documents.limits import VERIFIED_BYTES
from doxeval.documents.manifest import BUILD_AGAIN, SEALED_AT, read_manifest
from doxeval.errors import CollectionError

Contents: TypeAlias = bytes | mmap.mmap

_SMALL = 64 << 10
_BLOCK = 256 << 10
# File systems note times in steps of up to two seconds. A file that changed more recently than
# that could change again without a trace, so what it contains is not remembered.
_SETTLED = 2 * 10**9
_MOST_REMEMBERED = 10_000


# A file in one state: path, device, inode, size, time stamp, and the time when any of this, or the
# contents, last changed, which nobody can set.
_Identity: TypeAlias = tuple[str, int, int, int, int, int]

_DIGESTS: dict[_Identity, str] = {}
# The open collections that were too large to be verified at opening.
_UNVERIFIED: WeakSet[SealedFiles] = WeakSet()


class SealedFiles:
    """The open files of a collection, and its manifest.

    A collection that is replaced at the very moment it is opened is opened again.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._contents: dict[str, Contents] = {}
        while not self._contents:
            self.manifest = read_manifest(directory)
            try:
                self._contents = self._opened()
            except CollectionError:
                if read_manifest(directory) == self.manifest:
                    raise
        self._columns = columns_of(self.manifest["counts"])
        self._check_headers()
        self._check_ends()
        if not self.are_verified:
            _UNVERIFIED.add(self)

    @property
    def are_verified(self) -> bool:
        """Whether the contents of all files but the text were hashed at opening."""
        return not self.unverified

    @property
    def unverified(self) -> list[str]:
        """The files that are too large to be hashed at every opening."""
        files: dict[str, dict[str, Any]] = self.manifest["files"]
        smallest_first = sorted((files[name]["bytes"], name) for name in files if name != TEXT_FILE)
        totals = accumulate(size for size, _ in smallest_first)
        return sorted(
            name
            for total, (_, name) in zip(totals, smallest_first, strict=True)
            if total > VERIFIED_BYTES
        )

    def column(self, name: str) -> npt.NDArray[Any]:
        """The array in a file `name.npy`."""
        file = f"{name}.npy"
        dtype = self._columns[file].dtype
        return np.frombuffer(self._contents[file], dtype, offset=HEADER_BYTES)

    def raw(self, name: str) -> Bytes:
        """The bytes of a file."""
        return np.frombuffer(self._contents[name], np.uint8)

    def tags(self) -> list[str]:
        """The tags of all elements."""
        try:
            tags = json.loads(self._contents[TAGS_FILE][:].decode())
        except (ValueError, RecursionError):
            tags = None
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise self.damaged(TAGS_FILE, "expected a list of tags")
        if len(set(tags)) != len(tags) or len(tags) != self.manifest["counts"]["tags"]:
            raise self.damaged(TAGS_FILE, "expected different tags, as many as the manifest says")
        return tags

    def damaged(self, name: str, what: str) -> CollectionError:
        """The error about a file that is not what it should be."""
        path = str(self.directory / name)
        return CollectionError(f"the file is damaged: {what}; {BUILD_AGAIN}", path)

    def refuse_damage(self) -> None:
        """Compare all contents with the manifest, and raise an error about the first difference.

        This is for a collection that was too large to be verified at opening, when something
        impossible was read from it.
        """
        for name in self.unverified:
            check_contents(self.directory / name, self.manifest["files"][name])

    def _check_headers(self) -> None:
        for name, expected in self._columns.items():
            contents = self._contents[name]
            if contents[:HEADER_BYTES] != expected.header or len(contents) != expected.bytes:
                what = f"expected {expected.length:,} values of type {expected.dtype.name}"
                raise self.damaged(name, what)

    def _check_ends(self) -> None:
        """Check that the last entry of each column of borders is the end of what they divide."""
        sizes = {name: len(contents) for name, contents in self._contents.items()}
        expected = {
            "documents.rows": self.manifest["counts"]["elements"],
            "documents.id_ends": sizes[IDS_FILE],
            "documents.text_ends": sizes[TEXT_FILE],
        }
        for name, end in expected.items():
            if self.column(name)[-1] != end:
                raise self.damaged(f"{name}.npy", f"expected {end:,} at the end")

    def _opened(self) -> dict[str, Contents]:
        contents: dict[str, Contents] = {}
        unverified = self.unverified
        for name, recorded in self.manifest["files"].items():
            opened = _opened(self.directory / name, recorded, name not in unverified)
            if name != ORIGINS_FILE:  # which nothing reads
                contents[name] = opened
        if unverified and read_manifest(self.directory) != self.manifest:
            return {}  # replaced while it was being opened
        return contents


def damage_in_open_collections() -> CollectionError | None:
    """The first damage in a collection that is open and was not verified at opening.

    For an error that nobody expected, when it is not known which collection may be the cause.

    >>> damage_in_open_collections()
    """
    try:
        for files in list(_UNVERIFIED):
            files.refuse_damage()
    except CollectionError as error:
        return error
    return None


def check_contents(
    path: Path, recorded: dict[str, Any], progress: Callable[[int], object] | None = None
) -> None:
    """Compare the size and the hash of a file with what the manifest records of it."""
    try:
        with _regular(path, recorded) as file:
            if "sha256" not in recorded:
                return
            if _hashed(_identity(path, file), file, progress) != recorded["sha256"]:
                raise _altered(path)
    except OSError as error:
        raise CollectionError(error.strerror or str(error), str(path)) from error


def _opened(path: Path, recorded: dict[str, Any], verify: bool) -> Contents:
    try:
        with _regular(path, recorded) as file:
            if "sha256" in recorded:
                return _verified(path, file, recorded["sha256"], verify)
            return _mapped(file)
    except OSError as error:
        raise CollectionError(error.strerror or str(error), str(path)) from error


def _regular(path: Path, recorded: dict[str, Any]) -> FileIO:
    """A file that has the right size, open for reading."""
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise CollectionError(f"this is not a regular file; {BUILD_AGAIN}", str(path))
    if state.st_size != recorded["bytes"]:
        message = f"the file has {state.st_size:,} bytes instead of {recorded['bytes']:,}"
        raise CollectionError(f"{message}; {BUILD_AGAIN}", str(path))
    return path.open("rb", buffering=0)


def _verified(path: Path, file: FileIO, expected: str, verify: bool) -> Contents:
    """The contents of an open file, hashed if they are to be verified or have been touched."""
    identity = _identity(path, file)
    _, _, _, size, modified, _ = identity
    is_touched = modified != SEALED_AT
    contents = file.read() if size <= _SMALL else _mapped(file)
    if verify or is_touched:
        is_read = isinstance(contents, bytes)
        digest = hashlib.sha256(contents).hexdigest() if is_read else _remembered(identity, file)
        if digest != expected:
            raise _altered(path)
    if is_touched:
        with suppress(OSError):  # someone else's collection: it is checked again next time
            os.utime(path, ns=(SEALED_AT, SEALED_AT))
    return contents


def _mapped(file: FileIO) -> Contents:
    is_empty = os.fstat(file.fileno()).st_size == 0
    return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _identity(path: Path, file: FileIO) -> _Identity:
    state = os.fstat(file.fileno())
    return (
        os.path.abspath(path),
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
    )


def _remembered(identity: _Identity, file: FileIO) -> str:
    """The hash of an open file, from memory if this process has hashed it in the same state."""
    return _DIGESTS.get(identity) or _hashed(identity, file)


def _hashed(
    identity: _Identity, file: FileIO, progress: Callable[[int], object] | None = None
) -> str:
    """The hash of an open file, which is remembered from now on."""
    now = time.time_ns()
    digest = _digest(file, progress)
    if now - max(identity[-2:]) > _SETTLED:
        if len(_DIGESTS) >= _MOST_REMEMBERED:
            _DIGESTS.clear()
        _DIGESTS[identity] = digest
    return digest


def _digest(file: FileIO, progress: Callable[[int], object] | None = None) -> str:
    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    while count := file.readinto(block):
        digest.update(block[:count])
        if progress is not None:
            progress(count)
    return digest.hexdigest()


def _altered(path: Path) -> CollectionError:
    return CollectionError(f"the file was altered; {BUILD_AGAIN}", str(path))
