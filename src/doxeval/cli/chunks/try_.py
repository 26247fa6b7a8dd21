"""`doxeval chunks try`: the built-in cuts compared on one's own documents and questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.chunks.inputs import (
    chosen_unit,
    docs_in,
    known_tokens,
    max_missing_option,
    tell_gold,
    unit_option,
)
from doxeval.cli.decorators import table_or_json, tokens_option
from doxeval.cli.output import block, data, line, warn
from doxeval.cli.verb import verb

if TYPE_CHECKING:
    from doxeval.chunks import Documents

CUTS = (
    "recursive:800:0", "recursive:800:400", "words:100:0", "words:200:50", "sentences:1:0",
    "sentences:5:1", "paragraphs",
)  # fmt: skip


@verb(name="try")
@click.argument("docs", metavar="DOCS")
@click.argument("questions", metavar="QUESTIONS")
@click.option(
    "--by",
    "cuts",
    multiple=True,
    metavar="CUT",
    help="A cut to try, as for `chunks cut`; may be repeated.  [default: seven usual ones]",
)
@click.option(
    "--search", "model", metavar="MODEL", default="bm25", show_default=True, help="What searches."
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=4000,
    show_default=True,
    help="The largest budget; recall is also shown at an eighth, a quarter and half of it.",
)
@click.option(
    "--reference",
    metavar="MEASURE",
    help="The measure by which cuts are called best, tested and held against the oracle, here and "
    "in the report.  [default: bR@1000, or bR at a smaller budget]",
)
@unit_option
@tokens_option
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="A measure to add, such as hit@10; may be repeated.",
)
@click.option("-k", type=click.IntRange(1), default=100, show_default=True, help="Most results.")
@click.option(
    "--copies",
    type=click.Choice(["same", "place"]),
    default="same",
    show_default=True,
    help="Whether a quote that stands several times may be shown at any of these places.",
)
@max_missing_option("quotes")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE", help="Also write a report (HTML)."
)
@table_or_json("Format of the output.")
def try_(
    docs: str,
    questions: str,
    cuts: tuple[str, ...],
    model: str,
    budget: int,
    reference: str | None,
    unit: str | None,
    tokens: str | None,
    measures: tuple[str, ...],
    k: int,
    copies: Literal["same", "place"],
    max_missing: str,
    report: Path | None,
    format_: str,
) -> None:
    """Compare built-in cuts of DOCS by what a search for the QUESTIONS finds in them.

    No model, network or key is needed. The table shows recall at budgets, letters (cuts that share
    one are not significantly different), the words read with five results (and with k, if -m names
    a measure of k results), the best that the chunks allow (a greedy oracle), and how much is lost
    by cutting and by search. Gold that is not in the documents is an error, unless --max-missing
    allows it.

    \b
    Examples:
      doxeval chunks try handbook questions.jsonl
      doxeval chunks try corpora questions_df.csv --by words:200:50 --by my.py:split --report r.html
    """
    from doxeval.chunks import compare
    from doxeval.chunks import questions as read_questions
    from doxeval.errors import OutputError
    from doxeval.messages import json_text

    settings: dict[str, Any] = {
        "unit": chosen_unit(unit, tokens),
        "tokens": known_tokens(tokens),
        "measures": measures,
        "reference": reference,
        "k": k,
    }
    if report is not None and report.is_dir():
        raise OutputError(f"{report} is a directory; expected a file")
    texts = docs_in(docs)
    gold = read_questions(questions, texts, copies, max_missing)
    tell_gold(gold)
    chosen = list(cuts or _cuts_for(texts))
    study = compare(texts, gold, chosen, model, budget, **settings)
    if format_ == "json":
        data(json_text(study.rows(), indent=2) + "\n")
    else:
        block(study.text)
    warn(warning for warning in study.warnings if warning not in gold.warnings)
    if report is not None:
        study.report(report)
        line(f"report: {report}")


def _cuts_for(texts: Documents) -> list[str]:
    """The usual cuts; sections too where there are some."""
    has_sections = any(len(texts.outline(name)) > 1 for name in texts)
    return [*CUTS, *(["sections"] if has_sections else [])]
