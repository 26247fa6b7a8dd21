"""Verifying a collection completely: every byte of every file, and what the columns say.

A collection that was built and not altered passes all checks. Those of the structure (trees, spans,
paths, ids) are for files whose hashes are right and whose contents are not. All work on whole
arrays, in blocks of documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Bytes, Ints, last_true
from doxeval.documents.collection import Collection
from doxeval.documents.display import DISPLAY_NAMES, read_facts
from doxeval.documents.ids import IdIndex
from doxeval.documents.layout import (
    COLLECTION,
    DISPLAY_TEXTS_FILE,
    DISPLAY_TYPES,
    IDS_FILE,
    current_manifest,
)
from doxeval.documents.nodes import NO_PARENT, NodeColumns, PathSummary
from doxeval.documents.statistics import TextTotals, elements_by_path, text_totals
from doxeval.errors import CollectionError, InputError
from doxeval.messages import Message, plural, quoted
from doxeval.storage import MANIFEST_NAME as MANIFEST
from doxeval.storage import (
    RemoteDirectory,
    check_contents,
    local_path,
    map_in_threads,
    save_digests,
)

_ROWS = 1 << 20  # how many rows are checked at once, about
_IDS = 1 << 16
_FACTS = 1 << 16
_NEWLINE = ord("\n")
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
    save_digests()
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

    errors = map_in_threads(damage, list(files), sizes, lambda done: report(done, 0))
    return (error for error in errors if error is not None)


def _check_here(
    directory: Path, name: str, recorded: dict[str, Any], progress: Callable[[int], object]
) -> None:
    check_contents(COLLECTION, directory / name, recorded, progress)


def _damaged_in_cache(collection: Collection) -> Iterator[CollectionError]:
    """Yield the damaged files in the cache, if the collection is at a URL."""
    if collection.files.remote is None:
        return
    for name, recorded in collection.manifest["files"].items():
        try:
            if name not in COLLECTION.unhashed:
                check_contents(collection.files.store_type, collection.directory / name, recorded)
        except CollectionError as error:
            yield error


def _damaged_texts(collection: Collection, report: Progress) -> Iterator[CollectionError]:
    """Yield the documents whose text is not the one that was stored; of many, the first."""
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


def _flaws(collection: Collection) -> Iterator[InputError]:
    files, rows, summary = collection.files, collection.rows, collection.summary
    flaws = [*repeated_paths(summary), *flaws_in_rows(rows, len(collection.nodes.path))]
    if not flaws:
        flaws += flaws_in_nodes(collection.nodes, rows, summary)
    if not flaws:
        per_path, totals = collection.elements_by_path, collection.text_totals
        flaws += flaws_in_counts(collection.nodes, rows, per_path, totals)
    flaws += flaws_in_ids(*collection.id_columns)
    if files.has_column("display.elements"):
        flaws += flaws_in_display(collection)
    return (files.damaged(*flaw) for flaw in flaws)


# What the columns say


class Flaw(NamedTuple):
    """What is wrong with a file."""

    file: str
    what: str


def repeated_paths(summary: PathSummary) -> Iterator[Flaw]:
    """Yield a flaw if the summary has a path twice."""
    keys = (summary.parent_of.astype(np.int64) + 1) * len(summary.tags) + summary.tag_of
    if len(np.unique(keys)) != len(keys):
        yield Flaw("summary.tag.npy", "a path is there twice")


def flaws_in_rows(rows: Ints, elements: int) -> Iterator[Flaw]:
    """Yield documents without rows, and rows without a document."""
    if rows[0] != 0 or rows[-1] != elements:
        yield Flaw("documents.rows.npy", f"the rows are not 0 to {elements:,}")
    yield from _flaw(
        "documents.rows.npy", rows[1:] > rows[:-1], "document {} has no rows of its own"
    )


def flaws_in_ids(ends: Ints, lines: Bytes, index: IdIndex) -> Iterator[Flaw]:
    """Yield ids that cannot be read, and an index that does not lead to them."""
    is_sorted = (index.keys[1:] > index.keys[:-1]) | (
        (index.keys[1:] == index.keys[:-1]) & (index.checks[1:] > index.checks[:-1])
    )
    yield from _flaw("documents.index_keys.npy", is_sorted, "key {} is not below the next")
    flaws = list(_flaw("documents.id_ends.npy", ends[1:] > ends[:-1], "id {} does not end"))
    if flaws or not len(ends) or ends[0] <= 0 or ends[-1] != len(lines):
        yield flaws[0] if flaws else Flaw("documents.id_ends.npy", f"{IDS_FILE} ends elsewhere")
        return
    begin = 0
    for first in range(0, len(ends), _IDS):
        block = ends[first : first + _IDS]
        try:
            text = lines[begin : int(block[-1])].tobytes().decode()
        except UnicodeDecodeError:
            yield Flaw(IDS_FILE, "it is not UTF-8")
            return
        begin = int(block[-1])
        ids = text.split("\n")
        if ids.pop() or len(ids) != len(block) or (lines[block - 1] != _NEWLINE).any():
            yield Flaw(IDS_FILE, f"expected one line for each of {len(ends):,} documents")
            return
        numbers = np.arange(first, first + len(ids))
        yield from _flaw(
            "documents.index_numbers.npy",
            index.find(ids) == numbers,
            "the index does not lead to document {}",
            first,
        )


def flaws_in_nodes(columns: NodeColumns, rows: Ints, summary: PathSummary) -> Iterator[Flaw]:
    """Yield elements that are not where their parents, their subtrees or their paths say."""
    document = 0
    while document < len(rows) - 1:
        beyond = int(np.searchsorted(rows, rows[document] + _ROWS, side="right")) - 1
        beyond = max(beyond, document + 1)
        begin, end = int(rows[document]), int(rows[beyond])
        block = NodeColumns(*(column[begin:end].astype(np.int64) for column in columns))
        yield from _RowBlock(block, rows[document : beyond + 1] - begin, summary, begin).flaws()
        document = beyond


class _RowBlock:
    """The rows of some documents."""

    def __init__(
        self, columns: NodeColumns, rows: Ints, summary: PathSummary, first_row: int
    ) -> None:
        self._columns = columns
        self._summary = summary
        self._first_row = first_row
        counts = np.diff(rows)
        self._root = np.repeat(rows[:-1], counts)
        self._beyond = np.repeat(rows[1:], counts)
        self._row = np.arange(len(columns.path))
        self._is_root = self._row == self._root
        self._parent = np.where(self._is_root, self._row, columns.parent + self._root)

    def flaws(self) -> Iterator[Flaw]:
        """Yield what is wrong with these rows; those out of range are not examined any further."""
        flaws = [*self._out_of_range()]
        if not flaws:
            flaws = [*self._wrong_order()]
        yield from flaws

    def _out_of_range(self) -> Iterator[Flaw]:
        columns, row, is_root = self._columns, self._row, self._is_root
        parent_is_before = (columns.parent >= 0) & (self._parent < row)
        yield from self._of(
            "parent",
            np.where(is_root, columns.parent == NO_PARENT, parent_is_before),
            "its parent does not come before it",
        )
        past = row + columns.size
        yield from self._of(
            "size",
            (columns.size >= 1) & (past <= self._beyond) & (~is_root | (past == self._beyond)),
            "its subtree does not end in its document",
        )
        is_path = (columns.path >= 0) & (columns.path < len(self._summary))
        yield from self._of("path", is_path, "there is no such path")
        begins = (columns.start >= 0) & (~is_root | (columns.start == 0))
        yield from self._of("start", begins, "it begins before its document or after its root")
        yield from self._of("end", columns.end >= columns.start, "it ends before it begins")

    def _wrong_order(self) -> Iterator[Flaw]:
        columns, parent = self._columns, self._parent
        past = self._row + columns.size
        closed = np.cumsum(np.bincount(past, minlength=len(past) + 1))[: len(past)]
        depth = self._row + 1 - closed
        is_inside = (past <= past[parent]) & (self._is_root | (depth[parent] + 1 == depth))
        yield from self._of("size", is_inside, "its subtree is not inside that of its parent")
        starts_inside = columns.start >= columns.start[parent]
        yield from self._of("start", starts_inside, "it begins before its parent")
        yield from self._of("end", columns.end <= columns.end[parent], "it ends after its parent")
        above = np.where(self._is_root, NO_PARENT, columns.path[parent])
        is_below = self._summary.parent_of[columns.path] == above
        yield from self._of("path", is_below, "its path is not that of its parent and a tag")
        yield from self._siblings()

    def _siblings(self) -> Iterator[Flaw]:
        columns = self._columns
        key = np.where(self._is_root, -1 - self._row, self._parent)  # roots have no siblings
        order = np.argsort(key, kind="stable")
        are_siblings = key[order][1:] == key[order][:-1]
        is_after = np.ones(len(order), dtype=np.bool_)
        is_after[order[1:]] = ~are_siblings | (columns.start[order[1:]] >= columns.end[order[:-1]])
        yield from self._of("start", is_after, "it begins before its last sibling ends")
        order = order[np.lexsort((columns.path[order], key[order]))]
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = (np.diff(key[order]) != 0) | (np.diff(columns.path[order]) != 0)
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order)) - last_true(is_first) + 1
        yield from self._of(
            "ordinal", columns.ordinal == number, "it is not the number among its siblings"
        )

    def _of(self, column: str, is_right: Bools, what: str) -> Iterator[Flaw]:
        return _flaw(f"nodes.{column}.npy", is_right, f"row {{}}: {what}", self._first_row)


def flaws_in_counts(
    columns: NodeColumns, rows: Ints, per_path: Ints, totals: TextTotals
) -> Iterator[Flaw]:
    """Yield statistics that are not those of the elements."""
    if not np.array_equal(elements_by_path(columns, len(per_path)), per_path):
        yield Flaw("summary.elements.npy", "a path has another number of elements")
    if text_totals(columns, rows) != totals:
        yield Flaw(MANIFEST, "the statistics are not those of the elements")


def flaws_in_display(collection: Collection) -> Iterator[Flaw]:
    """Yield display facts of elements that do not exist, and values that no fact may have."""
    elements, names, values, ends = (
        collection.files.column(f"display.{name}") for name in DISPLAY_TYPES
    )
    texts, rows = collection.files.raw(DISPLAY_TEXTS_FILE), collection.rows
    are_right = (elements >= 0) & (elements < rows[-1])
    are_right[1:] &= elements[1:] >= elements[:-1]
    yield from _flaw("display.elements.npy", are_right, "fact {} is not in the order of elements")
    yield from _flaw("display.names.npy", names < len(DISPLAY_NAMES), "fact {} has no name")
    begins = np.append(0, ends)[:-1]
    are_lines = (ends > begins) & (ends <= len(texts))
    flaws = [*_flaw("display.text_ends.npy", are_lines, "text {} does not end")]
    if not flaws and (texts[ends - 1] != _NEWLINE).any():
        flaws = [Flaw(DISPLAY_TEXTS_FILE, f"expected one line for each of {len(ends):,} texts")]
    yield from flaws
    if flaws:
        return
    for first in range(0, len(elements), _FACTS):
        block = slice(first, first + _FACTS)
        try:
            read_facts(elements[block], names[block], values[block], collection.display_text)
        except (ValueError, IndexError):
            yield Flaw("display.values.npy", "a value is none that its fact may have")
            return


def _flaw(file: str, is_right: Bools, what: str, first: int = 0) -> Iterator[Flaw]:
    """Yield the first row, if there is one, where something is not right."""
    if not is_right.all():
        yield Flaw(file, what.format(f"{first + int(np.argmin(is_right)):,}"))
