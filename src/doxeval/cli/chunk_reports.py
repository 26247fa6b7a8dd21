"""What `doxeval report` shows of retrieval of chunks: the chunks of each run, and the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from doxeval.evaluation import Evaluation
    from doxeval.measures.ground_truth import GroundTruth
    from doxeval.runs import Run
    from doxeval.runs.chunk_table import ChunkTable
    from doxeval.scores import ScoreTable


def chunk_tables(files: Sequence[str], runs: int) -> list[ChunkTable]:
    """The chunks of each run: one file for all of them, or a file for each; none if not given."""
    from doxeval.runs.chunk_table import read_chunks

    if len(files) > 1 and len(files) != runs:
        raise click.UsageError(
            f"--chunks is given {len(files)} times for {runs} runs: give one file for all runs, or "
            "one for each, in their order"
        )
    tables = [read_chunks(file) for file in files]
    return tables * runs if len(tables) == 1 else tables


def oracle_scores(evaluation: Evaluation, chunks: Mapping[str, ChunkTable]) -> ScoreTable | None:
    """The scores of the best order of each run's chunks, under the names of the runs."""
    if not chunks:
        return None
    # Runs of the same chunks have the same oracle, which is found once.
    known = {id(table): table for table in chunks.values()}
    oracles = {key: _oracle(table, evaluation.truth) for key, table in known.items()}
    return evaluation.score_all({run: oracles[id(table)] for run, table in chunks.items()})


def _oracle(table: ChunkTable, truth: GroundTruth) -> Run:
    """The chunks in the order of the oracle, which pays for them in the unit of the budgets."""
    from doxeval.chunks.costs import chunk_costs
    from doxeval.chunks.oracle_order import oracle_run, oracle_steps
    from doxeval.measures.families.chunks import settled_unit

    steps = oracle_steps(table, truth, chunk_costs(table, truth.texts, settled_unit(truth)))
    return oracle_run(table, truth, steps, "oracle")
