"""Laws over the registry: what must hold for every measure.

No measure is named: measures come from the registry, their parameters from what they say of
themselves. Worlds are tried from the smallest to the largest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from doxeval.assessments import Specificity
from doxeval.evaluation import RunOptions, evaluate
from doxeval.measures import MEASURES, Law
from doxeval.runs import WRITERS, Kind, Result, RunFormat, run_of, write_run
from law_cases import cases, declaring, varied, with_parameter
from scenes import SLACK, Scene, every_year, scenes


def test_every_law_is_declared_by_some_measure() -> None:
    assert all(declaring(law) for law in Law)


def test_laws_about_parameters_are_declared_where_the_parameters_are() -> None:
    assert set(declaring(Law.GROWS_WITH_K)) <= set(with_parameter("@"))
    assert set(declaring(Law.FALLS_WITH_X)) <= set(with_parameter("["))


@every_year
@pytest.mark.parametrize("name", MEASURES)
def test_scores_are_in_the_range(name: str, year: str) -> None:
    for case in cases(name, year):
        measure = case.measure.settled(case.scene.truth)
        highest = math.inf if measure.highest is None else measure.highest
        for score in case.scores.values():
            assert measure.facts.lowest - SLACK <= score <= highest + SLACK, case.told(score)


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_topics_and_of_judgments_is_irrelevant(name: str) -> None:
    for case in cases(name, variants=1):
        topics = list(dict.fromkeys(result.topic for result in case.results))[::-1]
        blocks = [result for topic in topics for result in case.results if result.topic == topic]
        world = replace(case.scene.world, judgments=case.scene.world.judgments[::-1])
        found = Scene(world, case.scene.scale).scores(case.measure, blocks)
        assert found == pytest.approx(case.scores, abs=1e-12), case.told()
        assert case.scene.scores(case.measure, blocks) == case.scores, case.told()


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_lines_of_gold_and_runs_is_irrelevant(name: str) -> None:
    """Judgments, the spans of needs in them, and results that have ranks, in any order."""
    random = Random(name)
    by_rank = RunOptions(order="rank")
    for case in [*cases(name, variants=1), *cases(name, "needs", variants=1)]:
        results = [one._replace(rank=rank) for rank, one in enumerate(case.results, 1)]
        judgments = [
            replace(one, needs=tuple(random.sample(one.needs, len(one.needs))))
            for one in case.scene.world.judgments
        ]
        random.shuffle(judgments)
        world = replace(case.scene.world, judgments=tuple(judgments))
        shuffled = random.sample(results, len(results))
        found = Scene(world, case.scene.scale).scores(case.measure, shuffled, by_rank)
        expected = case.scene.scores(case.measure, results, by_rank)
        assert found == pytest.approx(expected, abs=1e-12), case.told()


def all_measures(scene: Scene, results: tuple[Result, ...]) -> list[str]:
    """A variant of every measure that can score these results."""
    found = [varied(kind, Specificity, Random(name)) for name, kind in MEASURES.items()]
    return [
        str(one)
        for one in found
        if one is not None and scene.takes(one) and results in scene.runs(one)
    ]


def in_all_formats(results: Sequence[Result], directory: Path) -> list[Path]:
    """The results as files; a document is written as its root, so that all formats hold it."""
    spelt = [
        one._replace(kind=Kind.ELEMENT, paths=("/article[1]",))
        if one.kind == Kind.DOCUMENT
        else one
        for one in results
    ]
    suffixes: dict[RunFormat, str] = {"text": ".txt", "inex": ".xml"}
    files = [directory / f"run{suffixes.get(name, f'.{name}')}" for name in WRITERS]
    for file in files:
        write_run(run_of(spelt, "run"), file)
    return files


@pytest.mark.parametrize("number", range(6))
def test_the_format_of_a_run_is_irrelevant(number: int, tmp_path: Path) -> None:
    rich = [scene for scene in scenes() if scene.world.elements and scene.world.passages]
    scene = rich[-1 - number]
    for results in (scene.world.elements, scene.world.passages):
        names = all_measures(scene, results)
        files = in_all_formats(results, tmp_path)
        assessments, collection = scene.truth.assessments, scene.world.collection()
        options: dict[str, Any] = {
            "collection": collection,
            "tokens": "words",
            "chunks": scene.world.chunk_table(),
        }
        expected = evaluate(run_of(results), assessments, names, **options)
        for file in files:
            found = evaluate(file, assessments, names, **options)
            assert found.topics() == expected.topics(), file
        for file in files:
            file.unlink()
