"""Queries of all forms are answered, by content and in all four readings of their structure."""

from __future__ import annotations

import pytest

from helpers import DATA
from query_worlds import answered, lines_of


# Strictly, nothing is retrieved where a target or support is on a path that no article has.
@pytest.mark.parametrize(
    ("task", "number"), [("vvcas", 39), ("vscas", 33), ("svcas", 37), ("sscas", 33)]
)
def test_structured_queries_are_answered(task: str, number: int) -> None:
    assert answered(DATA / "nexi" / "structured.txt", task) == number


@pytest.mark.parametrize("task", ["thorough", "relevant-in-context"])
def test_content_queries_are_answered(task: str) -> None:
    queries = DATA / "nexi" / "content.txt"
    assert answered(queries, task) == len(lines_of(queries))
