"""Merging collections into one: the documents of all, in the order in which they are given.

Nothing is parsed again. Columns are copied a block at a time, so memory does not grow with the
collections. Text is not even copied, as long as it is large: the new collection shares its parts
with the old ones (hard links), where the file system allows that.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.documents.build.writer import CollectionWriter
from doxeval.documents.collection import Collection
from doxeval.errors import CollectionError, InputError
from doxeval.named import checked
from doxeval.storage import report_damage

# Parts of the text are copied into one another as long as they have no more bytes together.
_JOINED = 16 << 20
# The options that decide how a collection is read. The others are history.
_MUST_AGREE = ("whitespace", "inline", "text")


class MergeReport(NamedTuple):
    """How much a merged collection has.

    >>> MergeReport(collections=2, documents=5, elements=40).documents
    5
    """

    collections: int
    documents: int
    elements: int


@checked
def merge_collections(
    collections: Iterable[Collection | str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    force: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> MergeReport:
    """Merge collections into a new one in the directory `out`, which `force` may replace.

    They must have been built with the same options whitespace, inline and text, and may not have
    an id in common. `progress` is called with the bytes and the documents merged since its last
    call. `out` may be one of the collections: with `force` the others are appended to it.

    >>> from doxeval.documents.examples import example_collection
    >>> a = example_collection({"a": "<p>One.</p>"})
    >>> b = example_collection({"b": "<p>Two.</p>"})
    >>> merge_collections([a, b], a.directory.with_name("both"))
    MergeReport(collections=2, documents=2, elements=2)
    """
    opened = _open_collections(collections)
    _refuse_different_options(opened)
    firsts = [0, *accumulate(map(len, opened))]

    def describe_origin(document: int, origin: str) -> str:
        return f"{opened[bisect_right(firsts, document) - 1].location} ({origin})"

    with CollectionWriter(
        Path(os.fsdecode(out)), force=force, describe_origin=describe_origin
    ) as writer:
        for collection in opened:
            with report_damage(collection):
                writer.absorb(collection, "shared", joined=_JOINED)
            if progress is not None:
                size = sum(file["bytes"] for file in collection.manifest["files"].values())
                progress(size, len(collection))
        writer.finish(_facts(opened))
        elements = sum(collection.manifest["counts"]["elements"] for collection in opened)
        return MergeReport(len(opened), writer.documents, elements)


def _open_collections(
    collections: Iterable[Collection | str | os.PathLike[str]],
) -> list[Collection]:
    opened: list[Collection] = []
    if isinstance(collections, Collection | str | os.PathLike):
        collections = [collections]
    for given in collections:
        collection = given if isinstance(given, Collection) else Collection(given)
        if collection in opened:
            same = opened[opened.index(collection)].location
            message = f"the collection is given twice, first as {same}"
            raise CollectionError(message, collection.location)
        opened.append(collection)
    if len(opened) < 2:
        raise InputError("expected two collections or more to merge")
    return opened


def _refuse_different_options(collections: Sequence[Collection]) -> None:
    first = collections[0]
    for other in collections[1:]:
        for name in _MUST_AGREE:
            here, there = first.manifest["options"][name], other.manifest["options"][name]
            if here != there:
                raise CollectionError(
                    f"it cannot be merged with {first.location}: they were built with different "
                    f"options, {_difference(name, there, here)}",
                    other.location,
                )


def _difference(name: str, value: Any, other: Any) -> str:
    """Return how an option differs, briefly.

    >>> _difference("text", "none", "plain")
    'text none instead of plain'
    >>> _difference("inline", ["b", "i"], ["b", "tt"])
    'inline with i, without tt'
    """
    if not isinstance(value, list):
        return f"{name} {value} instead of {other}"
    parts = [
        f"{word} {', '.join(sorted(tags)[:5])}{', …' if len(tags) > 5 else ''}"
        for word, tags in (("with", set(value) - set(other)), ("without", set(other) - set(value)))
        if tags
    ]
    return f"{name} {', '.join(parts)}"


def _facts(collections: Sequence[Collection]) -> dict[str, Any]:
    """Return what the manifest says about the collections that were merged."""
    manifests = [collection.manifest for collection in collections]
    return {
        "sources": [source for manifest in manifests for source in manifest.get("sources", [])],
        "options": _join_options([manifest["options"] for manifest in manifests]),
        "broken": sum(manifest.get("broken", 0) for manifest in manifests),
        "suffixes_kept": sum(manifest.get("suffixes_kept", 0) for manifest in manifests),
        "merged": [
            {
                "collection": collection.location,
                "seal": collection.checksum,
                "documents": len(collection),
                "sources": collection.manifest.get("sources", []),
                "options": collection.manifest["options"],
            }
            for collection in collections
        ],
    }


def _join_options(options: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return each option, as a list of its values if it had several.

    >>> _join_options([{"id": "stem", "text": "plain"}, {"id": "path", "text": "plain"}])
    {'id': ['stem', 'path'], 'text': 'plain'}
    """
    joined: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(options)):
        values: list[Any] = []
        for recorded in options:
            if recorded.get(name) not in values:
                values.append(recorded.get(name))
        joined[name] = values[0] if len(values) == 1 else values
    return joined
