"""Trees of chunks as collections: chunks become elements, so that ESR and PRUM apply to them.

    /document[1]/chunk[3]/chunk[1]

A chunk without a parent is a child of its document.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from doxeval.chunks.chunks import Chunks, chunks_of_run
from doxeval.documents import (
    ROOT_TAG,
    BuildOptions,
    Collection,
    CollectionWriter,
    DocumentBatch,
    SelectorUse,
    TagEvents,
    TagEventsBuilder,
    encode_texts,
    join_events,
    lone_surrogate_message,
    tabulate,
    why_id_has_spaces,
)
from doxeval.errors import InputError
from doxeval.messages import quoted, truncate
from doxeval.named import checked
from doxeval.runs import Kind, Run

TAG = "chunk"


class _Node(NamedTuple):
    """A chunk and its span."""

    row: int
    start: int
    end: int


@checked
def tree(chunks: Chunks, out: str | os.PathLike[str], *, force: bool = False) -> Collection:
    """Build a collection in which chunks are elements, nested as their parents say.

    Chunks of one parent must not overlap, and none may be outside its parent.

    >>> import pathlib, tempfile
    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One. Two. Three."}, "sentences:2:0")
    >>> collection = chunks.tree(split, pathlib.Path(tempfile.mkdtemp()) / "tree")
    >>> element = collection.element("a", "/document[1]/chunk[2]")
    >>> element.start, element.end
    (10, 16)
    """
    docs = chunks.known_docs
    for name in docs:
        if (spaced := why_id_has_spaces(name)) is not None:
            raise InputError(spaced)
    nested = _by_parent(chunks)
    marks = [_marks(chunks, nested, name, text) for name, text in docs.items()]
    every = join_events(marks)
    options = BuildOptions()
    batch = DocumentBatch(
        ids=list(docs),
        origins=list(docs),
        table=tabulate(every),
        texts=encode_texts(every.texts, options.text),
        hashes=b"".join(hashlib.sha256(text).digest() for text in every.texts),
        source_bytes=sum(map(len, every.texts)),
        broken=[],
        selector_use=SelectorUse(),
    )
    directory = Path(os.fsdecode(out))
    with CollectionWriter(directory, force=force, id_rule=options.id_rule) as writer:
        writer.append(batch)
        facts = {"sources": ["chunks"], "options": options.recorded(), "broken": 0}
        writer.finish({**facts, "suffixes_kept": 0})
    return Collection(directory)


def _by_parent(chunks: Chunks) -> dict[tuple[str, int], list[_Node]]:
    """Return the children of each chunk, and of each document (-1), in the order of the text."""
    children: dict[tuple[str, int], list[_Node]] = {}
    documents = [chunks.documents[number] for number in chunks.document.tolist()]
    lists = chunks.spans.as_tuples()
    for row, (spans, parent) in enumerate(zip(lists, chunks.parent.tolist(), strict=True)):
        if not spans:
            continue  # a chunk that was not found is not in the tree
        if len(spans) > 1:
            raise InputError(
                f"chunk {quoted(chunks.ids[row])} has several ranges: no tree holds it"
            )
        if parent >= 0 and documents[parent] != documents[row]:
            raise InputError(
                f"chunk {quoted(chunks.ids[row])} "
                f"and its parent {quoted(chunks.ids[parent])} are of "
                "different documents"
            )
        children.setdefault((documents[row], parent), []).append(_Node(row, *spans[0]))
    for (_, parent), nodes in children.items():
        nodes.sort(key=lambda node: (node.start, node.end))
        _check(chunks, parent, nodes)
    return children


def _check(chunks: Chunks, parent: int, nodes: list[_Node]) -> None:
    for before, after in pairwise(nodes):
        if after.start < before.end:
            names = [quoted(chunks.ids[node.row]) for node in (before, after)]
            raise InputError(
                f"chunks {names[0]} [{before.start}, {before.end}) and {names[1]} [{after.start}, "
                f"{after.end}) overlap: chunks of one parent are a tree only if they do not"
            )
    if parent < 0:
        return
    around = chunks.spans.as_tuples()[parent]
    if len(around) != 1:
        raise InputError(
            f"chunk {quoted(chunks.ids[parent])} has children, and no range of its own"
        )
    ((start, end),) = around
    for node in nodes:
        if node.start < start or node.end > end:
            raise InputError(
                f"chunk {quoted(chunks.ids[node.row])} [{node.start}, {node.end}) "
                "is not inside its "
                f"parent {truncate(chunks.ids[parent])} [{start}, {end})"
            )


def _marks(
    chunks: Chunks, nested: dict[tuple[str, int], list[_Node]], name: str, text: str
) -> TagEvents:
    builder = TagEventsBuilder()
    builder.open(ROOT_TAG, 0)
    waiting = [iter(nested.get((name, -1), ()))]
    ends: list[int] = []
    opened = 0
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
            if ends:
                builder.close(ends.pop())
            continue
        builder.open(TAG, node.start)
        opened += 1
        if opened > len(chunks):
            raise InputError("chunks are their own ancestors")
        ends.append(node.end)
        waiting.append(iter(nested.get((name, node.row), ())))
    builder.close(len(text))
    try:
        return builder.finish(text)
    except UnicodeEncodeError as error:
        raise InputError(f"document {quoted(name)}: {lone_surrogate_message(error)}") from None


def as_elements(run: Run, chunks: Chunks) -> Run:
    """Return a run of chunks as a run of the elements that they are in their tree.

    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One. Two. Three."}, "sentences:1:0")
    >>> [result.paths for result in as_elements(chunks.search(split, {"7": "three"}), split)]
    [('/document[1]/chunk[3]',)]
    """
    paths = dict(_paths(chunks))
    rows = chunks_of_run(run, chunks.table).tolist()
    results = [
        result._replace(kind=Kind.ELEMENT, start=None, end=None, paths=(paths[row],), spans=())
        for row, result in zip(rows, run, strict=True)
    ]
    return Run.from_results(results, run.run_id)


def _paths(chunks: Chunks) -> Iterator[tuple[int, str]]:
    nested = _by_parent(chunks)
    paths: dict[int, str] = {}
    depth = _depths(chunks.parent.tolist())
    for key in sorted(nested, key=lambda key: depth[key[1]] if key[1] >= 0 else -1):
        base = paths[key[1]] if key[1] >= 0 else f"/{ROOT_TAG}[1]"
        for number, node in enumerate(nested[key], 1):
            paths[node.row] = f"{base}/{TAG}[{number}]"
            yield node.row, paths[node.row]


def _depths(parents: list[int]) -> list[int]:
    """Count the ancestors of each chunk; it is an error if it is one of them itself."""
    depth = np.full(len(parents), -1, dtype=np.int64)
    for row in range(len(parents)):
        chain = [row]
        while depth[chain[-1]] < 0 and parents[chain[-1]] >= 0:
            if len(chain) > len(parents):
                raise InputError("chunks are their own ancestors")
            chain.append(parents[chain[-1]])
        level = int(depth[chain[-1]]) if depth[chain[-1]] >= 0 else 0
        for ancestor in reversed(chain):
            depth[ancestor] = level
            level += 1
    return depth.tolist()
