"""`doxeval chunks search`: a run over chunks."""

from __future__ import annotations

from pathlib import Path

import click

from doxeval.cli.chunks.inputs import docs_in, question_texts, some_docs_option
from doxeval.cli.output import counting_bar, line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural


@verb()
@click.argument("chunks", metavar="CHUNKS")
@click.argument("questions", metavar="QUESTIONS")
@click.option("-k", type=click.IntRange(1), default=100, show_default=True, help="Most results.")
@click.option(
    "--model",
    metavar="MODEL",
    default="bm25",
    show_default=True,
    help="What scores chunks; bm25 stands for bm25(k1=1.2,b=0.75,context=0). `doxeval models` "
    "lists models.",
)
@click.option(
    "--expand",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Return each chunk with so many before and after it.",
)
@some_docs_option
@click.option("--run-id", metavar="ID", help="The id of the run.  [default: the model]")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="RUN", help="The run."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def search(
    chunks: str,
    questions: str,
    k: int,
    model: str,
    expand: int,
    docs: str | None,
    run_id: str | None,
    out: Path,
    force: bool,
) -> None:
    """Search CHUNKS for each of the QUESTIONS: a run, by words, without a model or a network.

    CHUNKS is a chunk file, of `chunks cut` or `chunks locate`. QUESTIONS have texts; topics will
    do.

    \b
    Examples:
      doxeval chunks search cuts/words-200-50.jsonl questions.jsonl --out words.jsonl
      doxeval chunks search located.jsonl topics.tsv -k 20 --expand 1 --out wide.jsonl
    """
    from doxeval.chunks import chunks_with_texts
    from doxeval.chunks import search as search_chunks
    from doxeval.errors import OutputError
    from doxeval.runs import write_run

    if out.exists() and not force:
        raise OutputError(f"{out} exists; --force replaces it")
    found = chunks_with_texts(chunks, docs_in(docs))
    asked = question_texts(questions, found.known_docs)
    with counting_bar("Searching", len(asked)) as progress:
        run = search_chunks(found, asked, k, model, run_id=run_id, progress=progress)
    warn(run.warnings)
    if not len(run):
        raise OutputError(f"{run.run_id} returns nothing: no word of the questions was found")
    if expand:
        run = run.expand(expand)
    write_run(run, out)
    line(f"{out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'question')}")
    line(f"  model     {run.facts.get('model', model)}")
