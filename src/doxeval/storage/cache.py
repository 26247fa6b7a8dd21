"""The cache of what is far away: the files of a directory at a URL, all but those without a hash.

    ~/.cache/doxeval/CHECKSUM/     named after the checksum of the manifest

The cache is `$DOXEVAL_CACHE`, or `doxeval` in `$XDG_CACHE_HOME`, or `~/.cache/doxeval`. A name can
stand for one state only, so nothing in the cache is ever out of date: another collection at the
same URL has another checksum, and a cache of its own.

Every file is downloaded under a temporary name, hashed on the way, and gets its own name only if
it is what the manifest says, no byte more. The manifest comes last: without it, nothing is
complete. So any number of processes may fill the cache at the same time, and each leaves to the
others what they are downloading. What a killed one leaves is removed by the next.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from doxeval.errors import InputError, OutputError
from doxeval.output import flush_to_disk, is_being_written, temporary_output
from doxeval.storage.files import check_contents
from doxeval.storage.kinds import Kind
from doxeval.storage.locations import ELSEWHERE, URL_FILE, cache_directory
from doxeval.storage.manifest import NAME, read_manifest
from doxeval.storage.progress import told
from doxeval.storage.remote import RemoteDirectory

_LOOK = 0.05  # seconds between two looks at what other processes download
_PATIENCE = 60.0  # seconds without any progress of theirs


def cached(kind: Kind, url: str, seal: str | None = None) -> Cached:
    """The local part of what is at a URL, downloaded if it is not there.

    The manifest is read from the URL every time. Only if the seal is known, as it is to a pickle,
    and what has this seal is complete in the cache, nothing is read from the URL.

    >>> import fsspec, tempfile, unittest.mock
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.documents.manifest import COLLECTION
    >>> near = example_collection({"a": "<p>One.</p>"})
    >>> _ = fsspec.filesystem("memory").put(f"{near.directory}/", "/example/", recursive=True)
    >>> with unittest.mock.patch.dict(os.environ, {"DOXEVAL_CACHE": tempfile.mkdtemp()}):
    ...     found = cached(COLLECTION, "memory://example")
    >>> found.directory.name == near.seal, found.is_complete
    (True, True)
    """
    remote = RemoteDirectory(url, kind)
    known = None if seal is None else _kept_manifest(kind, cache_directory() / seal)
    found = Cached(remote, known or remote.manifest())
    if seal not in (None, found.manifest["checksum"]):
        raise kind.error(f"the {kind.noun} is not the one that was pickled", url)
    if not found.is_complete:
        found.fill()
    return found


class Cached:
    """The local part of a directory at a URL: see `cached`, which makes one."""

    def __init__(self, remote: RemoteDirectory, manifest: dict[str, Any]) -> None:
        self.remote = remote
        self.manifest = manifest
        self.directory = cache_directory() / str(manifest["checksum"])
        # What messages about damaged files say.
        self.kind: Kind = replace(
            remote.kind, again=f"remove it, and it is downloaded again from {remote.url}"
        )

    @property
    def is_complete(self) -> bool:
        """Whether all files are there; what they contain is compared when they are opened."""
        is_sealed = _kept_manifest(self.kind, self.directory) is not None
        return is_sealed and all(map(self._has_size, self._kept()))

    def fill(self) -> None:
        """Download what is missing or does not have the right size."""
        for name, column in self.kind.columns(self.manifest["counts"]).items():
            if self._size(name) != column.bytes:
                what = f"{column.length:,} values of type {column.dtype.name} have another size"
                raise self.remote.damaged(name, what)
        self._download(self._has_size)

    def repair(self) -> None:
        """Download what is not as the manifest says, byte for byte."""
        self._download(self._is_intact)

    def _kept(self) -> list[str]:
        """The files that are kept in the cache, the smallest first."""
        names = (name for name in self.manifest["files"] if name not in self.kind.unhashed)
        return sorted(names, key=lambda name: (self._size(name), name))

    def _size(self, name: str) -> int:
        return int(self.manifest["files"][name]["bytes"])

    def _has_size(self, name: str) -> bool:
        try:
            return (self.directory / name).stat().st_size == self._size(name)
        except OSError:
            return False

    def _is_intact(self, name: str) -> bool:
        try:
            check_contents(self.kind, self.directory / name, self.manifest["files"][name])
        except InputError:
            return False
        return True

    def _download(self, is_there: Callable[[str], bool]) -> None:
        missing = [name for name in self._kept() if not is_there(name)]
        total = sum(map(self._size, missing))
        with _writing_errors(self.directory):
            # Who shares a cache with others makes its directory for them.
            cache_directory().mkdir(mode=0o700, parents=True, exist_ok=True)
            self.directory.mkdir(exist_ok=True)
            _check_space(self.directory, total)
            if missing:
                with told(self.remote.url, self.directory, total) as progress:
                    self._download_all(missing, is_there, progress)
            self._put_text(URL_FILE, self.remote.url)
            self._put_text(NAME, json.dumps(self.manifest, indent=1))

    def _download_all(
        self, names: list[str], is_there: Callable[[str], bool], progress: Callable[[int], object]
    ) -> None:
        waiting, patience = deque(names), _Patience(self.directory)
        while waiting:
            name = waiting.popleft()
            if is_there(name):  # another process was quicker
                progress(self._size(name))
            elif is_being_written(self.directory / name) and not patience.is_over():
                waiting.append(name)
                time.sleep(_LOOK)
            else:
                self._put(name, partial(self._receive, name, progress))

    def _receive(self, name: str, progress: Callable[[int], object], file: BinaryIO) -> None:
        """Download a file and compare it with its hash on the way."""
        recorded, digest = self.manifest["files"][name], hashlib.sha256()
        for block in self.remote.blocks(name, recorded["bytes"]):
            digest.update(block)
            file.write(block)
            progress(len(block))
        self.remote.check_digest(name, recorded, digest.hexdigest())

    def _put_text(self, name: str, text: str) -> None:
        self._put(name, lambda file: file.write(text.encode("utf-8", "replace")))

    def _put(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        """Write a file under a temporary name, then let it take its place."""
        with temporary_output(self.directory / name, "writing", Path.touch) as path:
            with path.open("wb") as file:
                write(file)
                flush_to_disk(file)
            path.replace(self.directory / name)


class _Patience:
    """How long to wait for other processes: as long as there is more and more in the directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._bytes = -1
        self._since = 0.0

    def is_over(self) -> bool:
        """Whether nothing has come for a while."""
        with os.scandir(self._directory) as entries:
            now = sum(map(_bytes_of, entries))
        if now != self._bytes:
            self._bytes, self._since = now, time.monotonic()
        return time.monotonic() - self._since > _PATIENCE


def _bytes_of(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:  # it has been given its own name
        return 0


def _kept_manifest(kind: Kind, directory: Path) -> dict[str, Any] | None:
    """The manifest in the cache, if it is the one that the directory is named after."""
    try:
        manifest = read_manifest(kind, directory)
    except InputError:
        return None
    return manifest if manifest["checksum"] == directory.name else None


def _check_space(directory: Path, total: int) -> None:
    free = shutil.disk_usage(directory).free
    if total > free:
        raise OutputError(
            f"{directory}: {total / 1e6:,.1f} MB are to be downloaded, and {free / 1e6:,.1f} MB "
            f"are free; {ELSEWHERE}"
        )


@contextmanager
def _writing_errors(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{directory}: cannot be written: {reason}; {ELSEWHERE}") from error
