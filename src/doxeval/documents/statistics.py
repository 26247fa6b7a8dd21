"""What the INEX papers report of a collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.nodes import NodeColumns
from doxeval.documents.summary import PathSummary

_CHUNK = 1 << 20


@dataclass(frozen=True)
class CollectionStatistics:
    """Counts and means; lengths are in code points of text, a root is at depth 1."""

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
    # Tags by how many elements have them, most frequent first.
    frequent_tags: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        """The statistics as plain values, for JSON."""
        return asdict(self)


def collection_statistics(
    columns: NodeColumns, rows: Ints, summary: PathSummary, source_bytes: int
) -> CollectionStatistics:
    """Compute the statistics in one pass over the columns, a chunk at a time."""
    elements = len(columns.path)
    documents = len(rows) - 1
    per_path = np.zeros(len(summary), dtype=np.int64)
    total_length = 0
    for begin in range(0, elements, _CHUNK):
        chunk = slice(begin, begin + _CHUNK)
        per_path += np.bincount(columns.path[chunk], minlength=len(summary))
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
