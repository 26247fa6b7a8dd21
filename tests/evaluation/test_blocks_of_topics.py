"""Runs in blocks of whole topics: scores, warnings and errors are those of the run at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Assessments
from doxeval.errors import MissingInput
from doxeval.evaluation import Evaluation, blocks
from doxeval.evaluation.joining import AtOnce
from doxeval.evaluation.sources import Source
from doxeval.measures.registry import MEASURES
from doxeval.runs.builder import run_of
from doxeval.runs.run import Result, Run
from doxeval.scores import RunScores
from law_cases import varied
from scenes import Scene, every_year, scenes

NO_BLOCKS = 1 << 40


@pytest.fixture
def only_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that would have to be taken as a whole after all is an error."""

    def refuse(source: object, reason: AtOnce) -> None:
        raise AssertionError(f"not in blocks: {reason}") from reason

    monkeypatch.setattr(blocks, "_refuse_large", refuse)


def scored(evaluation: Evaluation, run: Source, rows: int) -> RunScores:
    """The scores of a run in blocks of so many rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS", rows)
        return evaluation.score(run)


def assert_same(evaluation: Evaluation, run: Source, rows: int) -> None:
    """Hold that blocks change nothing, to the bit."""
    at_once, in_blocks = scored(evaluation, run, NO_BLOCKS), scored(evaluation, run, rows)
    for row, one in enumerate(evaluation.measures):
        same = np.array_equal(in_blocks.values[row], at_once.values[row], equal_nan=True)
        assert same, (str(one.settled), in_blocks.values[row], at_once.values[row])
    assert in_blocks.warnings == at_once.warnings
    assert in_blocks.curves == at_once.curves
    assert in_blocks.documents == at_once.documents
    assert in_blocks == at_once


def by_topic(results: Sequence[Result], random: Random) -> Run:
    """The results of a run, topic by topic, the topics in any order."""
    topics = list(dict.fromkeys(result.topic for result in results))
    random.shuffle(topics)
    return run_of([result for topic in topics for result in results if result.topic == topic])


def runs_of(scene: Scene, random: Random) -> Iterator[Run]:
    world = scene.world
    for results in (world.elements, world.passages, world.trees, world.chunks):
        if len({result.topic for result in results}) > 1:
            yield by_topic(results, random)


def evaluation_of(scene: Scene, random: Random, **options: Any) -> Evaluation:
    """An evaluation by every measure of the registry, as far as the world allows it."""
    measures = [varied(kind, scene.scale, random) for kind in MEASURES.values()]
    return Evaluation(
        Assessments(scene.truth.assessments),
        where_possible=[measure for measure in measures if measure is not None],
        collection=scene.world.collection(),
        chunks=scene.world.chunk_table(),
        tokens="words",
        curves=True,
        unresolved="irrelevant",
        **options,
    )


CHOICES: list[dict[str, Any]] = [
    {},
    {"duplicates": "keep", "average_over": "retrieved"},
    {"solid": True, "order": "rsv"},
]


@every_year
def test_every_measure_gives_the_same_bits(year: str, only_in_blocks: None) -> None:
    scored_in_blocks: set[str] = set()
    for number, scene in enumerate(scenes(year)):
        random = Random(number)
        options = CHOICES[number % len(CHOICES)]
        try:
            evaluation = evaluation_of(scene, random, **options)
        except MissingInput:
            continue
        for run in runs_of(scene, random):
            if options.get("order") == "rsv" and run.score is None:
                continue
            assert_same(evaluation, run, random.choice((1, 2, 3)))
            scored_in_blocks |= {one.asked.name for one in evaluation.measures}
    assert year != "highlights" or scored_in_blocks == set(MEASURES)
