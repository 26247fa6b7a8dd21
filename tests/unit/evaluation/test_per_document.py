"""The scores of single documents that measures in context average."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brute_force.in_context import _scored
from brute_force.numbers import quotient
from brute_force.scenarios import near
from brute_force.scene import Scene
from doxeval.assessments import Assessments, Judgment
from doxeval.errors import InputError
from doxeval.evaluation import Evaluation, Keep, RunOptions, evaluate
from doxeval.runs import Kind, Result, Run
from doxeval.scores import DocumentRow
from making import passage, point
from strategies import World, worlds

# Of a 50 relevant characters in 100 returned and 200; b not judged; c has other relevant text.
JUDGED = [
    Judgment("7", "a", ((0, 200),), 40, 1000),
    Judgment("7", "c", ((300, 400),), None, 1000),
    Judgment("8", "a", ((0, 10),), 0, 1000),
    Judgment("9", "a"),
]
RESULTS = [
    passage("a", 150, 220),
    passage("b", 0, 80),
    passage("a", 200, 250),
    passage("c", 0, 50),
    passage("a", 0, 10, topic="8"),
    passage("a", 5, 6, topic="9"),
]

KEEP = Keep(per_document=True)


def rows(
    names: Any, results: Any = RESULTS, keep: Keep = KEEP, **options: Any
) -> list[DocumentRow]:
    table = evaluate(
        Run.from_results(results, "mine"), Assessments(JUDGED), names, keep=keep, **options
    )
    return list(table.document_rows())


def test_documents_by_f() -> None:
    """By hand; the results of a are read as one range of 100 characters."""
    f = 2 * 0.5 * 0.25 / 0.75
    found = rows("MAgP")
    assert found == [
        ("mine", "7", "a", 1, "F(beta=1)", pytest.approx(f), 0.5, 0.25, None, 100, 50, 200),
        ("mine", "7", "b", 2, "F(beta=1)", 0, 0, 0, None, 80, 0, 0),
        ("mine", "7", "c", 3, "F(beta=1)", 0, 0, 0, None, 50, 0, 100),
        ("mine", "8", "a", 1, "F(beta=1)", 1, 1, 1, None, 10, 10, 10),
        ("mine", "9", "a", 1, "F(beta=1)", 0, 0, 0, None, 1, 0, 0),
    ]
    assert type(found[0].retrieved) is int


def test_documents_by_entry_point() -> None:
    """By hand; only the first result of a counts, 110 characters from the best entry point."""
    results = [point("a", 150), point("a", 40), point("b", 3), point("c", 0)]
    by = "bep(n=500)"
    assert rows("gP@3(score=bep)", results) == [
        ("mine", "7", "a", 1, by, 390 / 500, None, None, 110, None, None, 200),
        ("mine", "7", "b", 2, by, 0, None, None, None, None, None, 0),
        ("mine", "7", "c", 3, by, 0, None, None, None, None, None, 100),
    ]


def test_documents_by_tolerance_to_irrelevance() -> None:
    """By hand: of a, 50 relevant characters, then 50 others, then 150 relevant, then 50 others."""
    (found,) = rows("MAgP(score=t2i,irr=100)", RESULTS[:1] + RESULTS[2:3])
    assert (found.scored_by, found.score) == ("t2i(irr=100)", 200 / 300)
    assert (found.precision, found.recall, found.retrieved) == (0.5, 0.25, 100)


def test_each_way_of_scoring_has_its_rows_once() -> None:
    names = ["MAgP", "gP@5", "MAgP(beta=.25)", "gP@10(score=t2i)", "gR@5", "MAiP"]
    found = rows(names)
    ways = dict.fromkeys(row.scored_by for row in found)
    assert list(ways) == ["F(beta=1)", "F(beta=0.25)", "t2i(irr=300)"]
    assert len(found) == 3 * 5
    assert rows(names, keep=Keep()) == []


@pytest.mark.parametrize("names", [["MAiP"], ["gR@5", "cP@3"]])
def test_there_must_be_a_measure_that_scores_documents(names: list[str]) -> None:
    with pytest.raises(InputError, match="per_document=True needs a measure that averages scores"):
        Evaluation(Assessments(JUDGED), names, keep=KEEP)


def test_documents_are_the_same_values_and_as_frames() -> None:
    runs = [Run.from_results(RESULTS, "one"), Run.from_results(RESULTS[:2], "two")]
    evaluation = Evaluation(Assessments(JUDGED), "MAgP", keep=KEEP)
    here, there = evaluation.score_all(runs), evaluation.score_all(runs)
    assert here == there
    (one,) = here.runs[0].documents
    assert one == pickle.loads(pickle.dumps(one))  # made on this line
    assert one != here.runs[1].documents[0]
    assert hash(one) == hash(there.runs[0].documents[0])
    expected = [tuple(row) for row in here.document_rows()]
    frame = here.document_frame("polars")
    assert frame.rows() == expected
    by_pandas = here.document_frame("pandas")
    assert list(by_pandas.columns) == list(DocumentRow._fields)
    assert by_pandas["retrieved"].tolist() == [row.retrieved for row in here.document_rows()]
    assert by_pandas["distance"].isna().all()
    assert list(here.only(runs="two").document_rows()) == [
        row for row in here.document_rows() if row.run == "two"
    ]


def test_what_does_not_resolve_is_no_text_of_its_document() -> None:
    results = [Result("7", "a", Kind.PASSAGE, 900, 1100), passage("a", 100, 300)]
    (found,) = rows("MAgP", results, run_options=RunOptions(unresolved="irrelevant"))
    assert (found.rank, found.retrieved, found.relevant_retrieved) == (1, 200, 100)


WAYS = {
    "F(beta=0.25)": {"score": "F", "beta": 0.25},
    "t2i(irr=3)": {"score": "t2i", "irr": 3},
    "bep(n=4)": {"score": "bep", "n": 4},
}


@given(worlds(), st.sampled_from(["elements", "passages"]))
def test_documents_by_brute_force(world: World, what: str) -> None:
    assume(any(j.best_entry_point is not None for j in world.judgments))
    results = getattr(world, what)
    options = [",".join(f"{name}={value}" for name, value in way.items()) for way in WAYS.values()]
    table = evaluate(
        Run.from_results(results, "mine"),
        world.assessments(),
        [f"MAgP({one})" for one in options],
        collection=world.collection(),
        keep=KEEP,
    )
    found = list(table.document_rows())
    expected: list[tuple[Any, ...]] = []
    for scored_by, way in WAYS.items():
        judged = [*(judgment.topic for judgment in world.judgments), *dict(world.answers)]
        for topic in dict.fromkeys(judged):
            expected += by_hand(Scene(world, topic, results), topic, scored_by, way)
    assert [tuple(row) for row in found] == expected


def by_hand(scene: Scene, topic: str, scored_by: str, way: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a topic, from sets of characters."""
    values = {"beta": Fraction(way.get("beta", 1)), "n": way.get("n", 1), "irr": way.get("irr", 1)}
    scores = [score for _, score in _scored(scene, way["score"], **values)]
    found = []
    for rank, (document, units) in enumerate(scene.documents.items(), 1):
        relevant = {at for at in scene.highlighted if at[0] == document}
        returned = {at for unit in units for at in unit.characters}
        both = len(relevant & returned)
        precision, recall = near(quotient(both, len(returned))), near(quotient(both, len(relevant)))
        by_text = (precision, recall, None, len(returned), both, len(relevant))
        distance = None
        if document in scene.entries:
            distance = abs(units[0].start - scene.entries[document])
        by_entry = (None, None, distance, None, None, len(relevant))
        numbers = by_entry if way["score"] == "bep" else by_text
        score = near(scores[rank - 1])
        found.append(("mine", topic, document, rank, scored_by, score, *numbers))
    return found
