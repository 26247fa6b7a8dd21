"""Assessing in a real browser: a server in a thread, and a page with everything that it said."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from doxeval.assess.db import Campaign
from doxeval.assess.web import COOKIE, create_app
from small_campaign import PASSWORD

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# The texts of a highlight as the browser paints it, from first to last, and of the selection.
PAINTED = """layer => [...(CSS.highlights.get(layer) ?? [])].map(each => {
  const range = document.createRange();
  range.setStart(each.startContainer, each.startOffset);
  range.setEnd(each.endContainer, each.endOffset);
  return range;
}).sort((one, other) => one.compareBoundaryPoints(Range.START_TO_START, other)).map(String)"""
SELECTED = (
    "() => { const s = getSelection(); return s.rangeCount ? s.getRangeAt(0).toString() : '' }"
)


def violations(page: Any, *, minor: bool = False) -> list[tuple[str, str, str]]:
    """Return what axe finds on a page: the rule, the element and what to do."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = page.evaluate("axe.run().then(result => result.violations)")
    return [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in rules
        if minor or rule["impact"] != "minor"
        for node in rule["nodes"][:3]
    ]


class Server:
    """A campaign that is served on a free port, in a thread."""

    def __init__(self, campaign: Campaign, **options: Any) -> None:
        self.campaign = campaign
        config = uvicorn.Config(
            create_app(campaign, **options), port=0, lifespan="off", ws="none", log_config=None
        )
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def start(self) -> Server:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(10)

    def url(self, path: str, **query: str) -> str:
        return f"{self.address}{path}" + (f"?{urlencode(query)}" if query else "")


@contextmanager
def served(campaign: Campaign, **options: Any) -> Iterator[Server]:
    server = Server(campaign, **options).start()
    yield server
    server.stop()


@dataclass
class Tab:
    """A page in the browser, and everything that it said."""

    page: Any
    server: Server
    user: str
    said: list[str] = field(default_factory=list)

    def __call__(self, selector: str) -> Any:
        return self.page.locator(selector)

    def open(self, topic: str, document: str, page: str = "/article") -> Tab:
        self.page.goto(self.server.url(page, topic=topic, doc=document))
        self("dx-document").wait_for()
        self.topic, self.document = topic, document
        return self

    # What the server has

    @property
    def judge(self) -> int:
        is_adjudicating = "/adjudicate" in self.page.url
        return 0 if is_adjudicating else self.server.campaign.user(self.user).id

    @property
    def stored(self) -> Any:
        """The judgment as the server has it."""
        return self.server.campaign.judgment(self.topic, self.document, self.judge)

    @property
    def text(self) -> str:
        return self.server.campaign.article(self.document).text

    def slices(self) -> list[str]:
        """The highlighted texts, cut out of the document by the server's offsets."""
        return [self.text[start:end] for start, end in self.stored.state.highlights]

    # What the page shows

    def painted(self, layer: str = "relevant") -> list[str]:
        found: list[str] = self.page.evaluate(PAINTED, layer)
        return found

    def selected(self) -> str:
        found: str = self.page.evaluate(SELECTED)
        return found

    def saved(self) -> Tab:
        """Wait until everything is saved."""
        self(".saving[data-state=saved]").wait_for()
        return self

    def told(self) -> str:
        """The line of words that the page shows."""
        self(".message:not([hidden])").wait_for()
        words: str = self(".message p").inner_text()
        return words

    # What somebody does

    def press(self, *keys: str) -> Tab:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def box_of(self, text: str, at: int = 0) -> dict[str, float]:
        """Where a character of the first place of a text stands in the window."""
        box: dict[str, float] = self.page.evaluate(
            """async ([text, at]) => {
              const root = document.querySelector('dx-document');
              const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
              for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const found = node.data.indexOf(text);
                if (found < 0) continue;
                const range = document.createRange();
                const start = found + at;
                range.setStart(node, start);
                const step = node.data.codePointAt(start) > 0xffff ? 2 : 1;
                range.setEnd(node, Math.min(start + step, node.length));
                const frame = () => new Promise(requestAnimationFrame);
                let box = range.getClientRects()[0];
                // Long documents get their layout while they are scrolled: wait until it stands.
                for (let before = NaN; box.top !== before; box = range.getClientRects()[0]) {
                  before = box.top;
                  if (before < 150 || box.bottom > innerHeight - 150) {
                    scrollBy(0, before - innerHeight / 2);
                  }
                  await frame().then(frame);
                }
                return {left: box.left, right: box.right, top: box.top, bottom: box.bottom};
              }
              throw new Error('not there: ' + text);
            }""",
            [text, at],
        )
        return box

    def drag(self, first: str, last: str) -> Tab:
        """Drag the mouse from the beginning of one text to the end of another."""
        self.box_of(first)  # brings it into sight
        start, end = self.box_of(first), self.box_of(last, len(last) - 1)
        start = self.box_of(first) if start["top"] < 0 else start
        mouse = self.page.mouse
        mouse.move(start["left"] + 0.5, (start["top"] + start["bottom"]) / 2)
        mouse.down()
        mouse.move(end["right"] - 0.5, (end["top"] + end["bottom"]) / 2, steps=4)
        mouse.up()
        return self

    def click(self, text: str, at: int = 0, count: int = 1) -> Tab:
        box = self.box_of(text, at)
        middle = (box["left"] + box["right"]) / 2, (box["top"] + box["bottom"]) / 2
        self.page.mouse.click(*middle, click_count=count)
        return self

    def select(self, start: int, end: int) -> Tab:
        """Select a range of the document's text, given in UTF-16 units."""
        self.page.evaluate(
            """([start, end]) => {
              const root = document.querySelector('dx-document');
              const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
              let before = 0, from = null, to = null;
              for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const length = node.data.length;
                if (!from && start <= before + length) from = [node, start - before];
                if (!to && end <= before + length) to = [node, end - before];
                before += length;
              }
              getSelection().setBaseAndExtent(...from, ...to);
            }""",
            [start, end],
        )
        return self

    def problems_of_access(self) -> list[tuple[str, str, str]]:
        """What axe finds, other than trifles."""
        return violations(self.page)


class Browsers:
    """Tabs of a browser, each with cookies of its own unless they are shared."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self._contexts: list[Any] = []

    def tab(
        self, server: Server, user: str | None = "ann", width: int = 1400, scheme: str = "light"
    ) -> Tab:
        """A tab in which a user is signed in, or nobody."""
        context = self._chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self._contexts.append(context)
        if user is not None:
            token = server.campaign.open_session(server.campaign.user(user))
            context.add_cookies([{"name": COOKIE, "value": token, "url": server.address}])
        return self.beside(context, server, user or "")

    def beside(self, context: Any, server: Server, user: str) -> Tab:
        """Another tab with the same cookies."""
        tab = Tab(context.new_page(), server, user)
        tab.page.set_default_timeout(10_000)
        tab.page.on("console", lambda message: tab.said.append(message.text))
        tab.page.on("pageerror", lambda error: tab.said.append(str(error)))
        return tab

    def close(self) -> None:
        for context in self._contexts:
            context.close()


def sign_in(tab: Tab, name: str) -> None:
    """Sign in as people do."""
    tab.page.goto(tab.server.url("/login"))
    tab.page.get_by_label("Name").fill(name)
    tab.page.get_by_label("Password").fill(PASSWORD)
    tab.press("Enter")
    tab.page.wait_for_url(tab.server.url("/"))
