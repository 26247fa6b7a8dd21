"""Tests and examples leave nothing behind in the temporary directory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from leftovers import Leftovers


def test_a_process_with_example_collections_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import os; from doxeval.documents.examples import example_collection as example\n"
        "found = example({'a': '<p>One.</p>'})\n"
        "if os.fork() == 0: raise SystemExit  # a copy of the process removes nothing\n"
        "os.wait(); assert found.directory.exists()"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


def test_tests_have_a_temporary_directory_of_their_own(leftovers: Leftovers) -> None:
    assert Path(tempfile.gettempdir()).name.startswith("doxeval-tests-")
    assert os.environ["TMPDIR"] == tempfile.gettempdir()


def test_what_tests_leave_is_named_with_the_test(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    (tmp_path / "doxeval-example-1").mkdir()
    found = Leftovers(tmp_path)
    assert found.note("fixtures") == ["before"]
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    found.remove(found.note("a doctest"))
    (tmp_path / "before").rmdir()
    found.refuse()
    (tmp_path / "left").touch()
    found.note("test_that_leaves")
    with pytest.raises(pytest.fail.Exception, match=r"directory: left \(after test_that_leaves\)"):
        found.refuse()
