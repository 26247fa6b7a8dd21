"""`doxeval chunks try`: built-in chunkings compared on one's own documents and questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import (
    Copies,
    FolderOptions,
    UnitOptions,
    copies_option,
    max_missing_option,
    min_score_option,
    print_gold_report,
    similar_option,
)
from doxeval.cli.options import (
    TableOrJson,
    check_wide,
    format_option,
    wide_option,
)
from doxeval.cli.output import json_data, line, note, print_page, warn
from doxeval.cli.verb import part, verb
from doxeval.named import option


@dataclass(frozen=True)
class TryOptions:
    """The options of `doxeval chunks try`."""

    by: tuple[str, ...] = option(
        (),
        "A chunking to try, as for `chunks split`; may be repeated.",
        metavar="CHUNKING",
        shown_default="seven usual ones",
    )
    search: tuple[str, ...] = option(
        (),
        "Retrieval model; may be repeated: then every chunking is searched by each.",
        metavar="MODEL",
        shown_default="bm25",
        flags=("--search", "--model"),
    )
    budget: int = option(
        4000,
        "The largest budget; recall is also shown at an eighth, a quarter and half of it.",
        at_least=1,
    )
    reference: str | None = option(
        None,
        "The measure by which chunkings are called best, tested and held against the oracle, here "
        "and in the report.",
        metavar="MEASURE",
        shown_default="bR@1000, or bR at a smaller budget",
    )
    folder: FolderOptions = part(FolderOptions)
    units: UnitOptions = part(UnitOptions)
    measures: tuple[str, ...] = option(
        (),
        "A measure to add, such as hit@10; may be repeated.",
        metavar="MEASURE",
        flags=("-m", "--measure"),
    )
    k: tuple[int, ...] = option(
        (),
        "Maximum number of results per question; may be repeated: then each number is a choice.",
        at_least=1,
        shown_default="100",
        flags=("-k", "--max-results"),
    )
    copies: Copies = copies_option()
    similar: float = similar_option()
    max_missing: str = max_missing_option("quotes")
    min_score: float | None = min_score_option()
    columns: tuple[str, ...] = option(
        (),
        "Columns to add, separated by commas: latency (milliseconds for a question), index "
        "(seconds to make the chunks ready, and units in them), read (units that the reference "
        "measure reads).",
        metavar="latency,index,read",
    )
    by_tag: bool = option(False, "Also print the reference measure by tag of the questions.")
    by_type: bool = option(False, "Also print it by the type of the documents with the gold.")
    report: Path | None = option(None, "Also write a report (HTML).", metavar="FILE")
    wide: bool = wide_option()
    format: TableOrJson = format_option("Format of the output.")


@verb(TryOptions, name="try")
@click.argument("docs", metavar="DOCS")
@click.argument("questions", metavar="QUESTIONS")
def try_(docs: str, questions: str, options: TryOptions) -> None:
    """Compare built-in chunkings of DOCS by what a search for the QUESTIONS finds in them.

    No model, network or key is needed. The table shows the reference measure, best first, with
    letters (chunkings that share one are not significantly different), the words read with five
    results (and with k, if -m names a measure of k results), and how much is lost by chunking and
    by retrieval; in a wide terminal or with --wide also recall at other budgets, the sizes of
    chunks and the best that they allow (a greedy oracle). Gold that is not in the documents is an
    error, unless --max-missing allows it.

    With several of --search or -k, every chunking is tried with each of them; rows are called
    CHUNKING/MODEL@K then. Several sizes and overlaps of a chunking make a heat map in the report.

    \b
    Examples:
      doxeval chunks try handbook questions.jsonl
      doxeval chunks try corpora questions_df.csv --by words:200:50 --by my.py:split --report r.html
      doxeval chunks try handbook questions.jsonl --search bm25 --search lm -k 5 -k 20
    """
    from doxeval.chunks import K, grid, study_columns, unanswerable_tables
    from doxeval.chunks import questions as read_questions
    from doxeval.errors import OutputError

    if options.format == "json" and (options.by_tag or options.by_type):
        raise click.UsageError("--by-tag and --by-type go with --format table")
    options.units.check()
    check_wide(options.format)
    if options.report is not None and options.report.is_dir():
        raise OutputError(f"{options.report} is a directory; expected a file")
    texts = options.folder.documents(docs)
    gold = read_questions(questions, texts, options.copies, options.max_missing, options.similar)
    print_gold_report(gold)
    study = grid(
        texts,
        gold,
        list(options.by) or None,
        options.search or "bm25",
        options.budget,
        options.units.counted,
        tokens=options.units.tokens,
        measures=options.measures,
        reference=options.reference,
        k=options.k or K,
        columns=study_columns(name for given in options.columns for name in given.split(",")),
        min_score=options.min_score,
    )
    if options.format == "json":
        json_data(study.rows(), indent=2)
    else:
        others = unanswerable_tables(study.scores)
        by_group = [study.by_tag] * options.by_tag + [study.by_type] * options.by_type
        others += [means().as_table() for means in by_group]
        print_page(study.as_table(), *(part for table in others for part in ("", table)))
    known = set(gold.warnings)
    warn(warning for warning in study.warnings if warning not in known)
    if options.report is not None:
        study.report(options.report)
        (line if options.format == "table" else note)(f"report: {options.report}")
