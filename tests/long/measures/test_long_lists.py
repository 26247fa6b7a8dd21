"""ESR over long lists: the same scores as pair by pair and by brute force, in linear time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force.sampling import drawn
from brute_force.scenarios import OF_HIGHLIGHTS, Scenario
from doxeval.arrays import Ints
from doxeval.assessments import Assessments, Judgment
from doxeval.documents import Collection, example_collection
from doxeval.evaluation import evaluate
from doxeval.measures import MEASURES, Esr
from doxeval.navigation import (
    DepthNavigation,
    HierarchicalNavigation,
    MatrixNavigation,
    Navigation,
    NoNavigation,
    SteadyNavigation,
    Steps,
    SummaryNavigation,
)
from doxeval.runs import Kind, Result, Run
from levels import examples
from seams import change
from strategies import World, step_matrices, unit_worlds, worlds

KINDS = [kind for kind in MEASURES.values() if issubclass(kind, Esr)]
chances = st.integers(0, 2**32).map(Random)
GROUPS = {"article": "x", "sec": "y", "p": "x"}
WEIGHTS = {"x": {"y": 3.0, "x": 1.0}, "y": {"x": 1.0}, "other": {"x": 1.0, "other": 2.0}}


@contextmanager
def nothing_short(portion: int) -> Iterator[None]:
    """Take every list for a long one, and look at few pairs or steps at a time."""
    with pytest.MonkeyPatch.context() as patch:
        change(patch, many_pairs=-1)
        change(patch, pairs_at_once=portion)
        yield


# Against brute force


def compare(world: World, scenario: Scenario, random: Random) -> None:
    measures = [drawn(kind, random, scenario.quants) for kind in KINDS]
    allowed = [m for m in measures if m is not None and scenario.allows(m, world)]
    with nothing_short(random.choice([1, 7, 2_000_000])):
        scenario.compare(world, allowed)


@given(worlds(), chances, st.sampled_from(["elements", "passages"]), st.booleans())
@examples(60)
def test_highlights(world: World, random: Random, results: Any, navigates: bool) -> None:
    steps = step_matrices(world, random) if navigates and results == "elements" else None
    compare(world, Scenario(results, OF_HIGHLIGHTS, steps=steps), random)


@given(unit_worlds(), chances, st.sampled_from(["elements", "passages", "trees"]), st.booleans())
@examples(80)
def test_units(world: World, random: Random, results: Any, navigates: bool) -> None:
    steps = step_matrices(world, random) if navigates else None
    compare(world, Scenario(results, OF_HIGHLIGHTS, steps=steps), random)


# Against pair by pair: models that have no brute-force twin


@given(unit_worlds() | worlds(), st.sampled_from(["elements", "passages", "trees"]), st.data())
@examples(60)
def test_groups_are_the_same_as_pairs(world: World, results: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([SummaryNavigation, SteadyNavigation]))
    model = kind(partition=GROUPS, weights=WEIGHTS)
    more = [f"(hits={hits},shared={shared})" for hits in HITS for shared in SHARED]
    names = [f"{name}@5{each}" for each in more for name in ("Hits", "NearMisses", "SR", "SRiP2")]
    run = {"elements": world.element_run, "passages": world.passage_run, "trees": world.tree_run}
    given_ = (run[results](), world.assessments(), names)
    expected = evaluate(*given_, collection=world.collection(), navigation=model).topics()
    with nothing_short(data.draw(st.sampled_from([1, 7, 2_000_000]))):
        found = evaluate(*given_, collection=world.collection(), navigation=model).topics()
    for run_id, topics in expected.items():
        for topic, values in topics.items():
            assert found[run_id][topic] == pytest.approx(values, abs=1e-12)


HITS, SHARED = ("exact", "certain"), ("none", "seen")


# What models of navigation list and group

MODELS: list[Callable[[Collection], Navigation]] = [
    lambda _: NoNavigation(),
    lambda _: HierarchicalNavigation(),
    lambda _: DepthNavigation(),
    lambda _: SummaryNavigation(partition=GROUPS, weights=WEIGHTS),
    lambda _: SteadyNavigation(partition=GROUPS, weights=WEIGHTS),
    lambda collection: MatrixNavigation(
        probabilities={
            collection.id_of(document): {
                collection.path_of(a): {
                    collection.path_of(b): ((a * 7 + b * 3) % 5) / 5
                    for b in nodes_of(collection, document).tolist()
                }
                for a in nodes_of(collection, document)[::2].tolist()
            }
            for document in range(len(collection.rows) - 1)
        }
    ),
]


def nodes_of(collection: Collection, document: int) -> Ints:
    return np.arange(int(collection.rows[document]), int(collection.rows[document + 1]))


@pytest.mark.parametrize("model", MODELS)
@given(worlds(), st.randoms(use_true_random=False))
@examples(25)
def test_steps_and_groups_say_what_the_matrix_says(
    model: Callable[[Collection], Navigation], world: World, random: Any
) -> None:
    collection = world.collection()
    navigation = model(collection)
    for document in range(len(collection.rows) - 1):
        every = nodes_of(collection, document)
        sources, targets = (every[[random.random() < 0.7 for _ in every]] for _ in "st")
        if not len(sources) or not len(targets):
            continue
        between = navigation.between(collection, document, sources, targets)
        apart = sources[:, None] != targets[None, :]
        groups = navigation.groups_of(collection, targets)
        steps = navigation.steps_between(collection, document, sources, targets)
        assert (groups is None) != (steps is None)
        if groups is not None:
            for one, other in zip(*np.nonzero(groups[:, None] == groups[None, :]), strict=True):
                both = apart[:, one] & apart[:, other]
                assert (between[both, one] == between[both, other]).all()
        if steps is not None:
            listed = np.zeros(between.shape)
            np.add.at(listed, (steps.source, steps.target), steps.probability)
            assert listed[apart] == pytest.approx(between[apart], abs=1e-15)
            most = navigation.most_steps_between(collection, document, sources, targets)
            assert len(steps.source) <= most


# Growth


class Counted(HierarchicalNavigation):
    """Counts the steps it lists; its pairs are never asked for."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "listed", 0)

    def between(self, *_: Any) -> Any:
        raise AssertionError("a long list was looked at pair by pair")

    def steps_between(
        self, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Steps:
        found = super().steps_between(collection, document, sources, targets)
        object.__setattr__(self, "listed", self.listed + len(found.source))  # type: ignore[attr-defined]
        return found


def flat(count: int) -> tuple[Any, Assessments, Collection]:
    """A document of many elements, half of them relevant, all of them returned, and its root."""
    collection = example_collection({"d": f"<a>{'<p>some</p>' * count}</a>"})
    highlights = tuple((4 * at, 4 * at + 4) for at in range(0, count, 2))
    paths = [f"/a[1]/p[{at + 1}]" for at in range(count - 1, -1, -1)]
    results = [Result("1", "d", Kind.ELEMENT, paths=(path,)) for path in ("/a[1]", *paths)]
    return (
        Run.from_results(results, "run"),
        Assessments([Judgment("1", "d", highlights)]),
        collection,
    )


@pytest.mark.parametrize("name", ["ESRR@10", "SR@10", "MAESRP", "SRiP2@10"])
def test_the_steps_of_a_flat_document_grow_with_its_elements(name: str) -> None:
    listed = []
    for count in (1_000, 2_000, 4_000):
        run, judged, collection = flat(count)
        model = Counted()
        evaluate(run, judged, [name], collection=collection, navigation=model)
        listed.append(model.listed)  # type: ignore[attr-defined]
    assert listed[1] <= 2.1 * listed[0] and listed[2] <= 2.1 * listed[1]


@pytest.mark.parametrize("name", ["ESRR@10", "SR@10", "MAESRP", "SRiP2@10"])
def test_the_pairs_of_a_flat_document_grow_with_its_elements(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs: list[int] = []
    original = DepthNavigation.between

    def between(
        self: DepthNavigation, collection: Collection, document: int, sources: Ints, targets: Ints
    ) -> Any:
        pairs[-1] += len(sources) * len(targets)
        return original(self, collection, document, sources, targets)

    monkeypatch.setattr(DepthNavigation, "between", between)
    for count in (1_000, 2_000, 4_000):
        pairs.append(0)
        run, judged, collection = flat(count)
        evaluate(run, judged, [name], collection=collection)
    assert 0 < pairs[1] <= 2.1 * pairs[0] and pairs[2] <= 2.1 * pairs[1]
