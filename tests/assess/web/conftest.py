"""One event loop for all requests of a file: starting one takes longer than a request."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal

from assess_client import TestClient


@pytest.fixture(autouse=True, scope="module")
def one_event_loop() -> Iterator[None]:
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield
