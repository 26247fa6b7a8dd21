"""`doxeval chunks retrieved`: a run of the contexts that other programs say were retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    max_missing_option,
    question_texts,
    some_docs_option,
)
from doxeval.cli.options import force_option, max_results_option, out_option, refuse_existing
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class RetrievedOptions:
    """The options of `doxeval chunks retrieved`."""

    docs: str | None = some_docs_option()
    folder: FolderOptions = part(FolderOptions)
    chunks: str | None = option(
        None, "All chunks, to know contexts by their ids and texts.", metavar="FILE"
    )
    questions: str | None = option(
        None,
        "Questions, whose ids are taken where the words are the same.",
        metavar="FILE",
        shown_default="ids of FILE",
    )
    k: int | None = max_results_option(
        "Maximum number of results per question.", None, shown_default="all"
    )
    max_missing: str = max_missing_option("contexts", "50%")
    run_id: str | None = option(
        None, "The id of the run.", metavar="ID", shown_default="the name of RUN"
    )
    out: Path = out_option("The run.", metavar="RUN")
    force: bool = force_option("existing files")


@verb(RetrievedOptions)
@click.argument("file", metavar="FILE")
def retrieved(file: str, options: RetrievedOptions) -> None:
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
    from doxeval.files import name_of_file
    from doxeval.locating import allowed_missing, refuse_missing
    from doxeval.runs import is_not_found, write_run

    if options.docs is None and options.chunks is None:
        raise click.UsageError("give --docs, the documents of the contexts, or --chunks")
    refuse_existing(options.out, force=options.force)
    allowed_missing(options.max_missing, 0)
    given = options.folder.documents(options.docs)
    chunks = None if options.chunks is None else chunks_with_texts(options.chunks, given)
    docs = given if chunks is None else chunks.known_docs
    questions = None if options.questions is None else question_texts(options.questions, docs)
    name = options.run_id or name_of_file(str(options.out))
    run = run_of_contexts(file, docs, chunks=chunks, questions=questions, k=options.k, run_id=name)
    warn(run.warnings)
    if not len(run):
        raise FormatError("nothing was retrieved for any question", file)
    missing = sum(is_not_found(result.document) for result in run)
    refuse_missing(missing, len(run), "context", options.max_missing)
    write_run(run, options.out)
    line(
        f"{options.out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'question')}, "
        f"{missing:,} of them not found"
    )
