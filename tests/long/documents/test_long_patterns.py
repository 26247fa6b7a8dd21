"""Path patterns, NEXI queries and CSS selectors that are long, on deep and wide documents."""

from __future__ import annotations

import numpy as np
import pytest

from doxeval.documents import Limits, PathPattern, PathSummary, example_collection, read_html
from growing import growth
from helpers import doxeval


def deep_summary(depth: int) -> PathSummary:
    return PathSummary(["a"], np.arange(-1, depth - 1), np.zeros(depth, dtype=np.int64))


def test_a_long_pattern_takes_time_by_its_length_alone() -> None:
    summary = deep_summary(1000)

    def work(pattern: PathPattern) -> object:
        return pattern.matches(summary)

    assert growth(lambda size: PathPattern.parse("//a" * size), work, 4_000) < 9


@pytest.mark.parametrize("precedence", ["and", "flat"])
@pytest.mark.parametrize(
    "query",
    [
        "//" + "/".join("a" * 9_000) + "[about(., x)]",
        "//a[about(., x)]" * 1_000,
        "//a[" + " or ".join(["about(.//a, x)"] * 1_000) + "]",
    ],
)
def test_queries_of_thousands_of_steps_are_counted(query: str, precedence: str) -> None:
    collection = example_collection({"d": "<a>" * 200 + "x" + "</a>" * 200})
    directory = str(collection.directory)
    result = doxeval("nexi", "--precedence", precedence, "--collection", directory, query)
    assert result.exit_code == 0
    assert result.stdout.count(" element") == 1 + query.count("about")


@pytest.mark.parametrize(
    ("page", "selector"),
    [
        ("<p>x" * 100_000, "x ~ p ~ p ~ p"),
        ("<div>" * 900, "x div div div div div div"),
        ("<p>x" * 100_000, ":not(x) + p + p"),
        ("<p>x" * 100_000, ", ".join(["p"] * 100)),
        ("<p class='" + "a " * 100_000 + "'>", ".b.c"),
    ],
)
def test_no_page_makes_a_selector_take_forever(page: str, selector: str) -> None:
    """Some of these would take the parser's own matching more than a lifetime."""
    read_html(page, Limits(), "a.html", drop=(selector,))
