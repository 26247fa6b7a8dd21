"""What measures see: made once for all runs, and gone with the evaluation."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from doxeval.assessments import (
    QUANTISATIONS,
    AssessedElements,
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    RelevantElements,
    Specificity,
)
from doxeval.documents import example_collection
from doxeval.errors import MissingInput, SyntaxProblem
from doxeval.evaluation import Evaluation, evaluate
from doxeval.measures import GroundTruth, measure_named
from doxeval.navigation import DepthNavigation
from doxeval.runs import Run
from making import paths
from seams import value_of

DOCUMENTS = {"a": "<s><p>One.</p><p>Two.</p></s>"}
HIGHLIGHTED = [Judgment("7", "a", ((4, 8),))]
LISTED = [Judgment("7", "a", elements=(MeasuredElement("/s[1]", 2, 10, 5),))]
NOTHING = [Judgment("7", "a")]


def graded(*grades: Any) -> list[Judgment]:
    elements = [GradedElement(f"/s[1]/p[{n}]", grade) for n, grade in enumerate(grades, 1)]
    return [Judgment("7", "a", grades=tuple(elements))]


def relevant(judgments: list[Judgment], collection: bool = True, **more: Any) -> RelevantElements:
    home = example_collection(DOCUMENTS) if collection else None
    return RelevantElements(Assessments(judgments), home, **more)


def elements(judgments: list[Judgment], quant: str, **more: Any) -> AssessedElements:
    return relevant(judgments, **more).elements(QUANTISATIONS[quant])


# Which quantisation fits the assessments


@pytest.mark.parametrize(
    ("judgments", "quant"),
    [
        (HIGHLIGHTED, "spec"),
        (LISTED, "spec"),
        (NOTHING, "spec"),
        (graded(Grade2002(3, "E")), "gen"),
        (graded(Grade2003(3, 3)), "gen"),
        (graded(Grade2005(2, Fraction(1, 2))), "gen5"),
        (graded(None, Grade2005(0, Fraction(0))), "gen5"),
        ([*HIGHLIGHTED, *(replace(j, document="b") for j in graded(Grade2003(3, 3)))], "spec"),
    ],
    ids=["highlights", "lists", "nothing", "2002", "2003", "2005", "unknown first", "both"],
)
def test_the_quantisation_that_fits(judgments: list[Judgment], quant: str) -> None:
    assert relevant(judgments, collection=False).usual_quantisation == quant
    truth = GroundTruth.of(Assessments(judgments))
    assert "quant=sog" in str(measure_named("nxCG(quant=sog)").resolve_auto(truth))
    for name in ("nxCG", "MAep", "iMAep", "ep", "MAnxCG", "xCG", "gr", "PRUM(targets=ideal)"):
        assert f"quant={quant}" in str(measure_named(name).resolve_auto(truth))


@pytest.mark.parametrize("name", ["inex_eval", "qP@1", "qR@1", "ng", "ngP@1", "ngR@1"])
def test_a_measure_that_does_not_take_what_fits_says_so(name: str) -> None:
    collection = example_collection(DOCUMENTS)
    judged = Assessments(graded(Grade2005(2, Fraction(1, 2))))
    run = Run.from_results(paths("/s[1]/p[1]"))
    with pytest.raises(MissingInput, match="quant=auto is quant=gen5, which the measure does not"):
        evaluate(run, judged, name, collection=collection)
    table = evaluate(run, judged, "nxCG@1", where_possible=[name], collection=collection)
    assert table.mean() == {"run": {"nxCG@1": 1.0}}


def test_highlights_win_where_elements_are_graded_too() -> None:
    both = [replace(HIGHLIGHTED[0], grades=graded(Grade2003(3, 3))[0].grades)]
    collection = example_collection(DOCUMENTS)
    run = Run.from_results(paths("/s[1]/p[2]", "/s[1]/p[1]"))
    table = evaluate(run, Assessments(both), ["xCG@1", "xCG@2(quant=gen)"], collection=collection)
    assert [facts.canonical.partition("quant=")[2][:4] for facts in table.measures] == [
        "spec",
        "gen,",
    ]
    assert table.mean()["run"] == {"xCG@1": 1.0, "xCG@2(quant=gen)": 1.0}
    with pytest.raises(MissingInput, match="known to the collection alone"):
        evaluate(run, Assessments(both), ["xCG@1"])


# Which elements fit a quantisation


@pytest.mark.parametrize(
    ("judgments", "quant", "scale", "count"),
    [
        (HIGHLIGHTED, "spec", Specificity, 2),
        (LISTED, "spec", Specificity, 1),
        (LISTED, "gen5", Grade2005, 1),
        (graded(Grade2003(3, 3)), "gen", Grade2003, 1),
        (graded(Grade2002(3, "E")), "gen", Grade2002, 1),
        (graded(Grade2005(2, Fraction(1))), "gen5", Grade2005, 1),
        (NOTHING, "spec", Specificity, 0),
        (NOTHING, "gen", Grade2003, 0),
        (NOTHING, "strict5", Grade2005, 0),
        # Grades of another scale are no obstacle where they say that nothing is relevant.
        (graded(Grade2002(0, "E")), "genLifted", Grade2005, 0),
    ],
)
def test_elements_that_fit(judgments: list[Judgment], quant: str, scale: Any, count: int) -> None:
    found = elements(judgments, quant)
    assert (found.scale, len(found)) == (scale, count)


@pytest.mark.parametrize(
    ("judgments", "quant", "collection", "error", "message"),
    [
        (HIGHLIGHTED, "spec", False, MissingInput, "known to the collection alone"),
        (HIGHLIGHTED, "gen", True, MissingInput, "2002–04, and the assessments have none; high"),
        (HIGHLIGHTED, "gen5", True, MissingInput, "no exhaustivity as 2005 graded it; highlighted"),
        (LISTED, "gen", True, MissingInput, "gen takes grades of 2002–04, and the .* have none$"),
        (graded(Grade2003(1, 1)), "spec", True, MissingInput, "are grades of elements, which beco"),
    ],
)
def test_elements_that_are_missing(
    judgments: list[Judgment], quant: str, collection: bool, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        elements(judgments, quant, collection=collection)


def test_grades_of_another_scale_are_refused_by_the_quantisation() -> None:
    for quant, message in (("gen5", "not grades of 2002"), ("sog", "not grades of 2002")):
        with pytest.raises(SyntaxProblem, match=message):
            relevant(graded(Grade2002(3, "E"))).base("full", QUANTISATIONS[quant])


def test_where_specificity_comes_from() -> None:
    both = [Judgment("7", "a", ((4, 8),), elements=LISTED[0].elements)]
    shares: dict[Any, Any] = {None: (4, 8), "passages": (4, 8), "file": (1, 2)}
    for how, (part, whole) in shares.items():
        found = elements(both, "gen5", specificity=how)
        assert (found.grades.part.tolist(), found.grades.whole.tolist()) == ([part], [whole])
    # Without passages the file is the only one to say.
    assert elements(LISTED, "gen5").grades.part.tolist() == [1]
    assert elements(LISTED, "gen5", specificity="passages").grades.part.tolist() == [0]


def test_elements_and_bases_are_made_once() -> None:
    found = relevant(HIGHLIGHTED)
    spec = QUANTISATIONS["spec"]
    assert found.elements(spec) is found.elements(spec)
    for kind in ("full", "ideal"):
        assert found.base(kind, spec) is found.base(kind, spec, frozenset())
        assert found.base(kind, spec) is not found.base(kind, spec, {"p"})
    truth = GroundTruth.of(found.assessments, found.collection)
    assert truth.base("ideal", "spec") is truth.base("ideal", "spec", "none")
    assert truth.base("full", "spec", "p").value.tolist() == [0.5]


# What is kept


@contextmanager
def no_collector() -> Iterator[None]:
    """Only reference counts free anything."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


MEASURES = [
    "nxCG@1",
    "MAep(base=full,ignore=links)",
    "ERRU@1",
    "ESRR@1",
    "PRUM(targets=ideal)",
    "AP",
]


def test_nothing_survives_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[weakref.ref[Any]] = []
    make = GroundTruth.of

    def watching(*given: Any, **named: Any) -> GroundTruth:
        truth = make(*given, **named)
        watched.extend(map(weakref.ref, (truth, truth.relevant, truth.columns, truth.collection)))
        return truth

    monkeypatch.setattr(GroundTruth, "of", watching)
    run = Run.from_results(paths("/s[1]/p[2]", "/s[1]"))
    with no_collector():
        for _ in range(5):
            collection = example_collection(DOCUMENTS)
            table = evaluate(run, Assessments(HIGHLIGHTED), MEASURES, collection=collection)
            del collection
        assert len(watched) == 20
        assert [ref() for ref in watched] == [None] * 20
    assert table.mean()["run"]["nxCG@1"] == 1


@pytest.mark.parametrize(
    ("seam", "measures", "times"),
    [
        ("assessed_trees", ["ESRR@1", "ESRP@1", "SRP@1", "SRiP@1"], 2),  # two rel=
        ("covered_text", ["ESRR@1", "ESRP@1", "SRP@1", "SRiP@1"], 1),
        ("assessed_trees", ["ESRR@1(assessed=ideal)", "SRP@2(assessed=ideal)"], 1),
        ("element_relevance", ["SRP@1", "SRP@2"], 1),
        ("gains_best_first", ["nxCG@1", "nxCG@5", "MAep", "inex_eval"], 2),  # ideal and full base
        ("gains_by_node", ["MAep(quant=gen,overlap=on)", "ep(quant=gen,overlap=on)"], 1),
        ("ng_worth", ["ng", "ng(overlap=s)", "ngP@1", "ngR@1"], 1),
        ("ng_whole_collection", ["ng", "ng(overlap=s)", "ng(unretrieved=block)"], 1),
        ("erru_ideal_units", ["ERRU@1", "ERRU@5"], 1),
        ("prum_ideal_elements", ["PRUM(nav=depth)", "EPRUM(nav=depth)"], 1),
        ("prum_nodes", ["PRUM(nav=depth)", "EPRUM(nav=depth)"], 1),
    ],
)
def test_what_follows_from_the_ground_truth_is_computed_once_for_all_runs(
    seam: str, measures: list[str], times: int
) -> None:
    judged = graded(Grade2003(3, 3)) if "quant=gen" in measures[0] else HIGHLIGHTED
    collection = example_collection(DOCUMENTS)
    evaluation = Evaluation(Assessments(judged), measures, collection=collection)
    kept: list[dict[Any, int]] = []
    for path in ("/s[1]", "/s[1]/p[2]"):
        evaluation.score(Run.from_results(paths(path)))
        kept.append({key: id(value) for key, value in evaluation.truth.memory.items()})
    computed = [key for key in kept[0] if key[0] is value_of(seam)]
    assert len(computed) == times
    assert kept[1] == kept[0]


@pytest.mark.parametrize(
    "names",
    [
        ("nxCG@1", "nxCG@5", "MAnxCG@3"),
        ("MAep", "ep[0.5]", "iMAep"),
        ("inex_eval", "qP@1", "qR@1"),
        ("cP@1", "cR@5", "MAiP"),
        ("ng", "ngR@1"),
        ("PRUM(targets=ideal)", "EPRUM[0.5](targets=ideal)"),
        ("Hits@1", "ESRR@5", "MAESRP", "SRPRUM"),
        ("SR@1", "SRP@5"),
        ("bR@3(unit=words)", "U@5(unit=words)", "Cost@4(unit=words)"),
        ("hit@1", "all@2", "RR@3"),
    ],
)
def test_what_follows_from_a_ranking_is_computed_once_for_all_measures(
    names: tuple[str, ...],
) -> None:
    collection = example_collection(DOCUMENTS)
    evaluation = Evaluation(Assessments(HIGHLIGHTED), list(names), collection=collection)
    ranking = evaluation.ranking(Run.from_results(paths("/s[1]", "/s[1]/p[2]"))).ranking
    first, *others = (selected.measure for selected in evaluation.measures)
    first.scores(ranking)
    kept = {key: id(value) for key, value in ranking.memory.items()}
    assert kept
    for measure in others:
        measure.scores(ranking)
    assert {key: id(value) for key, value in ranking.memory.items()} == kept


def test_models_of_navigation_by_name() -> None:
    given = DepthNavigation("matrix")
    truth = GroundTruth.of(Assessments(HIGHLIGHTED), navigation=given)
    assert truth.model("matrix") is given
    assert truth.model("depth") is truth.model("depth")
    with pytest.raises(MissingInput, match="nav=steady needs a file of that model"):
        truth.model("steady")


def test_ground_truth_is_shown_shortly() -> None:
    shown = repr(GroundTruth.of(Assessments(HIGHLIGHTED)))
    assert shown == "GroundTruth(Assessments(1 topic, 1 judged document, 1 relevant), None)"
