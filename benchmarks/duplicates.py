"""How fast repeated results are found, against sorting the rows of a run by all of its columns.

    python benchmarks/duplicates.py

The columns are those of a run of 114 topics × 1500 passages; one result in a thousand is repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from doxeval.arrays import Ints, repeated_rows
from runner import heading, line, machine, medians

TOPICS, RESULTS, ROUNDS = 114, 1500, 21


def columns() -> tuple[Ints, ...]:
    """Topics, documents, starts and ends."""
    chance = np.random.default_rng(7)
    size = TOPICS * RESULTS
    topic = np.repeat(np.arange(TOPICS), RESULTS)
    document = chance.integers(0, 2_666_190, size)
    start = chance.integers(0, 9000, size)
    end = start + chance.integers(1, 900, size)
    rows = (topic, document, start, end)
    for row in chance.integers(1, size, size // 1000).tolist():
        for column in rows:
            column[row] = column[row - 1]
    return rows


def by_sorting(*rows: Ints) -> Ints:
    """Repeated rows by one sort over all columns."""
    order = np.lexsort((np.arange(len(rows[0])), *rows))
    same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in rows])
    return np.sort(order[1:][same])


def by_unique(*rows: Ints) -> Ints:
    """Repeated rows by NumPy's unique rows."""
    first = np.unique(np.stack(rows, axis=1), axis=0, return_index=True)[1]
    return np.setdiff1d(np.arange(len(rows[0])), first)


def main() -> None:
    """All ways in turn, several times over."""
    rows = columns()
    ways: dict[str, Callable[..., Ints]] = {
        "np.lexsort": by_sorting,
        "np.unique": by_unique,
        "repeated_rows": repeated_rows,
    }
    expected = by_sorting(*rows)
    for name, find in ways.items():
        if not np.array_equal(find(*rows), expected):
            raise SystemExit(f"{name} returns other rows")
    seconds = medians({name: partial(find, *rows) for name, find in ways.items()}, ROUNDS)
    print(f"repeated rows, {ROUNDS} rounds; {machine()}")
    heading(f"{TOPICS * RESULTS:,} results, {len(expected):,} of them repeated")
    for name, value in seconds.items():
        line(name, f"{value * 1000:.1f} ms  ({value / seconds['np.lexsort']:.2f})")


if __name__ == "__main__":
    main()
