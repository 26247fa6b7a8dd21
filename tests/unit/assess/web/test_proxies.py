"""Proxies: what is believed of those that are trusted, and nothing of anybody else."""

from __future__ import annotations

from typing import Any

import pytest

from assess_client import OURS, TestClient, browser
from doxeval.assess.db import Campaign
from doxeval.assess.web import COOKIE, Proxies, create_app
from doxeval.errors import InputError
from small_campaign import PASSWORD

PROXY, ELSEWHERE = "192.0.2.1", "198.51.100.9"
WRONG = {"name": "ann", "password": "wrong"}


def client_of(campaign: Campaign, address: str, header: str | None = "X-Remote-User") -> TestClient:
    """A client at an address, of a server that trusts one proxy."""
    application = create_app(campaign, proxies=Proxies.of([PROXY], header))
    return TestClient(application, headers=OURS, follow_redirects=False, client=(address, 4711))


def get(client: TestClient, name: str | bytes, path: str = "/account") -> Any:
    return client.get(path, headers={"x-remote-user": name})


def test_a_trusted_proxy_says_who_somebody_is(campaign: Campaign) -> None:
    page = get(client_of(campaign, PROXY), "ann")
    assert page.status_code == 200
    assert "ann" in page.text
    # There is nothing to sign out of, and no password to change.
    assert "/logout" not in page.text and "<form" not in page.text
    assert [event.what for event in campaign.events()].count("signed in") == 1


def test_its_word_counts_more_than_a_session(campaign: Campaign) -> None:
    client = client_of(campaign, PROXY)
    client.cookies.set(COOKIE, campaign.open_session(campaign.user("admin")), "testserver.local")
    assert client.get("/organise").status_code == 200  # it names nobody
    assert get(client, "ann", "/organise").status_code == 403


@pytest.mark.parametrize("header", ["X-Remote-User", None])
@pytest.mark.parametrize("address", [ELSEWHERE, "::1", "somewhere"])
def test_nobody_else_does(campaign: Campaign, address: str, header: str | None) -> None:
    client = client_of(campaign, address, header)
    assert get(client, "admin").headers["location"].startswith("/login")
    assert get(client, "admin", "/api/find?topic=7").status_code == 401


def test_without_the_option_the_header_means_nothing(campaign: Campaign) -> None:
    assert get(client_of(campaign, PROXY, None), "admin").status_code == 303


@pytest.mark.parametrize(
    "name",
    ["nobody", "ANN", "ann,admin", "a" * 5000, b"ann\0", b"\xff", "é".encode(), "gone"],
)
def test_unknown_names_are_refused(campaign: Campaign, name: str | bytes) -> None:
    campaign.add_user("gone")
    campaign.set_active("gone", False)
    client = client_of(campaign, PROXY)
    for path in ("/account", "/login", "/api/find?topic=7"):
        answer = get(client, name, path)
        assert answer.status_code == 403, path
        assert "have no account" in answer.text


def test_two_names_are_refused(campaign: Campaign) -> None:
    headers = [("x-remote-user", "ann"), ("X-Remote-User", "admin")]
    assert client_of(campaign, PROXY).get("/account", headers=headers).status_code == 403


def test_names_in_utf_8(campaign: Campaign) -> None:
    campaign.add_user("Zoë")
    assert get(client_of(campaign, PROXY), "Zoë".encode()).status_code == 200


def test_a_proxys_word_does_not_let_other_sites_in(campaign: Campaign) -> None:
    client = client_of(campaign, PROXY)
    headers = {"x-remote-user": "admin", "sec-fetch-site": "cross-site"}
    answer = client.post("/organise/close", data={"topic": "7"}, headers=headers)
    assert answer.status_code == 403
    assert not campaign.topic("7").is_closed


def test_no_password_changes_by_a_proxys_word(campaign: Campaign) -> None:
    form = {"current": PASSWORD, "new": "another horse", "again": "another horse"}
    headers = {"x-remote-user": "ann"}
    answer = client_of(campaign, PROXY).post("/account/password", data=form, headers=headers)
    assert answer.status_code == 422
    assert browser(campaign).post("/login", data=WRONG | {"password": PASSWORD}).status_code == 303


def throttled(client: TestClient, forwarded: str) -> bool:
    headers = {"x-forwarded-for": forwarded}
    status: int = client.post("/login", data=WRONG, headers=headers).status_code
    return status == 429


def test_wrong_passwords_count_by_the_forwarded_address(campaign: Campaign) -> None:
    client = client_of(campaign, PROXY)
    for _ in range(5):
        assert not throttled(client, ELSEWHERE)
    # Whatever somebody writes into the header comes before what the proxy adds.
    assert throttled(client, f"203.0.113.5, {ELSEWHERE}")
    assert throttled(client, f"{ELSEWHERE}:4711, {PROXY}")
    assert not throttled(client, "203.0.113.5")


def test_the_header_of_anybody_else_is_ignored(campaign: Campaign) -> None:
    client = client_of(campaign, ELSEWHERE)
    assert [throttled(client, f"203.0.113.{number}") for number in range(6)] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("", PROXY),
        ("unknown", PROXY),
        ("203.0.113.5", "203.0.113.5"),
        ("203.0.113.5, nonsense", PROXY),
        ("nonsense, 203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("[2001:db8::1]:80", "2001:db8::1"),
        (f"203.0.113.5, {PROXY}, {PROXY}", "203.0.113.5"),
        ("6.6.6.6," * 100_000 + "203.0.113.5", "203.0.113.5"),
    ],
)
def test_for_whom_a_proxy_asks(forwarded: str, address: str) -> None:
    assert Proxies.of([PROXY]).asks_for(PROXY, forwarded) == address


@pytest.mark.parametrize("address", ["", "proxy.example", "10.0.0.1/8", "::/0", "1.2.3.4.5"])
def test_wrong_addresses_of_proxies(address: str) -> None:
    with pytest.raises(InputError, match="trusted_proxy"):
        Proxies.of([address])


@pytest.mark.parametrize(
    "header", ["", "Cookie", "sec-fetch-user", "X Remote", "x:y", "X_User", "Host", "é"]
)
def test_wrong_headers_of_people(header: str) -> None:
    with pytest.raises(InputError, match="auth_header"):
        Proxies.of([PROXY], header)
    with pytest.raises(InputError, match="without trusted_proxy"):
        Proxies.of([], "X-Remote-User")
