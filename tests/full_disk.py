"""A disk that is full, for tests: every step that writes fails in turn.

Run as a script, it carries out a command of doxeval again and again in one process. Each time,
another step finds the disk full: the opening of a file for writing, a new directory, or a rename;
and after these, writes beyond some size of file. After each failure, the directory must look as it
did before, and the command must say in one line what happened. The command is carried out without
any trouble, too, at the beginning and at the end.

    python full_disk.py DIRECTORY STEPS SIZES WORD…

STEPS are the numbers of the steps that fail, such as `1:40:3`, or `:` for all. SIZES are the sizes
of files that are too large, with commas between them.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from doxeval.cli import main

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_MOST_STEPS = 1000
# What the system says, and what SQLite makes of it.
_REASONS = ("No space left", "File too large", "disk I/O error", "database or disk is full")


class FullDisk:
    """Counts the steps that write below a directory, and lets one of them fail."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.steps = 0
        self.failing = 0

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Called by Python at many steps of a program; an error raised here is the step's own."""
        if event == "open":
            path, mode, flags = arguments
            writes = (
                bool(flags & _WRITING) if mode is None else any(sign in mode for sign in "wxa+")
            )
        elif event in ("os.mkdir", "os.rename"):
            path, writes = arguments[0], True
        else:
            return
        if not writes or not isinstance(path, str | os.PathLike):
            return
        if os.fspath(path).startswith(self.directory):
            self.steps += 1
            if self.steps == self.failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(path))


def snapshot(directory: Path) -> dict[str, bytes | None]:
    """All names below a directory, with the contents of files.

    Two files that SQLite keeps beside a database do not count: it removes them by itself.
    """
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
        if not path.name.endswith((".db-shm", ".db-wal"))
    }


def attempt(words: list[str], directory: Path, before: dict[str, bytes | None]) -> bool:
    """Carry out the command; if it fails, nothing may have changed. Whether it succeeded."""
    done = CliRunner().invoke(main, words)
    if done.exit_code == 0:
        return True
    after = snapshot(directory)
    assert done.exit_code == 1, (done.exit_code, done.output, done.exception)
    assert after == before, sorted(set(after) ^ set(before))
    error = done.stderr.strip().splitlines()[-1]
    assert error.startswith("Error: "), done.stderr
    assert any(reason in error for reason in _REASONS), error
    assert "Traceback" not in done.stderr
    return False


def undo(directory: Path, before: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """Remove what is new in a directory; what it was."""
    after = snapshot(directory)
    for name in set(after) - set(before):
        path = directory / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name, data in before.items():
        if data is not None and after.get(name) != data:
            (directory / name).write_bytes(data)
    return {name: data for name, data in after.items() if before.get(name, b"") != data}


def try_all(directory: Path, steps: slice, sizes: list[int], words: list[str]) -> tuple[int, int]:
    """Let steps fail in turn, then writes; the numbers of steps and of failures."""
    before = snapshot(directory)
    disk = FullDisk(str(directory))
    assert attempt(words, directory, before), "it fails without any trouble"
    expected = undo(directory, before)
    sys.addaudithook(disk.hear)
    failures = 0
    for number in range(_MOST_STEPS)[steps]:
        disk.steps, disk.failing = 0, number + 1
        succeeded = attempt(words, directory, before)
        taken, disk.failing = disk.steps, 0
        failures += not succeeded
        if succeeded:
            assert undo(directory, before).keys() == expected.keys()
        if taken < number + 1:
            break
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in sizes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
        succeeded = attempt(words, directory, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        failures += not succeeded
        if succeeded:
            undo(directory, before)
    assert attempt(words, directory, before)
    assert undo(directory, before).keys() == expected.keys()
    return number, failures


if __name__ == "__main__":
    where, chosen, limits, *command = sys.argv[1:]
    parts = [int(part) if part else None for part in chosen.split(":")]
    os.fsync = lambda fd: None  # as in all tests
    print(*try_all(Path(where), slice(*parts), [int(size) for size in limits.split(",")], command))
