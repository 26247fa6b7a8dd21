"""Grades of 2005 and of 2003-04, adjudication, and what stands beside the text."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import Browsers, Server, Tab
from doxeval.assess.judging import State
from small_campaign import bep, highlight, operation


def graded(serving: Any, browsers: Browsers, mode: str) -> Tab:
    return browsers.tab(serving(mode=mode)).open("7", "tides")


def row(tab: Tab, path: str) -> Any:
    return tab(f"#grades li:has(.jump[title='{path}'])")


def test_exhaustivity_of_highlighted_elements(serving: Any, browsers: Browsers) -> None:
    tab = graded(serving, browsers, "2005")
    assert tab("#grades li").count() == 0
    assert tab.page.get_by_role("button", name="Set best entry point").count() == 0
    tab.click("moon", 1, 2).press("h").saved()
    paths = ["/article[1]", "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]"]
    found = [one.get_attribute("title") for one in tab("#grades .jump").all()]
    assert found == paths
    assert "3 elements of 3 without a grade" in tab("#grades .count").inner_text()
    tab.press("n")
    assert "no grade yet" in tab.told()
    # The paragraph contains the whole passage, so it is not too small.
    assert row(tab, paths[2]).get_by_label("?", exact=True).is_disabled()
    row(tab, paths[2]).get_by_label("2", exact=True).check()
    tab.saved()
    assert dict(tab.stored.state.grades) == dict.fromkeys(paths, 2)  # 2 spreads upward
    assert row(tab, paths[0]).get_by_label("2", exact=True).is_checked()
    assert "All 3 elements graded" in tab("#grades .count").inner_text()
    row(tab, paths[2]).get_by_role("button", name="Clear the grade").click()
    tab.saved()
    assert paths[2] not in tab.stored.state.grades
    row(tab, paths[2]).get_by_label("1", exact=True).check()
    tab.saved()
    row(tab, paths[1]).get_by_label("1", exact=True).check()
    tab.saved()
    row(tab, paths[0]).get_by_label("1", exact=True).check()
    tab.saved()
    assert tab.problems_of_access() == []
    tab("dx-document").focus()
    tab.press("n")
    tab.page.wait_for_url("**doc=waves*")
    tab.document = "tides"
    assert tab.stored.state.status == "validated"
    assert tab.said == [one for one in tab.said if "422" in one]


def test_grades_by_keyboard(serving: Any, browsers: Browsers) -> None:
    tab = graded(serving, browsers, "2005")
    tab.click("moon", 1, 2).press("h").saved()
    row(tab, "/article[1]").get_by_label("2", exact=True).focus()
    tab.press("Space").saved()
    tab.press("ArrowRight").saved()
    assert tab.stored.state.grades["/article[1]"] == 1
    focused = tab.page.evaluate("document.activeElement.closest('label').textContent")
    assert focused == "1"


def test_exhaustivity_and_specificity(serving: Any, browsers: Browsers) -> None:
    tab = graded(serving, browsers, "2003")
    assert tab.page.get_by_role("button", name="Highlight").count() == 0
    tab.press("h")
    assert "elements are graded" in tab.told()
    tab.click("moon", 1)
    assert tab("#grades .crumb").all_inner_texts() == ["article[1]", "sec[1]", "p[1]"]
    assert tab.painted("element") == ["The moon pulls the sea."]
    tab("#grades fieldset").nth(0).get_by_label("2", exact=True).check()
    assert tab.stored.version == 0  # one half is no grade
    tab("#grades fieldset").nth(1).get_by_label("3", exact=True).check()
    tab.saved()
    assert tab.stored.state.grades["/article[1]/sec[1]/p[1]"] == (2, 3)
    tab.page.get_by_role("button", name="Parent").click()
    tab.page.get_by_role("button", name="Next sibling").click()
    tab.page.get_by_role("button", name="First child").click()
    assert tab("#grades .crumb[aria-current]").inner_text() == "p[1]"
    assert tab.painted("element") == ["Spring tides are high."]
    tab("#grades fieldset").nth(0).get_by_label("0", exact=True).check()
    tab.saved()
    assert tab.stored.state.grades["/article[1]/sec[2]/p[1]"] == (0, 0)
    given = {"/article[1]/sec[1]/p[1]", "/article[1]/sec[2]/p[1]"}
    inferred = set(tab.stored.state.grades) - given
    assert inferred == set(tab.stored.state.inferred)
    shown = tab("#grades .value.inferred")
    assert shown.count() == len(inferred) > 0
    tab("#outline .jump").first.click()
    assert tab("#grades .crumb[aria-current]").inner_text() == "article[1]"
    assert tab.problems_of_access() == []
    assert tab.said == []


def test_contradictions_are_shown(serving: Any, browsers: Browsers) -> None:
    tab = graded(serving, browsers, "2003")
    tab.click("moon", 1)
    tab("#grades fieldset").nth(0).get_by_label("3", exact=True).check()
    tab("#grades fieldset").nth(1).get_by_label("3", exact=True).check()
    tab.saved()
    tab.page.get_by_role("button", name="Parent").click()
    tab("#grades fieldset").nth(0).get_by_label("1", exact=True).check()
    if tab("#grades fieldset").nth(1).locator("input:checked").count() == 0:
        tab("#grades fieldset").nth(1).get_by_label("1", exact=True).check()
    tab.saved()
    shown = tab("#grades .inconsistencies li").all_inner_texts()
    stored = tab.stored.state.grades
    assert shown or stored["/article[1]/sec[1]"][0] >= 3


@pytest.fixture
def judged_twice(serving: Any) -> Server:
    """Ann and Bob judged the same document, differently."""
    server: Server = serving()
    campaign = server.campaign
    article = campaign.article("tides")
    for name, words in (("ann", ("moon", "water")), ("bob", ("moon pulls",))):
        user = campaign.user(name)
        made = []
        for version, one in enumerate(words):
            at = article.text.index(one)
            made.append(highlight(article, at, at + len(one), version))
        start = article.text.index(words[0])
        made.append(bep(article, start, len(words)))
        made.append(operation("validate", len(words) + 1))
        done = campaign.submit("7", "tides", user.id, user, made)
        assert done.failure is None
    return server


def test_an_adjudicator_who_does_not_assess_finds_other_documents(
    judged_twice: Server, browsers: Browsers
) -> None:
    campaign = judged_twice.campaign
    campaign.assign("7", "adj", "adjudicate")
    campaign.unassign("7", "adj", "assess")
    tab = browsers.tab(judged_twice, "adj").open("7", "tides", "/adjudicate")
    tab.page.locator("#find summary").click()
    tab.page.locator("#find input").fill("salty")
    tab.page.locator("#find button", has_text="Find").click()
    tab.page.locator("#find .note", has_text="1 document found").wait_for()


def test_adjudication(judged_twice: Server, browsers: Browsers) -> None:
    campaign = judged_twice.campaign
    campaign.assign("7", "adj", "adjudicate")
    campaign.unassign("7", "adj", "assess")
    tab = browsers.tab(judged_twice, "adj").open("7", "tides", "/adjudicate")
    assert tab(".badge.adjudicating").count() == 1
    # Only what differs is shown at first; "moon" is undisputed.
    assert sorted(tab.painted("others0") + tab.painted("others1")) == [" pulls", "water"]
    assert tab("#differences li").count() == 2
    assert "Of two there is no majority" in tab("#ties").inner_text()
    assert not tab(".assessor").first.is_visible()
    tab.page.get_by_label("Show all that they said").check()
    assert sorted(tab.painted("others0") + tab.painted("others1")) == [
        "moon",
        "moon pulls",
        "water",
    ]
    names = [campaign.user(name).pseudonym for name in ("ann", "bob")]
    assert sorted(tab("#others .assessor h3").all_inner_texts()) == sorted(names)
    tab.click("moon", 1)
    for name in names:
        tab(f"#said-here:has-text('{name}')").wait_for()
    tab.click("water", 1)
    tab(f"#said-here:has-text('{names[0]}'):not(:has-text('{names[1]}'))").wait_for()
    tab.page.get_by_role("button", name=f"Take over from {names[1]}: moon pulls").click()
    tab.saved()
    assert tab.slices() == tab.painted() == ["moon pulls"]
    tab.page.get_by_role("button", name=f"Take over the best entry point of {names[0]}").click()
    tab.saved()
    tab(".assessor").filter(has_text=names[0]).get_by_role("button", name="Take all").click()
    tab.saved()
    assert tab.slices() == ["moon pulls", "water"]
    tab(".assessor").filter(has_text=names[0]).get_by_role("checkbox").uncheck()
    assert sorted(tab.painted("others0") + tab.painted("others1")) == ["moon pulls"]
    assert tab.problems_of_access() == []
    tab("dx-document").focus()
    tab.press("n")
    tab.page.wait_for_url("**/queue?topic=7&judge=adjudicated")
    assert campaign.judgment("7", "tides", 0).state.status == "validated"
    assert tab.said == []


def test_each_assessor_sees_only_their_own(judged_twice: Server, browsers: Browsers) -> None:
    campaign = judged_twice.campaign
    tab = browsers.tab(judged_twice, "bob").open("7", "tides")
    assert tab.painted() == ["moon pulls"]
    assert tab("#others").count() == 0
    assert tab(".badge.validated").count() == 1
    tab.page.get_by_role("button", name="Reopen").click()
    tab.saved()
    tab(".badge.validated").wait_for(state="detached")
    tab.click("Spring", 1, 2).press("h").saved()
    assert tab.stored.state.status == "open"
    ann = campaign.user("ann")
    assert isinstance(campaign.judgment("7", "tides", ann.id).state, State)
    assert len(campaign.judgment("7", "tides", ann.id).state.highlights) == 2


def test_documents_outside_the_pool(serving: Any, browsers: Browsers) -> None:
    documents = {
        "inside": "<article><p>Some fog here.</p></article>",
        "outside": "<article><title>Far</title><p>More fog there.</p></article>",
    }
    server = serving(documents, ids=["inside"])
    tab = browsers.tab(server).open("7", "inside")
    tab("#find summary").click()
    tab("#find input").fill("fog")
    tab.press("Enter")
    tab("#find li").nth(1).wait_for()
    tab("#find").get_by_role("button", name="Judge Far").click()
    tab.page.wait_for_url("**doc=outside*")
    tab("dx-document").wait_for()
    tab.document = "outside"
    assert tab(".badge.off-pool").count() == 1
    tab.click("fog", 1, 2).press("h").saved()
    assert tab.slices() == ["fog"]
    assert tab.stored.off_pool


def test_notes_problems_time_and_the_heat_of_sections(serving: Any, browsers: Browsers) -> None:
    tab = browsers.tab(serving()).open("7", "tides")
    tab("#notes textarea").fill("is the second page missing? 😀")
    tab.page.get_by_label("There is a problem").check()
    tab.saved()
    assert tab.stored.state.note == "is the second page missing? 😀"
    assert tab.stored.state.problem
    assert tab(".badge.problem").count() == 1
    assert tab("#outline .share").inner_text() == ""
    tab("dx-document").focus()
    tab.press("Control+a", "h").saved()
    assert tab("#outline .share").inner_text() == "100%"
    tab.page.wait_for_timeout(1200)
    tab.page.goto(tab.server.url("/help"))
    tab.page.wait_for_timeout(300)
    assert tab.stored.seconds >= 1


def test_an_adjudicator_takes_sides_by_keys(judged_twice: Server, browsers: Browsers) -> None:
    campaign = judged_twice.campaign
    campaign.assign("7", "adj", "adjudicate")
    campaign.unassign("7", "adj", "assess")
    tab = browsers.tab(judged_twice, "adj").open("7", "tides", "/adjudicate")
    tab("dx-document").focus()
    for key, passages in (
        ("a", ["moon", "water"]),
        ("d", ["moon pulls"]),
        ("w", ["moon pulls", "water"]),
        ("e", []),
        ("w", ["moon pulls", "water"]),
    ):
        first = min((campaign.user(name).pseudonym, name) for name in ("ann", "bob"))[1]
        other_way = {"a": "d", "d": "a"} if first == "bob" else {}
        tab.press(other_way.get(key, key))
        tab.saved()
        assert tab.slices() == tab.painted() == passages
    assert tab.stored.state.bep is not None
    tab.press("e")
    tab.saved()
    tab.page.get_by_role("button", name="Take: water").click()
    tab.saved()
    assert tab.slices() == ["moon", "water"]  # with what nobody disputes
    tab.page.get_by_role("button", name="Leave out: water").click()
    tab.saved()
    assert tab.slices() == ["moon"]


def test_an_organiser_reads_what_somebody_judged(judged_twice: Server, browsers: Browsers) -> None:
    campaign = judged_twice.campaign
    before = [logged.seq for logged in campaign.operations()]
    tab = browsers.tab(judged_twice, "organiser")
    tab.page.goto(judged_twice.url("/organise/judgments", user="ann"))
    tab.page.get_by_role("link", name="Tides").click()
    tab("dx-document").wait_for()
    tab(".badge:has-text('Judgment of ann')").wait_for()
    assert tab.painted() == ["moon", "water"]
    assert tab.problems_of_access() == []
    tab("dx-document").focus()
    for key in ("x", "h", "u", "w", "a"):
        tab.press(key)
        if "/organise/judgment?" not in tab.page.url:
            break
    assert [logged.seq for logged in campaign.operations()] == before
    assert campaign.judgment("7", "tides", campaign.user("organiser").id).version == 0
