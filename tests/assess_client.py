"""Browsers for the tests of the assessment application: requests as our own pages make them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from doxeval.assess.db import Campaign
from doxeval.assess.web import COOKIE, ROUTES, create_app

with warnings.catch_warnings():
    # The client would like a newer library than the one that all other tests use.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

__all__ = [
    "OURS",
    "WHO_MAY",
    "TestClient",
    "browser",
    "highlight_tide",
    "one_event_loop",
    "other",
]

OURS = {"sec-fetch-site": "same-origin"}
WHO_MAY = {f"{entry.method} {entry.path}": entry.who for entry in ROUTES}


def browser(campaign: Campaign, name: str | None = None, **settings: Any) -> TestClient:
    """A browser; with a name, that user is signed in."""
    client = TestClient(create_app(campaign, **settings), headers=OURS, follow_redirects=False)
    if name is not None:
        client.cookies.set(COOKIE, campaign.open_session(campaign.user(name)), "testserver.local")
    return client


def other(client: TestClient, token: str | None) -> TestClient:
    """Another browser on the same application, with the session of a token."""
    another = TestClient(client.app, headers=OURS, follow_redirects=False)
    if token is not None:
        another.cookies.set(COOKIE, token, "testserver.local")
    return another


def highlight_tide(base_version: int = 0, op_id: str = "op-1", **changes: Any) -> dict[str, Any]:
    """An operation on the document `tides` as the page sends it: its first word is highlighted."""
    sent = {
        "op_id": op_id,
        "base_version": base_version,
        "kind": "highlight",
        "start": 0,
        "end": 5,
        "quote": "Tides",
        "quote_length": None,
        "quote_sha256": None,
        "path": None,
        "value": None,
        "client_time": None,
    }
    return sent | changes


@pytest.fixture(autouse=True, scope="module")
def one_event_loop() -> Iterator[None]:
    """One event loop for all requests of a file: starting one takes longer than a request."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield
