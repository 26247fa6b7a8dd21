"""Places of results that are the same, however they are spelt."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.paths import format_path, parse_path
from doxeval.errors import SyntaxProblem
from doxeval.runs.run import Kind, Run


def numbered_places(run: Run) -> Ints:
    """A number for each result's place: two spellings of one have the same, a root has 0.

    So has what names no place: a whole document is its root.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> places = [("/a/p",), ("/a[1]/p[1]",), ("/a[1]",)]
    >>> results = [Result("1", "d", Kind.ELEMENT, place=place) for place in places]
    >>> numbered_places(run_of([*results, Result("1", "d")])).tolist()
    [1, 1, 0, 0]
    """
    numbers: dict[tuple[str, ...], int] = {(): 0}
    canonical = [numbers.setdefault(_spelt(place), len(numbers)) for place in run.places]
    return np.array([*canonical, 0], dtype=np.int64)[run.place]


def kinds_of_places(run: Run) -> Ints:
    """What each result is, a whole document being an element: its root."""
    return np.where(run.kind == Kind.DOCUMENT, int(Kind.ELEMENT), run.kind)


def spelt(path: str) -> str:
    """A path with every step numbered; what is no path stays as it is.

    >>> spelt("/article/sec[2]"), spelt("here")
    ('/article[1]/sec[2]', 'here')
    """
    try:
        return format_path(parse_path(path))
    except SyntaxProblem:
        return path


def _spelt(place: tuple[str, ...]) -> tuple[str, ...]:
    """A place as a set of paths; the root, which has one step, as none. Points stay in order."""
    if any("text()" in point for point in place):
        return place
    paths = sorted(set(map(spelt, place)))
    return () if len(paths) == 1 and paths[0].count("/") == 1 else tuple(paths)
