"""Figures for notebooks: what they draw, and the files that they are saved as."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from doxeval.comparison import compare
from doxeval.errors import InputError, MissingInput, OutputError
from doxeval.scores import MIME, MeasureFacts, Plot, RunScores, ScoreTable


@pytest.fixture
def table() -> ScoreTable:
    facts = (
        MeasureFacts("M", "M(a=1)", "a measure"),
        MeasureFacts("E", "E(a=1)", "an effort", higher_is_better=False),
    )
    values = {"a": [[0.1, np.nan, 0.4], [3, 2, 1]], "b": [[0.5, 0.6, 0.9], [1, 1, 0]]}
    counted = np.array([True, True, True])
    runs = tuple(RunScores(run, np.array(own), counted) for run, own in values.items())
    return ScoreTable(facts, ("1", "2", "3"), runs)


def test_a_bar_is_the_mean_and_the_best_comes_first(table: ScoreTable) -> None:
    plot = table.plot()
    rows = {row["run"]: row["mean"] for row in plot.spec["data"]["values"]}
    assert rows == {run: means["M"] for run, means in table.mean().items()}
    assert plot.spec["encoding"]["y"]["sort"] == ["b", "a"]
    assert table.plot("E").spec["encoding"]["y"]["sort"] == ["b", "a"]  # lower is better


def test_topics_have_a_tick_for_each_score_that_is_defined(table: ScoreTable) -> None:
    rows = table.plot("M(a=1)", kind="topics").spec["data"]["values"]
    scores = {(row["run"], row["topic"]): row["score"] for row in rows}
    assert scores == {
        (one.run, one.topic): one.value
        for one in table.rows()
        if one.measure == "M" and one.value is not None
    }


def test_what_is_wrong_is_told(table: ScoreTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="kind is 'pie': expected means or topics"):
        table.plot(kind="pie")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"\.svg, \.png, \.pdf or \.json"):
        table.plot().save(tmp_path / "plot.gif")
    with pytest.raises(OutputError):
        table.plot().save(tmp_path / "nowhere" / "plot.json")


def test_differences_are_those_of_the_comparison(table: ScoreTable) -> None:
    for baseline in (None, "a"):
        found = compare(table, "E", baseline=baseline)
        rows = found.plot().spec["data"]["values"]
        assert [row["difference"] for row in rows] == [pair.difference for pair in found.pairs]
        assert [(row["low"], row["high"]) for row in rows] == [one.interval for one in found.pairs]


def test_notebooks_get_the_specification_as_data(
    table: ScoreTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = table.plot()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    bundle = plot._repr_mimebundle_()
    assert bundle[MIME] is plot.spec
    assert json.loads(json.dumps(bundle[MIME])) == plot.spec
    assert bundle.keys() == {MIME, "text/plain"}


def test_notebooks_get_a_drawing_where_vl_convert_is(table: ScoreTable) -> None:
    pytest.importorskip("vl_convert")
    for plot in (table.plot(), table.plot(kind="topics"), compare(table, "M").plot()):
        bundle = plot._repr_mimebundle_()
        drawn = ElementTree.fromstring(bundle["image/svg+xml"])
        words = " ".join(drawn.itertext())
        assert all(line in words for line in plot.spec["title"]["text"])


def test_titles_say_what_is_seen_and_no_more(table: ScoreTable) -> None:
    def title(measure: str, runs: list[str]) -> str:
        return " ".join(table.only(runs=runs).plot(measure).spec["title"]["text"])

    assert title("M", ["a", "b"]) == "b has the highest mean M, 0.667"
    assert title("E", ["a", "b"]) == "b has the lowest (best) mean E, 0.667"
    assert title("M", ["a"]) == "a has a mean M of 0.25"
    same = ScoreTable(
        table.measures[:1],
        ("1",),
        tuple(RunScores(run, np.array([[0.5]]), np.ones(1, dtype=bool)) for run in "ab"),
    )
    (title_lines,) = [same.plot().spec["title"]["text"]]
    assert " ".join(title_lines) == "All 2 runs have the same mean M, 0.5"


def test_axes_show_the_whole_range_of_a_measure(table: ScoreTable) -> None:
    assert table.plot("M").spec["encoding"]["x"]["scale"]["domain"] == [0, 1]
    assert table.plot("E").spec["encoding"]["x"]["scale"]["domain"] == [0, 2]


def test_runs_with_names_that_javascript_knows_are_drawn(tmp_path: Path) -> None:
    names = ("__proto__", "constructor", "toString", "a.b[0]")
    facts = (MeasureFacts("constructor", "constructor", "a measure"),)
    runs = tuple(RunScores(name, np.array([[0.2, 0.4]]), np.ones(2, dtype=bool)) for name in names)
    table = ScoreTable(facts, ("valueOf", "__proto__"), runs)
    for kind in ("means", "topics"):
        plot = table.plot(kind=kind)
        assert [row["run"] for row in plot.spec["data"]["values"][:2]]
        drawn = plot.save(tmp_path / "plot.svg").read_text(encoding="utf-8")
        assert all(name in drawn for name in names)
        assert '"\u2060__proto__"' in json.dumps(plot._repr_mimebundle_()[MIME], ensure_ascii=False)


def test_a_missing_extra_is_told_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingInput, match=r"pip install 'doxeval\[figures\]'"):
        Plot({"mark": "bar"}, "bars").save(tmp_path / "plot.svg")
    assert not list(tmp_path.iterdir())
