"""Elements are looked up in blocks of documents; the size of the blocks changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.arrays import portions
from doxeval.assessments import Assessments, Judgment, elements_from_highlights
from doxeval.documents import Collection, covers, example_collection
from levels import examples
from seams import change
from strategies import Node, collections_of

BLOCKS = ("lookup_block", "innermost_block", "cover_pairs", "assessed_elements_block")


def in_blocks(size: int | None, found: Callable[[], Any]) -> Any:
    """What is found in blocks of a size, as lists; None: as it is."""
    with pytest.MonkeyPatch.context() as patch:
        if size is not None:
            change(patch, **dict.fromkeys(BLOCKS, size))
        return [np.asarray(column).tolist() for column in found()]


@examples(30)
@given(collections_of(), st.data())
def test_tiny_blocks_find_what_one_block_finds(documents: list[Node], data: st.DataObject) -> None:
    collection = example_collection({str(n): node.source for n, node in enumerate(documents)})
    nodes = data.draw(st.lists(st.integers(0, len(collection.nodes.path) - 1), max_size=20))
    paths = [*map(collection.path_of, nodes), "/a[1]/nothing[1]", "not a path"]
    number = collection.documents_of(nodes).tolist()
    asked = np.array([*number, 0, 0])
    lengths = collection.nodes.end[collection.rows[:-1]][number].tolist()
    ranges = [sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2))) for n in lengths]
    starts, ends = np.array(ranges, dtype=np.int64).reshape(-1, 2).T

    def found() -> Any:
        covered = covers(collection, asked[:-2], starts, ends)
        yield collection.find_nodes(asked, paths)
        yield collection.innermost(asked[:-2], starts, ends)
        yield from (covered.nodes, covered.begin)
        elements = elements_from_highlights(judged(collection, number, ranges), collection)
        yield from (elements.topic, elements.node, elements.rsize, elements.size)

    whole = in_blocks(None, found)
    assert whole[0] == [*nodes, -1, -1]
    assert whole[1] == [
        innermost_by_hand(collection, *one) for one in zip(number, starts, ends, strict=True)
    ]
    for size in (1, 3, 10):
        assert in_blocks(size, found) == whole


def judged(collection: Collection, documents: list[int], ranges: list[list[int]]) -> Assessments:
    return Assessments(
        [
            Judgment(str(topic), collection.id_of(document), ((begin, end),))
            for topic, (document, (begin, end)) in enumerate(zip(documents, ranges, strict=True))
            if begin < end
        ]
    )


def innermost_by_hand(collection: Collection, document: int, start: int, end: int) -> int:
    """The last element of a document that begins at or before a range and ends after it."""
    rows = range(*collection.rows[document : document + 2].tolist())
    columns = collection.nodes
    return max(row for row in rows if columns.start[row] <= start and columns.end[row] >= end)


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 40))
def test_portions_are_all_items_in_order(weights: list[int], most: int) -> None:
    found = list(portions(np.array(weights, dtype=np.int64), most))
    assert [weight for one in found for weight in weights[one]] == weights
    for one in found:
        assert weights[one]
        assert sum(weights[one][:-1]) < most or not any(weights[one][:-1])
