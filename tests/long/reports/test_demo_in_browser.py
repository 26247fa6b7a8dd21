"""The demo's reports: links to sections land right, what was chosen comes back, axe is content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import AXE, violations
from helpers import doxeval

REPORTS = ("report", "chunks")
# Everything that an address keeps, in the words of the demo's report.
STATES = {
    "runs": "#leaderboard?runs=careful,clerk",
    "no runs": "#leaderboard?runs=",
    "measure": "#summary?measure=MAgP",
    "sort": "#leaderboard?sort=MAgP(score%3Dbep),ascending",
    "order of topics": "#topics?sort-topics=clerk,descending",
    "order of differences": "#differences?sort-against-baseline=worse%20on,descending",
    "topic": "#topics?topic=305",
    "pair": "#head-to-head?pair=clerk,magpie,MAgP",
    "document": "#documents?document=312,notebook,careful,clerk",
}
# What each of them changes, as a script that reads it from the page.
SEEN = """(
    rows = table => [...document.querySelectorAll(`${table} tbody tr`)],
    lists = place => [...document.querySelectorAll(`${place} select`)].map(each => each.value),
) => ({
    runs: [...document.querySelectorAll("#run-chooser input:checked")].length,
    measure: document.querySelector("#measure-chooser [aria-pressed=true]").textContent,
    leaderboard: rows("table.leaderboard").map(each => each.dataset.run),
    topics: rows("table.topics").map(each => each.dataset.topic),
    against: rows("#against-baseline").map(each => each.dataset.run),
    topic: document.querySelector("#topic-view h3").textContent,
    pair: lists("#head-to-head"),
    document: lists("#document-view").slice(0, 4),
})"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("addresses") / "demo"
    made = doxeval("demo", "--out", out)
    assert made.exit_code == 0, made.stderr
    return out


Opening = Callable[[str], Any]


@pytest.fixture
def opened(chromium: Any, demo: Path) -> Iterator[Opening]:
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    words: list[str] = []

    def open_page(address: str) -> Any:
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: words.append(message.text))
        page.on("pageerror", lambda error: words.append(str(error)))
        page.goto((demo / "report.html").as_uri().replace("report.html", address))
        return page

    yield open_page
    context.close()
    assert words == []


def drawn(page: Any) -> None:
    """Wait until all figures are drawn, and the page is still."""
    page.locator("figure[data-figure] .plot:not(:has(svg, canvas))").first.wait_for(
        state="detached"
    )
    page.wait_for_timeout(1000)


def top(page: Any, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return float(box["y"])


def seen(page: Any) -> dict[str, Any]:
    page.locator("#document-view").scroll_into_view_if_needed()
    page.locator("#document-view select").first.wait_for()
    return dict(page.evaluate(f"({SEEN})()"))


@pytest.mark.parametrize("report", REPORTS)
def test_a_link_to_each_section_lands_there(opened: Opening, report: str) -> None:
    first = opened(f"{report}.html")
    sections = first.evaluate("[...document.querySelectorAll('main > section')].map(s => s.id)")
    assert len(sections) > 9
    for section in sections:
        page = opened(f"{report}.html#{section}")
        drawn(page)
        assert 40 <= top(page, f"section#{section}") <= 80, section
        page.close()


def test_a_link_within_the_page_lands_right_while_figures_are_drawn(opened: Opening) -> None:
    page = opened("report.html")
    page.locator("nav#contents a[href='#difficulty']").click()
    drawn(page)
    assert 40 <= top(page, "section#difficulty") <= 80
    page.locator("nav#contents a[href='#summary']").click()
    page.locator(".finding a[href='#measures']").click()
    page.locator("#measures").wait_for()
    assert 40 <= top(page, "#measures") <= 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", REPORTS)
def test_with_everything_open_axe_finds_nothing(
    chromium: Any, demo: Path, report: str, scheme: str
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make web")
    page = chromium.new_page(viewport={"width": 1400, "height": 900}, color_scheme=scheme)
    page.goto((demo / f"{report}.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.locator("#document-view").scroll_into_view_if_needed()
    drawn(page)
    assert violations(page, minor=True) == []
    page.close()


def test_the_page_is_not_held_against_the_reader(opened: Opening) -> None:
    page = opened("report.html#documents")
    page.wait_for_timeout(100)
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -3000)
    drawn(page)
    assert top(page, "section#documents") > 900


@pytest.mark.parametrize("name", STATES)
def test_a_link_and_a_reload_bring_back_what_was_chosen(opened: Opening, name: str) -> None:
    usual = seen(opened("report.html"))
    page = opened(f"report.html{STATES[name]}")
    drawn(page)
    section = STATES[name][1:].partition("?")[0]
    assert -10 <= top(page, f"section#{section}") <= 80, "the link lands while figures are drawn"
    linked = seen(page)
    assert linked != usual
    page.wait_for_timeout(500)
    assert STATES[name].partition("?")[2] in page.evaluate("location.hash")
    page.reload()
    assert seen(page) == linked


def test_choices_are_written_into_the_address(opened: Opening) -> None:
    page = opened("report.html")
    page.locator("#run-chooser input[data-run='1']").uncheck()
    page.locator("#measure-chooser button").nth(1).click()
    page.locator("table.leaderboard th[data-measure='2'] button.sort").click()
    page.locator("#topic-view select").first.select_option(index=3)
    page.locator("#head-to-head select").nth(0).select_option(index=4)
    page.locator("section#documents").scroll_into_view_if_needed()
    page.locator("#document-view [data-choose='beside']").select_option(index=3)
    changed = seen(page)
    page.wait_for_timeout(500)
    address = page.evaluate("location.hash")
    for name in ("runs=", "measure=", "sort=", "topic=", "pair=", "document="):
        assert name in address
    assert seen(opened(f"report.html{address}")) == changed


def test_the_way_back_leads_to_where_the_reader_was(opened: Opening) -> None:
    page = opened("report.html")
    drawn(page)
    before = page.locator("#topic-view h3").first.inner_text()
    page.locator("section#topics table button.topic[data-topic='4']").click()
    assert page.locator("#topic-view h3").first.inner_text() != before
    # Playwright would scroll the page before it presses something in a bar that does not move.
    page.locator("nav#contents a[href='#curves']").dispatch_event("click")
    assert 40 <= top(page, "section#curves") <= 80
    page.go_back()
    page.wait_for_timeout(300)
    assert page.locator("#topic-view h3").first.inner_text() != before
    assert 0 <= top(page, "#topic-view") <= 120
    page.go_back()
    page.wait_for_timeout(300)
    assert page.locator("#topic-view h3").first.inner_text() == before
    page.go_forward()
    page.wait_for_timeout(300)
    assert page.locator("#topic-view h3").first.inner_text() != before


def test_unknown_names_are_passed_over(opened: Opening) -> None:
    usual = seen(opened("report.html"))
    strange = "#nowhere?runs=nobody,&measure=x&sort=y,down&topic=%3Cimg%3E&document=1&pair=%&x=1&=&"
    for address in (strange, "#%", "#?", "#__proto__?__proto__=a", "#toString?topic=__proto__"):
        assert seen(opened(f"report.html{address}")) == usual, address


def test_rows_of_long_tables_are_found_by_their_words(opened: Opening) -> None:
    page = opened("report.html")
    rows = page.locator("table.topics tbody tr:visible")
    assert rows.count() == 17
    field = page.get_by_label("Find topics").last
    field.fill("FOG")
    assert rows.count() == 1
    assert "fog" in rows.first.inner_text()
    field.fill("")
    assert rows.count() == 17


def test_documents_of_chunks_open_where_something_is_shown(opened: Opening) -> None:
    page = opened("chunks.html#documents")
    page.locator("#document-view mark.dv-returned").first.wait_for()
    box = page.locator("#document-view .dv-text").first.bounding_box()
    place = page.locator("#document-view mark.dv-returned").first.bounding_box()
    assert box is not None
    assert place is not None
    assert box["y"] <= place["y"] <= box["y"] + box["height"]
    assert page.locator("#document-view .dv-title").count() > 2
