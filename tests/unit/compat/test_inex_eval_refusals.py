"""What the drop-in for inex_eval 3.1 refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from doxeval.compat import InexEvalOptions, InexEvalTask
from doxeval.errors import FormatError, InputError
from inex_eval_runs import Evaluate, evaluator_in, lines, values


@pytest.fixture
def evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.chdir(tmp_path)
    return evaluator_in(tmp_path)


ONCE = "7 Q0 a 1 1 mine "


@pytest.mark.parametrize(
    ("arguments", "run", "message"),
    [
        ("-f", "", "run.txt: no results in the file"),
        ("-f", ONCE + "1", "run.txt:1: 7 fields; expected 8: topic Q0 article rank rsv run-id"),
        ("-f", ONCE + "1 2 3", "run.txt:1: 9 fields; expected 8"),
        ("-f", "6 Q0 a\n", "run.txt:1: 3 fields; expected 8"),
        ("-f", ONCE + "1 2\n\n", "run.txt:2: a blank line; expected 8"),
        ("-f", " " + ONCE + "1 2\n", "run.txt:1: begins with white space"),
        ("-f", ONCE + "1 -2", "run.txt:1: a negative length, -2; expected 0 or more"),
        ("-b", ONCE + "x 2", "run.txt:1: 'x' is not an offset: expected a whole number"),
        ("-f", ONCE + "1 1_0", "run.txt:1: '1_0' is not a length: expected a whole number"),
        ("-f", ONCE + "1 ٣", "run.txt:1: '٣' is not a length"),
        ("-f", ONCE + "1 2147483648", "of at most 2147483647"),
        ("-f", ONCE + "1 " + "9" * 5000, "run.txt:1: '9999"),
        ("-f", ONCE + "2147483647 1", "run.txt:1: the passage ends at 2147483648"),
        ("-f", lines("7 a 0 9", "7 a 5 9"), "topic 7, article a: the passage overlaps that of"),
        ("-r", lines("7 b 0 9", "7 b 0 9"), "run.txt:2: topic 7, article b: the passage overlaps"),
        ("-i", lines("7 a 0 9", "7 a 5 0"), "run.txt:2: topic 7, article a: the passage overlaps"),
        ("-r", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "comes back after another article"),
        ("-i", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "run.txt:3: topic 7, article a: comes"),
        ("-b", lines("7 a 0 1", "7 b 0 1", "7 a 5 1"), "run.txt:3: topic 7, article a: a second"),
        ("-b", lines("7 a 0 1", "7 a 0 1"), "run.txt:2: topic 7, article a: a second result"),
        (
            "-t",
            lines("7 a 0 1", "7 a 9 1", "8 e 0 1", "7 b 0 1"),
            "run.txt:4: topic 7 is in two separate blocks, lines 1 to 2 and from line 4: expected",
        ),
        ("-f", b"7 Q0 a 1 1 \xff 0 1\n", "run.txt:1: byte 0xff is not UTF-8 text"),
        ("-f", b"\xef\xbb\xbf7 Q0 a 1 1 mine 0 1\n", "run.txt:1: begins with a byte order mark"),
    ],
)
def test_runs_that_are_refused(
    evaluate: Evaluate, arguments: str, run: str | bytes, message: str
) -> None:
    with pytest.raises(FormatError) as refused:
        evaluate(arguments, run)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("", "qrels.txt: no assessments in the file"),
        ("\n \n", "qrels.txt: no assessments in the file"),
        ("7 Q0 a 1", "qrels.txt:1: 4 fields; expected topic Q0 article rsize length"),
        (" 7 Q0 a 1 2", "qrels.txt:1: begins with white space"),
        ("7 Q0 a some 9", "qrels.txt:1: 'some' is not an rsize: expected a whole number"),
        ("7 Q0 a 1 99999999999", "qrels.txt:1: '99999999999' is not a length"),
        ("7 Q0 a 1 9 x 0:1", "qrels.txt:1: 'x' is not a best entry point"),
        ("7 Q0 a 1 9 0 12", "qrels.txt:1: '12' is not a passage: expected off:len"),
        ("7 Q0 a 1 9 0 1:", "qrels.txt:1: '' is not a length"),
        ("7 Q0 a 1 9 0 5:-1", "qrels.txt:1: the passage 5:-1 is outside the possible range"),
        (b"7 Q0 \xe9 1 9\n", "qrels.txt:1: byte 0xe9 is not UTF-8 text"),
    ],
)
def test_assessments_that_are_refused(evaluate: Evaluate, qrels: str | bytes, message: str) -> None:
    with pytest.raises(FormatError) as refused:
        evaluate("-f", lines("7 a 0 1"), qrels)
    assert message in str(refused.value)


def test_passages_that_touch_and_empty_ones_at_an_edge_do_not_overlap(evaluate: Evaluate) -> None:
    run = lines("7 a 0 9", "7 a 9 5", "7 a 9 0", "7 a 9 0", "7 a X X", "7 a X X")
    assert values(evaluate("-f", run), "all")["ret_size"] == 14 + 36


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"n": 1 << 40}, {"irr": 0}, {"beta": -1.0}, {"beta": float("nan")}]
)
def test_options_have_bounds(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))} is .*: expected a number"):
        InexEvalOptions(InexEvalTask.FOCUSED, **wrong)
