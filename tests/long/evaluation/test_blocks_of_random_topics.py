"""Runs in blocks of whole topics: random worlds, by every measure with random parameters."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.assessments import Specificity
from doxeval.errors import MissingInput
from doxeval.measures import MEASURES, Measure
from doxeval.topics import Topic
from law_cases import varied
from levels import LEVEL
from scenes import YEARS, Scene, scenes
from scoring_in_blocks import CHOICES, assert_same, evaluation_of, only_in_blocks, runs_of
from strategies import World, needed_worlds, unit_worlds

__all__ = ["only_in_blocks"]  # a fixture

SCENES = 8  # of a year, the largest first; again, until every measure had its turn


def measures_for(scene: Scene, random: Random) -> list[Measure]:
    measures = [varied(kind, scene.scale, random) for kind in MEASURES.values()]
    return [measure for measure in measures if measure is not None]


@pytest.mark.parametrize("year", YEARS)
def test_every_measure_gives_the_same_bits_in_random_worlds(
    year: str, only_in_blocks: None
) -> None:
    wanted = set(MEASURES) if LEVEL != "unit" and year == "highlights" else set()
    names: set[str] = set()
    largest = scenes(year)[-SCENES:]
    for number, scene in enumerate(largest * 4):
        if number >= len(largest) and names >= wanted:
            break
        random = Random(number)
        options = CHOICES[number % len(CHOICES)]
        try:
            evaluation = evaluation_of(scene, measures_for(scene, random), **options)
        except MissingInput:
            continue
        for run in runs_of(scene, random, options.get("order")):
            names |= assert_same(evaluation, run, random.choice((1, 2, 3)))
    assert names >= wanted


@pytest.mark.parametrize("strategy", [needed_worlds, unit_worlds])
def test_needs_and_units_of_topics(
    strategy: Callable[[], st.SearchStrategy[World]], only_in_blocks: None
) -> None:
    @settings(max_examples=6, database=None)
    @given(strategy(), st.randoms(use_true_random=False))
    def hold(world: World, random: Random) -> None:
        scene = Scene(world, Specificity)
        try:
            evaluation = evaluation_of(scene, measures_for(scene, random))
        except MissingInput:
            return
        for run in runs_of(scene, random):
            assert_same(evaluation, run, 1)

    hold()


def test_targets_of_topics(only_in_blocks: None) -> None:
    topics = [
        Topic(number, castitle=f"//{tag}[about(., one)]")
        for number, tag in zip("123", "pbs", strict=True)
    ]
    held = 0
    for number, scene in enumerate(scenes("highlights")):
        random = Random(number)
        evaluation = evaluation_of(scene, measures_for(scene, random), targets=topics)
        for run in runs_of(scene, random):
            held += 1
            assert_same(evaluation, run, 1)
    assert held
