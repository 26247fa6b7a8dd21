"""Random worlds that are ready for measures. They are made once, the smallest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.assessments import (
    QUANTISATIONS,
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    Scale,
    Specificity,
    resolved_judgments,
)
from doxeval.errors import MissingInput
from doxeval.evaluation import RunOptions, ranked
from doxeval.measures import GroundTruth, Law, Measure, Need, Ranking, Texts
from doxeval.runs import Kind, Result, run_of
from levels import scaled
from strategies import Node, Piece, World, graded_worlds, located, needed_worlds, worlds

SLACK = 1e-9
WORLDS = scaled(20)
NOWHERE = "nowhere"  # a document that no system returns and no assessor has seen
Scores = dict[str, float]  # of the topics where the measure is defined
_USUAL = RunOptions()


@dataclass(frozen=True)
class Scene:
    """A world that is ready for measures."""

    world: World
    scale: Scale

    @cached_property
    def truth(self) -> GroundTruth:
        """What is relevant."""
        collection = self.world.collection()
        resolved = resolved_judgments(self.world.judgments, collection).judgments
        return GroundTruth.of(
            Assessments(resolved),
            collection,
            texts=Texts(collection, "words"),
            chunks=self.world.chunk_table(),
        )

    @cached_property
    def size(self) -> int:
        """How large the world is."""
        places = sum(len(located(node)) for _, node in self.world.documents)
        return places + len(self.world.elements) + len(self.world.passages)

    @cached_property
    def _known(self) -> dict[tuple[tuple[Result, ...], RunOptions], Ranking]:
        return {}

    def ranking(self, results: Sequence[Result], options: RunOptions = _USUAL) -> Ranking:
        """Results as measures see them."""
        key = (tuple(results), options)
        if key not in self._known:
            self._known[key] = ranked(run_of(key[0]), self.truth, options).ranking
        return self._known[key]

    def scores(
        self, measure: Measure, results: Sequence[Result], options: RunOptions = _USUAL
    ) -> Scores:
        """The scores of a run, by topic."""
        found = measure.settled(self.truth).scores(self.ranking(results, options))
        by_topic = zip(self.truth.topics, found.tolist(), strict=True)
        return {topic: score for topic, score in by_topic if not math.isnan(score)}

    def runs(self, measure: Measure) -> list[tuple[Result, ...]]:
        """The runs that a measure can score."""
        if measure.needs & {Need.RETRIEVED_ELEMENTS}:
            return [self.world.elements]
        return [self.world.elements, self.world.passages]

    def takes(self, measure: Measure) -> bool:
        """Whether the world has what the measure needs."""
        try:
            self.scores(measure, self.world.elements)
        except MissingInput:
            return False
        return True

    def obeys(self, measure: Measure, law: Law | None) -> bool:
        """Whether the measure declares a law, with these parameters."""
        return law is None or law in measure.settled(self.truth).laws

    def __str__(self) -> str:
        lines = [f"{name}: {source}" for name, source in self.world.sources.items()]
        return "\n".join([*lines, *map(str, self.world.judgments)])


def _scene(world: World, scale: Scale) -> Scene:
    """The world, with one more document that has nothing to do with it."""
    nowhere = (NOWHERE, Node("article", (Node("p", (Piece("nothing", "nothing"),)),)))
    return Scene(replace(world, documents=(*world.documents, nowhere)), scale)


# What is judged, and how worlds are made where it is judged that way.
STRATEGIES: dict[str, tuple[Scale, st.SearchStrategy[World]]] = {
    "highlights": (Specificity, worlds()),
    "2002": (Grade2002, graded_worlds(2002)),
    "2003": (Grade2003, graded_worlds(2003)),
    "2005": (Grade2005, graded_worlds(2005)),
    "needs": (Specificity, needed_worlds()),
}
every_year = pytest.mark.parametrize("year", [name for name in STRATEGIES if name != "needs"])


@cache
def scenes(year: str = "highlights") -> list[Scene]:
    """Random worlds in which something is relevant, the smallest first."""
    scale, strategy = STRATEGIES[year]
    found: list[Scene] = []

    @settings(max_examples=WORLDS, database=None)
    @given(strategy)
    def collect(world: World) -> None:
        if any(judgment.is_relevant for judgment in world.judgments):
            found.append(_scene(world, scale))

    collect()
    return sorted(found, key=lambda scene: scene.size)


def ideal_run(scene: Scene, measure: Measure) -> list[Result]:
    """What a perfect system returns, best first: elements of the base, or relevant documents."""
    truth = scene.truth
    if Need.RETRIEVED_ELEMENTS not in measure.needs:
        return [Result(j.topic, j.document) for j in scene.world.judgments if j.is_relevant]
    measure = measure.settled(truth)
    given_base = getattr(measure, "base", "full"), getattr(measure, "ignore", "none")
    quant = getattr(measure, "quant", "spec")
    base = truth.base(given_base[0], quant, given_base[1])
    nodes = truth.elements(QUANTISATIONS[quant]).node[base.row]
    collection = scene.world.collection()
    best_first = np.lexsort((-base.value, base.topic)).tolist()
    return [
        Result(
            truth.topics[int(base.topic[row])],
            collection.id_of(int(base.document[row])),
            Kind.ELEMENT,
            paths=(collection.path_of(int(nodes[row])),),
        )
        for row in best_first
    ]
