"""Small runs for the drop-in for inex_eval 3.1, its options, and what it prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doxeval.compat import InexEvalOptions, InexEvalTask, inex_eval_lines
from helpers import write_files

TASKS = {
    "-t": InexEvalTask.THOROUGH,
    "-f": InexEvalTask.FOCUSED,
    "-r": InexEvalTask.RELEVANT_IN_CONTEXT,
    "-b": InexEvalTask.BEST_IN_CONTEXT,
    "-i": InexEvalTask.T2I,
}


def options(arguments: str) -> InexEvalOptions:
    """The options that the tool's own arguments stand for."""
    given: dict[str, Any] = {}
    words = iter(arguments.split())
    for word in words:
        if word in TASKS:
            given["task"] = TASKS[word]
        elif word in ("-n", "-irr"):
            given[word[1:]] = int(next(words))
        elif word == "-beta":
            given["beta"] = float(next(words))
        else:
            given[{"-c": "all_topics", "-q": "per_topic"}[word]] = True
    return InexEvalOptions(**given)


def assert_same(found: list[str], expected: list[str]) -> None:
    """Labels, topics and layout are the same, and values to 1e-12."""
    assert [line.rpartition("\t")[0] for line in found] == [
        line.rpartition("\t")[0] for line in expected
    ]
    for one, other in zip(found, expected, strict=True):
        if one != other:
            value = pytest.approx(float(other.split("\t")[-1]), rel=0, abs=1e-12, nan_ok=True)
            assert float(one.split("\t")[-1]) == value, f"{one!r} is not {other!r}"


Evaluate = Callable[..., list[str]]
# Topic 7 has 50 relevant characters in two articles, topic 8 has 10 in one, topic 9 has none.
QRELS = """\
7 Q0 a 40 100 10 0:40
7 Q0 b 0 80
7 Q0 d 10 50 40 40:10
8 Q0 e 10 20 0 0:10
9 Q0 f 0 30
"""


def evaluator_in(directory: Path) -> Evaluate:
    """A function that evaluates a run against QRELS or others, in the working directory."""

    def evaluator(arguments: str, run: str | bytes, qrels: str | bytes = QRELS) -> list[str]:
        write_files(directory, {"run.txt": run, "qrels.txt": qrels})
        return inex_eval_lines("run.txt", ["qrels.txt"], options(arguments))

    return evaluator


def lines(*results: str) -> str:
    """A run of `topic article offset length` each."""
    rows = (result.split() for result in results)
    return "".join(
        f"{topic} Q0 {article} {rank} {1 / rank} mine {offset} {length}\n"
        for rank, (topic, article, offset, length) in enumerate(rows, 1)
    )


def values(printed: list[str], topic: str) -> dict[str, float]:
    """The values printed for a topic, by their labels."""
    rows = (line.split("\t") for line in printed if "\t" in line)
    return {row[0]: float(row[-1]) for row in rows if row[-2] == topic}


def near(value: float) -> Any:
    return pytest.approx(value, rel=0, abs=1e-12, nan_ok=True)
