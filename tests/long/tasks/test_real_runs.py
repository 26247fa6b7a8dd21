"""A real run with problems: what is wrong with it, and the run repaired."""

from __future__ import annotations

import pytest

from doxeval.runs import Run, read_run
from doxeval.tasks import TASKS, problems_of, repaired
from helpers import CONFORMANCE, needs_conformance

pytestmark = needs_conformance


@pytest.fixture(scope="module")
def run() -> Run:
    return read_run(CONFORMANCE / "inex_eval-3.1" / "real" / "bert_dup-topic.run")


def test_nothing_is_dropped_because_articles_are_interleaved(run: Run) -> None:
    assert len(run) == 36_868
    fixed, done = repaired(run, problems_of(run, TASKS["relevant-in-context"]))
    assert len(fixed) == 36_619
    assert done == [
        "dropped 249 results: duplicate",
        "put the results of each topic together",
        "moved 24,243 results up to the first result of their article",
        "assigned ranks again",
        "dropped the scores, which contradict the order of the lines",
    ]
    assert problems_of(fixed, TASKS["relevant-in-context"]) == []


def test_the_run_with_a_topic_in_two_blocks(run: Run) -> None:
    """`bert_dup-topic.run`: topic 2009079 stands on lines up to 15935 and again on 32582–32830."""
    found = problems_of(run, TASKS["focused"])
    assert found[0].message == (
        "topic 2009079 ends on line 15935 and comes back on lines 32582–32830"
    )
    rest = found[1:]
    assert {(problem.kind, problem.topic) for problem in rest} == {("duplicate", "2009079")}
    assert [problem.lines[1] for problem in rest] == list(range(32582, 32831))
