"""The time of search grows with the query, the elements and the words, not with their squares."""

from __future__ import annotations

import numpy as np
import pytest

from direct_nexi import as_arrays
from doxeval.documents import Collection, example_collection
from doxeval.retrieve import answer_structured, find_ancestors, maximal_segments
from doxeval.topics import Interpretation, NexiStep, StructuredQuery, parse_structured
from growing import growth


@pytest.mark.parametrize("name", ["SSCAS", "VVCAS"])
@pytest.mark.parametrize(
    ("before", "again", "between", "after"),
    [
        ("//a[about(., x)]", "//a[about(., y)]", "", ""),
        ("//a[", "about(.//a, x)", " or ", "]"),
        ("//a[about(., y) and ", ".//a = 1", " and ", "]"),
        ("//a[", "about(.//a/a, x)", " and ", "]//a"),
        ("//a", "/a", "", "[about(., x)]"),
        ("//a[about(.", "//a", "", ", x)]"),
        ("//(a|b", "|c", "", ")[about(., x)]"),
    ],
)
def test_long_queries_take_time_by_their_length(
    name: str, before: str, again: str, between: str, after: str
) -> None:
    tree = example_collection({"d": "<a>" * 12 + "1" + "</a>" * 12})

    def make(size: int) -> StructuredQuery:
        return parse_structured(before + between.join([again] * size) + after)

    def work(query: StructuredQuery) -> object:
        about = as_arrays(lambda _: dict.fromkeys(range(12), 1.0))
        return answer_structured(query, Interpretation.named(name), tree, about)

    assert growth(make, work, 60) < 9


def test_time_grows_with_the_rows_and_not_with_their_square() -> None:
    def make(size: int) -> Collection:
        return example_collection({"d": "<a>" + "<b><c/></b>" * size + "</a>"})

    def work(tree: Collection) -> object:
        rows = np.arange(len(tree.nodes.path))
        return list(find_ancestors(tree, rows, [NexiStep("//"), NexiStep("//")]))

    assert growth(make, work, 20_000) < 9


def test_maximal_segments_take_linear_time() -> None:
    assert len(maximal_segments([1, -2] * 100_000)) == 100_000
    assert maximal_segments([2, -1] * 100_000)[0].total == 100_001
    rising = [value for size in range(400) for value in (size + 1, -size - 2)]
    assert len(maximal_segments(rising)) == 400
