"""Ancestors from which steps lead, against regular expressions over the tags in between."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import Collection, PathPattern, example_collection
from doxeval.retrieve import PathFilter, find_ancestors, subtree_rows
from doxeval.topics import NexiPath, NexiStep
from helpers import Builder
from seams import change
from strategies import Node, collections_of, nodes

TAGS = ["a", "b", "c"]
steps = st.lists(
    st.builds(
        NexiStep,
        st.sampled_from(["/", "//"]),
        st.lists(st.sampled_from([*TAGS, "never"]), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=4,
)
documents = collections_of(nodes(tags=TAGS), most=3)


def expression(steps: Sequence[NexiStep]) -> re.Pattern[str]:
    """Steps as a regular expression over tags, each with a slash in front of it."""
    parts = []
    for step in steps:
        skipped = "(?:/[^/]+)*" if step.axis == "//" else ""
        tags = "|".join(map(re.escape, step.tags)) if step.tags else "[^/]+"
        parts.append(f"{skipped}/(?:{tags})")
    return re.compile("".join(parts))


def pairs_by_expression(
    tree: Collection, rows: Sequence[int], steps: Sequence[NexiStep]
) -> set[tuple[int, int]]:
    wanted = expression(steps)
    found = set()
    for row in rows:
        label = tree.summary.label(int(tree.nodes.path[row]))
        for ancestor in tree.node(row).ancestors():
            above = tree.summary.label(int(tree.nodes.path[ancestor.node]))
            if wanted.fullmatch(label.removeprefix(above)):
                found.add((row, ancestor.node))
    return found


def ancestor_pairs(
    tree: Collection, rows: Sequence[int], steps: Sequence[NexiStep], into: PathFilter | None = None
) -> list[tuple[int, int]]:
    given_rows = np.array(rows, dtype=np.int64)
    found: list[tuple[int, int]] = []
    for which, ancestors in find_ancestors(tree, given_rows, steps, into):
        assert (np.diff(which) > 0).all()
        assert (np.diff(ancestors) >= 0).all()
        depths = {tree.depth_of(row) for row in ancestors.tolist()}
        assert len(depths) == 1, "one depth after another"
        found += zip(given_rows[which].tolist(), ancestors.tolist(), strict=True)
    assert len(set(found)) == len(found), "each pair is found once"
    return found


def tree_of(build: Builder, roots: list[Node]) -> Collection:
    return build({f"{number}.xml": root.source for number, root in enumerate(roots)})


@pytest.mark.parametrize("bits", [62, 1])
@given(roots=documents, steps=steps, other=steps, seed=st.integers(0, 99))
def test_ancestors_are_those_that_expressions_match(
    build: Builder,
    bits: int,
    roots: list[Node],
    steps: list[NexiStep],
    other: list[NexiStep],
    seed: int,
) -> None:
    tree = tree_of(build, roots)
    everything = range(len(tree.nodes.path))
    rows = [row for row in everything if random.Random(seed).random() < 0.9 or seed % 2]
    with pytest.MonkeyPatch.context() as patch:
        change(patch, pattern_bits=bits)
        expected = pairs_by_expression(tree, rows, steps)
        assert set(ancestor_pairs(tree, rows, steps)) == expected
        into = PathFilter(tree.summary, other)
        fitting = set(tree.matching(str(NexiPath(tuple(other)))).tolist())
        assert set(ancestor_pairs(tree, rows, steps, into)) == {
            (row, above) for row, above in expected if above in fitting
        }


@given(roots=documents, steps=steps)
def test_paths_fit_as_patterns_match(
    build: Builder, roots: list[Node], steps: list[NexiStep]
) -> None:
    tree = tree_of(build, roots)
    everything = np.arange(len(tree.nodes.path))
    pattern = PathPattern.parse(str(NexiPath(tuple(steps))))
    fitting = PathFilter(tree.summary, steps)
    for rows in (everything[::2], everything):  # what is known already is not asked again
        expected = pattern.matches(tree.summary)[tree.nodes.path[rows]]
        assert fitting.of_rows(tree, rows).tolist() == expected.tolist()
    anywhere = PathFilter(tree.summary, steps, anywhere=True)
    below_something = {row for row, _ in pairs_by_expression(tree, everything.tolist(), steps)}
    assert set(everything[anywhere.of_rows(tree, everything)].tolist()) == below_something


@given(roots=documents, seed=st.integers(0, 99))
def test_what_is_at_or_below(build: Builder, roots: list[Node], seed: int) -> None:
    tree = tree_of(build, roots)
    chance = random.Random(seed)
    rows = [row for row in range(len(tree.nodes.path)) if chance.random() < 0.3]
    inside = {below.node for row in rows for below in tree.node(row).descendants()}
    found = subtree_rows(tree, np.array(rows, dtype=np.int64))
    assert found.tolist() == sorted(inside | set(rows))


def led_down(steps: Sequence[NexiStep], tags: Sequence[str], above: int) -> Iterator[int]:
    """The rows below a row of a chain to which steps lead; expressions would try too many ways."""
    taken = {0}
    for row in range(above + 1, len(tags)):
        skipping = {n for n in taken if n < len(steps) and steps[n].axis == "//"}
        taking = {n + 1 for n in taken if n < len(steps) and tags[row] in (steps[n].tags or tags)}
        taken = skipping | taking
        if len(steps) in taken:
            yield row


def test_more_steps_than_a_machine_word_has_bits() -> None:
    tree = example_collection({"d": "<a>" * 75 + "<b>" * 5 + "</b>" * 5 + "</a>" * 75})
    tags = ["a"] * 75 + ["b"] * 5
    for axes in (["/"] * 70, ["//"] * 70, ["//", *["/"] * 60, "//", *["/"] * 8]):
        steps = [NexiStep(axis, ("a",)) for axis in axes[:-1]] + [NexiStep(axes[-1])]
        expected = {(row, above) for above in range(80) for row in led_down(steps, tags, above)}
        assert expected
        assert set(ancestor_pairs(tree, range(80), steps)) == expected


def test_more_steps_than_elements_lead_nowhere() -> None:
    tree = example_collection({"d": "<a><a><a/></a></a>"})
    assert ancestor_pairs(tree, [0, 1, 2], [NexiStep("//")] * 3) == []
    assert ancestor_pairs(tree, [0, 1, 2], [NexiStep("//")] * 2) == [(2, 0)]
    assert ancestor_pairs(tree, [], [NexiStep("//")]) == []
