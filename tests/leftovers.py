"""A plugin of pytest: tests leave nothing behind in the temporary directory.

Each session has a temporary directory of its own, also for the processes that it starts. What is
still there at the end is an error, and is removed. Examples in docstrings may use `mkdtemp` and
leave the rest to this plugin. What pytest itself keeps, such as `tmp_path`, lies elsewhere.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# These are removed when the process ends: examples, inputs of the fuzzer, sockets of Python's own.
UNTIL_THE_END = ("doxeval-example-", "doxeval-fuzz-", "pymp-")


class Leftovers:
    """What tests leave in a directory, and the test after which it was seen first."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._first_seen: dict[str, str] = {}

    def note(self, test: str) -> list[str]:
        """The names that are new after a test."""
        present = [one for one in os.listdir(self._directory) if not one.startswith(UNTIL_THE_END)]
        new = [name for name in present if name not in self._first_seen]
        self._first_seen.update(dict.fromkeys(new, test))
        return new

    def remove(self, names: list[str]) -> None:
        """Remove what an example has made."""
        for name in names:
            del self._first_seen[name]
            path = self._directory / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def refuse(self) -> None:
        """Fail if anything is left."""
        self.note("the end of the session")
        left = [name for name in self._first_seen if (self._directory / name).exists()]
        if left:
            told = ", ".join(f"{name} (after {self._first_seen[name]})" for name in sorted(left))
            pytest.fail(f"left in the temporary directory: {told}", pytrace=False)


@pytest.fixture(scope="session", autouse=True)
def leftovers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Leftovers]:
    """A temporary directory for this session, which must be empty at its end."""
    tmp_path_factory.getbasetemp()  # pytest's own stays where it is, and that of pytest in tests
    usual = tempfile.gettempdir()
    directory = Path(tempfile.mkdtemp(prefix="doxeval-tests-"))
    directory.chmod(0o711)  # a database that runs as another user may pass
    found = Leftovers(directory)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTEST_DEBUG_TEMPROOT", usual)
        patched.setenv("TMPDIR", str(directory))
        patched.setattr(tempfile, "tempdir", str(directory))
        yield found
    try:
        found.refuse()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(autouse=True)
def _noted(leftovers: Leftovers, request: pytest.FixtureRequest) -> Iterator[None]:
    leftovers.note("the fixtures of " + request.node.nodeid)
    yield
    new = leftovers.note(request.node.nodeid)
    if isinstance(request.node, pytest.DoctestItem):
        leftovers.remove(new)
