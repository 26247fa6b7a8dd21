"""Pictures of all pages, to look at, and those of the documentation.

    python scripts/pictures.py report --out DIRECTORY       every section of the demo's report
    python scripts/pictures.py report --page REPORT.html    of another report
    python scripts/pictures.py assess --out DIRECTORY       every page of the assessment application
    python scripts/pictures.py docs                         writes docs/images

Pages are taken at three widths, light and dark, and the report also as it is printed, as
PDF. Needs Chromium and playwright.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from doxeval.assess.db import Campaign
from doxeval.assess.judging import Article, Operation
from doxeval.assess.web import COOKIE, create_app
from doxeval.documents import Collection, build_collection
from doxeval.pooling import Pool, PooledDocument, PooledElement
from doxeval.topics import read_topics

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTHS = {1400: 900, 1024: 768, 390: 844}  # and their heights
SCHEMES = ("light", "dark")


def main() -> None:
    """Take the pictures that were requested."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["report", "assess", "docs"])
    parser.add_argument("--out", type=Path, default=Path("screenshots"), help="where to write")
    parser.add_argument("--page", type=Path, help="a report to show (default: the demo's)")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    out = IMAGES if options.what == "docs" else options.out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        work = Path(folder)
        if options.what == "report":
            report_sections(chromium, (options.page or demo_report(work)).resolve(), out)
        elif options.what == "assess":
            for mode in ("2006", "2005", "2003"):
                with closing(make_campaign(work, mode)) as campaign:
                    application_pages(chromium, campaign, out)
        else:
            report_of_the_docs(chromium, demo_report(work), out)
            application_of_the_docs(chromium, work, out)
    print(f"{out}/*.png")


@contextmanager
def browser() -> Iterator[Any]:
    """A running Chromium."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or sys.exit("chromium is not installed")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def windows(chromium: Any) -> Iterator[tuple[str, Any]]:
    """A window of each width and colour scheme, with a name for it."""
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            context = chromium.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            yield f"{width}-{scheme}", context
            context.close()


def doxeval(*words: object) -> list[str]:
    """The words of a command, by the Python that runs this script."""
    return [sys.executable, "-m", "doxeval", *map(str, words)]


# The report


def demo_report(work: Path) -> Path:
    """Make the demo and its report."""
    subprocess.run(doxeval("demo", "--out", work / "demo"), check=True, capture_output=True)
    return work / "demo" / "report.html"


def open_report(context: Any, page: Path) -> Any:
    """Open a report, and wait until all figures are drawn."""
    tab = context.new_page()
    tab.goto(page.as_uri())
    missing = tab.locator("figure[data-figure] .plot:not(:has(svg, canvas))")
    missing.first.wait_for(state="detached")
    return tab


def report_sections(chromium: Any, page: Path, out: Path) -> None:
    """Each section in each width and colour, and the whole page."""
    for name, context in windows(chromium):
        tab = open_report(context, page)
        tab.screenshot(path=out / f"{name}-page.png", full_page=True)
        for section in tab.locator("main > section").all():
            picture_of_section(tab, section.get_attribute("id"), out / f"{name}-")
        if name == "1400-light":
            tab.pdf(path=out / "print.pdf", format="A4")
            tab.emulate_media(media="print")
            tab.evaluate("dispatchEvent(new Event('beforeprint'))")
            tab.screenshot(path=out / "print-page.png", full_page=True)


# Of the document in the documentation: topic, document, and two runs side by side.
SHOWN = ("303", "satellites", "careful", "baseline-lm")


def report_of_the_docs(chromium: Any, page: Path, out: Path) -> None:
    """The sections that the documentation shows."""
    tab = open_report(chromium.new_context(viewport={"width": 1280, "height": 800}), page)
    tab.screenshot(path=out / "report-summary.png")
    view = tab.locator("#document-view")
    view.locator("select").first.wait_for()
    for choice, name in zip(view.locator("select").all(), SHOWN, strict=True):
        labels = choice.locator("option").all_text_contents()
        choice.select_option(label=next(label for label in labels if label.startswith(name)))
    picture_of_section(tab, "document-view", out / "report-")
    (out / "report-document-view.png").replace(out / "report-documents.png")


def picture_of_section(tab: Any, section: str, prefix: Path) -> None:
    """Scroll to a section, wait until it is still, and take its picture."""
    tab.evaluate("id => document.getElementById(id).scrollIntoView()", section)
    tab.wait_for_timeout(400)
    tab.screenshot(path=f"{prefix}{section}.png")


# Every page of the application

PEOPLE = {
    "Ada": "admin",
    "Olga": "organiser",
    "Ann": "assessor",
    "Bob": "assessor",
    "Judy": "adjudicator",
}
MOST_DOCUMENTS = 8
INSTRUCTIONS = """# What is relevant

Highlight what *answers the question*, and [nothing else](https://example.org/guidelines).

1. Read the narrative.
2. Judge the text, not the title.

| grade | meaning |
|---|---|
| highlighted | it answers |
"""


def make_campaign(directory: Path, mode: str = "2006") -> Campaign:
    """A campaign on the first articles of the demo, judged in part by two assessors."""
    demo = resources.files("doxeval") / "demo_data"
    with resources.as_file(demo) as data:
        collection = directory / "collection"
        if not collection.exists():
            build_collection([str(data / "articles")], collection)
        topics = list(read_topics(data / "topics.xml"))[:2]
    campaign_directory = directory / f"campaign-{mode}"
    campaign = Campaign.create(
        campaign_directory,
        collection=collection,
        topics=topics,
        pool=_pool(collection, [topic.id for topic in topics]),
        mode=mode,  # type: ignore[arg-type]
        show_pooled=True,
        title="Demo campaign",
        instructions=INSTRUCTIONS,
        colour="#c0392b",
    )
    for name, role in PEOPLE.items():
        campaign.add_user(name, role, "a long password")
    for topic in topics:
        for name in ("Ann", "Bob"):
            campaign.assign(topic.id, name)
        campaign.assign(topic.id, "Judy", "adjudicate")
    _judge(campaign, topics[0].id, mode)
    return campaign


def _pool(collection: Path, topics: list[str]) -> Pool:
    ids = list(Collection(collection).ids())[:MOST_DOCUMENTS]
    elements = (PooledElement(path="/article[1]/sec[1]", start=None, end=None),)
    return Pool(
        {topic: tuple(PooledDocument(name, 1.0, elements) for name in ids) for topic in topics}
    )


def _judge(campaign: Campaign, topic: str, mode: str) -> None:
    for name, shift in (("Ann", 0), ("Bob", 40)):
        user = campaign.user(name)
        documents = [entry.document for entry in campaign.queue(topic, user.id)]
        for at, document in enumerate(documents[:3]):
            article = campaign.article(document)
            made = _operations(article, 200 + shift + 30 * at, mode)
            done = campaign.submit(topic, document, user.id, user, made)
            assert done.failure is None, done.failure


def _operations(article: Article, start: int, mode: str) -> list[Operation]:
    end = min(start + 420, len(article.text))
    if mode == "2003":
        path = article.path_of(min(3, len(article) - 1))
        return [_operation(0, "grade", path=path, value=[2, 3])]
    first = _operation(0, "highlight", start=start, end=end, quote=article.text[start:end])
    if mode == "2005":
        return [first]
    entry = _operation(1, "bep", start=start, quote=article.text[start : start + 32])
    return [first, entry, _operation(2, "validate")]


def _operation(version: int, kind: str, **more: Any) -> Operation:
    return Operation(secrets.token_hex(8), version, kind, **more)


@contextmanager
def served(campaign: Campaign) -> Iterator[str]:
    """The address of a server of the campaign, in a thread."""
    server = uvicorn.Server(
        uvicorn.Config(create_app(campaign), port=0, lifespan="off", ws="none", log_config=None)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join(10)


def pages(campaign: Campaign) -> dict[str, tuple[str | None, str]]:
    """Name, user and address of each page."""
    topic = campaign.topics()[0].id
    document = campaign.queue(topic, campaign.user("Ann").id)[0].document
    query = urlencode({"topic": topic, "doc": document})
    if campaign.mode != "2006":
        return {f"article-{campaign.mode}": ("Ann", f"/article?{query}")}
    return {
        "login": (None, "/login"),
        "home": ("Ann", "/"),
        "queue": ("Ann", f"/queue?{urlencode({'topic': topic})}"),
        "article": ("Ann", f"/article?{query}"),
        "adjudicate": ("Judy", f"/adjudicate?{query}"),
        "organise": ("Ada", "/organise"),
        "judgments": ("Ada", "/organise/judgments?user=Ann"),
        "exports": ("Ada", "/organise/exports?judgments=union"),
        "account": ("Ann", "/account"),
        "help": ("Ann", "/help"),
        "invitation": (None, f"/invitation?token={campaign.invite('Bob').token}"),
    }


def application_pages(chromium: Any, campaign: Campaign, out: Path) -> None:
    """Take the pictures of all pages of a campaign."""
    with served(campaign) as address:
        for name, (user, path) in pages(campaign).items():
            for window, context in windows(chromium):
                if user is not None:
                    token = campaign.open_session(campaign.user(user))
                    context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
                page = context.new_page()
                page.goto(address + path)
                page.wait_for_load_state("networkidle")
                page.evaluate(
                    "for (const each of document.querySelectorAll('details')) each.open = true"
                )
                is_long = not name.startswith(("article", "adjudicate"))
                page.screenshot(path=out / f"{name}-{window}.png", full_page=is_long)
                if not is_long and window.startswith("390"):
                    for view in ("Topic", "Judgment"):
                        page.get_by_role("button", name=view, exact=True).click()
                        page.screenshot(path=out / f"{name}-{view}-{window}.png".lower())


# The application in its guides: `doxeval assess demo`

DOCUMENT = "/article?topic=301&doc=fog"
# Name, user, page, height of the window.
PICTURES = (
    ("queue", "ann", "/queue?topic=301", 900),
    ("article", "ann", DOCUMENT, 860),
    ("organise", "olga", "/organise#progress", 900),
    ("adjudicate", "olga", "/adjudicate?topic=301&doc=fog", 860),
)


@contextmanager
def served_by_command(campaign: Path) -> Iterator[str]:
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


def application_of_the_docs(chromium: Any, work: Path, out: Path) -> None:
    """Make the demo, and take pictures of its pages."""
    demo = work / "assess-demo"
    subprocess.run(doxeval("assess", "demo", "--out", demo, "--no-serve"), check=True)
    passwords = json.loads((demo / "accounts.json").read_text())
    with served_by_command(demo / "campaign") as address:
        for name, user, path, height in PICTURES:
            context = chromium.new_context(viewport={"width": 1280, "height": height})
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
            page.screenshot(path=out / f"assess-{name}.png")
            context.close()


if __name__ == "__main__":
    main()
