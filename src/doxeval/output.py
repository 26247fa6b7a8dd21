"""Outputs that appear completely or not at all, and what killed processes leave of them.

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
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO, Literal

try:
    import fcntl
except ImportError:  # Windows
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

OutputStage = Literal["writing", "building", "replaced"]

_LONGEST_NAME = 200  # bytes of NAME; file systems allow 255 with all that is added
_NO_LOCK = -1


def new_file(path: Path) -> None:
    """Make an empty file where there is nothing yet."""
    path.touch(exist_ok=False)


@contextmanager
def temporary_output(
    target: Path, stage: OutputStage, make: Callable[[Path], object] = new_file
) -> Iterator[Path]:
    """Make a temporary file next to `target`, or what `make` makes, and lock it.

    At the end it is removed, if it has not been given another name. Leftovers of dead processes in
    the same directory are removed first.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with temporary_output(target, "writing") as path:
    ...     print(path.exists(), target.exists(), path.name[:15])
    True False .a.txt.writing-
    >>> path.exists()
    False
    """
    remove_leftovers(target.parent)
    # The name is known before anything is made: Ctrl-C may come at any moment.
    path, lock = _new_name(target, stage), None
    try:
        make(path)
        while (lock := _lock_of_new(path)) is None:  # it was removed before it could be locked
            path = _new_name(target, stage)
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
    if not HAS_LOCKS:
        return
    for path, parts in _temporaries(directory):
        if parts["host"] != _host():
            continue
        if parts["stage"] != "replaced":
            _remove_if_dead(path)
        elif (directory / parts["name"]).exists() and not _may_be_alive(_sibling(path)):
            _remove(path)


def is_being_written(target: Path) -> bool:
    """Whether a living process is writing `target`, as far as locks can tell.

    >>> is_being_written(Path("no/such/place"))
    False
    """
    return any(_may_be_alive(path) for path in _of_stage(target, "writing"))


# Putting an output in its place


def flush_to_disk(file: BinaryIO) -> None:
    """Make sure that all that was written to a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def move_into_place(path: Path, target: Path) -> None:
    """Let a finished directory take the place of another one, at `target`.

    There is a moment without `target`. If the process is killed in that moment, `restore` puts the
    old directory back.
    """
    replaced = _sibling(path)
    is_located = False
    try:
        while not is_located:
            if target.exists():
                _remove(replaced)
                with suppress(FileNotFoundError):  # another process replaces it, too
                    target.rename(replaced)
            try:
                path.rename(target)
                is_located = True
            except OSError:
                if not target.exists():  # that of another process, which is replaced in turn
                    raise
    finally:
        if is_located:
            _remove(replaced)
        elif replaced.exists() and not target.exists():
            replaced.rename(target)


def move_all_into_place(outputs: Sequence[tuple[Path, Path]]) -> None:
    """Let finished files or directories take their places, each given with its temporary name.

    If one of them cannot, the others are taken back, and what they replaced is there again. Where
    the file system has no links, what was replaced is gone.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "new").touch()
    >>> move_all_into_place([(folder / "new", folder / "a"), (folder / "missing", folder / "b")])
    Traceback (most recent call last):
    FileNotFoundError: ...
    >>> [path.name for path in folder.iterdir()]
    ['new']
    """
    placed: list[tuple[Path, Path, Path | None]] = []
    with ExitStack() as links:
        try:
            for path, target in outputs:
                old: Path | None = None
                if len(outputs) > 1 and target.exists():
                    link = temporary_output(target, "writing", partial(os.link, target))
                    with suppress(OSError):
                        old = links.enter_context(link)
                path.replace(target)
                placed.append((path, target, old))
        except BaseException:
            for path, target, old in reversed(placed):
                with suppress(OSError):  # the first error is the one to raise
                    target.rename(path) if old is None else old.replace(target)
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
    """Return the old directory that a process moved away from `target`, if there is one.

    >>> set_aside(Path("no/such/place")) is None
    True
    """
    return next(iter(_of_stage(target, "replaced")), None)


def is_being_replaced(target: Path) -> bool:
    """Whether a living process has moved the old directory away, and not yet placed the new one.

    >>> is_being_replaced(Path("no/such/place"))
    False
    """
    old = set_aside(target)
    return old is not None and _may_be_alive(_sibling(old))


# Names


def _new_name(target: Path, stage: OutputStage) -> Path:
    name = target.name
    if not name:  # as in `.`, `/` and an empty path
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if len(encoded := os.fsencode(name)) > _LONGEST_NAME:
        name = encoded[:_LONGEST_NAME].decode("utf-8", "ignore")
    return target.with_name(f".{name}.{stage}-{_host()}-{os.urandom(4).hex()}")


def _temporaries(directory: Path) -> Iterator[tuple[Path, re.Match[str]]]:
    """Yield what has a temporary name in a directory, with the parts of the name."""
    try:
        names = os.listdir(directory)
    except OSError:  # the error is raised when the output is written
        return
    for name in names:
        if name.startswith(".") and (parts := _parts(name)):
            yield directory / name, parts


def _of_stage(target: Path, stage: OutputStage) -> list[Path]:
    """Return what there is next to a target under temporary names of a stage."""
    return [
        path
        for path, parts in _temporaries(target.absolute().parent)
        if (parts["name"], parts["stage"]) == (target.name, stage)
    ]


def _parts(name: str) -> re.Match[str] | None:
    """Split a temporary name; `host` is None where there are no locks."""
    pattern = (
        r"\.(?P<name>.+)\.(?P<stage>writing|building|replaced)"
        r"(?:-(?P<host>[0-9a-f]{8}))?-(?P<token>[0-9a-f]{8})"
    )
    return re.fullmatch(pattern, name, re.DOTALL)


def _sibling(path: Path) -> Path:
    """Return the name of what a new directory replaces, or that of the new one for the old."""
    parts = _parts(path.name)
    if parts is None or parts["stage"] == "writing":
        raise ValueError(f"{path.name} is not the temporary name of what is built")
    begin, end = parts.span("stage")
    other = "replaced" if parts["stage"] == "building" else "building"
    return path.with_name(path.name[:begin] + other + path.name[end:])


def _without_host(path: Path) -> Path:
    start, _, token = path.name.rpartition("-")
    return path.with_name(f"{start.rpartition('-')[0]}-{token}")


@cache
def _host() -> str:
    import platform
    from zlib import crc32

    return f"{crc32(platform.node().encode('utf-8', 'surrogateescape')):08x}"


# Locks


def _lock_of_new(path: Path) -> int | None:
    """Lock what was just made; return None if it was taken for a leftover and removed."""
    if not HAS_LOCKS:
        return _NO_LOCK
    try:
        file = _open_locked(path, wait=True)
    except FileNotFoundError:
        return None
    except OSError:  # the file system has no locks
        return _NO_LOCK
    if not _is_at(file, path):
        os.close(file)
        return None
    return file


def _remove_if_dead(path: Path) -> None:
    """Remove what nobody holds a lock on; the lock is ours while it is removed."""
    try:
        file = _open_locked(path)
    except OSError:  # its process is alive, or it is gone, or somebody else's
        return
    try:
        if _is_at(file, path):
            _remove(path)
    finally:
        os.close(file)


def _may_be_alive(path: Path) -> bool:
    """Whether a process works on this output; where locks cannot tell, it does if it is there."""
    parts = _parts(path.name)
    if not HAS_LOCKS or parts is None or parts["host"] != _host():
        return path.exists()
    try:
        os.close(_open_locked(path))
    except BlockingIOError:
        return True
    except OSError:  # it is gone, or somebody else's
        return path.exists()
    return False


def _open_locked(path: Path, *, wait: bool = False) -> int:
    """Open and lock a file or a directory; network file systems want files open for writing."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file = os.open(path, os.O_RDWR | flags)
    except IsADirectoryError:
        file = os.open(path, os.O_RDONLY | flags)
    try:
        lock_file(file, wait=wait)
    except OSError:
        os.close(file)
        raise
    return file


def lock_file(file: int, *, wait: bool = False) -> None:
    """Lock an open file for this process alone; wait for another one's lock, or raise OSError."""
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
