"""The loop closes: search, pool, judge in a real browser, export, evaluate.

A scripted assessor judges two topics of the demo collection with mouse and keys, against the server
that `doxeval assess serve` starts. The scores of the runs by the exported judgments must be those
by the same highlights written into a file by hand, to the last bit.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import doxeval as doxeval_package
from doxeval.assessments import Judgment, read_assessments
from helpers import doxeval

TOPICS = ("301", "302")
MEASURES = ("MAiP", "iP[.01]", "MAgP", "MAgP(score=bep)", "nxCG@10", "MAep")
# Where a character stands on the screen, after it was scrolled into view.
PLACE = """([point, atEnd]) => {
    const root = document.querySelector('dx-document');
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let before = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const points = Array.from(node.data);
        if (point < before + points.length) {
            const start = points.slice(0, point - before).join('').length;
            const range = document.createRange();
            range.setStart(node, start);
            range.setEnd(node, start + points[point - before].length);
            const middle = range.getBoundingClientRect();
            window.scrollBy(0, middle.top - window.innerHeight / 2);
            const box = range.getClientRects()[0];
            return [atEnd ? box.right - 0.3 : box.left + 0.3, (box.top + box.bottom) / 2];
        }
        before += points.length;
    }
    return null;
}"""


@contextmanager
def server(campaign: Path) -> Iterator[str]:
    """`doxeval assess serve` in a process of its own; its address."""
    sources = str(Path(doxeval_package.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "doxeval", "assess", "serve", str(campaign), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": sources},
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), line + process.stderr.read()
        yield line.split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "Interrupted\n")


class Assessor:
    """Somebody who reads, drags the mouse and presses keys."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.said: list[str] = []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def sign_in(self, name: str, password: str) -> None:
        self.page.goto(f"{self.address}/login")
        self.page.locator("input[name=name]").fill(name)
        self.page.locator("input[type=password]").fill(password)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(f"{self.address}/")

    def judge_all(self, topic: str, known: dict[str, Judgment]) -> dict[str, Judgment | None]:
        """Judge the whole queue of a topic; what was found in each document."""
        done: dict[str, Judgment | None] = {}
        self.page.goto(f"{self.address}/queue?topic={topic}")
        self.page.get_by_role("link", name="Next document").click()
        while "/article" in self.page.url:
            self.page.locator("html.alive").wait_for()
            document = self.page.locator("main#article").get_attribute("data-doc")
            assert document not in done, "every document comes once"
            done[document] = known.get(document)
            self._judge(known.get(document))
        return done

    def _judge(self, judgment: Judgment | None) -> None:
        before = self.page.url
        if judgment is None or not judgment.highlights:
            self.page.keyboard.press("x")
        else:
            for start, end in judgment.highlights:
                self._click(start)
                self._click(end - 1, at_end=True, extending=True)
                self.page.keyboard.press("h")
            self._click(judgment.best_entry_point)
            self.page.keyboard.press("b")
            self.page.keyboard.press("n")
        self.page.wait_for_url(lambda url: url != before)

    def _click(self, point: int | None, at_end: bool = False, extending: bool = False) -> None:
        x, y = self.page.evaluate(PLACE, [point, at_end])
        if extending:
            self.page.keyboard.down("Shift")
        self.page.mouse.click(x, y)
        if extending:
            self.page.keyboard.up("Shift")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection of the demo, runs that were searched, and a pool of what they found."""
    folder = tmp_path_factory.mktemp("loop")
    data = Path(str(resources.files("doxeval") / "demo_data"))
    collection = folder / "collection"
    called("collection", "build", data / "articles", "--out", collection)
    called("index", "build", collection)
    runs = []
    for task in ("focused", "relevant-in-context", "documents"):
        runs.append(folder / f"{task}.run")
        asked = [word for topic in TOPICS for word in ("--topic", topic)]
        words = ("search", collection, data / "topics.xml", "--task", task, *asked)
        called(*words, "--out", runs[-1], "--run-id", task)
    pooled = ("--documents", 8, "--collection", collection, "--out", folder / "pool.jsonl")
    called("pool", *runs, *pooled)
    return folder


def called(*words: object) -> str:
    done = doxeval(*words)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def scores(folder: Path, assessments: Path) -> Any:
    runs = sorted(folder.glob("*.run"))
    measures = [word for name in MEASURES for word in ("-m", name)]
    given = ("-a", assessments, "--collection", folder / "collection")
    # JSON writes numbers so that they can be read back to the bit.
    return json.loads(
        called("evaluate", *runs, *given, *measures, "--per-topic", "--format", "json")
    )


def by_hand(folder: Path, found: dict[str, dict[str, Judgment | None]]) -> Path:
    """The same judgments as somebody would write them into a file."""
    lines: list[dict[str, Any]] = []
    for topic, documents in found.items():
        for document, judgment in documents.items():
            about = {"topic": topic, "doc": document}
            lines.append({**about, "judged": True})
            for start, end in judgment.highlights if judgment else ():
                lines.append({**about, "start": start, "end": end})
            if judgment is not None and judgment.best_entry_point is not None:
                lines.append({**about, "bep": judgment.best_entry_point})
    path = folder / "by-hand.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_the_loop_closes(place: Path, chromium: Any) -> None:
    data = Path(str(resources.files("doxeval") / "demo_data"))
    campaign, collection = place / "campaign", place / "collection"
    given = ("--collection", collection, "--topics", data / "topics.xml")
    called("assess", "init", campaign, *given, "--pool", place / "pool.jsonl")
    password = called("assess", "user", "add", campaign, "ann").split()[-1]
    called("assess", "assign", campaign, *TOPICS, "ann")
    known = list(read_assessments(str(data / "assessments.jsonl")))
    found: dict[str, dict[str, Judgment | None]] = {}
    with server(campaign) as address:
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        assessor = Assessor(page, address)
        assessor.sign_in("ann", password)
        for topic in TOPICS:
            of_topic = {one.document: one for one in known if one.topic == topic}
            found[topic] = assessor.judge_all(topic, of_topic)
        page.close()
        assert assessor.said == []
    assert sum(bool(one and one.highlights) for some in found.values() for one in some.values()) > 6
    assert called("assess", "verify", campaign).endswith(", 0 problems\n")
    progress = json.loads(called("assess", "status", campaign, "--format", "json"))["progress"]
    assert [(one["done"], one["total"]) for one in progress] == [
        (len(found[topic]), len(found[topic])) for topic in TOPICS
    ]
    exported = place / "exported.jsonl"
    called("assess", "export", campaign, "--format", "jsonl", "--out", exported)
    from_browser = scores(place, exported)
    assert all(set(run["topics"]) == set(TOPICS) for run in from_browser["runs"])
    assert from_browser["runs"] == scores(place, by_hand(place, found))["runs"]
    means = [score for run in from_browser["runs"] for score in run["mean"].values()]
    assert any(0 < value < 1 for value in means)
