"""Verifying a collection completely: every byte of every file, however large it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from doxeval.documents.collection import Collection
from doxeval.documents.collection_files import current_manifest
from doxeval.documents.manifest import COLLECTION
from doxeval.documents.structure import (
    flaws_in_counts,
    flaws_in_ids,
    flaws_in_nodes,
    flaws_in_rows,
    repeated_paths,
)
from doxeval.errors import CollectionError, InputError
from doxeval.messages import Message, plural, quoted
from doxeval.storage import RemoteDirectory, check_contents, in_threads, keep_digests, local_path

# Called with the bytes and the documents verified since the last call.
Progress = Callable[[int, int], object]

_MOST_TEXTS_NAMED = 10
_TEXTS = 1000  # how many texts are read between two reports of progress


@dataclass(frozen=True)
class Verification:
    """What was verified, and what is wrong with it."""

    files: int
    bytes: int
    documents: int
    elements: int
    problems: tuple[InputError, ...] = ()


def verify_collection(
    location: str | os.PathLike[str], progress: Progress | None = None
) -> Verification:
    """Compare a collection with its hashes and check its structure; damage is in the result.

    If files are damaged, their contents are not examined any further. Of a collection at a URL,
    all files there are read, and those in the cache are compared, too.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><p>One.</p></article>"})
    >>> verify_collection(collection.directory).problems
    ()
    """
    manifest = current_manifest(location)
    report = progress or (lambda done, documents: None)
    problems: list[InputError] = list(_damaged_files(location, manifest, report))
    keep_digests()
    if not problems:
        try:
            collection = Collection(location)
            problems += _damaged_in_cache(collection)
            problems += _flaws(collection)
            problems += _damaged_texts(collection, report)
        except CollectionError as error:
            problems.append(error)
    return Verification(
        files=len(manifest["files"]) + 1,
        bytes=sum(recorded["bytes"] for recorded in manifest["files"].values()),
        documents=manifest["counts"]["documents"],
        elements=manifest["counts"]["elements"],
        problems=tuple(problems),
    )


def _damaged_files(
    location: str | os.PathLike[str], manifest: dict[str, Any], report: Progress
) -> Iterator[CollectionError]:
    files: dict[str, dict[str, Any]] = manifest["files"]
    directory = local_path(location, CollectionError)
    check: Callable[[str, dict[str, Any], Callable[[int], object]], None]
    if directory is not None:
        sizes = [files[name]["bytes"] for name in files]
        check = partial(_check_here, directory)
    else:
        sizes = [0] * len(files)  # one after another
        check = RemoteDirectory(os.fsdecode(location), COLLECTION).check_contents

    def damage(name: str, progress: Callable[[int], object]) -> CollectionError | None:
        try:
            check(name, files[name], progress)
        except CollectionError as error:
            return error
        return None

    found = in_threads(damage, list(files), sizes, lambda done: report(done, 0))
    return (error for error in found if error is not None)


def _check_here(
    directory: Path, name: str, recorded: dict[str, Any], progress: Callable[[int], object]
) -> None:
    check_contents(COLLECTION, directory / name, recorded, progress)


def _damaged_in_cache(collection: Collection) -> Iterator[CollectionError]:
    """The damaged files in the cache, if the collection is at a URL."""
    if collection.files.remote is None:
        return
    for name, recorded in collection.manifest["files"].items():
        try:
            if name not in COLLECTION.unhashed:
                check_contents(collection.files.kind, collection.directory / name, recorded)
        except CollectionError as error:
            yield error


def _flaws(collection: Collection) -> Iterator[InputError]:
    files, rows, summary = collection.files, collection.rows, collection.summary
    flaws = [*repeated_paths(summary), *flaws_in_rows(rows, len(collection.nodes.path))]
    if not flaws:
        flaws += flaws_in_nodes(collection.nodes, rows, summary)
    if not flaws:
        per_path, totals = collection.elements_by_path, collection.text_totals
        flaws += flaws_in_counts(collection.nodes, rows, per_path, totals)
    flaws += flaws_in_ids(*collection.id_columns)
    return (files.damaged(*flaw) for flaw in flaws)


def _damaged_texts(collection: Collection, report: Progress) -> Iterator[CollectionError]:
    """The documents whose text is not the one that was stored; of many, the first."""
    if collection.manifest["options"]["text"] == "none":
        return
    ends = collection.files.column("documents.text_ends")
    count = begin = 0
    origin: str | None = None
    for first in range(0, len(collection), _TEXTS):
        last = min(first + _TEXTS, len(collection))
        for document in range(first, last):
            try:
                collection.text_of(document)
            except CollectionError as error:
                count += 1
                origin = error.origin
                if count <= _MOST_TEXTS_NAMED:
                    message = Message(
                        f"document {quoted(collection.id_of(document))}: ", error.message
                    )
                    yield CollectionError(message, error.origin)
        report(int(ends[last - 1]) - begin, last - first)
        begin = int(ends[last - 1])
    if count > _MOST_TEXTS_NAMED:
        more = plural(count - _MOST_TEXTS_NAMED, "more text")
        yield CollectionError(f"and {more}", origin)
