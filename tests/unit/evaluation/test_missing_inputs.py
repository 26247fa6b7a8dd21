"""What evaluate refuses: results of the wrong kind, and missing inputs."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assessments import AssessedUnit, Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import InputError, MissingInput, SyntaxProblem
from doxeval.evaluation import RunOptions, evaluate
from doxeval.runs import Kind, Result, Run
from making import graded, passage, paths, point, scored
from small_world import DOCUMENTS, HIGHLIGHTED, TWO_TOPICS


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
        (graded({"a": 1}), "nxCG@1(quant=spec)", "quant=strict, gen or sog"),
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


UNITS = [Judgment("7", "a", units=(AssessedUnit(("/a[1]/s[1]",), 1.0),))]


@pytest.mark.parametrize("with_collection", [True, False])
@pytest.mark.parametrize(
    ("name", "need"),
    [
        ("cP@1", "highlighted text (assessments of 2005 or later, or whole documents)"),
        ("MAgP", "highlighted text (assessments of 2005 or later, or whole documents)"),
        ("nxCG@1", "graded elements, or highlighted text and a collection"),
        ("inex_eval", "graded elements, or highlighted text and a collection"),
        ("ng(quant=spec)", "graded elements, or highlighted text and a collection"),
        ("ERRU@1", "graded elements, or highlighted text and a collection"),
    ],
)
def test_units_are_not_enough_for_other_measures(
    name: str, need: str, with_collection: bool
) -> None:
    world: dict[str, Any] = {}
    if with_collection:
        world = {"collection": example_collection(DOCUMENTS)}
    with pytest.raises(MissingInput) as told:
        scored(paths("/a[1]/s[1]"), UNITS, name, **world)
    assert str(told.value) == (
        f"{name} needs {need}; the assessments have units of elements, which the ESR measures take"
    )


def test_a_collection_is_asked_for_where_it_would_help() -> None:
    """Whole documents and text points become highlights with a collection, units do not."""
    whole = Assessments.from_dict({"7": {"a": 1}})
    with pytest.raises(MissingInput, match="whole documents or with text points need a collection"):
        evaluate(Run.from_results(paths("/a[1]")), whole, "cP@1")
    with pytest.raises(MissingInput, match="known to the collection alone"):
        evaluate(Run.from_results(paths("/a[1]")), whole, "nxCG@1")
    with pytest.raises(MissingInput, match="needs a collection, which knows the sizes"):
        scored(paths("/a[1]/s[1]"), UNITS, "ESRP@1(assessed=units)")


def test_reading_to_the_end_needs_lengths() -> None:
    with pytest.raises(MissingInput, match="needs the lengths of documents"):
        scored([passage("a", 0, 4)], HIGHLIGHTED, "MAgP(score=t2i)")


def test_other_things_that_cannot_be_done() -> None:
    run, assessments = Run.from_results([passage("a", 0, 4)]), Assessments(HIGHLIGHTED)
    with pytest.raises(InputError, match="no runs to evaluate"):
        evaluate([], assessments, ["cP@1"])
    with pytest.raises(InputError, match="no measures to evaluate by"):
        evaluate(run, assessments, [])
    with pytest.raises(InputError, match="offsets in bytes can only be converted with the coll"):
        evaluate(run, assessments, ["cP@1"], run_options=RunOptions(offsets="bytes"))
    for order in ("rank", "rsv"):
        with pytest.raises(InputError, match=f"has no column to order it by {order}"):
            evaluate(run, assessments, ["cP@1"], order=order)
    with pytest.raises(SyntaxProblem, match="did you mean cP"):
        evaluate(run, assessments, ["cp@1"])


def test_a_run_without_results() -> None:
    found = scored([], TWO_TOPICS, "cP@1", "cR@1", "MAiP", "MAgP", "AP", "BEPD(L=9)", "PRUM(L=9)")
    assert found == [0.0] * 7


def test_without_a_collection_a_whole_document_is_read_from_its_first_character() -> None:
    judged = Assessments([Judgment("7", "a", ((0, 5),), document_length=10)])
    run = Run.from_results([Result("7", "a")])
    assert evaluate(run, judged, ["cP@1", "cR@1"]).mean() == {"run": {"cP@1": 0.5, "cR@1": 1.0}}


@pytest.mark.parametrize("has_collection", [False, True])
def test_an_evaluation_leaves_its_runs_as_they_were(has_collection: bool) -> None:
    judged = Assessments([Judgment("7", "a", ((0, 5),), document_length=9)])
    results = [Result("7", "a"), Result("7", "a", Kind.PASSAGE, 3, 99), Result("7", "b")]
    run = Run.from_results(results)
    before = run.start.tolist(), run.end.tolist()
    evaluate(
        run,
        judged,
        ["AP"],
        collection=example_collection({"a": "<p>123456789</p>"}) if has_collection else None,
        run_options=RunOptions(unresolved="irrelevant"),
    )
    assert (run.start.tolist(), run.end.tolist()) == before
    assert list(run.results()) == results
