"""Verifying a collection completely: every byte of every file, however large it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doxeval.documents.collection import Collection
from doxeval.documents.layout import TEXT_FILE
from doxeval.documents.manifest import COLLECTION, read_manifest
from doxeval.documents.structure import (
    flaws_in_counts,
    flaws_in_ids,
    flaws_in_nodes,
    flaws_in_rows,
    repeated_paths,
)
from doxeval.errors import CollectionError, InputError
from doxeval.sealed.files import check_contents
from doxeval.wording import brief, counted

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


def verify_collection(directory: str | Path, progress: Progress | None = None) -> Verification:
    """Compare a collection with its hashes and check its structure; damage is in the result.

    If files are damaged, their contents are not examined any further.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><p>One.</p></article>"})
    >>> verify_collection(collection.directory).problems
    ()
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    report = progress or (lambda done, documents: None)
    problems: list[InputError] = list(_damaged_files(directory, manifest, report))
    if not problems:
        try:
            collection = Collection(directory)
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
    directory: Path, manifest: dict[str, Any], report: Progress
) -> Iterator[CollectionError]:
    for name, recorded in manifest["files"].items():
        try:
            check_contents(COLLECTION, directory / name, recorded, lambda done: report(done, 0))
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
    for first in range(0, len(collection), _TEXTS):
        last = min(first + _TEXTS, len(collection))
        for document in range(first, last):
            try:
                collection.text_of(document)
            except CollectionError as error:
                count += 1
                if count <= _MOST_TEXTS_NAMED:
                    message = f"document {brief(collection.id_of(document))}: {error.message}"
                    yield CollectionError(message, error.origin)
        report(int(ends[last - 1]) - begin, last - first)
        begin = int(ends[last - 1])
    if count > _MOST_TEXTS_NAMED:
        more = counted(count - _MOST_TEXTS_NAMED, "more text")
        yield CollectionError(f"and {more}", str(collection.directory / TEXT_FILE))
