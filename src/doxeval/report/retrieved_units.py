"""What runs return in some documents, as ranges of text with ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments import Assessments
from doxeval.documents import Collection
from doxeval.documents.options import Offsets, Whitespace
from doxeval.runs import Kind, ResolvedRun, Run, resolve

Pair = tuple[str, str]
# Of a run's results in one document, as many as these are shown.
_MOST_UNITS = 200


class Unit(NamedTuple):
    """A returned range of text and its rank; is_passage: its bounds are the system's own."""

    start: int
    end: int
    rank: int
    is_passage: bool = False


class RunUnits(NamedTuple):
    """What one run returns in one document, best first."""

    run: str
    units: tuple[Unit, ...] = ()


@dataclass(frozen=True)
class Sources:
    """Where documents are shown from; runs by the names that scores have.

    The results of each topic are in order of rank.
    """

    collection: Collection
    assessments: Assessments
    runs: Mapping[str, Run]
    offsets: Offsets = "characters"
    whitespace: Whitespace | None = None


def retrieved_units(sources: Sources, pairs: Iterable[Pair]) -> dict[Pair, tuple[RunUnits, ...]]:
    """What each run returns in each of the documents, given by topic and document.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> run = run_of([Result("7", "b"), Result("7", "a", Kind.ELEMENT, place=("/s[1]/p[2]",))])
    >>> sources = Sources(collection, Assessments([]), {"mine": run})
    >>> retrieved_units(sources, [("7", "a")])[("7", "a")][0].units
    (Unit(start=4, end=8, rank=2, is_passage=False),)
    """
    wanted = list(pairs)
    numbers = sources.collection.find_documents([document for _, document in wanted]).tolist()
    places = {(topic, n): pair for (topic, _), n, pair in zip(wanted, numbers, wanted, strict=True)}
    found: dict[Pair, list[RunUnits]] = {pair: [] for pair in wanted}
    for name, run in sources.runs.items():
        by_pair = _of_run(sources, run, places)
        for pair, layers in found.items():
            layers.append(RunUnits(name, tuple(by_pair.get(pair, ())[:_MOST_UNITS])))
    return {pair: tuple(layers) for pair, layers in found.items()}


def _of_run(
    sources: Sources, run: Run, places: Mapping[tuple[str, int], Pair]
) -> dict[Pair, list[Unit]]:
    if not len(run):
        return {}
    collection = sources.collection
    documents = collection.find_documents(run.documents)[run.document]
    pair_of = [
        places.get((run.topics[topic], document))
        for topic, document in zip(run.topic.tolist(), documents.tolist(), strict=True)
    ]
    rows = np.array([r for r, pair in enumerate(pair_of) if pair is not None], dtype=np.int64)
    ranks = _ranks(run)[rows]
    resolved = resolve(
        run.rows(rows), collection, offsets=sources.offsets, whitespace=sources.whitespace
    )
    found: dict[Pair, list[Unit]] = {}
    for at, row in enumerate(rows.tolist()):
        pair = pair_of[row]
        if pair is not None and resolved.document[at] >= 0:
            units = found.setdefault(pair, [])
            units += _units(resolved, collection, at, int(ranks[at]))
    return found


def _ranks(run: Run) -> Ints:
    """The place of each result in its topic, from 1."""
    order = np.argsort(run.topic, kind="stable")
    topic = run.topic[order]
    first = np.searchsorted(topic, topic, side="left")
    ranks = np.empty(len(run), dtype=np.int64)
    ranks[order] = np.arange(len(run)) - first + 1
    return ranks


def _units(resolved: ResolvedRun, collection: Collection, at: int, rank: int) -> list[Unit]:
    """A result's text; a tree is that of its innermost nodes, a point one character."""
    kind = Kind(int(resolved.run.kind[at]))
    start, end = int(resolved.start[at]), int(resolved.end[at])
    if kind is not Kind.TREE:
        is_own = kind in (Kind.PASSAGE, Kind.POINT)
        return [Unit(start, max(end, start + (kind is Kind.POINT)), rank, is_own)]
    nodes = resolved.tree_nodes[resolved.tree_begin[at] : resolved.tree_begin[at + 1]].tolist()
    columns = collection.nodes
    innermost = [
        node
        for place, node in enumerate(nodes)
        if place + 1 == len(nodes) or nodes[place + 1] >= node + int(columns.size[node])
    ]
    return [Unit(int(columns.start[n]), int(columns.end[n]), rank) for n in innermost]
