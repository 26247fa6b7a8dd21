"""Requests that nobody's browser would send, and names that are meant to do harm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from assess_client import WHO_MAY, TestClient, browser, highlight_tide
from doxeval.assess.db import Campaign
from doxeval.assess.web import ALWAYS, MAX_FORM, MAX_JSON

ODD_IDS = [
    "a\x1b]0;owned\x07\x1b[8m\x9b8m\u202e\u2066b\nforged: c\rd\x08\x7f\u200b[red]e[/red]",
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "tides\0",
    "\0",
    "tides/../salt",
    "tides.xml/",
    "a" * 999,
    "a" * 20_000,
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' OR '1'='1",
    "\u202etxt.exe",
    "\r\nset-cookie: a=b",
    "{{ 7 * 7 }}",
    "%s%n%x",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
]
GETS = sorted(route.split()[1] for route in WHO_MAY if route.startswith("GET"))


def test_odd_ids_are_unknown_ids(campaign: Campaign) -> None:
    ann, organiser = browser(campaign, "ann"), browser(campaign, "organiser")
    for odd in ODD_IDS:
        for client in (ann, organiser):
            for path in GETS:
                assert_unknown(client, path, odd)
        for data in ({"topic": odd, "user": "ann"}, {"topic": "7", "user": odd}):
            answer = organiser.post("/organise/assign", data=data)
            assert answer.status_code in (400, 404), repr(odd)
        answer = ann.post("/api/outside", json={"topic": "7", "doc": odd})
        assert answer.status_code in (400, 404), repr(odd)


def assert_unknown(client: TestClient, path: str, odd: str) -> None:
    for params in ({"topic": odd, "doc": "tides"}, {"topic": "7", "doc": odd, "q": odd}):
        answer = client.get(path, params=params)
        told = f"{path} {odd!r} {answer.status_code}"
        assert answer.status_code < 500, told
        assert "a" not in answer.cookies, told
        assert "<script>alert" not in answer.text, told
        assert "<img src=x" not in answer.text, told
        if path in ("/api/article", "/article"):
            assert answer.status_code in (403, 404), told


def bodies() -> Iterator[tuple[str, bytes]]:
    yield "nothing", b""
    yield "no JSON", b"{"
    yield "no UTF-8", b'{"operations": "\xff"}'
    yield "a byte-order mark", "\ufeff{}".encode()
    yield "UTF-16", "{}".encode("utf-16")
    yield "nested arrays", b"[" * 100_000 + b"]" * 100_000
    yield "nested objects", b'{"a":' * 50_000 + b"1" + b"}" * 50_000
    yield "a little nested", b'{"operations":' + b"[" * 40 + b"]" * 40 + b"}"
    yield "NaN", b'{"operations": NaN}'
    yield "infinity", b'{"operations": [1e999]}'
    yield "a huge number", b'{"operations": [' + b"9" * 5000 + b"]}"
    yield "a large number", b'{"operations": [' + b"9" * 30 + b"]}"
    yield "a name twice", b'{"operations": [], "operations": []}'
    yield "a lone surrogate", b'{"operations": ["\\ud800"]}'
    yield "NUL", b'{"operations": ["\\u0000"]}'
    yield "a lone surrogate as a name", b'{"\\udfff": 1}'
    value: Any
    for value in (None, True, 1, 1.5, "x", [], {}, [[]], {"operations": None}):
        yield f"just {value!r}", json.dumps(value).encode()
    operations: Any
    for operations in ("x", {}, [], [None], [1], ["x"], [[]], [{}], [{"kind": 3}]):
        yield f"operations {operations!r}", json.dumps({"operations": operations}).encode()
    yield "too many", json.dumps({"operations": [highlight_tide()] * 201}).encode()
    yield "an unknown name", json.dumps({"operations": [highlight_tide()], "x": 1}).encode()
    wrong: dict[str, list[Any]] = {
        "op_id": [None, 1, "", "a" * 500, [], {}, True, "a b", "é"],
        "base_version": [None, -1, 1.5, "0", True, [], 10**15, 10**17],
        "start": [None, -1, 0.5, "0", True, [], 10**15],
        "end": [None, -1, 5.0, "5", False, {}, 10**15],
        "quote": [None, 1, [], {}, True, "x" * 5000],
        "kind": [None, 1, "", "HIGHLIGHT", [], "__class__"],
        "path": [1, [], "/a[1]"],
        "value": [1, [], "x"],
        "client_time": [1, [], "x" * 100_000, "\n"],
        "unknown": [1],
    }
    for name, values in wrong.items():
        for value in values:
            sent = {"operations": [highlight_tide(op_id="odd") | {name: value}]}
            yield f"{name}={str(value)[:30]!r}", json.dumps(sent).encode()


BODIES = dict(bodies())


def test_odd_bodies_are_refused_with_a_sentence(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    headers = {"content-type": "application/json"}
    for name, body in BODIES.items():
        for path in ("operations", "time", "keywords", "outside"):
            if path == "outside" and body == b"{}":
                continue  # the address says it all
            answer = client.post(f"/api/{path}?topic=7&doc=tides", content=body, headers=headers)
            assert answer.status_code in (400, 409, 422), f"{path} {name}: {answer.text[:300]}"
            assert answer.json()["error"].strip(), name
            assert answer.json()["code"].strip(), name
    assert campaign.judgment("7", "tides", campaign.user("ann").id).version == 0


@pytest.mark.parametrize("size", [MAX_JSON + 1, MAX_JSON * 3])
def test_long_bodies_are_refused(campaign: Campaign, size: int) -> None:
    client = browser(campaign, "ann")
    headers = {"content-type": "application/json"}
    answer = client.post("/api/keywords?topic=7", content=b" " * size, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-long")

    def chunks() -> Iterator[bytes]:  # without a Content-Length
        for _ in range(0, size, 1 << 16):
            yield b" " * (1 << 16)

    answer = client.post("/api/keywords?topic=7", content=chunks(), headers=headers)
    assert answer.status_code == 413
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/login", content=b"a" * (MAX_FORM + 1), headers=form)
    assert answer.status_code == 413


def test_odd_forms_are_refused(campaign: Campaign) -> None:
    client = browser(campaign, "organiser")
    headers = {"content-type": "application/x-www-form-urlencoded"}
    for form in (b"a=1&a=2", b"topic=%ff", b"topic=%00", b"\xff", b"&".join([b"a"] * 100)):
        answer = client.post("/organise/close", content=form, headers=headers)
        assert answer.status_code == 400, form


ODD_ADDRESSES = (
    "topic=7&topic=8&doc=tides",
    "topic=%ff&doc=tides",
    "doc=tides",
    "topic=7",
    "topic=&doc=",
    "topic=7&doc=tides&judge=ann",
    "topic=7&doc=tides&judge=2",
    "&".join(f"a{number}=1" for number in range(100)),
)


def test_odd_addresses_are_refused(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    for query in ODD_ADDRESSES:
        assert client.get(f"/api/article?{query}").status_code == 400, query
        answer = client.get(f"/article?{query}")
        assert answer.status_code == 400, query
        assert "<h1>This request cannot be read</h1>" in answer.text


def test_address_and_body_must_not_contradict_each_other(campaign: Campaign) -> None:
    campaign.unassign("8", "ann")
    client = browser(campaign, "ann")
    sent = {"topic": "8", "doc": "salt", "seconds": 3}
    for topic, status in (("7", 400), ("8", 403)):
        assert client.post(f"/api/time?topic={topic}&doc=salt", json=sent).status_code == status
    for address in (
        "topic=8&doc=tides",
        "topic=7&doc=waves",
        "topic=7&doc=tides&judge=adjudicated",
    ):
        sent = {"topic": "7", "doc": "tides", "judge": None, "seconds": 3}
        assert client.post(f"/api/time?{address}", json=sent).status_code == 400


def test_every_answer_has_the_headers(campaign: Campaign) -> None:
    secure = browser(campaign, secure=True)
    clients = (browser(campaign), browser(campaign, "ann"))
    for path in ("/", "/login", "/nowhere", "/api/find", "/api/nowhere", "/static/x"):
        for client in clients:
            answer = client.get(path)
            for name, value in ALWAYS.items():
                assert answer.headers.get_list(name) == [value], path
            assert answer.headers["cache-control"] == "no-store", path
            assert "strict-transport-security" not in answer.headers, path
        assert secure.get(path).headers["strict-transport-security"].startswith("max-age=")


def test_the_policy_allows_no_script_but_ours(campaign: Campaign) -> None:
    policy = browser(campaign).get("/login").headers["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["trusted-types"] == "'none'"
    assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert "unsafe" not in policy and "*" not in policy


def test_files_are_found_by_name_alone_and_kept_forever(campaign: Campaign) -> None:
    client = browser(campaign)
    page = client.get("/login").text
    names = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert [name.rpartition(".")[2] for name in names] == ["css", "js"]
    for name, kind in zip(names, ("text/css", "text/javascript"), strict=True):
        answer = client.get(name)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "immutable" in answer.headers["cache-control"]
    for path in ("assess.js", "../app.py", "..%2fapp.py", "%2e%2e/app.py", "assess-0.js", "."):
        assert client.get(f"/static/{path}").status_code == 404


def test_no_page_has_inline_script_or_style(campaign: Campaign) -> None:
    client = browser(campaign, "admin")
    campaign.assign("7", "admin", "assess")
    for path in (
        "/",
        "/help",
        "/account",
        "/organise",
        "/queue?topic=7",
        "/article?topic=7&doc=tides",
    ):
        page = client.get(path).text
        assert re.findall(r"<script(?![^>]*src=)", page) == []
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", page) == []
