"""Progress in a log: lines without control characters, none for short work."""

from __future__ import annotations

import re
from itertools import count, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as doxeval_package
from doxeval.progress import LogLines
from helpers import doxeval
from levels import examples
from seams import change

DEMO = Path(doxeval_package.__file__).parent / "demo_data"


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 50), st.floats(0, 30)), max_size=40), st.booleans())
def test_lines_come_every_ten_seconds_and_never_go_back(
    steps: list[tuple[int, float]], is_known: bool
) -> None:
    time, printed = [0.0], list[tuple[float, str]]()
    total = sum(done for done, _ in steps) if is_known else None
    lines = LogLines(
        "work",
        total,
        now=lambda: time[0],
        write=lambda text: printed.append((time[0], text)),
    )
    for done, seconds in steps:
        time[0] += seconds
        lines.advance(done)
    when = [0.0, *(moment for moment, _ in printed)]
    assert all(later - earlier >= 10 for earlier, later in pairwise(when))
    if time[0] < 10:
        assert not printed
    texts = [text for _, text in printed]
    assert all(text.isprintable() and text.startswith("work: ") for text in texts)
    counts = [int(re.search(r": ([\d,]+)", text)[1].replace(",", "")) for text in texts]  # type: ignore[index]
    assert counts == sorted(counts)


def test_long_scoring_is_logged_and_short_is_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [DEMO / "runs" / f"{name}.run" for name in ("careful", "clerk", "magpie", "nearly")]
    command = ("evaluate", *runs, "-a", DEMO / "assessments.jsonl", "-m", "cP@5", "--jobs", 1)
    collection = tmp_path / "c"
    assert doxeval("collection", "build", DEMO / "articles", "--out", collection).exit_code == 0
    quiet = doxeval(*command, "--collection", collection)
    assert quiet.exit_code == 0 and "scoring runs" not in quiet.stderr
    seconds = count(0, 11)
    change(monkeypatch, progress_clock=lambda: float(next(seconds)))
    logged = doxeval(*command, "--collection", collection)
    assert logged.stdout == quiet.stdout
    lines = [line for line in logged.stderr.splitlines() if line.startswith("scoring runs")]
    assert lines == [
        "scoring runs: 1 of 4, 25%, about 35 s left",
        "scoring runs: 2 of 4, 50%, about 20 s left",
        "scoring runs: 3 of 4, 75%, about 10 s left",
        "scoring runs: 4 of 4, 100%",
    ]
