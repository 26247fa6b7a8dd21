"""A directory at a URL, read through fsspec: the only place that knows of it.

All reading is of ranges, so nothing is transferred that was not asked for, and a range that was cut
off is asked for again, a few times. A range that comes too slowly is not waited for. What goes
wrong far away comes in every kind of exception that the many libraries behind fsspec have, and
leaves here as one error that names the URL.

The cache of what is far away: the files of a directory at a URL, all but those without a hash.

    ~/.cache/doxeval/CHECKSUM/     named after the checksum of the manifest

The cache is `$DOXEVAL_CACHE`, or `doxeval` in `$XDG_CACHE_HOME`, or `~/.cache/doxeval`. A name can
stand for one state only, so nothing in the cache is ever out of date: another collection at the
same URL has another checksum, and a cache of its own.

Every file is downloaded under a temporary name, hashed on the way, and gets its own name only if
it is what the manifest says, no byte more. The manifest comes last: without it, nothing is
complete. So any number of processes may fill the cache at the same time, and each leaves to the
others what they are downloading. What a killed one leaves is removed by the next.

What the cache of remote collections holds, and removing it.

What is said about a download: one line on stderr, and on a terminal a bar.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, TypeVar

from doxeval.errors import InputError, OutputError, output_errors
from doxeval.messages import escape, plural, quoted, truncate
from doxeval.output import flush_to_disk, is_being_written, temporary_output
from doxeval.storage.files import check_contents
from doxeval.storage.manifest import (
    ELSEWHERE,
    NAME,
    URL_FILE,
    Kind,
    cache_directory,
    check_url,
    parsed_manifest,
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
# Asking again does not help.
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


Result = TypeVar("Result")


class _TooSlow(Exception):
    """Nothing came, or very little."""


class _CutOff(Exception):
    """Fewer bytes came than were asked for."""


class RemoteDirectory:
    """The files of a collection, or an index, at a URL.

    >>> from doxeval.documents import COLLECTION
    >>> RemoteDirectory("nowhere://at/all", COLLECTION).manifest()
    Traceback (most recent call last):
    doxeval.errors.CollectionError: nowhere://at/all: cannot be opened: Protocol not known: nowhere
    """

    def __init__(self, url: str, kind: Kind) -> None:
        check_url(url, kind.error)
        self.url = url
        self.kind = kind
        self._connected_by = -1  # the process that is connected

    def manifest(self) -> dict[str, Any]:
        """The manifest, if it is of this version, unaltered and complete."""
        size = min(_MOST_MANIFESTS, LARGEST_MANIFEST + 1)
        try:
            data = self._attempts(NAME, 0, size, whole=False)
            if len(data) == size <= LARGEST_MANIFEST:
                data = self._attempts(NAME, 0, LARGEST_MANIFEST + 1, whole=False)
        except FileNotFoundError:
            raise self.kind.error(f"no {self.kind.noun} here", self.url) from None
        if len(data) > LARGEST_MANIFEST:
            message = f"the manifest has more than {LARGEST_MANIFEST >> 20} MiB"
            raise self.kind.error(message, self.address(NAME))
        return parsed_manifest(self.kind, data, self.url, self.address(NAME))

    def read(self, name: str, begin: int, end: int) -> bytes:
        """The bytes of a file from `begin` to `end`, all of them."""
        if begin == end:
            return b""
        try:
            return self._attempts(name, begin, end, whole=True)
        except FileNotFoundError:
            raise self.damaged(name, "the file is missing") from None

    def blocks(self, name: str, size: int) -> Iterator[bytes]:
        """The contents of a file that has so many bytes, not a byte more."""
        self._check_size(name, size)
        for begin in range(0, size, _BLOCK):
            yield self.read(name, begin, min(begin + _BLOCK, size))

    def check_contents(
        self, name: str, recorded: dict[str, Any], progress: Callable[[int], object]
    ) -> None:
        """Compare the size and the hash of a file with what the manifest records of it."""
        if "sha256" not in recorded:
            self._check_size(name, recorded["bytes"])
            return
        digest = hashlib.sha256()
        for block in self.blocks(name, recorded["bytes"]):
            digest.update(block)
            progress(len(block))
        self.check_digest(name, recorded, digest.hexdigest())

    def check_digest(self, name: str, recorded: dict[str, Any], digest: str) -> None:
        """Compare the hash of a file with the recorded one."""
        if digest != recorded["sha256"]:
            raise self.damaged(name, "the file was altered")

    def _check_size(self, name: str, expected: int) -> None:
        """Refuse a file that has another size, if that is known without reading it."""
        self._connect()
        try:
            size = _in_time(0, lambda: self._system.size(self._file(name)))
        except Exception:  # if the file cannot be read, either, that error says more
            return
        if size is not None and size != expected:
            raise self.damaged(name, f"the file has {size:,} bytes instead of {expected:,}")

    def damaged(self, name: str, what: str) -> InputError:
        """The error about a file that is not what it should be."""
        message = f"{what}; copy the {self.kind.noun} there again"
        return self.kind.error(message, self.address(name))

    def address(self, name: str) -> str:
        """The URL of a file, for messages."""
        first, *others = self.url.split("::")
        return "::".join([f"{first.rstrip('/')}/{name}", *others])

    def _connect(self) -> None:
        """Connect, if this process is not connected yet: no connection survives a fork."""
        if self._connected_by == os.getpid():
            return
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            message = "a URL needs fsspec: pip install 'doxeval[remote]'"
            raise self.kind.error(message, self.url) from None
        try:
            self._system, self._path = _in_time(0, lambda: url_to_fs(self.url))
        except Exception as error:  # stores of all kinds, each with errors of its own
            raise self.kind.error(f"cannot be opened: {_reason(error)}", self.url) from error
        self._connected_by = os.getpid()

    def _file(self, name: str) -> str:
        return f"{self._path.rstrip('/')}/{name}"

    def _attempts(self, name: str, begin: int, end: int, *, whole: bool) -> bytes:
        """A range, asked for again if the connection fails; FileNotFoundError is left as it is."""
        self._connect()
        pauses = iter(_PAUSES)
        while True:
            try:
                return _in_time(end - begin, lambda: self._range(name, begin, end, whole))
            except FileNotFoundError:
                raise
            except Exception as error:  # the same
                if _status(error) == _NOT_FOUND:
                    raise FileNotFoundError from error
                pause = next(pauses, None)
                if pause is None or _is_final(error):
                    message = f"cannot be read: {_reason(error)}"
                    raise self.kind.error(message, self.address(name)) from error
            time.sleep(pause)

    def _range(self, name: str, begin: int, end: int, whole: bool) -> bytes:
        path = self._file(name)
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
    """What is read, in a thread that is left alone if so many bytes take too long."""
    outcome: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def work() -> None:
        try:
            outcome.put((True, read()))
        except BaseException as error:  # raised below
            outcome.put((False, error))

    thread = Thread(target=work, daemon=True)
    thread.start()
    seconds = _GRACE + size / _SLOWEST
    try:
        is_read, result = outcome.get(timeout=seconds)
    except Empty:
        raise _TooSlow(f"the answer takes longer than {seconds:,.0f} seconds") from None
    thread.join()  # a process with threads cannot safely fork
    if is_read:
        found: Result = result
        return found
    raise result


def _is_final(error: Exception) -> bool:
    return isinstance(error, (*_FINAL, _TooSlow)) or _status(error) in _REFUSALS


def _status(error: Exception) -> object:
    return getattr(error, "status", None)


def _reason(error: Exception) -> str:
    """What went wrong, on one line.

    >>> _reason(TimeoutError()), _reason(OSError(13, "Permission denied", "x"))
    ('TimeoutError', 'Permission denied')
    """
    told = getattr(error, "strerror", None) or str(error).strip() or type(error).__name__
    return truncate(str(told).split("\n")[0], _LONGEST_REASON)


_LONGEST_URL = 400


@contextmanager
def told(url: str, directory: Path, total: int) -> Iterator[Callable[[int], object]]:
    """Say what is downloaded and where it goes; the result is called with the bytes that came.

    >>> with told("s3://bucket/wiki", Path("/cache/1f3a"), 79_000_000) as progress:
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
        yield lambda _: None
        return
    with _bar(total) as progress:
        yield progress


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], object]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    # Without a thread that refreshes it: a process with threads cannot safely fork.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=total)

        def advance(done: int) -> None:
            bar.advance(task, done)
            bar.refresh()

        yield advance


_LOOK = 0.05  # seconds between two looks at what other processes download
_PATIENCE = 60.0  # seconds without any progress of theirs


def cached(kind: Kind, url: str, seal: str | None = None) -> Cached:
    """The local part of what is at a URL, downloaded if it is not there.

    The manifest is read from the URL every time. Only if the seal is known, as it is to a pickle,
    and what has this seal is complete in the cache, nothing is read from the URL.

    >>> import fsspec, tempfile, unittest.mock
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.documents import COLLECTION
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


_SEAL = re.compile(r"[0-9a-f]{64}")
_SHORTEST_SEAL = 4


@dataclass(frozen=True)
class Kept:
    """What is kept in the cache under one seal: files of a collection, perhaps an index of it."""

    seal: str
    directory: Path
    url: str  # where it came from
    bytes: int
    is_complete: bool

    def as_dict(self) -> dict[str, Any]:
        """The facts by name, for JSON."""
        return {
            "seal": self.seal,
            "url": self.url,
            "bytes": self.bytes,
            "complete": self.is_complete,
            "directory": str(self.directory),
        }


def kept_collections() -> list[Kept]:
    """All that the cache holds, by seal.

    >>> isinstance(kept_collections(), list)
    True
    """
    return sorted(_found(), key=lambda one: one.seal)


def remove(one: Kept) -> None:
    """Remove a collection from the cache. Whoever has it open can go on reading the columns."""
    with output_errors(one.directory):
        (one.directory / NAME).unlink(missing_ok=True)  # the rest is not complete any more
        for directory in _directories(one.directory):
            shutil.rmtree(directory)


def chosen(kept: list[Kept], wanted: str) -> list[Kept]:
    """Those that a user names: `all`, the beginning of a seal, or a URL.

    >>> one = Kept("1f3a9c0b", Path("1f3a9c0b"), "s3://bucket/wiki", 79_000_000, True)
    >>> chosen([one], "1f3a") == chosen([one], "s3://bucket/wiki") == [one]
    True
    """
    found = [
        one
        for one in kept
        if wanted in ("all", one.url)
        or (len(wanted) >= _SHORTEST_SEAL and one.seal.startswith(wanted))
    ]
    if not found and wanted != "all":
        expected = f"expected all, a URL, or a seal (its first {_SHORTEST_SEAL} digits do)"
        raise InputError(f"nothing in the cache is {quoted(wanted)}: {expected}")
    return found


def _found() -> Iterator[Kept]:
    place = cache_directory()
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{place}: cannot be read: {error.strerror or error}") from error
    for name in names:
        if _SEAL.fullmatch(name):
            own = place / name
            size = sum(map(_bytes_in, _directories(own)))
            yield Kept(name, own, url_of(own), size, (own / NAME).exists())


def _directories(own: Path) -> list[Path]:
    """The directory of a collection, and that of its index."""
    both = (own, own.with_name(f"{own.name}.index"))
    return [directory for directory in both if directory.is_dir()]


def _bytes_in(directory: Path) -> int:
    size = 0
    for path in directory.iterdir():
        with suppress(OSError):  # it is being renamed
            size += path.stat().st_size
    return size


def url_of(directory: Path) -> str:
    """Where the files of a directory in the cache came from."""
    try:
        return (directory / URL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
