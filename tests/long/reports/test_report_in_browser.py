"""The script of a report in Chromium: choosing, sorting, comparing; safe, quiet, accessible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from browsing import AXE, violations
from doxeval.reports import Contents, Loss, report, write_report
from doxeval.scores import Curve, MeasureFacts, RunScores, ScoreTable
from doxeval.topics import Topic

HOSTILE = "</script><script>owned()</script><img src=x onerror=\"alert('owned')\">"
RUNS = ("plain", "second", HOSTILE, "last")
# Means of the first measure: the order of the runs. By the second measure it is the other way.
LEVELS = (0.8, 0.6, 0.4, 0.2)


def scored(runs: tuple[str, ...] = RUNS, topics: int = 12) -> ScoreTable:
    """Scores that rank the runs as they stand, and the other way by the second measure."""
    facts = (
        MeasureFacts("P", "P(a=1)", "precision"),
        MeasureFacts("Q", f"Q(b={HOSTILE})", f"a measure {HOSTILE}"),
    )
    random = np.random.default_rng(3)
    x = np.linspace(0, 1, 11)
    found = []
    for number, run in enumerate(runs):
        level = LEVELS[number % 4]
        noise = random.normal(0, 0.01, (2, topics))
        values = np.array([[level], [1 - level]]) + noise
        values[0, 0] = values[0, 0] - 0.5 if number == 0 else values[0, 0]  # one topic is lost
        lines = np.outer(values[0], 1 - x / 2)
        curve = Curve("P", "recall", "precision", x, lines)
        found.append(RunScores(run, values, np.ones(topics, dtype=np.bool_), None, (curve,)))
    return ScoreTable(facts, tuple(f"t{t}" for t in range(topics)), tuple(found))


def named(topics: int = 12) -> list[Topic]:
    """A title for each topic; that of the first is hostile."""
    titles = [f"first {HOSTILE}", *(f"title number {t}" for t in range(1, topics))]
    return [
        Topic(f"t{t}", title=title, castitle=f"//sec[about(., {title})]", description=HOSTILE)
        for t, title in enumerate(titles)
    ]


@dataclass
class Tab:
    """A page in the browser, and everything it said or asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __call__(self, selector: str) -> Any:
        return self.page.locator(selector)

    def runs_in_leaderboard(self) -> list[str]:
        return [
            name.strip()
            for name in self("section#leaderboard tbody tr:visible th bdi").all_inner_texts()
        ]

    def wait_for_lines(self, count: int) -> None:
        """Wait until the figure of curves has so many lines; it is drawn after the click."""
        from playwright.sync_api import expect

        self("#figure-curve-1").scroll_into_view_if_needed()
        self("#figure-curve-1 .plot svg").wait_for()
        expect(self("#figure-curve-1 .mark-line path[stroke-width='2']")).to_have_count(count)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report") / "report.html"
    report(scored(), out, title=f"Title {HOSTILE}", baseline="last", topics=named())
    return out


Opening = Callable[..., Tab]


@pytest.fixture
def opened(chromium: Any, written: Path) -> Iterator[Opening]:
    contexts: list[Any] = []

    def open_page(file: Path = written, width: int = 1400, scheme: str = "light") -> Tab:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        tab = Tab(context.new_page())
        tab.page.set_default_timeout(10_000)
        tab.page.on("console", lambda message: tab.said.append(message.text))
        tab.page.on("pageerror", lambda error: tab.said.append(str(error)))
        tab.page.on("dialog", lambda dialog: tab.said.append(dialog.message))
        tab.page.on("request", lambda request: tab.asked.append(request.url))
        tab.page.goto(file.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()


def test_choosing_runs_changes_every_figure_and_table(opened: Opening) -> None:
    tab = opened()
    assert tab.runs_in_leaderboard() == list(RUNS)
    tab.wait_for_lines(4)
    tab("#run-chooser input[data-run='1']").uncheck()
    assert tab.runs_in_leaderboard() == ["plain", HOSTILE, "last"]
    tab.wait_for_lines(3)
    tab("#topic-view").scroll_into_view_if_needed()
    tab("#topic-view table.scores tbody tr").nth(3).wait_for(state="detached")
    tab("#run-chooser input[data-run='1']").check()
    tab.wait_for_lines(4)
    tab("#run-chooser").get_by_text("none", exact=True).click()
    assert tab.runs_in_leaderboard() == []
    tab("#run-chooser").get_by_text("all", exact=True).click()
    assert tab.runs_in_leaderboard() == list(RUNS)
    assert tab.said == []


def test_runs_that_are_not_chosen_can_still_be_read(opened: Opening) -> None:
    tab = opened()
    tab("#run-chooser input[data-run='3']").uncheck()
    tab("section#leaderboard button.more").click()
    assert tab.runs_in_leaderboard() == list(RUNS)
    assert tab("section#leaderboard tr.unchosen").count() == 1


def test_the_leaderboard_is_sorted_by_any_measure(opened: Opening) -> None:
    tab = opened()
    head = tab("section#leaderboard th[data-measure='1']")
    head.locator("button.sort").click()
    assert tab.runs_in_leaderboard() == list(reversed(RUNS))
    assert head.get_attribute("aria-sort") == "descending"
    head.locator("button.sort").press("Enter")
    assert tab.runs_in_leaderboard() == list(RUNS)
    assert tab("section#leaderboard tbody .rank").first.inner_text() == "1"


def test_every_cell_has_a_bar_with_its_interval(opened: Opening) -> None:
    tab = opened()
    assert tab("section#leaderboard tbody svg.bar").count() == 8
    assert tab("section#leaderboard tbody svg.bar .whisker").count() == 24


def test_two_runs_head_to_head(opened: Opening) -> None:
    tab = opened()
    place = tab("section#head-to-head")
    place.scroll_into_view_if_needed()
    place.locator("select").nth(0).select_option(label="plain")
    place.locator("select").nth(1).select_option(label="second")
    verdict = place.locator(".verdict").inner_text()
    assert "better on 11" in verdict
    assert "worse on 1" in verdict
    assert re.search(r"significant \(.*p [=<] [0-9.]+ after Holm", verdict)
    bars = place.locator(".plot .mark-rect path")
    bars.first.wait_for()
    assert bars.count() == 12
    assert place.locator("tbody tr").count() == 12
    assert "title number" in place.locator("tbody tr").first.inner_text()
    assert HOSTILE in place.locator("tbody tr").last.inner_text()  # the topic that was lost
    place.get_by_label("Swap the systems").click()
    assert place.locator(".tally .win").inner_text() == "better on 1"


def test_a_topic_pressed_in_a_figure_opens_its_view(opened: Opening) -> None:
    tab = opened()
    place = tab("section#head-to-head")
    place.scroll_into_view_if_needed()
    place.locator(".plot .mark-rect path").last.click()
    heading = tab("#topic-view h3").first
    assert heading.inner_text() == f"Topic t0: first {HOSTILE}"
    described = tab("#topic-view dd").all_inner_texts()  # the question stands before the query
    assert described[0] == HOSTILE and described[1].startswith("//sec[about(")
    tab("#topic-view").get_by_label("Next topic").click()
    assert heading.inner_text() == "Topic t1: title number 1"
    tab("section#topics table button.topic[data-topic='4']").click()
    assert heading.inner_text() == "Topic t4: title number 4"


def test_values_under_the_pointer(opened: Opening) -> None:
    tab = opened()
    place = tab("section#head-to-head")
    place.scroll_into_view_if_needed()
    place.locator(".plot .mark-rect path").last.hover()
    tab("#tooltip").wait_for()
    assert HOSTILE in tab("#tooltip").inner_text()
    assert tab("#tooltip img, #tooltip script").count() == 0
    tab.page.keyboard.press("Escape")
    assert tab("#tooltip").is_hidden()


def test_measures_explain_themselves_in_place(opened: Opening) -> None:
    tab = opened()
    mark = tab("section#leaderboard th[data-measure='1'] button.measure.mark")
    mark.focus()
    tab.page.keyboard.press("Enter")
    box = tab("#explanation")
    assert HOSTILE in box.inner_text()
    tab.page.keyboard.press("Escape")
    assert box.is_hidden()
    assert tab.page.evaluate("document.activeElement.matches('button.measure.mark')")


def test_data_of_figures_and_tables_as_csv(opened: Opening) -> None:
    tab = opened()
    for selector, first in (
        ("#figure-curve-1 .data[aria-label$=CSV]", "system,x,y"),
        ("section#leaderboard .data", "system,P(a=1)"),
        ("section#head-to-head .data[aria-label$=CSV]", "topic,title,measure"),
        ("#topic-view .data", "topic,system,P(a=1)"),
    ):
        with tab.page.expect_download() as started:
            tab(selector).click()
        text = Path(started.value.path()).read_text(encoding="utf-8")
        assert text.startswith(first)
        assert text.count("\n") > 4
    assert tab.said == []


def test_figures_are_saved_with_their_titles(opened: Opening) -> None:
    tab = opened(scheme="dark")
    for figure in ("curve-1", "differences", "difficulty"):
        title = tab(f"#figure-{figure} figcaption > bdi").inner_text()
        for kind, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            with tab.page.expect_download() as started:
                tab(f"#figure-{figure}").get_by_text(kind, exact=True).click()
            assert started.value.suggested_filename.startswith("Title-script-script-owned")
            assert started.value.suggested_filename.endswith(f"-{figure}.{kind.lower()}")
            saved = Path(started.value.path()).read_bytes()
            assert saved.startswith(begins)
            if kind == "SVG":
                words = "".join(ElementTree.fromstring(saved).itertext())
                assert title.replace(" ", "") in words.replace(" ", "")
                assert b"#1c1f24" in saved  # the colours of paper
    with tab.page.expect_download() as started:
        tab("#head-to-head figure").get_by_text("SVG", exact=True).click()
    words = " ".join(ElementTree.parse(started.value.path()).getroot().itertext())
    assert "plain is better than last on 12 of 12 topics" in words
    assert tab.said == []
    assert [address for address in tab.asked if not address.startswith("blob:")] == tab.asked[:1]


def test_a_line_is_lifted_by_its_name_and_by_the_pointer(opened: Opening) -> None:
    tab = opened()
    tab.wait_for_lines(4)
    lifted = tab("#figure-curve-1 .mark-line path[stroke-width='4']")
    assert lifted.count() == 0
    tab("#run-chooser li").nth(1).hover()
    lifted.wait_for()
    assert lifted.count() == 1
    assert tab("#tooltip").count() == 0
    tab("#figure-curve-1 figcaption").hover()
    lifted.wait_for(state="detached")
    tab("#run-chooser input[data-run='1']").focus()  # by keyboard, too
    lifted.wait_for()
    tab("#run-chooser input[data-run='1']").blur()
    lifted.wait_for(state="detached")
    frame = tab("#figure-curve-1 .mark-line path").last.bounding_box()  # "last" is the lowest line
    tab.page.mouse.move(frame["x"] + 2, frame["y"] + 8)
    lifted.wait_for()
    shown = tab("#tooltip").inner_text()
    assert "last" in shown and "recall" in shown and "precision" in shown
    tab.page.mouse.move(5, 5)
    tab("#tooltip").wait_for(state="hidden")
    assert tab.said == []


def test_everything_by_keyboard(opened: Opening) -> None:
    tab = opened()
    box = tab("#run-chooser input[data-run='0']")
    box.focus()
    tab.page.keyboard.press("Space")
    assert tab.runs_in_leaderboard() == list(RUNS[1:])
    pressable = "button, select, input, summary, a[href], [role=region]"
    unreachable = tab.page.evaluate(
        "selector => [...document.querySelectorAll(selector)]"
        ".filter(each => each.tabIndex < 0).map(each => each.outerHTML)",
        pressable,
    )
    assert unreachable == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_safe_quiet_and_accessible(opened: Opening, width: int, scheme: str) -> None:
    tab = opened(width=width, scheme=scheme)
    tab("figure[data-figure] .plot svg, figure[data-figure] .plot canvas").first.wait_for()
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    dark = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(255, 255, 255)") == (scheme == "light")
    assert tab.page.evaluate("document.images.length") == 0
    for figure in tab("figure[data-figure]").all():
        figure.scroll_into_view_if_needed()
        plot = figure.locator(".plot")
        plot.locator("svg, canvas").first.wait_for()
        assert plot.get_attribute("role") == "img"
        described = plot.get_attribute("aria-describedby")
        assert tab(f"[id='{described}']").text_content()
    assert tab.said == []  # no word from the policy of contents, no error, no dialog
    assert len(tab.asked) == 1  # the page itself
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make web")
    assert violations(tab.page, minor=True) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("runs", [["one"], ["one", "same", "again"]])
def test_of_one_run_and_of_equal_ones(
    opened: Opening, tmp_path: Path, runs: list[str], scheme: str
) -> None:
    only = scored(("one",)).runs[0]
    table = replace(scored(("one",)), runs=tuple(replace(only, run=run) for run in runs))
    report(table, tmp_path / "report.html")
    tab = opened(tmp_path / "report.html", scheme=scheme)
    verdicts = tab("#overview tbody .compared").all_inner_texts()
    assert verdicts == (["same mean"] * len(runs) if len(runs) > 1 else [])
    assert tab("aside#runs").is_visible() == (
        len(runs) > 1
    )  # of one run there is nothing to choose
    assert tab("#overview circle.is-baseline, .leaderboard strong").count() == 0
    assert "baseline" not in tab("main").inner_text().replace("No baseline was given", "")
    if AXE.exists():
        assert violations(tab.page, minor=True) == []
    assert tab.said == []


@pytest.mark.parametrize("width", [390, 1400])
def test_names_beside_lines_and_points_stay_different(
    opened: Opening, tmp_path: Path, width: int
) -> None:
    runs = tuple(f"university-of-somewhere-{kind}-with-feedback-{kind}" for kind in "abcd")
    report(scored(runs), tmp_path / "report.html")
    tab = opened(tmp_path / "report.html", width=width)
    short = set(tab("#overview tbody th bdi").all_inner_texts())
    assert len(short) == len(runs)
    tab.wait_for_lines(4)
    assert short <= set(tab("#figure-curve-1 .plot text").all_text_contents())
    tab("#figure-scatter-1").scroll_into_view_if_needed()
    tab("#figure-scatter-1 .plot svg").wait_for()
    labels = set(tab("#figure-scatter-1 .plot text").all_text_contents())
    assert {label for label in labels if "…" in label} <= short


def test_what_is_missed_is_dark_in_the_dark(opened: Opening, tmp_path: Path) -> None:
    losses = (Loss("plain", "P", 0.6, 0.3, 0.1), Loss("second", "P", 0.5, 0.3, 0.2))
    write_report(Contents(scored(RUNS[:2]), losses=losses), tmp_path / "report.html")
    for scheme, grey in (("light", "#cfd4db"), ("dark", "#4a515c")):
        tab = opened(tmp_path / "report.html", scheme=scheme)
        tab("#figure-losses").scroll_into_view_if_needed()
        tab(f"#figure-losses .mark-rect path[fill='{grey}']").first.wait_for()
        with tab.page.expect_download() as saved:
            tab("#figure-losses .saves button").first.click()
        assert "#cfd4db" in Path(saved.value.path()).read_text(encoding="utf-8")
        assert tab.said == []


def test_printing_draws_everything_in_ink(opened: Opening) -> None:
    tab = opened(scheme="dark")
    tab.page.emulate_media(media="print", color_scheme="dark")
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab("figure[data-figure] .plot:not(:has(svg))").count() == 0
    ink = tab("#figure-curve-1 .role-axis-title text").first.get_attribute("fill")
    assert ink == "#1c1f24"


def test_runs_topics_and_measures_with_names_that_javascript_knows(
    opened: Opening, tmp_path: Path
) -> None:
    names = ("__proto__", "constructor", "toString", "a.b[0]", "hasOwnProperty")
    facts = tuple(MeasureFacts(name, name, "a measure") for name in ("constructor", "__proto__"))
    x, random = np.linspace(0, 1, 11), np.random.default_rng(3)
    runs = []
    for run in names:
        curve = Curve("constructor", "recall", "precision", x, np.outer(random.random(5), 1 - x))
        values = random.random((2, 5))
        runs.append(RunScores(run, values, np.ones(5, dtype=np.bool_), None, (curve,)))
    report(ScoreTable(facts, names, tuple(runs)), tmp_path / "report.html", baseline="a.b[0]")
    tab = opened(tmp_path / "report.html")
    assert sorted(tab.runs_in_leaderboard()) == sorted(names)
    tab.wait_for_lines(5)
    marks = {
        "#figure-differences .mark-rect.role-mark path": 4 * 5,  # runs but the baseline, topics
        "#figure-scatter-1 .mark-symbol.role-mark path": 5,
        "#figure-difficulty .mark-rule.role-mark line": 5,
        "#head-to-head .plot .mark-rect.role-mark path": 5,
    }
    for mark, count in marks.items():
        figure = mark.partition(" ")[0]
        tab(figure).scroll_into_view_if_needed()
        tab(f"{figure} .plot svg").wait_for()
        assert tab(mark).count() == count, mark
    tab("#head-to-head .plot .mark-rect.role-mark path").first.hover()
    tab("#tooltip").wait_for()
    assert "\u2060" not in tab("#tooltip").inner_text()
    place = tab.runs_in_leaderboard().index("__proto__")
    tab("#run-chooser").get_by_text("none", exact=True).click()
    tab(f"#run-chooser input[data-run='{place}']").check()
    tab.wait_for_lines(1)
    tab("section#leaderboard").scroll_into_view_if_needed()
    with tab.page.expect_download() as saved:
        tab("section#leaderboard button.data").click()
    first = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()[0]
    assert first.split(",")[1::4] == ["constructor", "__proto__"]
    assert tab.said == []


def test_more_topics_than_fit_can_be_zoomed(opened: Opening, tmp_path: Path) -> None:
    out = tmp_path / "long.html"
    report(scored(topics=300), out)
    tab = opened(out)
    place = tab("section#head-to-head")
    place.scroll_into_view_if_needed()
    bars = place.locator(".plot .mark-rect path, .plot canvas")
    bars.first.wait_for()
    assert place.locator("tbody tr").count() == 300
    assert tab.said == []


def test_many_runs_can_be_found_by_name(opened: Opening, tmp_path: Path) -> None:
    out = tmp_path / "many.html"
    report(scored(tuple(f"run{n:02}" for n in range(30))), out)
    tab = opened(out)
    assert len(tab.runs_in_leaderboard()) <= 11
    assert tab("section#summary").get_by_text("20 systems not chosen are not shown.").is_visible()
    tab("#run-chooser input[type='search']").fill("run2")
    assert tab("#run-chooser .choices li:visible").count() == 10
    assert tab.said == []


def full_names(rows: Any) -> list[str]:
    """The names of runs, whole where they are shortened."""
    names = rows.locator("th bdi").all()
    return [name.get_attribute("title") or name.inner_text() for name in names]


def test_the_first_screen_shows_one_measure_at_a_time(opened: Opening) -> None:
    tab = opened()
    rows = tab("#overview tbody tr:visible")
    assert full_names(rows) == list(RUNS)
    assert [len(name) <= 24 for name in rows.locator("th bdi").all_inner_texts()] == [True] * 4
    assert rows.locator("circle.mean").count() == 4
    assert rows.locator("line.reference").count() == 4
    assert rows.locator(".compared").all_inner_texts() == ["better", "better", "better", "baseline"]
    assert tab("#overview tfoot text").all_text_contents() == ["0", "0.25", "0.5", "0.75", "1"]
    tab("#measure-chooser button").nth(1).click()
    assert full_names(rows) == list(reversed(RUNS))
    assert rows.locator(".compared").all_inner_texts() == ["baseline", "worse", "worse", "worse"]
    assert rows.locator(".rank").all_inner_texts() == ["1", "2", "3", "4"]
    assert HOSTILE in tab("#overview thead .measured").inner_text()
    tab("#run-chooser input[data-run='1']").uncheck()
    assert rows.count() == 3
    assert tab.said == []
