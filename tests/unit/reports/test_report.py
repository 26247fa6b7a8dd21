"""Reports: what is on the page, what is not, and how it behaves in a browser without its script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import html5lib
import numpy as np
import pytest

from doxeval.assessments import Assessments, write_assessments
from doxeval.documents import Collection
from doxeval.errors import InputError, MissingInput
from doxeval.evaluation import Evaluation, Keep
from doxeval.measures import PROFILE
from doxeval.reports import (
    Contents,
    all_figures,
    document_views,
    page,
    topic_names,
    write_report,
)
from doxeval.runs import Run, write_run
from doxeval.scores import MeasureFacts, RunScores, ScoreTable
from doxeval.topics import Topic
from helpers import doxeval
from making import passage, paths
from report_pages import HOSTILE, MEASURES, SECTIONS, data_of, synthetic


@pytest.fixture(scope="module")
def tree(hostile_page: str) -> Any:
    """The page as a browser sees it."""
    return html5lib.parse(hostile_page, namespaceHTMLElements=False)


def without_script(markup: str) -> str:
    """A page without its script, which is the same on every page and takes long to parse."""
    return re.sub(r"<script>.*?</script>", "", markup, flags=re.DOTALL)


def text_in(parsed: Any) -> str:
    return re.sub(r"\s+", " ", "".join(parsed.itertext()))


def text_of(markup: str) -> str:
    return text_in(html5lib.parse(without_script(markup), namespaceHTMLElements=False))


def sections_of(markup: str) -> list[str]:
    return re.findall(r'<section id="([^"]+)"', markup)


def test_a_page_has_every_section_once(hostile_page: str) -> None:
    assert sections_of(hostile_page) == SECTIONS
    for section in SECTIONS:
        assert f'<a href="#{section}">' in hostile_page


def test_a_page_is_html(hostile_page: str) -> None:
    html5lib.HTMLParser(strict=True).parse(hostile_page)
    ids = re.findall(r'\bid="([^"]*)"', hostile_page)
    assert len(ids) == len(set(ids))


def test_a_page_is_complete_in_itself(hostile_page: str, tree: Any) -> None:
    every = [element for element in tree.iter() if isinstance(element.tag, str)]
    named = {name for element in every for name in element.attrib}
    assert not named & {"src", "srcset", "data", "style", "action", "background", "poster"}
    links = [element.get("href") for element in every if "href" in element.attrib]
    assert links and all(link.startswith("#") for link in links)
    assert not [element for element in every if element.tag in ("link", "base", "iframe", "form")]
    (style,) = re.findall(r"<style>(.*?)</style>", hostile_page, re.DOTALL)
    assert not re.search(r"@import|url\((?!data:)", style)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile_page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search("https?:", policy[1])
    (script,) = re.findall(r"<script>(.*?)</script>", hostile_page, re.DOTALL)
    for kind, asset in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]


def test_numbers_on_the_page_are_the_means_of_the_table(
    hostile_contents: Contents, tree: Any
) -> None:
    rows = tree.findall(".//table[@class='leaderboard']/tbody/tr")
    shown = {
        "".join(row.find("th").find("bdi").itertext()): [
            float("".join(cell.find("div[@class='mean']/*").itertext()))
            for cell in row.findall("td")[1:]
        ]
        for row in rows
    }
    assert set(shown) == set(hostile_contents.names)
    for run, means in hostile_contents.table.mean().items():
        assert shown[run] == [pytest.approx(means[label], abs=5e-5) for label in MEASURES]


def test_the_best_is_bold_and_letters_tell_runs_apart() -> None:
    random = np.random.default_rng(1).random(30) / 10
    scores = {"good": random + 0.5, "fair": random + 0.2, "same": random[::-1] + 0.2}
    counted = np.ones(30, dtype=np.bool_)
    table = ScoreTable(
        (MeasureFacts("M", "M", "a measure"),),
        tuple(map(str, range(30))),
        tuple(RunScores(run, values[None], counted) for run, values in scores.items()),
    )
    shown = page(Contents(table))
    best = f'<strong>{table.mean()["good"]["M"]:.4f}</strong> <span class="letters">a</span></div>'
    assert best in shown
    assert shown.count('<span class="letters">b</span>') == 2


def test_hostile_text_is_escaped_everywhere(hostile_page: str, tree: Any) -> None:
    assert "<script>alert" not in hostile_page
    assert "<img" not in hostile_page
    assert hostile_page.count("<script>") == 1
    shown = text_in(tree)
    assert shown.count(HOSTILE) == 3  # title, heading, leaderboard; elsewhere it is shorter
    every = [element for element in tree.iter() if isinstance(element.tag, str)]
    assert not [one.tag for one in every if one.tag in ("img", "iframe", "object", "embed", "svg")]
    assert not [name for element in every for name in element.attrib if name[:2] == "on"]
    assert [one.get("type") for one in every if one.tag == "script"] == ["application/json", None]
    data = data_of(hostile_page)
    assert HOSTILE in [run["name"] for run in data["runs"]]
    assert data["title"] == f"Report of {HOSTILE}"
    assert HOSTILE in "".join(view["text"] for view in data["documents"])


def test_text_of_users_is_never_part_of_an_expression() -> None:
    """Vega evaluates filters and calculations: names must come to them as data."""
    topics = tuple(f"'+alert({n})+'" for n in range(130))
    table = replace(synthetic(3, 130, name="']+alert({})+['"), topic_ids=topics)
    named = topic_names([Topic(topic, "alert(3)") for topic in topics], topics)
    found = Contents(table, topics=named)
    figures_found = all_figures(found)
    assert {one.section for one in figures_found} >= {"curves", "differences", "scatter", "tau"}
    for one in figures_found:
        assert not [text for text in expressions(one.spec) if "alert" in text]


def expressions(spec: Any) -> Iterator[str]:
    """All texts of a specification that are evaluated."""
    if isinstance(spec, list):
        for each in spec:
            yield from expressions(each)
    if isinstance(spec, dict):
        for key, each in spec.items():
            if key in ("filter", "calculate", "expr", "signal", "test", "labelExpr"):
                yield json.dumps(each)
            yield from expressions(each)


def test_control_characters_do_not_reach_the_page() -> None:
    strange = "a\x00\x1b\ud800\uffff\u202e\u05d0\n\U0001f41f{}" + "x" * 3000
    shown = page(Contents(synthetic(name=strange)))
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff]", shown)
    shown.encode()
    names = [run["name"] for run in data_of(shown)["runs"]]
    assert not re.search("[\x00-\x1f\x7f-\x9f]", "".join(names))


def test_names_that_look_alike_are_told_apart() -> None:
    strange = [
        "a\x01",
        "a\x02",
        "a\ufffd",
        "x" * 150 + "1" + "x" * 150,
        "x" * 150 + "2" + "x" * 150,
    ]
    table = synthetic(5)
    runs = tuple(replace(one, run=name) for one, name in zip(table.runs, strange, strict=True))
    data = data_of(page(Contents(replace(table, runs=runs))))
    names = [run["name"] for run in data["runs"]]
    assert len(set(names)) == 5
    for figure in data["figures"]:
        assert set(figure["columns"].get("run", ())) <= set(range(5))


def test_warnings_and_undefined_topics_are_shown(hostile_contents: Contents, tree: Any) -> None:
    shown = text_in(tree)
    assert "a note" in shown
    assert hostile_contents.table.undefined()["exact"]["MAiP"] == ["8"]
    assert re.search(r"MAiP, iP\[0\.01\], nxCG@10 ?all systems ?1 ?8", shown)
    assert "1 topic undefined" in shown


def test_documents_tell_hits_near_misses_and_misses(hostile_contents: Contents) -> None:
    by_document = {view.document: view for view in hostile_contents.documents}
    (unit,) = by_document["a"].units
    assert unit.path == "/article[1]/sec[2]/p[1]"
    assert [(one.hit_at, one.reached_from) for one in unit.outcomes] == [(1, None), (None, 1)]
    (other,) = by_document["b"].units
    assert [(one.hit_at, one.reached_from) for one in other.outcomes] == [(3, None), (None, 2)]


def test_a_report_has_one_definition_of_hits_and_near_misses(
    hostile_collection: Collection, hostile_judged: Assessments
) -> None:
    """Documents say of each unit what the measures count: shares by rank are sums over units."""
    second = hostile_collection.element("a", "/article[1]/sec[2]/p[1]")
    whole = hostile_collection.root("a")
    results = {
        "far": paths("/article[1]/sec[4]/p[2]"),
        "passage in it": [passage("a", second.start, second.end - 3)],
        "passage around it": [passage("a", 0, second.end)],
        "passage of everything": [passage("a", 0, whole.end)],
        "next to it": paths("/article[1]/sec[2]/p[2]"),
        "other document": paths("/article[1]/p[2]", document="b"),
        "nothing": [],
    }
    evaluation = Evaluation(
        hostile_judged, PROFILE, collection=hostile_collection, keep=Keep(results=True)
    )
    table = evaluation.score_all([Run.from_results(found, name) for name, found in results.items()])
    views = document_views(evaluation.truth, {one.run: one.results for one in table.runs})
    units = [unit for view in views if view.topic == "7" for unit in view.units]
    for place, (name, means) in enumerate(table.topics().items()):
        hits, near, misses = (means["7"][label] for label in PROFILE)
        found = [unit.outcomes[place] for unit in units]
        assert sum(one.hit_at is not None for one in found) == pytest.approx(hits), name
        assert sum(one.reached for one in found) == pytest.approx(near), name
        assert hits is not None and near is not None and misses is not None
        assert len(units) - hits - near == pytest.approx(misses), name
    outcomes = {name: units[0].outcomes[place] for place, name in enumerate(results)}
    assert outcomes["passage in it"].hit_at == 1  # the innermost element around it
    assert outcomes["passage around it"].hit_at == 1  # it is an element of the cover
    assert outcomes["passage of everything"].hit_at is None  # its cover is the article
    assert outcomes["nothing"] == (None, 0.0, None)


def test_the_data_of_a_document_are_whole(hostile_contents: Contents, hostile_page: str) -> None:
    data = data_of(hostile_page)
    assert [view["text"] for view in data["documents"]] == [
        v.text for v in hostile_contents.documents
    ]
    for view, given in zip(data["documents"], hostile_contents.documents, strict=True):
        assert data["topics"][view["topic"]]["id"] == given.topic
        assert view["doc"] == given.document
        assert [tuple(one) for one in view["highlights"]] == list(given.highlights)


@pytest.mark.parametrize(("runs", "topics", "measures"), [(1, 1, 1), (1, 5, 2), (2, 1, 1)])
def test_little_is_enough(runs: int, topics: int, measures: int) -> None:
    shown = page(Contents(synthetic(runs, topics, measures)))
    html5lib.HTMLParser(strict=True).parse(without_script(shown))
    assert {"summary", "warnings", "leaderboard", "curves", "topics"} <= set(sections_of(shown))


def test_sections_without_contents_are_not_there() -> None:
    table = ScoreTable(
        (MeasureFacts("M", "M", "a measure"),),
        ("1", "2"),
        (RunScores("a", np.array([[0.5, 0.25]]), np.ones(2, dtype=np.bool_)),),
    )
    shown = page(Contents(table))
    assert sections_of(shown) == ["summary", "leaderboard", "topics", "difficulty"]
    assert set(re.findall(r'href="#([^"]+)"', shown)) <= {*sections_of(shown), "main"}


def test_nothing_defined_is_told() -> None:
    table = ScoreTable(
        (MeasureFacts("M", "M", "a measure"),),
        ("1", "2"),
        tuple(RunScores(run, np.full((1, 2), np.nan), np.ones(2, dtype=np.bool_)) for run in "ab"),
    )
    shown = text_of(page(Contents(table)))
    assert "No system has a mean by M" in shown
    assert "all systems" in shown


def test_an_unknown_baseline_is_an_error() -> None:
    with pytest.raises(InputError, match="no run 'x' for the baseline; there are run0"):
        Contents(synthetic(), baseline="x")


def test_a_missing_extra_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingInput, match=r"pip install 'doxeval\[figures\]'"):
        write_report(Contents(synthetic()), tmp_path / "report.html", tmp_path / "figures")
    assert not list(tmp_path.iterdir())
    write_report(Contents(synthetic()), tmp_path / "report.html")  # the page needs nothing more
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


# The verb


@pytest.fixture
def inputs(
    tmp_path: Path,
    hostile_collection: Collection,
    hostile_judged: Assessments,
    hostile_runs: dict[str, Run],
) -> list[str]:
    write_assessments(hostile_judged, tmp_path / "judged.jsonl", "judgments")
    for place, name in enumerate(("exact", HOSTILE)):
        write_run(hostile_runs[name], tmp_path / f"{place}.jsonl")
    files = [str(tmp_path / f"{place}.jsonl") for place in range(2)]
    chosen = [word for measure in MEASURES for word in ("-m", measure)]
    collection = str(hostile_collection.directory)
    known = ["-a", str(tmp_path / "judged.jsonl"), "--collection", collection]
    return [*files, *known, *chosen, "--out", str(tmp_path / "report.html")]


def test_the_verb_writes_a_page(inputs: list[str], tmp_path: Path) -> None:
    result = doxeval("report", *inputs, "--baseline", inputs[1], "--title", "A & B")
    assert result.exit_code == 0, result.output
    shown = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<title>A &amp; B</title>" in shown
    assert "<small>(baseline)</small>" in shown
    assert len(data_of(shown)["documents"]) == 2
    assert "shares" not in sections_of(shown)  # nobody asked how users navigate
    assert "navigat" not in text_of(shown)


def test_the_verb_replaces_nothing_unasked(inputs: list[str], tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")
    result = doxeval("report", *inputs)
    assert (result.exit_code, "exists; --force replaces it" in result.stderr) == (1, True)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "mine"
    assert doxeval("report", *inputs, "--force").exit_code == 0


def test_the_verb_tells_what_is_wrong(inputs: list[str], tmp_path: Path) -> None:
    nobody = doxeval("report", *inputs, "--baseline", "nobody")
    assert (nobody.exit_code, "no run 'nobody' for the baseline" in nobody.stderr) == (1, True)
    assert (
        doxeval("report", *inputs[:-8], "--out", str(tmp_path / "a.html")).exit_code == 2
    )  # no measures
    assert not (tmp_path / "report.html").exists()
