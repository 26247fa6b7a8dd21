"""A smoke test in Firefox, which Playwright's own builds are not: sign in, highlight, export."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from doxeval.assess.exchange import judgments_to_export, write_export
from doxeval.assessments import read_assessments
from small_campaign import PASSWORD

SCRIPT = Path(__file__).with_name("firefox.mjs")
WEB = Path(__file__).parents[4] / "web"
DOCUMENTS = {
    "mixed": "<s><p>Alpha beta 🌊 <b>gamma</b> delta.</p><p>Epsilon.</p></s>",
    "z": "<p>Z.</p>",
}


def firefox() -> str:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None or shutil.which("node") is None:
        pytest.skip("Firefox or Node is not installed")
    if not (WEB / "node_modules" / "puppeteer-core").is_dir():
        pytest.skip("puppeteer-core is not installed (make web)")
    return program


def test_sign_in_highlight_and_export(serving: Any, tmp_path: Path) -> None:
    program, server = firefox(), serving(DOCUMENTS)
    # Modules are looked for beside the script, and those of Node are in web.
    script = WEB / "node_modules" / ".firefox-smoke.mjs"
    shutil.copy(SCRIPT, script)
    given = {
        "firefox": program,
        "url": server.address,
        "user": "ann",
        "password": PASSWORD,
        "topic": "7",
        "document": "mixed",
        "first": "beta",
        "last": "gamma",
    }
    try:
        done = subprocess.run(
            ["node", script, json.dumps(given)],
            capture_output=True,
            text=True,
            timeout=300,
            env=os.environ | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        )
    finally:
        script.unlink()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["browser"].startswith("firefox/")
    assert found["said"] == []
    assert found["selected"] == "beta 🌊 gamma"
    campaign = server.campaign
    export = judgments_to_export(
        campaign.judgments(["7"]), collection=campaign.collection, mode=campaign.mode
    )
    write_export(export, tmp_path / "judged.jsonl", "jsonl")
    [judged] = read_assessments(tmp_path / "judged.jsonl")
    text = campaign.article("mixed").text
    assert [text[start:end] for start, end in judged.highlights] == [found["selected"]]
    assert text[judged.best_entry_point or 0 :].startswith("beta")
