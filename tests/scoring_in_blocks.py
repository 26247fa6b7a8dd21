"""Runs scored at once, in blocks of topics and in pieces, to be held against each other."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Assessments
from doxeval.evaluation import Counting, Evaluation, Keep, RunOptions
from doxeval.measures import Measure
from doxeval.runs import Result, Run, pieces_of_file
from doxeval.scores import RunScores, ScoreTable
from scenes import Scene
from seams import change

NO_BLOCKS = 10_000
PIECE = 200  # bytes

CHOICES: list[dict[str, Any]] = [
    {},
    {
        "run_options": RunOptions(unresolved="irrelevant", duplicates="keep"),
        "average_over": "retrieved",
    },
    {"counting": Counting(tokens="words", ignore_whitespace=True), "order": "rsv"},
]


@pytest.fixture
def only_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that would have to be taken as a whole after all is an error."""

    def refuse(source: object, reason: Exception) -> None:
        raise AssertionError(f"not in blocks: {reason}") from reason

    change(monkeypatch, whole_run_check=refuse)


def table_of(evaluation: Evaluation, run: Run | Path, rows: int) -> ScoreTable:
    """The scores of a run in blocks of so many rows, as a table."""
    with pytest.MonkeyPatch.context() as patch:
        change(patch, block_rows=rows)
        return evaluation.score_all(run)


def scored(evaluation: Evaluation, run: Run | Path, rows: int) -> RunScores:
    """The scores of a run in blocks of so many rows."""
    return table_of(evaluation, run, rows).runs[0]


class _OtherPlace(ThreadPoolExecutor):
    """An executor whose results are pickled on their way, as if they came from another process."""

    def submit(self, task: Callable[..., Any], /, *given: Any, **options: Any) -> Future[Any]:
        """Do the task at once."""
        done: Future[Any] = Future()
        done.set_result(pickle.loads(pickle.dumps(task(*given, **options))))
        return done


def in_pieces(evaluation: Evaluation, path: Path, *, unbroken: bool = False) -> RunScores:
    """The scores of a run that was scored in pieces, each perhaps in another process.

    unbroken: there must be several pieces, and the run must not be scored in order after all.
    """

    def refuse(*_: object) -> None:
        raise AssertionError("not in pieces")

    with pytest.MonkeyPatch.context() as patch, _OtherPlace(1) as executor:
        change(patch, file_piece_bytes=PIECE, block_rows=3)
        if unbroken:
            assert len(pieces_of_file(path)) > 2
            change(patch, score_whole_run=refuse)
        return evaluation.score_all(path, executor=executor).runs[0]


def assert_same(evaluation: Evaluation, run: Run, rows: int) -> set[str]:
    """Hold that blocks change nothing, to the bit; return the names of the measures."""
    table = table_of(evaluation, run, NO_BLOCKS)
    at_once, in_blocks = table.runs[0], scored(evaluation, run, rows)
    for row, facts in enumerate(table.measures):
        same = np.array_equal(in_blocks.values[row], at_once.values[row], equal_nan=True)
        assert same, (facts.canonical, in_blocks.values[row], at_once.values[row])
    assert in_blocks.warnings == at_once.warnings
    assert in_blocks.curves == at_once.curves
    assert in_blocks.documents == at_once.documents
    assert in_blocks == at_once
    return {re.split(r"[@\[(]", facts.canonical)[0] for facts in table.measures}


def by_topic(results: Sequence[Result], random: Random) -> Run:
    """The results of a run, topic by topic, the topics in any order."""
    topics = list(dict.fromkeys(result.topic for result in results))
    random.shuffle(topics)
    return Run.from_results(
        [result for topic in topics for result in results if result.topic == topic]
    )


def runs_of(scene: Scene, random: Random, order: str | None = None) -> Iterator[Run]:
    """Two runs of the world, whatever they return, that can be put into the order."""
    world = scene.world
    for results in random.sample([world.elements, world.passages, world.trees, world.chunks], 2):
        run = by_topic(results, random)
        if results and (order != "rsv" or run.score is not None):  # chunks have no scores
            yield run


def evaluation_of(scene: Scene, measures: Sequence[Measure], **options: Any) -> Evaluation:
    """An evaluation by these measures, as far as the world allows it."""
    usual: dict[str, Any] = {
        "run_options": RunOptions(unresolved="irrelevant"),
        "counting": Counting(tokens="words"),
        "keep": Keep(curves=True),
    }
    return Evaluation(
        Assessments(scene.truth.assessments),
        where_possible=measures,
        collection=scene.collection,
        chunks=scene.world.chunk_table(),
        **usual | options,
    )
