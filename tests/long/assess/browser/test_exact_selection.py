"""What is selected in the browser is what the server highlights, to the character."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from browsing import Browsers, Tab

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAG = "\U0001f1e9\U0001f1ea"
ACCENTED = "e\u0301"
HEBREW = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"
ARABIC = "\u0645\u0631\u062d\u0628\u0627"
DOCUMENTS = {
    "mixed": (
        "<article><title>First things</title>\n"
        "<sec><p>Alpha beta <b>gamma</b> delta.</p>\n  <p>Epsilon zeta eta.</p>\n"
        "<list><item>one thing</item><item>two things</item></list>\n"
        "<table><tr><td>north</td><td>south</td></tr>loose<tr><td>east</td><td>west</td></tr>"
        "</table></sec>\n"
        "<sec><p>The end of it.</p></sec></article>"
    ),
    "strange": (
        f"<article><p>A {FAMILY} and {FLAG}{FLAG}{FLAG} in a row, caf{ACCENTED} too. 𝒳𝒴𝒵 maths.</p>"
        f"<p>Latin {HEBREW} and {ARABIC} mixed.</p><p>{HEBREW}</p>"
        "<p>한국어 문장 하나. ไทยแลนด์ 漢字仮名</p></article>"
    ),
    "lines": (
        "<article><pre>\n\nfirst&#13;\nsecond&#13;\n&#13;\nthird</pre>"
        "<template>\nkept</template><p>a&#9;tab  and   spaces</p></article>"
    ),
}


@pytest.fixture
def tab(serving: Any, browsers: Browsers) -> Tab:
    return browsers.tab(serving(DOCUMENTS)).open("7", "mixed")


def highlighted(tab: Tab) -> str:
    """Press h; the one passage of the server, after a look at what the page paints."""
    tab.press("h").saved()
    (passage,) = tab.slices()
    assert tab.painted("relevant") == [passage]
    assert tab.said == []
    return passage


def test_mouse_drag(tab: Tab) -> None:
    tab.drag("Alpha", "delta")
    assert tab.selected() == "Alpha beta gamma delta"
    assert highlighted(tab) == "Alpha beta gamma delta"


def test_double_click(tab: Tab) -> None:
    tab.click("zeta", 1, 2)
    assert highlighted(tab) == "zeta"


def test_triple_click_is_the_paragraph_without_the_space_after_it(tab: Tab) -> None:
    tab.click("zeta", 1, 3)
    assert tab.selected().strip() == "Epsilon zeta eta."
    assert highlighted(tab) == "Epsilon zeta eta."


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("First", "beta"),  # from a heading into a paragraph
        ("gamma", "Epsilon"),  # from an inline element into the next paragraph
        ("one", "two"),  # list
        ("two", "south"),  # from the list into the table
        ("north", "west"),  # rows, with loose text between them
        ("loose", "east"),
        ("First", "end of it"),
    ],
)
def test_across_elements(tab: Tab, first: str, last: str) -> None:
    tab.drag(first, last)
    expected = tab.text[tab.text.index(first) : tab.text.index(last) + len(last)]
    assert tab.selected() == expected
    assert highlighted(tab) == expected


def test_backwards(tab: Tab) -> None:
    start, end = tab.box_of("delta", 4), tab.box_of("Alpha")
    mouse = tab.page.mouse
    mouse.move(start["right"] - 0.5, start["top"] + 5)
    mouse.down()
    mouse.move(end["left"] + 0.5, end["top"] + 5, steps=4)
    mouse.up()
    assert highlighted(tab) == "Alpha beta gamma delta"


def test_everything(tab: Tab) -> None:
    tab("dx-document").focus()
    tab.press("Control+a")
    assert highlighted(tab) == tab.text.strip()


def test_a_selection_that_begins_outside_the_text(tab: Tab) -> None:
    tab.page.evaluate(
        """() => {
          const end = document.querySelector('dx-e[data-tag=b]').firstChild;
          getSelection().setBaseAndExtent(document.querySelector('#topic h2'), 0, end, 3);
        }"""
    )
    assert highlighted(tab) == tab.text[: tab.text.index("gamma") + 3]


def test_a_selection_beside_the_text_is_nothing(tab: Tab) -> None:
    tab("#topic h2").click(click_count=3)
    assert tab.selected() != ""
    tab.press("h")
    assert "Select some text first" in tab.told()
    assert tab.stored.version == 0


def test_pieces_of_characters_become_whole_characters(tab: Tab) -> None:
    tab.open("7", "strange")
    text = tab.text
    units = text.encode("utf-16-le")
    for piece, whole in (
        (FAMILY[2:3], FAMILY),
        (FLAG[0], FLAG),
        ("\u0301", ACCENTED),
        ("𝒴", "𝒴"),
    ):
        before = len(text[: text.index(whole) + whole.index(piece)].encode("utf-16-le")) // 2
        tab.select(before, before + 1)  # of an astral character: half of its surrogates
        assert highlighted(tab) == whole
        tab.press("Control+z").saved()
    assert len(units) > 2 * len(text)


@pytest.mark.parametrize("words", [HEBREW, ARABIC, "𝒳𝒴𝒵", "한국어", "漢字"])
def test_other_scripts_by_mouse(tab: Tab, words: str) -> None:
    tab.open("7", "strange")
    tab.click(words, 1, 2)
    selected = tab.selected()
    assert selected.strip() != ""
    assert highlighted(tab).strip() == selected.strip()


def test_from_one_direction_of_writing_to_the_other(tab: Tab) -> None:
    tab.open("7", "strange")
    tab.drag("Latin", "mixed")
    assert highlighted(tab) == f"Latin {HEBREW} and {ARABIC} mixed"


def test_line_ends_and_leading_newlines_are_kept(tab: Tab) -> None:
    tab.open("7", "lines")
    assert tab.page.evaluate("document.querySelector('dx-document').textContent") == tab.text
    assert "\r\n" in tab.text
    start = tab.text.index("first")
    tab.select(start, tab.text.index("third") + 5)
    assert highlighted(tab) == "first\r\nsecond\r\n\r\nthird"
    tab.press("Control+z").saved()
    carriage = tab.text.index("\r")
    tab.select(carriage, carriage + 1)  # \r\n is one character
    tab.press("h").saved()
    assert tab.slices() in (["\r\n"], [])


@pytest.mark.parametrize(("snap", "expected"), [("words", "beta gamma"), ("sentences", None)])
def test_snapping(serving: Any, browsers: Browsers, snap: str, expected: str | None) -> None:
    tab = browsers.tab(serving(DOCUMENTS, snap=snap)).open("7", "mixed")
    start = tab.text.index("eta")
    tab.select(start, tab.text.index("gamma") + 2)
    assert highlighted(tab) == (expected or "Alpha beta gamma delta.")


PIECES = [
    "word ",
    "two words. ",
    FAMILY,
    FLAG,
    FLAG * 3,
    ACCENTED,
    "𝒳",
    HEBREW,
    ARABIC,
    "&#13;\n",
    "\n\n",
    " ",
    "漢字",
    "&#9;",
    "&amp;",
    "&#x1F44D;&#x1F3FD;",
    "e&#x301;&#x302;",
]
TAGS = ["p", "b", "sec", "list", "item", "table", "tr", "td", "title", "pre", "i"]


def generated(chance: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(chance.randint(1, 5)):
        if depth < 4 and chance.random() < 0.5:
            tag = chance.choice(TAGS)
            parts.append(f"<{tag}>{generated(chance, depth + 1)}</{tag}>")
        else:
            parts.append("".join(chance.choices(PIECES, k=chance.randint(1, 4))))
    return "".join(parts)


CLUSTER_EDGES = """([start, end]) => {
  const text = document.querySelector('dx-document').textContent;
  const segments = new Intl.Segmenter('en', {granularity: 'grapheme'}).segment(text);
  const first = segments.containing(start).index;
  const last = segments.containing(end - 1);
  return text.slice(first, last.index + last.segment.length);
}"""


def test_random_selections_of_random_documents(serving: Any, browsers: Browsers) -> None:
    chance = random.Random(15)
    documents = {f"d{n}": f"<article>{generated(chance)}</article>" for n in range(12)}
    server = serving(documents)
    tab = browsers.tab(server)
    for document in documents:
        tab.open("7", document)
        assert tab.page.evaluate("document.querySelector('dx-document').textContent") == tab.text
        length = len(tab.text.encode("utf-16-le")) // 2
        for _ in range(6):
            start, end = sorted(chance.sample(range(length + 1), 2))
            tab.select(start, end)
            whole = tab.page.evaluate(CLUSTER_EDGES, [start, end])
            before = tab.stored.version
            tab.press("h").saved()
            if tab.stored.version == before or not tab.slices():
                assert not whole.strip()
                continue
            (passage,) = tab.slices()
            assert tab.painted("relevant") == [passage]
            # White space at the edges of blocks is left out; nothing else may differ.
            assert passage.strip() == whole.strip(), (document, start, end)
            assert passage in whole
            tab.press("Control+z").saved()
            assert tab.slices() == []
    assert tab.said == []
    assert all(re.search(r"\S", document) for document in documents.values())
