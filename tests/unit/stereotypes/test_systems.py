"""Simulated systems: their lists by hand, what is left to chance, files and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from doxeval.assessments import AssessedUnit, Assessments, Judgment
from doxeval.documents import Collection, example_collection
from doxeval.errors import InputError, MissingInput, MissingText, SyntaxProblem, UnknownReference
from doxeval.runs import FORMATS, Kind, RunFormat, read_run, write_run
from doxeval.stereotypes import SYSTEMS, simulate
from helpers import Builder
from printing import pretty
from simulating import HIGHLIGHTS, Listed, graded, listed, small_collection
from strategies import World, graded_worlds


@pytest.fixture(scope="module")
def collection() -> Collection:
    return small_collection()


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("perfect", "a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]"),
        ("document", "a c b"),
        ("parent", "a/s[1]/q[1] a/s[1] c/s[1] b/s[1]"),
        ("ancestors", "a/s[1] a/s[1]/q[1] a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]"),
        ("biggest-child", "a/s[1]/q[1]/r[1] a/s[1]/p[2] c/s[1] b/s[1]/p[2]"),
    ],
)
def test_lists_from_highlights(collection: Collection, system: str, expected: str) -> None:
    run = simulate(HIGHLIGHTS, collection, system)
    assert [document + path for document, path in listed(run)] == expected.split()
    assert run.run_id == system
    last = [result for result in run.results() if result.topic == "7"][-1]
    assert last.score == 20 / 24  # what the root of b is worth, which led to it
    assert last.rank == len(expected.split())
    assert last.kind is (Kind.DOCUMENT if system == "document" else Kind.ELEMENT)


def test_every_topic_has_a_list_in_the_order_of_the_assessments(collection: Collection) -> None:
    perfect = simulate(HIGHLIGHTS, collection, "perfect")
    assert list(perfect.topics) == ["7", "8"]
    assert perfect.warnings == ("topics without relevant units, whose lists are empty: 9",)
    assert listed(perfect, "8") == [("a", "/s[1]/q[1]")]
    by_chance = simulate(HIGHLIGHTS, collection, "random", run_id="by-chance")
    assert list(by_chance.topics) == ["7", "9", "8"]
    assert (by_chance.run_id, by_chance.warnings) == ("by-chance", ())


def test_the_biggest_child_by_words_or_by_characters(
    collection: Collection, build: Builder
) -> None:
    by_size = simulate(HIGHLIGHTS, collection, "biggest-child", unit="characters")
    assert listed(by_size)[-1] == ("b", "/s[1]/p[1]")
    assert listed(by_size, "8") == [("a", "/s[1]/q[1]/r[1]")]
    without = build({"a.xml": "<s><p>x y</p><p>long</p></s>"}, text="none")
    judged = Assessments([Judgment("7", "a", ((0, 7),))])
    assert listed(simulate(judged, without, "biggest-child", unit="characters")) == [
        ("a", "/s[1]/p[2]")
    ]
    with pytest.raises(MissingText):
        simulate(judged, without, "biggest-child")


def test_of_equal_children_the_first(collection: Collection) -> None:
    judged = Assessments([graded("a", "/s[1]/q[1] 3E")])
    assert listed(simulate(judged, collection, "biggest-child")) == [("a", "/s[1]/q[1]/r[1]")]
    whole = example_collection({"a": "<s><p>no</p><p>four</p><p>five</p></s>"})
    judged = Assessments([graded("a", "/s[1] 3E")])
    assert listed(simulate(judged, whole, "biggest-child")) == [("a", "/s[1]/p[1]")]
    by_size = simulate(judged, whole, "biggest-child", unit="characters")
    assert listed(by_size) == [("a", "/s[1]/p[2]")]


def test_words_end_where_elements_end(collection: Collection) -> None:
    """By hand: q has two words, "Two." and "No", which only the border of r tells apart."""
    judged = Assessments([graded("a", "/s[1] 3E")])
    assert listed(simulate(judged, collection, "biggest-child")) == [("a", "/s[1]/q[1]")]


@given(graded_worlds(2002))
def test_lists_do_not_depend_on_how_documents_are_printed(world: World) -> None:
    printed = [
        example_collection({name: form(node).source for name, node in world.documents})
        for form in (lambda node: node, pretty)
    ]
    for system in ("perfect", "parent", "ancestors", "biggest-child", "document"):
        compact, spaced = (simulate(world.assessments(), c, system) for c in printed)
        assert list(compact.results()) == list(spaced.results())


def test_lists_end_after_the_most_that_is_asked_for(collection: Collection) -> None:
    for system in SYSTEMS:
        everything = simulate(HIGHLIGHTS, collection, system)
        two = simulate(HIGHLIGHTS, collection, system, max_results=2)
        if system != "random":
            assert listed(two) == listed(everything)[:2]
        assert len(listed(two)) == 2


def test_the_seed_decides_what_is_left_to_chance(collection: Collection) -> None:
    def by_seeds(system: str) -> list[Listed]:
        return [listed(simulate(HIGHLIGHTS, collection, system, seed=s)) for s in range(8)]

    for system in SYSTEMS:
        assert by_seeds(system) == by_seeds(system)
        alike = len({tuple(found) for found in by_seeds(system)}) == 1
        assert alike == (system not in ("random", "leaves"))


def test_random_elements_are_elements_of_the_collection_each_once(collection: Collection) -> None:
    run = simulate(HIGHLIGHTS, collection, "random")
    roots = [collection.root(name) for name in "abc"]
    elements = [element for root in roots for element in (root, *root.descendants())]
    for topic in "789":
        assert sorted(listed(run, topic)) == sorted((e.document_id, e.path) for e in elements)
    assert listed(run, "7") != listed(run, "8")
    alone = Assessments([judgment for judgment in HIGHLIGHTS if judgment.topic == "8"])
    assert listed(simulate(alone, collection, "random"), "8") == listed(run, "8")
    ranks = [result.score for result in run.results() if result.topic == "7"]
    assert ranks == [1 / rank for rank in range(1, len(elements) + 1)]


def test_leaves_are_by_value_and_by_chance_where_equal(collection: Collection) -> None:
    found = [listed(simulate(HIGHLIGHTS, collection, "leaves", seed=seed)) for seed in range(8)]
    best = {("a", "/s[1]/q[1]/r[1]"), ("a", "/s[1]/p[2]"), ("b", "/s[1]/p[1]"), ("c", "/s[1]")}
    for leaves in found:
        assert set(leaves[:4]) == best
        assert leaves[4:] == [("b", "/s[1]/p[2]")]


# Runs of MS MARCO and ranx are of documents, those of TREC Genomics of passages.
@pytest.mark.parametrize("format_", sorted(set(FORMATS) - {"msmarco", "ranx", "genomics"}))
@pytest.mark.parametrize("system", SYSTEMS)
def test_written_and_read_again(
    collection: Collection, system: str, format_: RunFormat, tmp_path: Path
) -> None:
    run = simulate(HIGHLIGHTS, collection, system)
    write_run(run, tmp_path / "run", format_)
    again = read_run(tmp_path / "run", format_)
    assert list(again.results()) == list(run.results())
    assert again.run_id == system


def test_what_does_not_fit_is_refused(collection: Collection) -> None:
    grades = Assessments([graded("a", "/s[1] 3E")])
    nothing = Assessments([Judgment("7", "a")])
    trees = Assessments([Judgment("7", "a", units=(AssessedUnit(("/s[1]",), 1.0),))])
    elsewhere = Assessments([Judgment("7", "x", ((0, 1),))])
    refused: list[tuple[Assessments, str, dict[str, Any], type[Exception], str]] = [
        (HIGHLIGHTS, "prefect", {}, SyntaxProblem, "did you mean perfect"),
        (HIGHLIGHTS, "xyz", {}, SyntaxProblem, "there are perfect, document"),
        (HIGHLIGHTS, "perfect", {"quant": "gem"}, SyntaxProblem, "no quantisation"),
        (
            HIGHLIGHTS,
            "perfect",
            {"quant": "gen"},
            MissingInput,
            "text takes quant=spec",
        ),
        (
            HIGHLIGHTS,
            "perfect",
            {"quant": "gen5"},
            MissingInput,
            "no exhaustivity as 2005",
        ),
        (grades, "perfect", {"quant": "spec"}, MissingInput, "grades of elements"),
        (grades, "perfect", {"quant": "sog"}, SyntaxProblem, "not grades of 2002"),
        (grades, "perfect", {"quant": "gen5"}, SyntaxProblem, "not grades of 2002"),
        (trees, "perfect", {}, MissingInput, "neither highlighted text nor grades"),
        (elsewhere, "random", {}, UnknownReference, "not in the collection"),
        (HIGHLIGHTS, "random", {"seed": -1}, InputError, "expected 0 or more"),
        (HIGHLIGHTS, "random", {"max_results": 0}, InputError, "1 or more"),
    ]
    for assessments, system, options, error, message in refused:
        with pytest.raises(error, match=message):
            simulate(assessments, collection, system, **options)
    for quant in (None, "spec", "gen", "strict5"):
        assert not len(simulate(nothing, collection, "ancestors", quant=quant))
