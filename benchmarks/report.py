"""How large a report is, and how soon it answers, in Chromium.

    python benchmarks/report.py

First paint and opening are what the browser says of itself. Toggling is the time from the click
on a run to the next frame, at each section of the page, when everything in view has been drawn.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.reports import report
from doxeval.scores import Curve, MeasureFacts, RunScores, ScoreTable
from runner import heading, line, machine

TOGGLES = 8
SECTIONS = ("leaderboard", "curves", "differences", "head-to-head", "topics", "difficulty")
_TOGGLE = """async number => {
    const box = document.querySelectorAll("#run-chooser input[type=checkbox]")[number];
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const start = performance.now();
    box.click();
    await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
    return performance.now() - start;
}"""


def main() -> None:
    """Measure both sizes that the bars are for."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        sys.exit("chromium is not installed")
    print(f"doxeval report; {machine()}")
    with tempfile.TemporaryDirectory() as work, sync_playwright() as started:
        browser: Any = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = Path(work) / "report.html"
        heading("50 runs, 114 topics, 5 measures")
        written(page, 50, 114)
        line("size", f"{page.stat().st_size / 1e6:.2f} MB", "at most 4 MB")
        tab = opened(browser, page, "under 1.5 s")
        for section in SECTIONS:
            toggled(tab, section)
        heading("10 runs, 2,000 topics, 5 measures")
        written(page, 10, 2000)
        line("size", f"{page.stat().st_size / 1e6:.2f} MB")
        opened(browser, page, "under 3 s")
        browser.close()


def written(page: Path, runs: int, topics: int) -> None:
    """Write a report of scores by chance, with a curve for each measure."""
    start = time.perf_counter()
    report(scored(runs, topics), page)
    line("writing", f"{time.perf_counter() - start:.2f} s")


def scored(runs: int, topics: int, measures: int = 5) -> ScoreTable:
    """Runs that are better the later they come, on topics of different difficulty."""
    random = np.random.default_rng(1)
    facts = tuple(MeasureFacts(f"M{m}", f"M{m}(a=1)", f"measure {m}") for m in range(measures))
    x = np.linspace(0, 1, 101)
    easiness = random.random(topics)
    found = []
    for run in range(runs):
        values = np.clip(easiness + random.normal(run / 200, 0.1, (measures, topics)), 0, 1)
        curves = tuple(
            Curve(f.label, "recall", f.title, x, np.outer(values[m], 1 - x))
            for m, f in enumerate(facts)
        )
        counted = np.ones(topics, dtype=np.bool_)
        found.append(RunScores(f"run-{run:02}", values, counted, None, curves))
    return ScoreTable(facts, tuple(f"topic-{t}" for t in range(topics)), tuple(found))


def opened(browser: Any, page: Path, bar: str) -> Any:
    """Open a report and tell how long that takes."""
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.goto(page.as_uri())
    paints = tab.evaluate("performance.getEntriesByType('paint').map(each => each.startTime)")
    (loaded,) = tab.evaluate(
        "performance.getEntriesByType('navigation').map(each => each.domComplete)"
    )
    line("first paint", f"{max(paints):.0f} ms", bar)
    line("opened, script included", f"{loaded:.0f} ms", bar)
    return tab


def toggled(tab: Any, section: str) -> None:
    """Go to a section, and hide and show runs there."""
    if not tab.locator(f"section#{section}").count():
        return
    tab.evaluate("id => document.getElementById(id).scrollIntoView()", section)
    tab.wait_for_timeout(1500)
    times = [tab.evaluate(_TOGGLE, number // 2) for number in range(TOGGLES)]
    line(
        f"toggling a run at {section}",
        f"{statistics.median(times):.0f} ms",
        f"under 200 ms; the slowest {max(times):.0f} ms",
    )


if __name__ == "__main__":
    main()
