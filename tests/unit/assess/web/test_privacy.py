"""What nobody may see: the work of others, where pooled documents come from, honeypots."""

from __future__ import annotations

import pytest

from assess_client import WHO_MAY, browser, highlight_tide
from doxeval.assess.db import Campaign
from small_campaign import operation

OPERATIONS = "/api/operations?topic=7&doc=tides"
GETS = sorted(route.split()[1] for route in WHO_MAY if route.startswith("GET"))
SECRET_NOTE = "a note of bob alone"


@pytest.fixture
def judged(campaign: Campaign) -> Campaign:
    """Bob judged both documents of a topic, wrote notes, flagged a problem, found another one."""
    bob = campaign.user("bob")
    done = [
        operation("highlight", 0, start=0, end=5, quote="Tides"),
        operation("bep", 1, start=0, quote=campaign.article("tides").text[:32]),
        operation("note", 2, value=SECRET_NOTE),
        operation("problem", 3, value=True),
        operation("validate", 4),
    ]
    assert campaign.submit("7", "tides", bob.id, bob, done).failure is None
    campaign.add_outside("7", "salt", bob.id)
    campaign.submit("7", "salt", bob.id, bob, [operation("note", 0, value=SECRET_NOTE)])
    campaign.set_keywords("7", bob, ["bobsword"])
    return campaign


def everything_shown_to(campaign: Campaign, name: str) -> dict[str, str]:
    client = browser(campaign, name)
    shown = {}
    for path in GETS:
        for document in ("tides", "waves", "salt"):
            params = {"topic": "7", "doc": document, "q": "the"}
            shown[f"{path} {document}"] = client.get(path, params=params).text
    for text in shown.values():  # nobody sees which run returned a document
        assert "mine" not in text
        assert "priority" not in text
    return shown


def test_assessors_never_see_the_work_of_others(judged: Campaign) -> None:
    bob = judged.user("bob")
    for text in everything_shown_to(judged, "ann").values():
        assert SECRET_NOTE not in text
        assert "bobsword" not in text
        assert bob.pseudonym not in text
        assert "[[0,5]]" not in text
        assert "bob" not in text.replace("bobsword", "")
    client = browser(judged, "ann")
    article = client.get("/api/article?topic=7&doc=tides").json()
    assert article["version"] == 0
    assert (article["state"]["highlights"], article["state"]["note"]) == ([], "")
    assert client.get("/api/article?topic=7&doc=salt").status_code == 404
    # Nobody can claim to be another judge, nor make changes to their judgments.
    for judge in ("bob", bob.pseudonym, str(bob.id), "0", "adjudicated"):
        params = {"topic": "7", "doc": "tides", "judge": judge}
        assert client.get("/api/article", params=params).status_code in (400, 403)
        sent = {"operations": [highlight_tide(5)]}
        answer = client.post("/api/operations", params=params, json=sent)
        assert answer.status_code in (400, 403)
    # An operation of somebody else, sent again, tells nothing about its effect.
    client.post(OPERATIONS, json={"operations": [highlight_tide()]})
    assert judged.judgment("7", "tides", bob.id).version == 5


def test_organisers_see_progress_but_no_document_as_an_assessor(judged: Campaign) -> None:
    client = browser(judged, "organiser")
    page = client.get("/organise").text
    assert "bob" in page and SECRET_NOTE not in page
    for path in ("/article", "/api/article", "/adjudicate", "/queue", "/api/find"):
        assert client.get(path, params={"topic": "7", "doc": "tides"}).status_code == 403


def test_adjudicators_see_what_assessors_said_under_pseudonyms(judged: Campaign) -> None:
    client = browser(judged, "adj")
    article = client.get("/api/article?topic=7&doc=tides&judge=adjudicated").json()
    assert article["adjudicating"]
    (said,) = article["others"]
    assert said["who"] == judged.user("bob").pseudonym
    assert said["state"]["highlights"] == [[0, 5]]
    assert article["state"]["highlights"] == []
    for text in everything_shown_to(judged, "adj").values():
        assert '"bob"' not in text and ">bob<" not in text
    params = {"topic": "7", "doc": "tides", "judge": "adjudicated"}
    sent = {"operations": [highlight_tide()]}
    assert client.post("/api/operations", params=params, json=sent).status_code == 200
    assert judged.judgment("7", "tides", 0).state.highlights == ((0, 5),)
    assert judged.judgment("7", "tides", judged.user("adj").id).version == 0


def test_who_assesses_and_adjudicates_judges_first(judged: Campaign) -> None:
    judged.assign("7", "ann", "adjudicate")
    client = browser(judged, "ann")
    params = {"topic": "7", "doc": "tides", "judge": "adjudicated"}
    answer = client.get("/api/article", params=params)
    assert (answer.status_code, answer.json()["code"]) == (403, "judge-first")
    ann = judged.user("ann")
    judged.submit("7", "tides", ann.id, ann, [operation("not-relevant", 0)])
    assert len(client.get("/api/article", params=params).json()["others"]) == 2


def test_drafts_are_not_shown_to_adjudicators(judged: Campaign) -> None:
    ann = judged.user("ann")
    judged.submit("7", "tides", ann.id, ann, [operation("note", 0, value="not yet")])
    params = {"topic": "7", "doc": "tides", "judge": "adjudicated"}
    article = browser(judged, "adj").get("/api/article", params=params).json()
    assert [said["who"] for said in article["others"]] == [judged.user("bob").pseudonym]


def test_nobody_sees_which_run_returned_a_document(judged: Campaign) -> None:
    for name in ("organiser", "admin"):  # others: in the tests of what they see
        assert everything_shown_to(judged, name)


def test_the_pooled_layer_is_there_only_if_the_organiser_allows_it(new_campaign: object) -> None:
    campaign = new_campaign(show_pooled=True)  # type: ignore[operator]
    data = browser(campaign, "ann").get("/api/article?topic=7&doc=tides").json()
    section = campaign.collection.element("tides", "/article[1]/sec[1]")
    assert data["pooled"] == [[section.start, section.end]]
    assert browser(campaign, "ann").get("/api/article?topic=8&doc=tides").json()["pooled"] == []


def test_the_pooled_layer_is_hidden_by_default(campaign: Campaign) -> None:
    data = browser(campaign, "ann").get("/api/article?topic=7&doc=tides").json()
    assert data["pooled"] is None
