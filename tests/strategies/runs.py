"""Random results of runs, with the paths and text points that they name."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st

from doxeval.runs import Kind, Result


def element_paths() -> st.SearchStrategy[str]:
    """Paths of elements, in a small world."""
    return st.lists(
        st.tuples(st.sampled_from(["sec", "p", "été"]), st.integers(1, 3)), min_size=1, max_size=3
    ).map(lambda steps: "".join(f"/{tag}[{n}]" for tag, n in steps))


def text_points() -> st.SearchStrategy[str]:
    """Text points in that world."""
    return st.builds(
        lambda path, n, k: f"{path}/text()[{n}].{k}",
        element_paths(),
        st.integers(1, 2),
        st.integers(0, 9),
    )


def several_ranges() -> st.SearchStrategy[tuple[tuple[int, int], ...]]:
    """Two or three ranges, in order and apart from each other."""
    return st.lists(st.integers(1, 9), min_size=4, max_size=7).map(
        lambda steps: tuple(
            (sum(steps[:at]), sum(steps[: at + 1])) for at in range(1, len(steps), 2)
        )
    )


def results(
    kinds: list[Kind] | None = None, by_points: bool | None = None
) -> st.SearchStrategy[Result]:
    """Results of the given kinds, in a small world of ids; of any kind, perhaps with costs."""
    points = text_points()
    paths = element_paths()
    offsets = st.integers(0, 50)
    units = {
        Kind.DOCUMENT: st.just((None, None, ())),
        Kind.ELEMENT: paths.map(lambda path: (None, None, (path,))),
        Kind.TREE: st.lists(paths, min_size=1, max_size=3).map(lambda p: (None, None, tuple(p))),
        Kind.SPANS: several_ranges().map(lambda spans: (None, None, (), spans)),
        Kind.PASSAGE: st.one_of(
            *(
                []
                if by_points is True
                else [st.tuples(offsets, offsets).map(lambda pair: (min(pair), max(pair), ()))]
            ),
            *(
                []
                if by_points is False
                else [st.tuples(points, points).map(lambda pair: (None, None, pair))]
            ),
        ),
        Kind.POINT: st.one_of(
            *([] if by_points is True else [offsets.map(lambda at: (at, None, ()))]),
            *([] if by_points is False else [points.map(lambda point: (None, None, (point,)))]),
        ),
    }
    return st.sampled_from(kinds or list(Kind)).flatmap(
        lambda kind: st.builds(
            partial(_result, kind),
            st.sampled_from(["1", "076", "76"]),
            st.sampled_from(["a", "co/1999/r1", "b.c"]),
            units[kind],
            st.integers(0, 99),
            st.floats(-5, 5, allow_nan=False),
            st.none() if kinds else st.sampled_from([None, None, 0, 7]),
            st.none() if kinds else st.sampled_from([None, None, 5]),
        )
    )


def _result(
    kind: Kind, topic: str, document: str, unit: Any, rank: int, score: float, *costs: int | None
) -> Result:
    start, end, paths, *spans = unit
    several = spans[0] if spans else ()
    return Result(topic, document, kind, start, end, paths, rank, score, several, *costs)
