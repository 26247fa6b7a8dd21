"""What is skipped is named, and in CI no part may be missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT

ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT / "tests")}
SKIPPED = """
import pytest

from helpers import ROOT


def test_one():
    pytest.skip("chromium is not installed")


@pytest.fixture
def server():
    pytest.skip("there is no PostgreSQL")


def test_two(server):
    pass


def test_three():
    pytest.skip("lower is better")


@pytest.mark.xfail(strict=True, reason="known")
def test_four():
    raise ValueError
"""


def tried(directory: Path, ci: str, *, workers: int) -> tuple[int, str]:
    (directory / "test_skipped.py").write_text(SKIPPED)
    (directory / "test_unread.py").write_text("import pytest\npytest.importorskip('nosuch')\n")
    return run_pytest(directory, ci, workers=workers)


def run_pytest(directory: Path, ci: str, *names: str, workers: int) -> tuple[int, str]:
    """With the plugin of our tests and the one for several processes, but no others."""
    command = [sys.executable, "-m", "pytest", "-p", "skipping_hooks", "-p", "xdist.plugin"]
    environment = {**os.environ, **ALONE, "CI": ci}
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-n", str(workers), *names],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_our_tests_use_the_plugin(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.hasplugin("skipping_hooks")


@pytest.mark.parametrize("workers", [0, 2])
def test_reasons_are_named_at_the_end(tmp_path: Path, workers: int) -> None:
    code, printed = tried(tmp_path, "", workers=workers)
    assert code == 0, printed
    lines = list(filter(None, printed.split(" skipped ==")[1].splitlines()[1:]))[:4]
    assert lines == [
        "1 test: chromium is not installed",
        "1 file: could not import 'nosuch': No module named 'nosuch'",
        "1 test: lower is better",
        "1 test: there is no PostgreSQL",
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_in_ci_a_missing_part_is_a_failure(tmp_path: Path, workers: int) -> None:
    code, printed = tried(tmp_path, "true", workers=workers)
    assert code == (2 if workers == 0 else 1), printed
    assert "could not import 'nosuch'" in printed
    (tmp_path / "test_unread.py").unlink()
    code, printed = run_pytest(tmp_path, "true", "test_skipped.py", workers=workers)
    assert code == 1, printed
    assert "skipped, which CI does not allow: chromium is not installed" in printed
    assert "skipped, which CI does not allow: there is no PostgreSQL" in printed
    assert "1 test: lower is better" in printed
    assert "1 failed, 1 skipped, 1 xfailed, 1 error" in printed
