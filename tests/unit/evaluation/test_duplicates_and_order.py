"""Duplicates, the order of the ranking, and ranks beyond the end of a list."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.evaluation import Keep, RunOptions, evaluate
from doxeval.runs import Kind, Result, Run
from making import close, elements, graded, passage, paths, scored
from small_world import DOCUMENTS, HIGHLIGHTED

KEEPING = RunOptions(duplicates="keep")


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
    with_duplicates = evaluate(Run.from_results(results), Assessments(judged), names, **world)
    without = evaluate(Run.from_results(once), Assessments(judged), names, **world)
    assert with_duplicates.topics() == without.topics()
    what = "1 duplicate was" if count == 1 else f"{count} duplicates were"
    told = f"{what} left out, the first on line 2"
    assert with_duplicates.runs[0].warnings == (told, *without.runs[0].warnings)
    assert all(" documents" in one for one in without.runs[0].warnings), "of P, R and AP"


@pytest.mark.parametrize(
    "results",
    [
        [Result("7", "a", Kind.POINT, start) for start in (0, 4, 4)],
        [Result("7", "a", Kind.SPANS, spans=((0, 2), (4, end))) for end in (6, 7, 7)],
    ],
    ids=["entry points", "several spans"],
)
def test_results_of_one_document_are_duplicates_only_where_they_are_the_same(
    results: list[Result],
) -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    table = evaluate(
        Run.from_results(results), judged, "P@2", collection=example_collection(DOCUMENTS)
    )
    assert "1 duplicate was left out, the first on line 3" in table.runs[0].warnings


@pytest.mark.parametrize(
    ("repeats", "words"),
    [
        (1, "1 duplicate counts as read by measures that keep them and is left out by the others"),
        (2, "2 duplicates count as read by measures that keep them and are left out by the others"),
    ],
)
def test_measures_that_treat_duplicates_differently_are_told_apart(
    repeats: int, words: str
) -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),), document_length=18)])
    run = Run.from_results([passage("a", 0, 4)] * (repeats + 1))
    table = evaluate(run, judged, ["bR@10(unit=characters)", "cP@2"])
    (warning,) = table.runs[0].warnings
    assert warning.startswith(f"{words}, the first on line 2")


# a is <a><s><p>1234</p><p>5678</p></s><s>1234567890</s></a>; its first eight characters count.
KEPT: dict[str, float] = {
    # Ranks 1 and 3 have gains; the repeat at rank 2 has none.
    "nxCG@2(base=full)": 1 / 2,
    "nxCG@3(base=full)": 2 / 3,
    "P@2": 1 / 2,
    "AP": 1,
    # Of 4 + 4 + 4 characters, 8 are relevant and new.
    "cP@2": 4 / 8,
    "cP@3": 8 / 12,
    "cR@2": 4 / 8,
    "cR@3": 1,
    "cP@2(alpha=1)": 1,
    "cR@2(alpha=1)": 1,
    "cP@2(resize=new)": 1,
    "ng(overlap=o,quant=spec,unretrieved=zero)": 1,
    # At rank 3, half of the 12 characters count twice: 8 of 12; rank 1 reaches half at 1.
    "ng(overlap=s,quant=spec,unretrieved=zero)": (50 + 50 * 8 / 12) / 100,
    "MAgP": 1,
    "ESRP@2(assessed=full,nav=none)": 1 / 2,
    "ESRP@3(assessed=full,nav=none)": 2 / 3,
    "SRiP@3(assessed=full,nav=none,rel=length)": 8 / 12,
    "ERRU@2(unit=characters)": (4 / 8) ** 0.75,
    "PRUM[1](targets=ideal)": 0,
}


@pytest.mark.parametrize("name", KEPT)
def test_duplicates_that_are_kept(name: str) -> None:
    """By hand: the first paragraph twice, then the second."""
    run = Run.from_results(paths("/a[1]/s[1]/p[1]", "/a/s/p", "/a[1]/s[1]/p[2]"))
    options: dict[str, Any] = {
        "collection": example_collection(DOCUMENTS),
        "run_options": KEEPING,
    }
    table = evaluate(run, Assessments(HIGHLIGHTED), [name], **options)
    assert table["run"][name] == pytest.approx(KEPT[name])
    assert table.runs[0].warnings == (
        "1 duplicate keeps its rank without gain, the first on line 2",
    )


def test_two_values_never_have_one_name() -> None:
    """The name of a measure says what is done with duplicates where it does not do so by itself."""
    judged = Assessments([Judgment("7", "a", ((0, 10),), document_length=20)])
    run = Run.from_results([passage("a", 0, 20), passage("a", 0, 20)])
    measures = ["cP@5", "cP@5(alpha=0.5)", "read@5"]
    by_itself = evaluate(run, judged, measures)
    assert by_itself.mean()["run"] == {"cP@5": 0.5, "cP@5(alpha=0.5)": 0.5, "read@5": 40}
    kept = evaluate(run, judged, measures, run_options=KEEPING, keep=Keep(curves=True))
    assert kept.mean()["run"] == {
        "cP@5(duplicates=keep)": 0.25,
        "cP@5(alpha=0.5,duplicates=keep)": 0.375,
        "read@5": 40,
    }
    assert kept["run"]["cP@5"] == 0.25, "under the name that was asked for, too"
    assert kept.measures[0].canonical == "cP@5(alpha=0,resize=full,duplicates=keep)"
    assert kept.measures[0].measure == by_itself.measures[0].canonical
    dropped = evaluate(run, judged, measures, run_options=RunOptions(duplicates="drop"))
    assert dropped.labels == ("cP@5", "cP@5(alpha=0.5)", "read@5(duplicates=drop)")
    of_preset = evaluate(run, judged, presets="rag")
    assert of_preset["run"]["cP@5"] == 0.25
    assert of_preset.labels[-3:] == ("cP@5(duplicates=keep)", "Red@5", "read@5")


def test_curves_go_by_the_names_of_their_measures() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 10),), document_length=20)])
    run = Run.from_results([passage("a", 0, 20), passage("a", 0, 20)])
    table = evaluate(
        run,
        judged,
        ["MAiP", "bR@9"],
        run_options=KEEPING,
        keep=Keep(curves=True),
    )
    assert [curve.label for curve in table.runs[0].curves] == list(table.labels)
    assert len(table.only(measures="MAiP").runs[0].curves) == 1


def test_without_a_collection_repeats_gain_nothing_either() -> None:
    judged = graded({"a": 1, "b": 0.5})
    run = elements("aab")
    name = "nxCG@2(base=full,quant=gen)"
    assert scored(run, judged, name) == close(1)
    assert scored(run, judged, name, run_options=KEEPING) == close(1 / 1.5)


def test_the_rest_of_a_collection_does_not_shrink_by_repeats() -> None:
    """By hand: of five elements one is found, twice; the last level has the other four."""
    run = paths("/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[1]")
    collection = example_collection({"a": DOCUMENTS["a"]})
    elements_in_all = 5
    found = scored(run, HIGHLIGHTED, "inex_eval", collection=collection, run_options=KEEPING)
    n = 3 + 8 / 18  # both paragraphs, the section around them, and 8/18 of the article
    missing = n - 1
    rest = elements_in_all - 1 - missing

    def precision(x: float) -> float:
        if x * n <= 1:
            return 1.0
        effort = 1 + (x * n - 1) * rest / (missing + 1)
        return x * n / (x * n + effort)

    assert found == close(sum(precision(x / 100) for x in range(1, 101)) / 100)


def test_ties_count_repeats_too() -> None:
    """By hand: a, its repeat and b share one level, where r = 1.5 and i = 1.5."""
    run = [one._replace(score=1.0) for one in elements("aab")]
    judged = graded({"a": 1, "b": 0.5})
    (found,) = scored(run, judged, "inex_eval(quant=gen)", order="rsv", run_options=KEEPING)
    assert found == pytest.approx(1 / (1 + 1.5 / 2.5))


def test_what_is_alike_but_not_the_same_stays() -> None:
    """The same in another topic or document; an element and its only child; another kind."""
    document = "<a><s>12345678</s></a>"
    collection = example_collection({"a": document, "b": document})
    judged = Assessments([Judgment(topic, "a", ((0, 8),)) for topic in ("7", "8")])
    results = [*paths("/a[1]", "/a[1]/s[1]"), passage("a", 0, 8), passage("b", 0, 8)]
    results += [one._replace(topic="8") for one in results]
    table = evaluate(Run.from_results(results), judged, ["cP@4(alpha=1)"], collection=collection)
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


# Tied scores


def tied(*listed: tuple[str, str, float | None], name: str = "AP", **options: Any) -> list[str]:
    """Warnings about ties in a run of topics, documents and scores, ranked as listed."""
    results = [
        Result(topic, document, rank=rank, score=score)
        for rank, (topic, document, score) in enumerate(listed, 1)
    ]
    judged = Assessments.from_dict({"7": {"a": 1, "b": 0}, "8": {"a": 1}})
    table = evaluate(Run.from_results(results), judged, name, **options)
    return [warning for warning in table.runs[0].warnings if "share their score" in warning]


@pytest.mark.parametrize("name", ["AP", "P@5", "R@10"])
@pytest.mark.parametrize(
    ("order", "how"), [("list", "as listed"), ("rank", "by their ranks"), ("rsv", "as listed")]
)
def test_tied_scores_of_documents_are_warned_about_once(order: str, how: str, name: str) -> None:
    """Two ties of two in topic 7, one of them not side by side, and one of three in topic 8."""
    run = [("7", "a", 0.9), ("7", "b", 0.5), ("7", "c", 0.9), ("7", "d", 0.5), ("7", "e", 0.1)]
    run += [("8", document, 0.1) for document in "abc"]
    run += [("not assessed", document, 0.1) for document in "abc"]
    assert tied(*run, name=name, order=order) == [
        f"7 documents in 2 topics share their score with another one: they are ranked {how}, "
        "trec_eval would rank them by document id"
    ]


def test_scores_are_tied_only_within_a_topic_and_between_documents() -> None:
    assert tied(("7", "a", 0.9), ("7", "b", 0.5), ("8", "a", 0.5)) == []
    assert tied(("7", "a", None), ("7", "b", None)) == []
    judged = Assessments([Judgment("7", "a", ((0, 8),), document_length=18)])
    for documents, name, is_told in (
        ("aa", "AP", False),
        ("ab", "cP@5", False),
        ("ab", "AP", True),
    ):
        parts = [passage(document, at, at + 4) for at, document in enumerate(documents)]
        run = Run.from_results([part._replace(score=0.5) for part in parts])
        told = evaluate(run, judged, name).runs[0].warnings
        assert any("share their score" in warning for warning in told) == is_told
