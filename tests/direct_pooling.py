"""Pools made the obvious way, result by result, from their definitions.

Nothing here is shared with the fast code, except NumPy's random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from doxeval.assessments import Assessments
from doxeval.runs import Kind, Result, Run

# What a result is: a document, and a part of it (None: all of it).
Unit = tuple[str, object]
Lists = dict[str, list[Unit]]


class Direct(NamedTuple):
    """A pool of one topic: documents in order, the units seen of each, and who brought them in."""

    documents: list[str]
    units: dict[str, list[object]]
    contributors: dict[str, dict[str, int]]


def identified(result: Result, level: str, canonical: Callable[[Result], object]) -> Unit:
    return result.document, None if level == "document" else canonical(result)


def by_statement(result: Result) -> object:
    """The part as the result states it, with every step of a path numbered."""
    if result.kind == Kind.POINT and not result.paths:
        return (result.start, result.start)
    if result.kind == Kind.PASSAGE and not result.paths:
        return (result.start, result.end)
    if result.kind in (Kind.PASSAGE, Kind.POINT):
        return ("points", result.paths)
    paths = sorted({numbered(path) for path in result.paths})
    if not paths or (len(paths) == 1 and paths[0].count("/") == 1):
        return None
    return tuple(paths)


def numbered(path: str) -> str:
    steps = path.strip().split("/")[1:]
    return "".join(f"/{step if step.endswith(']') else step + '[1]'}" for step in steps)


def lists_of(
    runs: Sequence[Run],
    topic: str,
    level: str,
    depth: int | None,
    canonical: Callable[[Result], object] = by_statement,
) -> Lists:
    """The distinct units of each run, best first, to a depth."""
    found: Lists = {}
    for run in runs:
        own: list[Unit] = []
        for result in run:
            unit = identified(result, level, canonical)
            if result.topic == topic and unit not in own:
                own.append(unit)
        found[run.run_id] = own if depth is None else own[:depth]
    return found


def collected(looked_at: Iterable[tuple[str, int]], lists: Lists) -> Direct:
    """The pool of results that were looked at: (run, rank from 1), in this order."""
    pool = Direct([], {}, {})
    for run, rank in looked_at:
        document, part = lists[run][rank - 1]
        if document not in pool.documents:
            pool.documents.append(document)
        parts = pool.units.setdefault(document, [])
        if part is not None and part not in parts:
            parts.append(part)
        pool.contributors[document] = best_ranks(lists, document)
    return pool


def best_ranks(lists: Lists, document: str) -> dict[str, int]:
    """The best rank of a document in each run that returns it."""
    found: dict[str, int] = {}
    for run, own in lists.items():
        for rank, (other, _) in enumerate(own, 1):
            if other == document:
                found.setdefault(run, rank)
    return found


def priority(lists: Lists, document: str) -> float:
    """The sum of 1 / (60 + best rank) over runs."""
    total = 0.0
    for rank in sorted(best_ranks(lists, document).values()):
        total += 1 / (60 + rank)
    return total


def to_depth(lists: Lists) -> set[str]:
    """The documents of all results; the order is tested apart."""
    return {document for own in lists.values() for document, _ in own}


def in_turns(lists: Lists, documents: int) -> Direct:
    looked_at: list[tuple[str, int]] = []
    seen: set[str] = set()
    for rank in range(1, max(map(len, lists.values()), default=0) + 1):
        for run, own in lists.items():
            if rank <= len(own) and len(seen) < documents:
                looked_at.append((run, rank))
                seen.add(own[rank - 1][0])
    return collected(looked_at, lists)


def fused(lists: Lists, documents: int | None) -> list[tuple[float, int, str]]:
    """Score, best rank and document of every unit that is pooled, in order."""
    ranks: dict[Unit, list[int]] = {}
    for own in lists.values():
        for rank, unit in enumerate(own, 1):
            ranks.setdefault(unit, []).append(rank)
    scored = []
    for (document, _), of_unit in ranks.items():
        total = 0.0
        for rank in sorted(of_unit):
            total += 1 / (60 + rank)
        scored.append((-total, min(of_unit), document))
    taken: list[tuple[float, int, str]] = []
    for one in sorted(scored):
        if documents is None or len({document for *_, document in taken}) < documents:
            taken.append(one)
    return taken


def move_to_front(
    lists: Lists, documents: int | None, relevant: Mapping[str, bool], seed: int, topic: str
) -> Direct:
    names = sorted(lists)
    chance = np.random.default_rng([seed, *topic.encode()])
    places = chance.permutation(len(names)).tolist()
    state = {
        name: {"priority": 0, "success": -1, "last": place - len(names)}
        for name, place in zip(names, places, strict=True)
    }
    left = {name: list(enumerate(lists[name], 1)) for name in names}
    looked_at: list[tuple[str, int]] = []
    pooled: set[str] = set()
    while any(left.values()) and (documents is None or len(pooled) < documents):
        able = [name for name in names if left[name]]
        top = max(state[name]["priority"] for name in able)
        able = [name for name in able if state[name]["priority"] == top]
        latest = max(state[name]["success"] for name in able)
        able = [name for name in able if state[name]["success"] == latest]
        run = min(able, key=lambda name: state[name]["last"])
        rank, (document, _) = left[run].pop(0)
        looked_at.append((run, rank))
        pooled.add(document)
        now = len(looked_at)
        state[run]["last"] = now
        if relevant.get(document, False):
            state[run] |= {"priority": 0, "success": now}
        else:
            state[run]["priority"] -= 1
    return collected(looked_at, lists)


def thompson(
    lists: Lists, documents: int | None, relevant: Mapping[str, bool], seed: int, topic: str
) -> Direct:
    names = sorted(lists)
    chance = np.random.default_rng([seed, *topic.encode()])
    counts = {name: [0, 0] for name in names}
    left = {name: list(enumerate(lists[name], 1)) for name in names}
    looked_at: list[tuple[str, int]] = []
    pooled: set[str] = set()
    while any(left.values()) and (documents is None or len(pooled) < documents):
        drawn = {name: chance.beta(1 + counts[name][0], 1 + counts[name][1]) for name in names}
        run = max((name for name in names if left[name]), key=drawn.__getitem__)
        while left[run]:
            rank, (document, _) = left[run].pop(0)
            looked_at.append((run, rank))
            if document not in pooled:
                pooled.add(document)
                counts[run][0 if relevant.get(document, False) else 1] += 1
                break
    return collected(looked_at, lists)


def relevant_in(assessments: Assessments, topic: str) -> dict[str, bool]:
    return {one.document: one.is_relevant for one in assessments.of(topic)}
