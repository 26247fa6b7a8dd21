"""The lists of simulated systems by brute force."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import assume, given

from brute_force.erru import looking_at_grades
from brute_force.recall_bases import Values, ideal_base, values
from brute_force.scene import Scene
from brute_force.words import words_in
from doxeval.documents import Element
from doxeval.stereotypes import SYSTEMS, simulate
from levels import examples
from simulating import Listed, listed
from strategies import World, graded_worlds, worlds


def brute_lists(scene: Scene, units: list[Element]) -> dict[str, Listed]:
    """What systems return for the ideal units, best first, walking from one to the next."""
    lists: dict[str, list[Element]] = {"document": [], "parent": [], "ancestors": []}
    lists["biggest-child"] = []
    for unit in units:
        above = list(unit.ancestors())
        lists["document"].append(above[-1] if above else unit)
        lists["parent"].append(above[0] if above else unit)
        lists["ancestors"] += [*reversed(above), unit]
        sizes = {
            child: words_in(scene, child.document_id, child.start, child.end)
            for child in unit.children()
        }
        largest = max(sizes.values(), default=0)
        same = [child for child, size in sizes.items() if size == largest]
        lists["biggest-child"].append(same[0] if largest else unit)
    return {
        system: [(e.document_id, e.path) for e in dict.fromkeys(found)]
        for system, found in lists.items()
    }


def best_first(found: Values) -> list[tuple[str, str, float]]:
    return [
        (unit.document, unit.path, float(value))
        for unit, value in sorted(found.items(), key=lambda pair: -pair[1])
    ]


def innermost(full: Values) -> Values:
    return {
        unit: value
        for unit, value in full.items()
        if not any(other.is_inside(unit) for other in full)
    }


def check_against_brute_force(
    world: World, quant: str | None, ideal: Callable[[Scene], Values], full_quant: str
) -> None:
    collection, assessments = world.collection(), world.assessments()
    runs = {system: simulate(assessments, collection, system, quant=quant) for system in SYSTEMS}
    for topic in assessments.topics:
        scene = Scene(world, topic, [])
        expected = best_first(ideal(scene))
        found = [r for r in runs["perfect"].results() if r.topic == topic]
        assert [(r.document, "".join(r.paths), r.score) for r in found] == expected
        units = [collection.element(document, path) for document, path, _ in expected]
        for system, wanted in brute_lists(scene, units).items():
            if system == "document":
                wanted = [(document, "") for document, _ in wanted]
            assert listed(runs[system], topic) == wanted, system
        leaves = [r for r in runs["leaves"].results() if r.topic == topic]
        by_hand = innermost(values(scene, full_quant))
        assert [result.score for result in leaves] == [value for *_, value in best_first(by_hand)]
        assert {scene.element(r.document, r.paths[0]) for r in leaves} == set(by_hand)


@examples(60)
@given(worlds())
def test_lists_from_highlights_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "spec")), "spec")


@examples(60)
@given(graded_worlds(2002))
def test_lists_of_2002_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: looking_at_grades(s).relevance, "gen")
    check_against_brute_force(world, "strict", lambda s: ideal_base(values(s, "strict")), "strict")


@examples(40)
@given(graded_worlds(2003))
def test_lists_of_2003_by_brute_force(world: World) -> None:
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "gen")), "gen")
    check_against_brute_force(world, "sog", lambda s: ideal_base(values(s, "sog")), "sog")


@examples(40)
@given(graded_worlds(2005))
def test_lists_of_2005_by_brute_force(world: World) -> None:
    assume(any(judgment.highlights for judgment in world.judgments))
    check_against_brute_force(world, "gen5", lambda s: ideal_base(values(s, "gen5")), "gen5")
    check_against_brute_force(world, None, lambda s: ideal_base(values(s, "spec")), "spec")
