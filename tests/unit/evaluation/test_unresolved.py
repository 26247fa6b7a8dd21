"""References and judgments that do not fit the collection."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import InputError, UnknownReference
from doxeval.evaluation import RunOptions, evaluate
from doxeval.runs import Result, Run
from making import close, passage, paths, point, scored
from small_world import DOCUMENTS, HIGHLIGHTED

UNRESOLVED = [*paths("/a[1]/s[9]"), *paths("/a[1]", document="nowhere"), *paths("/a[1]/s[1]")]


def test_references_that_name_nothing_are_an_error_that_lists_them() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)}
    with pytest.raises(UnknownReference) as told:
        evaluate(Run.from_results(UNRESOLVED), judged, ["cP@1"], **world)
    lines = str(told.value).splitlines()
    assert lines[0].startswith("2 results do not resolve")
    assert [line.strip()[:2] for line in lines[1:]] == ["1:", "2:"]
    assert "/a[1]/s[9]" in lines[1] and "'nowhere'" in lines[2]


def test_a_long_list_of_such_references_ends() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    run = Run.from_results(paths(*(f"/a[1]/s[{n}]" for n in range(10, 60))))
    with pytest.raises(UnknownReference, match="50 results do not resolve") as told:
        evaluate(run, judged, ["cP@1"], collection=example_collection(DOCUMENTS))
    assert str(told.value).splitlines()[-1].strip() == "… and 30 more"


def test_such_references_can_stay_at_their_ranks() -> None:
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {
        "collection": example_collection(DOCUMENTS),
        "run_options": RunOptions(unresolved="irrelevant"),
    }
    names = ("nxCG@2", "nxCG@3", "cR@3", "cP@3")
    assert scored(UNRESOLVED, judged, *names, **world) == close(0, 1, 1, 1)
    table = evaluate(Run.from_results(UNRESOLVED), Assessments(judged), ["cP@3"], **world)
    (told,) = table.runs[0].warnings
    assert told.startswith("2 results do not resolve and count as not relevant; the first: 1: ")


def test_several_such_references_in_one_document_each_keep_their_rank() -> None:
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {
        "collection": example_collection(DOCUMENTS),
        "run_options": RunOptions(unresolved="irrelevant"),
    }
    run = paths("/a[1]/s[8]", "/a[1]/s[9]", "/a[1]/s[1]")
    assert scored(run, judged, "nxCG@2", "nxCG@3", **world) == close(0, 1)


@pytest.mark.parametrize("with_collection", [True, False])
def test_ranges_beyond_the_end_count_with_their_stated_size(with_collection: bool) -> None:
    """By hand: 8 relevant of 8 + 20 + 20; unresolved results are not duplicates of each other."""
    judged = [Judgment("7", "a", ((0, 8),), document_length=18)]
    run = [passage("a", 10, 30), passage("a", 0, 8), passage("a", 100, 120)]
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)} if with_collection else {}
    with pytest.raises(UnknownReference, match=r"2 results do not resolve"):
        scored(run, judged, "cP@3", **world)
    kept = {"run_options": RunOptions(unresolved="irrelevant")}
    assert scored(run, judged, "cP@3", "cP@2", **kept, **world) == close(8 / 48, 8 / 28)


@pytest.mark.parametrize("with_collection", [True, False])
def test_an_entry_point_beyond_the_end_is_told_as_an_offset(with_collection: bool) -> None:
    """It is reported as an offset, not as a range."""
    judged = [Judgment("7", "a", ((0, 8),), 0, document_length=18)]
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)} if with_collection else {}
    with pytest.raises(UnknownReference, match="offset 99 is not inside"):
        scored([point("a", 99)], judged, "BEPD(L=9)", **world)


@pytest.mark.parametrize(
    "judgment",
    [
        Judgment("7", "nowhere", ((0, 8),)),
        Judgment("7", "a", ((0, 999),)),
        Judgment("7", "a", ((0, 8),), document_length=999),
    ],
    ids=["no such document", "beyond the end", "another length"],
)
@pytest.mark.parametrize("name", ["cP@1", "nxCG@1", "MAgP"])
def test_judgments_that_do_not_fit_the_collection_are_an_error(
    judgment: Judgment, name: str
) -> None:
    with pytest.raises(InputError):
        scored(paths("/a[1]"), [judgment], name, collection=example_collection(DOCUMENTS))


def test_lengths_come_from_the_collection() -> None:
    collection = example_collection(DOCUMENTS)
    found = scored([passage("a", 0, 8)], HIGHLIGHTED, "MAgP(score=t2i)", collection=collection)
    assert found == close(8 / 18)


def test_a_bad_reference_does_not_make_its_article_irrelevant() -> None:
    collection = example_collection({"a": "<a><s>12345</s><s>67890</s></a>", "b": "<a>x</a>"})
    judged = Assessments([Judgment("7", "a", ((0, 5),), 0)])
    run = Run.from_results([*paths("/a[1]/s[9]", "/a[1]/s[1]"), Result("7", "b")], "run")
    names = ["AP", "gR@1", "MAgP", "MAgP(score=bep)"]
    table = evaluate(
        run, judged, names, collection=collection, run_options=RunOptions(unresolved="irrelevant")
    )
    assert table.mean()["run"] == dict.fromkeys(names, 1.0)
