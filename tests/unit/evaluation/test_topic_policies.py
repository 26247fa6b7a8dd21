"""Which topics count, and topics without results or without anything relevant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.evaluation import evaluate
from doxeval.measures import MEASURES, Esr, Measure, Need, measure_named
from doxeval.runs import ChunkTable, Result, Run
from doxeval.scores import ScoreTable
from making import elements, graded, passage
from small_world import DOCUMENTS, TWO_TOPICS


def for_highlights(kind: type[Measure]) -> str:
    """A measure with its defaults, but for the quantisation, which highlighted text decides."""
    has_quantisation = any(spec.name == "quant" for spec in fields(kind))
    return str(kind(quant="spec") if has_quantisation else kind())  # type: ignore[call-arg]  # as the test wants it


# Those that need answers as strings or questions without an answer say nothing of relevant text.
ALL_MEASURES = [
    for_highlights(kind)
    for kind in MEASURES.values()
    if not kind.facts.needs & {Need.ANSWERS, Need.UNANSWERABLE}
]


def relevant(topic: str, document: str) -> Judgment:
    return Judgment(topic, document, ((0, 8),), best_entry_point=0)


def whole(topic: str, *documents: str) -> list[Result]:
    return [Result(topic, document) for document in documents]


def scores_by_all_measures(judgments: list[Judgment], results: list[Result]) -> ScoreTable:
    collection = example_collection(DOCUMENTS)
    return evaluate(
        Run.from_results(results),
        Assessments(judgments),
        ALL_MEASURES,
        collection=collection,
        chunks=ChunkTable.of(["1"], ["a"], [[(0, 9)]]),
    )


# What is not 0 for an empty list: costs, residuals, logarithms, and what does not depend on a run.
OF_EMPTY_LISTS = {"Cost", "RBPresidual", "GMAP", "GMBpref", "YAAP", "NumRel"}
# What can be counted for any topic, whether or not anything is relevant.
COUNTS = {"NumRet", "NumRel", "NumRelRet", "NumNonRelRet", "Judged", "Utility"}
ALL_BUT_COUNTS = [name for name in ALL_MEASURES if measure_named(name).name not in COUNTS]


def scores_an_empty_list(measure: Measure) -> bool:
    by_esr = isinstance(measure, Esr) and measure.empty(1.0) > 0
    return by_esr or measure.name in OF_EMPTY_LISTS


def without_counts(scores: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: scores[name] for name in ALL_BUT_COUNTS}


def as_mean(name: str, score: float | None) -> float | None:
    """The mean over one topic with this score."""
    is_logarithm = measure_named(name).facts.average == "geometric"
    return math.exp(score) if is_logarithm and score is not None else score


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
    undefined = {name: ["8", "9"] for name in ALL_BUT_COUNTS}
    for topic in ("8", "9"):
        assert without_counts(scores[topic]) == dict.fromkeys(ALL_BUT_COUNTS)
        assert None not in (scores[topic][name] for name in {*ALL_MEASURES} - {*ALL_BUT_COUNTS})
    assert table.undefined() == {"run": undefined}
    of_topic = {name: as_mean(name, score) for name, score in scores["7"].items()}
    assert without_counts(table.mean()["run"]) == without_counts(of_topic)
    assert table.to_dict()["runs"][0]["undefined"] == undefined


def test_a_mean_over_nothing_is_none() -> None:
    table = scores_by_all_measures([Judgment("8", "a")], whole("8", "a"))
    assert without_counts(table.mean()["run"]) == dict.fromkeys(ALL_BUT_COUNTS)


def test_an_empty_strict_base_is_undefined_where_another_is_not() -> None:
    judged = [*graded({"a": 0.75}), *graded({"a": 1}, "8")]
    run = [*elements("a"), *(one._replace(topic="8") for one in elements("a"))]
    names = ["MAep(quant=strict)", "MAep(quant=gen)", "inex_eval(quant=strict)"]
    table = evaluate(Run.from_results(run), Assessments(judged), names)
    assert table.undefined() == {"run": {names[0]: ["7"], names[2]: ["7"]}}
    assert table.topics()["run"]["7"] == {names[0]: None, names[1]: 1.0, names[2]: None}
    assert table.mean()["run"] == dict.fromkeys(names, 1.0)


def test_topics_with_results_alone() -> None:
    run = Run.from_results([passage("a", 0, 100)])
    assessed = evaluate(run, Assessments(TWO_TOPICS), ["cP@1"])
    retrieved = evaluate(run, Assessments(TWO_TOPICS), ["cP@1"], average_over="retrieved")
    assert assessed.topics() == {"run": {"7": {"cP@1": 0.5}, "8": {"cP@1": 0.0}}}
    assert retrieved.topics() == {"run": {"7": {"cP@1": 0.5}}}
    assert assessed.mean() == {"run": {"cP@1": 0.25}}
    assert retrieved.mean() == {"run": {"cP@1": 0.5}}


def test_a_topic_without_results_is_not_undefined_when_it_does_not_count() -> None:
    judged = [TWO_TOPICS[0], Judgment("9", "a")]
    run = Run.from_results([passage("a", 0, 100)])
    counted = evaluate(run, Assessments(judged), ["cP@1"], average_over="retrieved")
    assert counted.undefined() == {}
    assert evaluate(run, Assessments(judged), ["cP@1"]).undefined() == {"run": {"cP@1": ["9"]}}


def test_topics_that_were_not_assessed_are_ignored_with_a_warning() -> None:
    mine, other = passage("a", 0, 100), passage("a", 0, 50, "99")
    alone = evaluate(Run.from_results([mine]), Assessments(TWO_TOPICS), ["cP@1"])
    table = evaluate(Run.from_results([other, mine, other]), Assessments(TWO_TOPICS), ["cP@1"])
    assert table.topics() == alone.topics()
    missing = "no results for 1 of 2 assessed topics, which count as empty lists: 8"
    assert alone.runs[0].warnings == (missing,)
    assert table.runs[0].warnings[0] == "1 topic of the run is not assessed and is ignored: 99"
    more = evaluate(
        Run.from_results([other, passage("a", 0, 9, "100")]), Assessments(TWO_TOPICS), ["cP@1"]
    )
    assert more.runs[0].warnings == (
        "2 topics of the run are not assessed and are ignored: 99, 100",
        "no results for 2 of 2 assessed topics, which count as empty lists: 7, 8",
    )
    assert more.mean() == {"run": {"cP@1": 0.0}}


def test_a_topic_in_separate_blocks_is_one_list_with_a_warning() -> None:
    blocks = [passage("a", 0, 50), passage("a", 0, 50, "8"), passage("b", 0, 50)]
    table = evaluate(Run.from_results(blocks), Assessments(TWO_TOPICS), ["cP@2"])
    assert table.topics()["run"]["7"] == {"cP@2": 0.5}
    assert table.runs[0].warnings == ("topics in several separate blocks: 7",)
