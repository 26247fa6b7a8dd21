"""`doxeval chunks gold`: questions of any format become judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from doxeval.cli.chunks.inputs import (
    docs_in,
    docs_option,
    force_option,
    max_missing_option,
    refuse_existing,
)
from doxeval.cli.output import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.chunks import Questions


@verb()
@click.argument("file", metavar="FILE")
@docs_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The judgments, as JSONL.",
)
@click.option(
    "--topics-out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The questions with their needs, as JSONL, which keeps their texts and tags.",
)
@click.option(
    "--copies",
    type=click.Choice(["same", "place"]),
    default="same",
    show_default=True,
    help="Whether a quote that stands several times in its document may be shown at any of these "
    "places, or only at its own.",
)
@max_missing_option("quotes")
@force_option
def gold(
    file: str,
    docs: str,
    out: Path,
    topics_out: Path | None,
    copies: Literal["same", "place"],
    max_missing: str,
    force: bool,
) -> None:
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
    from doxeval.chunks import questions
    from doxeval.locating import allowed_missing, refuse_missing

    refuse_existing([out, topics_out], force)
    allowed_missing(max_missing, 0)
    found = questions(file, docs_in(docs), copies, max_missing="100%")
    warn(found.warnings)
    line(found.report())
    # Everything that is missing has just been listed.
    refuse_missing(found.tally.missing, found.tally.evidence, "quote", max_missing, origin=file)
    _refuse_empty(found, file)
    _write(found, out, topics_out)
    line(f"{out}: {plural(len(found.assessments), 'judged document')}")
    if topics_out is not None:
        line(f"{topics_out}: {plural(len(found), 'question')}")


def _write(found: Questions, out: Path, topics_out: Path | None) -> None:
    """Write both files or none."""
    from doxeval.assessments import write_jsonl
    from doxeval.files import open_output, outputs_together

    with outputs_together():
        with open_output(out) as judged:
            judged.writelines(write_jsonl(found.assessments))
        if topics_out is not None:
            found.write(topics_out)


def _refuse_empty(found: Questions, file: str) -> None:
    from doxeval.errors import FormatError

    if not len(found.assessments):
        raise FormatError("no question has gold in these documents", file)
