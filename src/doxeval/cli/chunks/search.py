"""`doxeval chunks search`: a run over chunks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    min_score_option,
    question_texts,
    some_docs_option,
)
from doxeval.cli.options import (
    NewMetadataOptions,
    force_option,
    max_results_option,
    out_option,
    refuse_existing,
)
from doxeval.cli.output import counting_bar, line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class ChunkSearchOptions:
    """The options of `doxeval chunks search`."""

    k: int = max_results_option("Maximum number of results per question.", 100)
    search: str = option(
        "bm25",
        "Retrieval model; bm25 stands for bm25(k1=1.2,b=0.75,context=0). `doxeval models` lists "
        "models.",
        metavar="MODEL",
        flags=("--search", "--model"),
    )
    expand: int = option(
        0,
        "Return each chunk with this many chunks before and after it.",
        at_least=0,
        metavar="N",
    )
    min_score: float | None = min_score_option()
    docs: str | None = some_docs_option()
    folder: FolderOptions = part(FolderOptions)
    run_id: str | None = option(
        None, "The id of the run.", metavar="ID", shown_default="the name of RUN"
    )
    out: Path = out_option("The run.", metavar="RUN")
    about: NewMetadataOptions = part(NewMetadataOptions)
    force: bool = force_option()


@verb(ChunkSearchOptions)
@click.argument("chunks", metavar="CHUNKS")
@click.argument("questions", metavar="QUESTIONS")
def search(chunks: str, questions: str, options: ChunkSearchOptions) -> None:
    """Search CHUNKS for each of the QUESTIONS: a run, by words, without a model or a network.

    CHUNKS is a chunk file, of `chunks split` or `chunks locate`. QUESTIONS have texts; topics will
    do.

    \b
    Examples:
      doxeval chunks search chunks/words-200-50.jsonl questions.jsonl --out words.jsonl
      doxeval chunks search located.jsonl topics.tsv -k 20 --expand 1 --out wide.jsonl
    """
    from doxeval.chunks import chunks_with_texts
    from doxeval.chunks import search as search_chunks
    from doxeval.errors import OutputError
    from doxeval.files import name_of_file

    refuse_existing(*options.about.files_of(options.out), force=options.force)
    table = chunks_with_texts(chunks, options.folder.documents(options.docs))
    texts = question_texts(questions, table.known_docs)
    with counting_bar("Searching", len(texts)) as progress:
        run = search_chunks(
            table,
            texts,
            options.search,
            k=options.k,
            run_id=options.run_id or name_of_file(str(options.out)),
            progress=progress,
        )
    if options.min_score is not None:
        run = run.threshold(options.min_score)
    warn(run.warnings)
    if not len(run):
        why = "no word of the questions was found"
        if options.min_score is not None:
            why = f"no result has a score of {options.min_score:g}"
        raise OutputError(f"{run.run_id} returns nothing: {why}")
    if options.expand:
        run = run.expand(options.expand)
    options.about.write(run, options.out)
    line(f"{options.out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'question')}")
    line(f"  model     {run.facts.get('model', options.search)}")
