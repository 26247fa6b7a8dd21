"""Measures that users write: as values, in files of their own, and in packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import own_measures
from doxeval.assessments import Assessments, Judgment
from doxeval.comparison import compare
from doxeval.errors import DoxevalError, InputError
from doxeval.evaluation import Evaluation, evaluate
from doxeval.measures import MEASURES, MAgP, Measure, iP, measure_named, nxCG, register
from doxeval.reports import Contents, page
from doxeval.runs import Run
from making import passage
from own_measures import Deadly, Short, Useful

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "docs" / "examples" / "useful-results"


@pytest.fixture
def assessments() -> Assessments:
    return Assessments([Judgment(t, "a", ((0, 50),), document_length=200) for t in ("7", "8")])


@pytest.fixture
def runs() -> list[Run]:
    good = [passage("a", 0, 10, topic) for topic in ("7", "8")]
    bad = [passage("a", 90, 99, topic) for topic in ("7", "8")]
    return [
        Run.from_results(good, "good"),
        Run.from_results(bad, "bad"),
        Run.from_results([good[0], bad[1]], "mixed"),
    ]


def test_values_and_names_are_the_same_thing() -> None:
    pairs = {
        "nxCG@10": nxCG @ 10,
        "iP[0.01]": iP[0.01],
        "iP[1/3]": iP["1/3"],
        "MAgP(score=bep)": MAgP(score="bep"),
        "nxCG@5(quant=gen)": nxCG(quant="gen") @ 5,
    }
    for name, value in pairs.items():
        assert measure_named(name) == value == measure_named(str(value))
        assert hash(measure_named(name)) == hash(value)
        assert value.label == repr(value) == name


def test_every_measure_is_there_by_its_name() -> None:
    import doxeval.measures

    for name, kind in MEASURES.items():
        assert getattr(doxeval.measures, name) == kind()
        assert name in dir(doxeval.measures)
    with pytest.raises(AttributeError, match="no attribute or measure 'nxGC'"):
        _ = doxeval.measures.nxGC


def test_wrong_values_are_refused_as_in_names() -> None:
    wrong_ones: list[Callable[[], object]] = [
        lambda: nxCG @ 0,
        lambda: nxCG @ 2.5,
        lambda: iP[1.5],
        lambda: iP["x"],
        lambda: MAgP(score="bepp"),
        lambda: MAgP(scores="bep"),
        lambda: iP @ 10,
        lambda: nxCG(penalty=2),
    ]
    for wrong in wrong_ones:
        with pytest.raises(DoxevalError):
            wrong()


def test_one_bare_string_or_value_is_one_measure(assessments: Assessments, runs: list[Run]) -> None:
    assert evaluate(runs, assessments, "cP@1").labels == ("cP@1",)
    assert evaluate(runs, assessments, Useful()).labels == ("MyUseful@10",)
    assert evaluate(runs, assessments, Useful).labels == ("MyUseful@10",)
    with pytest.raises(InputError, match=r"measures is \[7\]: expected a string, a Measure"):
        evaluate(runs, assessments, [7])  # type: ignore[list-item]


@pytest.mark.parametrize("how", ["here", "processes", "threads", "executor"])
def test_a_measure_of_ones_own_goes_everywhere(
    how: str, assessments: Assessments, runs: list[Run]
) -> None:
    evaluation = Evaluation(assessments, [Useful() @ 1, "cP@1"])
    if how == "here":
        table = evaluation.score_all(runs)
    elif how == "processes":
        table = evaluation.score_all(runs, jobs=2)
    else:
        pool = ThreadPoolExecutor(2) if how == "threads" else ProcessPoolExecutor(1)
        with pool:
            table = evaluation.score_all(runs, executor=pool)
    assert {run: means["MyUseful@1"] for run, means in table.mean().items()} == {
        "good": 1.0,
        "bad": 0.0,
        "mixed": 0.5,
    }
    assert table["mixed"][Useful() @ 1] == 0.5
    assert compare(table, Useful() @ 1).measure.title == "share of useful results"
    assert "share of useful results" in page(Contents(table))


def test_a_registered_measure_has_a_name() -> None:
    register(Useful)
    try:
        assert measure_named("MyUseful@3") == Useful() @ 3
        assert "MyUseful" in list(MEASURES)
        assert register(Useful) is Useful  # as a notebook does that runs a cell again
        with pytest.raises(InputError, match="there is a measure 'MyUseful' already"):
            register(own_measures.AnotherUseful)
    finally:
        MEASURES.unregister("MyUseful")
    assert "MyUseful" not in MEASURES


def test_what_is_no_measure_is_refused(assessments: Assessments, runs: list[Run]) -> None:
    class Bare(Measure):
        name = "Bare"
        k: int = own_measures.cut_off(10)

    @dataclass(frozen=True)
    class Nameless(Measure):
        pass

    @dataclass(frozen=True)
    class Taken(Measure):
        name = "nxCG"

    with pytest.raises(InputError, match="@dataclass"):
        register(Bare)
    with pytest.raises(InputError, match="needs a name"):
        register(Nameless)
    with pytest.raises(InputError, match="there is a measure 'nxCG' already"):
        register(Taken)
    with pytest.raises(InputError, match="not a subclass"):
        register(int)  # type: ignore[type-var]
    with pytest.raises(InputError, match=r"scores of shape \(1,\): expected one for each of the 2"):
        evaluate(runs, assessments, Short())


def test_a_measure_that_cannot_travel_is_an_error(
    assessments: Assessments, runs: list[Run]
) -> None:
    @dataclass(frozen=True)
    class Local(Measure):
        name = "Local"

        def scores(self, ranking: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.zeros(2)

    assert evaluate(runs, assessments, Local()).mean()["good"] == {"Local": 0.0}
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(InputError, match="cannot be sent to other processes"),
    ):
        evaluate(runs, assessments, Local(), executor=pool)


def test_a_killed_worker_is_a_clear_error(assessments: Assessments, runs: list[Run]) -> None:
    with pytest.raises(DoxevalError, match="ended unexpectedly"):
        evaluate(runs, assessments, Deadly(), jobs=2)


# A package with an entry point


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the sample package installed."""
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        f"{sys.executable} -m pip install --quiet --disable-pip-version-check --no-deps "
        f"--no-build-isolation --target {target} {PACKAGE}".split(),
        check=True,
        capture_output=True,
    )
    found = [str(ROOT / "src"), str(target)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(found)}


def call(environment: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)], env=environment, capture_output=True, text=True
    )


def test_a_package_offers_a_measure_to_every_verb(
    installed: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "qrels").write_text("7 Q0 a 50 200 0 0:50\n8 Q0 a 50 200 0 0:50\n")
    lines = ["7 Q0 a 1 9 mine 0 10\n8 Q0 a 1 9 mine 0 10\n", "7 Q0 a 1 9 base 90 10\n"]
    for number, text in enumerate(lines):
        (tmp_path / f"{number}.run").write_text(text)
    files = [tmp_path / "0.run", tmp_path / "1.run", "-a", tmp_path / "qrels"]
    listed = call(installed, "-m", "doxeval", "measures").stdout
    assert re.search("^  Useful@10 +share of useful results$", listed, re.MULTILINE)
    explained = call(installed, "-m", "doxeval", "measures", "Useful").stdout
    assert "Useful@k = |results with highlighted text among the first k| / k" in explained
    for jobs in (1, 2):
        done = call(
            installed, "-m", "doxeval", "evaluate", *files, "-m", "Useful@1", "--jobs", jobs
        )
        assert done.stdout == "run   Useful@1\nmine    1.0000\nbase    0.0000\n", done.stderr
    compared = call(installed, "-m", "doxeval", "compare", *files, "-m", "Useful@1")
    assert "mine" in compared.stdout and compared.returncode == 0, compared.stderr
    out = tmp_path / "report.html"
    done = call(installed, "-m", "doxeval", "report", *files, "-m", "Useful@1", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "share of useful results" in out.read_text(encoding="utf-8")


def test_a_package_s_measure_obeys_its_laws_and_example(installed: dict[str, str]) -> None:
    names = ("test_laws.py", "test_measures.py")
    tests = [ROOT / "tests" / "unit" / "measures" / name for name in names]
    done = call(
        installed, "-m", "pytest", *tests, "-k", "Useful", "-p", "no:cacheprovider", "-n", 0
    )
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 2, done.stdout


def test_a_broken_entry_point_is_told_and_others_work(
    installed: dict[str, str], tmp_path: Path
) -> None:
    facts = tmp_path / "broken-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[doxeval.measures]\nnone = no_such_module:It\n")
    environment = {
        **installed,
        "PYTHONPATH": os.pathsep.join([installed["PYTHONPATH"], str(tmp_path)]),
    }
    done = call(environment, "-m", "doxeval", "measures")
    assert done.returncode == 0
    assert "  Useful@10" in done.stdout
    assert "entry point none = no_such_module:It cannot be loaded" in done.stderr
