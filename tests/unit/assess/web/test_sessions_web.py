"""Signing in and out: cookies, sessions that end, wrong passwords, ways back."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import quote

import pytest

from assess_client import OURS, browser, other
from doxeval.assess.db import Campaign
from doxeval.assess.web import BROWSER_COOKIE, COOKIE, create_app
from small_campaign import PASSWORD, stored

ANN = {"name": "ann", "password": PASSWORD}


def test_signing_in_gives_a_session(campaign: Campaign) -> None:
    client = browser(campaign)
    assert client.get("/").status_code == 303
    answer = client.post("/login", data=ANN)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "My topics" in client.get("/").text
    # Somebody who is signed in has no use for the form.
    assert client.get("/login", params={"next": "/help"}).headers["location"] == "/help"


@pytest.mark.parametrize("secure", [False, True])
def test_the_flags_of_the_cookie(campaign: Campaign, secure: bool) -> None:
    client = browser(campaign, secure=secure)
    token = campaign.open_session(campaign.user("ann"))
    answers = [client.post("/login", data=ANN)]
    answers.append(client.post("/logout", headers={"cookie": f"{COOKIE}={token}"}))
    cookies = [cookie for answer in answers for cookie in answer.headers.get_list("set-cookie")]
    names = [COOKIE, f"{BROWSER_COOKIE}{campaign.user('ann').id}", COOKIE]
    for name, cookie in zip(names, cookies, strict=True):
        value, *flags = [part.strip().lower() for part in cookie.split(";")]
        assert value.startswith(f"{name}=")
        assert {"httponly", "samesite=lax", "path=/"} <= set(flags)
        assert ("secure" in flags) == secure
        assert not any(flag.startswith("domain") for flag in flags)


def test_a_session_that_somebody_planted_is_replaced(campaign: Campaign) -> None:
    planted = campaign.open_session(campaign.user("bob"))
    client = browser(campaign)
    client.cookies.set(COOKIE, planted)
    answer = client.post("/login", data=ANN)
    token = answer.cookies[COOKIE]
    assert token != planted
    assert campaign.session(planted) is None
    session = campaign.session(token)
    assert session is not None and session.user.name == "ann"
    # A token that the server never gave does not become a session either.
    invented = other(client, "A" * 43)
    assert invented.post("/login", data=ANN).cookies[COOKIE] != "A" * 43
    assert campaign.session("A" * 43) is None


def test_sessions_end_at_the_server(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    token = client.cookies[COOKIE]
    assert client.post("/logout").headers["location"] == "/login"
    assert other(client, token).get("/api/find?topic=7").status_code == 401


@pytest.mark.parametrize("what", ["disable", "reset"])
def test_an_administrator_ends_all_sessions_of_somebody(campaign: Campaign, what: str) -> None:
    admin, ann = browser(campaign, "admin"), browser(campaign, "ann")
    assert ann.get("/api/find?topic=7").status_code == 200
    assert admin.post(f"/organise/users/{what}", data={"user": "ann"}).status_code in (200, 303)
    answer = ann.get("/api/find?topic=7")
    assert (answer.status_code, answer.json()["code"]) == (401, "signed-out")
    assert browser(campaign).post("/login", data=ANN).status_code == 401
    assert admin.get("/organise").status_code == 200


def test_a_new_password_is_shown_once_and_works(campaign: Campaign) -> None:
    admin = browser(campaign, "admin")
    page = admin.post("/organise/users/add", data={"name": "eve", "role": "assessor"}).text
    password = page.partition("<code>")[2].partition("</code>")[0]
    assert password not in admin.get("/organise").text
    signed_in = browser(campaign).post("/login", data={"name": "eve", "password": password})
    assert signed_in.status_code == 303


def test_the_own_password(campaign: Campaign) -> None:
    client, elsewhere = browser(campaign, "ann"), browser(campaign, "ann")
    new = "a new password"
    form = {"current": PASSWORD, "new": new, "again": new}
    for wrong in ({"current": "wrong"}, {"again": "another"}, {"new": "short", "again": "short"}):
        answer = client.post("/account/password", data=form | wrong)
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
    assert elsewhere.get("/").status_code == 200
    assert client.post("/account/password", data=form).headers["location"].startswith("/account")
    assert client.get("/account?done=password").status_code == 200
    assert elsewhere.get("/").status_code == 303
    assert browser(campaign).post("/login", data=ANN).status_code == 401
    signed_in = browser(campaign).post("/login", data=ANN | {"password": new})
    assert signed_in.status_code == 303


def test_wrong_names_and_wrong_passwords_get_the_same_answer(campaign: Campaign) -> None:
    campaign.set_active("bob", False)
    answers = [
        browser(campaign).post("/login", data={"name": name, "password": password})
        for name, password in (("ann", "wrong"), ("nobody", "wrong"), ("bob", PASSWORD))
    ]
    assert {answer.status_code for answer in answers} == {401}
    texts = {
        answer.text.replace('value="ann"', "")
        .replace('value="nobody"', "")
        .replace('value="bob"', "")
        for answer in answers
    }
    assert len(texts) == 1


def test_odd_names_and_passwords_are_wrong(campaign: Campaign) -> None:
    for form in (
        {},
        {"name": "ann"},
        {"name": "", "password": ""},
        {"name": "a" * 300, "password": "x"},
        {"name": "ann", "password": "x" * 2000},
        {"name": "<script>", "password": "x"},
        {"name": "ann' OR 1=1 --", "password": "x"},
    ):
        answer = browser(campaign).post("/login", data=form)
        assert answer.status_code == 401, form
        assert "<script>" not in answer.text
        assert "set-cookie" not in answer.headers


def test_many_wrong_passwords_must_wait(campaign: Campaign) -> None:
    client = browser(campaign)
    wrong = ANN | {"password": "wrong"}
    statuses = [client.post("/login", data=wrong).status_code for _ in range(12)]
    assert statuses[:5] == [401] * 5
    assert 429 in statuses
    answer = client.post("/login", data=ANN)
    while answer.status_code != 429:  # the shortest wait is one second
        client.post("/login", data=wrong)
        answer = client.post("/login", data=ANN)
    assert int(answer.headers["retry-after"]) >= 1
    assert "Wait" in answer.text
    # Claiming another address does not help.
    headers = {"x-forwarded-for": "10.9.8.7", "forwarded": "for=10.9.8.7"}
    assert client.post("/login", data=wrong, headers=headers).status_code == 429


def test_a_browser_that_is_known_is_not_slowed_down_by_strangers(campaign: Campaign) -> None:
    known, stranger = browser(campaign), browser(campaign)
    assert known.post("/login", data=ANN).status_code == 303
    known.post("/logout")
    for number in range(60):  # by the name from one address, and by many names
        stranger.post("/login", data={"name": "ann", "password": "wrong"})
        stranger.post("/login", data={"name": f"name {number}", "password": "wrong"})
    assert stranger.post("/login", data=ANN).status_code == 429
    assert known.post("/login", data=ANN).status_code == 303
    change = {"current": PASSWORD, "new": "another horse", "again": "another horse"}
    assert known.post("/account/password", data=change).status_code == 303
    # It is known for its users alone, and guesses in it are slowed down, too.
    assert known.post("/login", data=ANN | {"name": "bob"}).status_code == 429
    wrong = [known.post("/login", data=ANN).status_code for _ in range(6)]
    assert wrong == [401] * 5 + [429]


def test_what_a_browser_is_known_by_is_new_each_time(campaign: Campaign) -> None:
    client, name = browser(campaign), f"{BROWSER_COOKIE}{campaign.user('ann').id}"
    client.cookies.set(name, "planted", "testserver.local")
    tokens = [client.post("/login", data=ANN).cookies[name] for _ in range(3)]
    assert len({"planted", *tokens}) == 4
    assert len(stored(campaign, "browsers")) == 1
    assert not set(tokens) & set(stored(campaign, "browsers", "token_hash"))


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_whoever_goes_away_has_neither_failed_nor_signed_in(
    campaign: Campaign, password: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = f"name=ann&password={password.replace(' ', '+')}".encode()
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    headers = {"content-type": "application/x-www-form-urlencoded", **OURS}

    async def receive() -> Any:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message.get("status"))

    answers: list[Any] = []
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/login",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("192.0.2.7", 1),
    }
    asyncio.run(create_app(campaign)(scope, receive, send))
    assert answers[0] == 400
    assert not caplog.records
    events = [event.what for event in campaign.events()]
    assert not stored(campaign, "login_failures")
    assert "sign-in failed" not in events and "signed in" not in events


WAYS = {
    "/queue?topic=7": "/queue?topic=7",
    "": "/",
    "//evil.example": "/",
    "/\\evil.example": "/",
    "\\\\evil.example": "/",
    "https://evil.example/": "/",
    "javascript:alert(1)": "/",
    "evil.example": "/",
    "/\t/evil.example": "/",
    "/a\r\nset-cookie: x=y": "/",
    "/" + "a" * 5000: "/",
}


def test_the_way_back_stays_on_this_site(campaign: Campaign) -> None:
    ann = browser(campaign, "ann")
    for way, where in WAYS.items():
        answer = browser(campaign).post("/login", data=ANN | {"next": way})
        assert answer.headers["location"] == where, way
        assert "x" not in answer.cookies
        assert browser(campaign).get(f"/login?next={quote(way)}").status_code == 200
        assert ann.get(f"/login?next={quote(way)}").headers["location"] == where


def test_a_page_that_needs_a_session_is_come_back_to(campaign: Campaign) -> None:
    client = browser(campaign)
    answer = client.get("/queue", params={"topic": "7"})
    assert answer.headers["location"] == "/login?next=%2Fqueue%3Ftopic%3D7"
    form = client.get(answer.headers["location"])
    assert 'name="next" value="/queue?topic=7"' in form.text
    # After a form was sent, there is nothing to repeat.
    assert client.post("/organise/close").headers["location"] == "/login"


def test_strange_cookies_are_no_sessions(campaign: Campaign) -> None:
    for cookie in ("", "x" * 5000, "\x7f", "' OR 1=1 --", '"quoted"', "é"):
        header = f"{COOKIE}={cookie}".encode("latin-1")
        answer = browser(campaign).get("/", headers={b"cookie": header})
        assert answer.status_code == 303, cookie


def test_the_log_has_no_secrets(campaign: Campaign, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = browser(campaign)
    client.post("/login", data=ANN | {"password": "S3cret-guess"})
    client.post("/login", data=ANN)
    token = client.cookies[COOKIE]
    client.get("/")
    client.post("/api/operations?topic=7&doc=tides", json={"operations": "S3cret-body"})
    written = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith("http")
    )
    assert "failed sign-in as 'ann'" in written
    for secret in ("S3cret", PASSWORD, token):
        assert secret not in written


def test_nobody_locks_themselves_out(campaign: Campaign) -> None:
    client = browser(campaign, "admin")
    answer = client.post("/organise/users/disable", data={"user": "admin"})
    assert answer.status_code == 422
    assert campaign.user("admin").active
