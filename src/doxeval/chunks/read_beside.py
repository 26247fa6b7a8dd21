"""What is read with k results, shown beside the measures of k results: recall alone misleads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.measures import as_measure
from doxeval.scores import ScoreTable


def depth_of(measure: Any) -> int | None:
    """The number of results that a measure looks at; None if it is not about so many results.

    >>> depth_of("cR@5"), depth_of("bR@1000")
    (5, None)
    """
    found = getattr(as_measure(measure), "k", None)
    return found if isinstance(found, int) else None


def measures_of_reading(measures: Iterable[Any], known: Iterable[Any] = ()) -> list[str]:
    """The names of measures that say how much is read, as far as none of the known ones does.

    >>> measures_of_reading(["cR@5", "hit@20"]), measures_of_reading(["cR@5"], ["read@5"])
    (['read@5', 'read@20'], [])
    """
    given = list(measures)
    there = {depth_of(one) for one in (*given, *known) if type(as_measure(one)).name == "read"}
    depths = dict.fromkeys(map(depth_of, given))
    return [f"read@{k}" for k in depths if k is not None and k not in there]


def with_reading(table: ScoreTable, read: ScoreTable) -> ScoreTable:
    """A table with what is read in columns of its own, each after the last measure of its k."""
    order = [depth_of(one.measure) for one in table.measures]
    places: list[tuple[int, int]] = [(at, -1) for at in range(len(order))]
    for number, one in enumerate(read.measures):
        depth = depth_of(one.measure)
        places.append((max(at for at, k in enumerate(order) if k == depth), number))
    rows = np.array(sorted(range(len(places)), key=places.__getitem__))
    measures = (*table.measures, *read.measures)
    runs = tuple(
        replace(own, values=np.concatenate([own.values, other.values])[rows])
        for own, other in zip(table.runs, read.runs, strict=True)
    )
    return replace(table, measures=tuple(measures[row] for row in rows.tolist()), runs=runs)
