"""Laws of single measures."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from doxeval.assessments import QUANTISATIONS
from doxeval.measures import MEASURES, gains_of
from doxeval.runs import Kind, Result
from law_cases import Case, better_up, cases
from scenes import SLACK, STRATEGIES, Scene, every_year, ideal_run, scenes


@pytest.mark.parametrize("name", ["nxCG", "MAnxCG", "MAep"])
@every_year
def test_a_larger_gain_further_up_never_costs(name: str, year: str) -> None:
    """With the full base, where gains do not depend on what came before."""
    for case in cases(name, year, base="full", overlap=False):
        measure = case.measure
        options = {key: getattr(measure, key) for key in ("quant", "ignore")}
        alone = MEASURES["nxCG"](k=1, base="full", **options)  # type: ignore[call-arg]  # as the test wants it
        gain = {one: case.scene.scores(alone, [one]).get(one.topic, 0.0) for one in case.results}
        better_up(case, case.results, lambda one, gain=gain: gain[one])  # type: ignore[misc]


def equal_passages(scene: Scene, width: int, random: Random) -> list[Result]:
    """The documents cut into passages of one width, in random order; shorter rests are left."""
    found = []
    for topic in scene.truth.topics:
        cut = [
            Result(topic, name, Kind.PASSAGE, start, start + width)
            for name, node in scene.world.documents
            for start in range(0, len(node.text) - width + 1, width)
        ]
        found += random.sample(cut, len(cut))
    return found


def test_relevant_passages_further_up_never_cost() -> None:
    """MAiP, on disjoint passages of equal size."""
    measure = MEASURES["MAiP"]()
    for number, scene in enumerate(scenes()):
        run = equal_passages(scene, 3, Random(number))
        counts = dict(zip(run, scene.ranking(run).relevant.tolist(), strict=True))
        case = Case(scene, measure, tuple(run))
        better_up(case, run, lambda one, counts=counts: float(counts[one]))  # type: ignore[misc]


def test_other_passages_of_the_same_text_have_the_same_recall() -> None:
    """Cut into passages of other lengths, the same text has the same cR at the end of the list."""
    measure = MEASURES["cR"](k=1000)  # type: ignore[call-arg]  # as the test wants it
    for number, scene in enumerate(scenes()):
        random = Random(number)
        length = {name: random.randint(0, len(node.text)) for name, node in scene.world.documents}
        found = [
            scene.scores(
                measure,
                [
                    Result(topic, name, Kind.PASSAGE, start, min(start + width, length[name]))
                    for topic in scene.truth.topics
                    for name in length
                    for start in range(0, length[name], width)
                ],
            )
            for width in (1, 2, 3, 5, 100)
        ]
        assert all(scores == found[0] for scores in found), str(scene)


@every_year
def test_an_ideal_element_is_gained_once(year: str) -> None:
    """Normalised gains are not negative; those inside an ideal element stay within its value."""
    quants = [name for name, one in QUANTISATIONS.items() if STRATEGIES[year][0] in one.scales]
    for scene in scenes(year):
        for quant in quants:
            if not scene.takes(MEASURES["nxCG"](quant=quant)):  # type: ignore[call-arg]  # as the test wants it
                continue
            ranking = scene.ranking(scene.world.elements)
            gains = gains_of(ranking, "ideal", quant, "none")
            gain = np.concatenate([*gains.run, np.zeros(0)])
            assert (gain >= 0).all()
            for own, ideal in zip(gains.run, gains.ideal, strict=True):
                assert own.sum() <= ideal.sum() + SLACK, str(scene)
            base = scene.truth.base("ideal", quant)
            elements = scene.truth.elements(QUANTISATIONS[quant])
            place = elements.keys(ranking.topic, ranking.node)
            for begin, after, value in zip(base.begin, base.after, base.value, strict=True):
                inside = (begin <= place) & (place < after)
                assert gain[inside].sum() <= value + SLACK, str(scene)


def test_overlap_never_adds_recall() -> None:
    """recall_o ≤ recall_s: with overlap=o, ng reaches no recall that overlap=s does not."""
    kind = MEASURES["ng"]
    for scene in scenes():
        reached = []
        for overlap in "so":
            measure = kind(overlap=overlap, quant="spec", unretrieved="zero")  # type: ignore[call-arg]  # as the test wants it
            found = measure.curve(scene.ranking(scene.world.elements))
            assert found is not None
            reached.append((found.y > 0).sum(axis=1))
        assert (reached[0] >= reached[1]).all(), str(scene)


@pytest.mark.parametrize("name", ["PRUM", "EPRUM"])
def test_without_navigation_users_see_precision_at_recall(name: str) -> None:
    """With ideal elements as targets: i / rank_i, 0 where i of them are not returned."""
    for scene in scenes():
        ideal = ideal_run(scene, MEASURES["nxCG"]())
        for topic in scene.truth.topics:
            wanted = {(one.document, one.paths) for one in ideal if one.topic == topic}
            own = [one for one in scene.world.elements if one.topic == topic]
            hits = [(one.document, one.paths or ("/article[1]",)) in wanted for one in own]
            ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
            targets = len(wanted)
            for i in range(1, targets + 1):
                measure = MEASURES[name](targets="ideal", x=Fraction(i, targets))  # type: ignore[call-arg]  # as the test wants it
                expected = i / ranks[i - 1] if i <= len(ranks) else 0.0
                found = scene.scores(measure, scene.world.elements)[topic]
                assert found == pytest.approx(expected), (str(scene), topic, i)
