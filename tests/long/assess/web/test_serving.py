"""The server itself: where it listens, how it stops, and what it refuses."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from doxeval.assess.db import Campaign, CampaignError
from doxeval.assess.web import serve
from doxeval.errors import InputError
from small_campaign import PASSWORD, make_campaign

SERVER = """
import sys
from doxeval.assess.db import Campaign
from doxeval.assess.web import serve

with Campaign.open(sys.argv[1]) as campaign:
    serve(campaign, port=0, started=lambda address: print(address, flush=True))
print("stopped", flush=True)
"""


@pytest.fixture
def small(tmp_path: Path) -> Campaign:
    return make_campaign(tmp_path)


def started(campaign: Campaign) -> tuple[subprocess.Popen[str], str]:
    source = Path(sys.modules["doxeval"].__file__ or "").parents[1]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(campaign.directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(source)},
    )
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    assert address, server.communicate()[1]
    return server, address


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_stops(small: Campaign, stop: int) -> None:
    server, address = started(small)
    try:
        with httpx.Client(base_url=address, headers={"origin": address}) as client:
            assert client.get("/login").status_code == 200
            signed_in = client.post("/login", data={"name": "ann", "password": PASSWORD})
            assert signed_in.status_code == 303
            page = client.get("/")
            assert page.status_code == 200 and "My topics" in page.text
            assert "server" not in page.headers
        with pytest.raises(CampaignError, match="a server is running on this campaign"):
            serve(small, port=0)
        server.send_signal(stop)
        server.communicate(timeout=20)
    finally:
        server.kill()
    assert server.returncode == -stop  # the signal goes on to whoever called
    # The lock is free again.
    with small.serving():
        pass


def test_a_port_that_is_taken(small: Campaign) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} on 127.0.0.1 is taken"):
            serve(small, port=port)
    with small.serving():  # nothing is left behind
        pass


@pytest.mark.parametrize("wrong", [{"port": 70_000}, {"host": "no.such.host.invalid"}])
def test_addresses_that_do_not_exist(small: Campaign, wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        serve(small, **wrong)  # type: ignore[arg-type]


def test_a_certificate_that_cannot_be_read(small: Campaign, tmp_path: Path) -> None:
    for content in (None, "no certificate"):
        path = tmp_path / "cert.pem"
        if content is not None:
            path.write_text(content)
        with pytest.raises(InputError, match="the certificate or its key cannot be used"):
            serve(small, port=0, tls=(path, path))


def test_a_slow_start_is_not_taken_for_ready(small: Campaign) -> None:
    """The address is told once the socket listens, so a first request is never refused."""
    begin = time.monotonic()
    server, address = started(small)
    try:
        assert httpx.get(f"{address}/login", timeout=30).status_code == 200
    finally:
        server.kill()
        server.communicate()
    assert time.monotonic() - begin < 60
