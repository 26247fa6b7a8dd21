"""What a report says and carries: provenance, topics by name, data for its script, figures."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import html5lib
import numpy as np
import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

import doxeval as package
from doxeval.comparison import compare
from doxeval.errors import InputError
from doxeval.evaluation import evaluate
from doxeval.markup import readable
from doxeval.reports import (
    Contents,
    file_facts,
    legible,
    number,
    page,
    report,
    script_json,
    topic_names,
)
from doxeval.scores import Curve, MeasureFacts, RunScores, ScoreTable
from doxeval.topics import Topic
from helpers import doxeval
from report_pages import data_of

DATE = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
QRELS = "7 0 a 1\n7 0 b 0\n8 0 a 1\n8 0 c 1\n"
RUNS = {"good": "7 Q0 a 1 2.0 good\n8 Q0 a 1 1.0 good\n", "bad": "7 Q0 b 1 2.0 bad\n"}


def scores(runs: int = 3, topics: int = 8, higher: bool = True) -> ScoreTable:
    random = np.random.default_rng(5)
    facts = (
        MeasureFacts("M", "M(a=1)", "a measure", higher_is_better=higher, user="They read on."),
        MeasureFacts("N", "N(a=1)", "another", formula="N = 1"),
    )
    x = np.linspace(0, 1, 11)
    found = []
    for run in range(runs):
        values = random.random((2, topics))
        values[0, 0] = np.nan
        curve = Curve("M", "recall", "precision", x, random.random((topics, 11)))
        counted = np.ones(topics, dtype=np.bool_)
        found.append(RunScores(f"run{run}", values, counted, curves=(curve,)))
    return ScoreTable(facts, tuple(f"t{n}" for n in range(topics)), tuple(found))


def parsed(markup: str) -> Any:
    """A page as a browser sees it, without its script, which takes long to parse."""
    short = re.sub(r"<script>.*?</script>", "", markup, flags=re.DOTALL)
    return html5lib.parse(short, namespaceHTMLElements=False)


def words_of(markup: str, tag: str, id: str) -> str:
    tree = parsed(markup)
    (found,) = [one for one in tree.iter(tag) if one.get("id") == id]
    return " ".join("".join(found.itertext()).split())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / f"{name}.run").write_text(text)
    (tmp_path / "topics.tsv").write_text("7\tsteam engine\n8\ttides <b>\n")
    return tmp_path


def called(files: Path, *more: str) -> Result:
    words = (files / "bad.run", files / "good.run", "-a", files / "qrels.txt")
    measures = ("-m", "AP", "-m", "P@1")
    return doxeval("report", *words, *measures, "--out", files / "report.html", *more)


# Where it comes from


def test_a_report_says_where_it_comes_from(files: Path) -> None:
    result = called(files, "--topics", str(files / "topics.tsv"), "--baseline", "good")
    assert result.exit_code == 0, result.output
    said = words_of((files / "report.html").read_text(), "details", "provenance")
    for name in ("bad.run", "good.run", "qrels.txt", "topics.tsv"):
        assert str(files / name) in said
        assert hashlib.sha256((files / name).read_bytes()).hexdigest() in said
    assert f"doxeval {package.__version__}" in said
    assert f"doxeval report {files / 'bad.run'}" in said and "--baseline good" in said
    assert "2 systems, 2 topics." in said and "Every score is defined" in said
    assert re.search(r"Reference measure ?AP, as AP", said)
    assert re.search(r"Baseline ?good(?!, the first)", said)
    assert "avigation" not in said


def test_the_same_input_and_date_give_the_same_page(files: Path) -> None:
    table = evaluate([files / "good.run", files / "bad.run"], files / "qrels.txt", ["AP", "P@1"])
    one, two = (report(table, date=DATE).html for _ in range(2))
    assert one == two
    assert "2026-05-04 10:30 UTC" in one
    assert report(table, date=datetime(2026, 5, 5, tzinfo=UTC)).html != one


def test_the_environment_may_set_the_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "1970-01-02 00:00 UTC" in words_of(report(scores()).html, "details", "provenance")


def test_the_seal_of_the_collection_is_named(tmp_path: Path) -> None:
    from doxeval.documents import example_collection

    collection = example_collection({"a": "<s><p>One.</p></s>"})
    table = replace(scores(), collection=str(collection.directory))
    assert collection.checksum in report(table, date=DATE).html
    gone = replace(scores(), collection=str(tmp_path / "gone"))
    where = words_of(report(gone, date=DATE).html, "details", "provenance")
    assert str(tmp_path / "gone") in where and collection.checksum not in where


def test_directories_have_one_hash_and_pipes_none(tmp_path: Path) -> None:
    (tmp_path / "all" / "inner").mkdir(parents=True)
    (tmp_path / "all" / "inner" / "a.xml").write_bytes(b"one")
    (tmp_path / "all" / "b.xml").write_bytes(b"three")
    first = file_facts("assessments", str(tmp_path / "all"))
    assert first.bytes == 8 and first.sha256 is not None
    (tmp_path / "all" / "b.xml").rename(tmp_path / "all" / "c.xml")
    assert file_facts("assessments", str(tmp_path / "all")).sha256 != first.sha256
    assert file_facts("run", "/dev/null").sha256 is None
    assert file_facts("run", str(tmp_path / "gone")).sha256 is None


def test_undefined_topics_are_named_where_the_report_comes_from() -> None:
    said = words_of(page(Contents(scores())), "details", "provenance")
    assert "Some scores are undefined for 1 topic: t0." in said
    assert re.search("Baseline ?run2, the best system, because none was given", said)


# One baseline, one test


@pytest.mark.parametrize("baseline", [None, "run1"])
@pytest.mark.parametrize("higher", [True, False])
def test_numbers_against_the_baseline_are_those_of_compare(
    baseline: str | None, higher: bool
) -> None:
    table = scores(4, 12, higher)
    contents = Contents(table, baseline=baseline)
    tested = compare(table, "M", baseline=baseline)
    tree = parsed(page(contents))
    rows = tree.findall(".//table[@id='against-baseline']/tbody/tr")
    assert len(rows) == 3
    for row in rows:
        run = "".join(row.find("th").itertext())
        cells = ["".join(cell.itertext()) for cell in row.findall("td")]
        pair = tested.pair(run, contents.reference)
        sign = 1 if pair.first == run else -1
        assert pair.difference is not None and pair.corrected is not None
        assert float(cells[0]) == pytest.approx(sign * pair.difference, abs=5e-5)
        assert sum(map(int, cells[1:4])) == pair.topics == 11
        assert float(cells[5]) == pytest.approx(pair.corrected, abs=5e-5)
        steps = table[run].topics, table[contents.reference].topics
        better = sum(
            ((steps[0][t]["M"] or 0) > (steps[1][t]["M"] or 0)) == higher
            for t in table.topic_ids[1:]
        )
        assert int(cells[1]) == better


# Topics by name


def test_topics_are_shown_with_their_titles(files: Path) -> None:
    assert called(files, "--topics", str(files / "topics.tsv")).exit_code == 0
    shown = (files / "report.html").read_text()
    data = data_of(shown)
    assert data["topics"] == [
        {"id": "7", "title": "steam engine"},
        {"id": "8", "title": "tides <b>"},
    ]
    tree = parsed(shown)
    buttons = [one for one in tree.iter("button") if one.get("class") == "topic link"]
    assert len(buttons) >= 4  # in the summary and in the table of topics
    titles = {"0": "7 steam engine", "1": "8 tides <b>"}
    for one in buttons:
        assert "".join(one.itertext()) == titles[one.get("data-topic")]


def test_queries_and_descriptions_are_carried() -> None:
    topic = Topic("t1", None, castitle="//sec[about(., tides)]", description="What are\n tides?")
    other = Topic("t2", "moon", "//p[about(., moon)]")
    named = topic_names([topic, other], scores().topic_ids)
    found = {one["id"]: one for one in data_of(page(Contents(scores(), topics=named)))["topics"]}
    assert found["t1"] == {
        "id": "t1",
        "title": "//sec[about(., tides)]",
        "query": "//sec[about(., tides)]",
        "description": "What are tides?",
    }
    assert found["t2"]["title"] == "moon" and found["t2"]["query"] == "//p[about(., moon)]"
    assert found["t3"] == {"id": "t3"}


def test_missing_topics_are_told(files: Path) -> None:
    (files / "some.tsv").write_text("7\tsteam engine\n9\tunused\n")
    result = called(files, "--topics", str(files / "some.tsv"))
    assert result.exit_code == 0
    told = "topics: 1 of 2 topics is not among those given and has no title: 8"
    assert told in result.stderr
    shown = (files / "report.html").read_text()
    assert told in words_of(shown, "section", "warnings")


def test_topics_without_effect_are_refused(files: Path) -> None:
    (files / "other.tsv").write_text("1\tsteam engine\n")
    result = called(files, "--topics", str(files / "other.tsv"))
    assert result.exit_code == 1
    assert "none of the topics that were scored (7, 8)" in result.stderr
    assert not (files / "report.html").exists()


def test_topics_given_twice_or_of_another_kind_are_refused() -> None:
    with pytest.raises(InputError, match="topic 't1' is given twice"):
        report(scores(), topics=[Topic("t1"), Topic("t1")])
    with pytest.raises(InputError, match=r"expected a list \(of a Topic\)"):
        report(scores(), topics=["t1"])  # type: ignore[list-item]


# The data for the script


def test_the_data_are_those_of_the_table() -> None:
    table = scores(14, 9)
    contents = Contents(table, baseline="run5")
    data = data_of(page(contents))
    names = [run["name"] for run in data["runs"]]
    assert names == contents.ranking and names[data["baseline"]] == "run5"
    assert sum(run["shown"] for run in data["runs"]) == 10
    by_run = table.topics()
    for measure, label in enumerate(table.labels):
        for place, run in enumerate(names):
            expected = [by_run[run][topic][label] for topic in table.topic_ids]
            found = data["scores"][measure][place]
            assert [value is None for value in found] == [value is None for value in expected]
            assert [v for v in found if v is not None] == pytest.approx(
                [v for v in expected if v is not None], rel=1e-5
            )
            cell = data["cells"][measure][place]
            assert cell["mean"] == pytest.approx(table.mean()[run][label], rel=1e-5)
            assert cell["topics"] + cell["undefined"] == 9
    for found in data["comparisons"]:
        tested = compare(table, table.labels[found["measure"]])
        assert found["test"] == "paired t test"
        assert len(found["pairs"]) == len(tested.pairs) == 91
        for one, two, difference, p, corrected in found["pairs"]:
            pair = tested.pair(names[one], names[two])
            assert (pair.first, pair.second) == (names[one], names[two])
            assert difference == pytest.approx(pair.difference, rel=1e-4)
            assert (p, corrected) == pytest.approx((pair.p, pair.corrected), rel=1e-4)


def test_measures_explain_themselves(files: Path) -> None:
    table = evaluate([files / "good.run", files / "bad.run"], files / "qrels.txt", ["P@1", "AP"])
    first = data_of(report(table, date=DATE).html)["measures"][0]
    assert (
        first["user"]
        == "The share of relevant documents among the first k, or of relevant results."
    )
    assert first["formula"] == "P@k = |relevant among the first k documents| / k"
    assert (first["lowest"], first["highest"]) == (0, 1)
    words = words_of(report(table, date=DATE).html, "dl", "measures")
    assert first["user"] in words and first["formula"] in words


@given(st.recursive(st.text() | st.none() | st.booleans(), st.lists, max_leaves=5))
def test_json_inside_a_script_is_only_data(value: Any) -> None:
    text = script_json(value)
    assert not re.search("[<>&\u2028\u2029\x00-\x1f\ud800-\udfff]", text)
    text.encode()

    def expected(one: Any) -> Any:
        if isinstance(one, list):
            return [expected(each) for each in one]
        return re.sub("[\x7f-\x9f\ufffe\uffff]", "\ufffd", one) if isinstance(one, str) else one

    assert json.loads(text) == expected(value)


@given(st.lists(st.text() | st.text("ab\x00\x01 ", max_size=3), unique=True))
def test_names_are_legible_and_stay_different(names: list[str]) -> None:
    shown = legible(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(one and one == readable(one) and len(one) <= 200 for one in shown.values())


@given(st.floats())
def test_numbers_have_six_digits(value: float) -> None:
    short = number(value)
    if not np.isfinite(value):
        assert short is None
    else:
        assert short == float(f"{value:.6g}")
        assert json.loads(json.dumps(short)) == short


# Opening it, and notebooks


def test_the_page_is_opened_only_when_asked(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_it(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", open_it)
    assert called(files).exit_code == 0
    assert opened == []
    assert called(files, "--force", "--open").exit_code == 0
    assert opened == [(files / "report.html").absolute().as_uri()]
    result = called(files, "--open")  # it exists already
    assert result.exit_code != 0 and len(opened) == 1


def test_no_browser_is_told(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    result = called(files, "--open")
    assert result.exit_code == 0
    assert "there is no browser here" in result.stderr
    assert (files / "report.html").exists()


class Tags(HTMLParser):
    """The tags of a text, with their attributes."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_notebooks_show_the_page_in_a_frame() -> None:
    shown = report(scores(), title="</iframe><script>alert(1)</script>", date=DATE)
    assert list(shown) == []
    ((tag, attributes),) = Tags(shown._repr_html_()).tags
    assert tag == "iframe" and attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == shown.html


def test_figures_need_a_page(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="figures= goes with out="):
        report(scores(), figures=tmp_path / "figures")
