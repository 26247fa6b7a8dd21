"""Words: by white space, by the borders of elements, and however a document is printed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import DocumentWords, example_collection, split_words
from helpers import Builder
from printing import pretty
from seams import change
from strategies import Node, located, nodes

TEXTS = st.text(st.sampled_from("ab \t\n\xa0\u2028\u3000\x1c\u3001é😀\ud800"))


@given(TEXTS, st.data())
def test_words_are_those_of_split_with_a_space_at_each_border(
    text: str, data: st.DataObject
) -> None:
    borders = data.draw(st.sets(st.integers(0, len(text))))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    words = split_words(text, np.array(sorted(borders), dtype=np.int64))
    spaced = [(" " if at in borders else "") + text[at] for at in range(len(text))]
    assert int(words.count(np.array(start), np.array(end))) == len(
        "".join(spaced[start:end]).split()
    )
    found = zip(words.start.tolist(), words.end.tolist(), strict=True)
    assert [text[begin:after] for begin, after in found] == "".join(spaced).split()


@given(nodes(tags=["article", "sec", "p", "b", "i", "collectionlink"]))
def test_every_element_has_the_same_words_however_it_is_printed(document: Node) -> None:
    collection = example_collection({"compact": document.source, "pretty": pretty(document).source})
    words = DocumentWords(collection)
    counts = []
    for number in (collection.document("compact"), collection.document("pretty")):
        rows = slice(int(collection.rows[number]), int(collection.rows[number + 1]))
        start, end = collection.nodes.start[rows], collection.nodes.end[rows]
        counts.append(words.of(number).count(start, end).tolist())
    assert counts[0] == counts[1]


@given(nodes(tags=["article", "sec", "p", "b", "i"]))
def test_boundaries_are_those_of_elements_that_are_not_inline(document: Node) -> None:
    words = DocumentWords(example_collection({"a": document.source}))
    edges = {
        edge
        for place in located(document)
        if place.tag not in ("b", "i")
        for edge in (place.start, place.end)
    }
    assert words.boundaries(0).tolist() == sorted(edges)


def test_the_collection_says_what_is_inline(build: Builder) -> None:
    source = {"a.xml": "<s>o<b>n</b>e<x>two</x><br/>th<br/>ree</s>"}
    by_default = DocumentWords(build(source))
    assert by_default.of(0).start.tolist() == [0, 3, 6, 8]
    by_choice = DocumentWords(build(source, inline=frozenset({"s", "x", "br"})))
    assert by_choice.of(0).start.tolist() == [0, 1, 2]


def test_few_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, kept_words=3)
    sources = {"a": "<p>1 2</p>", "b": "<p>3</p>", "c": "<p>4 5 6 7</p>"}
    words = DocumentWords(example_collection(sources))
    first = words.of(0)
    assert words.of(1).start.tolist() == [0]
    assert words.of(0) is first
    assert len(words.of(2).start) == 4  # too many to keep anything besides
    assert words.of(0) is not first
    assert words.of(0).start.tolist() == first.start.tolist()
