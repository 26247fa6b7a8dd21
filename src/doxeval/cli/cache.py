"""`doxeval collection cache`: what was downloaded from URLs, and removing it."""

from __future__ import annotations

import click

from doxeval.cli.options import table_or_json
from doxeval.cli.terminal import heading, json_data, line
from doxeval.cli.verb import refuse, verb
from doxeval.messages import plural, truncate


@verb()
@click.option(
    "--remove",
    "removed",
    multiple=True,
    metavar="CHECKSUM|URL|all",
    help="Remove a collection, with the index that was built of it, or all; may be repeated.",
)
@table_or_json("How to print the list.")
def cache(removed: tuple[str, ...], format_: str) -> None:
    """List the collections in the cache, or remove them.

    The columns of a collection at a URL are downloaded once, into the directory that the
    environment variable DOXEVAL_CACHE names, or else into doxeval in $XDG_CACHE_HOME or ~/.cache.
    A collection is kept there under its checksum, until it is removed; opened again, it is
    downloaded again. Its texts stay at the URL.

    \b
    Examples:
      doxeval collection cache
      doxeval collection cache --remove s3://bucket/wiki
      doxeval collection cache --remove 1f3a9c
    """
    from doxeval.storage import cache_directory, cached_collections, remove_cached, select_cached

    kept = cached_collections()
    if removed:
        refuse({"format_"}, "is for the list")
        going = {one.checksum: one for wanted in removed for one in select_cached(kept, wanted)}
        for one in going.values():
            remove_cached(one)
            line(f"removed {one.checksum[:12]}  {_megabytes(one.bytes)}  {truncate(one.url, 400)}")
        return
    if format_ == "json":
        json_data([one.as_dict() for one in kept], indent=1)
        return
    total = _megabytes(sum(one.bytes for one in kept))
    heading(f"{cache_directory()}: {plural(len(kept), 'collection')}, {total}")
    for one in kept:
        state = "" if one.is_complete else "  (incomplete)"
        line(f"  {one.checksum[:12]}  {_megabytes(one.bytes):>12}  {truncate(one.url, 400)}{state}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
