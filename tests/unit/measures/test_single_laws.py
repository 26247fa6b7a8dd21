"""Laws of single measures, and the smallest worlds where scores exceed 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from doxeval.assessments import (
    QUANTISATIONS,
    Assessments,
    GradedElement,
    Judgment,
    NeededSpan,
)
from doxeval.documents import example_collection
from doxeval.evaluation import Counting, evaluate
from doxeval.measures import Law, gains_of, measure_named
from doxeval.runs import Kind, Result, Run
from law_cases import Case, better_up, cases
from making import GEN, passage, paths, scored
from scenes import KEEP, SLACK, STRATEGIES, YEARS, Scene, ideal_run, scenes


@pytest.mark.parametrize("name", ["nxCG", "MAnxCG", "MAep"])
def test_a_larger_gain_further_up_never_costs(name: str) -> None:
    """With the full base, where gains do not depend on what came before."""
    for case in [c for year in YEARS for c in cases(name, year, base="full", overlap=False)]:
        options = {key: getattr(case.measure, key) for key in ("quant", "ignore")}
        alone = measure_named("nxCG@1")(base="full", **options)
        gain = {
            result: case.scene.scores(alone, [result]).get(result.topic, 0.0)
            for result in case.results
        }
        better_up(case, case.results, gain.__getitem__)


def equal_passages(scene: Scene, width: int, random: Random) -> list[Result]:
    """The documents cut into passages of one width, in random order; shorter rests are left."""
    results = []
    for topic in scene.truth.topics:
        cut = [
            Result(topic, name, Kind.PASSAGE, start, start + width)
            for name, node in scene.world.documents
            for start in range(0, len(node.text) - width + 1, width)
        ]
        results += random.sample(cut, len(cut))
    return results


def test_relevant_passages_further_up_never_cost() -> None:
    """MAiP, on disjoint passages of equal size."""
    measure = measure_named("MAiP")
    for number, scene in enumerate(scenes("highlights")):
        run = equal_passages(scene, 3, Random(number))
        relevant = map(float, scene.ranking(run).relevant)
        counts = dict(zip(run, relevant, strict=True))
        better_up(Case(scene, measure), run, counts.__getitem__)


def test_other_passages_of_the_same_text_have_the_same_recall() -> None:
    """Cut into passages of other lengths, the same text has the same cR at the end of the list."""
    measure = measure_named("cR@1000")
    for number, scene in enumerate(scenes("highlights")):
        random = Random(number)
        length = {name: random.randint(0, len(node.text)) for name, node in scene.world.documents}
        by_width = [
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
        assert all(scores == by_width[0] for scores in by_width), str(scene)


@pytest.mark.parametrize("year", YEARS)
def test_an_ideal_element_is_gained_once(year: str) -> None:
    """Normalised gains are not negative; those inside an ideal element stay within its value."""
    scale, _ = STRATEGIES[year]
    quants = [name for name, quant in QUANTISATIONS.items() if scale in quant.scales]
    for scene in scenes(year):
        for quant in quants:
            if not scene.takes(measure_named("nxCG")(quant=quant), scene.world.elements):
                continue
            ranking = scene.ranking(scene.world.elements)
            gains = gains_of(ranking, "ideal", quant, "none")
            gain = np.concatenate([*gains.run, np.zeros(0)])
            assert (gain >= 0).all()
            for gained, ideal in zip(gains.run, gains.ideal, strict=True):
                assert gained.sum() <= ideal.sum() + SLACK, str(scene)
            base = scene.truth.base("ideal", quant)
            elements = scene.truth.elements(quant)
            place = elements.keys(ranking.topic, ranking.node)
            for begin, after, value in zip(base.begin, base.after, base.value, strict=True):
                inside = (begin <= place) & (place < after)
                assert gain[inside].sum() <= value + SLACK, str(scene)


def test_overlap_never_adds_recall() -> None:
    """recall_o ≤ recall_s: with overlap=o, ng reaches no recall that overlap=s does not."""
    for scene in scenes("highlights"):
        reached = []
        for overlap in "so":
            measure = measure_named(f"ng(overlap={overlap},quant=spec,unretrieved=zero)")
            curve = measure.curve(scene.ranking(scene.world.elements))
            assert curve is not None
            reached.append((curve.y > 0).sum(axis=1))
        assert (reached[0] >= reached[1]).all(), str(scene)


@pytest.mark.parametrize("name", ["PRUM", "EPRUM"])
def test_without_navigation_users_see_precision_at_recall(name: str) -> None:
    """With ideal elements as targets: i / rank_i, 0 where i of them are not returned."""
    for scene in scenes("highlights"):
        ideal = ideal_run(scene, measure_named("nxCG"))
        for topic in scene.truth.topics:
            targets = {(result.document, result.paths) for result in ideal if result.topic == topic}
            returned = [result for result in scene.world.elements if result.topic == topic]
            ranks = [
                rank
                for rank, result in enumerate(returned, 1)
                if (result.document, result.paths or ("/article[1]",)) in targets
            ]
            for i in range(1, len(targets) + 1):
                measure = measure_named(name)(targets="ideal", x=Fraction(i, len(targets)))
                expected = i / ranks[i - 1] if i <= len(ranks) else 0.0
                score = scene.scores(measure, scene.world.elements)[topic]
                assert score == pytest.approx(expected), (str(scene), topic, i)


# Chunks and needs


@pytest.mark.parametrize("unit", ["characters", "words", "tokens"])
def test_utility_is_the_mean_of_recall(unit: str) -> None:
    """And it is at most the recall at its budget."""
    for number, scene in enumerate(scenes("needs")):
        budget = Random(f"{unit} {number}").randint(1, 40)
        utility, *recalls = (
            scene.scores(measure_named(f"{name}(unit={unit})"), scene.world.chunks, KEEP)
            for name in (f"U@{budget}", *(f"bR@{spent}" for spent in range(1, budget + 1)))
        )
        for topic, value in utility.items():
            values = [recall[topic] for recall in recalls]
            assert value == pytest.approx(sum(values) / budget, abs=SLACK), (str(scene), budget)
            assert -SLACK <= value <= values[-1] + SLACK, (str(scene), budget)


# One need that is answered by a[0, 10) or by b[0, 20), and a run that shows half of the longer one.
ALTERNATIVES = (
    Judgment("1", "a", needs=(NeededSpan("who", 0, 10),)),
    Judgment("1", "b", needs=(NeededSpan("who", 0, 20),)),
)
HALF_OF_B = (Result("1", "b", Kind.PASSAGE, 0, 10),)


@pytest.mark.parametrize("judgments", [ALTERNATIVES, ALTERNATIVES[::-1]])
def test_the_order_of_gold_lines_changes_no_score(judgments: Sequence[Judgment]) -> None:
    """The need weighs 10 characters and is answered to a half; b stands as if it were alone."""
    by_rank = {"cR@5": 0.5, "cP@5": 1, "cF@5": 2 / 3, "IoU@5": 0.5, "iP[0.5]": 1, "MAiP": 51 / 101}
    by_budget = {"bR@10": 0.5, "bR@4": 0.2, "U@10": 0.275, "Cost@99[0.5]": 10, "Red@5": 0}
    expected = by_rank | by_budget
    table = evaluate(Run.from_results(HALF_OF_B, "run"), Assessments(judgments), list(expected))
    assert table.mean()["run"] == pytest.approx(expected)


@pytest.mark.parametrize("judgments", [ALTERNATIVES, ALTERNATIVES[::-1]])
def test_lengths_of_alternatives_are_solid_where_white_space_is_ignored(
    judgments: Sequence[Judgment],
) -> None:
    """b has four solid characters, of which two are shown; a has ten."""
    texts = {"a": "abcdefghij", "b": "x   y     z   w     "}
    table = evaluate(
        Run.from_results(HALF_OF_B, "run"),
        Assessments(judgments),
        ["cR@5", "IoU@5", "bR@1(unit=characters)"],
        counting=Counting(texts=texts, ignore_whitespace=True),
    )
    assert list(table.mean()["run"].values()) == pytest.approx([0.5, 0.5, 0.25])


def test_precision_never_counts_a_character_twice() -> None:
    """Two needs with the same alternatives share their text: it is read, and relevant, once."""
    needs = tuple(NeededSpan(name, *span) for name in ("x", "y") for span in ((0, 4), (6, 9)))
    run = Run.from_results([Result("1", "a", Kind.PASSAGE, 0, 4)], "run")
    table = evaluate(run, Assessments([Judgment("1", "a", needs=needs)]), ["cP@5", "IoU@5", "cR@5"])
    assert table.mean()["run"] == {"cP@5": 1.0, "IoU@5": 1.0, "cR@5": 1.0}


# Measures without a bound say so


@pytest.mark.parametrize("name", ["nxCG@10", "MAnxCG@10", "MAep", "gr@10"])
def test_only_overlap_keeps_the_ideal_run_from_being_best(name: str) -> None:
    measure = measure_named(name)(base="full")
    assert Law.IDEAL_IS_BEST in measure.laws
    assert Law.IDEAL_IS_BEST not in measure(overlap=True).laws


def test_more_results_may_gain_than_there_are_ideal_elements() -> None:
    """The paragraph gains .5 and the article the .25 that is left: 1/1 + 1/2."""
    world = example_collection({"a": "<a><p>12</p>34</a>"})
    judged = [Judgment("7", "a", ((0, 1), (2, 4)))]
    run = paths("/a[1]/p[1]", "/a[1]")
    assert scored(run, judged, "MAep(base=ideal)", collection=world) == [1.5]
    assert measure_named("MAep(base=ideal)").highest is None
    assert measure_named("MAep").highest == 1


def test_pieces_of_one_ideal_element_add_up() -> None:
    """Four quarters of an article: at rank i the ideal list needs 1 rank, 1 + 1/2 + 1/3 + 1/4."""
    document = "<a>" + "<p>1</p>" * 4 + "</a>"
    world = example_collection({"a": document})
    grades = {"/a[1]": GEN[1]} | {f"/a[1]/p[{n}]": GEN[0.25] for n in range(1, 5)}
    judged = [Judgment("7", "a", grades=tuple(GradedElement(*item) for item in grades.items()))]
    run = paths(*(f"/a[1]/p[{n}]" for n in range(1, 5)))
    (score,) = scored(run, judged, "MAep(base=ideal)", collection=world)
    assert score == pytest.approx(2.083333, abs=1e-6)
    assert measure_named("MAep(base=ideal)").highest is None
    assert Law.IDEAL_IS_BEST not in measure_named("MAep(base=ideal)").laws
    bounded = [f"{name}(base=ideal,quant=gen)" for name in ("iMAep", "ep[1]", "nxCG@4", "gr@4")]
    assert scored(run, judged, *bounded[2:], collection=world) == [1, 1]
    assert all(measure_named(name).highest == 1 for name in bounded)


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
