"""`doxeval chunks questions`: whether questions can be trusted; and their gold as judgments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import click

from doxeval.cli.chunks.inputs import (
    Copies,
    FolderOptions,
    UnitOptions,
    copies_option,
    docs_option,
    max_missing_option,
    similar_option,
)
from doxeval.cli.options import (
    TableOrJson,
    force_option,
    format_option,
    out_option,
    refuse_existing,
)
from doxeval.cli.output import block, json_data, line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class QuestionsOptions:
    """The options of `doxeval chunks questions`."""

    docs: str = docs_option()
    folder: FolderOptions = part(FolderOptions)
    out: Path | None = out_option("Write the gold as judgments (JSONL).", None, "FILE")
    topics_out: Path | None = option(
        None,
        "Write the questions with their needs, as JSONL, which keeps their texts and tags.",
        metavar="FILE",
    )
    copies: Copies = copies_option()
    similar: float = similar_option()
    max_missing: str = max_missing_option("quotes")
    by: tuple[str, ...] = option(
        (),
        "A chunking, as for `chunks split`: list the needs that none of its chunks holds whole; "
        "may be repeated.",
        metavar="CHUNKING",
    )
    size: int | None = option(
        None, "List the needs that are longer than this.", at_least=1, metavar="UNITS"
    )
    units: UnitOptions = part(UnitOptions)
    sample: int = option(
        10, "Number of questions to check by hand, chosen at random.", at_least=0, metavar="N"
    )
    seed: int = option(0, "The seed of that choice.", at_least=0, metavar="N")
    format: TableOrJson = format_option("Format of the output.")
    force: bool = force_option("existing files")


@verb(QuestionsOptions)
@click.argument("file", metavar="FILE")
def questions(file: str, options: QuestionsOptions) -> None:
    """Check the questions of FILE, and find their gold in the documents.

    FILE is a question set of doxeval, a table with a question and a quote in each row (CSV, also as
    spreadsheets write it), or a set of chunking_evaluation, LegalBench-RAG, HiCBench, ragas,
    LlamaIndex, DeepEval, SQuAD, QASPER, HotpotQA, 2WikiMultihopQA, MuSiQue, Natural Questions,
    MultiHop-RAG or AutoRAG, or a folder of BEIR or AutoRAG (qa.parquet and corpus.parquet). Its
    fields tell which.

    Offsets are compared with the text, and quotes are looked up; those not found, found elsewhere,
    altered, or found more than once are listed. If more than --max-missing are not found, nothing
    is written, and the exit code is 1.

    Then it says which needs are too long for a chunk (--by, --size), which questions repeat their
    quote or ask nearly the same, which documents no question touches, and which questions to check
    by hand.

    \b
    Examples:
      doxeval chunks questions questions.csv --docs handbook --by recursive:800:0 --size 200
      doxeval chunks questions squad.json --docs squad.json --out judged.jsonl --topics-out q.jsonl
    """
    from doxeval.assessments import write_jsonl
    from doxeval.chunks import check_questions
    from doxeval.chunks import questions as read_questions
    from doxeval.errors import FormatError
    from doxeval.files import open_output, outputs_together
    from doxeval.locating import allowed_missing, refuse_missing

    refuse_existing(options.out, options.topics_out, force=options.force)
    options.units.check()
    allowed_missing(options.max_missing, 0)
    docs = options.folder.documents(options.docs)
    gold = read_questions(file, docs, options.copies, max_missing="100%", similar=options.similar)
    warn(gold.warnings)
    checks = check_questions(
        gold,
        docs,
        options.by,
        options.size,
        unit=options.units.counted,
        tokens=options.units.tokens,
        sample=options.sample,
        seed=options.seed,
    )
    if options.format == "json":
        json_data({"gold": gold.tally._asdict(), **checks.to_dict()}, indent=2)
    else:
        block(fill(gold.report(), 80))
        line()
        block(checks.text)
    # Everything that is missing has just been listed.
    refuse_missing(
        gold.tally.missing, gold.tally.evidence, "quote", options.max_missing, origin=file
    )
    if options.out is None and options.topics_out is None:
        return
    judged = gold.assessments
    if not len(judged) and not judged.answers:
        raise FormatError("no question has gold in these documents", file)
    with outputs_together():
        if options.out is not None:
            with open_output(options.out) as out:
                out.writelines(write_jsonl(judged))
        if options.topics_out is not None:
            gold.write(options.topics_out)
    if options.format == "json":
        return
    line()
    if options.out is not None:
        line(f"{options.out}: {plural(len(judged), 'judged document')}")
    if options.topics_out is not None:
        line(f"{options.topics_out}: {plural(len(gold), 'question')}")
