"""The figures that INEX papers report of a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.nodes import NodeColumns
from doxeval.documents.summary import PathSummary

_CHUNK = 1 << 20  # columns may be larger than memory


@dataclass(frozen=True)
class CollectionStatistics:
    """Counts and means; lengths are in code points of text, and a root is at depth 1."""

    documents: int
    elements: int
    tags: int
    paths: int
    source_bytes: int
    characters: int
    elements_per_document: float
    mean_depth: float
    deepest: int
    mean_document_length: float
    longest_document: int
    mean_element_length: float
    # How many elements have each tag, the most frequent tag first.
    frequent_tags: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """The statistics as plain values, for JSON."""
        return asdict(self)


def elements_by_path(columns: NodeColumns, summary: PathSummary) -> Ints:
    """How many elements have each path of the summary."""
    counts = np.zeros(len(summary), dtype=np.int64)
    for chunk in _chunks(len(columns.path)):
        counts += np.bincount(columns.path[chunk], minlength=len(summary))
    return counts


def collection_statistics(
    columns: NodeColumns, rows: Ints, summary: PathSummary, per_path: Ints, source_bytes: int
) -> CollectionStatistics:
    """The statistics of a collection, given how many elements have each path."""
    elements = len(columns.path)
    documents = len(rows) - 1
    total_length = 0
    for chunk in _chunks(elements):
        lengths = columns.end[chunk].astype(np.int64) - columns.start[chunk]
        total_length += int(lengths.sum())
    document_lengths = columns.end[rows[:-1]].astype(np.int64)
    per_tag = np.bincount(summary.tag_of, weights=per_path, minlength=len(summary.tags))
    tags = Counter(dict(zip(summary.tags, per_tag.astype(int).tolist(), strict=True)))
    characters = int(document_lengths.sum())
    return CollectionStatistics(
        documents=documents,
        elements=elements,
        tags=len(summary.tags),
        paths=len(summary),
        source_bytes=source_bytes,
        characters=characters,
        elements_per_document=elements / documents,
        mean_depth=float(per_path @ summary.depth_of / elements),
        deepest=int(summary.depth_of.max()),
        mean_document_length=characters / documents,
        longest_document=int(document_lengths.max()),
        mean_element_length=total_length / elements,
        frequent_tags=dict(tags.most_common()),
    )


def _chunks(rows: int) -> Iterator[slice]:
    return (slice(begin, begin + _CHUNK) for begin in range(0, rows, _CHUNK))
