"""Every route and every role: who gets in, written down here a second time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from assess_client import OURS, WHO_MAY, TestClient, browser, highlight_tide, other
from doxeval.assess.db import Campaign
from doxeval.assess.web import Proxies, create_app
from small_campaign import operation

ROLES = ("admin", "organiser", "ann", "cyd", "adj", "gone", "nobody")
EVERYBODY = set(ROLES)
SIGNED_IN = EVERYBODY - {"gone", "nobody"}
ORGANISERS = {"admin", "organiser"}
ASSESSORS, ADJUDICATORS = {"ann"}, {"adj"}

OWN = {"topic": "7", "doc": "tides"}
SHARED = OWN | {"judge": "adjudicated"}
# Who may, and an example of a request: parameters of the address, a form, JSON.
EXAMPLES: Mapping[str, list[tuple[set[str], dict[str, Any]]]] = {
    "GET /login": [(EVERYBODY, {})],
    "POST /login": [(EVERYBODY, {"data": {"name": "ann", "password": "correct horse"}})],
    "POST /logout": [(SIGNED_IN, {})],
    "GET /": [(SIGNED_IN, {})],
    "GET /help": [(SIGNED_IN, {})],
    "GET /invitation": [(EVERYBODY, {"params": {"token": "a-link"}})],
    "POST /invitation": [(EVERYBODY, {"data": {"token": "a-link", "new": "p", "again": "p"}})],
    "GET /colour.css": [(EVERYBODY, {"params": {"of": "1a7f5a"}})],
    "GET /account": [(SIGNED_IN, {})],
    "POST /account/password": [(SIGNED_IN, {"data": {"current": "wrong"}})],
    "GET /queue": [
        (ASSESSORS, {"params": {"topic": "7"}}),
        (ADJUDICATORS, {"params": {"topic": "7", "judge": "adjudicated"}}),
    ],
    "POST /queue/outside": [
        (ASSESSORS, {"data": {"topic": "7", "doc": "salt"}}),
        (ADJUDICATORS, {"data": {"topic": "7", "doc": "salt", "judge": "adjudicated"}}),
    ],
    "GET /article": [(ASSESSORS, {"params": OWN})],
    "GET /adjudicate": [(ADJUDICATORS, {"params": OWN})],
    "GET /organise": [(ORGANISERS, {})],
    "GET /organise/judgments": [(ORGANISERS, {"params": {"user": "bob"}})],
    "GET /organise/judgment": [(ORGANISERS, {"params": OWN | {"user": "bob"}})],
    "GET /api/judgment": [(ORGANISERS, {"params": OWN | {"user": "bob"}})],
    "GET /organise/exports": [(ORGANISERS, {"params": {"judgments": "union"}})],
    "GET /organise/export": [(ORGANISERS, {"params": {"format": "jsonl", "judgments": "union"}})],
    "POST /organise/settings": [(ORGANISERS, {"data": {"title": "Tides"}})],
    "POST /organise/close": [(ORGANISERS, {"data": {"topic": "8"}})],
    "POST /organise/reopen": [(ORGANISERS, {"data": {"topic": "8"}})],
    "POST /organise/assign": [(ORGANISERS, {"data": {"topic": "8", "user": "dee"}})],
    "POST /organise/unassign": [(ORGANISERS, {"data": {"topic": "8", "user": "dee"}})],
    "POST /organise/balance": [(ORGANISERS, {"data": {"topic": "8", "do": "show"}})],
    "POST /organise/users/import": [({"admin"}, {"data": {"people": "name\neva\n"}})],
    "POST /organise/users/invite": [({"admin"}, {"data": {"user": "dee"}})],
    "POST /organise/users/withdraw": [({"admin"}, {"data": {"user": "dee"}})],
    "POST /organise/users/add": [({"admin"}, {"data": {"name": "eve", "role": "assessor"}})],
    "POST /organise/users/reset": [({"admin"}, {"data": {"user": "dee"}})],
    "POST /organise/users/disable": [({"admin"}, {"data": {"user": "dee"}})],
    "POST /organise/users/enable": [({"admin"}, {"data": {"user": "dee"}})],
    "GET /api/article": [(ASSESSORS, {"params": OWN}), (ADJUDICATORS, {"params": SHARED})],
    "GET /api/picture": [
        (ASSESSORS, {"params": OWN | {"number": "0"}}),
        (ADJUDICATORS, {"params": SHARED | {"number": "0"}}),
    ],
    "POST /api/operations": [
        (ASSESSORS, {"params": OWN, "json": {"operations": [highlight_tide()]}}),
        (ADJUDICATORS, {"params": SHARED, "json": {"operations": [highlight_tide(op_id="b")]}}),
    ],
    "POST /api/time": [
        (ASSESSORS, {"json": OWN | {"seconds": 3}}),
        (ADJUDICATORS, {"json": SHARED | {"seconds": 3}}),
    ],
    "POST /api/keywords": [
        (ASSESSORS | ADJUDICATORS, {"params": {"topic": "7"}, "json": {"words": ["sea"]}})
    ],
    "GET /api/find": [
        (ASSESSORS, {"params": {"topic": "7", "q": "sea"}}),
        (ADJUDICATORS, {"params": {"topic": "7", "q": "sea", "judge": "adjudicated"}}),
    ],
    "POST /api/outside": [
        (ASSESSORS, {"json": {"topic": "7", "doc": "salt"}}),
        (ADJUDICATORS, {"json": {"topic": "7", "doc": "salt", "judge": "adjudicated"}}),
    ],
}


@pytest.fixture
def people(campaign: Campaign) -> Campaign:
    """The small campaign; cyd assesses the other topic, gone was disabled, dee does nothing."""
    for name in ("cyd", "gone", "dee"):
        campaign.add_user(name)
    campaign.assign("8", "cyd")
    campaign.assign("7", "gone")
    bob = campaign.user("bob")  # adjudicators see what somebody has validated
    campaign.submit("7", "tides", bob.id, bob, [operation("not-relevant", 0)])
    return campaign


def real_routes(campaign: Campaign) -> set[str]:
    found = set()
    for route in create_app(campaign).routes:
        assert isinstance(route, Route)
        if isinstance(route.app, StaticFiles):  # the script and the style are open to anyone
            continue
        found |= {f"{method} {route.path}" for method in (route.methods or set()) - {"HEAD"}}
    return found


def test_every_route_is_in_both_tables(campaign: Campaign) -> None:
    assert real_routes(campaign) == set(WHO_MAY) == set(EXAMPLES)


@pytest.mark.parametrize("role", ROLES)
def test_who_may(people: Campaign, role: str) -> None:
    application = browser(people)
    for route, examples in EXAMPLES.items():
        for allowed, request in examples:
            token = None if role == "nobody" else people.open_session(people.user(role))
            assert_may(people, other(application, token), role, route, allowed, request)


@pytest.mark.parametrize("role", sorted(SIGNED_IN))
def test_a_proxys_word_gives_the_same_rights(people: Campaign, role: str) -> None:
    application = create_app(people, proxies=Proxies.of(["192.0.2.1"], "X-Remote-User"))
    headers = {**OURS, "x-remote-user": role}
    for route, examples in EXAMPLES.items():
        for allowed, request in examples:
            client = TestClient(
                application, headers=headers, follow_redirects=False, client=("192.0.2.1", 4711)
            )
            assert_may(people, client, role, route, allowed, request)


def assert_may(
    campaign: Campaign,
    client: TestClient,
    role: str,
    route: str,
    allowed: set[str],
    request: dict[str, Any],
) -> None:
    method, path = route.split()
    if role == "gone":  # the session is older than the ban
        campaign.set_active("gone", False)
    answer = client.request(method, path, **request)
    if role == "gone":
        campaign.set_active("gone", True)
    told = f"{role} {route} {request}: {answer.status_code} {answer.text[:300]}"
    assert answer.status_code < 500, told
    if role in allowed:
        assert answer.status_code not in (401, 403), told
        # A password that is wrong, a link or a picture that is none: no questions of rights.
        others = ("/account/password", "/invitation", "/api/picture")
        assert answer.status_code < 400 or path in others, told
    elif role in ("gone", "nobody") and not path.startswith("/api/"):
        assert answer.status_code == 303, told
        assert answer.headers["location"].startswith("/login"), told
    else:
        assert answer.status_code == (401 if role in ("gone", "nobody") else 403), told


def test_a_head_asks_for_the_same_rights(people: Campaign) -> None:
    client = browser(people)
    params = {"topic": "7", "doc": "tides"}
    for route in WHO_MAY:
        method, path = route.split()
        if method == "GET":
            answers = [client.request(one, path, params=params) for one in ("HEAD", "GET")]
            assert answers[0].status_code == answers[1].status_code, path


def test_a_topic_of_others_looks_like_one_that_does_not_exist(people: Campaign) -> None:
    client = browser(people, "cyd")
    answers = [client.get("/api/find", params={"topic": topic}) for topic in ("7", "nowhere")]
    assert answers[0].status_code == answers[1].status_code == 403
    assert answers[0].json() == answers[1].json()
