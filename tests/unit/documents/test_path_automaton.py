"""Path patterns, all matched in one pass, against a recursive matcher of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    NO_PARENT,
    PathPattern,
    PathPatterns,
    PathSummary,
    SummaryBuilder,
    count_elements,
)
from doxeval.errors import SyntaxProblem

TAGS = ("a", "b", "c")


class Step(NamedTuple):
    """A step of a pattern: the tags that it accepts (none: any), and whether at any depth."""

    tags: frozenset[str]
    any_depth: bool

    def __str__(self) -> str:
        names = sorted(self.tags) or ["*"]
        node = f"({'|'.join(names)})" if names[1:] else names[0]
        return ("//" if self.any_depth else "/") + node


steps = st.builds(Step, st.frozensets(st.sampled_from((*TAGS, "never")), max_size=2), st.booleans())
patterns = st.lists(st.lists(steps, min_size=1, max_size=5), min_size=1, max_size=5)
paths = st.lists(st.lists(st.sampled_from((*TAGS, "x")), min_size=1, max_size=6), max_size=8)


def parsed(pattern: Sequence[Step]) -> PathPattern:
    return PathPattern.parse("".join(map(str, pattern)))


def summary_of(paths: Sequence[Sequence[str]]) -> PathSummary:
    builder = SummaryBuilder()
    for path in paths:
        at = NO_PARENT
        for tag in path:
            at = builder.child(at, builder.tag(tag))
    return builder.finish()


def matches(pattern: Sequence[Step], path: Sequence[str]) -> bool:
    """Whether a pattern matches all of a path, by trying all ways to take its first step."""
    if not pattern or not path:
        return not pattern and not path
    first, rest = pattern[0], pattern[1:]
    depths = range(len(path)) if first.any_depth else range(1)
    return any(
        (not first.tags or path[depth] in first.tags) and matches(rest, path[depth + 1 :])
        for depth in depths
    )


@given(patterns, paths)
def test_patterns_match_what_a_recursive_matcher_matches(
    patterns: list[list[Step]], paths: list[list[str]]
) -> None:
    summary = summary_of(paths)
    tags = [summary.label(path)[1:].split("/") for path in range(len(summary))]
    expected = [[matches(pattern, path) for path in tags] for pattern in patterns]
    every = [parsed(pattern) for pattern in patterns]
    assert [pattern.matches(summary).tolist() for pattern in every] == expected
    together = PathPatterns.parse(", ".join(map(str, every))).matches(summary)
    assert together.tolist() == np.any(expected, axis=0).tolist()
    elements = np.arange(1, len(summary) + 1)
    assert count_elements(every, summary, elements) == [
        int(elements[np.array(matched, dtype=bool)].sum()) for matched in expected
    ]


def test_an_error_about_a_long_pattern_is_short() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        PathPattern.parse("/a" * 100_000 + "/")
    assert len(str(caught.value)) < 300
