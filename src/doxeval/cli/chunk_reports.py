"""What `doxeval report` shows of retrieval of chunks: the chunks of each run, and its losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from doxeval.evaluation import Evaluation, RunInput
    from doxeval.reports import Loss
    from doxeval.runs import ChunkTable


def chunk_tables(files: Sequence[str], runs: int) -> list[ChunkTable]:
    """The chunks of each run: one file for all of them, or a file for each; none if not given."""
    from doxeval.runs import read_chunks

    if len(files) > 1 and len(files) != runs:
        raise click.UsageError(
            f"--chunks is given {len(files)} times for {runs} runs: give one file for all runs, or "
            "one for each, in their order"
        )
    tables = [read_chunks(file) for file in files]
    return tables * runs if len(tables) == 1 else tables


def losses_of(
    evaluation: Evaluation, runs: Sequence[RunInput], chunks: Mapping[str, ChunkTable]
) -> tuple[Loss, ...]:
    """Return what runs lose by cutting and by search; nothing where chunks are not given."""
    if not chunks:
        return ()
    from doxeval.chunks import chunk_costs, oracle_run, oracle_steps
    from doxeval.measures import default_unit
    from doxeval.reports import losses

    truth, oracles = evaluation.truth, {}
    # Runs of the same chunks have the same oracle, which pays in the unit of the budgets.
    for table in {id(table): table for table in chunks.values()}.values():
        steps = oracle_steps(table, truth, chunk_costs(table, truth.texts, default_unit(truth)))
        oracles[id(table)] = oracle_run(table, truth, steps, "oracle")
    solid = evaluation.ignoring_whitespace()
    best = solid.score_all({run: oracles[id(table)] for run, table in chunks.items()})
    return losses(solid.score_all(runs), best)
