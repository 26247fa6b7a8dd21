"""`doxeval chunks limits`: what chunkings allow before anything is searched."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxeval.cli.chunks.inputs import (
    FolderOptions,
    UnitOptions,
    gold_in_file,
    gold_option,
    max_missing_option,
    some_docs_option,
)
from doxeval.cli.options import TableOrJson, check_wide, format_option, wide_option
from doxeval.cli.output import json_data, line, print_table, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import Message
from doxeval.scores import format_score

if TYPE_CHECKING:
    from doxeval.chunks import ChunkingLimits

_COLUMNS = {
    "chunks": "chunks", "p5": "p5", "p50": "p50", "p95": "p95", "coverage": "coverage",
    "overlap": "overlap", "intact": "intact", "chunks_per_need": "chunks per need",
    "inside": "boundaries inside", "omega": "Ω", "best_iou": "best IoU",
}  # fmt: skip
_WHOLE = ("chunks", "p5", "p50", "p95")


@dataclass(frozen=True)
class LimitsOptions:
    """The options of `doxeval chunks limits`."""

    gold: str = gold_option()
    docs: str | None = some_docs_option()
    folder: FolderOptions = part(FolderOptions)
    units: UnitOptions = part(UnitOptions)
    max_missing: str = max_missing_option("quotes")
    wide: bool = wide_option()
    format: TableOrJson = format_option("Format of the output.")


@verb(LimitsOptions)
@click.argument("files", metavar="CHUNKS...", nargs=-1, required=True)
def limits(files: tuple[str, ...], options: LimitsOptions) -> None:
    """Print what chunkings allow, whatever searches their chunks.

    coverage is the share of non-space characters that are in a chunk; overlap how often each of
    them is; intact the share of needs that one chunk shows whole; chunks per need how many chunks
    share text with a need; Ω how much of these chunks is gold; best IoU what the best of them
    reach. Below, how the boundaries of chunks agree with those of sections, paragraphs and
    sentences.

    \b
    Examples:
      doxeval chunks limits chunks/*.jsonl -g judged.jsonl
      doxeval chunks limits located.jsonl -g questions.jsonl --docs handbook --format json
    """
    from doxeval.chunks import chunks_with_texts
    from doxeval.chunks import limits as limits_of

    options.units.check()
    check_wide(options.format)
    texts = options.folder.documents(options.docs)
    by_name: dict[str, ChunkingLimits] = {}
    judged = None if texts is None else gold_in_file(options.gold, texts, options.max_missing)
    for file in files:
        chunks = chunks_with_texts(file, texts)
        name = Path(file).name.removesuffix(".jsonl")
        name = file if name in by_name else name
        gold = judged or gold_in_file(options.gold, chunks.known_docs, options.max_missing)
        by_name[name] = limits_of(
            chunks, gold, unit=options.units.counted, tokens=options.units.tokens
        )
        warn(Message(f"{name}: ", warning) for warning in by_name[name].warnings)
    if options.format == "json":
        json_data({name: of_file.to_dict() for name, of_file in by_name.items()}, indent=2)
    else:
        _print_tables(by_name, options.units.counted)


def _print_tables(by_name: dict[str, ChunkingLimits], unit: str) -> None:
    rows = [
        [name, *(_cell(column, limits.to_dict()[column]) for column in _COLUMNS)]
        for name, limits in by_name.items()
    ]
    print_table([f"chunking (sizes in {unit})", *_COLUMNS.values()], rows)
    kinds = dict.fromkeys(kind for limits in by_name.values() for kind in limits.boundaries)
    if kinds:
        line()
        rows = [
            [name, kind, *(_cell(kind, value) for value in limits.boundaries[kind])]
            for name, limits in by_name.items()
            for kind in kinds
            if kind in limits.boundaries
        ]
        print_table(["boundaries", "of", "precision", "recall", "F"], rows)


def _cell(column: str, value: float) -> str:
    return f"{value:,.0f}" if column in _WHOLE and not isnan(value) else format_score(value)
