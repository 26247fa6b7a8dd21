"""Collections at URLs, read through fsspec: columns in a local cache, texts by ranges.

    ~/.cache/doxeval/CHECKSUM/     the columns; named after the checksum of the manifest

The cache is `$DOXEVAL_CACHE`, or `doxeval` in `$XDG_CACHE_HOME`, or `~/.cache/doxeval`. A name can
stand for one state only, so nothing in the cache is ever out of date: another collection at the
same URL has another checksum, and a cache of its own.

Every file is downloaded under a temporary name, hashed on the way, and gets its own name only if
it is what the manifest says, no byte more. The manifest comes last: without it, nothing is
complete. So any number of processes may fill the cache at the same time, and each leaves to the
others what they are downloading. What a killed one leaves is removed by the next. (fsspec's own
caches know no checksums, no limits, and no other processes.)

All reading is of ranges, so nothing is transferred that was not requested, and a range that was cut
off is requested again, a few times. A range that comes too slowly is not waited for. What goes
wrong far away comes in every kind of exception that the many libraries behind fsspec have, and
leaves here as one error that names the URL.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from doxeval.errors import InputError, OutputError, output_errors
from doxeval.messages import escape, plural, quoted, truncate
from doxeval.output import flush_to_disk, is_being_written, temporary_output
from doxeval.progress import LogLines
from doxeval.storage.files import Progress, check_contents
from doxeval.storage.manifest import (
    ANOTHER_CACHE,
    MANIFEST_NAME,
    URL_FILE,
    StoreType,
    cache_directory,
    check_url,
    parse_manifest,
    read_manifest,
)

_BLOCK = 16 << 20
LARGEST_MANIFEST = 64 << 20
_MOST_MANIFESTS = 256 << 10  # have fewer bytes than these
_PAUSES = (0.2, 1.0, 3.0)  # seconds before the second attempt to read a range, the third, the last
# So many seconds may any answer take, and the bytes of a range as many more as they take at this
# speed. Many stores wait for ever as long as a byte comes now and then.
_GRACE = 60.0
_SLOWEST = 20_000  # bytes per second
_LONGEST_REASON = 300
_LONGEST_URL = 400
# Errors after which another attempt does not help.
_FINAL = (
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
    ImportError,
    LookupError,
    TypeError,
    ValueError,
)
# What servers of the web answer.
_NOT_FOUND, _REFUSALS = 404, range(400, 500)
_SECONDS_BETWEEN_LOOKS = 0.05  # at what other processes download
_SECONDS_WITHOUT_PROGRESS = 60.0  # of theirs, before this process downloads it itself
_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_SHORTEST_CHECKSUM = 4

Result = TypeVar("Result")


class _TooSlow(Exception):
    """Nothing came, or very little."""


class _CutOff(Exception):
    """Fewer bytes came than were requested."""


class RemoteDirectory:
    """The files of a collection, or an index, at a URL.

    >>> from doxeval.documents import COLLECTION
    >>> RemoteDirectory("nowhere://at/all", COLLECTION).manifest()
    Traceback (most recent call last):
    doxeval.errors.CollectionError: nowhere://at/all: cannot be opened: Protocol not known: nowhere
    """

    def __init__(self, url: str, store_type: StoreType) -> None:
        check_url(url, store_type.error)
        self.url = url
        self.store_type = store_type
        self._connected_by = -1  # the process that is connected

    def manifest(self) -> dict[str, Any]:
        """Return the manifest, if it is of this version, unaltered and complete."""
        size = min(_MOST_MANIFESTS, LARGEST_MANIFEST + 1)
        try:
            data = self._attempt(MANIFEST_NAME, 0, size, whole=False)
            if len(data) == size <= LARGEST_MANIFEST:
                data = self._attempt(MANIFEST_NAME, 0, LARGEST_MANIFEST + 1, whole=False)
        except FileNotFoundError:
            raise self.store_type.error(f"no {self.store_type.noun} here", self.url) from None
        if len(data) > LARGEST_MANIFEST:
            message = f"the manifest has more than {LARGEST_MANIFEST >> 20} MiB"
            raise self.store_type.error(message, self.address(MANIFEST_NAME))
        return parse_manifest(self.store_type, data, self.url, self.address(MANIFEST_NAME))

    def read(self, name: str, begin: int, end: int) -> bytes:
        """Return the bytes of a file from `begin` to `end`, all of them."""
        if begin == end:
            return b""
        try:
            return self._attempt(name, begin, end, whole=True)
        except FileNotFoundError:
            raise self.damaged(name, "the file is missing") from None

    def verified_blocks(self, name: str, recorded: dict[str, Any]) -> Iterator[bytes]:
        """Return the contents of a file in blocks; after the last, the hash must be right."""
        size, sha256 = recorded["bytes"], hashlib.sha256()
        self._check_size(name, size)
        for begin in range(0, size, _BLOCK):
            block = self.read(name, begin, min(begin + _BLOCK, size))
            sha256.update(block)
            yield block
        if sha256.hexdigest() != recorded["sha256"]:
            raise self.damaged(name, "the file was altered")

    def check_contents(self, name: str, recorded: dict[str, Any], progress: Progress) -> None:
        """Compare the size and the hash of a file with what the manifest records of it."""
        if "sha256" not in recorded:
            self._check_size(name, recorded["bytes"])
            return
        for block in self.verified_blocks(name, recorded):
            progress(len(block))

    def damaged(self, name: str, what: str) -> InputError:
        """Return the error about a file that is not what it should be."""
        message = f"{what}; copy the {self.store_type.noun} there again"
        return self.store_type.error(message, self.address(name))

    def address(self, name: str) -> str:
        """Return the URL of a file, for messages."""
        first, *others = self.url.split("::")
        return "::".join([f"{first.rstrip('/')}/{name}", *others])

    def _check_size(self, name: str, expected: int) -> None:
        """Refuse a file that has another size, if that is known without reading it."""
        self._connect()
        try:
            size = _in_time(0, lambda: self._system.size(self._path_of(name)))
        except Exception:  # if the file cannot be read, either, that error says more
            return
        if size is not None and size != expected:
            raise self.damaged(name, f"the file has {size:,} bytes instead of {expected:,}")

    def _connect(self) -> None:
        """Connect, if this process is not connected yet: no connection survives a fork."""
        if self._connected_by == os.getpid():
            return
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            message = "a URL needs fsspec: pip install 'doxeval[remote]'"
            raise self.store_type.error(message, self.url) from None
        try:
            self._system, self._path = _in_time(0, lambda: url_to_fs(self.url))
        except Exception as error:  # stores of all kinds, each with errors of its own
            raise self.store_type.error(f"cannot be opened: {_reason(error)}", self.url) from error
        self._connected_by = os.getpid()

    def _path_of(self, name: str) -> str:
        return f"{self._path.rstrip('/')}/{name}"

    def _attempt(self, name: str, begin: int, end: int, *, whole: bool) -> bytes:
        """Return a range, after several attempts; FileNotFoundError is raised as it is."""
        self._connect()
        pauses = iter(_PAUSES)
        while True:
            try:
                return _in_time(end - begin, lambda: self._range(name, begin, end, whole))
            except FileNotFoundError:
                raise
            except Exception as error:  # the same
                status = getattr(error, "status", None)
                if status == _NOT_FOUND:
                    raise FileNotFoundError from error
                pause = next(pauses, None)
                is_final = isinstance(error, (*_FINAL, _TooSlow)) or status in _REFUSALS
                if pause is None or is_final:
                    message = f"cannot be read: {_reason(error)}"
                    raise self.store_type.error(message, self.address(name)) from error
            time.sleep(pause)

    def _range(self, name: str, begin: int, end: int, whole: bool) -> bytes:
        path = self._path_of(name)
        if "http" in self._system.protocol:
            # `cat_file` would read the whole file if the server ignores ranges.
            with self._system.open(path, "rb", cache_type="none", size=end) as file:
                file.seek(begin)
                data: bytes = file.read(end - begin)
        else:
            data = self._system.cat_file(path, start=begin, end=end)
        if len(data) > end - begin:
            raise ValueError(f"{end - begin:,} bytes were asked for, and more came")
        if whole and len(data) < end - begin:
            raise _CutOff(f"{end - begin:,} bytes were asked for, and {len(data):,} came")
        return data


def _in_time(size: int, read: Callable[[], Result]) -> Result:
    """Return what is read, in a thread that is left alone if so many bytes take too long."""
    results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            results.put((read(), None))
        except BaseException as error:  # raised below
            results.put((None, error))

    thread = Thread(target=work, daemon=True)
    thread.start()
    seconds = _GRACE + size / _SLOWEST
    try:
        result, error = results.get(timeout=seconds)
    except Empty:
        raise _TooSlow(f"the answer takes longer than {seconds:,.0f} seconds") from None
    thread.join()  # a process with threads cannot safely fork
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


def _reason(error: Exception) -> str:
    """Return what went wrong, on one line.

    >>> _reason(TimeoutError()), _reason(OSError(13, "Permission denied", "x"))
    ('TimeoutError', 'Permission denied')
    """
    reason = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    return truncate(str(reason).split("\n")[0], _LONGEST_REASON)


# The cache


def open_cached(store_type: StoreType, url: str, checksum: str | None = None) -> CachedStore:
    """Return the local part of what is at a URL, downloaded if it is not there.

    The manifest is read from the URL every time. Only if the checksum is known, as it is to a
    pickle, and what has this checksum is complete in the cache, nothing is read from the URL.

    >>> import fsspec, tempfile, unittest.mock
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.documents import COLLECTION
    >>> near = example_collection({"a": "<p>One.</p>"})
    >>> _ = fsspec.filesystem("memory").put(f"{near.directory}/", "/example/", recursive=True)
    >>> with unittest.mock.patch.dict(os.environ, {"DOXEVAL_CACHE": tempfile.mkdtemp()}):
    ...     local = open_cached(COLLECTION, "memory://example")
    >>> local.directory.name == near.checksum, local.is_complete
    (True, True)
    """
    remote = RemoteDirectory(url, store_type)
    known = None if checksum is None else _cached_manifest(store_type, cache_directory() / checksum)
    local = CachedStore(remote, known or remote.manifest())
    if checksum not in (None, local.manifest["checksum"]):
        raise store_type.error(f"the {store_type.noun} is not the one that was pickled", url)
    if not local.is_complete:
        local.fill()
    return local


class CachedStore:
    """The local part of a directory at a URL: all files but those without a hash."""

    def __init__(self, remote: RemoteDirectory, manifest: dict[str, Any]) -> None:
        self.remote = remote
        self.manifest = manifest
        self.directory = cache_directory() / str(manifest["checksum"])
        # What messages about damaged files say.
        self.store_type: StoreType = replace(
            remote.store_type, again=f"remove it, and it is downloaded again from {remote.url}"
        )

    @property
    def is_complete(self) -> bool:
        """Whether all files are there; what they contain is compared when they are opened."""
        has_manifest = _cached_manifest(self.store_type, self.directory) is not None
        return has_manifest and all(map(self._has_size, self._names()))

    def fill(self) -> None:
        """Download what is missing or does not have the right size."""
        for name, column in self.store_type.columns(self.manifest["counts"]).items():
            if self._size(name) != column.bytes:
                what = f"{column.length:,} values of type {column.dtype.name} have another size"
                raise self.remote.damaged(name, what)
        self._download(self._has_size)

    def repair(self) -> None:
        """Download what is not as the manifest says, byte for byte."""
        self._download(self._is_intact)

    def _names(self) -> list[str]:
        """Return the files that are kept in the cache, the smallest first."""
        names = (name for name in self.manifest["files"] if name not in self.store_type.unhashed)
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
            check_contents(self.store_type, self.directory / name, self.manifest["files"][name])
        except InputError:
            return False
        return True

    def _download(self, is_there: Callable[[str], bool]) -> None:
        missing = [name for name in self._names() if not is_there(name)]
        total = sum(map(self._size, missing))
        try:
            # Who shares a cache with others makes its directory for them.
            cache_directory().mkdir(mode=0o700, parents=True, exist_ok=True)
            self.directory.mkdir(exist_ok=True)
            _check_space(self.directory, total)
            if missing:
                with _show_download(self.remote.url, self.directory, total) as progress:
                    self._download_all(missing, is_there, progress)
            self._put(URL_FILE, [self.remote.url.encode("utf-8", "replace")])
            self._put(MANIFEST_NAME, [json.dumps(self.manifest, indent=1).encode()])
        except OSError as error:
            reason = error.strerror or error
            message = f"{self.directory}: cannot be written: {reason}; {ANOTHER_CACHE}"
            raise OutputError(message) from error

    def _download_all(
        self, names: list[str], is_there: Callable[[str], bool], progress: Progress
    ) -> None:
        waiting, patience = deque(names), _Patience(self.directory)
        while waiting:
            name = waiting.popleft()
            if is_there(name):  # another process was quicker
                progress(self._size(name))
            elif is_being_written(self.directory / name) and not patience.is_over():
                waiting.append(name)
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            else:
                blocks = self.remote.verified_blocks(name, self.manifest["files"][name])
                self._put(name, blocks, progress)

    def _put(self, name: str, blocks: Iterable[bytes], progress: Progress = lambda _: None) -> None:
        """Write a file under a temporary name, then let it take its place."""
        with temporary_output(self.directory / name, "writing") as path:
            with path.open("wb") as file:
                for block in blocks:
                    file.write(block)
                    progress(len(block))
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
        now = _bytes_in(self._directory)
        if now != self._bytes:
            self._bytes, self._since = now, time.monotonic()
        return time.monotonic() - self._since > _SECONDS_WITHOUT_PROGRESS


def _bytes_in(directory: Path) -> int:
    size = 0
    with os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):  # it is being renamed
                size += entry.stat(follow_symlinks=False).st_size
    return size


def _cached_manifest(store_type: StoreType, directory: Path) -> dict[str, Any] | None:
    """Return the manifest in the cache, if it is the one that the directory is named after."""
    try:
        manifest = read_manifest(store_type, directory)
    except InputError:
        return None
    return manifest if manifest["checksum"] == directory.name else None


def _check_space(directory: Path, total: int) -> None:
    free = shutil.disk_usage(directory).free
    if total > free:
        raise OutputError(
            f"{directory}: {total / 1e6:,.1f} MB are to be downloaded, and {free / 1e6:,.1f} MB "
            f"are free; {ANOTHER_CACHE}"
        )


@contextmanager
def _show_download(url: str, directory: Path, total: int) -> Iterator[Progress]:
    """Print what is downloaded, in a line on stderr and on a terminal as a bar.

    The result is to be called with the number of bytes that came.

    >>> with _show_download("s3://bucket/wiki", Path("/cache/1f3a"), 79_000_000) as progress:
    ...     progress(79_000_000)
    """
    if sys.stderr is None:
        yield lambda _: None
        return
    size = f"{total / 1e6:,.1f} MB" if total > 100_000 else plural(total, "byte")
    line = f"downloading {truncate(url, _LONGEST_URL)} ({size}) to {escape(str(directory))}"
    with suppress(OSError):  # nobody reads stderr
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    if not sys.stderr.isatty():
        yield LogLines("downloading", total, "bytes").advance
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    # Without a thread that refreshes it: a process with threads cannot safely fork.
    with bars.Progress(
        *columns, console=Console(stderr=True), transient=True, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=total)

        def advance(count: int) -> None:
            bar.advance(task, count)
            bar.refresh()

        yield advance


# Listing and removing what the cache holds


@dataclass(frozen=True)
class CachedCollection:
    """What the cache holds under one checksum: files of a collection, perhaps an index of it."""

    checksum: str
    directory: Path
    url: str  # where it came from
    bytes: int
    is_complete: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the facts by name, for JSON."""
        return {
            "checksum": self.checksum,
            "url": self.url,
            "bytes": self.bytes,
            "complete": self.is_complete,
            "directory": str(self.directory),
        }


def cached_collections() -> list[CachedCollection]:
    """List the collections in the cache, by checksum.

    >>> isinstance(cached_collections(), list)
    True
    """
    cache = cache_directory()
    try:
        names = sorted(os.listdir(cache))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise OutputError(f"{cache}: cannot be read: {error.strerror or error}") from error
    return [
        CachedCollection(
            name,
            cache / name,
            cached_url(cache / name),
            sum(map(_bytes_in, _directories(cache / name))),
            (cache / name / MANIFEST_NAME).exists(),
        )
        for name in names
        if _CHECKSUM.fullmatch(name)
    ]


def select_cached(kept: list[CachedCollection], selection: str) -> list[CachedCollection]:
    """Return those that a user names: `all`, the beginning of a checksum, or a URL.

    >>> wiki = CachedCollection("1f3a9c0b", Path("1f3a9c0b"), "s3://bucket/wiki", 79_000_000, True)
    >>> select_cached([wiki], "1f3a") == select_cached([wiki], "s3://bucket/wiki") == [wiki]
    True
    """
    selected = [
        entry
        for entry in kept
        if selection in ("all", entry.url)
        or (len(selection) >= _SHORTEST_CHECKSUM and entry.checksum.startswith(selection))
    ]
    if not selected and selection != "all":
        expected = f"expected all, a URL, or a checksum (its first {_SHORTEST_CHECKSUM} digits do)"
        raise InputError(f"nothing in the cache is {quoted(selection)}: {expected}")
    return selected


def remove_cached(entry: CachedCollection) -> None:
    """Remove a collection from the cache. Whoever has it open can go on reading the columns."""
    with output_errors(entry.directory):
        (entry.directory / MANIFEST_NAME).unlink(
            missing_ok=True
        )  # the rest is not complete any more
        for directory in _directories(entry.directory):
            shutil.rmtree(directory)


def _directories(directory: Path) -> list[Path]:
    """Return the directory of a collection, and that of its index."""
    both = (directory, directory.with_name(f"{directory.name}.index"))
    return [path for path in both if path.is_dir()]


def cached_url(directory: Path) -> str:
    """Return where the files of a directory in the cache came from."""
    try:
        return (directory / URL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
