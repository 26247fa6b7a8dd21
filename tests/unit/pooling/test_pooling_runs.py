"""Pooling runs: what is said about them, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from doxeval import Assessments, Kind, Result, Run, pool_runs, read_run
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError, InputError, MissingInput
from doxeval.pooling import PooledElement, pool_statistics
from doxeval.topics import Topic

ONE = {"7": [("a", "/s[1]/p[1]"), ("b", "/s[1]"), ("c", "/s[1]")]}
OTHER = {"7": [("b", "/s[1]/p[2]"), ("a", "/s/p")]}


def names(pool: Any, topic: str = "7") -> list[str]:
    return [one.document for one in pool.documents[topic]]


def test_turns_are_taken_in_the_order_of_names() -> None:
    runs = {"one": {"7": ["a", "b", "c"]}, "other": {"7": ["x", "y", "z"]}}
    assert names(pool_runs(runs, documents=3)) == ["a", "x", "b"]
    turned = dict(reversed(runs.items()))
    assert names(pool_runs(turned, documents=3)) == ["x", "a", "y"]
    assert names(pool_runs(turned, depth=2)) == names(pool_runs(runs, depth=2))
    assert names(pool_runs(runs, depth=1, documents=9)) == ["a", "x"]


def test_fused_ranks_are_sums_of_reciprocal_ranks() -> None:
    runs = {"one": {"7": ["a", "b", "c"]}, "other": {"7": ["d", "b"]}, "third": {"7": ["c"]}}
    pool = pool_runs(runs, depth=9, method="rrf")
    assert {one.document: one.priority for one in pool.documents["7"]} == {
        "c": 1 / 61 + 1 / 63,
        "b": 1 / 62 + 1 / 62,
        "a": 1 / 61,
        "d": 1 / 61,
    }
    assert names(pool) == ["c", "b", "a", "d"]


def test_move_to_front_stays_with_the_run_that_returns_relevant_documents() -> None:
    runs = {"good": {"7": ["a", "b", "c", "d"]}, "poor": {"7": ["w", "x", "y", "z"]}}
    judged = Assessments.from_dict({"7": {"a": 1, "b": 1, "c": 0, "d": 1, "w": 0, "x": 0}})
    orders = {
        tuple(names(pool_runs(runs, documents=6, method="mtf", assessments=judged, seed=seed)))
        for seed in range(8)
    }
    # Whichever run is drawn first, the poor one gets its turn when it is ahead, and then no more.
    assert orders == {("w", "a", "b", "c", "d", "x"), ("a", "b", "c", "w", "d", "x")}


def test_the_bandit_learns_which_run_is_good() -> None:
    good = [f"g{number}" for number in range(200)]
    poor = [f"p{number}" for number in range(200)]
    judged = Assessments.from_dict({"7": dict.fromkeys(good, 1) | dict.fromkeys(poor, 0)})
    for seed in range(5):
        pool = pool_runs(
            {"good": {"7": good}, "poor": {"7": poor}},
            documents=100,
            method="bandit",
            assessments=judged,
            seed=seed,
        )
        assert sum(name.startswith("g") for name in names(pool)) > 80


@pytest.mark.parametrize("method", ["mtf", "bandit"])
def test_adaptive_methods_need_judgments(method: Any) -> None:
    with pytest.raises(MissingInput, match=f"method='{method}' follows judgments .* assessments="):
        pool_runs([ONE], depth=5, method=method)
    pool = pool_runs([ONE], depth=5, method=method, assessments={"7": {"a": 1}})
    assert "2 of 3 pooled documents have no judgment" in pool.warnings[-1]
    everything = {"7": {"a": 1, "b": 0, "c": 0}}
    assert pool_runs([ONE], depth=5, method=method, assessments=everything).warnings == ()


def test_judgments_are_recorded_with_their_hashes(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("7 0 a 1\n")
    facts = pool_runs([ONE], depth=5, method="mtf", assessments=file).facts
    ((name, digest),) = facts.judged
    assert name == str(file)
    assert digest is not None and len(digest) == 64
    assert pool_runs([ONE], depth=5, assessments=file).facts.judged == ()


def test_spellings_of_an_element_are_one() -> None:
    pool = pool_runs({"one": ONE, "other": OTHER}, depth=2)
    (first, _) = pool.documents["7"]
    assert first.elements == (PooledElement("/s[1]/p[1]"),)
    collection = example_collection(dict.fromkeys(("a", "b", "c"), "<s><p>One.</p><p>Two.</p></s>"))
    resolved = pool_runs({"one": ONE, "other": OTHER}, depth=2, collection=collection)
    assert resolved.documents == pool.documents
    assert resolved.facts.collection == collection.checksum


def test_what_does_not_resolve_is_left_out_and_said() -> None:
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    run = Run.from_dict({"7": [("a", "/s[1]/p[9]"), ("x", "/s[1]"), ("a", "/s[1]/p[1]")]}, "mine")
    pool = pool_runs([run], depth=1, collection=collection)
    assert [one.contributors for one in pool.documents["7"]] == [(("mine", 1),)]
    assert pool.documents["7"][0].elements == (PooledElement("/s[1]/p[1]"),)
    (warning,) = pool.warnings
    assert warning.startswith(
        "mine: 2 results do not resolve and are left out, the first on line 1"
    )
    whole = pool_runs([run], depth=1, level="document", collection=collection)
    assert whole.warnings == ()
    assert names(whole) == ["a"]
    deeper = pool_runs([run], depth=2, level="document", collection=collection)
    (warning,) = deeper.warnings
    assert warning.endswith("is left out, the first on line 2: unknown document 'x'")


def test_text_points_need_a_collection() -> None:
    points = ("/s[1]/p[1]/text()[1].0", "/s[1]/p[1]/text()[1].3")
    given = Run.from_results([Result("7", "a", Kind.PASSAGE, paths=points)], "mine")
    pool = pool_runs([given], depth=5)
    assert pool.documents["7"][0].elements == ()
    assert pool.warnings == (
        "mine: 1 result is given by text points, which only a collection resolves; only the "
        "documents are pooled",
    )
    collection = example_collection({"a": "<s><p>One.</p></s>"})
    resolved = pool_runs([given], depth=5, collection=collection)
    assert resolved.documents["7"][0].elements == (PooledElement(start=0, end=3),)
    assert resolved.warnings == ()


def test_topics_that_are_missing_or_not_wanted_are_said() -> None:
    runs = [Run.from_dict({"7": ["a"], "10": ["b"]}, "one"), Run.from_results([], "none")]
    runs.append(Run.from_dict({"7": ["c"], "8": ["c"]}, "other"))
    pool = pool_runs(runs, depth=1)
    assert pool.topics == ("7", "8", "10")
    assert pool.warnings == (
        "one: no results for topic 8",
        "none: the run is empty",
        "other: no results for topic 10",
    )
    chosen = pool_runs(runs, depth=1, topics=[Topic("9"), "7"])
    assert chosen.topics == ("9", "7")
    assert chosen.documents["9"] == ()
    assert chosen.warnings == (
        "no run has results for topic 9",
        "none: the run is empty",
        "results for topics 8, 10 are left out",
    )


def test_warnings_about_a_file_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text("7 Q0 a 1 0.5 mine\n7 Q0 b 2 0.4 other\n")
    warnings = read_run(path).warnings
    assert warnings
    assert pool_runs([path], depth=1).warnings == tuple(f"{path}: {one}" for one in warnings)


def test_runs_with_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("7 Q0 x 1 0.5 mine\n")
    pool = pool_runs(sorted(tmp_path.iterdir()), depth=1)
    assert [run.name for run in pool.facts.runs] == ["mine (a)", "mine (b)"]
    assert pool.documents["7"][0].contributors == (("mine (a)", 1), ("mine (b)", 1))


def test_the_date_is_given_or_that_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    when = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
    assert pool_runs([ONE], depth=1, date=when).facts.date == "2026-05-04T10:30:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert pool_runs([ONE], depth=1).facts.date == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give depth= or documents="),
        ({"depth": 0}, "depth=0: expected a whole number, 1 or more"),
        ({"documents": 1.5}, "documents is 1.5: expected a whole number"),
        ({"depth": 1, "seed": -1}, "seed=-1: expected a whole number, 0 or more"),
        ({"depth": 1, "method": "best"}, "method='best': expected one of depth, rrf, mtf, bandit"),
        ({"depth": 1, "level": "chunk"}, "level='chunk': expected one of element, document"),
        ({"depth": 1, "offsets": "bytes"}, "offsets in bytes can only be converted"),
        ({"depth": 1, "whitespace": "keep"}, "whitespace= is for text points"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pool_runs([ONE], **options)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no runs to pool"):
        pool_runs([], depth=1)
    with pytest.raises(InputError, match="7 is no run: expected a file, a Run, a dict, a data"):
        pool_runs([7], depth=1)  # type: ignore[list-item]
    with pytest.raises(DoxevalError, match="No such file"):
        pool_runs([tmp_path / "none.run"], depth=1)


def test_statistics_belong_to_the_runs_of_the_pool() -> None:
    pool = pool_runs({"one": ONE, "other": OTHER}, depth=2)
    with pytest.raises(InputError, match="the pool was not made of these runs"):
        pool_statistics(pool, {"one": ONE})
    with pytest.raises(InputError, match="does not say how it was made"):
        pool_statistics(type(pool)(pool.documents), {"one": ONE})
