"""Requests that another site makes a browser send."""

from __future__ import annotations

from assess_client import WHO_MAY, browser, highlight_tide
from doxeval.assess.db import Campaign

HOST = "testserver"
REFUSED: dict[str, dict[str, str]] = {
    "another site": {"sec-fetch-site": "cross-site"},
    "another site that claims our origin": {
        "sec-fetch-site": "cross-site",
        "origin": f"http://{HOST}",
    },
    "a neighbour on our domain": {"sec-fetch-site": "same-site"},
    "an address typed by hand": {"sec-fetch-site": "none"},
    "nonsense": {"sec-fetch-site": "Same-Origin "},
    "no header at all": {},
    "another origin": {"origin": "http://evil.example"},
    "another port": {"origin": f"http://{HOST}:8080"},
    "our name as a user": {"origin": f"http://{HOST}@evil.example"},
    "our name as a beginning": {"origin": f"http://{HOST}.evil.example"},
    "a file or a sandbox": {"origin": "null"},
    "another scheme": {"origin": f"ftp://{HOST}"},
    "an origin that cannot be parsed": {"origin": "http://[::1"},
    "an empty origin": {"origin": ""},
    "only a referrer": {"referer": f"http://{HOST}/"},
}
ACCEPTED: dict[str, dict[str, str]] = {
    "our own page": {"sec-fetch-site": "same-origin"},
    "an older browser": {"origin": f"http://{HOST}"},
    "TLS in front of us": {"origin": f"https://{HOST}"},
    "capital letters": {"origin": f"http://{HOST.upper()}"},
}
POSTS = sorted(route.split()[1] for route in WHO_MAY if route.startswith("POST"))


def test_every_post_from_elsewhere_is_refused(campaign: Campaign) -> None:
    client = browser(campaign, "admin")
    del client.headers["sec-fetch-site"]
    for name, headers in REFUSED.items():
        for path in POSTS:
            answer = client.post(path, headers=headers)
            assert answer.status_code == 403, f"{name} {path}"
            assert "set-cookie" not in answer.headers
            if path.startswith("/api/"):
                assert answer.json()["code"] == "other-site"


def test_our_own_pages_may_post(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    del client.headers["sec-fetch-site"]
    for number, (name, headers) in enumerate(ACCEPTED.items()):
        sent = {"operations": [highlight_tide(number, f"op-{number}")]}
        answer = client.post("/api/operations?topic=7&doc=tides", json=sent, headers=headers)
        assert answer.status_code == 200, name


def test_under_tls_the_origin_must_be_https(campaign: Campaign) -> None:
    client = browser(campaign, secure=True)
    del client.headers["sec-fetch-site"]
    data = {"name": "ann", "password": "correct horse"}
    for origin, status in ((f"http://{HOST}", 403), (f"https://{HOST}", 303)):
        assert client.post("/login", data=data, headers={"origin": origin}).status_code == status


def test_pages_may_be_opened_from_anywhere(campaign: Campaign) -> None:
    client = browser(campaign, "ann")
    for site in ("cross-site", "none", "same-site"):
        assert client.get("/", headers={"sec-fetch-site": site}).status_code == 200


def test_forms_are_no_json_and_json_is_no_form(campaign: Campaign) -> None:
    """A form of another site could send JSON as text, but never with the type of JSON."""
    client = browser(campaign, "ann")
    body = '{"words": ["x"]}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = client.post("/api/keywords?topic=7", content=body, headers={"content-type": kind})
        assert (answer.status_code, answer.json()["code"]) == (415, "content-type")
    for kind in ("application/json", "multipart/form-data; boundary=x", "text/plain"):
        answer = client.post("/logout", content="a=b", headers={"content-type": kind})
        assert answer.status_code == 415


def test_nothing_is_changed_by_other_methods(campaign: Campaign) -> None:
    client = browser(campaign, "admin")
    for path in {route.split()[1] for route in WHO_MAY}:
        known = {route.split()[0] for route in WHO_MAY if route.split()[1] == path}
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - known:
            answer = client.request(method, path)
            assert answer.status_code == 405, f"{method} {path}"
            assert answer.headers["content-security-policy"]
