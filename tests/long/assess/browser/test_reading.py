"""What helps to read: finding words, keywords, text size, highlighting by mouse, the question."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import Browsers, Server, Tab
from small_campaign import operation

DOCUMENTS = {
    "tides": (
        "<article><title>Tides</title><sec><p>The moon pulls the sea 🌊 at night.</p><p>Twice a "
        "day the water rises.</p></sec>"
        "<sec><p>Spring <b>ti</b>des are high. The tides turn.</p></sec>"
        + "<p>Nothing of it.</p>" * 60
        + "<p>At last, water and tides.</p></article>"
    )
}


@pytest.fixture
def server(serving: Any) -> Server:
    started: Server = serving(DOCUMENTS)
    return started


@pytest.fixture
def tab(server: Server, browsers: Browsers) -> Tab:
    return browsers.tab(server).open("7", "tides")


def find(tab: Tab, words: str) -> str:
    """Type words to find; the count that the page shows."""
    tab.press("f")
    tab(".find-in-text input").fill(words)
    tab.page.wait_for_timeout(300)
    return str(tab(".find-in-text .note").inner_text())


def test_words_are_found_painted_and_selected_exactly(tab: Tab) -> None:
    assert find(tab, "TIDES") == "1 of 4"
    assert tab.painted("match") == ["Tides", "tides", "tides", "tides"]
    assert tab.painted("here") == ["Tides"]
    tab.press("Enter", "Enter")
    assert tab(".find-in-text .note").inner_text() == "3 of 4"
    tab.press("Shift+Enter")
    assert tab(".find-in-text .note").inner_text() == "2 of 4"
    assert tab.problems_of_access() == []
    tab.press("Escape")  # across an inline element, and behind an astral character
    assert tab.selected() == "tides"
    assert tab.painted("match") == tab.painted("here") == []
    tab.press("h").saved()
    assert tab.slices() == ["tides"]
    start = tab.stored.state.highlights[0][0]
    assert tab.text[start - 7 : start] == "Spring "


def test_the_last_match_is_brought_into_sight(tab: Tab) -> None:
    assert find(tab, "water and") == "1 of 1"
    box = tab.page.evaluate(
        """() => {
          const [found] = CSS.highlights.get('here');
          const range = document.createRange();
          range.setStart(found.startContainer, found.startOffset);
          range.setEnd(found.endContainer, found.endOffset);
          const {top, bottom} = range.getBoundingClientRect();
          const head = document.querySelector('.head').getBoundingClientRect();
          return [top, bottom, head.bottom, innerHeight];
        }"""
    )
    assert box[2] <= box[0] < box[1] <= box[3]


def test_what_is_not_there_is_said(tab: Tab) -> None:
    assert find(tab, "nowhere at all") == "not there"
    tab.page.get_by_role("button", name="Close", exact=True).click()
    assert tab(".find-in-text").is_hidden()
    assert tab.page.evaluate("document.activeElement.tagName") == "DX-DOCUMENT"


def test_keywords_one_after_another(tab: Tab) -> None:
    announced = []
    for key in (".", ".", ".", ".", ".", ",", ","):
        tab.press(key)
        announced.append(tab("#announcer").inner_text().split(":")[0])
    of_all = [f"keyword {number} of 4" for number in (1, 2, 3, 4)]
    assert announced[:4] == of_all
    assert announced[4:] == ["From the beginning", "From the end", of_all[2]]
    tab.press("b").saved()  # the cursor stands there
    assert tab.text[tab.stored.state.bep :].startswith("tides turn")
    tab.page.get_by_role("button", name="Next keyword").click()
    assert "4 of 4" in tab("#keywords .steps").inner_text()


def test_text_size_is_kept_for_the_user(tab: Tab, server: Server, browsers: Browsers) -> None:
    def size(of: Tab) -> float:
        return float(
            of.page.evaluate(
                "parseFloat(getComputedStyle(document.querySelector('dx-document')).fontSize)"
            )
        )

    before = size(tab)
    tab.press("+", "+")
    assert size(tab) == pytest.approx(before * 1.3)
    tab.page.reload()
    tab("dx-document").wait_for()
    assert size(tab) == pytest.approx(before * 1.3)
    tab.drag("moon", "night")
    tab.press("h").saved()
    assert tab.slices() == tab.painted() == ["moon pulls the sea 🌊 at night"]
    tab.page.context.clear_cookies()
    token = server.campaign.open_session(server.campaign.user("bob"))
    tab.page.context.add_cookies([{"name": "doxeval", "value": token, "url": server.address}])
    assert size(browsers.tab(server, "bob").open("7", "tides")) == pytest.approx(before)


def test_highlighting_on_release_is_a_setting(tab: Tab) -> None:
    tab.drag("moon", "pulls")
    assert tab.stored.version == 0  # off until somebody wants it
    tab.page.get_by_role("button", name="Settings").click()
    assert tab.problems_of_access() == []
    tab.page.get_by_label("Highlight when the mouse is released").check()
    tab.page.get_by_role("button", name="Close", exact=True).click()
    tab.drag("moon", "pulls")
    tab.page.wait_for_timeout(400)
    assert tab.saved().slices() == ["moon pulls"]
    tab.click("water", 1, 2)
    tab.page.wait_for_timeout(500)
    assert tab.saved().slices() == ["moon pulls", "water"]
    # What is highlighted already stays selected, so that it can be removed.
    tab.click("moon", 1, 2)
    tab.page.wait_for_timeout(500)
    assert tab.selected() == "moon"
    tab.press("u").saved()
    assert tab.slices() == [" pulls", "water"]
    tab.press("r")
    tab.drag("Spring", "high")
    tab.page.wait_for_timeout(400)
    assert tab.saved().slices() == [" pulls", "water"]


def test_a_triple_click_highlights_the_paragraph_once(tab: Tab) -> None:
    tab.press("r")
    tab.click("Twice", 1, 3)
    tab.page.wait_for_timeout(500)
    tab.saved()
    assert tab.slices() == ["Twice a day the water rises."]
    assert tab.stored.version == 1


def test_the_question_is_in_view_at_1024_wherever_one_reads(
    server: Server, browsers: Browsers
) -> None:
    tab = browsers.tab(server, width=1024).open("7", "tides")
    for _ in range(2):
        question = tab(".question summary")
        assert question.is_visible()
        assert "Why does the water rise and fall?" in question.inner_text()
        box = question.bounding_box()
        assert box is not None and 0 <= box["y"] < 300
        tab.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        tab.page.wait_for_timeout(100)
    assert tab("#topic").is_hidden()  # not twice
    assert tab.problems_of_access() == []


def test_begin_is_on_the_screen_of_a_phone(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server, width=390)
    tab.page.goto(server.url("/"))
    for link in tab.page.get_by_role("link", name="Begin").all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["y"] + box["height"] <= 844
    assert tab.page.get_by_role("columnheader", name="to do").count() == 1
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.problems_of_access() == []


def test_comments_on_passages(tab: Tab) -> None:
    tab.drag("moon", "sea")
    tab.press("m")
    tab("dialog textarea").fill("Which <b>sea</b>?")
    assert tab.problems_of_access() == []
    tab.page.get_by_role("button", name="Save").click()
    tab.saved()
    assert [(tab.text[start:end], words) for start, end, words in tab.stored.state.comments] == [
        ("moon pulls the sea", "Which <b>sea</b>?")
    ]
    assert tab.painted("comment") == ["moon pulls the sea"]
    assert "Which <b>sea</b>?" in tab("#comments").inner_text()
    # Of a highlighted passage, from its row in the list; what was done stays done.
    tab.drag("Twice", "day")
    tab.press("h").saved()
    tab("#passages .remark").click()
    tab("dialog textarea").fill("Every day")
    tab.press("Control+Enter").saved()
    assert [words for _, _, words in tab.stored.state.comments] == [
        "Which <b>sea</b>?",
        "Every day",
    ]
    assert tab.problems_of_access() == []
    tab.page.reload()
    tab("#comments li").nth(1).wait_for()
    tab("#comments .take").first.click()
    assert tab("dialog textarea").input_value() == "Which <b>sea</b>?"
    tab.page.get_by_role("button", name="Remove the comment").click()
    tab.saved()
    assert [words for _, _, words in tab.stored.state.comments] == ["Every day"]
    tab.press("Control+z").saved()
    assert len(tab.stored.state.comments) == 2
    tab("dx-document").click()
    tab.page.evaluate("getSelection().removeAllRanges()")
    tab.press("m")
    assert "Select what to comment on" in tab.told()
    assert tab.said == []


def test_adjudicators_see_comments(server: Server, browsers: Browsers) -> None:
    campaign = server.campaign
    campaign.unassign("7", "adj", "assess")
    campaign.assign("7", "adj", "adjudicate")
    bob = campaign.user("bob")
    remark = operation("comment", 0, start=0, end=5, quote="Tides", value="Which tides?")
    made = [remark, operation("not-relevant", 1)]
    assert campaign.submit("7", "tides", bob.id, bob, made).failure is None
    tab = browsers.tab(server, "adj").open("7", "tides", "/adjudicate")
    assert "Which tides?" in tab("#others").inner_text()
    assert tab.problems_of_access() == []
    assert tab.said == []


def test_a_link_to_where_a_document_was_published(serving: Any, browsers: Browsers) -> None:
    documents = {"a&b+c": "<article><title>x</title></article>"}
    tab = browsers.tab(serving(documents, original="https://example.org/{id}.html")).open(
        "7", "a&b+c"
    )
    link = tab("a.original")
    assert link.get_attribute("href") == "https://example.org/a%26b%2Bc.html"
    assert (link.get_attribute("target"), link.get_attribute("rel")) == (
        "_blank",
        "noopener noreferrer",
    )
