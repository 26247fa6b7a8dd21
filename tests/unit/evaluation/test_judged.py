"""How much of a run was judged: counted once, whatever the blocks, printed, and warned about."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval.comparison import compare, compare_all, correlate
from doxeval.evaluation import Evaluation, Keep, evaluate
from doxeval.reports import report
from doxeval.runs import Kind, Result, Run
from doxeval.scores import JudgedSummary
from helpers import doxeval, write_files
from seams import change

QRELS: Any = {"7": {"a": 1, "b": 0, "c": -1}, "8": {"a": 1, "d": 0}}
KNOWN = {"7": {"a": 2.0, "b": 1.0}, "8": {"d": 1.0}}
NEW = {"7": {"x": 3.0, "a": 2.0, "c": 1.0}, "8": {"y": 2.0, "d": 1.0}}


def test_how_much_is_judged() -> None:
    """Of three documents one (a grade below 0 is no judgment), of two one."""
    table = evaluate({"known": KNOWN, "new": NEW}, QRELS, "AP")
    assert table.runs[0].judged == JudgedSummary(1.0, 3, 0)
    assert table.runs[1].judged == JudgedSummary(5 / 12, 5, 3)


def test_only_the_first_ten_count() -> None:
    names = [*(f"x{n}" for n in range(8)), "a", "b", "c", "x8"]
    run = {"7": {name: float(-at) for at, name in enumerate(names)}}
    assert evaluate(run, QRELS, "AP").runs[0].judged == JudgedSummary(0.2, 12, 10)


def test_parts_count_as_their_documents() -> None:
    spans = [("x", 0), ("a", 0), ("a", 5), ("b", 0)]
    results = [Result("7", name, Kind.PASSAGE, start, start + 3) for name, start in spans]
    judged: Any = {"7": {"a": [(0, 4)], "b": []}}
    keep = Keep(judged=True)
    (scores,) = evaluate(Run.from_results(results), judged, "cP@5", keep=keep).runs
    assert scores.judged == JudgedSummary(2 / 3, 3, 1)
    assert evaluate(Run.from_results(results), judged, "cP@5").runs[0].judged is None


def test_assessments_of_relevant_documents_alone_do_not_say_what_was_judged() -> None:
    assert evaluate(NEW, {"7": {"a": 1}, "8": {"a": 2}}, "AP").runs[0].judged is None


def test_blocks_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(7)
    topics = [str(number) for number in range(40)]
    names = [f"d{number}" for number in range(30)]
    judged: Any = {
        topic: {name: random.randint(-1, 1) for name in random.sample(names, 12)}
        for topic in topics
    }
    lines = [
        f"{topic} Q0 {name} {rank} {-rank} run\n"
        for topic in topics
        for rank, name in enumerate(random.sample(names, random.randint(1, 25)), 1)
    ]
    write_files(tmp_path, {"run": "".join(lines)})
    whole = Evaluation(judged, "AP").score_all(tmp_path / "run")
    change(monkeypatch, block_rows=50)
    in_blocks = Evaluation(judged, "AP").score_all(tmp_path / "run")
    assert whole.runs[0].judged == in_blocks.runs[0].judged


WARNING = "of the first 10 documents of a topic, 100.0% of known are judged and 41.7% of new"


def test_runs_that_are_not_judged_alike_are_warned_about_once() -> None:
    table = evaluate({"known": KNOWN, "new": NEW}, QRELS, ["AP", "P@5"])
    for notes in (
        compare(table, "AP").notes,
        *(comparison.notes for comparison in compare_all(table)),
        correlate(table).notes,
    ):
        assert sum(WARNING in note for note in notes) == 1
    with pytest.warns(match="are judged"):
        made = report(table)
    assert sum(WARNING in warning for warning in made.warnings) == 1
    assert made.html.count(WARNING) == 1
    assert "100.0%, 0 of 3" in " ".join(made.html.split())


def test_runs_that_are_judged_alike_are_not() -> None:
    table = evaluate({"known": KNOWN, "too": KNOWN}, QRELS, ["AP", "P@5"])
    assert not any("judged" in note for note in compare(table, "AP").notes)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = "7 0 a 1\n7 0 b 0\n8 0 a 1\n8 0 d 0\n"
    run = "7 Q0 a 1 9 known\n8 Q0 d 1 9 known\n"
    other = "7 Q0 x 1 9 new\n8 Q0 d 1 9 new\n"
    write_files(tmp_path, {"qrels": qrels, "known.run": run, "new.run": other, "gold": "7 0 a 1\n"})
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
def test_diagnostics_are_printed() -> None:
    told = doxeval("evaluate", "new.run", "-a", "qrels", "-m", "AP", "--diagnostics")
    line = "new: 50.0% of the first 10 documents of a topic are judged, 1 of all 2 are not"
    assert line in told.stdout.splitlines()
    told = doxeval(
        *("evaluate", "new.run", "-a", "qrels", "-m", "AP", "--diagnostics", "--format", "csv")
    )
    assert line in told.stderr
    told = doxeval("evaluate", "new.run", "-a", "gold", "-m", "AP", "--diagnostics")
    assert "new: how much was judged is not known" in told.stdout


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "verb", [("compare",), ("correlate", "-m", "P@5"), ("report", "--out", "report.html")]
)
def test_verbs_that_compare_warn_once(verb: tuple[str, ...]) -> None:
    told = doxeval(*verb, "known.run", "new.run", "-a", "qrels", "-m", "AP")
    warned = "100.0% of known are judged and 50.0% of new"
    assert told.stderr.count(warned) == 1
