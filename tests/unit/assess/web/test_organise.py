"""The organiser's page: progress, assignments, closing, agreement, honeypots, exports."""

from __future__ import annotations

import pytest

from assess_client import browser
from doxeval.assess.db import Campaign
from doxeval.assess.exchange import ImportedState
from small_campaign import Answer, bep, highlight, operation


@pytest.fixture
def judged(campaign: Campaign) -> Campaign:
    """Ann and bob judged the same two documents, and agree on one of them."""
    for name, end in (("ann", 5), ("bob", 10)):
        user, article = campaign.user(name), campaign.article("tides")
        done = [highlight(article, 0, end, 0), bep(article, 0, 1), operation("validate", 2)]
        assert campaign.submit("7", "tides", user.id, user, done).failure is None
        campaign.submit("7", "waves", user.id, user, [operation("not-relevant", 0)])
        campaign.add_time("7", "tides", user.id, 90)
    return campaign


def test_progress_and_time(judged: Campaign) -> None:
    page = browser(judged, "organiser").get("/organise").text
    assert page.count('<progress max="2" value="2">') == 2
    assert "2 min" in page and "45 s" in page


def test_closing_and_reopening(campaign: Campaign) -> None:
    client = browser(campaign, "organiser")
    answer = client.post("/organise/close", data={"topic": "7"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/organise?done=closed#topics")
    assert campaign.topic("7").is_closed
    page = client.get("/organise?done=closed").text
    assert "The topic is closed." in page and 'action="/organise/reopen"' in page
    client.post("/organise/reopen", data={"topic": "7"})
    assert not campaign.topic("7").is_closed
    for topic in ("nowhere", ""):
        assert client.post("/organise/close", data={"topic": topic}).status_code in (400, 404)


def test_a_notice_is_never_taken_from_the_address(campaign: Campaign) -> None:
    page = browser(campaign, "organiser").get("/organise?done=Send+me+your+password").text
    assert "password" not in page.partition("<h2")[0]


def test_assigning_and_withdrawing(campaign: Campaign) -> None:
    client = browser(campaign, "organiser")
    form = {"topic": "7", "user": "adj", "part": "assess"}
    client.post("/organise/assign", data=form)
    assert campaign.parts(campaign.user("adj"), "7") == {"assess", "adjudicate"}
    client.post("/organise/unassign", data=form)
    assert campaign.parts(campaign.user("adj"), "7") == {"adjudicate"}
    assert client.post("/organise/assign", data=form | {"part": "spy"}).status_code == 400
    assert client.post("/organise/assign", data=form | {"user": "nobody"}).status_code == 404
    done = [event for event in campaign.events() if event.user == campaign.user("organiser").id]
    assert [event.what for event in done][-2:] == ["assigned", "unassigned"]


def test_agreement_is_for_organisers_until_the_topic_is_closed(judged: Campaign) -> None:
    organiser, ann = browser(judged, "organiser"), browser(judged, "ann")
    bob = judged.user("bob").pseudonym
    assert "Jaccard" in organiser.get("/organise").text
    assert "Jaccard" not in ann.get("/").text
    judged.close_topic("8")
    assert "Jaccard" not in ann.get("/").text
    judged.close_topic("7")
    page = ann.get("/").text
    assert "Jaccard" in page and bob in page and "0.500" in page
    assert ">bob<" not in page
    judged.add_user("cyd")
    assert "Jaccard" not in browser(judged, "cyd").get("/").text


def test_honeypots_are_scored_for_organisers_alone(judged: Campaign) -> None:
    state = judged.judgment("7", "tides", judged.user("ann").id).state
    before = browser(judged, "ann").get("/api/queue?topic=7").text
    judged.place_honeypots([ImportedState("7", "tides", None, state)])
    page = browser(judged, "organiser").get("/organise").text
    assert "Honeypots" in page and "1.00" in page and "0.50" in page
    ann = browser(judged, "ann")
    assert ann.get("/api/queue?topic=7").text == before
    for path in (
        "/",
        "/queue?topic=7",
        "/article?topic=7&doc=tides",
        "/api/article?topic=7&doc=tides",
    ):
        assert "honeypot" not in ann.get(path).text.lower()


def test_exports_say_what_they_lose_first(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    page = client.get("/organise/exports?judgments=union").text
    assert "best entry points" in page
    assert "/organise/export?format=jsonl&amp;judgments=union" in page
    undecided = client.get("/organise/exports").text
    assert "The assessors differ" in undecided and "format=jsonl" not in undecided
    nothing = client.get("/organise/exports?topic=8&drafts=yes").text
    assert "There are no validated judgments" in nothing
    assert client.get("/organise/exports?judgments=nobody").status_code == 400


def test_two_assessors_have_no_majority_and_ties_are_told(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    page = client.get("/organise/exports?judgments=majority").text
    assert "two have no majority" in page and "format=jsonl" not in page
    assert client.get("/organise/export?format=jsonl&judgments=majority").status_code == 400
    differing = [one for one in judged.judgments("7") if one.document == "tides"]
    for name, same in zip(("cem", "dan"), differing, strict=True):
        judged.add_user(name)
        judged.import_judgments([Answer("7", "tides", same.state)], name)
    page = client.get("/organise/exports?judgments=majority").text
    assert "Ties in 1 document: " in page and "format=jsonl" in page


@pytest.mark.parametrize("name", ["jsonl", "annotations", "inex2008", "inex2005", "trec", "log"])
def test_exports_are_files(judged: Campaign, name: str) -> None:
    client = browser(judged, "organiser")
    answer = client.get("/organise/export", params={"format": name, "judgments": "union"})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert b"tides" in answer.content
    assert b"bob" not in answer.content
    event = judged.events()[-1]
    assert (event.what, event.details["format"]) == ("export", name)


def test_exports_that_cannot_be_made_are_explained(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    for params in ({"format": "jsonl"}, {"format": "inex2003", "judgments": "union"}):
        answer = client.get("/organise/export", params=params)
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
    for params in ({"format": "exe"}, {}, {"format": "jsonl", "drafts": "maybe"}):
        assert client.get("/organise/export", params=params).status_code == 400
    assert client.get("/organise/export?format=jsonl&topic=9").status_code == 404


def test_accounts_are_for_administrators(campaign: Campaign) -> None:
    assert "Accounts" not in browser(campaign, "organiser").get("/organise").text
    admin = browser(campaign, "admin")
    assert "Accounts" in admin.get("/organise").text
    for name in ("ann", "", " ", "majority", "a" * 100, "\u202ea"):
        answer = admin.post("/organise/users/add", data={"name": name, "role": "assessor"})
        assert answer.status_code in (400, 422), name
    answer = admin.post("/organise/users/add", data={"name": "eve", "role": "god"})
    assert answer.status_code == 400
    assert [user.name for user in campaign.users()] == ["admin", "organiser", "ann", "bob", "adj"]
