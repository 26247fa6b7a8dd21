"""`doxeval chunks cut`: documents cut into chunks."""

from __future__ import annotations

import re
from pathlib import Path

import click

from doxeval.cli.chunks.inputs import docs_in
from doxeval.cli.output import line, warn
from doxeval.cli.verb import verb
from doxeval.messages import plural


@verb()
@click.argument("docs", metavar="DOCS")
@click.option(
    "--by",
    "cuts",
    multiple=True,
    required=True,
    metavar="CUT",
    help="How to cut: recursive:SIZE:OVERLAP (characters), words:SIZE:OVERLAP, "
    "sentences:N:OVERLAP, paragraphs, sections, or FILE.py:FUNCTION; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The directory of the chunk files, one for each cut.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
def cut(docs: str, cuts: tuple[str, ...], out: Path, force: bool) -> None:
    """Cut documents into chunks, one file for each cut: all of them or none.

    Sections are those of the headings of Markdown and HTML, and the elements of XML that are called
    section, sec, chapter and the like; a document without any is one chunk.

    A function of your own takes a text and returns its chunks: texts, or pairs of start and end. A
    splitter object of LangChain, LlamaIndex, Haystack or Chonkie will do as well.

    \b
    Examples:
      doxeval chunks cut handbook --by recursive:800:0 --by words:200:50 --out cuts
      doxeval chunks cut handbook --by my.py:split --out cuts
    """
    from doxeval.chunks import cut as cut_documents
    from doxeval.chunks import write_with_texts
    from doxeval.errors import InputError, OutputError
    from doxeval.files import output_directory

    files = {by: out / f"{file_name(by)}.jsonl" for by in cuts}
    if len(set(files.values())) < len(cuts):
        raise InputError("two cuts would be written to the same file")
    for file in files.values():
        if file.exists() and not force:
            raise OutputError(f"{file} exists; --force replaces it")
    texts = docs_in(docs)
    counts = {}
    with output_directory(out) as directory:
        for by, file in files.items():
            found = cut_documents(texts, by)
            warn(found.warnings)
            write_with_texts(found, directory / file.name)
            counts[file] = len(found)
    for file, count in counts.items():
        line(f"{file}: {plural(count, 'chunk')} of {plural(len(texts), 'document')}")


def file_name(by: str) -> str:
    """The name of a cut as that of a file.

    >>> file_name("recursive:800:0"), file_name("src/my.py:split")
    ('recursive-800-0', 'my-split')
    """
    name = re.sub(r"\.py(?=:)", "", by)
    return re.sub(r"[^\w.]+", "-", Path(name).name).strip("-")
