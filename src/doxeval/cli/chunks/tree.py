"""`doxeval chunks tree`: a collection whose elements are chunks."""

from __future__ import annotations

from pathlib import Path

import click

from doxeval.cli.chunks.inputs import docs_in
from doxeval.cli.output import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural


@verb()
@click.argument("chunks", metavar="CHUNKS")
@click.option("--docs", required=True, metavar="DOCS", help="The documents of the chunks.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The collection."
)
@click.option("--run", metavar="RUN", help="A run of the chunks, to be written as one of elements.")
@click.option("--run-out", type=click.Path(path_type=Path), metavar="FILE", help="The new run.")
@click.option("--force", is_flag=True, help="Replace an existing collection.")
def tree(
    chunks: str, docs: str, out: Path, run: str | None, run_out: Path | None, force: bool
) -> None:
    """Build a collection from a chunk file in which chunks name their parents.

    Its elements are /document[1]/chunk[3]/chunk[1] and the like, so ESR, PRUM and all other
    measures of elements apply, and `doxeval evaluate --collection` takes runs of these chunks.
    Chunks of one parent must not overlap.

    \b
    Examples:
      doxeval chunks tree tree.jsonl --docs handbook --out tree.collection
      doxeval chunks tree tree.jsonl --docs handbook --out c --run a.jsonl --run-out b.jsonl
    """
    from doxeval.chunks import as_elements, read_chunk_run, read_chunks
    from doxeval.chunks import tree as build_tree
    from doxeval.files import outputs_together
    from doxeval.runs import write_run

    if (run is None) != (run_out is None):
        raise click.UsageError("--run and --run-out go together")
    found = read_chunks(chunks, docs_in(docs))
    elements = None
    if run is not None:
        chosen = read_chunk_run(run, found)
        warn(chosen.warnings)
        elements = as_elements(chosen, found)
    with outputs_together():  # the run is complete before the collection appears
        if elements is not None and run_out is not None:
            write_run(elements, run_out)
        collection = build_tree(found, out, force=force)
    documents = plural(len(collection), "document")
    line(f"{out}: {plural(len(found), 'chunk')} of {documents}")
    if elements is not None:
        line(f"{run_out}: {plural(len(elements), 'result')}")
