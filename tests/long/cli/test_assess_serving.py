"""`doxeval assess serve` and `assess demo`, as processes: they say where they are, and stop."""

from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import doxeval as doxeval_package
from campaigns_by_hand import make_campaign, make_sources
from doxeval.assess.db import Campaign
from helpers import doxeval

SOURCES = str(Path(doxeval_package.__file__).parents[1])


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    return make_campaign(folder / "campaign", make_sources(folder / "sources"))


@contextmanager
def running(*words: object, stop: int = signal.SIGINT) -> Iterator[tuple[str, list[str]]]:
    """A server in a process of its own: its address, and what it printed before."""
    process = subprocess.Popen(
        [sys.executable, "-m", "doxeval", "assess", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCES, "BROWSER": "true"},
    )
    assert process.stdout is not None and process.stderr is not None
    printed = []
    try:
        for line in process.stdout:
            printed.append(line)
            if line.startswith("http"):
                break
        assert printed and printed[-1].startswith("http"), process.stderr.read()
        yield printed[-1].split()[0], printed[:-1]
    finally:
        process.send_signal(stop)
        _, errors = process.communicate(timeout=30)
    said = {signal.SIGINT: "Interrupted", signal.SIGTERM: "Terminated"}[signal.Signals(stop)]
    assert process.returncode == 128 + stop
    assert errors.splitlines()[-1] == said
    assert "Traceback" not in errors


def fetched(address: str, context: ssl.SSLContext | None = None) -> str:
    with urllib.request.urlopen(address, timeout=20, context=context) as answer:
        page: str = answer.read().decode()
        return page


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_server_says_where_it_is_and_stops(campaign: Path, stop: int) -> None:
    with running("serve", campaign, "--port", 0, stop=stop) as (address, _):
        assert address.startswith("http://127.0.0.1:")
        assert "Sign in" in fetched(f"{address}/login")
    with Campaign.open(campaign) as opened:
        assert opened.verify() == []


def test_a_second_server_and_a_taken_port_are_refused(campaign: Path, tmp_path: Path) -> None:
    other = shutil.copytree(campaign, tmp_path / "other")
    with running("serve", campaign, "--port", 0) as (address, _):
        again = doxeval("assess", "serve", campaign, "--port", 0)
        assert (again.exit_code, again.stdout) == (1, "")
        assert "a server is running on this campaign" in again.stderr
        port = address.rpartition(":")[2]
        taken = doxeval("assess", "serve", other, "--port", port)
        assert (taken.exit_code, taken.stdout) == (1, "")
        assert f"port {port} on 127.0.0.1 is taken" in taken.stderr
        assert "--port" in taken.stderr
        # Everything but serving goes on.
        assert doxeval("assess", "status", campaign).exit_code == 0
        assert doxeval("assess", "user", "add", campaign, "late").exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--tls-cert", "c.pem"), 2, "--tls-cert and --tls-key belong together"),
        (("--tls-key", "k.pem"), 2, "--tls-cert and --tls-key belong together"),
        (("--tls-cert", "c", "--tls-key", "k", "--behind-tls"), 2, "--behind-tls is for a server"),
        (("--tls-cert", "nowhere", "--tls-key", "nowhere"), 1, "certificate"),
        (("--host", "no.such.host.example"), 1, "no.such.host.example"),
        (("--host", "203.0.113.7"), 1, "203.0.113.7"),
        (("--port", "70000"), 2, "70000"),
    ],
)
def test_servers_that_cannot_start(
    campaign: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = doxeval("assess", "serve", campaign, *words)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr


def test_a_server_with_a_certificate(campaign: Path, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1")
    subject = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    places = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run([*made, *subject, *places], check=True, capture_output=True)
    words = ("serve", campaign, "--port", 0, "--tls-cert", certificate, "--tls-key", key)
    with running(*words) as (address, _):
        assert address.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=str(certificate))
        assert "Sign in" in fetched(f"{address}/login", context)
        with pytest.raises(urllib.error.URLError):
            fetched(f"{address}/login")
    wrong = doxeval("assess", "serve", campaign, "--tls-cert", key, "--tls-key", certificate)
    assert wrong.exit_code == 1
    assert "certificate" in wrong.stderr


def test_the_demo_is_made_once_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    with running("demo", "--out", out, "--port", 0, "--open") as (address, printed):
        assert "Sign in" in fetched(f"{address}/queue?topic=301")
    shown = "".join(printed)
    accounts = json.loads((out / "accounts.json").read_text())
    assert stat.S_IMODE((out / "accounts.json").stat().st_mode) == 0o600
    for name, password in accounts.items():
        assert f"  {name:<8}" in shown
        assert password in shown
        with Campaign.open(out / "campaign") as opened:
            assert opened.check_password(name, password, "here") is not None
    with Campaign.open(out / "campaign") as opened:
        ann = opened.user("ann")
        queue = opened.queue("301", ann.id)
        done = sum(entry.is_done for entry in queue)
        assert 0.4 < done / len(queue) < 0.6
        assert any(entry.is_done and entry.relevant for entry in queue)
        assert any(entry.status == "open" and entry.relevant for entry in queue), "one is begun"
        assert opened.verify() == []
        opened.add_user("zoe")
    again = doxeval("assess", "demo", "--out", out, "--no-serve")
    assert again.exit_code == 0
    assert "collection build" not in again.stdout
    assert accounts["ann"] in again.stdout
    with Campaign.open(out / "campaign") as opened:
        assert opened.user("zoe").role == "assessor"
    anew = doxeval("assess", "demo", "--out", out, "--no-serve", "--force")
    assert anew.exit_code == 0
    assert accounts["ann"] not in anew.stdout


def test_a_demo_replaces_nothing_that_is_not_one(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    for options in ((), ("--force",)):
        done = doxeval("assess", "demo", "--out", tmp_path, "--no-serve", *options)
        assert done.exit_code == 1
        assert "is not an earlier demo" in done.stderr
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
