"""Covers: the coarsest disjoint elements that hold a range of text."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute_force.covers import cover
from brute_force.scene import elements_of
from doxeval.documents import covers, covers_of_groups, example_collection
from doxeval.errors import MissingText
from doxeval.spans import Spans
from helpers import Builder
from levels import examples
from seams import change
from strategies import Node, nodes

IGNORED = st.sampled_from([(), ("p",), ("sec", "b"), ("article", "sec", "p", "b")])


def cover_paths(source: str, *ranges: tuple[int, int], ignored: tuple[str, ...] = ()) -> list[str]:
    """The paths of the cover of ranges of one document."""
    collection = example_collection({"a": source})
    spans = Spans.of([(0, start, end) for start, end in ranges])
    found = covers_of_groups(collection, np.array([0]), spans, ignored)
    assert len(found) == 1
    return [collection.path_of(node) for node in found.nodes.tolist()]


MIXED = "<a><p>aaaa <b>bb</b> cccc</p><p>dd</p></a>"


@pytest.mark.parametrize(
    ("source", "ranges", "expected"),
    [
        # Wholly inside: the outermost elements.
        ("<a><s><p>12</p><p>34</p></s><s>56</s></a>", [(0, 4)], ["/a[1]/s[1]"]),
        ("<a><s><p>12</p><p>34</p></s><s>56</s></a>", [(0, 6)], ["/a[1]"]),
        # Halves of two paragraphs are the two paragraphs, not what is around both.
        ("<a><p>1234</p><p>5678</p></a>", [(2, 6)], ["/a[1]/p[1]", "/a[1]/p[2]"]),
        # Text beside an element brings in the element around it, which absorbs the inner one.
        (MIXED, [(3, 9)], ["/a[1]/p[1]"]),
        (MIXED, [(5, 7)], ["/a[1]/p[1]/b[1]"]),
        # But white space beside it does not.
        (MIXED, [(4, 8)], ["/a[1]/p[1]/b[1]"]),
        ("<a> <p>1</p>\n<p>2</p> x</a>", [(0, 4)], ["/a[1]/p[1]", "/a[1]/p[2]"]),
        # An element of white space is an element; an empty one is never in a cover.
        ("<a><p> </p><p>2</p></a>", [(0, 1)], ["/a[1]/p[1]"]),
        ("<a><p/><p>12</p><p/>3</a>", [(0, 2)], ["/a[1]/p[2]"]),
        # Several ranges: touching ones are one; a member of one cover absorbs those of others.
        ("<a><p>12</p><p>34</p>5</a>", [(0, 1), (1, 2)], ["/a[1]/p[1]"]),
        (MIXED, [(0, 2), (5, 7)], ["/a[1]/p[1]"]),
        ("<a><p>12</p><p>34</p>5</a>", [(0, 2), (3, 4)], ["/a[1]/p[1]", "/a[1]/p[2]"]),
        # Nothing of text is covered by nothing.
        (MIXED, [(3, 3)], []),
        ("<a><p>1</p> <p>2</p></a>", [(1, 2)], []),
        (MIXED, [], []),
    ],
)
def test_a_cover_is_coarse_and_disjoint(
    source: str, ranges: list[tuple[int, int]], expected: list[str]
) -> None:
    assert cover_paths(source, *ranges) == expected


def test_ignored_elements_are_looked_through() -> None:
    assert cover_paths(MIXED, (5, 7), ignored=("b",)) == ["/a[1]/p[1]"]
    assert cover_paths(MIXED, (0, 12), ignored=("p",)) == ["/a[1]"]
    assert cover_paths(MIXED, (0, 7), ignored=("p", "a")) == ["/a[1]/p[1]/b[1]"]


documents = st.lists(nodes(tags=["sec", "p", "b"]), min_size=1, max_size=3)


@examples(150)
@given(documents, st.randoms(use_true_random=False), IGNORED)
def test_covers_are_those_found_character_by_character(
    bodies: list[Node], random: Random, ignored: tuple[str, ...]
) -> None:
    roots = [Node("article", (body,)) for body in bodies]
    collection = example_collection({f"d{n}": root.source for n, root in enumerate(roots)})
    ranges = [
        (number, *sorted(random.choices(range(len(root.text) + 1), k=2)))
        for _ in range(4)
        for number, root in enumerate(roots)
    ]
    ordered = [
        np.array(column, dtype=np.int64) for column in zip(*ranges, strict=True)
    ]  # documents, starts, ends
    documents, starts, ends = ordered
    found = covers(collection, documents, starts, ends, ignored)
    for tree, (number, start, end) in zip(found.as_sets(), ranges, strict=True):
        text = roots[number].text
        expected = cover(elements_of(f"d{number}", roots[number]), text, range(start, end), ignored)
        assert {collection.path_of(node) for node in tree} == {unit.path for unit in expected}
    together = covers_of_groups(collection, np.arange(len(roots)), Spans(*ordered), ignored)
    for number, tree in enumerate(together.as_sets()):
        wanted = {at for n, start, end in ranges if n == number for at in range(start, end)}
        own = elements_of(f"d{number}", roots[number])
        expected = cover(own, roots[number].text, wanted, ignored)
        assert {collection.path_of(node) for node in tree} == {unit.path for unit in expected}


def test_many_ranges_are_covered_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = example_collection({"a": MIXED, "b": "<a><p>12</p>3</a>"})
    documents = np.array([1, 0, 1, 0, 0])
    starts, ends = np.array([0, 3, 2, 5, 12]), np.array([2, 9, 3, 5, 14])
    whole = covers(collection, documents, starts, ends).as_sets()
    change(monkeypatch, cover_pairs=5)
    assert covers(collection, documents, starts, ends).as_sets() == whole
    assert len(whole) == 5
    assert whole[3] == ()


def test_without_its_text_a_collection_cannot_tell_white_space(build: Builder) -> None:
    collection = build({"a.xml": "<a><p>12</p> <p>3</p></a>"}, text="none")
    documents, starts = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    # Where all text is in elements inside the range, nobody has to ask.
    assert covers(collection, documents, starts, np.array([2])).as_sets() == [(1,)]
    with pytest.raises(MissingText, match="built without its text"):
        covers(collection, documents, starts, np.array([3]))
