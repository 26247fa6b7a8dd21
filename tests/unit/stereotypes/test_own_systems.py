"""Simulated systems that users write: as functions, in files, and in packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import write_assessments
from doxeval.documents import Collection
from doxeval.errors import DoxevalError, InputError
from doxeval.runs import Kind, read_run
from doxeval.stereotypes import SYSTEMS, RankedElements, Situation, System, as_system, simulate
from helpers import doxeval
from simulating import HIGHLIGHTS, listed, small_collection


@pytest.fixture(scope="module")
def collection() -> Collection:
    return small_collection()


def everything(situation: Situation) -> RankedElements:
    """Return the ideal units, as perfect does.

    More than a line may be said.
    """
    return situation.ideal


def test_a_function_is_a_system(collection: Collection) -> None:
    run = simulate(HIGHLIGHTS, collection, everything)
    assert run.run_id == "everything"
    assert listed(run) == listed(simulate(HIGHLIGHTS, collection, "perfect"))
    assert simulate(HIGHLIGHTS, collection, everything, run_id="mine").run_id == "mine"
    assert as_system(everything).title == "Return the ideal units, as perfect does"
    shorter = simulate(HIGHLIGHTS, collection, everything, max_results=1)
    assert listed(shorter) == listed(simulate(HIGHLIGHTS, collection, "perfect", max_results=1))


def test_a_pair_of_lists_will_do(collection: Collection) -> None:
    def pairs(situation: Situation) -> Any:
        return situation.ideal.node.tolist(), situation.ideal.score.tolist()

    run = simulate(HIGHLIGHTS, collection, pairs)
    assert listed(run) == listed(simulate(HIGHLIGHTS, collection, "perfect"))


def test_a_system_may_return_documents(collection: Collection) -> None:
    whole = System("whole", "documents", SYSTEMS["document"].listed, Kind.DOCUMENT)
    run = simulate(HIGHLIGHTS, collection, whole)
    assert run.run_id == "whole"
    assert listed(run) == listed(simulate(HIGHLIGHTS, collection, "document"))


def test_chance_is_seeded(collection: Collection) -> None:
    def lottery(situation: Situation) -> RankedElements:
        return situation.ideal.rows(situation.random.permutation(len(situation.ideal.node)))

    first, again = (listed(simulate(HIGHLIGHTS, collection, lottery, seed=5)) for _ in range(2))
    assert first == again


def fails(situation: Situation) -> Any:
    raise KeyError("\x1b[2J")


def test_what_a_system_does_wrong_is_named(collection: Collection) -> None:
    def wrong(given: Any, message: str) -> None:
        system = System("own", "what is given", lambda situation: given)
        with pytest.raises(InputError, match=message):
            simulate(HIGHLIGHTS, collection, system)

    pair = "expected RankedElements: rows of elements, and as many scores"
    wrong(None, f"the system own returns None: {pair}")
    wrong([1, 2], pair)
    wrong((1, 2), pair)
    wrong(([1], [1, 2]), pair)
    wrong(([1], ["x"]), pair)
    wrong(([[1]], [[1]]), pair)
    wrong(([0.5], [1]), r"returns \[0\.5\]: expected rows of elements in the collection, from 0 to")
    wrong(([-1], [1]), r"returns \[-1\]: expected rows of elements")
    wrong(([10**6], [1]), r"returns \[1000000\]: expected rows of elements")
    wrong(([0], [np.nan]), "scores that are not finite numbers")
    with pytest.raises(InputError, match=r"fails fails on topic '7': KeyError\('\\x1b\[2J'\)"):
        simulate(HIGHLIGHTS, collection, fails)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "system is 7: expected a string, a System or a function"),
        (dict, "is not a simulated system: expected a function of a Situation, or a System"),
        (lambda situation: situation.ideal, "has the name '<lambda>': expected letters"),
        (System("a/b", "", everything), "has the name 'a/b': expected letters, digits"),
        ("perfct", "no simulated system 'perfct'; did you mean perfect?"),
    ],
)
def test_what_is_no_system_is_refused(given: Any, message: str, collection: Collection) -> None:
    with pytest.raises(DoxevalError) as caught:
        simulate(HIGHLIGHTS, collection, given)
    assert message in str(caught.value)


# In files


SOURCE = """\
from doxeval.runs import Kind
from doxeval.stereotypes import SYSTEMS, System


def forgetful(situation):
    return situation.ideal.rows(slice(None, None, 2))


def perfect(situation):
    return situation.ideal


whole = System("whole-documents", "documents", SYSTEMS["document"].listed, Kind.DOCUMENT)
number = 7
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.py").write_text(SOURCE)
    (tmp_path / "raises.py").write_text("import nosuch\n")
    write_assessments(HIGHLIGHTS, tmp_path / "judged", "judgments")
    return tmp_path


def test_a_system_of_a_file(files: Path, collection: Collection) -> None:
    run = simulate(HIGHLIGHTS, collection, "my.py:forgetful")
    assert run.run_id == "forgetful"
    where = ("-a", "judged", "--collection", collection.directory, "--out")
    done = doxeval("simulate", "--system", "my.py:forgetful", *where, "one.run", "--seed", 3)
    assert done.exit_code == 0, done.stderr
    assert listed(read_run("one.run")) == listed(run)
    several = ("--system", "my.py:forgetful", "--system", "my.py:whole", "--system", "perfect")
    done = doxeval("simulate", *several, *where, "runs")
    assert done.exit_code == 0, done.stderr
    names = ["forgetful.run", "perfect.run", "whole-documents.run"]
    assert sorted(path.name for path in (files / "runs").glob("*.run")) == names


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("nowhere.py:it", 1, "nowhere.py: no such file"),
        ("raises.py:it", 1, "raises.py:1: the file cannot be run: ModuleNotFoundError"),
        ("my.py:forgetfull", 1, "my.py: no forgetfull in the file; did you mean forgetful?"),
        ("my.py:number", 1, "my.py: 7 is not a simulated system: expected a function"),
        ("my.py:", 2, "no simulated system 'my.py:'"),
        ("forgetful", 2, "no simulated system 'forgetful'"),
        ("perfect --system my.py:perfect", 2, "two systems have the name perfect"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(
    name: str, code: int, message: str, files: Path, collection: Collection
) -> None:
    where = ("-a", "judged", "--collection", collection.directory, "--out", "out")
    done = doxeval("simulate", "--system", *name.split(), *where)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
    assert not (files / "out").exists()


# In packages


def test_packages_offer_systems(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = {
        "all-of-it": f"{__name__}:everything",
        "none": "no_such_module:it",
        "odd": f"{__name__}:SOURCE",
    }
    entries = [EntryPoint(name, value, "doxeval.systems") for name, value in offered.items()]

    def entry_points(group: str) -> list[EntryPoint]:
        return [entry for entry in entries if entry.group == group]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    run = simulate(HIGHLIGHTS, collection, "all-of-it")
    assert run.run_id == "all-of-it"
    assert listed(run) == listed(simulate(HIGHLIGHTS, collection, "perfect"))
    with pytest.raises(InputError, match="entry point none = no_such_module:it cannot be loaded"):
        simulate(HIGHLIGHTS, collection, "none")
    with pytest.raises(
        InputError, match=r"the entry point odd = .*is not a simulated system: expected a function"
    ):
        simulate(HIGHLIGHTS, collection, "odd")
    with pytest.raises(InputError, match="did you mean all-of-it"):
        simulate(HIGHLIGHTS, collection, "all-off-it")
