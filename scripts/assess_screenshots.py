"""Pictures of every page of the assessment application: wide and narrow, light and dark.

    python scripts/assess_screenshots.py DIRECTORY

The pages are those of a small campaign on the demo collection, in the middle of its work. Needs
Chromium and playwright.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
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
from doxeval.documents import build_collection
from doxeval.pooling import Pool, PooledDocument, PooledElement
from doxeval.topics import read_topics

WIDTHS = (1400, 390)
SCHEMES = ("light", "dark")
PEOPLE = {
    "Ada": "admin",
    "Olga": "organiser",
    "Ann": "assessor",
    "Bob": "assessor",
    "Judy": "adjudicator",
}
MOST_DOCUMENTS = 8


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
    from doxeval.documents import Collection

    ids = list(Collection(collection).ids())[:MOST_DOCUMENTS]
    elements = (PooledElement(path="/article[1]/sec[1]", start=None, end=None),)
    return Pool(
        {topic: tuple(PooledDocument(one, 1.0, elements) for one in ids) for topic in topics}
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
    import threading
    import time

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
        "exports": ("Ada", "/organise/exports?judgments=union"),
        "account": ("Ann", "/account"),
        "help": ("Ann", "/help"),
    }


def photograph(browser: Any, campaign: Campaign, out: Path) -> None:
    """Take the pictures of all pages of a campaign."""
    with served(campaign) as address:
        for name, (user, path) in pages(campaign).items():
            for width in WIDTHS:
                for scheme in SCHEMES:
                    context = browser.new_context(
                        viewport={"width": width, "height": 900 if width > 500 else 844},
                        color_scheme=scheme,
                    )
                    if user is not None:
                        token = campaign.open_session(campaign.user(user))
                        context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
                    page = context.new_page()
                    page.goto(address + path)
                    page.wait_for_load_state("networkidle")
                    is_long = not name.startswith(("article", "adjudicate"))
                    page.screenshot(path=out / f"{name}-{width}-{scheme}.png", full_page=is_long)
                    if not is_long and width < 500:
                        for view in ("Topic", "Judgment"):
                            page.get_by_role("button", name=view, exact=True).click()
                            page.screenshot(
                                path=out / f"{name}-{view}-{width}-{scheme}.png".lower()
                            )
                    context.close()


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    out = Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as started:
        program = shutil.which("chromium")
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for mode in ("2006", "2005", "2003"):
            with closing(make_campaign(Path(directory), mode)) as campaign:
                photograph(browser, campaign, out)
        browser.close()


if __name__ == "__main__":
    main()
