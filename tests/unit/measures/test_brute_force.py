"""Every registered measure against its brute-force twin, on random worlds.

The measures come from the registry, their parameters from what their classes say: nothing here
has to be told of a new measure, except how to compute it by brute force.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import TWINS, browsing, inex_eval
from brute_force.numbers import ceiling, hundredths, mean
from brute_force.sampling import drawn, values_of
from brute_force.scenarios import (
    FROM_FILES,
    OF_2002,
    OF_2003,
    OF_2005,
    OF_HIGHLIGHTS,
    Scenario,
    near,
)
from doxeval.assessments import (
    QUANTISATIONS,
    AssessedUnit,
    Assessments,
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    TopicAnswer,
)
from doxeval.evaluation import evaluate
from doxeval.measures import FAMILIES, MEASURES, Measure, eprum, measure_named, prum
from doxeval.runs import Kind, Result, Run
from levels import LEVEL
from strategies import (
    Node,
    Piece,
    World,
    document_worlds,
    graded_worlds,
    located,
    needed_worlds,
    step_matrices,
    subtopic_worlds,
    unit_worlds,
    worlds,
)

KINDS = tuple(MEASURES.values())
chances = st.integers(0, 2**32).map(Random)


def on_worlds(number: int) -> settings:
    """Return settings for so many worlds, a fifth at the unit level: each has all measures."""
    return settings(max_examples=number // 5 if LEVEL == "unit" else number)


def test_every_measure_has_a_twin() -> None:
    missing = set(MEASURES) - set(TWINS)
    assert not missing, "write twins in tests/brute_force, under @twin(NAME)"
    assert set(TWINS) <= set(MEASURES)


def world_of(**judged: Any) -> World:
    """A world of one judgment, to ask a scenario what it allows there."""
    answers = (("7", TopicAnswer(("yes",))), ("9", TopicAnswer(exists=False)))
    return World((), (Judgment("7", "a", **judged),), (), (), answers=answers)


HIGHLIGHTED = world_of(highlights=((0, 1),), best_entry_point=0)
PLACES = [
    (Scenario("elements", OF_HIGHLIGHTS, steps={}), HIGHLIGHTED),
    (
        Scenario("trees", OF_HIGHLIGHTS, steps={}),
        world_of(units=(AssessedUnit(("/article[1]",), 1.0),)),
    ),
    (Scenario("elements", OF_2002), world_of(grades=(GradedElement("/a[1]", Grade2002(3, "E")),))),
    (Scenario("elements", OF_2003), world_of(grades=(GradedElement("/a[1]", Grade2003(3, 3)),))),
    (Scenario("elements", OF_2005), HIGHLIGHTED),
]


def never_compared(kind: type[Measure]) -> set[tuple[str, Any]]:
    """Return the values of parameters with which a measure is compared nowhere."""
    values = {spec.name: set(values_of(kind, spec, tuple(QUANTISATIONS))) for spec in fields(kind)}
    values["nav"] = values.get("nav", set()) - set(FROM_FILES)
    left = {(name, value) for name, of_parameter in values.items() for value in of_parameter}
    left.add(("anywhere", True))
    random = Random(0)
    for scenario, world in PLACES * 500:
        measure = drawn(kind, random, scenario.quants)
        if measure is not None and scenario.allows(measure, world):
            left -= {(spec.name, getattr(measure, spec.name)) for spec in fields(kind)}
            left.discard(("anywhere", True))
            if not left:
                break
    return left


def test_every_value_of_every_parameter_is_compared_somewhere() -> None:
    left = {kind.name: missing for kind in KINDS if (missing := never_compared(kind))}
    assert not left


# Random worlds


def compare_all(world: World, scenario: Scenario, random: Random) -> None:
    """Hold every measure that the world allows against its twin."""
    measures = [drawn(kind, random, scenario.quants) for kind in KINDS]
    allowed = [m for m in measures if m is not None and scenario.allows(m, world)]
    scenario.compare(world, allowed)


@given(worlds(), chances, st.booleans(), st.booleans())
@on_worlds(50)
def test_elements_and_highlights(
    world: World, random: Random, by_score: bool, navigates: bool
) -> None:
    steps = step_matrices(world, random) if navigates else None
    compare_all(world, Scenario("elements", OF_HIGHLIGHTS, by_score=by_score, steps=steps), random)


@given(worlds(), chances, st.booleans(), st.booleans())
@on_worlds(50)
def test_passages_and_highlights(
    world: World, random: Random, by_score: bool, has_collection: bool
) -> None:
    scenario = Scenario("passages", OF_HIGHLIGHTS, has_collection, by_score=by_score)
    compare_all(world, scenario, random)


@given(worlds(), chances, st.booleans())
@on_worlds(100)
def test_results_with_several_ranges_and_highlights(
    world: World, random: Random, has_collection: bool
) -> None:
    compare_all(world, Scenario("chunks", OF_HIGHLIGHTS, has_collection), random)


@given(needed_worlds(), chances, st.sampled_from(["chunks", "passages"]), st.booleans())
@on_worlds(100)
def test_needs_with_alternatives_and_grades(
    world: World, random: Random, results: Any, has_collection: bool
) -> None:
    scenario = Scenario(results, OF_HIGHLIGHTS, has_collection)
    of_needs = ("chunks", "hixeval", "documents", "graded", "diversity")
    kinds = [kind for family in FAMILIES if family.name in of_needs for kind in family.measures]
    measures = [drawn(kind, random, scenario.quants) for kind in kinds for _ in range(2)]
    allowed = {str(m): m for m in measures if m is not None and scenario.allows(m, world)}
    scenario.compare(world, list(allowed.values()))


@given(subtopic_worlds(), chances, st.booleans(), st.booleans())
@on_worlds(100)
def test_documents_with_subtopics(
    world: World, random: Random, by_score: bool, has_collection: bool
) -> None:
    scenario = Scenario("elements", OF_HIGHLIGHTS, has_collection, by_score=by_score)
    kinds = [
        kind
        for family in FAMILIES
        if family.name in ("diversity", "documents", "graded")
        for kind in family.measures
    ]
    measures = [drawn(kind, random, scenario.quants) for kind in kinds]
    allowed = [m for m in measures if m is not None and scenario.allows(m, world)]
    scenario.compare(world, allowed)


@given(document_worlds(), chances)
@on_worlds(200)
def test_documents_with_grades(world: World, random: Random) -> None:
    scenario = Scenario("elements", OF_HIGHLIGHTS, has_collection=False)
    families = ("documents", "graded", "trec_eval")
    kinds = [kind for family in FAMILIES if family.name in families for kind in family.measures]
    measures = [drawn(kind, random, scenario.quants) for kind in (*kinds, MEASURES["RR"])]
    allowed = [m for m in measures if m is not None and scenario.allows(m, world)]
    scenario.compare(world, allowed)


@given(unit_worlds(), chances, st.sampled_from(["elements", "passages", "trees"]), st.booleans())
@on_worlds(100)
def test_assessed_units(world: World, random: Random, results: Any, navigates: bool) -> None:
    steps = step_matrices(world, random) if navigates else None
    compare_all(world, Scenario(results, OF_HIGHLIGHTS, steps=steps), random)


@given(graded_worlds(2002), chances, st.booleans())
@on_worlds(50)
def test_elements_and_grades_of_2002(world: World, random: Random, by_score: bool) -> None:
    compare_all(world, Scenario("elements", OF_2002, by_score=by_score), random)


@given(graded_worlds(2003), chances, st.booleans(), st.booleans())
@on_worlds(100)
def test_elements_and_grades_of_2003(
    world: World, random: Random, by_score: bool, has_collection: bool
) -> None:
    compare_all(world, Scenario("elements", OF_2003, has_collection, by_score=by_score), random)


@given(graded_worlds(2005), chances, st.booleans(), st.booleans())
@on_worlds(50)
def test_elements_and_lists_of_2005(
    world: World, random: Random, by_score: bool, lists_say: bool
) -> None:
    scenario = Scenario("elements", OF_2005, by_score=by_score, lists_say=lists_say)
    compare_all(world, scenario, random)


@given(chances)
@on_worlds(50)
def test_elements_around_several_ideal_elements(random: Random) -> None:
    """A document of sections and paragraphs, all graded, and returned in any order."""
    paragraph = Node("p", (Piece("x", "x"),))
    document = Node("a", (Node("s", (paragraph,) * 3),) * 3)
    paths = [place.path for place in located(document)]
    grades = {path: Grade2003(random.randint(1, 3), random.randint(1, 3)) for path in paths}
    grades["/a[1]"] = Grade2003(1, 1)
    judged = Judgment("7", "a", grades=tuple(GradedElement(*item) for item in grades.items()))
    ranked = random.sample(paths, len(paths))
    results = tuple(Result("7", "a", Kind.ELEMENT, paths=(path,)) for path in ranked)
    world = World((("a", document),), (judged,), results, ())
    quant = random.choice(["gen", "sog"])
    names = [f"{name}@{k}" for name in ("nxCG", "MAnxCG") for k in (2, 4, 8, 13)]
    names += [f"ep[{x}]" for x in ("0", "0.33", "0.9")] + ["MAep", "iMAep"]
    focused = [measure_named(name)(base="ideal", quant=quant) for name in names]
    Scenario("elements", OF_2003, has_collection=False).compare(world, focused)


# What measures are built on


@given(st.data(), st.integers(0, 4), st.integers(1, 3))
@on_worlds(50)
def test_users_who_may_go_any_way(data: st.DataObject, items: int, targets: int) -> None:
    chance = st.sampled_from([Fraction(n, 10) for n in (0, 0, 0, 1, 3, 5, 7, 10)])
    p = data.draw(st.tuples(*[st.tuples(*[chance] * targets)] * items))
    array = np.array(p, dtype=np.float64).reshape(items, targets)
    levels = range(1, targets + 1)
    assert eprum(array).tolist() == [near(browsing.eprum_at_level(p, i)) for i in levels]
    kinds: list[Any] = ["zero", "truncate", "condition"]
    for unreached in kinds:
        expected = [near(browsing.prum_at_level(p, i, unreached)) for i in levels]
        assert prum(array, unreached).tolist() == expected


@given(st.data(), st.integers(0, 5), st.integers(1, 3))
@on_worlds(50)
def test_without_browsing_precision_is_classical(
    data: st.DataObject, items: int, targets: int
) -> None:
    """Each target is shown by one item at most, surely: i / rank_i, or 0."""
    shown = data.draw(st.lists(st.sampled_from([None, *range(targets)]), max_size=items))
    first = [e if e is not None and e not in shown[:at] else None for at, e in enumerate(shown)]
    p = tuple(tuple(Fraction(e == target) for target in range(targets)) for e in first)
    for wanted in range(1, targets + 1):
        expected = browsing.precision_at_target(p, wanted)
        assert browsing.eprum_at_level(p, wanted) == expected
        assert browsing.prum_at_level(p, wanted, "zero") == expected


@pytest.mark.parametrize("relevant", [1, 2, 3, 4])
@pytest.mark.parametrize("others", [0, 1, 2, 3])
def test_the_expected_search_length_is_the_mean_over_all_orders(relevant: int, others: int) -> None:
    for wanted in range(1, relevant + 1):
        expected = Fraction(wanted * others, relevant + 1)
        assert inex_eval.others_before(wanted, relevant, others) == expected


@pytest.mark.parametrize(("relevant", "others"), [(1, 3), (2, 2), (3, 2), (2, 4)])
def test_inex_eval_expects_any_order_of_results_that_share_a_rank(
    relevant: int, others: int
) -> None:
    paths = [f"/a[1]/p[{n + 1}]" for n in range(relevant + others)]
    grades = tuple(GradedElement(path, Grade2002(3, "E")) for path in paths[:relevant])
    results = [Result("7", "d", Kind.ELEMENT, paths=(path,), rank=1, score=1.0) for path in paths]
    label = "inex_eval(quant=strict,interpolation=ceiling,unretrieved=zero)"
    table = evaluate(
        Run.from_results(results, "run"),
        Assessments([Judgment("7", "d", grades=grades)]),
        [label],
        order="rsv",
    )
    precisions = [
        wanted / (wanted + inex_eval.others_before(wanted, relevant, others))
        for x in hundredths(1)
        for wanted in [ceiling(x * relevant)]
    ]
    assert table.mean()["run"][label] == near(mean(precisions))
