"""What evaluate does with topics, duplicates, bad references, missing inputs and several runs."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.documents.examples import example_collection
from doxeval.errors import InputError, MissingInput, SyntaxProblem, UnknownReference
from doxeval.evaluation import evaluate
from doxeval.measures import iP
from doxeval.measures.base import Measure
from doxeval.measures.esr_model import Esr
from doxeval.measures.registry import MEASURES, measure_named
from doxeval.runs.builder import run_of
from doxeval.runs.run import Kind, Result, Run
from doxeval.scores import ScoreTable
from making import close, elements, graded, passage, paths, point, scored

# Topics

DOCUMENTS = {
    "a": "<a><s><p>1234</p><p>5678</p></s><s>1234567890</s></a>",
    "b": "<a><s>1234567890</s></a>",
    "c": "<a><s>1234567890</s></a>",
}


def for_highlights(kind: type[Measure]) -> str:
    """A measure with its defaults, but for the quantisation, which highlighted text decides."""
    has_quantisation = any(spec.name == "quant" for spec in fields(kind))
    return str(kind(quant="spec") if has_quantisation else kind())  # type: ignore[call-arg]


ALL_MEASURES = [for_highlights(kind) for kind in MEASURES.values()]


def relevant(topic: str, document: str) -> Judgment:
    return Judgment(topic, document, ((0, 8),), best_entry_point=0)


def whole(topic: str, *documents: str) -> list[Result]:
    return [Result(topic, document) for document in documents]


def scores_by_all_measures(judgments: list[Judgment], results: list[Result]) -> ScoreTable:
    collection = example_collection(DOCUMENTS)
    return evaluate(run_of(results), Assessments(judgments), ALL_MEASURES, collection=collection)


def scores_an_empty_list(measure: Measure) -> bool:
    return isinstance(measure, Esr) and measure.empty(1.0) > 0


def test_a_topic_without_results_scores_nothing_by_any_measure() -> None:
    judged = [relevant("7", "a"), relevant("8", "a")]
    scores = scores_by_all_measures(judged, whole("7", "a")).topics()["run"]
    # By some ESR measures an empty list leaves everything to be gained; they say so themselves.
    unserved = {name for name in ALL_MEASURES if scores_an_empty_list(measure_named(name))}
    growing = [name for name in ALL_MEASURES if name not in unserved]
    assert {name: scores["8"][name] for name in growing} == dict.fromkeys(growing, 0.0)
    assert unserved and all(scores["8"][name] for name in unserved)
    assert scores["7"] != scores["8"]


def test_a_topic_without_anything_relevant_is_undefined_by_every_measure() -> None:
    judged = [relevant("7", "a"), Judgment("8", "a"), Judgment("9", "b")]
    table = scores_by_all_measures(judged, [*whole("7", "a"), *whole("8", "a")])
    scores = table.topics()["run"]
    undefined = {name: ["8", "9"] for name in ALL_MEASURES}
    assert scores["8"] == scores["9"] == dict.fromkeys(ALL_MEASURES)
    assert table.undefined() == {"run": undefined}
    assert table.mean()["run"] == scores["7"]
    assert table.to_dict()["runs"][0]["undefined"] == undefined


def test_a_mean_over_nothing_is_none() -> None:
    table = scores_by_all_measures([Judgment("8", "a")], whole("8", "a"))
    assert table.mean()["run"] == dict.fromkeys(ALL_MEASURES)


def test_an_empty_strict_base_is_undefined_where_another_is_not() -> None:
    judged = [*graded({"a": 0.75}), *graded({"a": 1}, "8")]
    run = [*elements("a"), *(one._replace(topic="8") for one in elements("a"))]
    names = ["MAep(quant=strict)", "MAep(quant=gen)", "inex_eval(quant=strict)"]
    table = evaluate(run_of(run), Assessments(judged), names)
    assert table.undefined() == {"run": {names[0]: ["7"], names[2]: ["7"]}}
    assert table.topics()["run"]["7"] == {names[0]: None, names[1]: 1.0, names[2]: None}
    assert table.mean()["run"] == dict.fromkeys(names, 1.0)


HIGHLIGHTED = [Judgment("7", "a", ((0, 8),))]
TWO_TOPICS = [Judgment(topic, "a", ((0, 50),), 0, 100) for topic in ("7", "8")]


def test_topics_with_results_alone() -> None:
    run = run_of([passage("a", 0, 100)])
    assessed = evaluate(run, Assessments(TWO_TOPICS), ["cP@1"])
    retrieved = evaluate(run, Assessments(TWO_TOPICS), ["cP@1"], average_over="retrieved")
    assert assessed.topics() == {"run": {"7": {"cP@1": 0.5}, "8": {"cP@1": 0.0}}}
    assert retrieved.topics() == {"run": {"7": {"cP@1": 0.5}}}
    assert assessed.mean() == {"run": {"cP@1": 0.25}}
    assert retrieved.mean() == {"run": {"cP@1": 0.5}}


def test_a_topic_without_results_is_not_undefined_when_it_does_not_count() -> None:
    judged = [TWO_TOPICS[0], Judgment("9", "a")]
    run = run_of([passage("a", 0, 100)])
    counted = evaluate(run, Assessments(judged), ["cP@1"], average_over="retrieved")
    assert counted.undefined() == {}
    assert evaluate(run, Assessments(judged), ["cP@1"]).undefined() == {"run": {"cP@1": ["9"]}}


def test_topics_that_were_not_assessed_are_ignored_with_a_warning() -> None:
    mine, other = passage("a", 0, 100), passage("a", 0, 50, "99")
    alone = evaluate(run_of([mine]), Assessments(TWO_TOPICS), ["cP@1"])
    table = evaluate(run_of([other, mine, other]), Assessments(TWO_TOPICS), ["cP@1"])
    assert table.topics() == alone.topics()
    missing = "no results for 1 of 2 assessed topics, which count as empty lists: 8"
    assert alone.runs[0].warnings == (missing,)
    assert table.runs[0].warnings[0] == "1 topic of the run is not assessed and is ignored: 99"
    more = evaluate(run_of([other, passage("a", 0, 9, "100")]), Assessments(TWO_TOPICS), ["cP@1"])
    assert more.runs[0].warnings == (
        "2 topics of the run are not assessed and are ignored: 99, 100",
        "no results for 2 of 2 assessed topics, which count as empty lists: 7, 8",
    )
    assert more.mean() == {"run": {"cP@1": 0.0}}


def test_a_topic_in_separate_blocks_is_one_list_with_a_warning() -> None:
    blocks = [passage("a", 0, 50), passage("a", 0, 50, "8"), passage("b", 0, 50)]
    table = evaluate(run_of(blocks), Assessments(TWO_TOPICS), ["cP@2"])
    assert table.topics()["run"]["7"] == {"cP@2": 0.5}
    assert table.runs[0].warnings == ("topics in several separate blocks: 7",)


# Duplicates and the ends of lists


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


# References that name nothing


UNRESOLVED = [*paths("/a[1]/s[9]"), *paths("/a[1]", document="nowhere"), *paths("/a[1]/s[1]")]


def test_references_that_name_nothing_are_an_error_that_lists_them() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)}
    with pytest.raises(UnknownReference) as told:
        evaluate(run_of(UNRESOLVED), judged, ["cP@1"], **world)
    lines = str(told.value).splitlines()
    assert lines[0].startswith("2 results do not resolve")
    assert [line.strip()[:2] for line in lines[1:]] == ["1:", "2:"]
    assert "/a[1]/s[9]" in lines[1] and "'nowhere'" in lines[2]


def test_a_long_list_of_such_references_ends() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 8),))])
    run = run_of(paths(*(f"/a[1]/s[{n}]" for n in range(10, 60))))
    with pytest.raises(UnknownReference, match="50 results do not resolve") as told:
        evaluate(run, judged, ["cP@1"], collection=example_collection(DOCUMENTS))
    assert str(told.value).splitlines()[-1].strip() == "… and 30 more"


def test_such_references_can_stay_at_their_ranks() -> None:
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {
        "collection": example_collection(DOCUMENTS),
        "unresolved": "irrelevant",
    }
    names = ("nxCG@2", "nxCG@3", "cR@3", "cP@3")
    assert scored(UNRESOLVED, judged, *names, **world) == close(0, 1, 1, 1)
    table = evaluate(run_of(UNRESOLVED), Assessments(judged), ["cP@3"], **world)
    (told,) = table.runs[0].warnings
    assert told.startswith("2 results do not resolve and count as not relevant; the first: 1: ")


def test_several_such_references_in_one_document_each_keep_their_rank() -> None:
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {
        "collection": example_collection(DOCUMENTS),
        "unresolved": "irrelevant",
    }
    run = paths("/a[1]/s[8]", "/a[1]/s[9]", "/a[1]/s[1]")
    assert scored(run, judged, "nxCG@2", "nxCG@3", **world) == close(0, 1)


@pytest.mark.parametrize("with_collection", [True, False])
def test_ranges_beyond_the_end_count_with_their_stated_size(with_collection: bool) -> None:
    """By hand: 8 relevant of 8 + 20 + 20. With a collection one is lost as a duplicate (fails)."""
    judged = [Judgment("7", "a", ((0, 8),), document_length=18)]
    run = [passage("a", 10, 30), passage("a", 0, 8), passage("a", 100, 120)]
    world: dict[str, Any] = {"collection": example_collection(DOCUMENTS)} if with_collection else {}
    with pytest.raises(UnknownReference, match=r"2 results do not resolve"):
        scored(run, judged, "cP@3", **world)
    kept = {"unresolved": "irrelevant"}
    assert scored(run, judged, "cP@3", "cP@2", **kept, **world) == close(8 / 48, 8 / 28)


@pytest.mark.parametrize("with_collection", [True, False])
def test_an_entry_point_beyond_the_end_is_told_as_an_offset(with_collection: bool) -> None:
    """Without a collection it fails: it is told as a range that ends at -1."""
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


# What is missing is told


@pytest.mark.parametrize(
    ("results", "name", "message"),
    [
        ([passage("a", 0, 4)], "nxCG@1", "nxCG@1 is about elements, and run returns passages"),
        ([passage("a", 0, 4)], "inex_eval", "is about elements, and run returns passages"),
        ([passage("a", 0, 4)], "ng(quant=spec)", "is about elements, and run returns passages"),
        ([passage("a", 0, 4)], "ERRU@1", "is about elements, and run returns passages"),
        ([point("a", 0)], "MAep", "is about elements, and run returns entry points"),
        ([point("a", 0)], "cP@1", "cP@1 is about passages of text, and run returns entry points"),
        ([point("a", 0)], "MAiP", "is about passages of text, and run returns entry points"),
        ([point("a", 0)], "MAgP", "is about passages of text, and run returns entry points"),
        (
            [Result("7", "a", Kind.TREE, paths=("/a[1]/s[1]", "/a[1]/s[2]"))],
            "cP@1",
            "is about passages of text, and run returns trees",
        ),
        (
            [passage("a", 0, 4), point("a", 0)],
            "nxCG@1",
            "is about elements, and run returns passages and entry points",
        ),
    ],
)
def test_results_of_the_wrong_kind_are_refused(
    results: list[Result], name: str, message: str
) -> None:
    collection = example_collection(DOCUMENTS)
    with pytest.raises(MissingInput) as told:
        scored(results, HIGHLIGHTED, name, collection=collection)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("judged", "name", "message"),
    [
        (HIGHLIGHTED, "ERRU@1", "ERRU@1 needs a collection, which knows the sizes of elements"),
        (HIGHLIGHTED, "ng(quant=spec)", "needs a collection, which knows the sizes of elements"),
        (HIGHLIGHTED, "nxCG@1", "known to the collection alone"),
        (HIGHLIGHTED, "nxCG@1(quant=gen)", "highlighted text takes quant=spec"),
        (HIGHLIGHTED, "nxCG@1(quant=gen5)", "no exhaustivity as 2005 graded it"),
        (HIGHLIGHTED, "BEPD(L=9)", "BEPD(L=9) needs best entry points"),
        (HIGHLIGHTED, "EPRUM(L=9)", "needs best entry points"),
        (HIGHLIGHTED, "MAgP(score=bep)", "needs best entry points"),
        (HIGHLIGHTED, "cP@1", "where the results of run begin and end: give the collection"),
        (TWO_TOPICS, "BEPD", "BEPD needs the mean length of a document: a collection, or L=…"),
        (TWO_TOPICS, "BEPD(L=9)", "where the results of run begin and end: give the collection"),
        (graded({"a": 1}), "cP@1", "cP@1 needs highlighted text"),
        (graded({"a": 1}), "MAgP", "needs highlighted text"),
        (graded({"a": 1}), "nxCG@1", "quant=strict, gen or sog"),
        (graded({"a": 1}), "nxCG@1(base=full,quant=gen,overlap=on)", "needs the collection"),
        ([Judgment("7", "a", ((0, 8),))], "MAgP(score=t2i)", "give the collection"),
    ],
)
def test_what_a_measure_cannot_do_without_is_named(
    judged: list[Judgment], name: str, message: str
) -> None:
    with pytest.raises(MissingInput) as told:
        scored(paths("/a[1]/s[1]"), judged, name)
    assert message in str(told.value)


def test_reading_to_the_end_needs_lengths() -> None:
    with pytest.raises(MissingInput, match="needs the lengths of documents"):
        scored([passage("a", 0, 4)], HIGHLIGHTED, "MAgP(score=t2i)")


def test_other_things_that_cannot_be_done() -> None:
    run, assessments = run_of([passage("a", 0, 4)]), Assessments(HIGHLIGHTED)
    with pytest.raises(InputError, match="no runs to evaluate"):
        evaluate([], assessments, ["cP@1"])
    with pytest.raises(InputError, match="no measures to evaluate by"):
        evaluate(run, assessments, [])
    with pytest.raises(InputError, match="offsets in bytes can only be converted with the coll"):
        evaluate(run, assessments, ["cP@1"], offsets="bytes")
    for order in ("rank", "rsv"):
        with pytest.raises(InputError, match=f"has no column to order it by {order}"):
            evaluate(run, assessments, ["cP@1"], order=order)
    with pytest.raises(SyntaxProblem, match="did you mean cP"):
        evaluate(run, assessments, ["cp@1"])


def test_a_run_without_results() -> None:
    found = scored([], TWO_TOPICS, "cP@1", "cR@1", "MAiP", "MAgP", "AP", "BEPD(L=9)", "PRUM(L=9)")
    assert found == [0.0] * 7


# Orders of the ranking


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


# Several runs, several processes


def some_runs() -> list[Run]:
    lists = [[passage("a", 0, 60)], [passage("a", 40, 90), passage("a", 0, 10, "8")], []]
    return [run_of(results, f"run {n}") for n, results in enumerate(lists)]


NAMES = ["cP@1", "iP[.01]", "MAgP", "BEPD(L=100)", "AP"]


def tables(**options: Any) -> dict[str, Any]:
    assessments = Assessments([*TWO_TOPICS, Judgment("9", "a")])
    return evaluate(some_runs(), assessments, NAMES, curves=True, **options).to_dict()


def test_processes_give_the_same_table() -> None:
    assert tables(jobs=2) == tables()
    assert tables(jobs=16) == tables()


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors_give_the_same_table(kind: type[Executor]) -> None:
    with kind(2) as executor:  # type: ignore[call-arg]
        assert tables(executor=executor) == tables()


def test_an_error_in_another_process_comes_back_as_it_is() -> None:
    collection = example_collection(DOCUMENTS)
    runs = [run_of(paths("/a[1]")), run_of(paths("/a[1]/s[9]"))]
    with pytest.raises(UnknownReference, match="1 result does not resolve"):
        evaluate(runs, Assessments(HIGHLIGHTED), ["cP@1"], collection=collection, jobs=2)


def test_runs_with_one_id_are_told_apart(tmp_path: Path) -> None:
    assessments = Assessments(TWO_TOPICS)
    mine = run_of([passage("a", 0, 60)], "mine")
    by_number = evaluate([mine, mine, run_of([], "other"), mine], assessments, ["cP@1"])
    assert list(by_number.mean()) == ["mine", "mine #2", "other", "mine #3"]
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for length, file in zip((50, 100), files, strict=True):
        file.write_text(f"7 Q0 a 1 9 mine 0 {length}\n")
    by_file = evaluate(files, assessments, ["cP@1"])
    assert list(by_file.mean()) == ["mine (one)", "mine (two)"]
    assert [scores["cP@1"] for scores in by_file.mean().values()] == [0.5, 0.25]
    same_file_twice = evaluate([files[0], files[0]], assessments, ["cP@1"])
    assert list(same_file_twice.mean()) == ["mine (one)", "mine (one) #2"]
    named = evaluate({"first": files[0], "second": files[1]}, assessments, "cP@1")
    assert named.mean() == {"first": {"cP@1": 0.5}, "second": {"cP@1": 0.25}}
    for jobs in (1, 2):
        assert evaluate(files, assessments, ["cP@1"], jobs=jobs).mean() == by_file.mean()


def test_labels_stay_as_they_were_typed_and_measures_may_be_values() -> None:
    run, assessments = run_of([passage("a", 0, 60)]), Assessments(TWO_TOPICS)
    table = evaluate(run, assessments, ["iP[.01]", "iP[0.01]", MEASURES["iP"](), "iP[.01]"])
    assert table.labels == ("iP[.01]", "iP[0.01]")
    assert len(set(table.mean()["run"].values())) == 1
    assert table["run"]["iP[0.01]"] == table["run"][iP[0.01]] == table["run"]["iP[.01]"]
    by_value = evaluate(run, assessments, iP(alpha=1)[0.1])
    assert by_value.labels == ("iP[0.1](alpha=1)",)
    assert by_value.measures[0].canonical == "iP[0.1](alpha=1,resize=full)"


def test_a_collection_is_given_as_a_value_or_by_its_directory() -> None:
    collection = example_collection(DOCUMENTS)
    found = [
        scored(paths("/a[1]/s[1]"), HIGHLIGHTED, "cP@1", "ERRU@1", collection=given)
        for given in (collection, collection.directory, str(collection.directory))
    ]
    assert found == [[1.0, 1.0]] * 3


def test_a_bad_reference_does_not_make_its_article_irrelevant() -> None:
    collection = example_collection({"a": "<a><s>12345</s><s>67890</s></a>", "b": "<a>x</a>"})
    judged = Assessments([Judgment("7", "a", ((0, 5),), 0)])
    run = run_of([*paths("/a[1]/s[9]", "/a[1]/s[1]"), Result("7", "b")], "run")
    names = ["AP", "gR@1", "MAgP", "MAgP(score=bep)"]
    table = evaluate(run, judged, names, collection=collection, unresolved="irrelevant")
    assert table.mean()["run"] == dict.fromkeys(names, 1.0)
