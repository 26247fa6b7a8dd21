"""Notebooks: what is kept in them is what they print and show."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from helpers import ROOT

pytestmark = pytest.mark.skipif(find_spec("nbclient") is None, reason="nbclient is not installed")
NOTEBOOK = ROOT / "docs" / "examples" / "the-whole-job.ipynb"


def check(notebook: Path) -> subprocess.CompletedProcess[str]:
    script = str(ROOT / "scripts" / "notebooks.py")
    command = [sys.executable, "-W", "ignore", script, "--check", str(notebook)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def test_the_notebook_gives_the_outputs_that_it_keeps() -> None:
    done = check(NOTEBOOK)
    assert done.returncode == 0, done.stderr


def test_another_output_is_noticed(tmp_path: Path) -> None:
    changed = tmp_path / "changed.ipynb"
    text = NOTEBOOK.read_text(encoding="utf-8")
    changed.write_text(text.replace("46 documents", "47 documents"), encoding="utf-8")
    done = check(changed)
    assert done.returncode == 1
    assert "other outputs: changed.ipynb" in done.stderr
