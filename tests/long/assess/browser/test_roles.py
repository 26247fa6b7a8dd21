"""Documents of all roles: shown as their authors meant them, and exact to the character."""

from __future__ import annotations

import random
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import every_role
from browsing import AXE, Browsers, Server, Tab, served
from doxeval.assess.db import DISPLAY_ROLES
from doxeval.assess.judging import Article
from doxeval.assess.web import Display, document_data, shown_pictures
from doxeval.documents import Collection, build_collection
from doxeval.pooling import Pool, PooledDocument
from helpers import write_files
from levels import examples
from small_campaign import make_campaign
from strategies import RoleDocument, role_documents

WEB = Path(__file__).parents[4] / "web"
DOCUMENTS = [name.partition(".")[0] for name in every_role.FILES]
LANGUAGES = list(every_role.WORDS)


def png() -> bytes:
    """A picture of 120 by 80."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        size, check = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(kind + data))
        return size + kind + data + check

    rows = zlib.compress((b"\0" + bytes((40, 90, 160)) * 120) * 80)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 120, 80, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A campaign about documents of all roles, with the folder of their pictures."""
    place = tmp_path_factory.mktemp("roles")
    write_files(place / "pages", every_role.FILES)
    build_collection([str(place / "pages")], place / "collection")
    write_files(place / "pages", {"images/moon.png": png()})
    pool = Pool({topic: tuple(map(PooledDocument, DOCUMENTS)) for topic in ("7", "8")})
    collection = Collection(place / "collection")
    with (
        make_campaign(place, None, collection, pool=pool) as campaign,
        served(campaign, assets=place / "pages") as started,
    ):
        yield started


def style(tab: Tab, selector: str, *names: str) -> list[str]:
    """Values of the computed style of the first element that a selector finds."""
    values: list[str] = tab.page.evaluate(
        """([selector, names]) => {
          const style = getComputedStyle(document.querySelector(`dx-document ${selector}`));
          return names.map(name => style.getPropertyValue(name));
        }""",
        [selector, names],
    )
    return values


@pytest.mark.parametrize("width", [1400, 1024, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_document_fits_and_is_accessible(
    server: Server, browsers: Browsers, width: int, scheme: str
) -> None:
    tab = browsers.tab(server, width=width, scheme=scheme)
    for document in DOCUMENTS:
        tab.open("7", document)
        text = tab.page.evaluate("document.querySelector('dx-document').textContent")
        assert text == tab.text, document
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), document
        if not AXE.exists():
            pytest.skip("axe-core is not installed")
        assert tab.problems_of_access() == [], document
    assert tab.said == []


HOSTILE = (
    "<article xmlns:m='http://www.w3.org/1998/Math/MathML' xmlns:xlink='http://www.w3.org/1999/xlink'>"
    "<m:math href='javascript:owned()' onclick='owned()' style='position:fixed'>"
    "<m:mtext><script>owned()</script><img src='x' onerror='owned()'/></m:mtext>"
    "<m:maction actiontype='toggle' xlink:href='javascript:owned()'><m:mi>x</m:mi><m:mi>y</m:mi>"
    "</m:maction><m:mglyph src='//evil/x.png'/><m:style>* { display: none }</m:style>"
    "<m:annotation-xml encoding='text/html'><iframe src='javascript:owned()'>z</iframe>"
    "</m:annotation-xml><m:mphantom>seen</m:mphantom><a href='javascript:owned()'>w</a></m:math>"
    "<p dir='rtl\" onload=' lang='x\" y'>a</p><td colspan='1000' rowspan='65534'>b</td>"
    "<img src='../secret.png' alt='&lt;script&gt;owned()&lt;/script&gt;'/>"
    "<img src='data:image/png;base64,AAAA'/><img src='//evil/x.png'/>"
    "<img src='javascript:owned()'/>"
    "<ol start='1; background: url(//evil)'><li value='99999999999'>c</li></ol></article>"
)


def test_hostile_attributes_and_mathematics(serving: Any, browsers: Browsers) -> None:
    tab = browsers.tab(serving({"evil": HOSTILE}))
    requests: list[str] = []
    tab.page.on("request", lambda request: requests.append(request.url))
    tab.page.add_init_script("window.owned = () => { console.log('owned') };")
    tab.open("7", "evil")
    names = "[...new Set([...document.querySelectorAll('dx-document *')].map(e => e.localName))]"
    known = {"dx-e", "dx-picture", "td", "math", "mtext", "mrow", "mi"}
    assert set(tab.page.evaluate(names)) <= known
    attributes = "[...new Set([...document.querySelectorAll('dx-document *')]"
    attributes += ".flatMap(e => e.getAttributeNames()))]"
    assert not {"href", "src", "onclick", "onload", "xlink:href"} & set(
        tab.page.evaluate(attributes)
    )
    assert tab.page.evaluate("document.querySelector('dx-document').textContent") == tab.text
    assert tab("dx-picture").first.get_attribute("aria-label") == "<script>owned()</script>"
    tab("dx-document").focus()
    tab.press("Control+a", "h").saved()
    assert tab.slices() == [tab.text.strip()]
    tab("dx-document math").click()
    tab.page.wait_for_timeout(200)
    assert tab.said == []
    assert not [url for url in requests if not url.startswith(tab.server.address)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_reads_in_its_direction(
    server: Server, browsers: Browsers, language: str
) -> None:
    tab = browsers.tab(server).open("7", language)
    words = every_role.WORDS[language]
    root = tab("dx-e").first
    assert (root.get_attribute("dir"), root.get_attribute("lang")) == (
        words.direction,
        words.language,
    )
    for role in ("paragraph", "list", "quote", "table", "heading-1"):
        assert style(tab, f"[data-role={role}]", "direction") == [words.direction]
    # Numbers, bullets and the line beside a quotation are at the side where lines begin.
    side, other = ("right", "left") if words.direction == "rtl" else ("left", "right")
    widths = [f"border-{each}-width" for each in (side, other)]
    assert style(tab, "[data-role=quote]", *widths) == ["3px", "0px"]
    room = style(tab, "[data-role=ordered-list]", f"padding-{side}", f"padding-{other}")
    assert (room[0] != "0px", room[1]) == (True, "0px")
    # Formulas and listings read from left to right everywhere.
    assert style(tab, "math", "direction") == ["ltr"]
    assert style(tab, "[data-role=preformatted]", "unicode-bidi") == ["plaintext"]


def test_what_authors_said_is_shown(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server).open("7", "english")
    numbers = """list => [...list.children].map(item => {
      const {listStyleType, counterSet, counterIncrement} = getComputedStyle(item);
      return [listStyleType, counterSet, counterIncrement];
    })"""
    lists = tab("dx-e[data-role=ordered-list]")
    assert lists.nth(0).evaluate(numbers) == [
        ["lower-alpha", "list-item 5", "none"],
        ["lower-alpha", "list-item 9", "none"],
        ["lower-alpha", "none", "none"],
    ]
    assert lists.nth(1).evaluate(numbers) == [
        ["decimal", "list-item 2", "list-item -1"],
        ["decimal", "none", "list-item -1"],
    ]
    spans = tab("dx-document td").evaluate_all("cells => cells.map(c => [c.rowSpan, c.colSpan])")
    assert spans == [[2, 1], [1, 2]]
    wide = tab("dx-document td").nth(1).bounding_box()
    narrow = tab("dx-e[data-role=cell]").last.bounding_box()
    assert wide["width"] > narrow["width"]
    image = tab("dx-document img")
    assert image.get_attribute("alt") == every_role.WORDS["english"].sentence
    image.scroll_into_view_if_needed()
    tab.page.wait_for_function("document.querySelector('dx-document img').naturalWidth === 120")
    tab.open("7", "markdown")  # whose numbers are in its text
    assert (
        tab("dx-e[data-role=item]").first.evaluate("item => getComputedStyle(item).listStyleType")
        == "none"
    )
    assert tab("dx-document img").count() == 1
    tab.open("7", "inex")  # its picture is not in the folder
    assert tab("dx-document img").count() == 0
    assert tab("dx-picture").get_attribute("aria-label") == "picture"
    assert tab.said == []


def test_mathematics_is_drawn_without_its_annotations(server: Server, browsers: Browsers) -> None:
    tab = browsers.tab(server).open("7", "english")
    names = "[...new Set([...document.querySelectorAll('dx-document math, dx-document math *')]"
    tab_names = tab.page.evaluate(names + ".map(e => e.namespaceURI + ' ' + e.localName))]")
    assert {name.split()[0] for name in tab_names} == {"http://www.w3.org/1998/Math/MathML"}
    attributes = "[...document.querySelectorAll('dx-document math, dx-document math *')]"
    attributes += ".flatMap(e => e.getAttributeNames())"
    assert set(tab.page.evaluate(attributes)) <= {"display"}
    formula = tab("dx-document math").first
    assert formula.bounding_box()["height"] > 25  # a fraction
    assert tab("dx-document annotation").first.is_hidden()
    assert "\\frac" in tab.page.evaluate("document.querySelector('dx-document').textContent")
    # A cursor that moves by characters does not stop in what is not seen.
    tab.press("c")
    formula.click()
    for _ in range(12):
        tab.press("ArrowRight")
    assert tab.page.evaluate("getSelection().focusNode.parentElement.localName") != "annotation"


def test_preformatted_text_is_highlighted_with_its_spaces(
    server: Server, browsers: Browsers
) -> None:
    tab = browsers.tab(server).open("7", "markdown")
    start = tab.text.index("tide =  moon")
    end = tab.text.index("sun\n") + 3
    tab.select(start + 4, end)
    tab.press("h").saved()
    assert tab.slices() == ["tide =  moon\n    + sun"[4:]]
    tab.press("Control+z").saved()


SELECTIONS = 500  # by mouse and by keyboard, over all documents


def test_random_selections_are_what_is_highlighted(server: Server, browsers: Browsers) -> None:
    chance = random.Random(30)
    tab = browsers.tab(server)
    for document in DOCUMENTS:
        tab.open("8", document)
        number = 0
        while number < SELECTIONS // len(DOCUMENTS):
            (by_mouse if number % 2 else by_keyboard)(tab, chance)
            selected, before = tab.selected(), tab.stored.version
            if not selected.strip():
                continue
            tab.press("h").saved()
            (passage,) = tab.slices()
            assert tab.painted("relevant") == [passage]
            # White space that nobody sees, at the edges of blocks, is left out; nothing else.
            assert passage in selected, (document, number)
            assert passage.strip() == selected.strip(), (document, number)
            tab.press("Control+z").saved()
            assert (tab.slices(), tab.stored.version) == ([], before + 2)
            number += 1
    assert tab.said == []


# The characters of the text that are seen, and where two of them are once both are in sight.
PLACES = """async ([first, after]) => {
  const walker = document.createTreeWalker(
    document.querySelector('dx-document'), NodeFilter.SHOW_TEXT);
  const seen = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const {index, segment} of new Intl.Segmenter('en').segment(node.data)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + segment.length);
      if (segment.trim() && range.getClientRects().length) seen.push(range);
    }
  }
  const start = seen[Math.floor(first * seen.length)];
  const end = seen[Math.min(Math.floor(first * seen.length) + after, seen.length - 1)];
  const box = start.getBoundingClientRect();
  scrollBy(0, box.top - innerHeight / 3);
  await new Promise(requestAnimationFrame);
  return [start, end].map(range => range.getClientRects()[0]).map(
    ({left, right, top, bottom}) => [left, right, (top + bottom) / 2]);
}"""


def by_mouse(tab: Tab, chance: random.Random) -> None:
    """Drag the mouse from a random character to one soon after it, or double-click it."""
    places = tab.page.evaluate(PLACES, [chance.random(), chance.randrange(150)])
    (left, right, top), (_, end, bottom) = places
    mouse = tab.page.mouse
    if chance.random() < 0.2:
        mouse.click((left + right) / 2, top, click_count=2)
        return
    mouse.move(left + 0.5, top)
    mouse.down()
    mouse.move(end - 0.5, bottom, steps=3)
    mouse.up()


def by_keyboard(tab: Tab, chance: random.Random) -> None:
    """Move the text cursor somewhere, and select from there."""
    if tab("button.cursor").get_attribute("aria-pressed") != "true":
        tab.press("c")
    tab.press(chance.choice(["Control+Home", "Control+End", "Home", "End"]))
    moves = ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "Control+ArrowDown"]
    for key in chance.choices(moves, k=chance.randrange(6)):
        tab.press(key)
    tab.press(chance.choice("1234"))
    for key in chance.choices(["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowDown", "End"], k=4):
        tab.press(f"Shift+{key}")


# Random documents


@pytest.fixture(scope="module")
def page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page with the code that shows documents, and nothing else."""
    esbuild = WEB / "node_modules" / "esbuild" / "bin" / "esbuild"
    if not esbuild.exists():
        pytest.skip("esbuild is not installed")
    bundle = tmp_path_factory.mktemp("shown") / "shown.js"
    entry = str(WEB / "tests" / "shown.ts")
    command = ["node", str(esbuild), entry, "--bundle", "--format=iife", f"--outfile={bundle}"]
    subprocess.run(command, check=True, capture_output=True)
    opened = chromium.new_page()
    opened.add_script_tag(path=str(bundle))
    yield opened
    opened.close()


@examples(25)
@given(st.lists(role_documents(), min_size=8, max_size=8), st.integers(0, 1 << 30))
def test_random_documents_of_all_roles_have_their_text(
    page: Any, tmp_path_factory: pytest.TempPathFactory, documents: list[RoleDocument], seed: int
) -> None:
    """So have documents whose elements have roles that nobody meant for them."""
    place = tmp_path_factory.mktemp("documents")
    names = [f"d{at}.{document.name.partition('.')[2]}" for at, document in enumerate(documents)]
    write_files(
        place / "in",
        {name: document.source for name, document in zip(names, documents, strict=True)},
    )
    build_collection([str(place / "in")], place / "out")
    collection = Collection(place / "out")
    chance = random.Random(seed)
    absurd = {tag: chance.choice(list(DISPLAY_ROLES)) for tag in collection.summary.tags}
    sent = []
    for display in (Display(collection), Display(collection, absurd)):
        for number in range(len(collection)):
            article = Article.of(collection, collection.id_of(number))
            facts = collection.display_facts(number)
            # Beside its document, the code reads where the pictures of an article are.
            pictures = msgspec.to_builtins(shown_pictures(facts, None))
            data = msgspec.to_builtins(document_data(article, display, facts))
            sent.append({**data, "pictures": pictures, "doc": "d", "topic": {"id": "7"}})
    assert page.evaluate("documents => problems(documents)", sent) == []
