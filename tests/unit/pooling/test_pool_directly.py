"""Pools against the same pools made result by result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import direct_pooling as direct
from direct_pooling import Direct
from doxeval import Assessments, Collection, Kind, Result, Run, pool_runs
from doxeval.pooling import METHODS, Level, Pool, PooledDocument, PooledElement, pool_statistics
from strategies import World, judged_documents, runs_to_pool, worlds

LEVELS = st.sampled_from(get_args(Level))
LIMITS = st.none() | st.integers(1, 6)


def elements_of(parts: Sequence[Any]) -> list[PooledElement]:
    """The elements that a pool shows for parts as `direct_pooling` tells them."""
    found: list[PooledElement] = []
    for part in parts:
        if part[0] == "points":
            continue
        by_paths = isinstance(part[0], str)
        found += map(PooledElement, part) if by_paths else [PooledElement(None, *part)]
    return list(dict.fromkeys(found))


def assert_same(pooled: Sequence[PooledDocument], expected: Direct, lists: direct.Lists) -> None:
    assert [one.document for one in pooled] == expected.documents
    for one in pooled:
        assert list(one.elements) == elements_of(expected.units.get(one.document, []))
        assert dict(one.contributors) == expected.contributors[one.document]
        assert one.priority == direct.priority(lists, one.document)


@given(runs=runs_to_pool(), depth=st.integers(1, 8), level=LEVELS)
def test_by_depth(runs: list[Run], depth: int, level: Level) -> None:
    pool = pool_runs(runs, depth=depth, level=level)
    for topic, pooled in pool.documents.items():
        lists = direct.lists_of(runs, topic, level, depth)
        every = ((run, rank) for run, own in lists.items() for rank in range(1, len(own) + 1))
        expected = direct.collected(every, lists)
        ordered = sorted(
            expected.documents,
            key=lambda one: (
                min(expected.contributors[one].values()),
                -direct.priority(lists, one),
                one,
            ),
        )
        assert [one.document for one in pooled] == ordered
        assert {one.document for one in pooled} == direct.to_depth(lists)
        for one in pooled:
            assert set(one.elements) == set(elements_of(expected.units[one.document]))
            assert dict(one.contributors) == expected.contributors[one.document]
            assert one.priority == direct.priority(lists, one.document)


@given(runs=runs_to_pool(), depth=LIMITS, documents=st.integers(1, 5), level=LEVELS)
def test_in_turns(runs: list[Run], depth: int | None, documents: int, level: Level) -> None:
    pool = pool_runs(runs, depth=depth, documents=documents, level=level)
    for topic, pooled in pool.documents.items():
        lists = direct.lists_of(runs, topic, level, depth)
        assert_same(pooled, direct.in_turns(lists, documents), lists)


@given(runs=runs_to_pool(), depth=st.integers(1, 8), documents=LIMITS, level=LEVELS)
def test_by_fused_rank(runs: list[Run], depth: int, documents: int | None, level: Level) -> None:
    pool = pool_runs(runs, depth=depth, documents=documents, level=level, method="rrf")
    for topic, pooled in pool.documents.items():
        lists = direct.lists_of(runs, topic, level, depth)
        expected = direct.fused(lists, documents)
        names = list(dict.fromkeys(document for *_, document in expected))
        assert [one.document for one in pooled] == names
        assert [one.priority for one in pooled] == [direct.priority(lists, one) for one in names]


@pytest.mark.parametrize(
    ("method", "replay"), [("mtf", direct.move_to_front), ("bandit", direct.thompson)]
)
@given(data=st.data())
def test_by_judgments(data: st.DataObject, method: Any, replay: Any) -> None:
    runs, judged = data.draw(runs_to_pool()), data.draw(judged_documents())
    documents, level, seed = data.draw(LIMITS), data.draw(LEVELS), data.draw(st.integers(0, 5))
    limits: dict[str, Any] = {"depth": 9, "documents": documents, "level": level}
    pool = pool_runs(runs, method=method, seed=seed, assessments=judged, **limits)
    for topic, pooled in pool.documents.items():
        lists = direct.lists_of(runs, topic, level, 9)
        relevant = direct.relevant_in(judged, topic)
        assert_same(pooled, replay(lists, documents, relevant, seed, topic), lists)


def part_in(collection: Collection, result: Result) -> object:
    """What a result is in a collection."""
    if result.kind == Kind.PASSAGE:
        return (result.start, result.end)
    if not result.paths:
        return None
    nodes = sorted({collection.element(result.document, path).node for path in result.paths})
    is_root = len(nodes) == 1 and collection.parents_of(nodes)[0] < 0
    return None if is_root else tuple(collection.path_of(node) for node in nodes)


@given(world=worlds(), documents=st.integers(1, 4), depth=LIMITS, level=LEVELS)
def test_in_a_collection(world: World, documents: int, depth: int | None, level: Level) -> None:
    collection = world.collection()
    runs = [world.element_run(), world.passage_run(), world.tree_run()]
    pool = pool_runs(runs, depth=depth, documents=documents, level=level, collection=collection)
    assert pool.facts.collection == collection.checksum
    for topic, pooled in pool.documents.items():
        lists = direct.lists_of(
            runs, topic, level, depth, lambda result: part_in(collection, result)
        )
        assert_same(pooled, direct.in_turns(lists, documents), lists)


def options_of(method: Any, judged: Assessments, documents: int | None) -> dict[str, Any]:
    adaptive = {"assessments": judged, "seed": 3} if method in ("mtf", "bandit") else {}
    return {"method": method, "depth": 6, "documents": documents, **adaptive}


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_the_order_of_runs_does_not_matter(data: st.DataObject, method: Any) -> None:
    runs, judged = data.draw(runs_to_pool()), data.draw(judged_documents())
    documents = None if method == "depth" else data.draw(LIMITS)
    options = options_of(method, judged, documents)
    shuffled = data.draw(st.permutations(runs))
    assert pool_runs(shuffled, **options).documents == pool_runs(runs, **options).documents


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_every_method_pools_everything_to_the_depth(data: st.DataObject, method: Any) -> None:
    runs, judged = data.draw(runs_to_pool()), data.draw(judged_documents())
    pool = pool_runs(runs, **options_of(method, judged, None))
    other = pool_runs(runs, depth=6)

    def found(pool: Pool) -> dict[str, Any]:
        return {
            topic: {
                one.document: (one.priority, set(one.elements), one.contributors) for one in pooled
            }
            for topic, pooled in pool.documents.items()
        }

    assert found(pool) == found(other)


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_what_leaving_out_a_run_would_lose(data: st.DataObject, method: Any) -> None:
    runs, judged = data.draw(runs_to_pool()), data.draw(judged_documents())
    options = options_of(method, judged, data.draw(LIMITS))
    pool = pool_runs(runs, **options)
    found = pool_statistics(pool, runs, assessments=judged)
    pairs = {(topic, one.document) for topic, of in pool.documents.items() for one in of}
    assert found.documents == len(pairs) == len(pool)
    for number, run in enumerate(runs):
        contribution = found.runs[run.run_id]
        mine = [
            [name for name, _ in one.contributors]
            for of in pool.documents.values()
            for one in of
            if run.run_id in dict(one.contributors)
        ]
        assert contribution.documents == len(mine)
        assert contribution.unique == mine.count([run.run_id])
        rest = [*runs[:number], *runs[number + 1 :]]
        others = pool_runs(rest, **options).documents if rest else {}
        left = {(topic, one.document) for topic, of in others.items() for one in of}
        assert contribution.lost == len(pairs - left)
        assert contribution.gained == len(left - pairs)
        relevant = [pair for pair in pairs - left if judged.to_dict()[pair[0]].get(pair[1])]
        assert contribution.lost_relevant == len(relevant)
        if method == "depth" and options["documents"] is None:
            assert (contribution.lost, contribution.gained) == (contribution.unique, 0)
