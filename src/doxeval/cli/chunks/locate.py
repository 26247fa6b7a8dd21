"""`doxeval chunks locate`: where chunks stand in their documents."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

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


@verb()
@click.argument("chunks", metavar="CHUNKS")
@docs_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The chunks with their places, as JSONL.",
)
@click.option(
    "--order",
    type=click.Choice(["list", "none"]),
    default="list",
    show_default=True,
    help="Whether the chunks of a document are in its order, which settles which copy of a "
    "repeated text is meant.",
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="How much of the letters of a changed chunk must be found.",
)
@max_missing_option("chunks")
@click.option(
    "--doc-key",
    metavar="KEY",
    help="The field, or the key of the metadata, that names the document.  [default: any known]",
)
@force_option
def locate(
    chunks: str,
    docs: str,
    out: Path,
    order: Literal["list", "none"],
    min_share: float,
    max_missing: str,
    doc_key: str | None,
    force: bool,
) -> None:
    """Find the places of CHUNKS in the documents.

    CHUNKS is a file with a record for each chunk (JSONL, JSON, CSV or Parquet): its text, and as
    far as they are known its id, its document and its offsets, by any of the names that LangChain,
    LlamaIndex, Haystack, Chonkie, Chroma and MS MARCO give them. Offsets are checked, never
    believed. Chunks that are not found are listed, and so are those that stand at too many places
    to tell which is meant; if they are more than --max-missing, nothing is written, and the exit
    code is 1.

    \b
    Examples:
      doxeval chunks locate chunks.jsonl --docs handbook --out located.jsonl
      doxeval chunks locate dump.parquet --docs handbook --order none --max-missing 1% --out l.jsonl
    """
    from doxeval.chunks import locate as find
    from doxeval.locating import How, allowed_missing, refuse_missing

    refuse_existing([out], force)
    allowed_missing(max_missing, 0)
    found = find(docs_in(docs), chunks, order, min_share, "100%", doc_key)
    warn(found.warnings)
    line(found.report())
    too_ambiguous = found.how.count(How.TOO_AMBIGUOUS.word)
    lost = len(found.missing) - too_ambiguous
    refuse_missing(lost, len(found), "chunk", max_missing, too_ambiguous=too_ambiguous)
    found.write(out)
    line(f"{out}: {plural(len(found), 'chunk')}")
