"""Every gesture is saved: at once, after an absence of the network, a reload, a conflict."""

from __future__ import annotations

from typing import Any

import pytest

from browsing import Browsers, Server, Tab, sign_in
from doxeval.assess.web import COOKIE


@pytest.fixture
def server(serving: Any) -> Server:
    started: Server = serving()
    return started


@pytest.fixture
def tab(server: Server, browsers: Browsers) -> Tab:
    return browsers.tab(server).open("7", "tides")


def mark(tab: Tab, word: str) -> Tab:
    """Highlight a word by a double click."""
    tab.click(word, 1, 2)
    return tab.press("h")


def offline(tab: Tab, is_offline: bool) -> None:
    tab.page.context.set_offline(is_offline)


def test_gestures_wait_while_the_server_is_away_and_are_replayed_in_order(tab: Tab) -> None:
    mark(tab, "moon").saved()
    offline(tab, True)
    mark(tab, "water")
    tab.press("b")
    mark(tab, "Spring")
    tab(".saving[data-state=unsaved]").wait_for()
    assert tab(".saving .words").inner_text() == "3 unsaved"
    assert tab.painted("pending") == ["water", "Spring"]
    assert tab.slices() == ["moon"]
    offline(tab, False)
    tab.saved()
    assert tab.slices() == ["moon", "water", "Spring"]
    assert tab.text[tab.stored.state.bep :].startswith("water")
    assert tab.painted("pending") == []
    assert kinds(tab) == ["highlight", "highlight", "bep", "highlight"]


def kinds(tab: Tab) -> list[str]:
    logged = tab.server.campaign.operations(topic=tab.topic)
    return [one.operation.kind for one in logged if one.document == tab.document]


def test_waiting_gestures_survive_a_reload(tab: Tab) -> None:
    tab.page.on("dialog", lambda dialog: dialog.accept())
    tab.page.route("**/api/operations*", lambda route: route.abort())
    mark(tab, "moon")
    tab(".saving[data-state=unsaved]").wait_for()
    tab.page.unroute("**/api/operations*")
    tab.page.reload()
    tab("dx-document").wait_for()
    tab.saved()
    assert tab.slices() == ["moon"]
    assert tab.page.evaluate("Object.keys(localStorage).filter(k => k.includes('queue'))") == []


def test_leaving_with_unsaved_gestures_is_asked_about(tab: Tab) -> None:
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    tab.page.on("dialog", answer)
    tab.page.route("**/api/operations*", lambda route: route.abort())
    mark(tab, "moon")
    tab(".saving[data-state=unsaved]").wait_for()
    tab.page.close(run_before_unload=True)
    tab.page.wait_for_timeout(300)
    assert asked == ["beforeunload"]


def test_an_answer_that_got_lost_counts_once(tab: Tab) -> None:
    lost: list[Any] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())  # the server gets it, the page does not hear of it
        route.abort()

    tab.page.route("**/api/operations*", lose)
    mark(tab, "moon").saved()
    assert (tab.stored.version, tab.slices()) == (1, ["moon"])


def test_undo_survives_a_reload(tab: Tab) -> None:
    mark(tab, "moon")
    mark(tab, "water").saved()
    tab.page.reload()
    tab("dx-document").wait_for()
    tab.press("Control+z").saved()
    assert tab.slices() == ["moon"]
    tab.press("Control+z").saved()
    assert tab.slices() == []
    assert tab.page.get_by_role("button", name="Undo").is_disabled()
    tab.press("Control+Shift+z").saved()
    assert tab.slices() == ["moon"]
    tab.page.get_by_role("button", name="Redo").click()
    tab.saved()
    assert tab.slices() == ["moon", "water"]


@pytest.fixture(params=["another device", "another tab"])
def conflict(tab: Tab, server: Server, browsers: Browsers, request: pytest.FixtureRequest) -> Tab:
    """A tab whose gesture meets a version that was saved elsewhere."""
    if request.param == "another tab":
        other = browsers.beside(tab.page.context, server, "ann").open("7", "tides")
    else:
        other = browsers.tab(server).open("7", "tides")
    mark(other, "moon").saved()
    mark(tab, "water")
    tab("dialog.conflict").wait_for()
    return tab


def test_a_conflict_shows_both_versions(conflict: Tab) -> None:
    saved, here = conflict("dialog .versions > section").all()
    assert "moon" in saved.inner_text()
    assert "water" not in saved.inner_text()
    assert "water" in here.inner_text()
    assert "moon" not in here.inner_text()
    assert "1 change not saved" in here.inner_text()
    conflict.press("Escape")
    assert conflict("dialog.conflict").is_visible()
    assert conflict.problems_of_access() == []


def test_the_saved_version_can_be_kept(conflict: Tab) -> None:
    conflict.page.get_by_role("button", name="Keep the saved version").click()
    conflict.saved()
    assert conflict.slices() == conflict.painted() == ["moon"]
    mark(conflict, "Spring").saved()
    assert conflict.slices() == ["moon", "Spring"]


def test_the_first_choice_keeps_both_versions(conflict: Tab) -> None:
    first = conflict("dialog.conflict button").first
    assert first.inner_text() == "Keep both"
    assert first.evaluate("button => button === document.activeElement")
    conflict.press("Enter").saved()
    assert conflict.slices() == conflict.painted() == ["moon", "water"]
    assert conflict("#held").is_hidden()


def test_what_clashes_stays_at_hand(tab: Tab, server: Server, browsers: Browsers) -> None:
    other = browsers.tab(server).open("7", "tides")
    mark(other, "moon")
    other.press("b").saved()
    offline(tab, True)
    mark(tab, "water")
    tab.press("b")
    tab.select(0, len(tab.text)).press("u")
    offline(tab, False)
    tab("dialog.conflict").wait_for()
    assert tab("dialog .clashes li").count() == 2
    tab.page.get_by_role("button", name="Keep both").click()
    tab.saved()
    # Nothing of either version is gone: not the passage and the entry point of the other one ...
    assert tab.slices() == ["moon", "water"]
    assert tab.text[tab.stored.state.bep :].startswith("moon")
    # ... nor what was done here, even after a reload.
    tab.page.reload()
    held = tab("#held li")
    held.first.wait_for()
    assert "best entry point before" in held.first.inner_text()
    assert tab.problems_of_access() == []
    held.first.get_by_role("button", name="Make it").click()
    tab.saved()
    assert tab.text[tab.stored.state.bep :].startswith("water")
    held.first.get_by_role("button", name="Forget it").click()
    assert tab("#held").is_hidden()
    assert tab.slices() == ["moon", "water"]
    assert tab.page.evaluate("Object.keys(localStorage).filter(k => k.includes('held'))") == []


def test_all_can_be_made_over_the_saved_version(
    tab: Tab, server: Server, browsers: Browsers
) -> None:
    other = browsers.tab(server).open("7", "tides")
    mark(other, "moon").saved()
    offline(tab, True)
    mark(tab, "water")
    tab.select(0, len(tab.text)).press("u")
    offline(tab, False)
    tab("dialog.conflict").wait_for()
    tab.page.get_by_role("button", name="over the saved version").click()
    tab.saved()
    assert tab.slices() == []
    tab.press("Control+z").saved()
    assert tab.slices() == ["moon", "water"]


def test_gestures_are_sent_at_once_when_the_server_is_back(tab: Tab) -> None:
    """However often it was tried: after a minute of silence, one does not wait half a minute."""
    tab.page.clock.install()
    tab.page.route("**/*", lambda route: route.abort())
    mark(tab, "moon")
    tab(".saving[data-state=unsaved]").wait_for()
    tab.page.clock.run_for(120_000)
    assert tab.slices() == []
    tab.page.unroute("**/*")
    tab.page.clock.run_for(4_500)  # a question that is under way gives up, and the next one is sent
    tab.page.clock.resume()
    tab.saved()
    assert tab.slices() == ["moon"]


def test_a_session_that_ended_loses_nothing(tab: Tab, server: Server) -> None:
    for active in (False, True):  # which ends her sessions
        server.campaign.set_active("ann", active)
    mark(tab, "moon")
    tab(".saving[data-state=unsaved]").wait_for()
    assert "session has ended" in tab.told()
    tab.page.get_by_role("link", name="Sign in again").click()
    tab.page.get_by_label("Name").fill("ann")
    tab.page.get_by_label("Password").fill("correct horse")
    tab.press("Enter")
    tab("dx-document").wait_for()
    tab.saved()
    assert tab.slices() == ["moon"]


def test_gestures_are_never_sent_for_somebody_else(tab: Tab, server: Server) -> None:
    token = server.campaign.open_session(server.campaign.user("bob"))
    cookie = {"name": COOKIE, "value": token, "url": server.address}
    tab.page.context.add_cookies([cookie])
    mark(tab, "moon")
    assert "Somebody else has signed in" in tab.told()
    assert tab.stored.version == 0
    bob = server.campaign.user("bob")
    assert server.campaign.judgment("7", "tides", bob.id).version == 0
    # Bob's page shows and sends nothing of it; Ann finds it again.
    tab.page.on("dialog", lambda dialog: dialog.accept())
    tab.page.goto(server.url("/article", topic="7", doc="tides"))
    tab.saved()
    assert tab.painted() == []
    tab.page.context.clear_cookies()
    sign_in(tab, "ann")
    assert "tides of topic 7: 1 change" in tab(".notice").inner_text()
    tab(".notice a").click()
    tab("dx-document").wait_for()
    tab.saved()
    assert tab.slices() == ["moon"]
    assert server.campaign.judgment("7", "tides", bob.id).version == 0


def test_signing_in_again_after_somebody_else(tab: Tab, server: Server) -> None:
    token = server.campaign.open_session(server.campaign.user("bob"))
    cookie = {"name": COOKIE, "value": token, "url": server.address}
    tab.page.context.add_cookies([cookie])
    mark(tab, "moon")
    tab.page.get_by_role("button", name="Sign in as ann").click()
    tab.page.get_by_label("Name").fill("ann")
    tab.page.get_by_label("Password").fill("correct horse")
    tab.press("Enter")
    tab("dx-document").wait_for()
    tab.saved()
    assert tab.slices() == ["moon"]


def test_a_closed_topic_is_said_and_the_gesture_kept(tab: Tab, server: Server) -> None:
    server.campaign.close_topic("7", server.campaign.user("organiser"))
    mark(tab, "moon")
    assert "closed" in tab.told()
    assert tab.stored.version == 0
    tab.page.get_by_role("button", name="Discard them").click()
    tab.saved()
    assert tab.painted() == []
    tab.page.reload()
    tab("dx-document").wait_for()
    assert tab(".badge.closed").count() == 1
    mark(tab, "moon")
    assert "closed this topic" in tab.told()


def test_refusals_are_explained_and_the_rest_goes_on(tab: Tab) -> None:
    mark(tab, "moon").saved()
    tab.press("n")
    assert "entry point" in tab.told()
    assert "/article" in tab.page.url
    assert tab("#checks li").count() == 1
    tab.press("x")
    assert tab.told() != ""
    mark(tab, "water").saved()
    assert tab.slices() == ["moon", "water"]


def test_the_server_out_of_order(tab: Tab) -> None:
    tries = []

    def fail(route: Any) -> None:
        tries.append(route)
        if len(tries) > 2:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "0"}, json={"error": "busy"})

    tab.page.route("**/api/operations*", fail)
    mark(tab, "moon").saved()
    assert tab.slices() == ["moon"]
    assert len(tries) == 3


def test_a_text_that_is_not_the_servers_is_refused(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server)

    def change(route: Any) -> None:
        data = route.fetch().json()
        route.fulfill(json=data | {"text": data["text"].replace("moon", "noon")})

    tab.page.route("**/api/article*", change)
    tab.page.goto(server.url("/article", topic="7", doc="tides"))
    tab(".stopped").wait_for()
    assert "cannot be assessed" in tab(".stopped").inner_text()
    assert tab("dx-document").count() == 0


def test_an_unsupported_browser_gets_a_message(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server)
    tab.page.add_init_script("delete Intl.Segmenter")
    tab.page.goto(server.url("/article", topic="7", doc="tides"))
    tab(".stopped").wait_for()
    assert "Intl.Segmenter" in tab(".stopped").inner_text()
