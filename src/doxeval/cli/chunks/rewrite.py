"""`doxeval chunks rewrite`: what if, without a new search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    UnitOptions,
    min_score_option,
    some_docs_option,
)
from doxeval.cli.options import force_option, out_option, refuse_existing
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import REQUIRED, option


@dataclass(frozen=True)
class RewriteOptions:
    """The options of `doxeval chunks rewrite`."""

    chunks: str = option(REQUIRED, "The chunks of the run.", metavar="FILE")
    min_score: float | None = min_score_option()
    expand: int | None = option(None, "Add N neighbours each way.", at_least=0, metavar="N")
    merge: float | None = option(
        None,
        "Return a parent instead of its children if more than this share of them is returned.",
        at_least=0,
        at_most=1,
        metavar="SHARE",
    )
    join: bool = option(False, "Put results together that follow each other.")
    dedupe: bool = option(False, "Leave out results without anything new.")
    budget: int | None = option(
        None, "Truncate each list at this budget.", at_least=1, metavar="UNITS"
    )
    units: UnitOptions = part(UnitOptions)
    docs: str | None = some_docs_option()
    folder: FolderOptions = part(FolderOptions)
    out: Path = out_option("The new run.", metavar="RUN2")
    force: bool = force_option()


@verb(RewriteOptions)
@click.argument("run", metavar="RUN")
def rewrite(run: str, options: RewriteOptions) -> None:
    """Rewrite a run of chunks: what if neighbours were returned too, or parts were merged?

    Several rewritings are done in the order of the options above: min-score, expand, merge,
    join, dedupe, budget. The run names chunks by id ("chunk") or by their ranges. The new one is
    called by the name of its file.

    \b
    Examples:
      doxeval chunks rewrite run.jsonl --chunks located.jsonl --expand 1 --out wide.jsonl
      doxeval chunks rewrite run.jsonl --chunks tree.jsonl --merge .5 --budget 2000 --out m.jsonl
    """
    from doxeval.chunks import ChunkRun, chunks_with_texts, read_chunk_run
    from doxeval.files import name_of_file
    from doxeval.runs import write_run

    numbers = (options.expand, options.budget)
    others = (options.merge, options.min_score)
    if not any((*numbers, options.join, options.dedupe)) and others == (None, None):
        raise click.UsageError("give --expand, --merge, --join, --dedupe, --budget or --min-score")
    if options.expand and options.merge is not None:
        raise click.UsageError(
            "--expand makes results that are no chunks any more; leave out --merge"
        )
    refuse_existing(options.out, force=options.force)
    options.units.check()
    table = chunks_with_texts(options.chunks, options.folder.documents(options.docs))
    rewritten = ChunkRun.of(read_chunk_run(run, table), table)
    if options.min_score is not None:
        rewritten = rewritten.threshold(options.min_score)
    if options.expand:
        rewritten = rewritten.expand(options.expand)
    if options.merge is not None:
        rewritten = rewritten.merge(options.merge)
    if options.join:
        rewritten = rewritten.join()
    if options.dedupe:
        rewritten = rewritten.dedupe()
    if options.budget is not None:
        units = options.units
        rewritten = rewritten.budget(options.budget, units.counted, units.tokens)
    warn(rewritten.warnings)
    write_run(rewritten.with_id(name_of_file(str(options.out))), options.out)
    line(
        f"{options.out}: {plural(len(rewritten), 'result')} for "
        f"{plural(len(rewritten.topics), 'topic')}"
    )
