"""Where the results of a run are: resolved against the collection, or as the run states it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import InputError
from doxeval.evaluation.options import RunOptions
from doxeval.measures import GroundTruth
from doxeval.runs import Kind, ResolvedRun, Run, Unresolved, resolve, stated


class PlacedRun(NamedTuple):
    """Results that were looked up, and each one's judged pair (-1: not judged).

    unresolved: the rows of results that name nothing; they are kept as not relevant.
    problems: why they do not resolve.
    """

    resolved: ResolvedRun
    pair: Ints
    unresolved: Ints
    in_collection: bool
    problems: Sequence[Unresolved]


def placed(run: Run, topic: Ints, truth: GroundTruth, options: RunOptions) -> PlacedRun:
    """Find every result: in the collection if there is one, else among the judged documents."""
    if truth.collection is not None:
        return _in_collection(run, topic, truth, options)
    if options.offsets == "bytes":
        raise InputError("offsets in bytes can only be converted with the collection", run.origin)
    return _among_judged(run, topic, truth)


def _in_collection(run: Run, topic: Ints, truth: GroundTruth, options: RunOptions) -> PlacedRun:
    resolved = resolve(
        run, truth.known_collection, offsets=options.offsets, whitespace=options.whitespace
    )
    bad = np.array([one.row for one in resolved.unresolved], dtype=np.int64)
    if len(bad):  # what they state about their sizes is still read by the user
        start, end = resolved.start.copy(), resolved.end.copy()
        start[bad] = 0
        end[bad] = np.maximum(stated(run).sizes[bad], 0)
        resolved = replace(resolved, start=start, end=end)
    pair = truth.pairs_of(topic, resolved.document)
    return PlacedRun(resolved, pair, bad, True, resolved.unresolved)


def _among_judged(run: Run, topic: Ints, truth: GroundTruth) -> PlacedRun:
    """Without a collection, only judged documents have known lengths."""
    pair = truth.find_pairs(topic, run.document_labels.find(truth.document_index))
    resolved = stated(run)
    whole = np.flatnonzero(run.kind == Kind.DOCUMENT)
    if len(whole):
        start, end = resolved.start.copy(), resolved.end.copy()
        start[whole] = 0
        end[whole] = np.where(pair[whole] < 0, -1, truth.length[pair[whole]])
        resolved = replace(resolved, start=start, end=end)
    judged = np.flatnonzero(pair >= 0)
    length = truth.length[pair[judged]]
    bad = judged[(length >= 0) & (_ends(resolved, judged) > length)]
    problems = [_beyond_the_end(run, row, truth.length[pair[row]]) for row in bad.tolist()]
    pair[bad] = -1
    return PlacedRun(resolved, pair, bad, False, problems)


def _ends(resolved: ResolvedRun, rows: Ints) -> Ints:
    """Where the last range of each result ends."""
    end = resolved.end[rows]
    if resolved.spans is not None:
        last = resolved.spans.begin[1:][rows] - 1
        end = np.where(resolved.spans.counts[rows] > 0, resolved.spans.end[last], end)
    return end


def _beyond_the_end(run: Run, row: int, length: int) -> Unresolved:
    start, end = run.start[row], run.end[row]
    if run.spans is not None and run.spans.counts[row]:
        start, end = (column[run.spans.begin[row + 1] - 1] for column in run.spans[1:])
    given = f"[{start:,}, {end:,})"
    if run.kind[row] == Kind.POINT:
        given = f"offset {run.start[row]:,}"
    reason = f"{given} is not inside the document's {length:,} characters"
    return Unresolved(row, int(run.line[row]), reason)
