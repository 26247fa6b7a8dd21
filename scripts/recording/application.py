"""What the assessment application answers: a served campaign, and requests as browsers send them.

Requests are a table: who sends it, method and address, and what it carries. The server is a process
of its own, started as a user starts it.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from recording.plain import page_text
from recording.running import Workshop

PASSWORDS = {
    "admin": "correct horse battery",
    "ann": "ann likes horses",
    "bob": "bob likes horses",
    "adj": "adj likes horses",
    "olga": "olga likes horses",
}
_OURS = {"sec-fetch-site": "same-origin"}
_KEPT_HEADERS = ("content-type", "location", "set-cookie", "content-disposition", "allow",
                 "retry-after", "cache-control", "vary", "etag")  # fmt: skip
_LONGEST = 20_000
_ASSET = r'"(/static/[^"]+\.(js|css))"'

Request = tuple[str, str, Any]


def _operation(kind: str, version: int, **fields: Any) -> dict[str, Any]:
    number = "-".join([kind, str(version), *map(str, fields.values())])
    op_id = re.sub(r"[^A-Za-z0-9._:-]", "", number)[:60]
    return {"op_id": op_id, "base_version": version, "kind": kind, **fields}


def _operations(*operations: Any, **more: Any) -> dict[str, Any]:
    return {"operations": list(operations), **more}


def _sent(kind: str, version: int, **fields: Any) -> dict[str, Any]:
    return _operations(_operation(kind, version, **fields))


_TIDES, _WAVES = "/api/operations?topic=7&doc=tides", "/api/operations?topic=7&doc=waves"
_JUDGED = _TIDES + "&judge=adjudicated"

# A text is a form, anything else JSON; None is a request without a body.
REQUESTS: tuple[Request, ...] = (
    ("-", "GET /login", None),
    ("-", "GET /", None),
    ("-", "GET /queue?topic=7", None),
    ("-", "GET /nosuch", None),
    ("-", "GET /api/nosuch", None),
    ("-", "GET $script", None),
    ("-", "GET $style", None),
    ("-", "GET /static/nosuch.js", None),
    ("-", "GET /static/..%2f..%2fpasswd", None),
    ("-", "GET /login?next=/organise", None),
    ("-", "GET /login?next=https://elsewhere.example/", None),
    ("-", "POST /login", "name=ann&password=wrong&next=/"),
    ("-", "POST /login", ""),
    ("-", "POST /login", {"name": "ann"}),
    ("-", "PUT /login", None),
    ("-", "DELETE /queue", None),
    ("-", "OPTIONS /api/operations", None),
    ("elsewhere", "POST /login", "name=ann&password=ann+likes+horses"),
    ("ann", "GET /", None),
    ("ann", "GET /login", None),
    ("ann", "GET /help", None),
    ("ann", "GET /account", None),
    ("ann", "POST /account/password", "current=wrong&new=another+horse&again=another+horse"),
    ("ann", "POST /account/password", "current=ann+likes+horses&new=one+horse+x&again=other"),
    ("ann", "GET /queue?topic=7", None),
    ("ann", "GET /queue?topic=99", None),
    ("ann", "GET /queue", None),
    ("ann", "GET /queue?topic=7&judge=adjudicated", None),
    ("ann", "GET /queue?topic=7&judge=nosuch", None),
    ("ann", "GET /queue?topic=7&q=sea", None),
    ("ann", "GET /article?topic=7&doc=tides", None),
    ("ann", "GET /article?topic=7&doc=nowhere", None),
    ("ann", "GET /article?topic=7&doc=tides&judge=adjudicated", None),
    ("ann", "GET /adjudicate?topic=7&doc=tides", None),
    ("ann", "GET /organise", None),
    ("ann", "POST /organise/users/add", "name=x&role=admin"),
    ("ann", "GET /api/article?topic=7&doc=tides", None),
    ("ann", "GET /api/article?topic=7&doc=waves", None),
    ("ann", "GET /api/article?topic=7&doc=nowhere", None),
    ("ann", "GET /api/article?topic=7", None),
    ("ann", "GET /api/article?topic=99&doc=tides", None),
    ("ann", "GET /api/find?topic=7&q=sea", None),
    ("ann", "GET /api/find?topic=7&q=sal", None),
    ("ann", "GET /api/find?topic=7&q=", None),
    ("ann", "GET /api/find?topic=7&q=" + "x" * 201, None),
    ("ann", "POST /api/keywords?topic=7", {"words": ["moon", "sea"]}),
    ("ann", "POST /api/keywords?topic=7", {"words": "moon"}),
    ("ann", "POST /api/keywords?topic=7", {"words": [""]}),
    ("ann", "POST /api/keywords?topic=7", {"words": [7]}),
    ("ann", "POST /api/keywords?topic=7", {"words": [], "colour": "red"}),
    ("ann", "POST /api/time?topic=7&doc=tides", {"seconds": 12.5}),
    ("ann", "POST /api/time?topic=7&doc=tides", {"seconds": -1}),
    ("ann", "POST /api/time?topic=7&doc=tides", {"seconds": "1"}),
    ("ann", "POST /api/time?topic=7&doc=tides", {}),
    ("ann", "POST /api/time?topic=7&doc=tides", {"seconds": 1, "user": "bob"}),
    ("ann", "POST /api/outside?topic=7&doc=salt", {}),
    ("ann", "POST /api/outside?topic=7&doc=nowhere", {}),
    ("ann", "POST /queue/outside?topic=7", "doc=salt"),
    ("ann", "POST /queue/outside?topic=7", "doc=nowhere"),
    ("ann", "GET /queue?topic=7", None),
    ("ann", "POST " + _TIDES, _sent("reopen", 1)),
    ("ann", "POST " + _TIDES, _sent("reopen", 1)),
    ("ann", "POST " + _TIDES, _operations(
        _operation("highlight", 2, start=0, end=5, quote="Tides"),
        _operation("bep", 3, start=0, quote="TidesThe moon pulls the sea.Twic"))),
    ("ann", "POST " + _TIDES, _sent("unhighlight", 4, start=0, end=2, quote="Ti")),
    ("ann", "POST " + _TIDES, _operations(_operation("undo", 5), _operation("redo", 6))),
    ("ann", "POST " + _TIDES, _sent("clear-bep", 7)),
    ("ann", "POST " + _TIDES, _sent("validate", 8)),
    ("ann", "POST " + _TIDES, _sent("note", 8, value="a note")),
    ("ann", "POST " + _TIDES, _sent("problem", 9, value=True)),
    ("ann", "POST " + _TIDES, _sent("skip", 10, value=True)),
    ("ann", "POST " + _TIDES, _sent("not-relevant", 11)),
    ("ann", "POST " + _TIDES, _sent("bep", 11, start=3, quote="wrong")),
    ("ann", "POST " + _TIDES, _sent("highlight", 0, start=0, end=5, quote="Tides")),
    ("ann", "POST " + _TIDES, _sent("highlight", 11, start=0, end=5, quote="Waves")),
    ("ann", "POST " + _TIDES, _sent("highlight", 11, start=0, end=999, quote="x")),
    ("ann", "POST " + _TIDES, _sent("highlight", 11, start=5, end=2, quote="")),
    ("ann", "POST " + _TIDES, _sent("highlight", 11, start=0)),
    ("ann", "POST " + _TIDES, _sent("grade", 11, path="/article[1]", value=2)),
    ("ann", "POST " + _TIDES, _sent("import", 11, value={})),
    ("ann", "POST " + _TIDES, _sent("nosuch", 11)),
    ("ann", "POST " + _TIDES, _sent("note", 11, value=7)),
    ("ann", "POST " + _TIDES, _sent("validate", 11, value=7)),
    ("ann", "POST " + _TIDES, _operations({"kind": "undo"})),
    ("ann", "POST " + _TIDES, _operations(_operation("undo", 11) | {"op_id": "a b"})),
    ("ann", "POST " + _TIDES, _sent("undo", -1)),
    ("ann", "POST " + _TIDES, _operations()),
    ("ann", "POST " + _TIDES, []),
    ("ann", "POST " + _TIDES, {"operations": 3}),
    ("ann", "POST " + _TIDES, "kind=undo"),
    ("ann", "POST " + _TIDES, _operations(_operation("undo", 11), user="bob")),
    ("ann", "POST /api/operations?topic=7&doc=nowhere", _sent("undo", 0)),
    ("ann", "POST " + _JUDGED, _sent("undo", 0)),
    ("elsewhere ann", "POST " + _TIDES, _sent("undo", 11)),
    ("ann", "GET " + _TIDES, None),
    ("ann", "GET /queue?topic=7", None),
    ("bob", "POST " + _WAVES, _operations(_operation("reopen", 1), _operation("highlight", 2,
                                          start=0, end=5, quote="Waves"))),
    ("bob", "GET /api/article?topic=7&doc=waves", None),
    ("adj", "GET /", None),
    ("adj", "GET /queue?topic=7&judge=adjudicated", None),
    ("adj", "GET /adjudicate?topic=7&doc=tides", None),
    ("adj", "GET /api/article?topic=7&doc=tides&judge=adjudicated", None),
    ("adj", "POST " + _JUDGED, _sent("not-relevant", 0)),
    ("adj", "GET /queue?topic=7", None),
    ("olga", "GET /organise", None),
    ("olga", "GET /organise?done=closed", None),
    ("olga", "GET /organise/exports", None),
    ("olga", "GET /organise/exports?judgments=union&drafts=yes&topic=7", None),
    ("olga", "GET /organise/exports?drafts=maybe", None),
    ("olga", "GET /organise/exports?topic=99", None),
    ("olga", "GET /organise/export?format=jsonl&judgments=union&drafts=yes", None),
    ("olga", "GET /organise/export?format=annotations&judgments=union", None),
    ("olga", "GET /organise/export?format=inex2008&judgments=union", None),
    ("olga", "GET /organise/export?format=inex2005&judgments=union", None),
    ("olga", "GET /organise/export?format=trec&judgments=union", None),
    ("olga", "GET /organise/export?format=log&topic=7", None),
    ("olga", "GET /organise/export?format=nosuch", None),
    ("olga", "GET /organise/export?format=inex2003&judgments=union", None),
    ("olga", "POST /organise/close", "topic=8"),
    ("olga", "POST /organise/close", "topic=99"),
    ("olga", "POST /organise/close", ""),
    ("ann", "POST /api/operations?topic=8&doc=salt", _sent("reopen", 1)),
    ("ann", "POST /api/outside?topic=8&doc=waves", {}),
    ("olga", "POST /organise/reopen", "topic=8"),
    ("olga", "POST /organise/assign", "topic=8&user=adj&part=adjudicate"),
    ("olga", "POST /organise/assign", "topic=8&user=nobody"),
    ("olga", "POST /organise/assign", "topic=8&user=ann&part=nosuch"),
    ("olga", "POST /organise/unassign", "topic=8&user=bob"),
    ("olga", "POST /organise/balance", "do=show&twice=50&keep_topics=yes"),
    ("olga", "POST /organise/balance", "do=show&per_document=x"),
    ("olga", "POST /organise/settings",
        "title=Tides&instructions=%23+Read%0D%0A*all*&colour=%231a7f5a"),
    ("olga", "POST /organise/settings", "title=Tides&colour=red"),
    ("ann", "GET /help", None),
    ("-", "GET /colour.css?of=1a7f5a", None),
    ("-", "GET /colour.css?of=red", None),
    ("-", "GET /invitation?token=nosuch", None),
    ("-", "POST /invitation", "token=nosuch&new=a+new+password&again=a+new+password"),
    ("olga", "GET /organise/judgments?user=ann", None),
    ("olga", "GET /organise/judgments?user=nobody", None),
    ("olga", "GET /organise/judgment?user=ann&topic=7&doc=tides", None),
    ("olga", "GET /api/judgment?user=ann&topic=7&doc=tides", None),
    ("ann", "GET /api/judgment?user=bob&topic=7&doc=tides", None),
    ("olga", "POST /organise/users/add", "name=cy&role=assessor"),
    ("admin", "GET /organise", None),
    ("admin", "POST /organise/users/add", "name=cy&role=assessor"),
    ("admin", "POST /organise/users/add", "name=cy&role=assessor"),
    ("admin", "POST /organise/users/add", "name=x&role=king"),
    ("admin", "POST /organise/users/import", "people=name%0Dcy%0Adora%0A"),
    ("admin", "POST /organise/users/import", "people=name%0Adora%0Aeva%0A&with=link"),
    ("admin", "POST /organise/users/invite", "user=cy"),
    ("admin", "POST /organise/users/withdraw", "user=cy"),
    ("admin", "POST /organise/users/reset", "user=cy"),
    ("admin", "POST /organise/users/disable", "user=cy"),
    ("admin", "POST /organise/users/disable", "user=admin"),
    ("admin", "POST /organise/users/enable", "user=cy"),
    ("admin", "POST /organise/users/enable", "user=nobody"),
    ("bob", "POST /account/password", "current=bob+likes+horses&new=new+horses&again=new+horses"),
    ("bob", "GET /account?done=password", None),
    ("ann", "POST /logout", ""),
    ("ann", "GET /", None),
)  # fmt: skip

_ELEMENT = "/article[1]/sec[1]/p[2]"
REQUESTS_2005: tuple[Request, ...] = (
    ("admin", "GET /api/article?topic=7&doc=tides", None),
    ("admin", "POST " + _TIDES, _operations(
        _operation("highlight", 0, start=28, end=33, quote="Twice"))),
    ("admin", "POST " + _TIDES, _sent("validate", 1)),
    ("admin", "POST " + _TIDES, _sent("grade", 1, path=_ELEMENT, value=2)),
    ("admin", "POST " + _TIDES, _sent("grade", 2, path="/article[1]", value="?")),
    ("admin", "POST " + _TIDES, _sent("grade", 2, path=_ELEMENT, value=9)),
    ("admin", "POST " + _TIDES, _sent("grade", 2, path="/nowhere[1]", value=1)),
    ("admin", "POST " + _TIDES, _sent("bep", 2, start=0, quote="x")),
    ("admin", "GET /api/article?topic=7&doc=tides", None),
)  # fmt: skip
REQUESTS_2003: tuple[Request, ...] = (
    ("admin", "GET /api/article?topic=7&doc=tides", None),
    ("admin", "POST " + _TIDES, _sent("grade", 0, path=_ELEMENT, value=[3, 3])),
    ("admin", "POST " + _TIDES, _sent("grade", 1, path="/article[1]", value=[1, 2])),
    ("admin", "POST " + _TIDES, _sent("grade", 1, path="/article[1]", value=[9, 2])),
    ("admin", "POST " + _TIDES, _sent("highlight", 1, start=0, end=5, quote="Tides")),
    ("admin", "GET /queue?topic=7", None),
    ("admin", "GET /api/article?topic=7&doc=tides", None),
)  # fmt: skip


def record_application(workshop: Workshop) -> dict[str, str]:
    """Return the record of the application, for campaigns of each mode."""
    tables = {"campaign": REQUESTS, "campaign2005": REQUESTS_2005, "campaign2003": REQUESTS_2003}
    record = {}
    for name, requests in tables.items():
        with _served(workshop, name) as browser:
            answers = [browser.record(*request) for request in requests]
            if name == "campaign":
                answers.append(browser.record_throttling())
        record[f"application/{name}.txt"] = "\n".join(answers)
    return record


class _Browser:
    """Sends requests to a server; each user signs in once."""

    def __init__(self, port: int, workshop: Workshop) -> None:
        self.port, self.workshop = port, workshop
        self._cookies: dict[str, str] = {}
        page = self._send("-", "GET /login", None)[2].decode()
        addresses = {ending: address for address, ending in re.findall(_ASSET, page)}
        self._assets = {"$script": addresses["js"], "$style": addresses["css"]}

    def record(self, who: str, request: str, body: Any) -> str:
        """Return the record of a request and its answer; `$script` is that of the page."""
        for name, address in self._assets.items():
            request = request.replace(name, address)
        status, headers, answer = self._send(who, request, body)
        shown = "" if body is None else f" {body if isinstance(body, str) else json.dumps(body)}"
        lines = [f"$ {who}: {request}{shown}"[:700], f"status {status}"]
        kept = [(name, value) for name, value in headers if name in _KEPT_HEADERS]
        if request == "GET /login" and who == "-":
            kept = [
                (name, value) for name, value in headers if name not in ("date", "content-length")
            ]
        if request.startswith("GET /static"):
            answer, kept = b"", [pair for pair in kept if pair[0] != "etag"]
        lines += sorted(f"{name}: {value}" for name, value in kept)
        plain = self.workshop.plain
        lines += [f"| {line}" for line in self._shown(headers, answer).splitlines()]
        text = plain.text("\n".join(lines))
        if len(text) > _LONGEST:
            raise SystemExit(f"{request}: an answer of {len(text):,} characters")
        return text + "\n"

    def record_throttling(self) -> str:
        """Return the record of too many wrong passwords."""
        for _ in range(30):
            status, headers, answer = self._send("-", "POST /login", "name=olga&password=wrong")
            if status != 401:
                break
        text = re.sub(r"\d+ seconds?", "N seconds", page_text(answer.decode()))
        header = "retry-after" in dict(headers)
        return f"$ too many wrong passwords\nstatus {status}\nretry-after: {header}\n{text}\n"

    def _send(self, who: str, request: str, body: Any) -> tuple[int, list[tuple[str, str]], bytes]:
        method, address = request.split(" ", 1)
        headers = dict(_OURS)
        if who.startswith("elsewhere"):
            headers["sec-fetch-site"] = "cross-site"
        name = who.split()[-1]
        if name in PASSWORDS:
            headers["cookie"] = self._cookie(name)
        data = None
        if body is not None:
            kind = (
                "application/x-www-form-urlencoded" if isinstance(body, str) else "application/json"
            )
            headers["content-type"] = kind
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, address, data, headers)
            answer = connection.getresponse()
            pairs = [(key.lower(), value) for key, value in answer.getheaders()]
            return answer.status, pairs, answer.read()
        finally:
            connection.close()

    def _shown(self, headers: list[tuple[str, str]], answer: bytes) -> str:
        """Return what an answer says."""
        kind = dict(headers).get("content-type", "")
        if kind.startswith("application/json"):
            return json.dumps(json.loads(answer), indent=1, ensure_ascii=False)
        if kind.startswith("text/html"):
            return page_text(answer.decode())
        if kind.startswith("application/zip"):
            return "\n".join(self.workshop.plain.file("export.zip", answer))
        return answer.decode("utf-8", "backslashreplace")

    def _cookie(self, name: str) -> str:
        if name not in self._cookies:
            form = urlencode({"name": name, "password": PASSWORDS[name], "next": "/"})
            status, headers, _ = self._send("-", "POST /login", form)
            if status != 303:
                raise SystemExit(f"{name} cannot sign in: {status}")
            cookies = [value for key, value in headers if key.lower() == "set-cookie"]
            (session,) = [each for each in cookies if each.startswith("doxeval-session=")]
            self._cookies[name] = session.split(";")[0]
        return self._cookies[name]


@contextmanager
def _served(workshop: Workshop, name: str) -> Iterator[_Browser]:
    """Serve a copy of a campaign at a free port."""
    directory = workshop.root / "served"
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(workshop.root / name, directory)
    command = [sys.executable, "-m", "doxeval", "assess", "serve", str(directory), "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline().decode()
            port = re.search(r":(\d+)\b", line)
            if port is None:
                raise SystemExit(f"the server does not start: {line!r}")
            yield _Browser(int(port[1]), workshop)
        finally:
            server.terminate()
