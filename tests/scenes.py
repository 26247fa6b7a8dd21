"""Random worlds that are ready for measures. They are made once, the smallest first.

Each world has two more documents than its assessors and systems have seen: one that nobody ever
returns, and one that is good for nothing, with elements of every size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.assessments import (
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    Judgment,
    NeededSpan,
    Scale,
    Specificity,
    resolve_judgments,
)
from doxeval.documents import Collection
from doxeval.errors import MissingInput
from doxeval.evaluation import RankedBy, RunOptions, build_ranking
from doxeval.measures import GroundTruth, Measure, Need, Ranking, Texts
from doxeval.runs import Kind, Result, Run
from levels import LEVEL
from strategies import Node, Piece, World, graded_worlds, located, needed_worlds, worlds

SLACK = 1e-9
EXACT = 1e-12  # sums in another order
WORLDS = 4 if LEVEL == "unit" else 9
NOWHERE = "nowhere"  # a document that no system returns and no assessor has seen
USELESS = "useless"  # such a document, of paragraphs: some empty, one of each size, some with text
MANY = 12  # how many of its paragraphs are empty, and how many have the same text
Scores = dict[str, float]  # of the topics where the measure is defined
USUAL, KEEP = RunOptions(), RunOptions(duplicates="keep")
AS_LISTED = RankedBy()


@dataclass(frozen=True, eq=False)
class Scene:
    """A world that is ready for measures; sizes are those of its useless paragraphs with text."""

    world: World
    scale: Scale
    sizes: tuple[int, ...] = ()

    @cached_property
    def collection(self) -> Collection:
        """The documents."""
        return self.world.collection()

    @cached_property
    def truth(self) -> GroundTruth:
        """What is relevant."""
        judged = self.world.judgment_columns()
        resolved = resolve_judgments(judged, self.collection).judgments
        return GroundTruth.of(
            Assessments(resolved),
            self.collection,
            texts=Texts(self.collection, "words"),
            chunks=self.world.chunk_table(),
        )

    @cached_property
    def _rankings(self) -> dict[tuple[tuple[Result, ...], RunOptions, RankedBy], Ranking]:
        return {}

    def ranking(
        self,
        results: Sequence[Result],
        options: RunOptions = USUAL,
        ranked_by: RankedBy = AS_LISTED,
    ) -> Ranking:
        """Return results as measures see them."""
        key = (tuple(results), options, ranked_by)
        if key not in self._rankings:
            ranking = build_ranking(Run.from_results(key[0]), self.truth, options, ranked_by)
            self._rankings[key] = ranking.ranking
        return self._rankings[key]

    def scores(
        self,
        measure: Measure,
        results: Sequence[Result],
        options: RunOptions = USUAL,
        ranked_by: RankedBy = AS_LISTED,
    ) -> Scores:
        """Return the scores of a run, by topic."""
        ranking = self.ranking(results, options, ranked_by)
        scores = measure.resolve_auto(self.truth).scores(ranking)
        by_topic = zip(self.truth.topics, scores.tolist(), strict=True)
        return {topic: score for topic, score in by_topic if not math.isnan(score)}

    def takes(self, measure: Measure, results: Sequence[Result]) -> bool:
        """Whether the world has what the measure needs."""
        answers = [answer for _, answer in self.world.answers]
        if Need.ANSWERS in measure.needs and not any(answer.texts for answer in answers):
            return False
        if Need.UNANSWERABLE in measure.needs and all(answer.exists for answer in answers):
            return False
        try:
            self.scores(measure, results)
        except MissingInput:
            return False
        return True

    def judged_as(self, judgments: Sequence[Judgment]) -> Scene:
        """Return the same documents and runs with other judgments."""
        return replace(self, world=replace(self.world, judgments=tuple(judgments)))

    def useless_of_size(self, size: int, topic: str) -> Result:
        """Return a useless element of a size that some result has."""
        return _useless(MANY + 1 + self.sizes.index(size), topic)

    def useless_of_each_size(self, topic: str) -> list[Result]:
        """Return useless elements of the sizes that results have."""
        return [self.useless_of_size(size, topic) for size in self.sizes]

    def useless_with_text(self, topic: str) -> list[Result]:
        """Return useless elements with the same text."""
        return [_useless(MANY + len(self.sizes) + at, topic) for at in range(1, MANY + 1)]

    def __str__(self) -> str:
        added = (NOWHERE, USELESS)
        documents = [item for item in self.world.sources.items() if item[0] not in added]
        lines = [f"{name}: {source}" for name, source in documents]
        return "\n".join([*lines, *map(str, self.world.judgments)])


def empty_results(topic: str) -> list[Result]:
    """Return useless elements without text."""
    return [_useless(at, topic) for at in range(1, MANY + 1)]


def _useless(number: int, topic: str) -> Result:
    return Result(topic, USELESS, Kind.ELEMENT, paths=(f"/article[1]/p[{number}]",))


def _paragraph(text: str) -> Node:
    return Node("p", (Piece(text, text),) if text else ())


def _scene(world: World, scale: Scale) -> Scene:
    """Return the world, with two more documents that have nothing to do with it."""
    plain = Scene(world, scale)
    runs = (world.elements, world.passages)
    sizes = sorted({size for run in runs for size in plain.ranking(run).size.tolist()})
    texts = [*[""] * MANY, *("x" * size for size in sizes), *["nothing"] * MANY]
    added = (
        (NOWHERE, Node("article", (_paragraph("nothing"),))),
        (USELESS, Node("article", tuple(map(_paragraph, texts)))),
    )
    return Scene(replace(world, documents=(*world.documents, *added)), scale, tuple(sizes))


def _with_copies(random: Random) -> World:
    """Two documents with the same text and the same needs, and passages of the first."""
    text = "".join(random.choice("ab  c") for _ in range(30))
    node = Node("article", (Piece(text, text),))
    spans = [sorted(random.sample(range(31), 2)) for _ in range(random.randint(1, 3))]
    needs = tuple(NeededSpan(str(at), start, end) for at, (start, end) in enumerate(spans))
    returned = [sorted(random.sample(range(31), 2)) for _ in range(random.randint(1, 5))]
    return World(
        (("a", node), ("b", node)),
        tuple(Judgment("1", name, needs=needs) for name in ("a", "b")),
        (),
        tuple(Result("1", "a", Kind.PASSAGE, start, end) for start, end in returned),
    )


# What is judged, and how worlds are made where it is judged that way.
STRATEGIES: dict[str, tuple[Scale, st.SearchStrategy[World]]] = {
    "highlights": (Specificity, worlds()),
    "2002": (Grade2002, graded_worlds(2002)),
    "2003": (Grade2003, graded_worlds(2003)),
    "2005": (Grade2005, graded_worlds(2005)),
    "needs": (Specificity, needed_worlds()),
    "copies": (Specificity, st.integers(0, 2**32).map(Random).map(_with_copies)),
}
YEARS = ("highlights", "2002", "2003", "2005")


@cache
def scenes(year: str) -> list[Scene]:
    """Return random worlds in which something is relevant, the smallest first.

    In two thirds of them, several topics have results and relevant text.
    """
    scale, strategy = STRATEGIES[year]
    drawn: list[World] = []

    @settings(max_examples=6 * WORLDS, database=None)
    @given(strategy)
    def collect(world: World) -> None:
        if any(judgment.is_relevant for judgment in world.judgments):
            drawn.append(world)

    collect()
    drawn.sort(key=_extent)
    rich = [world for world in drawn if _has_several_topics(world)]
    others = [world for world in drawn if not _has_several_topics(world)]
    chosen = _spread(others, WORLDS // 3 if rich else WORLDS)
    chosen += _spread(rich, WORLDS - len(chosen))
    return [_scene(world, scale) for world in sorted(chosen, key=_extent)]


def _extent(world: World) -> int:
    """Return how large a world is."""
    places = sum(len(located(node)) for _, node in world.documents)
    return places + len(world.elements) + len(world.passages)


def _has_several_topics(world: World) -> bool:
    judged = {judgment.topic for judgment in world.judgments if judgment.is_relevant}
    return len(judged & {result.topic for result in world.elements}) > 1


def _spread(ordered: Sequence[World], number: int) -> list[World]:
    """Return so many worlds from the first to the last, at equal distances."""
    places = np.linspace(0, len(ordered) - 1, min(number, len(ordered)))
    return [ordered[at] for at in places.astype(int).tolist()]


def ideal_run(scene: Scene, measure: Measure) -> list[Result]:
    """Return what a perfect system returns, best first: elements of the base, or documents."""
    truth = scene.truth
    if Need.RETRIEVED_ELEMENTS not in measure.needs:
        return [Result(j.topic, j.document) for j in scene.world.judgments if j.is_relevant]
    measure = measure.resolve_auto(truth)
    given_base = getattr(measure, "base", "full"), getattr(measure, "ignore", "none")
    quant = getattr(measure, "quant", "spec")
    base = truth.base(given_base[0], quant, given_base[1])
    nodes = truth.elements(quant).node[base.row]
    best_first = np.lexsort((-base.value, base.topic)).tolist()
    return [
        Result(
            truth.topics[int(base.topic[row])],
            scene.collection.id_of(int(base.document[row])),
            Kind.ELEMENT,
            paths=(scene.collection.path_of(int(nodes[row])),),
        )
        for row in best_first
    ]
