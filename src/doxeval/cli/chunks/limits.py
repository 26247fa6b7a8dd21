"""`doxeval chunks limits`: what cuts allow before anything is searched."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.chunks.inputs import (
    chosen_unit,
    docs_in,
    gold_in_file,
    known_tokens,
    max_missing_option,
    some_docs_option,
    unit_option,
)
from doxeval.cli.decorators import table_or_json, tokens_option
from doxeval.cli.output import block, data, line, warn
from doxeval.cli.verb import verb
from doxeval.messages import Message
from doxeval.scores import format_score

if TYPE_CHECKING:
    from doxeval.chunks import Limits

_COLUMNS = {
    "chunks": "chunks", "p5": "p5", "p50": "p50", "p95": "p95", "coverage": "coverage",
    "overlap": "overlap", "intact": "intact", "pieces": "pieces", "inside": "borders inside",
    "omega": "Ω", "best_iou": "best IoU",
}  # fmt: skip
_WHOLE = ("chunks", "p5", "p50", "p95")


@verb()
@click.argument("files", metavar="CHUNKS...", nargs=-1, required=True)
@click.option("-g", "--gold", required=True, metavar="FILE", help="Judgments, or questions.")
@some_docs_option
@unit_option
@tokens_option
@max_missing_option("quotes")
@table_or_json("Format of the output.")
def limits(
    files: tuple[str, ...],
    gold: str,
    docs: str | None,
    unit: str | None,
    tokens: str | None,
    max_missing: str,
    format_: str,
) -> None:
    """Print what cuts allow, whatever searches their chunks.

    coverage is the share of solid characters that are in a chunk; overlap how often each of them
    is; intact the share of needs that one chunk shows whole; pieces how many chunks touch a need;
    Ω how much of these chunks is gold; best IoU what the best of them reach. Below, how the
    borders of chunks agree with those of sections, paragraphs and sentences.

    \b
    Examples:
      doxeval chunks limits cuts/*.jsonl -g judged.jsonl
      doxeval chunks limits located.jsonl -g questions.jsonl --docs handbook --format json
    """
    from doxeval.chunks import chunks_with_texts
    from doxeval.chunks import limits as limits_of
    from doxeval.messages import json_text

    counted, tokens = chosen_unit(unit, tokens), known_tokens(tokens)
    texts = docs_in(docs)
    found: dict[str, Limits] = {}
    judged = None if texts is None else gold_in_file(gold, texts, max_missing)
    for file in files:
        chunks = chunks_with_texts(file, texts)
        name = Path(file).name.removesuffix(".jsonl")
        name = file if name in found else name
        own = gold_in_file(gold, chunks.known_docs, max_missing) if judged is None else judged
        found[name] = limits_of(chunks, own, unit=counted, tokens=tokens)
        warn(Message(f"{name}: ", warning) for warning in found[name].warnings)
    if format_ == "json":
        data(json_text({name: one.to_dict() for name, one in found.items()}, indent=2) + "\n")
        return
    _print_tables(found, counted)


def _print_tables(found: dict[str, Limits], unit: str) -> None:
    from doxeval.cli.output import aligned

    rows = [
        [name, *(_cell(column, one.to_dict()[column]) for column in _COLUMNS)]
        for name, one in found.items()
    ]
    block(aligned([f"cut (sizes in {unit})", *_COLUMNS.values()], rows))
    kinds = list(dict.fromkeys(kind for one in found.values() for kind in one.borders))
    if kinds:
        line()
        rows = [
            [name, kind, *(_cell(kind, value) for value in one.borders[kind])]
            for name, one in found.items()
            for kind in kinds
            if kind in one.borders
        ]
        block(aligned(["borders", "of", "precision", "recall", "F"], rows))


def _cell(column: str, value: float) -> str:
    return f"{value:,.0f}" if column in _WHOLE and not isnan(value) else format_score(value)
