"""A directory at a URL, read through fsspec: the only place that knows of it.

All reading is of ranges, so nothing is transferred that was not asked for, and a range that was cut
off is asked for again, a few times. A range that comes too slowly is not waited for. What goes
wrong far away comes in every kind of exception that the many libraries behind fsspec have, and
leaves here as one error that names the URL.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from doxeval.errors import InputError
from doxeval.messages import truncate
from doxeval.storage.kinds import Kind
from doxeval.storage.locations import check_url
from doxeval.storage.manifest import NAME, parsed_manifest

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

    >>> from doxeval.documents.manifest import COLLECTION
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
