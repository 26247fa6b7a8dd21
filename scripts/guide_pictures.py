"""Pictures of the assessment application for its guides, taken of `doxeval assess demo`.

    python scripts/guide_pictures.py        writes docs/images/assess-*.png

Needs Chromium and playwright. `assess_screenshots.py` takes pictures of every page, to look at.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
DOCUMENT = "/article?topic=301&doc=fog"
# Name, user, page, height of the window.
PICTURES = (
    ("queue", "ann", "/queue?topic=301", 900),
    ("article", "ann", DOCUMENT, 860),
    ("organise", "olga", "/organise#progress", 900),
    ("adjudicate", "olga", "/adjudicate?topic=301&doc=fog", 860),
)


def doxeval(*words: object) -> list[str]:
    """The words of a command, by the Python that runs this script."""
    return [sys.executable, "-m", "doxeval", *map(str, words)]


@contextmanager
def served(campaign: Path) -> Iterator[str]:
    """The address of a server of a campaign."""
    process = subprocess.Popen(
        doxeval("assess", "serve", campaign, "--port", 0), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def photograph(browser: Any, address: str, passwords: dict[str, str]) -> None:
    """Take all pictures."""
    for name, user, path, height in PICTURES:
        context = browser.new_context(viewport={"width": 1280, "height": height})
        page = context.new_page()
        page.goto(f"{address}/login")
        page.locator("input[name=name]").fill(user)
        page.locator("input[name=password]").fill(passwords[user])
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}/")
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        if "doc=" in path:
            page.locator("html.alive").wait_for()
            page.get_by_role("button", name="Making a noise").first.click()
            page.wait_for_timeout(3000)  # until where it jumped to no longer flashes
        page.screenshot(path=IMAGES / f"assess-{name}.png")
        context.close()


def main() -> None:
    """Make the demo, and take pictures of it."""
    from playwright.sync_api import sync_playwright

    os.environ["PYTHONPATH"] = str(ROOT / "src")
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        subprocess.run(doxeval("assess", "demo", "--out", demo, "--no-serve"), check=True)
        passwords = json.loads((demo / "accounts.json").read_text())
        with served(demo / "campaign") as address, sync_playwright() as started:
            program = shutil.which("chromium")
            browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
            photograph(browser, address, passwords)
            browser.close()


if __name__ == "__main__":
    main()
