"""`doxeval fuse`: one run made of several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from doxeval.cli.options import (
    Columns,
    NewMetadataOptions,
    Offsets,
    RunFormat,
    chunks_option,
    collection_option,
    columns_option,
    force_option,
    max_results_option,
    offsets_option,
    open_collection,
    out_option,
    refuse_existing,
    runs_argument,
)
from doxeval.cli.output import line, print_figures, warn
from doxeval.cli.verb import part, refuse, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class FuseOptions:
    """How runs are fused, and what is written."""

    method: str = option(
        "rrf",
        "rrf, combsum or combmnz, with parameters as in 'rrf(k=10)' and 'combsum(norm=z-score)'; "
        "norm is min-max, sum, z-score or none.",
        metavar="METHOD",
    )
    task: str | None = option(
        None,
        "The task whose rules the run obeys, such as focused or relevant-in-context; see "
        "`doxeval validate --help`.",
        metavar="TASK",
        shown_default="the task that the runs name; if none does, no result comes twice",
    )
    collection: str | None = collection_option("Detect overlap by the text.")
    max_results: int | None = max_results_option(
        "Maximum number of results for each topic, at most as many as the task allows.", None
    )
    order: Literal["list", "rank", "rsv", "trec"] = option(
        "list", "What ranks the results of RUNs: the list, their ranks or scores (rsv, trec)."
    )
    offsets: Offsets = offsets_option()
    columns: Columns = columns_option()
    chunks: str | None = chunks_option("for runs that name chunks by their ids")
    run_id: str | None = option(
        None, "The id of the run.", metavar="ID", shown_default="the method"
    )
    out: Path = out_option("The file of the run.", metavar="RUN")
    format: RunFormat | None = option(None, "Format of the run.", shown_default="by its name")
    about: NewMetadataOptions = part(NewMetadataOptions)
    force: bool = force_option()


@verb(FuseOptions)
@runs_argument
def fuse(runs: tuple[str, ...], options: FuseOptions) -> None:
    """Fuse RUNs into one: documents, passages, elements, or any other results.

    \b
    Methods:
      rrf      the sum of 1 / (k + rank) over runs
      combsum  the sum of normalised scores over runs
      combmnz  the same, times the number of runs that return the result
    Scores are normalised for each run and topic (norm=):
      min-max  (s - lowest) / (highest - lowest)
      sum      (s - lowest) / the sum of these
      z-score  (s - mean) / standard deviation
      none     as they are

    The same part of a document in several runs is one result. Of results that overlap where the
    task forbids it, the better one stays, so that the run is valid.

    \b
    Examples:
      doxeval fuse bm25.run lm.run --out fused.run
      doxeval fuse a.run b.run --task focused --collection wiki --out focused.run
      doxeval fuse a.run b.run c.run --method 'combmnz(norm=sum)' --out fused.run
    """
    from doxeval.cli.scoring import named_run
    from doxeval.errors import OutputError
    from doxeval.runs import as_run, read_chunks
    from doxeval.tasks import fuse as fused_run

    refuse_existing(*options.about.files_of(options.out), force=options.force)
    if options.collection is None:
        refuse({"offsets"}, "has no effect without --collection")
    if len(runs) < 2:
        raise click.UsageError("fusion takes two runs or more")
    chunks = None if options.chunks is None else read_chunks(options.chunks)
    ends = options.columns == "start-end"
    given = []
    for named in map(named_run, runs):
        run = as_run(named.source, ends=ends, chunks=chunks)
        given.append(run if named.name is None else run.with_id(named.name))
    made = fused_run(
        given,
        options.method,
        task=options.task,
        collection=open_collection(options.collection),
        max_results=options.max_results,
        order=options.order,
        offsets=options.offsets,
        run_id=options.run_id,
    )
    warn(made.warnings)
    if not len(made):
        raise OutputError("the runs have no results to fuse")
    options.about.write(made, options.out, options.format)
    line(f"{options.out}: {plural(len(made), 'result')} for {plural(len(made.topics), 'topic')}")
    print_figures(
        (name, str(made.facts[name])) for name in ("method", "task") if name in made.facts
    )
