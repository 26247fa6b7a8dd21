"""Fusion against the same computed result by result, and what a fused run must be."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import fuse
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError
from doxeval.runs import Kind, Result, Run, resolve
from doxeval.tasks import FUSION_METHODS, TASKS, problems_of
from helpers import doxeval, write_files
from levels import examples
from strategies import World, results, worlds

NORMS = ("min-max", "sum", "z-score", "none")
SCORED = [f"{name}(norm={norm})" for name in ("combsum", "combmnz") for norm in NORMS]


def _normalised(scores: list[float], norm: str) -> list[float]:
    if norm == "none":
        return scores
    if max(scores) == min(scores):
        return [0.0] * len(scores)
    if norm == "z-score":
        return [(score - fmean(scores)) / pstdev(scores) for score in scores]
    above = [score - min(scores) for score in scores]
    return [each / (max(above) if norm == "min-max" else sum(above)) for each in above]


def _by_hand(runs: list[Run], method: str) -> dict[tuple[str, str], float]:
    """The score of each document by topic, from the definitions, list by list."""
    totals: dict[tuple[str, str], list[float]] = defaultdict(list)
    for run in runs:
        for topic in run.topics:
            listed = [result for result in run if result.topic == topic]
            if method.startswith("rrf"):
                shares = [1 / (60 + rank) for rank in range(1, len(listed) + 1)]
            else:
                scores = [float(result.score or 0) for result in listed]
                shares = _normalised(scores, method.partition("norm=")[2].rstrip(")"))
            for result, share in zip(listed, shares, strict=True):
                totals[topic, result.document].append(share)
    times = method.startswith("combmnz")
    return {key: sum(each) * (len(each) if times else 1) for key, each in totals.items()}


def _document_runs() -> st.SearchStrategy[list[Run]]:
    scores = st.floats(-5, 5, allow_nan=False, allow_subnormal=False).map(lambda x: round(x, 3))
    ranked = st.dictionaries(st.sampled_from("abcdefg"), scores, min_size=1)
    run = st.dictionaries(st.sampled_from("123"), ranked, min_size=1).map(Run.from_dict)
    return st.lists(run, min_size=2, max_size=4)


@examples(300)
@given(runs=_document_runs(), method=st.sampled_from(["rrf", *SCORED]))
def test_scores_are_those_of_the_definitions(runs: list[Run], method: str) -> None:
    fused = fuse(runs, method)
    expected = _by_hand(runs, method)
    scores = {(result.topic, result.document): result.score for result in fused}
    assert scores == pytest.approx(expected, abs=1e-9)
    for topic in fused.topics:
        of_topic = [result for result in fused if result.topic == topic]
        assert [result.rank for result in of_topic] == list(range(1, len(of_topic) + 1))
        ordered = [float(result.score or 0) for result in of_topic]
        assert ordered == sorted(ordered, reverse=True)


def _identity(run: Run) -> list[Any]:
    """What a run returns, topic by topic, in whatever order the topics are."""
    return sorted((r.topic, r.rank, r.document, r.kind, r.start, r.end, r.score) for r in run)


@given(runs=_document_runs(), method=st.sampled_from(["rrf", *SCORED]))
def test_the_order_of_runs_does_not_matter(runs: list[Run], method: str) -> None:
    assert _identity(fuse(runs, method)) == _identity(fuse(runs[::-1], method))


_TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "fetch-browse"]


def _errors(run: Run, task: str, **options: Any) -> list[str]:
    problems = problems_of(run, TASKS[task], **options)
    return [problem.message for problem in problems if problem.severity == "error"]


@examples(150)
@given(
    lists=st.lists(st.lists(results(), min_size=1, max_size=8), min_size=2, max_size=3),
    task=st.sampled_from(_TASKS),
    method=st.sampled_from(["rrf", "combsum"]),
)
def test_a_fused_run_obeys_the_task(lists: list[list[Result]], task: str, method: str) -> None:
    runs = [Run.from_results(each) for each in lists]
    fused = fuse(runs, method, task=task)
    assert not _errors(fused, task)
    every = {result._replace(rank=None, score=None) for run in runs for result in run}
    assert {result._replace(rank=None, score=None) for result in fused} <= every
    if task == "thorough":  # nothing is lost but what comes twice
        units = {(r.topic, r.document) for run in runs for r in run}
        assert {(r.topic, r.document) for r in fused} == units


@given(world=worlds(), task=st.sampled_from(_TASKS))
def test_overlap_is_that_of_the_text_with_a_collection(world: World, task: str) -> None:
    runs = [world.element_run(), world.passage_run()]
    if not all(map(len, runs)):
        return
    collection = world.collection()
    fused = fuse(runs, task=task, collection=collection)
    assert not _errors(fused, task, resolved=resolve(fused, collection))


def test_the_same_part_is_one_result_however_it_is_written() -> None:
    collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    one = Run.from_dict({"7": [("a", "/s/p"), ("a", "/s[1]"), ("a", 4, 6)]}, "one")
    other = Run.from_dict({"7": ["a", ("a", "/s[1]/p[1]")]}, "other")
    points = ("/s[1]/p[2]/text()[1].0", "/s[1]/p[2]/text()[1].2")
    third = Run.from_results([Result("7", "a", Kind.PASSAGE, paths=points)], "third")
    fused = fuse([one, other, third], collection=collection)
    assert [result.kind for result in fused] == [Kind.DOCUMENT, Kind.ELEMENT, Kind.PASSAGE]
    second, third_rank = 1 / 61 + 1 / 62, 1 / 61 + 1 / 63
    assert [result.score for result in fused] == pytest.approx([second, second, third_rank])


def test_what_is_dropped_leaves_room_for_what_comes_after() -> None:
    nested = Run.from_dict({"7": [("a", 0, 9), ("a", 2, 5), ("b", 0, 9)]})
    other = Run.from_dict({"7": [("a", 0, 9), ("a", 2, 5), ("c", 0, 9)]})
    fused = fuse([nested, other], task="focused", max_results=2)
    assert [result.document for result in fused] == ["a", "b"]
    assert fused.warnings == ("dropped 1 result: overlap", "lists end after 2 results")


def test_the_task_is_the_one_that_the_runs_name(tmp_path: Path) -> None:
    xml = '<inex-submission run-id="{}" task="{}"><topic topic-id="1">{}</topic></inex-submission>'
    result = "<result><file>a</file><path>{}</path></result>"
    write_files(
        tmp_path,
        {
            "a.xml": xml.format("a", "Focused", result.format("/s[1]")),
            "b.xml": xml.format("b", "CO.Focussed", result.format("/s[1]/p[1]")),
            "c.xml": xml.format("c", "Thorough", result.format("/s[1]")),
            "d.run": "1 Q0 a 1 0.5 d\n",
        },
    )
    files = {name[0]: str(tmp_path / name) for name in ("a.xml", "b.xml", "c.xml", "d.run")}
    fused = fuse([files["a"], files["b"], files["d"]])
    assert (fused.facts["task"], len(fused)) == ("focused", 1)
    with pytest.raises(DoxevalError, match="a is for focused, c for thorough: task= says"):
        fuse([files["a"], files["c"]])
    assert len(fuse([files["a"], files["c"]], task="thorough")) == 1


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([{"7": ["a"]}], {}, "1 run: fusion takes two or more"),
        ({"7": {"a": 1.0}}, {}, "one run: fusion takes several"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"method": "combsum"}, "has no scores, which combsum adds"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"method": "combsun"}, "did you mean combsum"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"method": 7}, "method"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"max_results": 0}, "max_results=0: expected 1 or more"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"task": "nothing"}, "no task 'nothing'"),
        ([{"7": ["a"]}, {"7": ["b"]}], {"order": "rsv"}, "no column to order it by rsv"),
        (
            [{"7": {"a": 1e308, "b": -1e308}}] * 2,
            {"method": "combsum"},
            "scores are too large for combsum",
        ),
    ],
)
def test_what_cannot_be_fused(runs: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DoxevalError, match=message):
        fuse(runs, **options)


def test_what_should_be_known_is_a_warning() -> None:
    rising = Run.from_results([Result("7", "a", score=0.1), Result("7", "b", score=0.9)], "up")
    other = Run.from_dict({"7": {"a": 0.5}, "8": {"a": 0.5}}, "other")
    assert fuse([rising, other]).warnings == (
        "up: scores rise in the list, which is the ranking; order='rsv' ranks by scores",
        "up: no results for topic 8",
    )
    assert [result.document for result in fuse([rising, rising], order="rsv")] == ["b", "a"]
    assert not fuse([other, other], "combmnz(norm=none)").warnings
    falling = Run.from_dict({"7": {"a": -0.5}, "8": {"a": -1.0}})
    assert "sums below 0" in fuse([falling, falling], "combmnz(norm=none)").warnings[0]


def test_the_verb_prints_the_method_and_what_it_writes_passes_validation(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "a.run": "1 Q0 d 1 9 a 0 9\n1 Q0 d 2 8 a 20 9\n",
            "b.run": "1 Q0 d 1 9 b 5 9\n1 Q0 d 2 8 b 20 9\n",
        },
    )
    out = tmp_path / "fused.run"
    runs = tmp_path / "a.run", tmp_path / "b.run"
    made = doxeval("fuse", *runs, "--task", "focused", "--out", out)
    assert made.exit_code == 0, made.stderr
    assert "rrf(k=60)" in made.stdout and "focused" in made.stdout
    assert "dropped 1 result: overlap" in made.stderr
    assert doxeval("validate", out, "--task", "focused").exit_code == 0
    again = doxeval("fuse", *runs, "--out", out)
    assert again.exit_code == 1 and "--force" in again.stderr
    one = doxeval("fuse", runs[0], "--out", tmp_path / "x.run")
    assert one.exit_code == 2 and "two runs or more" in one.stderr


def test_the_help_names_every_method() -> None:
    text = doxeval("fuse", "--help").stdout
    assert all(f"  {name}  " in text for name in FUSION_METHODS)
