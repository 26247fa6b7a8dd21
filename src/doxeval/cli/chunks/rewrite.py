"""`doxeval chunks rewrite`: what if, without a new search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from doxeval.cli.chunks.inputs import (
    chosen_unit,
    docs_in,
    known_tokens,
    some_docs_option,
    unit_option,
)
from doxeval.cli.decorators import tokens_option
from doxeval.cli.output import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural


@verb()
@click.argument("run", metavar="RUN")
@click.option("--chunks", required=True, metavar="FILE", help="The chunks of the run.")
@click.option("--expand", type=click.IntRange(0), metavar="N", help="Add N neighbours each way.")
@click.option(
    "--merge",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Return a parent instead of its children if more than this share of them is returned.",
)
@click.option("--join", is_flag=True, help="Put results together that follow each other.")
@click.option("--dedupe", is_flag=True, help="Leave out results without anything new.")
@click.option("--budget", type=click.IntRange(1), metavar="UNITS", help="Stop after this much.")
@unit_option
@tokens_option
@some_docs_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="RUN2", help="The new run."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def rewrite(run: str, chunks: str, docs: str | None, out: Path, force: bool, **what: Any) -> None:
    """Rewrite a run of chunks: what if neighbours were returned too, or parts were merged?

    Several rewritings are done in the order of the options above: expand, merge, join, dedupe,
    budget. The run names chunks by id ("chunk") or by their ranges.

    \b
    Examples:
      doxeval chunks rewrite run.jsonl --chunks located.jsonl --expand 1 --out wide.jsonl
      doxeval chunks rewrite run.jsonl --chunks tree.jsonl --merge .5 --budget 2000 --out m.jsonl
    """
    from doxeval.chunks import ChunkRun, chunks_with_texts, read_chunk_run
    from doxeval.errors import OutputError
    from doxeval.runs import write_run

    if all(what[name] in (None, False) for name in ("expand", "merge", "join", "dedupe", "budget")):
        raise click.UsageError("give --expand, --merge, --join, --dedupe or --budget")
    if what["expand"] and what["merge"] is not None:
        raise click.UsageError(
            "--expand makes results that are no chunks any more; leave out --merge"
        )
    if out.exists() and not force:
        raise OutputError(f"{out} exists; --force replaces it")
    tokens = known_tokens(what["tokens"])
    table = chunks_with_texts(chunks, docs_in(docs))
    found = ChunkRun.of(read_chunk_run(run, table), table)
    if what["expand"]:
        found = found.expand(what["expand"])
    if what["merge"] is not None:
        found = found.merge(what["merge"])
    if what["join"]:
        found = found.join()
    if what["dedupe"]:
        found = found.dedupe()
    if what["budget"] is not None:
        found = found.budget(what["budget"], chosen_unit(what["unit"], tokens), tokens)
    warn(found.warnings)
    write_run(found, out)
    line(f"{out}: {plural(len(found), 'result')} for {plural(len(found.topics), 'topic')}")
