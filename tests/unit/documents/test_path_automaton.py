"""Path patterns by an automaton, against a recursive matcher; many and long ones take no longer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    NO_PARENT,
    PathAutomaton,
    PathPattern,
    PathPatterns,
    PathSummary,
    PatternStep,
    SummaryBuilder,
    counts_by_pattern,
    example_collection,
    parsed_patterns,
)
from doxeval.errors import SyntaxProblem
from growing import growth
from helpers import doxeval

TAGS = ("a", "b", "c")
steps = st.builds(
    PatternStep, st.frozensets(st.sampled_from((*TAGS, "never")), max_size=2), st.booleans()
)
patterns = st.lists(st.lists(steps, min_size=1, max_size=5), min_size=1, max_size=5)
paths = st.lists(st.lists(st.sampled_from((*TAGS, "x")), min_size=1, max_size=6), max_size=8)


def summary_of(paths: Sequence[Sequence[str]]) -> PathSummary:
    builder = SummaryBuilder()
    for path in paths:
        at = NO_PARENT
        for tag in path:
            at = builder.child(at, builder.tag(tag))
    return builder.finish()


def matches(pattern: Sequence[PatternStep], path: Sequence[str]) -> bool:
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
def test_the_automaton_matches_what_patterns_match(
    patterns: list[list[PatternStep]], paths: list[list[str]]
) -> None:
    summary = summary_of(paths)
    automaton = PathAutomaton(patterns)
    reached = automaton.reached(summary)
    for path, found in enumerate(reached):
        tags = summary.label(path)[1:].split("/")
        for pattern, end in zip(patterns, automaton.end_of, strict=True):
            assert bool(found >> end & 1) == matches(pattern, tags)


@given(patterns, paths)
def test_counts_and_matches_agree(
    patterns: list[list[PatternStep]], paths: list[list[str]]
) -> None:
    summary = summary_of(paths)
    parsed = [PathPattern("", tuple(steps)) for steps in patterns]
    elements = np.arange(1, len(summary) + 1)
    each = [one.matches(summary) for one in parsed]
    assert counts_by_pattern(parsed, summary, elements) == [int(elements[m].sum()) for m in each]
    together = PathPatterns(tuple(parsed)).matches(summary)
    assert together.tolist() == np.any(each, axis=0).tolist()


def deep_summary(depth: int) -> PathSummary:
    return PathSummary(["a"], np.arange(-1, depth - 1), np.zeros(depth, dtype=np.int64))


def test_a_long_pattern_takes_time_by_its_length_alone() -> None:
    summary = deep_summary(1000)

    def work(pattern: PathPattern) -> object:
        return pattern.matches(summary)

    assert growth(lambda size: PathPattern.parse("//a" * size), work, 4_000) < 9


def test_patterns_that_begin_alike_share_their_steps() -> None:
    texts = ["//a" * size for size in range(1, 300)]
    automaton = PathAutomaton([pattern.steps for pattern in parsed_patterns(texts)])
    assert max(automaton.end_of) == 299


def test_an_error_about_a_long_pattern_is_short() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        PathPattern.parse("/a" * 100_000 + "/")
    assert len(str(caught.value)) < 300


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
