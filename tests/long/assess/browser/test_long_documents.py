"""Documents of a million characters, and thousands of highlights."""

from __future__ import annotations

import random
from typing import Any

import pytest

from browsing import Browsers
from doxeval.assess.exchange import ImportedState
from doxeval.assess.judging import State

WORDS = "the of tide moon 😀 café sea e\u0301 👨‍👩‍👧 𝒳 salt wave שלום and in a pull gravity".split()
LENGTH = 1_000_000


def words(chance: random.Random, characters: int) -> str:
    return " ".join(chance.choices(WORDS, k=characters // 2))[:characters].strip() + "."


def structured() -> str:
    """Sections, paragraphs, lists and tables."""
    chance = random.Random(1)
    parts = ["<article><title>Long</title>"]
    for number in range(100):
        parts.append(f"<sec><st>Section {number}</st>")
        parts += [f"<p>{words(chance, 490)} place{number}-{p}</p>\n" for p in range(20)]
        parts.append("<list><item>one</item><item>two</item></list>")
        parts.append(f"<table><tr><td>{words(chance, 200)}</td><td>x</td></tr></table></sec>")
    return "".join(parts) + "</article>"


def flat() -> str:
    """One paragraph."""
    chance = random.Random(2)
    marks = [f"{words(chance, 9_990)} place{number}" for number in range(100)]
    return f"<article><p>{' '.join(marks)}</p></article>"


def plain() -> str:
    """Text in which blank lines divide paragraphs."""
    chance = random.Random(3)
    marks = [f"{words(chance, 990)} place{number}" for number in range(1_000)]
    return "<article>" + "&#13;\n&#13;\n".join(marks) + "</article>"


@pytest.mark.parametrize("make", [structured, flat, plain])
def test_selections_are_exact_anywhere(serving: Any, browsers: Browsers, make: Any) -> None:
    tab = browsers.tab(serving({"long": make()})).open("7", "long")
    text = tab.text
    assert len(text) >= 0.95 * LENGTH
    assert tab.page.evaluate("document.querySelector('dx-document').textContent") == text
    place = "place50-10" if make is structured else "place90"
    tab.click(place, 2, 2)
    selected = tab.selected()
    assert selected.startswith("place")
    tab.press("h").saved()
    assert tab.slices() == tab.painted() == [selected]
    tab.press("Control+z").saved()
    # With the text cursor from there on: two words, then to the end of the paragraph.
    tab.press("c", "2", "Shift+ArrowLeft", "Shift+ArrowLeft")
    selected = tab.selected()
    assert selected in text
    tab.press("h").saved()
    assert tab.slices() == tab.painted() == [selected]
    tab.press("Control+z").saved()
    units = len(text.encode("utf-16-le")) // 2
    for share in (0.1, 0.5, 0.9):
        start, end = int(units * share), int(units * share) + 20_000
        tab.select(start, end)
        selected = tab.selected()
        tab.press("h").saved()
        (passage,) = tab.slices()
        assert tab.painted() == [passage]
        # Whole characters, without the white space at the ends of blocks.
        assert abs(len(passage) - len(selected)) < 16
        assert passage[16:-16] in selected
        tab.press("Control+z").saved()
    assert tab.said == []


def test_thousands_of_highlights(serving: Any, browsers: Browsers) -> None:
    server = serving({"long": structured()})
    campaign = server.campaign
    ann = campaign.user("ann")
    text = campaign.article("long").text
    ranges = tuple((at * 190, at * 190 + 60) for at in range(5_000))
    imported = ImportedState("7", "long", "ann", State(highlights=ranges))
    campaign.import_judgments([imported], ann)
    tab = browsers.tab(server).open("7", "long")
    expected = [text[start:end] for start, end in tab.stored.state.highlights]
    assert len(expected) > 4_900
    assert tab.painted() == expected
    assert tab("#passages li").count() == 200
    tab("#passages button.link").first.click()
    assert tab("#passages li").count() == len(expected)
    tab("#passages .jump").last.click()
    assert tab.painted("here") == [expected[-1]]
    tab("#passages .remove").last.click()
    tab.saved()
    assert tab.painted() == tab.slices() == expected[:-1]
    assert tab.said == []
