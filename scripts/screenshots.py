"""Pictures of the demo's report: every view, on a desk and on a phone, light and dark.

    python scripts/screenshots.py --out DIRECTORY [--report REPORT.html]

Two of them are in the documentation (--docs writes only these, into docs/images).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

Scheme = Literal["light", "dark"]
HEIGHT = 900
WIDTHS = (1400, 390)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DOCUMENTED = {"leaderboard": "report-leaderboard", "documents": "report-documents"}


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("screenshots"), help="where to write")
    parser.add_argument("--report", type=Path, help="a report to show (default: the demo's)")
    parser.add_argument("--docs", action="store_true", help="only the two of the documentation")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        page = options.report or demo(Path(work) / "demo")
        if options.docs:
            documented(page.resolve(), Path(__file__).parents[1] / "docs" / "images")
        else:
            everything(page.resolve(), options.out)


def demo(out: Path) -> Path:
    """Make the demo and its report."""
    command = [sys.executable, "-m", "doxeval", "demo", "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out / "report.html"


def tabs(
    page: Path, widths: tuple[int, ...], schemes: tuple[Scheme, ...]
) -> Iterator[tuple[str, Any]]:
    """The page in each width and colour, with a name for them; all figures are drawn."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        sys.exit("chromium is not installed")
    with sync_playwright() as started:
        browser: Any = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for width in widths:
            for scheme in schemes:
                tab = browser.new_page(
                    viewport={"width": width, "height": HEIGHT}, color_scheme=scheme
                )
                tab.goto(page.as_uri())
                missing = tab.locator("figure[data-figure] .plot:not(:has(svg, canvas))")
                missing.first.wait_for(state="detached")
                yield f"{width}-{scheme}", tab
                tab.close()
        browser.close()


def everything(page: Path, out: Path) -> None:
    """Each section in each width and colour, and the whole page."""
    out.mkdir(parents=True, exist_ok=True)
    for name, tab in tabs(page, WIDTHS, SCHEMES):
        tab.screenshot(path=out / f"{name}-page.png", full_page=True)
        for section in tab.locator("main > section").all():
            identity = section.get_attribute("id")
            at_section(tab, identity)
            tab.screenshot(path=out / f"{name}-{identity}.png")
        print(f"{out}/{name}-*.png")


def documented(page: Path, out: Path) -> None:
    """The pictures of the documentation."""
    out.mkdir(parents=True, exist_ok=True)
    for _name, tab in tabs(page, (1400,), ("light",)):
        for section, file in DOCUMENTED.items():
            at_section(tab, section)
            tab.screenshot(path=out / f"{file}.png")
            print(out / f"{file}.png")


def at_section(tab: Any, section: str) -> None:
    """Scroll to a section and wait until it is still."""
    tab.evaluate("id => document.getElementById(id).scrollIntoView()", section)
    tab.wait_for_timeout(400)


if __name__ == "__main__":
    main()
