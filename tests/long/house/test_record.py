"""What doxeval does, seen from the outside, is what was recorded: `scripts/record.py` compares."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

from helpers import ROOT

MODULES = sorted(path.stem for path in (ROOT / "scripts" / "recording").glob("[a-z]*.py"))
LONGEST = 20_000  # characters of a difference that are worth reading


@pytest.mark.parametrize("module", ["record", *(f"recording.{name}" for name in MODULES)])
def test_examples_of_the_recorder(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


def test_nothing_differs_from_the_record() -> None:
    """In a process of its own: nothing of pytest's is seen by what is recorded."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "record.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[:LONGEST]}\n{done.stderr}"
