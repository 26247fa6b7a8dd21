"""Outputs that are not finished yet: their temporary names, their locks, and what dead ones leave.

    .NAME.writing-HOST-TOKEN      a file or a directory that is being written
    .NAME.building-HOST-TOKEN     a collection or an index that is being built
    .NAME.replaced-HOST-TOKEN     what the one with this token replaces

The process that writes an output holds a lock on it (flock). The system releases the lock when the
process ends, even if it is killed. So whoever writes to the same directory next can tell what dead
processes left, and remove it, from what living ones are working on.

Where there are no such locks (Windows, some network file systems), the name has no HOST, and
nobody removes it but the process that made it. HOST is a hash of the host's name: what another
host left is not removed either, because locks need not reach from one host to another.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal

OutputStage = Literal["writing", "building", "replaced"]

_LONGEST_NAME = 200  # bytes of NAME; file systems allow 255 with all that is added
_HAS_LOCKS = os.name == "posix"
_NO_LOCK = -1
_CANNOT_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOENT}


@contextmanager
def temporary_output(
    target: Path, kind: OutputStage, make: Callable[[Path], object]
) -> Iterator[Path]:
    """A temporary place beside `target`, made by `make` and locked; whatever is left is removed.

    Leftovers of dead processes in the same directory are removed first.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with temporary_output(target, "writing", Path.touch) as path:
    ...     print(path.exists(), target.exists(), path.name[:15])
    True False .a.txt.writing-
    >>> path.exists()
    False
    """
    remove_leftovers(target.parent)
    # The name is known before anything is made: Ctrl-C may come at any moment.
    path, lock = _new_name(target, kind), None
    try:
        make(path)
        while (lock := _lock_of_new(path)) is None:  # it was removed before it could be locked
            path = _new_name(target, kind)
            make(path)
        if lock == _NO_LOCK:
            made, path = path, _without_host(path)
            made.rename(path)
        yield path
    finally:
        _remove(path)
        if lock is not None and lock != _NO_LOCK:
            os.close(lock)


@contextmanager
def make_parents(directory: Path) -> Iterator[None]:
    """Make a directory and its parents; after an error, those that were made are removed."""
    missing = []
    ancestor = directory
    while not ancestor.exists():
        missing.append(ancestor)
        ancestor = ancestor.parent
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for made in missing:
            with suppress(OSError):  # somebody else may have put something into it
                made.rmdir()
        raise


def remove_leftovers(directory: Path) -> None:
    """Remove what dead processes of this host left unfinished in a directory.

    >>> import tempfile
    >>> directory = Path(tempfile.mkdtemp())
    >>> left = _new_name(directory / "a.txt", "writing")
    >>> left.touch()
    >>> remove_leftovers(directory)
    >>> left.exists()
    False
    """
    if not _HAS_LOCKS:
        return
    try:
        names = os.listdir(directory)
    except OSError:  # the error is told when the output is written
        return
    for name in names:
        if name.startswith(".") and (parts := _parts(name)) and parts["host"] == _host():
            if parts["kind"] != "replaced":
                _remove_if_dead(directory / name)
            elif (directory / parts["name"]).exists() and not _may_be_alive(
                _sibling(directory / name)
            ):
                _remove(directory / name)


def is_being_written(target: Path) -> bool:
    """Whether a living process is writing `target`, as far as locks can tell.

    >>> is_being_written(Path("no/such/place"))
    False
    """
    return any(_may_be_alive(path) for path in _of_kind(target, "writing"))


# Putting an output in its place


def flush_to_disk(file: BinaryIO) -> None:
    """Make sure that all that was written to a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def move_into_place(path: Path, target: Path) -> None:
    """Let a finished directory take the place of another one, at `target`.

    Where the system can exchange two names, this is one step, and the old directory is then found
    under the temporary name. Elsewhere there is a moment without `target`; if the process is killed
    in that moment, `restore` puts the old directory back.
    """
    if not target.exists():
        path.rename(target)
    elif not _exchanged(path, target):
        replaced = _sibling(path)
        target.rename(replaced)
        try:
            path.rename(target)
        except BaseException:
            replaced.rename(target)
            raise
        _remove(replaced)


def move_all_into_place(outputs: Sequence[tuple[Path, Path]]) -> None:
    """Let finished files or directories take their places, each given with its temporary name.

    If one of them cannot, the others are taken back, and what they replaced is there again. Where
    the system cannot exchange two names, what was replaced is gone.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "new").touch()
    >>> move_all_into_place([(folder / "new", folder / "a"), (folder / "missing", folder / "b")])
    Traceback (most recent call last):
    FileNotFoundError: ...
    >>> [path.name for path in folder.iterdir()]
    ['new']
    """
    done: list[tuple[Path, Path, bool]] = []
    try:
        for path, target in outputs:
            # One output alone takes its place in one step, whatever the system can do.
            keeps = len(outputs) > 1 and target.exists() and _exchanged(path, target)
            if not keeps:
                path.replace(target)
            done.append((path, target, keeps))
    except BaseException:
        for path, target, keeps in reversed(done):
            with suppress(OSError):  # the first error is the one to tell
                if keeps:
                    _exchanged(path, target)
                else:
                    target.rename(path)
        raise


def restore(target: Path) -> None:
    """Put back the old directory if a dead process moved it away and put nothing in its place."""
    if target.exists():
        return
    old = set_aside(target)
    if old is not None and not _may_be_alive(_sibling(old)):
        with suppress(OSError):  # another process was quicker
            old.rename(target)


def set_aside(target: Path) -> Path | None:
    """The old directory that a process moved away from `target`, if there is one.

    >>> set_aside(Path("no/such/place")) is None
    True
    """
    return next(iter(_of_kind(target, "replaced")), None)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange the names of two files or directories in one step, if the system can."""
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError):  # Windows
        return False
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux; RENAME_SWAP of macOS is 2 too
    names = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        failed = library.renameat2(here, names[0], here, names[1], exchange)
    elif hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, exchange)
    else:
        return False
    number = ctypes.get_errno()
    if failed and number not in _CANNOT_EXCHANGE:
        raise OSError(number, os.strerror(number), str(other))
    return not failed


# Names


def _new_name(target: Path, kind: OutputStage) -> Path:
    name = target.name
    if not name:  # as in `.`, `/` and an empty path
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if len(encoded := os.fsencode(name)) > _LONGEST_NAME:
        name = encoded[:_LONGEST_NAME].decode("utf-8", "ignore")
    return target.with_name(f".{name}.{kind}-{_host()}-{os.urandom(4).hex()}")


def _of_kind(target: Path, kind: OutputStage) -> list[Path]:
    """What there is beside a target under temporary names of a kind."""
    parent = target.absolute().parent
    try:
        names = os.listdir(parent)
    except OSError:
        return []
    return [
        parent / name
        for name in names
        if name.startswith(".")
        and (parts := _parts(name))
        and (parts["name"], parts["kind"]) == (target.name, kind)
    ]


def _parts(name: str) -> re.Match[str] | None:
    """The parts of a temporary name; `host` is None where there are no locks."""
    pattern = (
        r"\.(?P<name>.+)\.(?P<kind>writing|building|replaced)"
        r"(?:-(?P<host>[0-9a-f]{8}))?-(?P<token>[0-9a-f]{8})"
    )
    return re.fullmatch(pattern, name, re.DOTALL)


def _without_host(path: Path) -> Path:
    start, _, token = path.name.rpartition("-")
    return path.with_name(f"{start.rpartition('-')[0]}-{token}")


def _sibling(path: Path) -> Path:
    """The name of what a new directory replaces, and the other way round."""
    for one, other in ((".replaced-", ".building-"), (".building-", ".replaced-")):
        start, found, token = path.name.rpartition(one)
        if found:
            return path.with_name(f"{start}{other}{token}")
    raise ValueError(f"{path.name} is not the temporary name of what is built")


@cache
def _host() -> str:
    import platform
    from zlib import crc32

    return f"{crc32(platform.node().encode('utf-8', 'surrogateescape')):08x}"


# Locks


def _lock_of_new(path: Path) -> int | None:
    """The lock on what was just made; None if it was taken for a leftover and removed."""
    if not _HAS_LOCKS:
        return _NO_LOCK
    try:
        file = _opened(path)
    except FileNotFoundError:
        return None
    try:
        _lock(file, wait=True)
    except OSError:  # the file system has no locks
        os.close(file)
        return _NO_LOCK
    if not _is_at(file, path):
        os.close(file)
        return None
    return file


def _remove_if_dead(path: Path) -> None:
    """Remove what nobody holds a lock on; the lock is ours while it is removed."""
    try:
        file = _opened(path)
    except OSError:  # it is gone, or somebody else's
        return
    try:
        _lock(file, wait=False)
        if _is_at(file, path):
            _remove(path)
    except OSError:  # its process is alive
        pass
    finally:
        os.close(file)


def _may_be_alive(path: Path) -> bool:
    """Whether a process works on this output; where locks cannot tell, it does if it is there."""
    parts = _parts(path.name)
    if not _HAS_LOCKS or parts is None or parts["host"] != _host():
        return path.exists()
    try:
        file = _opened(path)
    except OSError:
        return path.exists()
    try:
        _lock(file, wait=False)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _opened(path: Path) -> int:
    """Open a file or a directory for a lock; network file systems want files open for writing."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, os.O_RDWR | flags)
    except IsADirectoryError:
        return os.open(path, os.O_RDONLY | flags)


def _lock(file: int, *, wait: bool) -> None:
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    """Remove a file or a directory, if it is there; what cannot be removed stays for the next."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
