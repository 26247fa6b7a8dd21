"""Duplicates, the order of the ranking, and ranks beyond the end of a list."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents.examples import example_collection
from doxeval.evaluation import evaluate
from doxeval.runs.builder import run_of
from doxeval.runs.run import Kind, Result
from making import close, passage, paths, scored
from small_world import DOCUMENTS


@pytest.mark.parametrize(
    ("results", "count"),
    [
        ([passage("a", 0, 4), passage("a", 0, 4), passage("a", 4, 8)], 1),
        ([passage("a", 0, 4), passage("a", 0, 4), passage("a", 0, 4), passage("a", 4, 8)], 2),
        ([*paths("/a[1]/s[1]/p[1]", "/a/s/p", "/a[1]/s/p[2]")], 1),
        ([Result("7", "a"), *paths("/a[1]", "/a"), Result("7", "b")], 2),
    ],
    ids=["a range", "a range twice", "an element in two spellings", "a document is its root"],
)
@pytest.mark.parametrize("with_collection", [True, False])
def test_duplicates_leave_and_ranks_close(
    results: list[Result], count: int, with_collection: bool
) -> None:
    length = None if with_collection else 18
    judged = [Judgment("7", name, ((0, 8),), document_length=length) for name in "ab"]
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)} if with_collection else {}
    names = ["P@2", "R@2", "AP"]
    if with_collection or results[0].kind == Kind.PASSAGE:
        names += ["cR@2", "cP@2", "MAiP"]
    once = [results[0], results[-1]]
    with_duplicates = evaluate(run_of(results), Assessments(judged), names, **world)
    without = evaluate(run_of(once), Assessments(judged), names, **world)
    assert with_duplicates.topics() == without.topics()
    (told,) = with_duplicates.runs[0].warnings
    what = "1 duplicate was" if count == 1 else f"{count} duplicates were"
    assert told == f"{what} left out, the first on line 2"
    assert without.runs[0].warnings == ()


def test_what_is_alike_but_not_the_same_stays() -> None:
    """The same in another topic or document; an element and its only child; another kind."""
    document = "<a><s>12345678</s></a>"
    collection = example_collection({"a": document, "b": document})
    judged = Assessments([Judgment(topic, "a", ((0, 8),)) for topic in ("7", "8")])
    results = [*paths("/a[1]", "/a[1]/s[1]"), passage("a", 0, 8), passage("b", 0, 8)]
    results += [one._replace(topic="8") for one in results]
    table = evaluate(run_of(results), judged, ["cP@4(alpha=1)"], collection=collection)
    assert table.runs[0].warnings == ()
    assert table.mean()["run"] == {"cP@4(alpha=1)": 3 / 4}


def test_ranks_beyond_the_list_gain_nothing() -> None:
    """By hand: one relevant result; shares of ranks fall, sums stay as they are."""
    judged = [Judgment("7", "a", ((0, 50),), 0, 100)]
    names = ["P@4", "R@4", "gP@4", "gR@4", "cP@4", "cR@4", "EPRUM@4(L=9)"]
    found = scored([passage("a", 0, 50)], judged, *names)
    assert found == close(1 / 4, 1, 1 / 4, 1, 1, 1, 1 / 4)


def test_orders() -> None:
    """By hand: the list ranks a first, the ranks b, the scores c."""
    judged = [Judgment("7", name, ((0, 50),), document_length=100) for name in "bc"]
    columns = {"a": (3, 0.2), "b": (1, 0.1), "c": (2, 0.9)}
    run = [
        Result("7", name, Kind.PASSAGE, 0, 100 if name == "c" else 50, (), rank, score)
        for name, (rank, score) in columns.items()
    ]
    for order, printed in (("list", 0), ("rank", 1), ("rsv", 0.5)):
        assert scored(run, judged, "cP@1", order=order) == close(printed)
