"""`doxeval chunks retrieved`: a run of the contexts that other programs say were retrieved."""

from __future__ import annotations

from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    docs_in,
    force_option,
    max_missing_option,
    question_texts,
    refuse_existing,
    some_docs_option,
)
from doxeval.cli.output import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural


@verb()
@click.argument("file", metavar="FILE")
@some_docs_option
@click.option(
    "--chunks", metavar="FILE", help="All chunks, to know contexts by their ids and texts."
)
@click.option(
    "--questions",
    metavar="FILE",
    help="Questions, whose ids are taken where the words are the same.  [default: ids of FILE]",
)
@click.option("-k", type=click.IntRange(1), help="Most results.  [default: all]")
@max_missing_option("contexts", "50%")
@click.option("--run-id", metavar="ID", help="The id of the run.  [default: the name of FILE]")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="RUN", help="The run."
)
@force_option
def retrieved(
    file: str,
    docs: str | None,
    chunks: str | None,
    questions: str | None,
    k: int | None,
    max_missing: str,
    run_id: str | None,
    out: Path,
    force: bool,
) -> None:
    """Make a run of the contexts that a file of ragas or RAGChecker says were retrieved.

    FILE has samples of ragas (user_input, retrieved_contexts), as JSONL, JSON, CSV or Parquet, or
    results of RAGChecker (JSON). Contexts are looked up in the documents by their text; those not
    found count as read and not relevant. If they are more than --max-missing, nothing is written,
    and the exit code is 1.

    \b
    Examples:
      doxeval chunks retrieved samples.jsonl --docs handbook --out run.jsonl
      doxeval chunks retrieved rag.json --docs handbook --questions questions.jsonl --out run.jsonl
    """
    from doxeval.chunks import chunks_with_texts
    from doxeval.chunks import retrieved as run_of_contexts
    from doxeval.errors import FormatError
    from doxeval.locating import allowed_missing, refuse_missing
    from doxeval.runs import is_not_found, write_run

    if docs is None and chunks is None:
        raise click.UsageError("give --docs, the documents of the contexts, or --chunks")
    refuse_existing([out], force)
    allowed_missing(max_missing, 0)
    given = docs_in(docs)
    table = None if chunks is None else chunks_with_texts(chunks, given)
    texts = given if table is None else table.known_docs
    asked = None if questions is None else question_texts(questions, texts)
    name = run_id or Path(file).name.partition(".")[0]
    run = run_of_contexts(file, texts, chunks=table, questions=asked, k=k, run_id=name)
    warn(run.warnings)
    if not len(run):
        raise FormatError("nothing was retrieved for any question", file)
    lost = sum(is_not_found(result.document) for result in run)
    refuse_missing(lost, len(run), "context", max_missing)
    write_run(run, out)
    line(
        f"{out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'question')}, "
        f"{lost:,} of them not found"
    )
