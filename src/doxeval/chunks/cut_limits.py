"""Limits of a cut, and the oracle over its chunks, for chunks and gold as users have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.chunks.bench import Bench
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.limits_of_cut import Limits, limits_of
from doxeval.chunks.oracle_order import best_ious, oracle_run, oracle_steps
from doxeval.chunks.rebuilt import RebuiltDocuments
from doxeval.chunks.rewriting import ChunkRun
from doxeval.errors import warn
from doxeval.messages import Parameter
from doxeval.named import checked
from doxeval.runs import Run


@checked
def limits(
    chunks: Chunks,
    gold: Any,
    *,
    unit: str = "words",
    tokens: Any = None,
    max_lost: int | str = 0,
) -> Limits:
    """Return what a cut allows, before anything is searched.

    `gold` are questions (or assessments). Sizes are in `unit`: characters, words or tokens.
    `max_lost` says how much of the gold may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> found = chunks.limits(chunks.cut(docs, "sentences:1:0"), gold)
    >>> found.coverage, found.intact, found.pieces, round(found.omega, 4)
    (1.0, 0.0, 2.0, 0.4)
    """
    bench = Bench(chunks.known_docs, gold, unit, tokens, max_lost)
    found = limits_on(bench, chunks)
    found = replace(found, warnings=(*bench.warnings, *found.warnings))
    warn(found.warnings)
    return found


def limits_on(bench: Bench, chunks: Chunks) -> Limits:
    """The limits of a cut."""
    ious = np.array(best_ious(chunks.table, bench.truth))
    defined = ious[~np.isnan(ious)]
    best = float(defined.mean()) if len(defined) else float("nan")
    found = limits_of(chunks.table, bench.truth, bench.structure, bench.unit, best)
    if not isinstance(bench.docs, RebuiltDocuments):
        return found
    said = "coverage and borders are not known without the documents: " + Parameter("docs")
    return replace(found, coverage=float("nan"), borders={}, warnings=(said,))


@checked
def oracle(
    chunks: Chunks,
    gold: Any,
    *,
    unit: str = "words",
    tokens: Any = None,
    max_lost: int | str = 0,
    run_id: str = "oracle",
) -> ChunkRun:
    """Return the run of somebody who knows the gold: the chunks of a cut in the best order.

    It is greedy: each result is the chunk that adds the most gold for what it costs in `unit`,
    of equal ones the one that adds more, then the first. For chunks that do not overlap, no order
    has a higher bR, up to the last chunk that is read. `max_lost` says how much of the gold may be
    missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "three. Four"}]}
    >>> gold = chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
    >>> run = chunks.oracle(chunks.cut(docs, "sentences:1:0"), gold)
    >>> [(result.start, result.end) for result in run]
    [(0, 14), (15, 25)]
    """
    bench = Bench(chunks.known_docs, gold, unit, tokens, max_lost)
    run = oracle_on(bench, chunks, run_id)
    run = replace(run, warnings=(*bench.warnings, *run.warnings))
    warn(run.warnings)
    return ChunkRun.of(run, chunks)


def oracle_on(bench: Bench, chunks: Chunks, run_id: str = "oracle") -> Run:
    """The oracle's run."""
    steps = oracle_steps(chunks.table, bench.truth, bench.costs(chunks))
    return oracle_run(chunks.table, bench.truth, steps, run_id)
