"""Checks of scores on the command line: what fails, how it ends, what is written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from helpers import doxeval, write_files

QRELS = "".join(f"{topic} 0 d1 1\n{topic} 0 d2 0\n" for topic in range(10))
GOOD = "".join(f"{topic} Q0 d1 1 2 mine\n{topic} Q0 d2 2 1 mine\n" for topic in range(10))
BAD = "".join(f"{topic} Q0 d2 1 2 mine\n{topic} Q0 d1 2 1 mine\n" for topic in range(10))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path, {"qrels.txt": QRELS, "good.run": GOOD, "bad.run": BAD})


def evaluate(files: Path, run: str, *arguments: object) -> Result:
    return doxeval("evaluate", files / run, "-a", files / "qrels.txt", *arguments)


@pytest.fixture
def last(files: Path) -> Path:
    out = files / "last.json"
    assert evaluate(files, "good.run", "-m", "AP", "--per-topic", "--out", out).exit_code == 0
    return out


def test_limits(files: Path) -> None:
    result = evaluate(files, "good.run", "-m", "AP", "--fail-under", "AP=1")
    assert (result.exit_code, result.stdout) == (0, "run       AP\nmine  1.0000\n")
    assert "passed: AP is 1.0000, within the limit of 1\n0 of 1 check failed" in result.stderr
    result = evaluate(
        files, "bad.run", "-m", "AP", "--fail-under", "AP=.9", "--fail-under", "R@1=0"
    )
    assert result.exit_code == 1
    assert result.stdout == "run       AP     R@1\nmine  0.5000  0.0000\n", "scores all the same"
    assert "failed: AP is 0.5000, 0.4000 below the limit of 0.9\n  0: 0.5000\n" in result.stderr
    assert result.stderr.endswith("  9: 0.5000\n1 of 2 checks failed\n")


def test_a_measure_that_is_asked_for_is_not_measured_twice(files: Path) -> None:
    result = evaluate(files, "bad.run", "-m", "P@2", "--fail-under", "P@ 2=.1")
    assert result.stdout.splitlines()[0].split() == ["run", "P@2"]


def test_comparisons_are_loaded_only_for_gates(files: Path) -> None:
    program = (
        "import atexit, sys; from doxeval.cli import main; "
        "atexit.register(lambda: print([n for n in sys.modules if 'doxeval.comparison' in n])); "
        "main(sys.argv[1:])"
    )
    call = ["evaluate", str(files / "good.run"), "-a", str(files / "qrels.txt"), "-m", "AP"]
    done = subprocess.run([sys.executable, "-c", program, *call], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_drops(files: Path, last: Path) -> None:
    compared = ("-m", "AP", "--baseline", last, "--max-drop", ".02")
    assert evaluate(files, "good.run", *compared).exit_code == 0
    result = evaluate(files, "bad.run", *compared, "--significant")
    assert result.exit_code == 1
    assert "failed: AP dropped by 0.5000 from 1.0000 to 0.5000 on 10 topics" in result.stderr


def test_junit(files: Path, last: Path) -> None:
    out = files / "checks.xml"
    checked = ("--fail-under", "AP=.5", "--baseline", last, "--max-drop", "2%", "--junit", out)
    assert evaluate(files, "bad.run", "-m", "AP", *checked).exit_code == 1
    root = ElementTree.fromstring(out.read_bytes())
    assert (root.get("tests"), root.get("failures")) == ("2", "1")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--fail-under", "AP"], "expected MEASURE=VALUE"),
        (["--fail-under", "AP=high"], "expected MEASURE=VALUE"),
        (["--fail-under", "AP=nan"], "expected MEASURE=VALUE"),
        (["--fail-under", "P@2=.1", "--fail-under", "P@ 2=.2"], "two limits for P@ 2"),
        (["--max-drop", ".02"], "--max-drop goes with --baseline"),
        (["--significant"], "--significant goes with --baseline"),
        (["--baseline", "last.json"], "--baseline needs --max-drop (such as .02) or --significant"),
        (["--junit", "a.xml"], "--junit goes with --fail-under or --baseline"),
    ],
)
def test_wrong_usage(files: Path, arguments: list[str], told: str) -> None:
    result = evaluate(files, "good.run", "-m", "AP", *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_mistakes_are_told_before_anything_is_scored_or_written(files: Path, last: Path) -> None:
    out = files / "now.json"
    for arguments, code in (
        (["--fail-under", "APP=.5"], 1),
        (["--baseline", files / "none.json", "--max-drop", "0"], 1),
        (["--baseline", files / "qrels.txt", "--max-drop", "0"], 1),
        (["--baseline", last, "--max-drop", "much"], 1),
    ):
        result = evaluate(files, "good.run", "-m", "AP", "--out", out, *arguments)
        assert result.exit_code == code, result.stderr
        assert not out.exists()


def test_a_baseline_of_no_use_is_told_before_anything_is_written(files: Path, last: Path) -> None:
    out, junit = files / "now.json", files / "j.xml"
    others = json.loads(last.read_bytes())
    others["runs"][0]["topics"] = {"other": {"AP": 0.5}}
    (files / "others.json").write_text(json.dumps(others))
    for baseline, told in ((last, "no scores by P@5"), ("others.json", "no topic in common")):
        name = "P@5" if baseline == last else "AP"
        words = ("--out", out, "--junit", junit, "--baseline", files / baseline, "--max-drop", "0")
        result = evaluate(files, "good.run", "-m", name, *words)
        assert (result.exit_code, result.stdout) == (1, "") and told in result.stderr
        assert not out.exists() and not junit.exists()


def test_scores_and_checks_appear_together(files: Path) -> None:
    out = files / "now.json"
    limit = ("--fail-under", "AP=2")
    for junit in (files / "no such folder" / "j.xml", files, out):
        result = evaluate(files, "good.run", "-m", "AP", *limit, "--out", out, "--junit", junit)
        assert result.exit_code == 1 and not out.exists()
    junit = files / "j.xml"
    result = evaluate(files, "good.run", "-m", "AP", *limit, "--out", out, "--junit", junit)
    assert result.exit_code == 1 and out.exists() and junit.exists(), "what failed is written"


def test_the_baseline_is_never_replaced(files: Path, last: Path) -> None:
    before = last.read_bytes()
    result = evaluate(
        files, "bad.run", "-m", "AP", "--baseline", last, "--max-drop", "0", "--out", last
    )
    assert result.exit_code == 2
    assert "would replace the baseline" in result.stderr
    assert last.read_bytes() == before


def test_a_baseline_without_topics_is_enough_unless_it_is_to_be_tested(files: Path) -> None:
    out = files / "means.json"
    assert evaluate(files, "good.run", "-m", "AP", "--out", out).exit_code == 0
    assert "topics" not in json.loads(out.read_bytes())["runs"][0]
    result = evaluate(files, "bad.run", "-m", "AP", "--baseline", out, "--max-drop", ".6")
    assert result.exit_code == 0
    assert "warning: the baseline has means alone" in result.stderr
    result = evaluate(files, "bad.run", "-m", "AP", "--baseline", out, "--significant")
    assert result.exit_code == 1
    assert "--significant needs the scores of topics" in result.stderr
    assert "--per-topic" in result.stderr


def test_assessments_that_are_scored_as_a_run_are_noticed(tmp_path: Path) -> None:
    """A pattern for runs easily catches the assessments beside them."""
    span = '{"topic": "7", "doc": "a", "start": 0, "end": 9}\n'
    runs = write_files(tmp_path / "runs", {"judged.jsonl": span, "mine.jsonl": span})
    given = ("-a", runs / ".." / "runs" / "judged.jsonl", "-m", "cR@5")
    result = doxeval("evaluate", runs / "judged.jsonl", runs / "mine.jsonl", *given)
    assert result.exit_code == 0
    assert result.stderr.count("this run is a file of the assessments") == 1
    assert "judged: this run is a file of the assessments" in result.stderr
