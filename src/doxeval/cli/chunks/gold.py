"""`doxeval chunks gold`: questions of any format become judgments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    Copies,
    FolderOptions,
    copies_option,
    docs_option,
    max_missing_option,
)
from doxeval.cli.options import force_option, out_option, refuse_existing
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class GoldOptions:
    """The options of `doxeval chunks gold`."""

    docs: str = docs_option()
    folder: FolderOptions = part(FolderOptions)
    out: Path = out_option("The judgments, as JSONL.", metavar="FILE")
    topics_out: Path | None = option(
        None,
        "The questions with their needs, as JSONL, which keeps their texts and tags.",
        metavar="FILE",
    )
    copies: Copies = copies_option()
    max_missing: str = max_missing_option("quotes")
    force: bool = force_option("existing files")


@verb(GoldOptions)
@click.argument("file", metavar="FILE")
def gold(file: str, options: GoldOptions) -> None:
    """Find the gold of the questions of FILE in the documents.

    FILE is a question set of doxeval, chunking_evaluation, LegalBench-RAG, HiCBench, ragas, SQuAD,
    QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural Questions, MultiHop-RAG or AutoRAG, or a
    folder of BEIR or AutoRAG (qa.parquet and corpus.parquet). Its fields tell which. Offsets are
    compared with the text, and quotes are looked up; those not found, found elsewhere or found more
    than once are listed. If more than --max-missing are not found, nothing is written, and the exit
    code is 1.

    \b
    Examples:
      doxeval chunks gold questions_df.csv --docs corpora --out judged.jsonl
      doxeval chunks gold squad.json --docs squad.json --out judged.jsonl --topics-out q.jsonl
    """
    from doxeval.assessments import write_jsonl
    from doxeval.chunks import questions
    from doxeval.errors import FormatError
    from doxeval.files import open_output, outputs_together
    from doxeval.locating import allowed_missing, refuse_missing

    refuse_existing(options.out, options.topics_out, force=options.force)
    allowed_missing(options.max_missing, 0)
    gold = questions(
        file, options.folder.documents(options.docs), options.copies, max_missing="100%"
    )
    warn(gold.warnings)
    line(gold.report())
    # Everything that is missing has just been listed.
    refuse_missing(
        gold.tally.missing, gold.tally.evidence, "quote", options.max_missing, origin=file
    )
    if not len(gold.assessments):
        raise FormatError("no question has gold in these documents", file)
    with outputs_together():
        with open_output(options.out) as judged:
            judged.writelines(write_jsonl(gold.assessments))
        if options.topics_out is not None:
            gold.write(options.topics_out)
    line(f"{options.out}: {plural(len(gold.assessments), 'judged document')}")
    if options.topics_out is not None:
        line(f"{options.topics_out}: {plural(len(gold), 'question')}")
