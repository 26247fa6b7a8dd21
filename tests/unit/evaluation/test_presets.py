"""Presets score what the data allow, and say once what they left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.assessments import Assessments, Grade2002, GradedElement, Judgment
from doxeval.documents import example_collection
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation import Evaluation
from doxeval.measures import PRESETS
from doxeval.runs import Kind, Result, Run
from helpers import Builder, doxeval, write_files
from making import passage

DOCUMENT = {"a": "<article><sec><p>one two</p>three</sec><sec>four</sec></article>"}
GRADES = {"/article[1]": "L", "/article[1]/sec[1]": "E"}
JUDGED = Assessments(
    [
        Judgment(
            "7",
            "a",
            grades=tuple(GradedElement(path, Grade2002(3, cov)) for path, cov in GRADES.items()),
        )
    ]
)


def scored_list(*scores: float | None) -> Run:
    """The article, then the section, with these scores."""
    return Run.from_results(
        [
            Result("7", "a", Kind.ELEMENT, paths=(path,), score=score)
            for path, score in zip(GRADES, scores, strict=True)
        ]
    )


def test_what_is_left_out_is_told_once() -> None:
    preset = PRESETS["inex2002"]
    ng = [name for name in preset.measures if name.startswith("ng")]
    without = Evaluation(JUDGED, presets="inex2002")
    assert [one.label for one in without.measures] == [
        name for name in preset.measures if name not in ng
    ]
    _, told = without.warnings
    assert told == (
        f"{', '.join(ng)} are left out: each needs a collection, which knows the sizes of elements"
    )
    collection = example_collection(DOCUMENT)
    whole = Evaluation(JUDGED, presets="inex2002", collection=collection)
    assert [one.label for one in whole.measures] == list(preset.measures)
    assert len(whole.warnings) == 1


def test_what_is_asked_for_by_itself_is_not_left_out() -> None:
    with pytest.raises(MissingInput, match="needs a collection"):
        Evaluation(JUDGED, "ng(overlap=s,quant=gen)", presets="inex2002")


def test_a_scale_that_does_not_fit_is_left_out_too() -> None:
    """Grades of 2002 have no sog."""
    found = Evaluation(JUDGED, presets="inex2003")
    assert "inex_eval(quant=sog)" not in [one.label for one in found.measures]
    assert any("inex_eval(quant=sog) is left out: the quantisation" in w for w in found.warnings)


def test_a_preset_of_which_nothing_is_left_is_an_error() -> None:
    for measures in ((), "P@1"):
        with pytest.raises(MissingInput) as told:
            Evaluation(JUDGED, measures, presets="inex2009-focused", order="list")
        first, *why = str(told.value).splitlines()
        assert first == "no measure of inex2009-focused can be computed:"
        assert len(why) == 1 and "each needs highlighted text" in why[0]
    passages = Run.from_results([passage("a", 0, 3)])
    with pytest.raises(MissingInput, match="no measure of inex2002 can be computed for run"):
        Evaluation(JUDGED, "P@1", presets="inex2002").score_all(passages)


def test_presets_of_2002_to_2004_rank_by_score() -> None:
    """By hand: both have the same score, so each may come first; the list has the article first."""
    tied, plain = scored_list(1.0, 1.0), scored_list(None, None)
    ranked = Evaluation(JUDGED, presets="inex2002")
    label = "inex_eval(quant=strict)"
    assert ranked.warnings[0] == (
        "inex2002: runs are ranked by rsv; order='list' ranks them as listed"
    )
    # one level, r = 1 and i = 1: at x, P = x / (x + x·1/2)
    assert ranked.score_all(tied).mean()["run"][label] == pytest.approx(2 / 3)
    listed = Evaluation(JUDGED, presets="inex2002", order="list")
    # the article first: P = x / (x + 1)
    by_list = sum(x / (x + 100) for x in range(1, 101)) / 100
    assert listed.score_all(tied).mean()["run"][label] == pytest.approx(by_list)
    assert not any("ranked by" in warning for warning in listed.warnings)
    without = ranked.score_all(plain)
    assert without.mean()["run"][label] == pytest.approx(by_list)
    assert without.runs[0].warnings == ("there is no rsv: ranked as listed",)
    with pytest.raises(InputError, match="has no column to order it by rsv"):
        Evaluation(JUDGED, presets="inex2002", order="rsv").score_all(plain)


def test_presets_must_agree_on_the_order() -> None:
    with pytest.raises(InputError, match="order='rsv' or order='list' says which is meant"):
        Evaluation(JUDGED, presets=["inex2002", "inex2009-focused"])
    assert {name for name, preset in PRESETS.items() if preset.order == "rsv"} == {
        "inex2002", "inex2003", "inex2004",
    }  # fmt: skip


def test_all_verbs(tmp_path: Path, build: Builder) -> None:
    build({"a.xml": DOCUMENT["a"]})
    files = write_files(
        tmp_path,
        {
            "j.xml": '<assessments topic="7"><file file="a">'
            '<path path="/article[1]" relevance="3" coverage="L"/>'
            '<path path="/article[1]/sec[1]" relevance="3" coverage="E"/></file></assessments>',
            "r.run": "7 Q0 a 1 9 r /article[1]\n7 Q0 a 2 9 r /article[1]/sec[1]\n",
            "s.run": "7 Q0 a 1 9 s /article[1]/sec[1]\n",
        },
    )
    common = (files / "r.run", files / "s.run", "-a", files / "j.xml", "--preset", "inex2002")
    for verb in ("evaluate", "compare", "correlate"):
        found = doxeval(verb, *common)
        assert found.exit_code == 0, found.stderr
        assert found.stderr.count("are left out: each needs a collection") == 1
        assert "--order list ranks them as listed" in found.stderr
    report = doxeval("report", *common, "--out", tmp_path / "page.html")
    assert report.exit_code == 0, report.stderr
    assert report.stderr.count("are left out: each needs a collection") == 1
    mixed = doxeval("evaluate", *common, "--preset", "inex2009-thorough")
    assert (mixed.exit_code, "--order rsv or --order list" in mixed.stderr) == (1, True)
