"""Lists of results, for every task and kind of unit, against search by brute force."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import direct_search as direct
from direct_search import Direct, Found, Item, Unit, presented, rounded
from doxeval.documents import example_collection
from doxeval.errors import InputError
from doxeval.retrieve import Index, Searcher, SearchOptions, build_index, maximal_segments
from doxeval.topics import Term
from levels import LEVEL
from strategies.trees import Node, Piece
from strategies.wordings import dense_nodes, worded_nodes

WORLDS = st.lists(st.one_of(dense_nodes(), dense_nodes(), worded_nodes()), min_size=1, max_size=4)
MANY = settings(max_examples=6 if LEVEL == "unit" else 60)  # each world is built on the disk
TERMS = [("fog",), ("horn",), ("sea",), ("the",), ("sea", "lion"), ("fog", "horn"), ("東", "京")]
QUERIES = st.dictionaries(
    st.sampled_from([*TERMS, ("unheard",)]), st.sampled_from([1.0, 1.0, 2.0, -1.0]), max_size=4
).map(lambda given: [Item(terms, weight) for terms, weight in given.items()])
SIGNS = {1.0: "", 2.0: "+", -1.0: "-"}
TASKS = ["thorough", "focused", "relevant-in-context", "best-in-context", "fetch-browse"]
IN_BLOCKS = st.sampled_from([1, 3, 5_000_000])


def searched(
    trees: list[Node], query: Sequence[Item], at_once: int = 5_000_000, **options: Any
) -> list[Found]:
    """The results of the search engine."""
    collection = example_collection({f"d{n}": tree.source for n, tree in enumerate(trees)})
    index = Index(build_index(collection).directory, collection)
    if callable(options.get("units")):
        options["units"] = options["units"](index)
    settings = SearchOptions(phrases="only", stop="none", **options)
    terms = tuple(Term(one.terms, SIGNS[one.weight], len(one.terms) > 1) for one in query)
    answer = Searcher(index, settings, at_once).answer(terms)
    results = zip(answer.spans.rows(), answer.scores.tolist(), strict=True)
    return [
        Found(Unit(document, 0, 0, start, end, path), score)
        for (document, start, end, path), score in results
    ]


def same(found: Sequence[Found], expected: Sequence[Found]) -> None:
    """Compare places and scores; words are only counted by brute force."""
    wanted = [
        (one.unit.document, one.unit.start, one.unit.end, one.unit.path, rounded(one.score))
        for one in expected
    ]
    assert [(u.document, u.start, u.end, u.path, score) for u, score in found] == wanted


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), st.integers(1, 8), IN_BLOCKS, st.integers(1, 3))
def test_elements_by_lm(
    trees: list[Node], query: list[Item], task: str, most: int, at_once: int, min_words: int
) -> None:
    options: dict[str, Any] = {"task": task, "max_results": most, "min_words": min_words}
    found = searched(trees, query, at_once, model="lm(prior=.5,element=.3)", **options)
    world = Direct(trees, query)
    units = world.matches(world.elements(min_words=min_words))
    scores = [Found(unit, rounded(world.lm(unit, 0.3, 0.4, 0.5))) for unit in units]
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    same(found, presented(scores, task, most, keep, world.articles()))


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, st.booleans(), st.floats(0, 1))
def test_elements_by_bm25_in_context(
    trees: list[Node], query: list[Item], task: str, at_once: int, by_best: bool, keep: float
) -> None:
    world = Direct(trees, query)
    units = world.matches(world.elements({"b", "p"}))
    scores = [
        Found(
            unit, rounded((world.okapi(unit, 2, 0.5, 5) + 0.5 * world.article(unit.document)) / 1.5)
        )
        for unit in units
    ]
    options: dict[str, Any] = {"task": task, "elements": "//b, //p"}
    in_articles = task not in ("thorough", "focused")
    if in_articles and by_best:
        options["articles"] = "best"
    if task in ("relevant-in-context", "fetch-browse"):
        options["keep"] = keep
    options["model"] = "bm25(k1=2,b=.5,pivot=5,context=.5)"
    if not world.elements({"b", "p"}, min_words=0):
        with pytest.raises(InputError, match="no element of the collection matches"):
            searched(trees, query, at_once, **options)
        return
    found = searched(trees, query, at_once, **options)
    articles = None if "articles" in options else world.articles()
    same(found, presented(scores, task, 1500, options.get("keep", 1.0), articles))


@MANY
@given(WORLDS, QUERIES, IN_BLOCKS, st.integers(1, 3))
def test_documents(trees: list[Node], query: list[Item], at_once: int, most: int) -> None:
    found = searched(trees, query, at_once, task="documents", max_results=most)
    world = Direct(trees, query)
    units = world.matches(world.wholes())
    scores = [Found(unit, rounded(world.article(unit.document))) for unit in units]
    same(found, presented(scores, "thorough", most, 1.0, None))


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, st.integers(1, 6), st.data())
def test_windows(
    trees: list[Node],
    query: list[Item],
    task: str,
    at_once: int,
    words: int,
    data: st.DataObject,
) -> None:
    step = data.draw(st.integers(1, words))
    units = f"windows({words},{step})"
    found = searched(trees, query, at_once, task=task, units=units, model="bm25(context=0)")
    world = Direct(trees, query)
    windows = world.windows(words, step)
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    expected = presented(okapi_of_units(world, windows), task, 1500, keep, world.articles())
    same(found, expected)


def okapi_of_units(world: Direct, units: list[Unit]) -> list[Found]:
    mean = sum(unit.length for unit in units) / max(len(units), 1)
    return [
        Found(unit, rounded(world.okapi(unit, 4, 0.8, mean, units)))
        for unit in world.matches(units)
    ]


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, st.data())
def test_chunks(
    trees: list[Node], query: list[Item], task: str, at_once: int, data: st.DataObject
) -> None:
    some_span = st.integers(0, len(trees) - 1).flatmap(lambda number: span(number, trees))
    spans = data.draw(st.lists(some_span, min_size=1, max_size=8))
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "chunks.jsonl"
        lines = [{"doc": f"d{d}", "start": s, "end": e, "text": "…"} for d, s, e in spans]
        file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        found = searched(trees, query, at_once, task=task, units=str(file), model="bm25(context=0)")
    world = Direct(trees, query)
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    scores = okapi_of_units(world, world.chunks(spans))
    same(found, presented(scores, task, 1500, keep, world.articles()))


def span(document: int, trees: list[Node]) -> st.SearchStrategy[tuple[int, int, int]]:
    edges = st.integers(0, len(trees[document].text))
    return st.tuples(edges, edges).map(lambda pair: (document, min(pair), max(pair)))


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, st.integers(1, 12))
def test_passages(
    trees: list[Node], query: list[Item], task: str, at_once: int, words: int
) -> None:
    found = searched(trees, query, at_once, task=task, units=f"passages({words})")
    world = Direct(trees, query)
    is_answered = any(item.weight > 0 for item in world.query)
    passages = world.passages(words) if is_answered else []
    scores = [Found(unit, rounded(score)) for unit, score in passages]
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    same(found, presented(scores, task, 1500, keep, world.articles()))


@given(st.lists(st.integers(-4, 4), max_size=12))
def test_maximal_segments(values: list[int]) -> None:
    found = maximal_segments(values)
    assert [(one.begin, one.after) for one in found] == direct.maximal(values)
    assert all(one.total == sum(values[one.begin : one.after]) for one in found)


def test_text_after_elements_that_end_deep_inside() -> None:
    """The word after them is in none of them, however many end there."""
    below = Node("p", (Node("sec", (Node("p", (Piece("sea", "sea"),)),)),))
    tree = Node("article", (Node("sec", (below, Piece("fog", "fog"))), Node("p")))
    query = [Item(("fog",), 1.0)]
    world = Direct([tree], query)
    units = world.matches(world.elements())
    assert [unit.path for unit in units] == ["/article[1]", "/article[1]/sec[1]"]
    found = searched([tree], query, task="thorough", model="lm(prior=0)")
    scores = [Found(unit, rounded(world.lm(unit, 0.2, 0.4, 0))) for unit in units]
    same(found, presented(scores, "thorough", 9, 1.0, None))
