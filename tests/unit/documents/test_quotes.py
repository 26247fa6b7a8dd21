"""Finding quotes in a collection, and listing its documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import example_collection
from doxeval.errors import InputError, MissingText, UnknownReference
from helpers import Builder, doxeval
from strategies import Node, collections_of

LETTERS = "abAB éß\n\u00a0😀"
QUOTES = st.text(st.sampled_from(LETTERS), min_size=1, max_size=4)


def brute_force(
    text: str, quote: str, ignore_whitespace: bool, ignore_case: bool
) -> list[tuple[int, int]]:
    """All places, by comparing the quote with every beginning, character by character."""
    wanted = [one for one in quote if not (ignore_whitespace and one.isspace())]

    def same(a: str, b: str) -> bool:
        one_each = len(a.casefold()) == len(b.casefold()) == 1
        return a == b or (ignore_case and one_each and a.casefold() == b.casefold())

    places = []
    start = 0
    while start < len(text):
        at, matched = start, 0
        while at < len(text) and matched < len(wanted):
            if same(text[at], wanted[matched]):
                matched += 1
            elif not (ignore_whitespace and text[at].isspace() and matched):
                break
            at += 1
        if matched == len(wanted):
            places.append((start, at))
            start = at
        else:
            start += 1
    return places


@given(st.lists(st.text(st.sampled_from(LETTERS), max_size=12), min_size=1, max_size=3),
       QUOTES, st.booleans(), st.booleans())  # fmt: skip
def test_every_place_is_found(
    texts: list[str], quote: str, ignore_whitespace: bool, ignore_case: bool
) -> None:
    collection = example_collection(
        {f"d{number}": f"<p>{text}</p>" for number, text in enumerate(texts)}
    )
    if ignore_whitespace and not quote.strip():
        with pytest.raises(InputError, match="expected some text"):
            collection.find_text(quote, ignore_whitespace=True)
        return
    found = collection.find_text(
        quote, ignore_whitespace=ignore_whitespace, ignore_case=ignore_case
    )
    expected = [
        (name, start, end)
        for name in collection.ids()
        for start, end in brute_force(
            collection.root(name).text, quote, ignore_whitespace, ignore_case
        )
    ]
    assert [(place.doc, place.start, place.end) for place in found] == expected


@given(collections_of())
def test_the_path_is_that_of_the_innermost_element(trees: list[Node]) -> None:
    collection = example_collection(
        {f"d{number}": tree.source for number, tree in enumerate(trees)}
    )
    texts = [collection.root(name).text for name in collection.ids()]
    quotes = {text[at : at + 2] for text in texts for at in range(0, len(text), 3)} - {""}
    for quote in sorted(quotes)[:10]:
        places = list(collection.find_text(quote, context=3))
        assert len(places) == sum(text.count(quote) for text in texts)
        for place in places:
            text = collection.root(place.doc).text
            assert place.text == text[place.start : place.end] == quote
            assert place.before == text[max(place.start - 3, 0) : place.start]
            assert place.after == text[place.end : place.end + 3]
            element = collection.element(place.doc, place.path)
            assert element.start <= place.start < place.end <= element.end
            for inside in element.descendants():
                assert not inside.start <= place.start < place.end <= inside.end


def test_documents_may_be_named_and_unknown_ones_are_errors(build: Builder) -> None:
    collection = build({"a.xml": "<p>tide</p>", "b.xml": "<p>tide tide</p>"})
    assert [place.doc for place in collection.find_text("tide", ["b"])] == ["b", "b"]
    assert [place.doc for place in collection.find_text("tide", "b")] == ["b", "b"]
    with pytest.raises(UnknownReference, match="no document 'c'"):
        collection.find_text("tide", ["c"])
    with pytest.raises(InputError, match="quote='': expected some text, and there is none"):
        collection.find_text("")


def test_a_quote_that_overlaps_itself_takes_no_longer(build: Builder) -> None:
    collection = build({"a.txt": "a" * 1_000_000})
    assert len(list(collection.find_text("a" * 300_000))) == 3
    first = next(collection.find_text("a"))
    assert (first.start, first.after) == (0, "a" * 40)


def test_a_collection_without_text_says_so(build: Builder) -> None:
    with pytest.raises(MissingText, match="was built without its text"):
        list(build({"a.xml": "<p>x</p>"}, text="none").find_text("x"))


def test_the_verb_find(build: Builder) -> None:
    collection = build({"a.xml": "<s><p>Low tide,\nhigh tide.</p></s>", "b.xml": "<p>tide\x85</p>"})
    directory = collection.directory
    found = doxeval("collection", "find", directory, "tide")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[:2] == [
        "a  [4, 8)  /s[1]/p[1]",
        "  Low »tide«, high tide.",
    ]
    lines = doxeval("collection", "find", directory, "tide", "--format", "jsonl").stdout
    records = [json.loads(line) for line in lines.splitlines()]
    assert records == [place.as_dict() for place in collection.find_text("tide")]
    whole = doxeval("collection", "find", directory, "tide", "--format", "json").stdout
    assert json.loads(whole) == records
    cut = doxeval(
        "collection", "find", directory, "tide", "--max-results", "2", "--format", "jsonl"
    )
    assert cut.stdout.splitlines() == lines.splitlines()[:2]
    assert "stopped after 2 occurrences; there are more" in cut.stderr
    assert not doxeval("collection", "find", directory, "tide", "--max-results", "3").stderr


def test_a_quote_that_is_not_there(build: Builder) -> None:
    directory = build({"a.xml": "<s><p>One.</p><p>Two.</p></s>"}).directory
    missing = doxeval("collection", "find", directory, "One. Two.")
    assert missing.exit_code == 1
    assert missing.stderr == (
        f"Error: no 'One. Two.' in {directory}; with --ignore-whitespace, white space does not "
        "count\n"
    )
    found = doxeval("collection", "find", directory, "One. Two.", "--ignore-whitespace")
    assert found.stdout.startswith("a  [0, 8)  /s[1]\n")
    assert doxeval("collection", "find", directory, "One", "--doc", "x").exit_code == 1


def test_the_verb_list(build: Builder, tmp_path: Path) -> None:
    collection = build({"b.xml": "<s><p>One.</p></s>", "a-b.xml": "<p/>", "=é.txt": "x"})
    directory = collection.directory
    listed = doxeval("collection", "list", directory)
    assert listed.stdout.splitlines() == list(collection.ids())
    long = doxeval("collection", "list", directory, "--long").stdout
    assert "b\t2\t4\n" in long
    records = doxeval("collection", "list", directory, "--format", "jsonl").stdout
    assert [json.loads(line)["doc"] for line in records.splitlines()] == list(collection.ids())
    as_json = json.loads(doxeval("collection", "list", directory, "--format", "json").stdout)
    assert {"doc": "b", "elements": 2, "characters": 4} in as_json
    assert re.search("no such directory", doxeval("collection", "list", tmp_path / "x").stderr)
