"""How long assessors wait for the page of a large document, beside another checkout.

    python benchmarks/pages.py BASE            BASE is the directory of a checkout
    python benchmarks/pages.py BASE --rounds 9

Chromium opens each document in turn from a server of either checkout, scrolls, selects text and
highlights it. Printed are the medians of the seconds until the page has been painted, and their
ratios; on a machine that does other things, only the ratios mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from services import PASSWORD, ROOT, sign_in

WORDS = "the of tide moon café sea 👨‍👩‍👧 salt wave שלום and in a pull gravity".split()
STEPS = ("open", "scroll", "select", "highlight")
# Until the next picture has been painted.
PAINTED = (
    "const painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
)
OPENED = (
    "async () => {" + PAINTED + "while (!document.documentElement.classList.contains('alive'))"
    " await painted(); await painted(); return performance.now() / 1000 }"
)
SCROLLED = (
    "async () => {" + PAINTED + "const start = performance.now();"
    "for (const share of [.25, .5]) {"
    " scrollTo(0, document.documentElement.scrollHeight * share); await painted() }"
    " return (performance.now() - start) / 2000 }"
)
SELECTED = (
    "async () => {" + PAINTED + "const root = document.querySelector('dx-document');"
    "const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), nodes = [];"
    "for (let node; node = walker.nextNode();) if (node.length > 3) nodes.push(node);"
    "const at = Math.floor(nodes.length / 2), start = performance.now();"
    "getSelection().setBaseAndExtent(nodes[at], 1, nodes[Math.min(at + 5, nodes.length - 1)], 3);"
    "await painted(); await painted(); return (performance.now() - start) / 1000 }"
)
HIGHLIGHTED = (
    "async () => {" + PAINTED + "const start = performance.now();"
    "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'h', bubbles: true}));"
    "const marks = name => [...(CSS.highlights.get(name) ?? [])].length;"
    "while (marks('relevant') + marks('pending') === 0) await painted();"
    "await painted(); return (performance.now() - start) / 1000 }"
)


def documents() -> dict[str, str]:
    """Large documents: tables of 36,000 cells, and texts of a million characters."""
    chance = random.Random(1)

    def words(characters: int) -> str:
        return " ".join(chance.choices(WORDS, k=characters // 2))[:characters].strip()

    def table(rows: int, columns: int) -> str:
        def cell() -> str:
            return f"<td><p>{words(60)} <b>{words(8)}</b></p></td>"

        cells = "".join(
            "<tr>" + "".join(cell() for _ in range(columns)) + "</tr>" for _ in range(rows)
        )
        return f"<article><title>Table</title><table>{cells}</table></article>"

    sections = "".join(
        f"<sec><st>Section {number}</st>"
        + "".join(f"<p>{words(490)}</p>" for _ in range(20))
        + "</sec>"
        for number in range(100)
    )
    return {
        "long table": table(6000, 6),
        "square table": table(600, 60),
        "sections": f"<article><title>Long</title>{sections}</article>",
        "one paragraph": f"<article><p>{words(1_000_000)}</p></article>",
    }


def doxeval(side: Path, *words: str) -> None:
    """Run a command of a checkout; it gets a password."""
    subprocess.run(
        [sys.executable, "-m", "doxeval", *words],
        check=True,
        env=environment(side),
        input=f"{PASSWORD}\n",
        text=True,
        stdout=subprocess.DEVNULL,
    )


def environment(side: Path) -> dict[str, str]:
    """The environment in which Python imports the doxeval of a checkout."""
    return {**os.environ, "PYTHONPATH": str(side / "src")}


@contextmanager
def served(side: Path, directory: Path) -> Iterator[tuple[int, str]]:
    """Serve a campaign of the large documents; yield the port and the token of a session."""
    sources = directory / "sources"
    sources.mkdir(parents=True)
    names = list(documents())
    for number, text in enumerate(documents().values()):
        (sources / f"d{number}.xml").write_text(text, encoding="utf-8")
    pool = directory / "pool.txt"
    pool.write_text("".join(f"7 0 d{number}\n" for number in range(len(names))), "utf-8")
    topics = directory / "topics.jsonl"
    topics.write_text(json.dumps({"id": "7", "title": "tides"}) + "\n", "utf-8")
    doxeval(side, "collection", "build", str(sources), "--out", str(directory / "collection"))
    campaign = str(directory / "campaign")
    given = ("--collection", str(directory / "collection"), "--topics", str(topics))
    doxeval(side, "assess", "init", campaign, *given, "--pool", str(pool), "--password-stdin")
    doxeval(side, "assess", "assign", campaign, "7", "admin")
    with subprocess.Popen(
        [sys.executable, "-m", "doxeval", "assess", "serve", campaign, "--port", "0"],
        env=environment(side),
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            match = re.search(r"http://[^\s/]*:(\d+)", server.stdout.readline())
            if match is None:
                raise SystemExit("the server did not start")
            yield int(match[1]), sign_in(int(match[1]), "admin")
        finally:
            server.kill()


def measured(chromium: Any, port: int, token: str, document: int) -> dict[str, float]:
    """Open a document in a fresh context and work on it; return the seconds of each step."""
    context = chromium.new_context(viewport={"width": 1400, "height": 900})
    address = f"http://127.0.0.1:{port}"
    context.add_cookies([{"name": "doxeval-session", "value": token, "url": address}])
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/article?topic=7&doc=d{document}", wait_until="commit")
    seconds = [page.evaluate(step) for step in (OPENED, SCROLLED, SELECTED, HIGHLIGHTED)]
    page.locator(".saving[data-state=saved]").wait_for()
    page.keyboard.press("Control+z")
    page.wait_for_timeout(200)
    page.locator(".saving[data-state=saved]").wait_for()
    context.close()
    return dict(zip(STEPS, seconds, strict=True))


def main() -> None:
    """Print a table of medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("base", type=Path, help="the directory of another checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="documents whose names have this")
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    sides = {"base": given.base.resolve(), "now": ROOT}
    with ExitStack() as stack, tempfile.TemporaryDirectory() as place:
        started = stack.enter_context(sync_playwright())
        chromium = started.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        stack.callback(chromium.close)
        servers = {
            name: stack.enter_context(served(side, Path(place) / name))
            for name, side in sides.items()
        }
        print(f"{'document':<16}{'step':<11}{'base':>8}{'now':>8}{'ratio':>8}")
        for number, document in enumerate(documents()):
            if given.only and given.only not in document:
                continue
            results: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
            for _ in range(given.rounds):
                for name, (port, token) in servers.items():
                    results[name].append(measured(chromium, port, token, number))
            for step in STEPS:
                base, now = (
                    statistics.median(result[step] for result in results[name]) for name in sides
                )
                print(
                    f"{document:<16}{step:<11}{base:>8.3f}{now:>8.3f}{now / base:>8.2f}", flush=True
                )


if __name__ == "__main__":
    main()
