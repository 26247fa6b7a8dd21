"""The drop-in for inex_eval 3.1 against the tool's own output."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.compat import inex_eval_lines
from doxeval.errors import FormatError
from helpers import DATA
from inex_eval_runs import assert_same, options

MINI = DATA / "inex_eval-3.1"
CASES = sorted(path.parent for path in MINI.glob("*/expected.txt"))


def test_there_are_small_cases_of_the_tool() -> None:
    assert len(CASES) == 24


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_small_cases_of_the_tool(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(case)
    chosen = options(Path("args.txt").read_text())
    expected = Path("expected.txt").read_text().splitlines()
    if expected[0].lower().startswith("error"):
        with pytest.raises(FormatError, match=r"^run\.txt:\d"):
            inex_eval_lines("run.txt", ["qrels.txt"], chosen)
    else:
        assert_same(inex_eval_lines("run.txt", ["qrels.txt"], chosen), expected)
