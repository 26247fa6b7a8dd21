"""Judgments by columns against their collection, all at once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments.judgment_columns import JudgmentColumns
from doxeval.documents import Collection
from doxeval.spans import Spans, merged


class ResolvedColumns(NamedTuple):
    """Judgments in code points, and the rows for which this cannot be.

    document: of each row its number in the collection, -1 if it is not there.
    """

    columns: JudgmentColumns
    document: Ints
    is_wrong: Bools


def resolved_columns(
    columns: JudgmentColumns, collection: Collection, *, in_bytes: bool
) -> ResolvedColumns:
    """Judgments with offsets in code points and the lengths of texts.

    A grade of 1 or more highlights the whole document. A row is wrong if its document is relevant
    and not in the collection, has another length, or has something marked beyond its end.

    >>> from doxeval.assessments.judgment import Judgment
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>One.</s>"})
    >>> judged = [Judgment("7", "a", relevance=1), Judgment("7", "b", ((0, 5),))]
    >>> found = resolved_columns(JudgmentColumns.of(judged), collection, in_bytes=False)
    >>> found.columns.highlights.end.tolist(), found.is_wrong.tolist()
    ([4], [False, True])
    """
    document = collection.find_documents(columns.documents)[columns.document].astype(np.int64)
    is_known = document >= 0
    known = np.flatnonzero(is_known)
    length = columns.length.copy()
    length[known] = collection.nodes.end[collection.rows[document[known]]]
    # Starts, ends, entry points and lengths, all together, so that each text is read once.
    ranges = np.flatnonzero(is_known[columns.highlights.group])
    group = columns.highlights.group[ranges]
    entered = known[columns.entry[known] >= 0]
    stated = known[columns.length[known] >= 0]
    row = np.concatenate([group, group, entered, stated])
    position = np.concatenate(
        [
            columns.highlights.start[ranges],
            columns.highlights.end[ranges],
            columns.entry[entered],
            columns.length[stated],
        ]
    )
    if in_bytes:
        position = _in_characters(collection, document[row], position)
    start, end, entry, stated_length = np.split(
        position, np.cumsum([len(group), len(group), len(entered)])
    )
    is_wrong = ~is_known & columns.is_relevant
    is_wrong[row[(position < 0) | (position > length[row])]] = True
    is_wrong[stated[stated_length != length[stated]]] = True
    resolved_entry = columns.entry.copy()
    resolved_entry[entered] = entry
    graded = known[columns.grade[known] > 0]
    highlights = Spans(group, start, end)
    found = replace(
        columns,
        length=length,
        entry=resolved_entry,
        highlights=_with_whole_documents(highlights, graded, length[graded]),
    )
    return ResolvedColumns(found, document, is_wrong)


def _in_characters(collection: Collection, document: Ints, position: Ints) -> Ints:
    """Positions in bytes as positions in code points, -1 where one splits a character."""
    found = np.empty(len(position), dtype=np.int64)
    order = np.argsort(document, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(document[order])) + 1):
        if len(rows):
            found[rows] = collection.characters_at(int(document[rows[0]]), position[rows])
    return found


def _with_whole_documents(highlights: Spans, rows: Ints, length: Ints) -> Spans:
    """The highlights, and all of the documents of some rows."""
    if not len(rows):
        return highlights
    return merged(
        Spans(
            np.concatenate([highlights.group, rows]),
            np.concatenate([highlights.start, np.zeros(len(rows), dtype=np.int64)]),
            np.concatenate([highlights.end, length]),
        )
    )
