"""Everything by keyboard: the keys, the text cursor, and a whole document without a mouse."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import Browsers, Server, Tab
from doxeval.pooling import PooledElement

PASSWORD = "correct horse"
DOCUMENTS = {
    "first": (
        "<article><title>Low tide</title><p>One two three. Four five six. Seven.</p>\n"
        "<p>Café 👨‍👩‍👧 née.</p><p>שלום עולם</p></article>"
    ),
    "second": "<article><p>Nothing here.</p></article>",
    "third": "<article><p>The last one.</p></article>",
}


@pytest.fixture
def server(serving: Any) -> Server:
    pooled = (PooledElement("/article[1]/p[1]"),)
    started: Server = serving(DOCUMENTS, pooled, show_pooled=True)
    return started


@pytest.fixture
def tab(server: Server, browsers: Browsers) -> Tab:
    return browsers.tab(server).open("7", "first")


def marked(tab: Tab) -> list[str]:
    """Press h; what the server has, after a comparison with the selection and the painting."""
    selected = tab.selected()
    tab.press("h").saved()
    assert tab.painted() == tab.slices()
    assert selected in tab.slices()
    return tab.slices()


@pytest.mark.parametrize(
    ("step", "moves", "expected"),
    [
        ("1", ["ArrowRight"] * 3, "Low"),
        ("2", ["ArrowRight"], "Low"),
        ("2", ["ArrowRight"] * 2, "Low tide"),
        ("4", ["ArrowRight"], "Low tide"),
        ("4", ["ArrowRight"] * 2, "Low tideOne two three. Four five six. Seven."),
        ("1", ["Control+ArrowRight"] * 3, "Low tideOne"),
        ("1", ["Control+ArrowDown"], "Low tide"),
        ("1", ["End"], "Low tide"),
        ("3", ["ArrowRight"] * 2, "Low tideOne two three."),
        ("3", ["ArrowRight"] * 3, "Low tideOne two three. Four five six."),
        ("1", ["ArrowRight"] * 4 + ["ArrowLeft"] * 2, "Lo"),
        ("2", ["ArrowRight"] * 3 + ["ArrowLeft"], "Low tide"),
    ],
)
def test_selecting_with_the_text_cursor(
    tab: Tab, step: str, moves: list[str], expected: str
) -> None:
    tab.press("c", step, *(f"Shift+{move}" for move in moves))
    assert tab("button.cursor").get_attribute("aria-pressed") == "true"
    assert tab(".caret").is_visible()
    assert marked(tab) == [expected]


def test_whole_characters_and_both_directions(tab: Tab) -> None:
    tab.press("c", *["Control+ArrowDown"] * 3, "Home")
    tab.press(*["Shift+ArrowRight"] * 6)
    assert marked(tab) == ["Café 👨‍👩‍👧"]
    tab.press("u", *["Control+ArrowDown"] * 2, "Control+ArrowUp")
    tab.press(*["Shift+ArrowLeft"] * 4)  # forward, in this direction of writing
    assert tab.selected() == "שלום"


def test_lines(tab: Tab) -> None:
    tab.press("c", "Shift+ArrowDown")
    assert tab.selected().startswith("Low tide")
    assert marked(tab)[0].startswith("Low tide")
    tab.press("Shift+Control+End")
    assert tab.selected().endswith("עולם")


def test_the_cursor_stays_on_from_page_to_page(tab: Tab) -> None:
    tab.press("c").open("7", "second")
    assert tab(".caret").is_visible()
    tab.press("c").open("7", "second")
    assert not tab(".caret").is_visible()


def test_highlight_and_remove(tab: Tab) -> None:
    tab.click("Four", 1, 2).press("h").saved()
    assert tab.slices() == ["Four"]
    tab.click("Four", 1).press("u").saved()
    assert tab.slices() == []
    tab.drag("One", "six").press("h").saved()
    tab.click("Four", 1, 2).press("u").saved()
    assert tab.slices() == ["One two three. ", " five six"]
    tab.click("Seven", 1).press("u")
    assert "Nothing is highlighted there" in tab.told()


def test_best_entry_point(tab: Tab) -> None:
    tab.click("Four", 1, 2).press("h").saved()
    tab.press("b").saved()
    assert tab.text[tab.stored.state.bep :].startswith("Four")
    assert tab.painted("entry") == ["F"]
    assert tab(".entry").is_visible()
    box = tab.box_of("Four")
    mark = tab(".entry").bounding_box()
    assert abs(mark["y"] - box["top"]) < 12
    tab.press("Shift+B").saved()
    assert tab.stored.state.bep is None
    assert not tab(".entry").is_visible()


def test_keywords_and_pooled_elements(tab: Tab) -> None:
    tab("#keywords summary").click()
    tab("#keywords input[type=text]").fill("four, tide, caf*")
    tab("#keywords form button").click()
    tab.page.wait_for_timeout(100)
    assert [tab.painted(f"k{n}") for n in range(3)] == [["Four"], ["tide"], ["Café"]]
    tab("dx-document").focus()
    tab.press("k")
    assert tab.painted("k0") == []
    tab.press("k", "o")
    assert tab.painted("k0") == ["Four"]
    assert tab.painted("pooled") == ["One two three. Four five six. Seven."]
    tab.press("o")
    assert tab.painted("pooled") == []
    tab.page.reload()
    tab("dx-document").wait_for()
    tab(".keyword").first.wait_for()
    assert tab("#keywords input[type=text]").input_value() == "four, tide, caf*"


def test_keys_mean_nothing_in_fields(tab: Tab) -> None:
    tab.click("Four", 1, 2)
    tab("#notes textarea").focus()
    tab.page.keyboard.type("hxnsb?")
    tab.page.wait_for_timeout(200)
    assert "/article" in tab.page.url
    assert tab("dialog[open]").count() == 0
    tab.page.keyboard.press("Tab")
    tab.saved()
    assert tab.stored.state.note == "hxnsb?"
    assert tab.slices() == []


def test_help(tab: Tab) -> None:
    tab.press("?")
    assert "best entry point" in tab("dialog").inner_text()
    assert tab.problems_of_access() == []
    tab.press("x", "Escape")  # in a dialog, keys mean nothing else
    assert tab("dialog").count() == 0
    assert tab.stored.version == 0


def test_the_list_of_passages(tab: Tab) -> None:
    for word in ("One", "Four", "Seven"):
        tab.click(word, 1, 2).press("h").saved()
    assert tab("#passages .count").inner_text() == "3 passages, 12 characters"
    rows = tab("#passages .jump")
    assert rows.all_inner_texts() == ["One", "Four", "Seven"]
    rows.first.focus()
    tab.press("ArrowDown", "Enter")
    assert tab.painted("here") == ["Four"]
    tab.press("b").saved()
    assert tab.text[tab.stored.state.bep :].startswith("Four")
    tab.press("Delete").saved()
    assert tab.slices() == ["One", "Seven"]
    assert tab.page.evaluate("document.activeElement.textContent") == "Seven"
    assert "Highlight removed: Four" in tab("#announcer").text_content()
    tab.page.get_by_role("button", name="Remove the passage Seven").click()
    tab.saved()
    assert tab.slices() == ["One"]


def test_skip_previous_and_not_relevant(tab: Tab, server: Server) -> None:
    tab.press("s")
    tab.page.wait_for_url("**doc=second*")
    tab("dx-document").wait_for()
    tab.press("p")
    tab.page.wait_for_url("**doc=first*")
    tab("dx-document").wait_for()
    assert tab(".badge.skipped").count() == 1
    tab.press("p")
    assert "first document" in tab.told()
    tab.press("x")
    tab.page.wait_for_url("**doc=second*")
    tab("dx-document").wait_for()
    tab.document = "first"
    assert tab.stored.state.status == "validated"


def test_a_document_from_login_to_the_next_one_without_a_mouse(
    server: Server, browsers: Browsers
) -> None:
    tab = browsers.tab(server, user=None)
    tab.user, tab.topic, tab.document = "ann", "7", "first"
    tab.page.goto(server.url("/login"))
    until(tab, "#name")
    tab.page.keyboard.type("ann")
    tab.press("Tab")
    tab.page.keyboard.type(PASSWORD)
    tab.press("Enter")
    tab.page.wait_for_url(server.url("/"))
    until(tab, "table a.button")
    tab.press("Enter")
    tab("dx-document").wait_for()
    tab.press("c", "3", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "h").saved()
    assert [one.strip() for one in tab.slices()] == ["Four five six."]
    tab.press("b", "n")
    tab.page.wait_for_url("**doc=second*")
    tab("dx-document").wait_for()
    assert tab.stored.state.status == "validated"
    assert tab.text[tab.stored.state.bep :].strip().startswith("Four")
    tab.press("x")
    tab.page.wait_for_url("**doc=third*")
    tab("dx-document").wait_for()
    tab.press("x")
    tab.page.wait_for_url("**/queue?topic=7")
    assert tab.said == []


def until(tab: Tab, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(40):
        if tab.page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        tab.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab")
