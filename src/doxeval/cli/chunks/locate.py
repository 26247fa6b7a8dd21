"""`doxeval chunks locate`: where chunks are in their documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from doxeval.cli.chunks.inputs import FolderOptions, docs_option, max_missing_option
from doxeval.cli.options import force_option, out_option, refuse_existing
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import option


@dataclass(frozen=True)
class LocateOptions:
    """The options of `doxeval chunks locate`."""

    docs: str = docs_option()
    folder: FolderOptions = part(FolderOptions)
    out: Path = out_option("The chunks with their spans, as JSONL.", metavar="FILE")
    order: Literal["list", "none"] = option(
        "list",
        "Whether the chunks of a document are in its order, which decides which copy of a repeated "
        "text is meant.",
    )
    min_share: float = option(
        0.8,
        "How much of the letters of a changed chunk must be found.",
        at_least=0,
        at_most=1,
        metavar="SHARE",
    )
    max_missing: str = max_missing_option("chunks")
    doc_key: str | None = option(
        None,
        "The field, or the key of the metadata, that names the document.",
        metavar="KEY",
        shown_default="any known",
    )
    force: bool = force_option("existing files")


@verb(LocateOptions)
@click.argument("chunks", metavar="CHUNKS")
def locate(chunks: str, options: LocateOptions) -> None:
    """Find the spans of CHUNKS in the documents.

    CHUNKS is a file with a record for each chunk (JSONL, JSON, CSV or Parquet): its text, and as
    far as they are known its id, its document and its offsets, by any of the names that LangChain,
    LlamaIndex, Haystack, Chonkie, Chroma and MS MARCO give them. Offsets are checked, never
    believed. Chunks that are not found are listed, and so are those that occur at too many places
    to tell which is meant; if they are more than --max-missing, nothing is written, and the exit
    code is 1.

    \b
    Examples:
      doxeval chunks locate chunks.jsonl --docs handbook --out located.jsonl
      doxeval chunks locate dump.parquet --docs handbook --order none --max-missing 1% --out l.jsonl
    """
    from doxeval.chunks import locate as find
    from doxeval.locating import How, allowed_missing, refuse_missing

    refuse_existing(options.out, force=options.force)
    allowed_missing(options.max_missing, 0)
    located = find(
        options.folder.documents(options.docs),
        chunks,
        options.order,
        options.min_share,
        "100%",
        options.doc_key,
    )
    warn(located.warnings)
    line(located.report())
    too_ambiguous = located.how.count(How.TOO_AMBIGUOUS.word)
    not_found = len(located.missing) - too_ambiguous
    refuse_missing(
        not_found, len(located), "chunk", options.max_missing, too_ambiguous=too_ambiguous
    )
    located.write(options.out)
    line(f"{options.out}: {plural(len(located), 'chunk')}")
