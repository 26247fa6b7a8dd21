"""The drop-in for inex_eval 3.1 against the tool's own output for real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.compat import inex_eval_lines
from doxeval.errors import FormatError
from helpers import CONFORMANCE, needs_conformance
from inex_eval_runs import assert_same, options

pytestmark = needs_conformance

REAL = CONFORMANCE / "inex_eval-3.1" / "real"
REAL_CASES = {
    "focused.bert_1.q": "-f -q",
    "focused.bert_1.c": "-f -c",
    "thorough.thorough_1.q": "-t -q",
    "ric.ric_1.q": "-r -q",
    "ricbeta1.ric_1": "-r -beta 1",
    "ricT2I300.ric_1.q": "-i -q -irr 300",
    "ricT2I1000.ric_1": "-i -irr 1000",
    "bic.bic_1.q": "-b -q",
    "bicn1000.bic_1": "-b -n 1000",
}


@pytest.mark.parametrize("name", REAL_CASES)
def test_real_cases_of_the_tool(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REAL)
    run = f"{name.split('.')[1]}.run"
    found = inex_eval_lines(run, ["qrels.txt"], options(REAL_CASES[name]))
    assert_same(found, Path(f"{name}.txt").read_text().splitlines())


def test_a_real_topic_in_two_blocks_is_refused_where_the_tool_scores_it_wrongly() -> None:
    with pytest.raises(FormatError) as refused:
        inex_eval_lines(REAL / "bert_dup-topic.run", [REAL / "qrels.txt"], options("-f"))
    assert "topic 2009079 is in two separate blocks, lines 15687 to 15935 and from line 32582" in (
        refused.value.message
    )


def test_all_real_cases_of_the_tool_are_met() -> None:
    outputs = {path.stem for path in REAL.glob("*.txt")} - {"qrels"}
    assert outputs - set(REAL_CASES) == {"focused.bert_dup-topic"}
