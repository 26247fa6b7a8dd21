"""`doxeval chunks split`: documents split into chunks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import FolderOptions
from doxeval.cli.options import force_option, out_option, refuse_existing
from doxeval.cli.output import line, warn
from doxeval.cli.verb import part, verb
from doxeval.messages import plural
from doxeval.named import REQUIRED, option


@dataclass(frozen=True)
class SplitOptions:
    """The options of `doxeval chunks split`."""

    by: tuple[str, ...] = option(
        REQUIRED,
        "How to split: recursive:SIZE:OVERLAP (characters), words:SIZE:OVERLAP, "
        "sentences:N:OVERLAP, paragraphs, sections, or FILE.py:FUNCTION; may be repeated.",
        metavar="CHUNKING",
    )
    out: Path = out_option(
        "The directory of the chunk files, one for each chunking.", metavar="DIR"
    )
    force: bool = force_option("existing files")
    folder: FolderOptions = part(FolderOptions)


@verb(SplitOptions)
@click.argument("docs", metavar="DOCS")
def split(docs: str, options: SplitOptions) -> None:
    """Split documents into chunks, one file for each chunking: all of them or none.

    Sections are those of the headings of Markdown and HTML, and the elements of XML that are called
    section, sec, chapter and the like; a document without any is one chunk.

    Your own function takes a text and returns its chunks: texts, or pairs of start and end. A
    splitter object of LangChain, LlamaIndex, Haystack or Chonkie will do as well.

    \b
    Examples:
      doxeval chunks split handbook --by recursive:800:0 --by words:200:50 --out chunks
      doxeval chunks split handbook --by my.py:split --out chunks
    """
    from doxeval.chunks import split as split_documents
    from doxeval.chunks import write_with_texts
    from doxeval.errors import InputError
    from doxeval.files import output_directory

    files = {by: options.out / f"{file_name(by)}.jsonl" for by in options.by}
    if len(set(files.values())) < len(options.by):
        raise InputError("two chunkings would be written to the same file")
    refuse_existing(*files.values(), force=options.force)
    texts = options.folder.documents(docs)
    counts = {}
    with output_directory(options.out) as directory:
        for by, file in files.items():
            chunks = split_documents(texts, by)
            warn(chunks.warnings)
            write_with_texts(chunks, directory / file.name)
            counts[file] = len(chunks)
    for file, count in counts.items():
        line(f"{file}: {plural(count, 'chunk')} of {plural(len(texts), 'document')}")


def file_name(by: str) -> str:
    """Return the name of a chunking as that of a file.

    >>> file_name("recursive:800:0"), file_name("src/my.py:split")
    ('recursive-800-0', 'my-split')
    """
    name = re.sub(r"\.py(?=:)", "", by)
    return re.sub(r"[^\w.]+", "-", Path(name).name).strip("-")
