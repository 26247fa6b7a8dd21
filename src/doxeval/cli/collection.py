"""`doxeval collection`: build and merge collections, verify, describe and search them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.cache import cache
from doxeval.cli.collection_making import build, merge
from doxeval.cli.listing import find, list_
from doxeval.cli.options import collection_argument, table_or_json
from doxeval.cli.terminal import is_watched, json_data, line, note, progress_bar
from doxeval.cli.verb import Verb, VerbGroup, in_options, refuse
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.documents import Collection


@click.group(cls=VerbGroup)
def collection() -> None:
    """Build collections of documents, and look at them.

    A collection is a directory. It may also be read at a URL, such as s3://bucket/wiki: anything
    that fsspec opens (pip install 'doxeval[remote]' and, for S3, s3fs). What every command needs is
    then downloaded once and verified (see `doxeval collection cache`), and texts are read from the
    URL, one by one.
    """


@collection.command(cls=Verb)
@collection_argument
@table_or_json("How to print the figures.")
@click.option(
    "--tags",
    type=click.IntRange(0),
    default=15,
    show_default=True,
    help="How many of the most frequent tags the table lists; JSON has all tags.",
)
def info(directory: str, format_: str, tags: int) -> None:
    """Print figures about a collection.

    These are the figures that INEX papers report: the numbers of documents, elements, tags and
    paths, depths and lengths, and the most frequent tags. The table ends with the options of the
    build, and with whether all files were compared with their hashes.
    """
    from doxeval.cli.describe import print_options, print_statistics
    from doxeval.documents import Collection

    if format_ == "json":
        refuse({"tags"}, "is for the table; JSON has all tags")
    opened = Collection(directory)
    if format_ == "json":
        facts = {"collection": opened.location, **opened.statistics.as_dict()}
        facts["unverified_files"] = opened.files.unverified
        facts["options"] = opened.manifest["options"]
        if "merged" in opened.manifest:
            facts["merged"] = opened.manifest["merged"]
        json_data(facts, indent=1)
    else:
        print_statistics(opened, tags)
        print_options(opened)
        _print_verified(opened)


def _print_verified(opened: Collection) -> None:
    """Say which files were compared with their hashes when the collection was opened."""
    from doxeval.cli.terminal import heading
    from doxeval.documents import VERIFIED_BYTES

    heading("verified")
    if opened.files.are_verified:
        line("  all files at opening, each text whenever it is read")
        return
    line(f"  {VERIFIED_BYTES >> 20} MiB at opening, each text whenever it is read; of")
    line(f"  {', '.join(opened.files.unverified)}")
    line("  only size and header; to verify everything:")
    line(f"  doxeval collection verify {opened.location}")


@collection.command(cls=Verb)
@collection_argument
def verify(directory: str) -> None:
    """Compare a collection with its hashes, byte for byte.

    Every file and every text is read and compared with the hash it had when the collection was
    built, and the trees, the paths and the index of ids are checked. Damaged files are listed,
    and the exit code is 1.

    When a collection is opened, up to 256 MiB of it are compared with their hashes, unless that
    was done before and the files have not changed; each text is when it is read. This command is
    for larger collections, for all texts at once, and for disks that are in doubt.
    """
    from doxeval.documents import current_manifest, verify_collection
    from doxeval.errors import CollectionError

    bar: Any = nullcontext()
    if is_watched():
        files = current_manifest(directory)["files"].values()
        bar = progress_bar("Verifying", sum(file["bytes"] for file in files))
    with bar as progress:
        found = verify_collection(directory, progress)
    for problem in found.problems:
        note(f"damaged: {in_options(problem)}", "red")
    if found.problems:
        raise CollectionError("the collection is damaged; build it again", directory)
    line(
        f"{directory}: {plural(found.files, 'file')} ({found.bytes / 1e6:,.1f} MB), "
        f"{plural(found.documents, 'document')} and {plural(found.elements, 'element')} "
        "are as they were built"
    )


@collection.command(cls=Verb)
@collection_argument
@click.argument("document", metavar="DOC")
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it; json is an object with doc, path, tag, start, end and text.",
)
@click.option("--outline", is_flag=True, help="Print the outline of the element, not its text.")
@click.option("--depth", type=click.IntRange(1), help="How many levels of the outline to print.")
@click.option("--all", "everything", is_flag=True, help="Include inline elements in the outline.")
def show(
    directory: str,
    document: str,
    path: str | None,
    format_: str,
    outline: bool,
    depth: int | None,
    everything: bool,
) -> None:
    """Print the outline of a document, or the text of an element.

    Without PATH, the document's outline is printed; with PATH, the text of the element at that
    path, under a line with its path and offsets.

    \b
    Examples:
      doxeval collection show wiki tides
      doxeval collection show wiki tides '/article[1]/body[1]/sec[2]'
      doxeval collection show wiki tides '/article[1]/body[1]' --outline --depth 1
    """
    from doxeval.cli.describe import print_element, print_outline
    from doxeval.documents import Collection

    if format_ == "json":
        refuse({"outline", "depth", "everything"}, "is for an outline, which is printed as text")
    if path is not None and not outline:
        refuse({"depth", "everything"}, "is for an outline; for the outline of PATH add --outline")
    opened = Collection(directory)
    element = opened.root(document) if path is None else opened.element(document, path)
    if format_ == "json":
        json_data(element.as_dict())
    elif outline or path is None:
        print_outline(element, depth, everything)
    else:
        print_element(element)


for command in (build, cache, find, list_, merge):
    collection.add_command(command)
