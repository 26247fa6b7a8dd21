"""Links by which invited people choose their passwords, and what strangers do with such links."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from assess_client import TestClient, browser
from doxeval.assess.db import Campaign, NoInvitation
from doxeval.assess.web import COOKIE
from seams import change
from small_campaign import PASSWORD, stored

NEW = {"new": "a new password", "again": "a new password"}


@pytest.fixture
def token(campaign: Campaign) -> str:
    campaign.add_user("eve", password="nobody knows it")
    return campaign.invite("eve", 3).token


def test_a_link_leads_to_a_password_and_into_the_campaign(campaign: Campaign, token: str) -> None:
    client = browser(campaign)
    page = client.get("/invitation", params={"token": token})
    assert page.status_code == 200
    assert "eve" in page.text and f'value="{token}"' in page.text
    assert page.headers["referrer-policy"] == "same-origin"
    assert page.headers["cache-control"] == "no-store"
    assert client.get("/invitation", params={"token": token}).status_code == 200  # not used up
    answer = client.post("/invitation", data={"token": token} | NEW)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "My topics" in client.get("/").text
    for request in (
        client.get("/invitation", params={"token": token}),
        browser(campaign).post("/invitation", data={"token": token} | NEW),
    ):
        assert request.status_code == 404
        assert "was used or withdrawn" in request.text
        assert "<bdi>eve" not in request.text
    assert campaign.check_password("eve", NEW["new"], "here") == campaign.user("eve")


def test_the_database_has_only_the_hash(campaign: Campaign, token: str) -> None:
    (kept,) = stored(campaign, "invitations", "token_hash")
    assert token not in kept and len(kept) == 64
    assert all(token not in str(event.details) for event in campaign.events())


def test_what_is_wrong_with_a_password_is_said_and_the_link_stays(
    campaign: Campaign, token: str
) -> None:
    client = browser(campaign)
    for changes, message in (
        ({"new": "short", "again": "short"}, "8 to 1000"),
        ({"again": "another password"}, "not repeated exactly"),
        ({"new": ""}, "not repeated exactly"),
    ):
        answer = client.post("/invitation", data={"token": token} | NEW | changes)
        assert answer.status_code == 422
        assert message in answer.text and COOKIE not in answer.cookies
    assert client.post("/invitation", data={"token": token} | NEW).status_code == 303


def test_links_end(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign.add_user("eve")

    def ended(token: str) -> bool:
        answers = [
            browser(campaign).get("/invitation", params={"token": token}),
            browser(campaign).post("/invitation", data={"token": token} | NEW),
        ]
        return [answer.status_code for answer in answers] == [404, 404]

    first, second = (campaign.invite("eve").token for _ in range(2))
    assert ended(first) and not ended_by_looking(campaign, second)
    campaign.set_password("eve")
    assert ended(second)
    third = campaign.invite("eve").token
    campaign.withdraw_invitation("eve")
    assert ended(third)
    fourth = campaign.invite("eve").token
    campaign.set_active("eve", False)
    campaign.set_active("eve", True)
    assert ended(fourth)
    fifth = campaign.invite("eve", 2).token
    later = datetime.fromisoformat(campaign.invitations()[0].expires) + timedelta(seconds=1)
    change(monkeypatch, campaign_clock=lambda: later.isoformat()[:23] + "Z")
    assert ended(fifth)
    assert "expired" in browser(campaign, "admin").get("/organise").text


def ended_by_looking(campaign: Campaign, token: str) -> bool:
    answer = browser(campaign).get("/invitation", params={"token": token})
    return bool(answer.status_code != 200)


def test_strangers_who_guess_links_wait_and_keep_nobody_out(campaign: Campaign, token: str) -> None:
    client = browser(campaign)
    codes = [
        client.post("/invitation", data={"token": f"guess-{number}"} | NEW).status_code
        for number in range(8)
    ]
    assert codes[:5] == [404] * 5 and codes[6:] == [429] * 2
    assert client.post("/login", data={"name": "ann", "password": PASSWORD}).status_code == 303
    assert browser(campaign).post("/invitation", data={"token": token} | NEW).status_code == 303


@pytest.mark.parametrize(
    "hostile",
    ["", " ", "x" * 5000, "é", "a\nb", "'; drop table users; --", "<script>", "%00", "../../etc"],
)
def test_hostile_links_are_no_links(campaign: Campaign, token: str, hostile: str) -> None:
    client = browser(campaign)
    page = client.get("/invitation", params={"token": hostile})
    assert page.status_code == 404 and "<script>" not in page.text
    answer = client.post("/invitation", data={"token": hostile} | NEW)
    assert answer.status_code in (400, 404)
    with pytest.raises(NoInvitation):
        campaign.accept_invitation(hostile, "a new password")


def test_a_session_of_somebody_else_ends_when_a_link_is_used(
    campaign: Campaign, token: str
) -> None:
    client = browser(campaign, "ann")
    old = client.cookies[COOKIE]
    client.post("/invitation", data={"token": token} | NEW)
    assert campaign.session(old) is None


# What admins do


def secrets_of(page: str) -> list[tuple[str, str]]:
    row = r'<tr><th scope="row"><bdi>(.+?)</bdi></th><td><code>(.+?)</code></td></tr>'
    return re.findall(row, page)


def test_admins_invite_and_withdraw(campaign: Campaign) -> None:
    client = browser(campaign, "admin", secure=True)
    page = client.post(
        "/organise/users/add", data={"name": "eve", "role": "assessor", "with": "link"}
    )
    ((name, link),) = secrets_of(page.text)
    assert name == "eve" and link.startswith("https://testserver/invitation?token=")
    page = client.post("/organise/users/invite", data={"user": "eve"})
    ((_, new),) = secrets_of(page.text)
    assert new != link
    assert "token=" not in client.get("/organise").text
    assert "invited until" in client.get("/organise").text
    done = client.post("/organise/users/withdraw", data={"user": "eve"})
    assert done.headers["location"] == "/organise?done=withdrawn#users"
    assert ended_by_looking(campaign, new.partition("=")[2])
    campaign.set_active("eve", False)
    assert client.post("/organise/users/invite", data={"user": "eve"}).status_code == 422


@pytest.mark.parametrize("kind", ["password", "link"])
def test_admins_add_a_list(campaign: Campaign, kind: str) -> None:
    client = browser(campaign, "admin")
    text = "name,role\r\ncarl,\r\nolaf,organiser\r\n"
    page = client.post("/organise/users/import", data={"people": text, "with": kind})
    secrets = dict(secrets_of(page.text))
    assert list(secrets) == ["carl", "olaf"]
    if kind == "password":
        assert campaign.check_password("carl", secrets["carl"], "here") is not None
    else:
        token = secrets["carl"].partition("token=")[2]
        assert client.post("/invitation", data={"token": token} | NEW).status_code == 303


def test_a_list_with_an_error_comes_back_as_it_was(campaign: Campaign) -> None:
    client = browser(campaign, "admin")
    before = campaign.users()
    for text, message in (
        ("name,role\ncarl,\nann,\n", "The list:3: there is already a user ann."),
        ("name,role\ncarl,<b>boss\n", "The list:2: no role"),
        ("</textarea><script>alert(1)</script>\nx\n", "expected a column"),
    ):
        page = client.post("/organise/users/import", data={"people": text})
        assert page.status_code == 422
        assert message in page.text.replace("&#39;", "'")
        assert "<script>alert" not in page.text and "<b>boss" not in page.text
        assert "carl" in page.text or "alert" in page.text
    assert campaign.users() == before


def test_documents_are_spread_on_the_page(campaign: Campaign) -> None:
    client = browser(campaign, "organiser")
    for topic in ("7", "8"):
        for name in ("ann", "bob"):
            campaign.unassign(topic, name)
    assert "5 documents of 2 open topics are given to nobody" in client.get("/organise").text
    before = campaign.assignments()
    form = {"twice": "40", "per_document": "1", "keep_topics": "yes", "seed": "7"}
    page = client.post("/organise/balance", data=form | {"do": "show"}).text
    assert "Who would get what" in page and "5 documents, 2 of them for several people" in page
    assert 'value="40"' in page and 'name="keep_topics" value="yes" checked' in page
    assert campaign.assignments() == before
    done = client.post("/organise/balance", data=form | {"do": "spread"})
    assert done.headers["location"] == "/organise?done=spread#assignments"
    assert "some documents" in client.get("/organise").text
    assert sum(row.total for row in campaign.progress() if row.part == "assess") == 7
    for wrong in ({"per_document": "x"}, {"twice": "101"}, {"twice": "-1"}, {"per_document": "9"}):
        assert client.post("/organise/balance", data=form | wrong).status_code == 422
    assert client.post("/organise/balance", data={"topic": "nowhere"}).status_code == 404


def test_an_assessor_of_some_documents_cannot_reach_the_others(campaign: Campaign) -> None:
    for topic in ("7", "8"):
        for name in ("ann", "bob"):
            campaign.unassign(topic, name)
    browser(campaign, "organiser").post("/organise/balance", data={"do": "spread"})
    for name in ("ann", "bob"):
        client: TestClient = browser(campaign, name)
        user = campaign.user(name)
        for topic in {row.topic for row in campaign.progress(user)}:
            own = {entry.document for entry in campaign.queue(topic, user.id)}
            for document in {"tides", "waves", "salt"} - own:
                params = {"topic": topic, "doc": document}
                assert client.get("/article", params=params).status_code == 404
                assert client.get("/api/article", params=params).status_code == 404
                sent = {"operations": [{"op_id": "a", "base_version": 0, "kind": "not-relevant"}]}
                for path, body in (("/api/operations", sent), ("/api/time", {"seconds": 3})):
                    assert client.post(path, params=params, json=body).status_code == 404
