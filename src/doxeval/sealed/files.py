"""The files of a sealed directory, compared with its manifest before anything is read from them.

Whenever a collection or an index is opened, the size of every file and the header of every array
are compared with the manifest. Contents are hashed, too: of the smallest files first, as long as
they have at most the kind's `verified_bytes` together. (The text of a collection does not count:
each document's text is hashed when it is read.) For most collections that is all of them. A process
remembers the hash of a file until the file changes, so opening it again, or in forked workers,
costs nothing.

The larger files are hashed only if they no longer have the time stamp of the seal. Damage that
leaves their sizes and time stamps as they were is found when all contents are compared, as
`Collection.verify` does.

Small files are read into memory; the others are mapped. Either way they stay as they were opened
if the collection is built anew in the meantime.
"""

from __future__ import annotations

import hashlib
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
from doxeval.errors import DoxevalError, InputError
from doxeval.sealed.columns import HEADER_BYTES, Column
from doxeval.sealed.hashing import Progress, digest, in_threads
from doxeval.sealed.kinds import Kind
from doxeval.sealed.manifest import SEALED_AT, read_manifest

Contents: TypeAlias = bytes | mmap.mmap

_SMALL = 64 << 10
# File systems note times in steps of up to two seconds. A file that changed more recently than
# that could change again without a trace, so what it contains is not remembered.
_SETTLED = 2 * 10**9
_MOST_REMEMBERED = 10_000


# A file in one state: path, device, inode, size, time stamp, and the time when any of this, or the
# contents, last changed, which nobody can set.
_Identity: TypeAlias = tuple[str, int, int, int, int, int]

_DIGESTS: dict[_Identity, str] = {}
# The open directories that were too large to be verified at opening.
_UNVERIFIED: WeakSet[SealedFiles] = WeakSet()


class SealedFiles:
    """The open files of a sealed directory, and its manifest.

    A directory that is replaced at the very moment it is opened is opened again. With
    `only_hashed`, the files without a hash of their own are elsewhere, as they are for a cache.
    """

    def __init__(self, kind: Kind, directory: Path, *, only_hashed: bool = False) -> None:
        self.kind = kind
        self.directory = directory
        self._only_hashed = only_hashed
        self._contents: dict[str, Contents] = {}
        while not self._contents:
            self.manifest = read_manifest(kind, directory)
            try:
                self._contents = self._opened()
            except kind.error:
                if read_manifest(kind, directory) == self.manifest:
                    raise
        self._columns = self._known_columns()
        self._check_headers()
        if not self.are_verified:
            _UNVERIFIED.add(self)

    @property
    def are_verified(self) -> bool:
        """Whether the contents of all files that have a hash were hashed at opening."""
        return not self.unverified

    @property
    def unverified(self) -> list[str]:
        """The files that are too large to be hashed at every opening."""
        files: dict[str, dict[str, Any]] = self.manifest["files"]
        hashed = (name for name in files if name not in self.kind.unhashed)
        smallest_first = sorted((files[name]["bytes"], name) for name in hashed)
        totals = accumulate(size for size, _ in smallest_first)
        return sorted(
            name
            for total, (_, name) in zip(totals, smallest_first, strict=True)
            if total > self.kind.verified_bytes
        )

    def _known_columns(self) -> dict[str, Column]:
        counts = self.manifest["counts"]
        optional = self.kind.optional_columns(counts)
        present = {name: optional[name] for name in optional if name in self._contents}
        return {**self.kind.columns(counts), **present}

    def has_column(self, name: str) -> bool:
        """Whether there is an array in a file `name.npy`."""
        return f"{name}.npy" in self._columns

    def column(self, name: str) -> npt.NDArray[Any]:
        """The array in a file `name.npy`."""
        file = f"{name}.npy"
        dtype = self._columns[file].dtype
        return np.frombuffer(self._contents[file], dtype, offset=HEADER_BYTES)

    def raw(self, name: str) -> Bytes:
        """The bytes of a file."""
        return np.frombuffer(self._contents[name], np.uint8)

    def damaged(self, name: str, what: str) -> InputError:
        """The error about a file that is not what it should be."""
        path = str(self.directory / name)
        return self.kind.error(f"the file is damaged: {what}; {self.kind.again}", path)

    def refuse_damage(self) -> None:
        """Compare all contents with the manifest, and raise an error about the first difference.

        This is for a directory that was too large to be verified at opening, when something
        impossible was read from it.
        """
        recorded = {name: self.manifest["files"][name] for name in self.unverified}

        def check(name: str, progress: Progress) -> None:
            check_contents(self.kind, self.directory / name, recorded[name], progress)

        in_threads(check, list(recorded), [one["bytes"] for one in recorded.values()])

    def _check_headers(self) -> None:
        for name, expected in self._columns.items():
            contents = self._contents[name]
            if contents[:HEADER_BYTES] != expected.header or len(contents) != expected.bytes:
                what = f"expected {expected.length:,} values of type {expected.dtype.name}"
                raise self.damaged(name, what)

    def _opened(self) -> dict[str, Contents]:
        unverified = self.unverified
        files = {
            name: recorded
            for name, recorded in self.manifest["files"].items()
            if not (self._only_hashed and name in self.kind.unhashed)
        }

        def opened(name: str, progress: Progress) -> Contents:
            is_verified = name not in unverified
            return _opened(self.kind, self.directory / name, files[name], is_verified)

        to_hash = {
            name
            for name in files
            if name not in self.kind.unhashed and not _is_remembered(self.directory / name)
        }.difference(unverified)
        sizes = [recorded["bytes"] if name in to_hash else 0 for name, recorded in files.items()]
        contents = dict(zip(files, in_threads(opened, list(files), sizes), strict=True))
        for name in self.kind.unread & files.keys():
            del contents[name]
        if unverified and read_manifest(self.kind, self.directory) != self.manifest:
            return {}  # replaced while it was being opened
        return contents


def damage_in_open_files() -> DoxevalError | None:
    """The first damage in a collection or index that is open and was not verified at opening.

    For an error that nobody expected, when it is not known which of them may be the cause.

    >>> damage_in_open_files()
    """
    try:
        for files in list(_UNVERIFIED):
            files.refuse_damage()
    except DoxevalError as error:
        return error
    return None


def check_contents(
    kind: Kind,
    path: Path,
    recorded: dict[str, Any],
    progress: Callable[[int], object] | None = None,
) -> None:
    """Compare the size and the hash of a file with what the manifest records of it."""
    try:
        with _regular(kind, path, recorded) as file:
            if "sha256" not in recorded:
                return
            if (
                _hashed(_identity(path, os.fstat(file.fileno())), file, progress)
                != recorded["sha256"]
            ):
                raise _altered(kind, path)
    except OSError as error:
        raise kind.error(error.strerror or str(error), str(path)) from error


def _opened(kind: Kind, path: Path, recorded: dict[str, Any], verify: bool) -> Contents:
    try:
        with _regular(kind, path, recorded) as file:
            if "sha256" in recorded:
                return _verified(kind, path, file, recorded["sha256"], verify)
            return _mapped(file)
    except OSError as error:
        raise kind.error(error.strerror or str(error), str(path)) from error


def _regular(kind: Kind, path: Path, recorded: dict[str, Any]) -> FileIO:
    """A file that has the right size, open for reading."""
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise kind.error(f"this is not a regular file; {kind.again}", str(path))
    if state.st_size != recorded["bytes"]:
        message = f"the file has {state.st_size:,} bytes instead of {recorded['bytes']:,}"
        raise kind.error(f"{message}; {kind.again}", str(path))
    return path.open("rb", buffering=0)


def _verified(kind: Kind, path: Path, file: FileIO, expected: str, verify: bool) -> Contents:
    """The contents of an open file, hashed if they are to be verified or have been touched."""
    identity = _identity(path, os.fstat(file.fileno()))
    _, _, _, size, modified, _ = identity
    is_touched = modified != SEALED_AT
    contents = file.read() if size <= _SMALL else _mapped(file)
    if verify or is_touched:
        is_read = isinstance(contents, bytes)
        found = hashlib.sha256(contents).hexdigest() if is_read else _remembered(identity, file)
        if found != expected:
            raise _altered(kind, path)
    if is_touched:
        with suppress(OSError):  # someone else's file: it is checked again next time
            os.utime(path, ns=(SEALED_AT, SEALED_AT))
    return contents


def _mapped(file: FileIO) -> Contents:
    is_empty = os.fstat(file.fileno()).st_size == 0
    return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _identity(path: Path, state: os.stat_result) -> _Identity:
    return (
        os.path.abspath(path),
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
    )


def _is_remembered(path: Path) -> bool:
    """Whether this process has hashed a file in the state it is in."""
    try:
        return bool(_DIGESTS) and _identity(path, path.stat()) in _DIGESTS
    except OSError:
        return False  # opening the file will tell


def _remembered(identity: _Identity, file: FileIO) -> str:
    """The hash of an open file, from memory if this process has hashed it in the same state."""
    return _DIGESTS.get(identity) or _hashed(identity, file)


def _hashed(
    identity: _Identity, file: FileIO, progress: Callable[[int], object] | None = None
) -> str:
    """The hash of an open file, which is remembered from now on."""
    now = time.time_ns()
    found = digest(file, progress)
    if now - max(identity[-2:]) > _SETTLED:
        if len(_DIGESTS) >= _MOST_REMEMBERED:
            _DIGESTS.clear()
        _DIGESTS[identity] = found
    return found


def _altered(kind: Kind, path: Path) -> InputError:
    return kind.error(f"the file was altered; {kind.again}", str(path))
