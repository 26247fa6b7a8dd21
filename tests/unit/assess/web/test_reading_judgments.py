"""What organisers read of somebody's judgments, and what nobody changes by reading."""

from __future__ import annotations

import pytest

from assess_client import browser
from doxeval.assess.db import Campaign, Program
from doxeval.assess.judging import State
from small_campaign import Answer, bep, highlight, operation

TIDES = {"topic": "7", "doc": "tides", "user": "ann"}


@pytest.fixture
def judged(campaign: Campaign) -> Campaign:
    """Ann judged one document and began another; a program judged one."""
    ann, article = campaign.user("ann"), campaign.article("tides")
    done = [highlight(article, 0, 5, 0), bep(article, 0, 1), operation("validate", 2)]
    campaign.submit("7", "tides", ann.id, ann, done)
    campaign.submit("8", "salt", ann.id, ann, [operation("note", 0, value="<b>odd</b>")])
    campaign.import_judgments([Answer("7", "waves", State(status="validated"))], Program("rule"))
    return campaign


def test_a_list_of_judgments(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    page = client.get("/organise/judgments", params={"user": "ann"}).text
    assert "2 documents that <bdi>ann</bdi> has begun or done" in page
    assert "&lt;b&gt;odd&lt;/b&gt;" in page
    page = client.get("/organise/judgments", params={"user": "ann", "topic": "7"}).text
    assert "1 document that" in page and "odd" not in page
    assert "rule" in client.get("/organise/judgments", params={"user": "rule"}).text
    assert "Nothing has been judged" in client.get("/organise/judgments?user=bob").text
    for wrong in ({}, {"user": "nobody"}, {"user": "ann", "topic": "nowhere"}, {"user": "0"}):
        answer = client.get("/organise/judgments", params=wrong)
        assert answer.status_code in (400, 404), wrong


def test_a_judgment_is_read_and_never_changed(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    assert 'data-reading="ann"' in client.get("/organise/judgment", params=TIDES).text
    data = client.get("/api/judgment", params=TIDES).json()
    assert data["state"]["highlights"] == [[0, 5]]
    assert (data["readonly"], data["adjudicating"], data["user"]) == (True, False, "organiser")
    assert "others" not in data
    for params in (
        TIDES | {"doc": "nowhere"},
        TIDES | {"doc": "salt"},
        TIDES | {"topic": "nowhere"},
        TIDES | {"user": "adjudicated"},
    ):
        for path in ("/organise/judgment", "/api/judgment"):
            assert client.get(path, params=params).status_code == 404, params
    sent = {"operations": [{"op_id": "a", "base_version": 3, "kind": "reopen"}]}
    assert client.post("/api/operations", params=TIDES, json=sent).status_code == 403
    before = list(judged.operations())
    assert list(judged.operations()) == before and judged.verify() == []


def test_who_assesses_a_topic_judges_before_reading(judged: Campaign) -> None:
    judged.assign("7", "organiser", "assess")
    client, organiser = browser(judged, "organiser"), judged.user("organiser")
    for path in ("/organise/judgment", "/api/judgment"):
        assert client.get(path, params=TIDES).status_code == 403
    judged.submit("7", "tides", organiser.id, organiser, [operation("not-relevant", 0)])
    for path in ("/organise/judgment", "/api/judgment"):
        assert client.get(path, params=TIDES).status_code == 200
