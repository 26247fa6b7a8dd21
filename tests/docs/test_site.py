"""The documentation site as people see it: built, served, and opened in a browser."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from browsing import AXE, violations

ROOT = Path(__file__).resolve().parents[2]
TABS = ("Start", "Guides", "Measures by meaning", "Reference", "Research")
# The home page, and pages of each tab: with tables, formulas, long code and long contents.
PAGES = {
    "index.html": "Start",
    "which-measure.html": "Start",
    "chunks.html": "Guides",
    "measures/chunks.html": "Measures by meaning",
    "models.html": "Reference",
    "formats.html": "Reference",
    "studies/findings.html": "Research",
}
# The links of what lies in shadow trees, which is where the results of a search are.
RESULTS = """() => [...document.querySelectorAll("*")].filter(host => host.shadowRoot)
  .flatMap(host => [...host.shadowRoot.querySelectorAll("a[href]")])
  .map(link => new URL(link.href).pathname.slice(1) + new URL(link.href).hash)"""
Opening = Callable[..., Any]


class _Silent(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is served, built of a copy."""
    pytest.importorskip("zensical", reason="zensical is not installed: make docs")
    place = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", place)
    shutil.copytree(ROOT / "docs", place / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--strict"]
    built = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    handler = partial(_Silent, directory=str(place / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def opened(address: str, chromium: Any) -> Iterator[Opening]:
    """Open a page of the site; whatever goes wrong in it fails the test."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def check_address(url: str) -> None:
        if not url.startswith(address):
            wrong.append(url)

    def go(page: str, scheme: str = "light", width: int = 1400) -> Any:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("requestfailed", lambda request: wrong.append(request.url))
        tab.on("request", lambda request: check_address(request.url))
        tab.goto(address + page, wait_until="networkidle")
        return tab

    yield go
    for context in contexts:
        context.close()
    assert wrong == []  # no error, nothing missing, nothing from elsewhere


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible_and_fit(opened: Opening, scheme: str, width: int) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make web")
    for page in PAGES:
        tab = opened(page, scheme, width)
        assert (page, violations(tab, minor=True)) == (page, [])
        root = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert root[0] <= root[1], f"{page} is wider than a window of {width}"


def test_each_page_has_its_tab(opened: Opening) -> None:
    for page, name in PAGES.items():
        tabs = opened(page).locator(".md-tabs__item")
        assert [words.strip() for words in tabs.all_inner_texts()] == list(TABS)
        chosen = tabs.and_(tabs.page.locator(".md-tabs__item--active"))
        assert [words.strip() for words in chosen.all_inner_texts()] == [name]


def test_colours_follow_the_system_until_somebody_chooses(opened: Opening) -> None:
    tab = opened("index.html", "dark")
    body = tab.locator("body")
    switch = tab.locator("[data-md-component=palette] label:visible")
    schemes = [body.get_attribute("data-md-color-scheme")]
    for _ in range(3):
        switch.click()
        schemes.append(body.get_attribute("data-md-color-scheme"))
    assert schemes == ["slate", "default", "slate", "slate"]
    tab.emulate_media(color_scheme="light")  # back at the system, whose colours change
    tab.locator("body[data-md-color-scheme=default]").wait_for()
    switch.click()
    switch.click()
    tab.reload()
    assert tab.locator("body").get_attribute("data-md-color-scheme") == "slate"  # as chosen


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("RAG", "chunks.html"),
        ("chunk size", "chunks.html#which-chunk-size"),
        ("MRR", "measures/chunks.html#rr-"),
        ("recip_rank", "measures/chunks.html#rr-"),
        ("nDCG", "measures/graded.html#ndcg-"),
        ("best entry point", "measures/bepd.html"),
    ],
)
def test_search_leads_to_what_people_look_for(opened: Opening, words: str, page: str) -> None:
    tab = opened("index.html")
    tab.keyboard.press("Control+k")
    tab.wait_for_timeout(300)  # until the dialog has the keyboard
    tab.keyboard.type(words)
    tab.wait_for_function(f"() => ({RESULTS})().length")
    tab.wait_for_timeout(300)  # until it has answered the last letter
    first = tab.evaluate(RESULTS)[:3]
    assert any(result.startswith(page) for result in first), first
