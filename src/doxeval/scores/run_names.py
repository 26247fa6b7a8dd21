"""Distinct names for runs with the same id: by their files, or else by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from doxeval.scores.table import RunScores


def distinct_names(runs: Sequence[tuple[str, str | None]]) -> list[str]:
    """A distinct name for each run, given its id and its file (None if it has no file).

    The id of a run is its name, unless several runs have that id. Runs with the same id are told
    apart by the stems of their files; if those are the same, by as much of their paths as it
    takes; and runs without a file, or from the same file, by number.

    >>> distinct_names([("mine", "a.run"), ("mine", "b.run"), ("other", "c.run")])
    ['mine (a)', 'mine (b)', 'other']
    >>> distinct_names([("mine", "old/a.run"), ("mine", "new/a.run"), ("mine", None)])
    ['mine (old/a.run)', 'mine (new/a.run)', 'mine']
    >>> distinct_names([("mine", None), ("mine", None), ("mine #2", None)])
    ['mine', 'mine #3', 'mine #2']
    """
    ids = Counter(run for run, _ in runs)
    files: dict[str, list[str]] = {}
    for run, file in runs:
        if file is not None:
            files.setdefault(run, []).append(file)
    shown = {run: _short_names(paths) for run, paths in files.items() if ids[run] > 1}
    wanted = [
        run if file is None or run not in shown else f"{run} ({shown[run][file]})"
        for run, file in runs
    ]
    # Ids that only one run has are taken first, so that they do not depend on the other names.
    taken = {run for run, _ in runs if ids[run] == 1}
    return [
        name if ids[run] == 1 else _unused(name, taken)
        for name, (run, _) in zip(wanted, runs, strict=True)
    ]


def told_apart(runs: Sequence[RunScores]) -> tuple[RunScores, ...]:
    """The scores of runs, under distinct names.

    >>> import numpy as np
    >>> values, counted = np.zeros((1, 1)), np.array([True])
    >>> [one.run for one in told_apart([RunScores("mine", values, counted)] * 2)]
    ['mine', 'mine #2']
    """
    names = distinct_names([(scores.run, scores.file) for scores in runs])
    return tuple(
        scores if scores.run == name else replace(scores, run=name)
        for scores, name in zip(runs, names, strict=True)
    )


def _short_names(files: Sequence[str]) -> dict[str, str]:
    """The shortest names that tell files apart, all of them shortened in the same way."""
    distinct = dict.fromkeys(files)
    for names in _ways(list(distinct)):
        if len(set(names)) == len(distinct):
            return dict(zip(distinct, names, strict=True))
    return {file: file for file in distinct}


def _ways(files: Sequence[str]) -> Iterator[list[str]]:
    """Stems first, then the last part of each path, the last two parts, and so on."""
    paths = [PurePath(file) for file in files]
    yield [path.stem for path in paths]
    for count in range(1, max(len(path.parts) for path in paths) + 1):
        yield [str(PurePath(*path.parts[-count:])) for path in paths]


def _unused(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken already; the result is added to the taken names."""
    unused, number = name, 1
    while unused in taken:
        number += 1
        unused = f"{name} #{number}"
    taken.add(unused)
    return unused
