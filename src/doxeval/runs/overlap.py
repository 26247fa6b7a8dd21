"""Which results of a run overlap another result of the same topic's list.

Two results overlap if they share a character of the same document: one element inside another, a
passage that runs into another one, or the same part returned twice. A range without characters
overlaps another if it lies strictly inside it, as an empty element does. Entry points have no text,
so they overlap nothing.

Without a collection, elements are compared by their paths and passages by their offsets. An element
and a passage then cannot be compared, unless the element is the whole document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.columns import LARGEST_WHOLE
from doxeval.documents import Collection
from doxeval.runs.path_ranges import subtree_ranges
from doxeval.runs.resolution import ResolvedRun
from doxeval.runs.run import Kind, Run
from doxeval.runs.span_lists import Pieces, pieces_of
from doxeval.spans import Spans, merged

# Where the range of a whole document ends if its length is not known: beyond every offset.
_BEYOND = LARGEST_WHOLE


class Overlap(NamedTuple):
    """Which results could be compared with others, and which of them overlap another one."""

    is_compared: Bools
    is_overlapping: Bools


def overlap_of(
    run: Run, resolved: ResolvedRun | None = None, collection: Collection | None = None
) -> Overlap:
    """Which results overlap another result of the same topic and document.

    >>> run = Run.from_dict({"7": [("d", "/a/s[1]"), ("d", "/a/s[1]/p[2]"), ("d", "/a/s[2]")]})
    >>> overlap_of(run).is_overlapping.tolist()
    [True, True, False]
    """
    if resolved is None or collection is None:
        scales = [_by_paths(run), _by_offsets(run)]
    else:
        scales = [text_extents(resolved, collection)]
    is_compared = np.zeros(len(run), dtype=np.bool_)
    is_overlapping = np.zeros(len(run), dtype=np.bool_)
    group = article_numbers(run)
    for extents in scales:
        is_compared[extents.row] = True
        is_overlapping[_overlapping_rows(extents, group)] = True
    return Overlap(is_compared, is_overlapping)


def article_numbers(run: Run) -> Ints:
    """A number for each result's topic and document together.

    >>> article_numbers(Run.from_dict({"7": ["a", "b"], "8": ["b"]})).tolist()
    [0, 1, 2]
    """
    pairs = run.topic.astype(np.int64) * max(len(run.documents), 1) + run.document
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.int64)


def text_extents(resolved: ResolvedRun, collection: Collection) -> Pieces:
    """The ranges of text of all results that resolve; of a tree, those of its elements.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.runs.resolution import resolve
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> run = Run.from_dict({"1": [("a", "/s/p[2]"), ("a", 2, 6)]})
    >>> text_extents(resolve(run, collection), collection).start.tolist()
    [4, 2]
    """
    kind = resolved.run.kind
    single = np.flatnonzero((resolved.start >= 0) & (kind != Kind.POINT) & (kind != Kind.TREE))
    pieces = resolved.pieces(single)
    trees = resolved.trees
    several = np.flatnonzero(trees.counts > 0)
    nodes = trees.nodes[concatenated_ranges(trees.begin[several], trees.counts[several])]
    own = merged(
        Spans(
            np.repeat(several, trees.counts[several]),
            collection.nodes.start[nodes].astype(np.int64),
            collection.nodes.end[nodes].astype(np.int64),
        )
    )
    return Pieces(
        np.concatenate([single[pieces.row], own.group]),
        np.concatenate([pieces.start, own.start]),
        np.concatenate([pieces.end, own.end]),
    )


def _by_paths(run: Run) -> Pieces:
    """Elements, trees of them and whole documents, as ranges of paths in order."""
    rows = np.flatnonzero(np.isin(run.kind, (Kind.ELEMENT, Kind.TREE, Kind.DOCUMENT)))
    numbers, which = np.unique(run.path[rows], return_inverse=True)
    trees = [("",) if number < 0 else run.paths[number] for number in numbers.tolist()]
    start, end = subtree_ranges([path for tree in trees for path in tree])
    counts = np.array([len(tree) for tree in trees], dtype=np.int64)
    first = np.cumsum(counts) - counts
    paths = concatenated_ranges(first[which], counts[which])
    own = merged(Spans(np.repeat(rows, counts[which]), start[paths], end[paths]))
    return Pieces(own.group, own.start, own.end)


def _by_offsets(run: Run) -> Pieces:
    """Passages that are given in characters, one or several together, and whole documents."""
    is_passage = ((run.kind == Kind.PASSAGE) | (run.kind == Kind.SPANS)) & (run.start >= 0)
    is_document = run.kind == Kind.DOCUMENT
    roots = [len(paths) == 1 and paths[0].strip().count("/") == 1 for paths in run.paths]
    is_document |= (run.kind == Kind.ELEMENT) & np.array([*roots, False])[run.path]
    rows = np.flatnonzero(is_passage | is_document)
    start = np.where(is_document[rows], 0, run.start[rows])
    end = np.where(is_document[rows], _BEYOND, run.end[rows])
    own = pieces_of(start, end, None if run.spans is None else run.spans.rows(rows))
    return Pieces(rows[own.row], own.start, own.end)


def _overlapping_rows(extents: Pieces, group_of: Ints) -> Ints:
    """The rows that overlap another, given ranges of each row that are apart from each other."""
    edges, rank = np.unique(
        np.concatenate([extents.start, extents.end]), return_inverse=True
    )  # offsets may be huge; only their order counts
    group = group_of[extents.row] * len(edges)
    begin, after = group + rank[: len(group)], group + rank[len(group) :]
    filled = np.flatnonzero(after > begin)
    filled = filled[np.argsort(begin[filled], kind="stable")]
    empty = np.flatnonzero(after == begin)
    points = np.sort(begin[empty])
    # Groups follow each other, so the ranges before one reach into it only within its group.
    start, end = begin[filled], after[filled]
    reach = np.maximum.accumulate(np.append(0, end))
    into_earlier = reach[:-1] > start
    into_later = np.append(start[1:] < end[:-1], False)[: len(start)]
    around_empty = np.searchsorted(points, end, "left") > np.searchsorted(points, start, "right")
    before = np.searchsorted(start, begin[empty], "left")  # ranges that begin before a point
    is_inside = reach[before] > begin[empty]
    return np.concatenate(
        [
            extents.row[filled[into_earlier | into_later | around_empty]],
            extents.row[empty[is_inside]],
        ]
    )
