"""Laws over the registry: what must hold for every measure, and for those that declare it.

No measure is named where a law is about all of them: measures come from the registry, their
parameters from what they say of themselves, the laws from what they declare. Worlds are made once,
and tried from the smallest to the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, fields, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment
from doxeval.assessments.grades import Grade2002, Grade2003, Grade2005, Specificity
from doxeval.assessments.judgment import GradedElement
from doxeval.assessments.quantisations import QUANTISATIONS, Scale
from doxeval.assessments.resolution import resolved_judgments
from doxeval.documents.examples import example_collection
from doxeval.errors import MissingInput
from doxeval.evaluation import evaluate
from doxeval.evaluation.options import RunOptions
from doxeval.evaluation.ranked import ranked
from doxeval.measures.base import Law, Measure, Need
from doxeval.measures.gains import gains_of
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.measures.registry import MEASURES, measure_named
from doxeval.runs.builder import run_of
from doxeval.runs.read_write import WRITERS, RunFormat, write_run
from doxeval.runs.run import Kind, Result
from making import GEN, passage, paths, scored
from strategies import Node, Piece, World, graded_worlds, located, worlds

SLACK = 1e-9
WORLDS = 20
NOWHERE = "nowhere"  # a document that no system returns and no assessor has seen
Scores = dict[str, float]  # of the topics where the measure is defined


# Worlds


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
        return GroundTruth.of(Assessments(resolved), collection)

    @cached_property
    def size(self) -> int:
        """How large the world is."""
        places = sum(len(located(node)) for _, node in self.world.documents)
        return places + len(self.world.elements) + len(self.world.passages)

    @cached_property
    def _known(self) -> dict[tuple[Result, ...], Ranking]:
        return {}

    def ranking(self, results: Sequence[Result]) -> Ranking:
        """Results as measures see them."""
        key = tuple(results)
        if key not in self._known:
            self._known[key] = ranked(run_of(key), self.truth, RunOptions()).ranking
        return self._known[key]

    def scores(self, measure: Measure, results: Sequence[Result]) -> Scores:
        """The scores of a run, by topic."""
        found = measure.settled(self.truth).scores(self.ranking(results))
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
}
every_year = pytest.mark.parametrize("year", STRATEGIES)


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


# Measures with random parameters


def candidates(spec: Field[Any], scale: Scale) -> Sequence[Any]:
    """Some values of a parameter, small as the worlds are."""
    choices = spec.metadata.get("choices", ())
    if spec.name == "quant":
        return [name for name in choices if scale in QUANTISATIONS[name].scales]
    if spec.metadata.get("sign") == "@":
        return [spec.default, 1, 2, 3, 5]
    if spec.metadata.get("sign") == "[":
        return [spec.default, *(Fraction(n, 10) for n in (0, 1, 3, 5, 10))]
    if isinstance(spec.default, bool):
        return [False, True]
    if isinstance(spec.default, int):
        return [spec.default, 1, 3]
    if isinstance(spec.default, float):
        return [spec.default, 0.0, 0.25, 0.5, 1.0]
    if spec.name == "ignore":
        return [spec.default, "p", "sec+b", "links"]
    return choices or [spec.default]


def varied(kind: type[Measure], scale: Scale, random: Random, **settled: Any) -> Measure | None:
    """The measure with random parameters that go together; None if there are none."""
    for _ in range(20):
        values = {
            spec.name: [settled[spec.name]] if spec.name in settled else candidates(spec, scale)
            for spec in fields(kind)
        }
        if not all(values.values()):
            return None
        try:
            return kind(**{name: random.choice(among) for name, among in values.items()})
        except ValueError:
            continue
    return None


@dataclass(frozen=True)
class Case:
    """A measure and a run in a world, for a law to be tried on."""

    scene: Scene
    measure: Measure
    results: tuple[Result, ...]

    @property
    def scores(self) -> Scores:
        """The scores of the run."""
        return self.scene.scores(self.measure, self.results)

    def told(self, *more: object) -> str:
        """The case in words, for the message of a test that fails."""
        return "\n".join(map(str, (self.measure, self.scene, *self.results, *more)))


def cases(
    name: str,
    year: str = "highlights",
    variants: int = 2,
    law: Law | None = None,
    **settled: Any,
) -> Iterator[Case]:
    """Cases for a measure (that obeys a law); there must be some if the text is highlighted."""
    found = 0
    for number, scene in enumerate(scenes(year)):
        random = Random(f"{name} {number}")
        for _ in range(variants if year == "highlights" else 1):
            measure = varied(MEASURES[name], scene.scale, random, **settled)
            if measure is not None and scene.takes(measure) and scene.obeys(measure, law):
                for results in scene.runs(measure):
                    found += 1
                    yield Case(scene, measure, results)
    assert found or year != "highlights", f"no world for {name}"


def declaring(law: Law) -> list[str]:
    """The measures that declare a law."""
    return [name for name, kind in MEASURES.items() if law in kind.facts.laws]


def with_parameter(place: str) -> list[str]:
    return [
        name
        for name, kind in MEASURES.items()
        if any(spec.metadata.get("sign") == place for spec in fields(kind))
    ]


def test_every_law_is_declared_by_some_measure() -> None:
    assert all(declaring(law) for law in Law)


def test_laws_about_parameters_are_declared_where_the_parameters_are() -> None:
    assert set(declaring(Law.GROWS_WITH_K)) <= set(with_parameter("@"))
    assert set(declaring(Law.FALLS_WITH_X)) <= set(with_parameter("["))


# Laws for every measure


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
        expected = evaluate(run_of(results), assessments, names, collection=collection)
        for file in files:
            found = evaluate(file, assessments, names, collection=collection)
            assert found.topics() == expected.topics(), file
        for file in files:
            file.unlink()


# Where there is no bound, the smallest worlds that exceed 1: the measures say so


def test_more_results_may_gain_than_there_are_ideal_elements() -> None:
    """The paragraph gains .5 and the article the .25 that is left: 1/1 + 1/2."""
    world = example_collection({"a": "<a><p>12</p>34</a>"})
    judged = [Judgment("7", "a", ((0, 1), (2, 4)))]
    run = paths("/a[1]/p[1]", "/a[1]")
    assert scored(run, judged, "MAep(base=ideal)", collection=world) == [1.5]
    assert measure_named("MAep(base=ideal)").highest is None
    assert measure_named("MAep").highest == 1


@pytest.mark.parametrize("name", ["cP@2", "cF@2", "iP[1]", "MAiP"])
@pytest.mark.parametrize("resize", ["new", "tool"])
def test_repeated_text_may_be_relevant_but_not_read(name: str, resize: str) -> None:
    """10 relevant characters, then 5 of them again: 15 relevant of 10 that count as read."""
    judged = [Judgment("7", "a", ((0, 10),), document_length=10)]
    run = [passage("a", 0, 10), passage("a", 0, 5)]
    full = f"{name}(alpha=1,resize={resize})"
    (score,) = scored(run, judged, full)
    assert score is not None and score > 1
    assert measure_named(full).highest is None
    assert measure_named(f"{name}(alpha=1)").highest == 1


def test_a_child_may_be_worth_more_than_its_parent() -> None:
    """The article, worth .25, gains .25 · .75 · 1/2 + .75 · .25 = .28 after its section."""
    world = example_collection({"a": "<a><s>x</s>y</a>"})
    grades = (GradedElement("/a[1]", GEN[0.25]), GradedElement("/a[1]/s[1]", GEN[1]))
    judged = [Judgment("7", "a", grades=grades)]
    name = "nxCG@2(base=full,quant=gen,overlap=on,penalty=0.25)"
    (score,) = scored(paths("/a[1]/s[1]", "/a[1]"), judged, name, collection=world)
    assert score == pytest.approx(1.025)
    assert measure_named(name).highest is None


def test_elements_that_are_half_relevant_may_better_be_left() -> None:
    """The rest as one level is worth more than the same elements one by one."""
    world = example_collection({"a": "<a><a><a>12</a></a></a>"})
    judged = [Judgment("7", "a", ((0, 1),))]
    ideal = ["/a[1]/a[1]/a[1]", "/a[1]/a[1]", "/a[1]"]  # all worth .5
    (everything,), (part,) = (
        scored(paths(*run), judged, "inex_eval", collection=world) for run in (ideal, ideal[:1])
    )
    assert everything is not None and part is not None
    assert part > everything
    assert Law.IDEAL_IS_BEST not in measure_named("inex_eval(unretrieved=level)").laws


# Declared laws


def ideal_run(scene: Scene, measure: Measure) -> list[Result]:
    """What a perfect system returns, best first: elements of the base, or relevant documents."""
    truth = scene.truth
    if Need.RETRIEVED_ELEMENTS not in measure.needs:
        return [Result(j.topic, j.document) for j in scene.world.judgments if j.is_relevant]
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


@every_year
@pytest.mark.parametrize("name", declaring(Law.IDEAL_IS_BEST))
def test_the_ideal_run_is_best(name: str, year: str) -> None:
    for case in cases(name, year, law=Law.IDEAL_IS_BEST):
        best = case.scene.scores(case.measure, ideal_run(case.scene, case.measure))
        for topic, score in case.scores.items():
            assert score <= best[topic] + SLACK, case.told(topic, score, best[topic])


@pytest.mark.parametrize("name", declaring(Law.TAIL_IS_FREE))
def test_a_tail_without_gain_is_free(name: str) -> None:
    for case in cases(name):
        ends = {topic: [] for topic in case.scene.truth.topics}  # type: dict[str, list[Result]]
        for result in case.results:
            ends.setdefault(result.topic, []).append(result)
        longer = [one for t, own in ends.items() for one in (*own, Result(t, NOWHERE))]
        after = case.scene.scores(case.measure, longer)
        cut_off = getattr(case.measure, "k", None)
        for topic, score in case.scores.items():
            if cut_off is None or cut_off <= len(ends[topic]):
                assert after[topic] == pytest.approx(score, abs=1e-12), case.told(topic)


@pytest.mark.parametrize("name", declaring(Law.FALLS_WITH_X))
def test_scores_fall_with_recall(name: str) -> None:
    points = [Fraction(n, 20) for n in range(21)]
    for case in cases(name, variants=1):
        by_point = [case.scene.scores(case.measure(x=x), case.results) for x in points]
        for topic in by_point[0]:
            values = [scores[topic] for scores in by_point]
            assert all(a >= b - SLACK for a, b in pairwise(values)), case.told(topic, values)


@pytest.mark.parametrize("name", declaring(Law.GROWS_WITH_K))
def test_scores_grow_with_the_cut_off(name: str) -> None:
    for case in cases(name, variants=1):
        by_cut_off = [case.scene.scores(case.measure(k=k), case.results) for k in range(1, 12)]
        for topic in by_cut_off[0]:
            values = [scores[topic] for scores in by_cut_off]
            assert all(a <= b + SLACK for a, b in pairwise(values)), case.told(topic, values)


def swaps(results: Sequence[Result]) -> Iterator[tuple[Result, Result, list[Result]]]:
    """Every pair of neighbours of a topic, the list with the two exchanged."""
    for at, (upper, lower) in enumerate(pairwise(results)):
        if upper.topic == lower.topic:
            yield upper, lower, [*results[:at], lower, upper, *results[at + 2 :]]


def better_up(case: Case, results: Sequence[Result], worth: Callable[[Result], float]) -> None:
    """Hold that a result that is worth more than the one above it loses nothing by moving up."""
    before = case.scene.scores(case.measure, results)
    for upper, lower, exchanged in swaps(results):
        if worth(lower) > worth(upper) + SLACK:
            after = case.scene.scores(case.measure, exchanged)
            for topic, score in before.items():
                assert after[topic] >= score - SLACK, case.told("exchanged:", upper, lower)


def one_for_each_document(results: Sequence[Result]) -> list[Result]:
    return list({(one.topic, one.document): one for one in reversed(results)}.values())[::-1]


@pytest.mark.parametrize("name", declaring(Law.BETTER_UP))
def test_better_results_further_up_never_cost(name: str) -> None:
    """On rankings of documents, each with one result; what it is worth, it scores alone."""
    for case in cases(name):
        alone = {
            one: case.scene.scores(case.measure(**first_rank(case.measure)), [one])
            for one in case.results
        }
        ranking = one_for_each_document(case.results)
        for run in (ranking, ranking[::-1]):
            better_up(case, run, lambda one, alone=alone: alone[one].get(one.topic, 0.0))  # type: ignore[misc]


def first_rank(measure: Measure) -> dict[str, int]:
    return {"k": 1} if hasattr(measure, "k") else {}


# Laws of single measures


@pytest.mark.parametrize("name", ["nxCG", "MAnxCG", "MAep"])
@every_year
def test_a_larger_gain_further_up_never_costs(name: str, year: str) -> None:
    """With the full base, where gains do not depend on what came before."""
    for case in cases(name, year, base="full", overlap=False):
        measure = case.measure
        options = {key: getattr(measure, key) for key in ("quant", "ignore")}
        alone = MEASURES["nxCG"](k=1, base="full", **options)  # type: ignore[call-arg]
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
    measure = MEASURES["cR"](k=1000)  # type: ignore[call-arg]
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
            if not scene.takes(MEASURES["nxCG"](quant=quant)):  # type: ignore[call-arg]
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
            measure = kind(overlap=overlap, quant="spec", unretrieved="zero")  # type: ignore[call-arg]
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
                measure = MEASURES[name](targets="ideal", x=Fraction(i, targets))  # type: ignore[call-arg]
                expected = i / ranks[i - 1] if i <= len(ranks) else 0.0
                found = scene.scores(measure, scene.world.elements)[topic]
                assert found == pytest.approx(expected), (str(scene), topic, i)
