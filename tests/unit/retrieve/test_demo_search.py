"""Search over the demo: what its baselines score, and that they stay the same, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

import doxeval as package
from doxeval import Run, evaluate, read_assessments, read_topics, search
from doxeval.retrieve import TASKS, Index, Searcher, SearchOptions
from doxeval.topics import parse_structured
from helpers import DATA, doxeval

DEMO = Path(package.__file__).parent / "demo_data"
TOPICS = DEMO / "topics.xml"
UNITS = ("windows(25,5)", "passages(100)")
# Every way of searching that has rules of its own: tasks, and units other than elements.
WAYS: list[dict[str, Any]] = [
    *({"task": task} for task in TASKS),
    *({"task": "focused", "units": units} for units in UNITS),
    {"task": "relevant-in-context", "articles": "best"},
    {"task": "relevant-in-context", "units": "passages(100)"},
    {"task": "best-in-context", "units": "windows(25,5)"},
    {"task": "vvcas", "overlap": "none"},
]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))


# Scores


class Golden(NamedTuple):
    options: dict[str, str]
    scores: dict[str, float]

    def __str__(self) -> str:
        return " ".join(self.options.values())


# doxeval collection build articles --out sea && doxeval index build sea
# doxeval search sea topics.xml --task focused --out baseline.run        with the options of a line
# doxeval evaluate baseline.run -a assessments.jsonl --collection sea -m 'iP[.01]' -m MAiP
GOLDEN = [
    Golden(
        {"task": "documents"}, {"iP[.01]": 0.6689, "MAiP": 0.5209, "MAgP": 0.3993, "AP": 0.8206}
    ),
    Golden({"task": "thorough"}, {"iP[.01]": 0.6786, "MAiP": 0.4202, "MAep": 0.3448}),
    Golden(
        {"task": "thorough", "model": "lm"}, {"iP[.01]": 0.8871, "MAiP": 0.4095, "MAep": 0.3381}
    ),
    Golden(
        {"task": "thorough", "model": "lm(article=0,prior=1)"},
        {"iP[.01]": 0.8360, "MAiP": 0.4834, "MAep": 0.2716},
    ),
    Golden({"task": "focused"}, {"iP[.01]": 0.9346, "MAiP": 0.5279, "MAgP": 0.4593, "AP": 0.7887}),
    Golden(  # with headings among the first results, as doxeval had it once
        {"task": "focused", "model": "lm(least=1)"},
        {"iP[.01]": 0.9244, "MAiP": 0.4899, "MAgP": 0.4339, "AP": 0.7718},
    ),
    Golden(
        {"task": "focused", "model": "lm(article=0)"},
        {"iP[.01]": 0.8793, "MAiP": 0.4778, "MAgP": 0.4434, "AP": 0.7668},
    ),
    Golden(
        {"task": "focused", "model": "bm25"},
        {"iP[.01]": 0.8659, "MAiP": 0.6115, "MAgP": 0.4912, "AP": 0.8145},
    ),
    Golden(
        {"task": "focused", "model": "lm(feedback=10)"},
        {"iP[.01]": 0.9328, "MAiP": 0.6253, "MAgP": 0.3983, "AP": 0.8085},
    ),
    Golden({"task": "thorough", "model": "lm(prior=1,feedback=10)"}, {"MAep": 0.3926}),
    Golden({"task": "relevant-in-context", "model": "bm25(context=0,titles=3)"}, {"MAgP": 0.5796}),
    Golden(
        {"task": "focused", "units": "passages(100)"},
        {"iP[.01]": 0.9211, "MAiP": 0.5261, "MAgP": 0.4726, "AP": 0.8086},
    ),
    Golden({"task": "focused", "units": "windows(25,5)"}, {"iP[.01]": 0.8389, "MAiP": 0.2625}),
    Golden({"task": "relevant-in-context"}, {"MAgP": 0.5583, "AP": 0.8206}),
    Golden({"task": "best-in-context"}, {"MAgP(score=bep)": 0.4801, "BEPD": 0.6607}),
    Golden({"task": "focused", "query": "castitle"}, {"iP[.01]": 0.9697, "MAiP": 0.6194}),
    Golden(
        {"task": "vvcas", "overlap": "none"},
        {"iP[.01]": 0.9712, "MAiP": 0.6363, "MAgP": 0.5211, "AP": 0.8226},
    ),
    Golden({"task": "vvcas"}, {"MAep": 0.3976}),
    Golden({"task": "sscas"}, {"MAep": 0.1188}),
]


def means(run: Run, index: Index, *measures: str) -> list[float | None]:
    assessments = read_assessments(DEMO / "assessments.jsonl")
    (found,) = evaluate(run, assessments, measures, collection=index.collection).mean().values()
    return list(found.values())


@pytest.mark.parametrize("golden", GOLDEN, ids=str)
def test_scores_of_baselines(golden: Golden, index: Index) -> None:
    options: dict[str, Any] = dict(golden.options)
    found = means(search(index, TOPICS, **options), index, *golden.scores)
    assert found == pytest.approx(list(golden.scores.values()), abs=0.00005)


def test_defaults_are_good_enough() -> None:
    """Whoever changes the numbers above keeps them as high as this."""
    scores = {
        golden.options["task"]: golden.scores for golden in GOLDEN if len(golden.options) == 1
    }
    assert scores["focused"]["iP[.01]"] >= 0.90
    assert scores["focused"]["MAiP"] >= 0.52
    assert scores["relevant-in-context"]["MAgP"] >= 0.55
    assert scores["thorough"]["MAep"] >= 0.33


# Runs


def test_runs_are_the_same_byte_for_byte(sea: Path, tmp_path: Path) -> None:
    """The first 20 results of a topic, task by task, as tests/data/README.md says."""
    written = b""
    for task in TASKS:
        run = tmp_path / f"{task}.run"
        limits = ("--topic", "301", "--max-results", 20)
        assert doxeval("search", sea, TOPICS, "--task", task, *limits, "--out", run).exit_code == 0
        written += run.read_bytes()
    assert written.splitlines() == (DATA / "demo-search.run").read_bytes().splitlines()
    assert written == (DATA / "demo-search.run").read_bytes()


# Laws


def some_topics() -> list[Any]:
    return [topic for topic in read_topics(TOPICS) if topic.id in ("301", "302", "313", "316")]


def lists(run: Run) -> dict[str, list[Any]]:
    """The results of each topic."""
    found: dict[str, list[Any]] = {}
    for result in run:
        found.setdefault(result.topic, []).append(result)
    return found


@ways
def test_a_shorter_list_is_the_beginning_of_a_longer_one(way: dict[str, Any], index: Index) -> None:
    """Also in context: articles are ranked, and cut off in the middle of an article if need be."""
    longer = lists(search(index, some_topics(), **way))
    for most in (1, 4, 30):
        shorter = lists(search(index, some_topics(), max_results=most, **way))
        assert shorter == {topic: results[:most] for topic, results in longer.items()}


@pytest.mark.parametrize("task", ["sscas", "svcas", "vscas", "vvcas"])
def test_few_documents_at_a_time_give_the_same_lists(task: str, index: Index) -> None:
    """For queries with structure; test_search_directly.py has the others."""
    options = SearchOptions(task)
    everything, little = Searcher(index, options), Searcher(index, options, most_occurrences=40)
    for topic in some_topics():
        query = parse_structured(topic.castitle or "")
        some, whole = little.answer(query), everything.answer(query)
        assert list(some.spans.rows()) == list(whole.spans.rows())
        assert some.scores.tolist() == whole.scores.tolist()
