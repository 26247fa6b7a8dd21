"""What a measure and its twin are compared on: a world, one of its runs, and how it is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from brute_force.numbers import Score, mean
from brute_force.scene import Scene, Steps
from brute_force.twins import score_of
from doxeval.evaluation import Counting, evaluate
from doxeval.measures import Measure, Need
from doxeval.navigation import MatrixNavigation
from strategies import World

OF_2002 = ("strict", "gen")
OF_2003 = ("strict", "gen", "sog", "e3s32", "e3s321", "s3e32", "s3e321")
OF_2005 = ("strict5", "gen5", "genLifted", "spec")
OF_HIGHLIGHTS = ("spec",)
# Models of navigation that come from files of their own; see tests/unit/navigation.
FROM_FILES = ("routes", "summary", "steady")


@dataclass(frozen=True)
class Scenario:
    """Which results are scored, with what at hand.

    quants: the quantisations that fit the judgments. lists_say: specificity is taken from the
    lists of 2005. steps: a matrix of navigation.
    """

    results: Literal["elements", "passages", "trees", "chunks"]
    quants: tuple[str, ...]
    has_collection: bool = True
    lists_say: bool = False
    by_score: bool = False
    steps: Steps | None = None

    def scenes(self, world: World, keeps_repeats: bool = False) -> dict[str, Scene]:
        """The assessed topics of a world, as twins see them."""
        results = getattr(world, self.results)
        return {
            topic: Scene(
                world,
                topic,
                results,
                self.by_score,
                self.has_collection,
                self.lists_say,
                self.steps,
                keeps_repeats,
            )
            for topic in dict.fromkeys(
                [*(judgment.topic for judgment in world.judgments), *dict(world.answers)]
            )
        }

    def needs_met(self, world: World) -> set[Need]:
        """What a measure may need and finds here."""
        nothing = not any(judgment.is_relevant for judgment in world.judgments)
        has_text = self.has_collection or self.results in ("passages", "chunks")
        is_met = {
            Need.HIGHLIGHTS: nothing or any(j.highlights for j in world.judgments),
            Need.ENTRY_POINTS: nothing
            or any(j.best_entry_point is not None for j in world.judgments),
            Need.ELEMENTS: nothing
            or self.quants != OF_HIGHLIGHTS
            or (self.has_collection and any(j.highlights for j in world.judgments)),
            Need.SIZES: self.has_collection,
            Need.RETRIEVED_TEXT: has_text and self.results != "trees",
            Need.RETRIEVED_START: has_text and self.results != "trees",
            Need.RETRIEVED_ELEMENTS: self.results == "elements",
            Need.SUBTOPICS: nothing or any(j.subtopics or j.highlights for j in world.judgments),
            Need.CHUNKS: True,
            Need.UNANSWERABLE: any(not answer.exists for _, answer in world.answers),
            Need.ANSWERS: any(answer.texts for _, answer in world.answers),
        }
        return {need for need, is_there in is_met.items() if is_there}

    def allows(self, measure: Measure, world: World) -> bool:
        """Whether a measure can be computed here at all."""
        navigates = self.steps is not None and getattr(measure, "targets", None) != "bep"
        if navigates and getattr(measure, "nav", None) == "auto":
            measure = measure(nav="matrix")
        is_usual_rank = measure.name == "RR" and measure == measure(rel=1, judged_only=False)
        if is_usual_rank and any(j.highlights or j.needs for j in world.judgments):
            measure = (
                measure if getattr(measure, "unit", "") == "document" else measure(unit="need")
            )
        return (
            measure.needs <= self.needs_met(world)
            and self._has_collection_for(measure)
            and self._has_navigation_for(measure)
            and self._has_units_for(measure, world)
            # ERRU is defined for highlights and for the coverage of 2002; ng counts characters
            # itself, and the lists of 2005 counted others.
            and (measure.name != "ERRU" or self.quants in (OF_HIGHLIGHTS, OF_2002))
            and (measure.name not in ("ng", "ngP", "ngR") or not self.lists_say)
        )

    def _has_collection_for(self, measure: Measure) -> bool:
        wants_it = (
            getattr(measure, "overlap", None) is True
            or getattr(measure, "unretrieved", None) == "level"
            or (getattr(measure, "L", None) == "collection" and Need.ENTRY_POINTS in measure.needs)
            or getattr(measure, "nav", "none") not in ("none", "auto")
            or measure.name == "ans"
            or (
                (hasattr(measure, "B") or measure.name in ("Red", "read"))
                and getattr(measure, "unit", None) in ("words", "tokens")
            )
        )
        return self.has_collection or not wants_it

    def _has_navigation_for(self, measure: Measure) -> bool:
        nav = getattr(measure, "nav", "none")
        return nav not in FROM_FILES and (nav != "matrix" or self.steps is not None)

    def _has_units_for(self, measure: Measure, world: World) -> bool:
        """ESR: assessed units, highlights or a recall base, and the relevant text of it."""
        assessed = getattr(measure, "assessed", None)
        has_units = any(judgment.units for judgment in world.judgments)
        has_highlights = any(judgment.highlights for judgment in world.judgments)
        nothing = not any(judgment.is_relevant for judgment in world.judgments)
        if assessed is None:
            return True
        if assessed == "units" or (assessed == "auto" and has_units):
            return has_units
        if assessed == "cover" or (assessed == "auto" and has_highlights):
            return has_highlights or nothing
        if has_units and not has_highlights:
            return False
        by_passages = self.quants == OF_HIGHLIGHTS or (
            getattr(measure, "quant", None) == "spec" and not self.lists_say
        )
        return getattr(measure, "rel", None) != "length" or (by_passages and has_highlights)

    def compare(self, world: World, measures: Sequence[Measure]) -> None:
        """Hold that each measure gives each topic what its twin gives, and the mean of that."""
        runs = {
            "elements": world.element_run,
            "passages": world.passage_run,
            "trees": world.tree_run,
            "chunks": world.chunk_run,
        }
        is_used = any(
            getattr(measure, "nav", None) in ("auto", "matrix")
            and getattr(measure, "targets", None) != "bep"
            for measure in measures
        )
        steps = self.steps if is_used else None  # a model that no measure uses is an error
        table = evaluate(
            runs[self.results](),
            world.assessments(),
            measures,
            collection=world.collection() if self.has_collection else None,
            order="rsv" if self.by_score else "list",
            navigation=None if steps is None else MatrixNavigation(probabilities=steps),
            chunks=world.chunk_table(),
            counting=Counting(
                specificity="file" if self.lists_say else None,
                tokens="words" if self.has_collection else None,
            ),
        )
        means, scores = table.mean()[self.results], table.topics()[self.results]
        by_policy = {"drop": self.scenes(world), "keep": self.scenes(world, keeps_repeats=True)}
        for measure, facts in zip(measures, table.measures, strict=True):
            scenes = by_policy[facts.duplicates]
            expected = {
                topic: score_of(measure, scene)
                if scene.answer.exists or Need.UNANSWERABLE in measure.needs
                else None
                for topic, scene in scenes.items()
            }
            found = {topic: of_topic[facts.label] for topic, of_topic in scores.items()}
            assert found == {topic: near(score) for topic, score in expected.items()}, str(measure)
            defined = [score for score in expected.values() if score is not None]
            average = mean(defined) if defined else None
            if average is not None and measure.facts.average == "geometric":
                average = math.exp(average)
            assert means[facts.label] == near(average), str(measure)


def near(score: Score) -> object:
    """A score, up to rounding."""
    return None if score is None else pytest.approx(float(score), abs=1e-9, rel=0)
