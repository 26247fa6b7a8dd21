"""The files of a collection or an index, compared with the manifest before anything is read.

Whenever a collection or an index is opened, the size of every file and the header of every array
are compared with the manifest. Contents are hashed, too: of the smallest files first, as long as
they have at most the type's `verified_bytes` together. (The text of a collection does not count:
each document's text is hashed when it is read.) For most collections that is all of them. The
larger files are hashed when all contents are compared, as `Collection.verify` does, or when
something impossible was read from them.

Reading writes nothing into the directory. The hash of a file is remembered by the process, and for
later ones in the user's cache directory, by the file's device, inode, size and times, until any of
them changes: no program can set the time of the last change back. So opening a directory again, in
workers as well, costs next to nothing. Without a cache that can be used, files are hashed again.

Small files are read into memory; the others are mapped. Either way they stay as they were opened
if the collection is built again in the meantime.
"""

from __future__ import annotations

import json
import mmap
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from io import FileIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bytes
from doxeval.errors import DoxevalError, InputError, OutputError
from doxeval.output import temporary_output
from doxeval.storage.manifest import HEADER_BYTES, Column, StoreType, cache_directory, read_manifest

if TYPE_CHECKING:
    from concurrent.futures import Future

Contents: TypeAlias = bytes | mmap.mmap
# Called with the bytes that were hashed since the last call.
Progress: TypeAlias = Callable[[int], object]

_SMALL = 64 << 10
# File systems note times in steps of up to two seconds. A file that changed more recently than
# that could change again without a trace, so what it contains is not remembered.
_SETTLED = 2 * 10**9
_MOST_REMEMBERED = 10_000
# In the cache directory, what was hashed by any process: the newest so many, in a file of at most
# so many bytes.
_DIGESTS_FILE = "hashes.json"
_MOST_KEPT = 2_000
_LARGEST_DIGESTS_FILE = 1 << 20
# Elsewhere the "time of the last change" is that of creation.
_HAS_CHANGE_TIMES = os.name == "posix"
_BLOCK = 256 << 10
_MOST_THREADS = 4  # more would wait for the disk
_WORTH_THREADS = 16 << 20  # so many bytes are hashed in about ten milliseconds

# A file in one state: device, inode, size, time stamp, and the time when any of this, or the
# contents, last changed, which nobody can set.
_Identity: TypeAlias = str

_DIGESTS: dict[_Identity, str] = {}
_NOT_KEPT: dict[_Identity, str] = {}  # those of them that are not in the cache directory yet
_RECALLED: set[Path] = set()  # the files in cache directories that were read
_LOCK = threading.Lock()  # on these three
# The open directories that were too large to be verified at opening.
_UNVERIFIED: WeakSet[StoredFiles] = WeakSet()


class StoredFiles:
    """The open files of a collection or an index, and its manifest.

    A directory that is replaced at the very moment it is opened is opened again. With
    `only_hashed`, the files without a hash of their own are elsewhere, as they are for a cache.
    """

    def __init__(
        self, store_type: StoreType, directory: Path, *, only_hashed: bool = False
    ) -> None:
        self.store_type = store_type
        self.directory = directory
        self._only_hashed = only_hashed
        self._contents: dict[str, Contents] = {}
        while not self._contents:
            self.manifest = read_manifest(store_type, directory)
            try:
                self._contents = self._open_all()
            except store_type.error:
                if read_manifest(store_type, directory) == self.manifest:
                    raise
        counts = self.manifest["counts"]
        optional = store_type.optional_columns(counts)
        present = {name: optional[name] for name in optional if name in self._contents}
        self._columns: dict[str, Column] = {**store_type.columns(counts), **present}
        self._check_headers()
        if not self.are_verified:
            _UNVERIFIED.add(self)

    @property
    def are_verified(self) -> bool:
        """Whether the contents of all files that have a hash were hashed at opening."""
        return not self.unverified

    @property
    def unverified(self) -> list[str]:
        """The files that are too large to be hashed at opening."""
        files: dict[str, dict[str, Any]] = self.manifest["files"]
        hashed = (name for name in files if name not in self.store_type.unhashed)
        smallest_first = sorted((files[name]["bytes"], name) for name in hashed)
        totals = accumulate(size for size, _ in smallest_first)
        return sorted(
            name
            for total, (_, name) in zip(totals, smallest_first, strict=True)
            if total > self.store_type.verified_bytes
        )

    def has_column(self, name: str) -> bool:
        """Whether there is an array in a file `name.npy`."""
        return f"{name}.npy" in self._columns

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return the array in a file `name.npy`."""
        file = f"{name}.npy"
        dtype = self._columns[file].dtype
        return np.frombuffer(self._contents[file], dtype, offset=HEADER_BYTES)

    def raw(self, name: str) -> Bytes:
        """Return the bytes of a file."""
        return np.frombuffer(self._contents[name], np.uint8)

    def damaged(self, name: str, what: str) -> InputError:
        """Return the error about a file that is not what it should be."""
        path = str(self.directory / name)
        return self.store_type.error(f"the file is damaged: {what}; {self.store_type.again}", path)

    def refuse_damage(self) -> None:
        """Hash the files that were not hashed at opening; raise an error about the first damage.

        This is for a directory that was too large to be verified at opening, when something
        impossible was read from it.
        """
        recorded = {name: self.manifest["files"][name] for name in self.unverified}

        def check(name: str, progress: Progress) -> None:
            check_contents(self.store_type, self.directory / name, recorded[name], progress)

        try:
            map_in_threads(check, list(recorded), [entry["bytes"] for entry in recorded.values()])
        finally:
            save_digests()

    def _open_all(self) -> dict[str, Contents]:
        """Return the contents of all files by their names; nothing if they were replaced."""
        store_type, unverified = self.store_type, set(self.unverified)
        files: dict[str, dict[str, Any]] = {
            name: recorded
            for name, recorded in self.manifest["files"].items()
            if not (self._only_hashed and name in store_type.unhashed)
        }

        def open_file(name: str, progress: Progress) -> Contents:
            return _open(store_type, self.directory / name, files[name], name not in unverified)

        verified = {name for name in files if name not in store_type.unhashed} - unverified
        if any(files[name]["bytes"] > _SMALL for name in verified):
            _recall_digests()
        to_hash = {name for name in verified if not _is_remembered(self.directory / name)}
        sizes = [recorded["bytes"] if name in to_hash else 0 for name, recorded in files.items()]
        try:
            contents = dict(zip(files, map_in_threads(open_file, list(files), sizes), strict=True))
        finally:
            save_digests()
        for name in store_type.unread & files.keys():
            del contents[name]
        if unverified and read_manifest(store_type, self.directory) != self.manifest:
            return {}
        return contents

    def _check_headers(self) -> None:
        for name, expected in self._columns.items():
            contents = self._contents[name]
            if contents[:HEADER_BYTES] != expected.header or len(contents) != expected.bytes:
                what = f"expected {expected.length:,} values of type {expected.dtype.name}"
                raise self.damaged(name, what)


# One file


def check_contents(
    store_type: StoreType, path: Path, recorded: dict[str, Any], progress: Progress | None = None
) -> None:
    """Compare the size and the hash of a file with what the manifest records of it."""
    try:
        with _open_regular(store_type, path, recorded) as file:
            if "sha256" not in recorded:
                return
            if _hash(_identity(file), file, progress) != recorded["sha256"]:
                raise store_type.error(f"the file was altered; {store_type.again}", str(path))
    except OSError as error:
        raise store_type.error(error.strerror or str(error), str(path)) from error


def _open(store_type: StoreType, path: Path, recorded: dict[str, Any], verify: bool) -> Contents:
    """Read or map a file of the right size, and the right hash if it is to be verified."""
    try:
        with _open_regular(store_type, path, recorded) as file:
            size, expected = recorded["bytes"], recorded.get("sha256")
            contents: Contents = b""
            if expected is not None and size <= _SMALL:
                contents = file.read()
            elif size:
                contents = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if not verify or expected is None:
                return contents
            if isinstance(contents, bytes):
                import hashlib

                is_intact = hashlib.sha256(contents).hexdigest() == expected
            else:
                identity = _identity(file)
                # What is remembered may be damaged itself, so nothing is refused for its sake.
                is_intact = _DIGESTS.get(identity) == expected or _hash(identity, file) == expected
            if not is_intact:
                raise store_type.error(f"the file was altered; {store_type.again}", str(path))
            return contents
    except OSError as error:
        raise store_type.error(error.strerror or str(error), str(path)) from error


def _open_regular(store_type: StoreType, path: Path, recorded: dict[str, Any]) -> FileIO:
    """Open a regular file that has the right size."""
    file = FileIO(os.fspath(path), "rb", opener=_open_at_once)
    try:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise store_type.error(f"this is not a regular file; {store_type.again}", str(path))
        if state.st_size != recorded["bytes"]:
            message = f"the file has {state.st_size:,} bytes instead of {recorded['bytes']:,}"
            raise store_type.error(f"{message}; {store_type.again}", str(path))
    except BaseException:
        file.close()
        raise
    return file


def _open_at_once(path: str, flags: int) -> int:
    """Open whatever there is, even a pipe that nobody writes to, without waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


# What was hashed before


def _identity(file: FileIO | Path) -> _Identity:
    state = file.stat() if isinstance(file, Path) else os.fstat(file.fileno())
    times = f"{state.st_mtime_ns} {state.st_ctime_ns}"
    return f"{state.st_dev} {state.st_ino} {state.st_size} {times}"


def _is_remembered(path: Path) -> bool:
    """Whether a file was hashed in the state it is in."""
    try:
        return bool(_DIGESTS) and _identity(path) in _DIGESTS
    except OSError:
        return False  # opening the file raises the error


def _hash(identity: _Identity, file: FileIO, progress: Progress | None = None) -> str:
    """Return the hash of an open file, which is remembered from now on."""
    now = time.time_ns()
    sha256 = digest(file, progress)
    *_, size, modified, changed = map(int, identity.split())
    if size > _SMALL and now - max(modified, changed) > _SETTLED:
        with _LOCK:
            if len(_DIGESTS) >= _MOST_REMEMBERED:
                _DIGESTS.clear()
            _DIGESTS[identity] = _NOT_KEPT[identity] = sha256
    return sha256


def _recall_digests() -> None:
    """Read what earlier processes of this user have hashed, once in this one."""
    with suppress(OutputError):  # there is no cache directory
        path = cache_directory() / _DIGESTS_FILE
        with _LOCK:
            if path not in _RECALLED:
                _RECALLED.add(path)
                _DIGESTS.update({**_read_digests(path), **_DIGESTS})


def save_digests() -> None:
    """Write what this process has hashed into the cache directory, for later ones, if possible.

    Of several processes that do so at the same time, the last one wins, and what the others
    hashed is hashed again some time.

    >>> save_digests()
    """
    if not _NOT_KEPT or not _HAS_CHANGE_TIMES:
        return
    with _LOCK:
        new = dict(_NOT_KEPT)
        _NOT_KEPT.clear()
    with suppress(OSError, OutputError):  # there is no such directory, or not for us
        path = cache_directory() / _DIGESTS_FILE
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        newest = list({**_read_digests(path), **new}.items())[-_MOST_KEPT:]
        with temporary_output(path, "writing") as temporary:
            temporary.write_text(json.dumps(dict(newest), indent=0), encoding="ascii")
            temporary.replace(path)


def _read_digests(path: Path) -> dict[_Identity, str]:
    """Return what a file in the cache directory holds, which is nothing if it is damaged."""
    try:
        with path.open("rb") as file:
            kept = json.loads(file.read(_LARGEST_DIGESTS_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    is_usable = isinstance(kept, dict) and all(isinstance(value, str) for value in kept.values())
    return kept if is_usable else {}


# Hashing, in a few threads: hashlib lets the others run in the meantime

Item = TypeVar("Item")
Result = TypeVar("Result")


def digest(file: FileIO, progress: Progress | None = None) -> str:
    """Return the SHA-256 of an open file, from its current position to its end.

    >>> import tempfile
    >>> with tempfile.TemporaryFile(buffering=0) as file:
    ...     digest(file)[:8]
    'e3b0c442'
    """
    import hashlib

    sha256 = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    while count := file.readinto(block):
        sha256.update(block[:count])
        if progress is not None:
            progress(count)
    return sha256.hexdigest()


class _Stopped(Exception):
    """The files are no longer needed."""


def map_in_threads(
    task: Callable[[Item, Progress], Result],
    items: Sequence[Item],
    sizes: Sequence[int],
    progress: Progress | None = None,
) -> list[Result]:
    """Return the results of a task for all items, in order; raise the first error in this order.

    `sizes` are the bytes that each item takes to hash: the largest items are begun first. The task
    is called with an item and a function to report its progress to; `progress` itself is only
    called in this thread.

    >>> map_in_threads(lambda name, progress: name.upper(), ["a", "b"], [1, 1])
    ['A', 'B']
    """
    threads = min(_MOST_THREADS, _cores(), len(items))
    if threads < 2 or sum(sizes) < _WORTH_THREADS:  # as for most collections
        return [task(item, progress or (lambda _: None)) for item in items]
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    news: SimpleQueue[int | None] = SimpleQueue()  # bytes, or None for an item that is done
    is_stopped = False

    def report(count: int) -> None:
        if is_stopped:
            raise _Stopped
        news.put(count)

    with ThreadPoolExecutor(threads) as pool:
        futures: dict[int, Future[Result]] = {}
        try:
            for at in sorted(range(len(items)), key=lambda at: -sizes[at]):
                futures[at] = pool.submit(task, items[at], report)
                futures[at].add_done_callback(lambda _: news.put(None))
            left = len(items)
            while left:
                count = news.get()
                if count is None:
                    left -= 1
                elif progress is not None:
                    progress(count)
            return [futures[at].result() for at in range(len(items))]
        finally:
            is_stopped = True  # an interrupted caller does not wait for the rest
            pool.shutdown(wait=False, cancel_futures=True)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Errors that only a damaged file can cause. A collection or an index that is too large to be
# verified at opening may hold numbers that point nowhere. Where NumPy or Python stumble over such a
# number, the files are compared with their hashes, and the error names the file. If all files are
# as they were built, the mistake is the caller's, and the original error is raised.
#
# Nearly all reading goes through methods of the collection or the index, which are decorated with
# `reports_damage`; other code that reads columns does so inside `report_damage`. Code that is not
# doxeval's, such as a user's measure, runs inside `foreign_code`: its errors cause no hashing.


class _HasFiles(Protocol):
    def refuse_damage(self) -> None:
        """Raise an error about the first damaged file, if there is one."""


Self = TypeVar("Self", bound=_HasFiles)
Parameters = ParamSpec("Parameters")

_SIGNS_OF_DAMAGE = (ArithmeticError, LookupError, MemoryError, ValueError)
_FOREIGN = "_doxeval_foreign"  # an attribute of errors that were raised in code of others


@contextmanager
def report_damage(store: _HasFiles | None) -> Iterator[None]:
    """Look for damaged files if what is done inside raises an error that they could cause.

    >>> with report_damage(None):
    ...     _ = [1, 2][5]
    Traceback (most recent call last):
    IndexError: list index out of range
    """
    try:
        yield
    except _SIGNS_OF_DAMAGE as error:
        if store is not None and may_be_damage(error):
            store.refuse_damage()
        raise


def reports_damage(
    method: Callable[Concatenate[Self, Parameters], Result],
) -> Callable[Concatenate[Self, Parameters], Result]:
    """Do the same for a method of a collection or an index."""

    @wraps(method)
    def reading(self: Self, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:  # as in `report_damage`, which would cost a microsecond more
            return method(self, *arguments, **named)
        except _SIGNS_OF_DAMAGE:
            self.refuse_damage()
            raise

    return reading


@contextmanager
def foreign_code(value: object) -> Iterator[None]:
    """Mark errors of what is done inside as foreign if a value's class is not doxeval's.

    >>> def is_damage(value):
    ...     try:
    ...         with foreign_code(value):
    ...             raise ValueError("no such topic")
    ...     except ValueError as error:
    ...         return may_be_damage(error)
    >>> from fractions import Fraction  # stands for a class of the user's own
    >>> is_damage(Fraction(1, 2)), is_damage(None)
    (False, True)
    """
    try:
        yield
    except Exception as error:
        if type(value).__module__.partition(".")[0] not in ("doxeval", "builtins"):
            with suppress(AttributeError):
                setattr(error, _FOREIGN, True)
        raise


def may_be_damage(error: BaseException) -> bool:
    """Whether an error that nobody expected may come from a damaged file.

    >>> may_be_damage(IndexError())
    True
    """
    return not getattr(error, _FOREIGN, False)


def damage_in_open_files() -> DoxevalError | None:
    """Return the first damage in an open collection or index that was not verified at opening.

    For an error that nobody expected, when it is not known which of them may be the cause.

    >>> damage_in_open_files()
    """
    try:
        for files in list(_UNVERIFIED):
            files.refuse_damage()
    except DoxevalError as error:
        return error
    return None
