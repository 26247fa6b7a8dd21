"""Work through the application: articles, operations, time, keywords, finding documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import pytest

from assess_client import browser, highlight_tide
from doxeval.assess.db import Campaign, CampaignError
from doxeval.assess.judging import KINDS, Operation
from doxeval.assess.web import OperationData
from small_campaign import DOCUMENTS

OWN = {"topic": "7", "doc": "tides"}
OPERATIONS = "/api/operations?topic=7&doc=tides"


def test_an_article_has_exactly_the_text_of_the_collection(campaign: Campaign) -> None:
    for document in DOCUMENTS:
        data = browser(campaign, "ann").get("/api/article", params={"topic": "8", "doc": document})
        article = data.json()
        text = campaign.article(document).text
        assert article["text"] == text
        assert article["length"] == len(text)
        assert article["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        columns = article["elements"]
        rows = len(columns["start"])
        assert {len(column) for column in columns.values()} == {rows}
        for row in range(rows):
            steps, at = [], row
            while at >= 0:
                steps.append(f"{article['tags'][columns['tag'][at]]}[{columns['ordinal'][at]}]")
                at = columns["parent"][at]
            element = campaign.collection.element(document, "/" + "/".join(reversed(steps)))
            assert (element.start, element.end) == (columns["start"][row], columns["end"][row])


def test_what_an_article_tells_about_itself(campaign: Campaign) -> None:
    data = browser(campaign, "ann").get("/api/article", params=OWN).json()
    assert data["user"] == "ann"
    assert data["topic"] == {
        "id": "7",
        "title": "tides",
        "description": "Why does the water rise and fall?",
    }
    assert (data["doc"], data["title"]) == ("tides", "Tides")
    assert (data["mode"], data["snap"]) == ("2006", "characters")
    assert (data["closed"], data["adjudicating"], data["readonly"]) == (False, False, False)
    assert [data["roles"][role] for role in data["elements"]["role"]] == [
        *("block", "heading-1", "block", "paragraph", "paragraph", "block", "paragraph")
    ]
    assert data["keywords"] == ["tides"]
    assert (data["version"], data["canUndo"], data["canRedo"]) == (0, False, False)
    assert data["queue"] == {
        "position": 2,
        "total": 2,
        "done": 0,
        "previous": "waves",
        "next": None,
        "offPool": False,
    }
    assert "others" not in data


def test_an_operation_is_answered_with_the_state_it_makes(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    answer = client.post(OPERATIONS, json={"operations": [highlight_tide()]})
    reply = answer.json()
    assert answer.status_code == 200, reply
    assert reply["state"]["highlights"] == [[0, 5]]
    assert reply["version"] == 1
    assert reply["problems"] == ["The best entry point is missing."]
    assert not {"applied", "total", "done", "next"} & set(reply)  # nobody reads them
    again = client.post(OPERATIONS, json={"operations": [highlight_tide()]}).json()
    assert again["version"] == 1
    assert client.get("/api/article", params=OWN).json()["state"] == reply["state"]


@pytest.mark.parametrize(
    "change, status, code",
    [
        ({"base_version": 3}, 409, "version"),
        ({"quote": "tides"}, 409, "quote"),
        ({"kind": "validate", "start": None, "end": None, "quote": None}, 200, None),
        ({"start": 5, "end": 0}, 400, "malformed"),
        ({"kind": "import", "value": {}}, 400, "malformed"),
        ({"kind": "explode"}, 400, "malformed"),
    ],
)
def test_an_operation_that_fails_says_why(
    campaign: Campaign, change: dict[str, Any], status: int, code: str | None
) -> None:
    sent = {"operations": [highlight_tide(**change)]}
    answer = browser(campaign, "ann").post(OPERATIONS, json=sent)
    assert answer.status_code == status or (status == 400 and answer.status_code in (409, 422))
    if code == "version" or code == "quote":
        reply = answer.json()
        assert reply["error"].strip() and reply["code"] == code
        assert (reply["version"], reply["applied"]) == (0, 0)
    assert campaign.judgment("7", "tides", campaign.user("ann").id).state.highlights == ()


def test_operations_before_one_that_fails_are_kept(campaign: Campaign) -> None:
    sent = [highlight_tide(), highlight_tide(1, "op-2", quote="wrong"), highlight_tide(2, "op-3")]
    answer = browser(campaign, "ann").post(OPERATIONS, json={"operations": sent})
    assert answer.status_code == 409
    assert (answer.json()["applied"], answer.json()["version"]) == (1, 1)


def test_a_refused_operation_is_explained(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    validate = {"op_id": "op-2", "base_version": 1, "kind": "validate"}
    answer = client.post(OPERATIONS, json={"operations": [highlight_tide(), validate]})
    assert answer.status_code == 422
    assert answer.json()["error"] == "The best entry point is missing."
    assert answer.json()["version"] == 1


def test_a_closed_topic_can_be_read_and_not_changed(campaign: Campaign) -> None:
    campaign.close_topic("7")
    client = browser(campaign, "ann")
    assert client.get("/api/article", params=OWN).json()["readonly"]
    answer = client.post(OPERATIONS, json={"operations": [highlight_tide()]})
    assert (answer.status_code, answer.json()["code"]) == (423, "closed")
    assert client.post("/api/outside", json={"topic": "7", "doc": "salt"}).status_code == 423


def test_time_is_added_up(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    for seconds in (30, 12.5):
        assert client.post("/api/time", json=OWN | {"seconds": seconds}).status_code == 200
    assert campaign.judgment("7", "tides", campaign.user("ann").id).seconds == 42.5
    for wrong in (-1, 601, "3", True, None, [1]):
        assert client.post("/api/time", json=OWN | {"seconds": wrong}).status_code == 400


def test_keywords_belong_to_a_topic_and_a_person(campaign: Campaign) -> None:
    ann, bob = browser(campaign, "ann"), browser(campaign, "bob")
    sent = ann.post("/api/keywords?topic=7", json={"words": [" sea ", "moon"]})
    assert (sent.status_code, sent.json()) == (200, {})
    shown = [
        client.get("/api/article", params={"topic": topic, "doc": "tides"}).json()["keywords"]
        for client, topic in ((ann, "7"), (bob, "7"), (ann, "8"))
    ]
    assert shown == [["sea", "moon"], ["tides"], ["salt", "water"]]
    assert ann.post("/api/keywords?topic=7", json={"words": []}).status_code == 200
    assert ann.get("/api/article", params=OWN).json()["keywords"] == []


@pytest.mark.parametrize(
    ("words", "is_fine"),
    [
        (["a" * 100], True),
        (["a" * 101], False),
        ([f"word{number}" for number in range(100)], True),
        ([f"word{number}" for number in range(101)], False),
        (["sea", " "], False),
        ([7], False),
    ],
)
def test_the_limits_of_keywords_are_those_of_the_store(
    campaign: Campaign, words: list[str], is_fine: bool
) -> None:
    ann = browser(campaign, "ann")
    answer = ann.post("/api/keywords?topic=7", json={"words": words})
    assert (answer.status_code == 200) == is_fine
    if is_fine:
        campaign.set_keywords("7", campaign.user("bob"), words)
    else:
        assert answer.status_code == 400 and answer.json()["code"] == "malformed"
        with pytest.raises(CampaignError, match="keywords"):
            campaign.set_keywords("7", campaign.user("bob"), words)


def test_a_query_that_is_too_long_is_refused_by_page_and_api(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    for path in ("/queue", "/api/find"):
        for length, status in ((200, 200), (201, 400)):
            answer = client.get(path, params={"topic": "7", "q": "a" * length})
            assert answer.status_code == status


def test_documents_outside_the_pool_are_found_added_and_flagged(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    params = {"topic": "7", "doc": "salt"}
    assert client.get("/api/article", params=params).status_code == 404
    assert client.get("/article", params=params).status_code == 404
    assert client.post("/api/time", json=params | {"seconds": 1}).status_code == 404
    sent = {"operations": [highlight_tide(end=4, quote="Salt")]}
    assert client.post("/api/operations", params=params, json=sent).status_code == 404
    found = client.get("/api/find", params={"topic": "7", "q": "salty"}).json()
    assert found["how"] == "read all 3 documents, as the collection has no index"
    (document,) = found["documents"]
    assert (document["doc"], document["title"]) == ("salt", "Salt")
    assert not document["inPool"] and not document["inQueue"] and not document["judged"]
    assert client.post("/api/outside", json=params).json() == {}
    queue = client.get("/api/article", params=params).json()["queue"]
    assert (queue["position"], queue["total"], queue["offPool"]) == (3, 3, True)
    assert client.post("/api/operations", params=params, json=sent).status_code == 200
    # Only in the queue of the one who added it.
    assert browser(campaign, "bob").get("/api/article", params=params).status_code == 404


def test_documents_are_found_by_the_beginning_of_their_ids(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    found = client.get("/api/find", params={"topic": "7", "q": "ti"}).json()
    assert found["documents"][0]["doc"] == "tides"
    assert found["documents"][0]["inPool"]
    assert client.get("/api/find", params={"topic": "7", "q": "no.such"}).json()["documents"] == []


def test_the_page_is_told_all_fields_of_operations() -> None:
    assert OperationData.__struct_fields__ == tuple(Operation.__dataclass_fields__)
    assert set(get_args(get_type_hints(OperationData)["kind"])) == KINDS.keys() - {"import"}


@pytest.mark.parametrize("kind", ["operations", "time"])
def test_a_document_that_is_nowhere_is_in_no_queue(campaign: Campaign, kind: str) -> None:
    sent = {"operations": [highlight_tide()]} if kind == "operations" else {"seconds": 3}
    answer = browser(campaign, "ann").post(f"/api/{kind}?topic=7&doc=nowhere", json=sent)
    assert (answer.status_code, answer.json()["code"]) == (404, "document")
    assert str(campaign.collection.directory) not in answer.text


@pytest.mark.parametrize("kind, value", [("not-relevant", None), ("skip", True)])
def test_who_finishes_a_document_learns_the_next_one(
    campaign: Campaign, kind: str, value: bool | None
) -> None:
    client = browser(campaign, "ann")
    sent = {"op_id": "op-1", "base_version": 0, "kind": kind, "value": value}
    assert client.post(OPERATIONS, json={"operations": [sent]}).json()["next"] == "waves"


def test_what_one_user_did_is_not_saved_for_another(campaign: Campaign) -> None:
    """A page may still be open when somebody else signs in with the same browser."""
    sent = {"operations": [highlight_tide()], "user": "ann"}
    answer = browser(campaign, "bob").post(OPERATIONS, json=sent)
    assert (answer.status_code, answer.json()["code"]) == (409, "user")
    assert campaign.judgment("7", "tides", campaign.user("bob").id).version == 0
    assert browser(campaign, "ann").post(OPERATIONS, json=sent).status_code == 200


@pytest.mark.parametrize("mode", ["2005", "2003"])
def test_modes_with_grades(new_campaign: Callable[..., Campaign], mode: str) -> None:
    campaign = new_campaign(mode=mode)
    client = browser(campaign, "ann")
    path, value = "/article[1]/sec[1]", 2 if mode == "2005" else [3, 2]
    grade = {"op_id": "op-2", "base_version": 1, "kind": "grade", "path": path, "value": value}
    first = highlight_tide(start=5, end=28, quote="The moon pulls the sea.")
    if mode == "2003":
        first, grade = grade | {"base_version": 0}, grade | {"op_id": "op-3"}
    reply = client.post(OPERATIONS, json={"operations": [first, grade]}).json()
    assert reply["state"]["grades"][path] == value, reply
    assert reply["inconsistencies"] == []
    if mode == "2005":
        rows = dict(reply["gradable"])
        assert rows == {0: [2, 1], 2: [2, 1], 3: [2, 1]}
        assert reply["problems"]
    assert client.get("/api/article", params=OWN).json()["state"] == reply["state"]
