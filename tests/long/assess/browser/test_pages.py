"""Every page, wide and narrow, light and dark: it fits, is quiet and accessible."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import AXE, Browsers, Server
from small_campaign import bep, highlight, operation

PAGES = {
    "login": (None, "/login"),
    "home": ("ann", "/"),
    "queue": ("ann", "/queue?topic=7"),
    "found": ("ann", "/queue?topic=7&q=sea"),
    "article": ("ann", "/article?topic=7&doc=tides"),
    "adjudicate": ("adj", "/adjudicate?topic=7&doc=tides"),
    "adjudication queue": ("adj", "/queue?topic=7&judge=adjudicated"),
    "organise": ("admin", "/organise"),
    "judgments": ("admin", "/organise/judgments?user=ann"),
    "exports": ("admin", "/organise/exports?judgments=union"),
    "account": ("ann", "/account"),
    "help": ("ann", "/help"),
    "invitation": (None, "/invitation?token="),
    "nothing": ("ann", "/nothing"),
}
INSTRUCTIONS = """# What is *relevant*

### Everything that [answers](https://example.org/a/very/long/address/that/does/not/fit/anywhere)

    a line of code that is so long that it does not fit on the screen of any telephone at all

| grade | meaning | and much more | and more |
|---|---|---|---|
| highlighted | it answers | averylongwordwithoutanyspaceinit | x |
"""


@pytest.fixture
def server(serving: Any) -> Server:
    """A campaign in the middle of its work."""
    started: Server = serving()
    campaign = started.campaign
    looks = {"title": "Tides", "instructions": INSTRUCTIONS, "colour": "#f4d03f"}
    campaign.change_settings(looks)
    campaign.invite("bob")
    campaign.unassign("7", "adj", "assess")
    campaign.assign("7", "adj", "adjudicate")
    article = campaign.article("tides")
    for name in ("ann", "bob"):
        user = campaign.user(name)
        made = [highlight(article, 5, 28, 0), bep(article, 5, 1), operation("validate", 2)]
        assert campaign.submit("7", "tides", user.id, user, made).failure is None
    return started


@pytest.mark.parametrize("name", PAGES)
def test_every_page(server: Server, browsers: Browsers, name: str) -> None:
    user, path = PAGES[name]
    if name == "invitation":
        path += server.campaign.invite("bob").token
    for width in (390, 1400):
        for scheme in ("light", "dark"):
            tab = browsers.tab(server, user, width, scheme)
            tab.page.goto(server.address + path)
            if name in ("article", "adjudicate"):
                tab("dx-document").wait_for()
                tab(".head").wait_for()
            tab.page.evaluate(
                "for (const one of document.querySelectorAll('details')) one.open = true"
            )
            assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
            if not AXE.exists():
                pytest.skip("axe-core is not installed")
            assert tab.problems_of_access() == [], (width, scheme)
            assert [one for one in tab.said if "404" not in one] == []
            tab.page.context.close()


@pytest.mark.parametrize("mode", ["2005", "2003"])
def test_pages_with_grades(serving: Any, browsers: Browsers, mode: str) -> None:
    server = serving(mode=mode)
    for width, scheme in ((390, "light"), (1400, "dark")):
        tab = browsers.tab(server, "ann", width, scheme).open("7", "tides")
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if width == 390:
            tab.page.get_by_role("button", name="Judgment").click()
        assert tab("#grades").is_visible()
        assert tab.problems_of_access() == []


def test_a_narrow_window_shows_one_thing_at_a_time(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server, "ann", 390).open("7", "waves")
    assert tab("dx-document").is_visible()
    assert not tab("#topic").is_visible()
    tab.page.get_by_role("button", name="Topic", exact=True).click()
    assert tab("#topic").is_visible()
    assert not tab("dx-document").is_visible()
    tab.page.get_by_role("button", name="Judgment").click()
    assert tab("#passages").is_visible()
    tab.page.get_by_role("button", name="Text", exact=True).click()
    tab.click("Wind", 1, 2)
    tab.page.get_by_role("button", name="Highlight").click()
    tab.saved()
    assert tab.slices() == ["Wind"]
    tab.page.get_by_role("button", name="Judgment").click()
    tab("#passages .jump").click()
    assert tab("dx-document").is_visible()


def test_buttons_name_their_keys(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server).open("7", "tides")
    names = [name.strip() for name in tab("main button").all_inner_texts()]
    keys = {name.rpartition(" (")[2][:-1] for name in names if name.endswith(")")}
    assert keys >= {
        "n",
        "x",
        "s",
        "p",
        "h",
        "u",
        "b",
        "Shift+B",
        "Ctrl+Z",
        "Ctrl+Shift+Z",
        "c",
        "?",
    }
    assert {"Done, next (n)", "Set best entry point (b)"} <= set(names)
    tab.page.get_by_role("button", name="Done, next").click()
    tab.page.wait_for_url(server.url("/article", topic="7", doc="waves"))
