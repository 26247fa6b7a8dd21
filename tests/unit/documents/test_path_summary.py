"""The path summary against one that is a dictionary of all paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import NO_PARENT, NO_PATH, PathSummary, SummaryBuilder
from doxeval.errors import InputError
from levels import examples
from seams import change

TAGS = ("a", "b", "c", "d")
Paths = list[tuple[str, ...]]
paths = st.lists(
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=5).map(tuple), min_size=1, max_size=12
)


def with_prefixes(paths: Paths) -> Paths:
    """The paths and all above them, each once, parents before children."""
    return list(dict.fromkeys(path[:n] for path in paths for n in range(1, len(path) + 1)))


def summary_of(paths: Paths) -> PathSummary:
    """A summary with these paths, in this order, made without a builder."""
    known = with_prefixes(paths)
    tags = list(dict.fromkeys(path[-1] for path in known))
    parents = [known.index(path[:-1]) if path[1:] else NO_PARENT for path in known]
    numbers = [tags.index(path[-1]) for path in known]
    return PathSummary(tags, np.array(parents, np.int32), np.array(numbers, np.int32))


@examples(100)
@given(st.lists(paths, max_size=6), st.integers(0, 8))
def test_paths_are_numbered_as_they_are_first_seen(batches: list[Paths], recent: int) -> None:
    numbers: dict[tuple[str, ...], int] = {}
    tags: dict[str, int] = {}
    builder = SummaryBuilder()
    with pytest.MonkeyPatch.context() as patch:
        change(patch, recent_paths=recent)
        for batch in batches:
            here = builder.absorb(summary_of(batch))
            for path in with_prefixes(batch):
                numbers.setdefault(path, len(numbers))
                tags.setdefault(path[-1], len(tags))
            assert here.tolist() == [numbers[path] for path in with_prefixes(batch)]
            assert len(builder) == len(numbers)
    for path, number in numbers.items():
        above = numbers[path[:-1]] if path[1:] else NO_PARENT
        assert builder.child(above, builder.tag(path[-1])) == number
    assert builder.child(NO_PARENT, builder.tag("new")) == len(numbers)
    summary = builder.finish()
    assert summary.tags == [*tags, "new"]
    assert [summary.label(n) for n in range(len(summary))] == [
        "/" + "/".join(path) for path in [*numbers, ("new",)]
    ]
    assert summary.parent_of.dtype == summary.tag_of.dtype == np.int32


@given(paths)
def test_depths_and_children(paths: Paths) -> None:
    summary = summary_of(paths)
    known = with_prefixes(paths)
    assert summary.depth_of.tolist() == [len(path) for path in known]
    for above in [(), *known]:
        parent = known.index(above) if above else NO_PARENT
        for number, tag in enumerate(summary.tags):
            path = (*above, tag)
            expected = known.index(path) if path in known else NO_PATH
            assert summary.child(parent, number) == expected


def test_depths_of_a_long_chain() -> None:
    chain = PathSummary(["a"], np.arange(-1, 29_999), np.zeros(30_000, np.int32))
    assert chain.depth_of.tolist() == list(range(1, 30_001))
    assert len(PathSummary([], np.zeros(0, np.int32), np.zeros(0, np.int32)).depth_of) == 0


def test_too_many_paths_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, paths_limit=2)
    builder = SummaryBuilder()
    builder.absorb(summary_of([("a", "b")]))
    with pytest.raises(InputError, match="more than 2 different paths in one collection"):
        builder.absorb(summary_of([("c",)]))
