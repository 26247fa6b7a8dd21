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
from direct_search import Direct, Found, Item, Unit, Weights, presented, rounded
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
    found = searched(trees, query, at_once, model="lm(prior=.5,element=.3,least=4)", **options)
    world = Direct(trees, query)
    units = world.matches(world.elements(min_words=min_words))
    scores = [Found(unit, rounded(world.lm(unit, 0.3, 0.4, 0.5, 4))) for unit in units]
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
    options["model"] = "bm25(k1=2,b=.5,pivot=5,context=.5,least=1)"
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
        Found(unit, rounded(world.okapi(unit, 1.2, 0.75, mean, units)))
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


# Feedback

RM3 = st.tuples(st.integers(1, 3), st.integers(1, 6), st.sampled_from([0.2, 0.5, 1.0]))


def written(feedback: tuple[int, int, float]) -> str:
    return "feedback={},terms={},weight={}".format(*feedback)


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, RM3)
def test_feedback_of_elements(
    trees: list[Node],
    query: list[Item],
    task: str,
    at_once: int,
    feedback: tuple[int, int, float],
) -> None:
    """The query of elements is expanded; that of articles stays as it is."""

    def scored(world: Direct) -> list[Found]:
        units = world.matches(world.elements())
        return [Found(unit, rounded(world.lm(unit, 0.2, 0.4, 0))) for unit in units]

    found = searched(trees, query, at_once, task=task, model=f"lm(least=1,{written(feedback)})")
    world = Direct(trees, query)
    expanded = Direct(trees, world.expanded(scored(world), *feedback))
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    same(found, presented(scored(expanded), task, 1500, keep, world.articles()))


@MANY
@given(WORLDS, QUERIES, IN_BLOCKS, RM3)
def test_feedback_of_documents(
    trees: list[Node], query: list[Item], at_once: int, feedback: tuple[int, int, float]
) -> None:
    def scored(world: Direct) -> list[Found]:
        units = world.matches(world.wholes())
        return [Found(unit, rounded(world.article(unit.document))) for unit in units]

    model = f"bm25({written(feedback)})"
    found = searched(trees, query, at_once, task="documents", model=model)
    world = Direct(trees, query)
    expanded = Direct(trees, world.expanded(scored(world), *feedback))
    same(found, presented(scored(expanded), "thorough", 1500, 1.0, None))


@MANY
@given(WORLDS, QUERIES, IN_BLOCKS, RM3, st.integers(1, 6), st.data())
def test_feedback_of_windows(
    trees: list[Node],
    query: list[Item],
    at_once: int,
    feedback: tuple[int, int, float],
    words: int,
    data: st.DataObject,
) -> None:
    step = data.draw(st.integers(1, words))
    model = f"bm25({written(feedback)})"
    found = searched(
        trees, query, at_once, task="thorough", units=f"windows({words},{step})", model=model
    )
    world = Direct(trees, query)
    windows = world.windows(words, step)
    expanded = Direct(trees, world.expanded(okapi_of_units(world, windows), *feedback))
    same(found, presented(okapi_of_units(expanded, windows), "thorough", 1500, 1.0, None))


@MANY
@given(WORLDS, QUERIES, IN_BLOCKS, RM3, st.integers(1, 12))
def test_feedback_of_passages(
    trees: list[Node],
    query: list[Item],
    at_once: int,
    feedback: tuple[int, int, float],
    words: int,
) -> None:
    """Passages have no model of their own: documents expand their query."""
    found = searched(
        trees,
        query,
        at_once,
        task="thorough",
        units=f"passages({words})",
        articles=f"bm25({written(feedback)})",
    )
    world = Direct(trees, query)
    documents = [
        Found(unit, rounded(world.article(unit.document))) for unit in world.matches(world.wholes())
    ]
    expanded = Direct(trees, world.expanded(documents, *feedback))
    is_answered = any(item.weight > 0 for item in expanded.query)
    passages = expanded.passages(words) if is_answered else []
    scores = [Found(unit, rounded(score)) for unit, score in passages]
    same(found, presented(scores, "thorough", 1500, 1.0, None))


# Fields

FIELDS = st.builds(
    Weights, st.sampled_from([1, 3, 0.5]), st.sampled_from([1, 2]), st.sampled_from([1, 0.25])
)
# A heading, a title and an abstract, so that no weight is refused.
WITH_FIELDS = Node(
    "article",
    (
        Node("title", (Piece("fog", "fog"),)),
        Node("abs", (Node("st", (Piece("sea lion", "sea lion"),)), Piece(" horn", " horn"))),
        Node("sec", (Node("title", (Piece("horn", "horn"),)), Piece(" fog sea", " fog sea"))),
    ),
)


def with_fields(tree: Node) -> Node:
    """The tree with titles, headings and abstracts instead of some other elements."""
    tags = {"p": "title", "ss1": "st", "sec": "abs"}
    inside = tuple(with_fields(one) if isinstance(one, Node) else one for one in tree.inside)
    return Node(tags.get(tree.tag, tree.tag), inside)


@MANY
@given(WORLDS, QUERIES, st.sampled_from(TASKS), IN_BLOCKS, FIELDS, FIELDS)
def test_fields_of_elements_and_articles(
    trees: list[Node],
    query: list[Item],
    task: str,
    at_once: int,
    of_units: Weights,
    of_articles: Weights,
) -> None:
    trees = [WITH_FIELDS, *map(with_fields, trees)]
    fields, around = (
        ",".join(f"{name}={value}" for name, value in weights._asdict().items())
        for weights in (of_units, of_articles)
    )
    options = {"model": f"lm(prior=.5,least=3,{fields})", "task": task}
    if task not in ("thorough", "focused"):
        options["articles"] = f"bm25({around})"
    found = searched(trees, query, at_once, **options)
    world, articles = Direct(trees, query, of_units), Direct(trees, query, of_articles)
    units = world.matches(world.elements())
    scores = [Found(unit, rounded(world.lm(unit, 0.2, 0.4, 0.5, 3))) for unit in units]
    keep = {"relevant-in-context": 0.7, "fetch-browse": 0.5}.get(task, 1.0)
    same(found, presented(scores, task, 1500, keep, articles.articles()))


@MANY
@given(WORLDS, QUERIES, IN_BLOCKS, FIELDS, st.integers(1, 6), st.booleans(), RM3)
def test_fields_of_windows_with_feedback(
    trees: list[Node],
    query: list[Item],
    at_once: int,
    weights: Weights,
    words: int,
    has_feedback: bool,
    feedback: tuple[int, int, float],
) -> None:
    """Feedback looks at the text of results, where a word is a word."""
    trees = [WITH_FIELDS, *map(with_fields, trees)]
    fields = ",".join(f"{name}={value}" for name, value in weights._asdict().items())
    if has_feedback:
        fields += "," + written(feedback)
    options = {"task": "thorough", "units": f"windows({words},{words})", "model": f"bm25({fields})"}
    found = searched(trees, query, at_once, **options)

    def scored(world: Direct) -> list[Found]:
        windows = world.windows(words, words)
        mean = sum(map(world.size, windows)) / len(windows)
        return [
            Found(unit, rounded(world.okapi(unit, 1.2, 0.75, mean, windows)))
            for unit in world.matches(windows)
        ]

    world = Direct(trees, query, weights)
    if has_feedback:
        world = Direct(trees, world.expanded(scored(world), *feedback), weights)
    same(found, presented(scored(world), "thorough", 1500, 1.0, None))


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
    found = searched([tree], query, task="thorough", model="lm")
    scores = [Found(unit, rounded(world.lm(unit, 0.2, 0.4, 0))) for unit in units]
    same(found, presented(scores, "thorough", 9, 1.0, None))
