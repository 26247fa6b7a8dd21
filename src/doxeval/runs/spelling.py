"""Whether results are the same part of a document although their paths are spelt differently."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import format_path, parse_path
from doxeval.errors import SyntaxProblem
from doxeval.runs.run import Kind, Run


def numbered_paths(run: Run) -> Ints:
    """A number for each result's paths, the same for all spellings of it.

    The root of a document has 0, and so has the whole document.

    >>> run = Run.from_dict({"1": [("d", "/a/p"), ("d", "/a[1]/p[1]"), ("d", "/a[1]"), "d"]})
    >>> numbered_paths(run).tolist()
    [1, 1, 0, 0]
    """
    numbers: dict[tuple[str, ...], int] = {(): 0}
    canonical = [numbers.setdefault(_spelt(paths), len(numbers)) for paths in run.paths]
    return np.array([*canonical, 0], dtype=np.int64)[run.path]


def numbered_spans(run: Run) -> Ints:
    """A number for the ranges of each result with several; 0 for all others."""
    return np.zeros(len(run), dtype=np.int64) if run.spans is None else run.spans.numbers()


def numbered_units(run: Run) -> Ints:
    """A number for each result's paths, or for its ranges if it has several."""
    return numbered_paths(run) + numbered_spans(run)  # none has both


def unit_kinds(run: Run) -> Ints:
    """The kind of each result; a whole document counts as an element, its root."""
    return np.where(run.kind == Kind.DOCUMENT, int(Kind.ELEMENT), run.kind)


def spelt(path: str) -> str:
    """A path with every step numbered; a string that is not a path stays as it is.

    >>> spelt("/article/sec[2]"), spelt("here")
    ('/article[1]/sec[2]', 'here')
    """
    try:
        return format_path(parse_path(path))
    except SyntaxProblem:
        return path


def _spelt(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths in order, without any for the root; text points stay as they are."""
    if any("text()" in point for point in paths):
        return paths
    spellings = tuple(sorted(set(map(spelt, paths))))
    return () if len(spellings) == 1 and spellings[0].count("/") == 1 else spellings
