"""Measures of a user's file of Python, named as FILE.py:NAME."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from doxeval.errors import InputError, SyntaxProblem
from doxeval.evaluation import Evaluation, read_scores
from doxeval.measures import MEASURES, measure_named
from doxeval.reports import report
from doxeval.runs import read_run
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from helpers import doxeval

SOURCE = """\
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval import Measure
from doxeval.measures import cut_off, parameter

with open("times", "a") as times:
    times.write("once\\n")


@dataclass(frozen=True)
class Returned(Measure):
    '''How many of k results there are.'''

    name = "OwnReturned"
    k: int = cut_off(10)
    weight: float = parameter(1.0, "what each is worth")

    def scores(self, ranking):
        return self.weight * np.minimum(ranking.counts, self.k) / self.k


@dataclass(frozen=True)
class AveragePrecision(Measure):
    name = "AP"


class Undecorated(Measure):
    name = "OwnUndecorated"
    k: int = cut_off(10)


@dataclass(frozen=True)
class Spaced(Measure):
    name = "Own Measure"


def helper(): ...
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with a file of measures, runs and judgments, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").write_text(SOURCE)
    (tmp_path / "qrels").write_text("7 0 a 1\n8 0 a 1\n")
    (tmp_path / "a.run").write_text("7 Q0 a 1 9 mine\n7 Q0 b 2 8 mine\n8 Q0 a 1 9 mine\n")
    (tmp_path / "b.run").write_text("7 Q0 b 1 9 base\n")
    known = set(MEASURES)
    yield tmp_path
    for name in set(MEASURES) - known:
        MEASURES.unregister(name)


def test_a_name_in_a_file_is_a_measure_like_others(files: Path) -> None:
    measure = measure_named("my.py:OwnReturned@2(weight=.5)")
    assert str(measure) == "OwnReturned@2(weight=0.5)"
    assert (
        measure_named(str(measure))
        == measure
        == measure_named(f"{files}/my.py:OwnReturned@2")(weight=0.5)
    )
    assert (files / "times").read_text() == "once\n"
    assert "my" not in sys.modules


def test_values_go_to_other_processes(files: Path) -> None:
    runs = [read_run(files / name) for name in ("a.run", "b.run")]
    measures = ["my.py:OwnReturned@2", "AP"]
    here, there = (Evaluation("qrels", measures).score_all(runs, jobs=jobs) for jobs in (1, 2))
    assert here == there
    assert here["mine"]["my.py:OwnReturned@2"] == 0.75


@pytest.mark.parametrize("verb", ["evaluate", "compare", "correlate", "report"])
def test_every_verb_takes_it(verb: str, files: Path) -> None:
    # Three runs, since the rankings of two cannot be correlated.
    (files / "c.run").write_text("7 Q0 c 1 9 other\n8 Q0 c 1 9 other\n8 Q0 d 2 8 other\n")
    more = {"correlate": ("-m", "AP"), "report": ("--out", "r.html")}.get(verb, ())
    runs = ("a.run", "b.run", "c.run")
    done = doxeval(verb, *runs, "-a", "qrels", "-m", "my.py:OwnReturned@2", *more)
    assert done.exit_code == 0, done.stderr
    shown = (files / "r.html").read_text() if verb == "report" else done.stdout
    assert "my.py:OwnReturned@2" in shown


def test_it_is_explained_and_has_limits(files: Path) -> None:
    assert "How many of k results there are" in doxeval("measures", "my.py:OwnReturned").stdout
    limit = ("--fail-under", "my.py:OwnReturned@2=.9")
    done = doxeval("evaluate", "a.run", "-a", "qrels", "-m", "my.py:OwnReturned@2", *limit)
    assert done.exit_code == 1
    assert "my.py:OwnReturned@2 is 0.7500, 0.1500 below the limit of 0.9" in done.stderr


WRONG_FILES = {
    "raises.py": "\ndef it():\n    return 1 / 0\n\n\nit()\n",
    "syntax.py": "def it(:\n",
    "exits.py": "raise SystemExit(3)\n",
    "bytes.py": "\0",
    "empty.py": "",
    "imports.py": "import no_such_module\n",
}
WRONG = [
    ("nowhere.py:NDCG", "nowhere.py: no such file"),
    ("folder.py:NDCG", "folder.py: the file cannot be read: Is a directory"),
    ("raises.py:NDCG", "raises.py:3: the file cannot be run: ZeroDivisionError: division by zero"),
    ("syntax.py:NDCG", "syntax.py:1: the file cannot be run: SyntaxError: "),
    ("exits.py:NDCG", "exits.py:1: the file cannot be run: SystemExit: 3"),
    ("bytes.py:NDCG", "bytes.py: the file cannot be run: "),
    ("imports.py:X", "imports.py:1: the file cannot be run: ModuleNotFoundError: No module named"),
    ("empty.py:NDCG", "empty.py: no measure 'NDCG' in the file; there are none"),
    ("my.py:OwnReturn", "my.py: no measure 'OwnReturn' in the file; did you mean OwnReturned?"),
    ("my.py:helper", "my.py: helper is not a measure: expected a subclass of doxeval.Measure"),
    ("my.py:np", "my.py: np is not a measure: expected a subclass of doxeval.Measure"),
    ("my.py:Returned@2", "the measure of the class Returned has the name 'OwnReturned'"),
    ("my.py:AP", "my.py: there is a measure 'AP' already; choose another name"),
    ("my.py:OwnUndecorated", "OwnUndecorated needs the decorator @dataclass(frozen=True)"),
    ("my.py:Spaced", "the measure of the class Spaced has the name 'Own Measure'"),
    ("my.py:OwnReturned@x", "OwnReturned@x: @x is not a cut-off"),
    ("my.py:OwnReturned(k=2)", "OwnReturned has no parameter 'k'"),
    ("my.py:OwnReturned(weight=x)", "weight is 'x': expected a number"),
    ("my.py:@10", "'@10' is not a measure: expected NAME"),
    ("my.py:", "'my.py:' is not a measure: expected NAME, NAME@10, NAME[0.01], NAME(key=value,…)"),
    ("my.py", "'my.py' is not a measure: expected NAME"),
    ("a\0.py:X", "the file cannot be read: "),
]


@pytest.mark.parametrize(("name", "message"), WRONG)
def test_what_is_wrong_is_named(name: str, message: str, files: Path) -> None:
    (files / "folder.py").mkdir()
    for file, text in WRONG_FILES.items():
        (files / file).write_text(text)
    with pytest.raises((InputError, SyntaxProblem)) as caught:
        measure_named(name)
    assert message in str(caught.value)
    if "\0" not in name:
        done = doxeval("evaluate", "a.run", "-a", "qrels", "-m", name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert message in done.stderr


def test_two_files_with_measures_of_one_name(files: Path) -> None:
    (files / "other.py").write_text(SOURCE)
    measure_named("my.py:OwnReturned")
    with pytest.raises(InputError, match=r"other\.py: there is a measure 'OwnReturned' already"):
        measure_named("other.py:OwnReturned")


def test_a_file_that_failed_may_be_mended(files: Path) -> None:
    (files / "late.py").write_text("1 / 0\n")
    with pytest.raises(InputError, match="cannot be run"):
        measure_named("late.py:OwnLate")
    (files / "late.py").write_text(SOURCE.replace("OwnReturned", "OwnLate"))
    assert str(measure_named("late.py:OwnLate@3")) == "OwnLate@3(weight=1)"


def test_files_are_not_looked_for(files: Path) -> None:
    with pytest.raises(SyntaxProblem, match="no measure 'OwnReturned'"):
        measure_named("OwnReturned")
    assert not (files / "times").exists()


def test_names_in_data_run_no_file(files: Path) -> None:
    facts = MeasureFacts("my.py:OwnReturned", "my.py:OwnReturned@10", "")
    run = RunScores("mine", np.array([[0.5]]), np.array([True]))
    table = ScoreTable((facts,), ("7",), (run,))
    report(table, files / "r.html")
    assert "my.py:OwnReturned" in (files / "r.html").read_text()
    (files / "scores.csv").write_text("run,topic,my.py:OwnReturned@2\na,7,0.5\n")
    assert read_scores("scores.csv").labels == ("my.py:OwnReturned@2",)
    assert not (files / "times").exists()
