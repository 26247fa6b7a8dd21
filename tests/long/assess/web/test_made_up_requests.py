"""Requests made up by schemathesis from the description of the addresses: nothing breaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from assess_client import OURS
from assess_openapi import openapi
from doxeval.assess.db import Campaign
from doxeval.assess.web import COOKIE, create_app
from levels import scaled
from small_campaign import make_campaign

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

DOCUMENTS = ["tides", "waves", "salt", "nowhere"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    campaign = make_campaign(Path(tmp_path_factory.mktemp("made-up")))
    campaign.assign("7", "ann", "adjudicate")
    return campaign


ROUTES = [
    (path, method)
    for path, methods in openapi(["7"], DOCUMENTS)["paths"].items()
    for method in methods
]


@pytest.mark.parametrize("path, method", ROUTES)
@pytest.mark.parametrize("kind", ["positive", "negative"])
def test_no_request_breaks_the_server(served: Campaign, path: str, method: str, kind: str) -> None:
    schema = schemathesis.openapi.from_dict(openapi(["7", "8", "nowhere"], DOCUMENTS))
    schema.app = create_app(served)
    mode = schemathesis.GenerationMode(kind)
    who = "organiser" if path == "/api/judgment" else "ann"
    token = served.open_session(served.user(who))
    headers = OURS | {"cookie": f"{COOKIE}={token}"}
    seen: set[int] = set()

    @settings(max_examples=scaled(60), phases=[Phase.explicit, Phase.generate])
    @given(case=schema[path][method.upper()].as_strategy(generation_mode=mode))
    def ask(case: object) -> None:
        answer = case.call(headers=headers)  # type: ignore[attr-defined]
        seen.add(answer.status_code)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400 and answer.status_code != 405:
            assert answer.json()["error"].strip() and answer.json()["code"]
        assert "Traceback" not in answer.text

    ask()
    # Operations seldom fit the version that the server has, but they get as far as being compared;
    # the documents have no pictures.
    fitting = {404} if path == "/api/picture" else {200, 409, 422}
    assert seen & (fitting if kind == "positive" else {400, 403, 404})
