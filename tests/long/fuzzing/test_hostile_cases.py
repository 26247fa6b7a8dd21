"""What was found once stays closed: every case of tests/data/hostile goes through its reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doxeval.errors import DoxevalError
from fuzzing import TARGETS
from fuzzing.commands import Case
from helpers import DATA

HOSTILE = DATA / "hostile"
CASES = sorted(path for path in HOSTILE.glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_hostile_case_is_read_or_refused(path: Path) -> None:
    """The reader returns or raises an error of ours; any other exception fails the test."""
    target = TARGETS[path.parent.name]
    try:
        target.read(path.read_bytes())
    except DoxevalError as error:
        assert str(error)


def test_every_case_is_explained() -> None:
    explained = re.findall(r"^\| `([^`]+)` \|", (HOSTILE / "README.md").read_text(), re.MULTILINE)
    assert explained == [f"{path.parent.name}/{path.name}" for path in CASES]


def test_cases_stay_small() -> None:
    assert max(path.stat().st_size for path in CASES) < 20_000


def test_calls_are_written_as_they_were_read() -> None:
    for path in CASES:
        if path.parent.name.startswith("command-"):
            assert Case.from_bytes(path.read_bytes()).to_bytes() + b"\n" == path.read_bytes(), path
