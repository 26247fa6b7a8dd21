"""The cover of a span of text: the coarsest set of disjoint elements that holds it.

It is made of the outermost elements that lie wholly inside the span and, for text of the span
that is in none of them, of the innermost element around that text. An element that comes in for
such text absorbs the members inside itself. White space is no such text, so that a cover does not
depend on line breaks between elements; empty elements are never in a cover.

    <s><p>one</p> <p>two <b>and</b> a half</p></s>

The cover of all but the last word is p[1] and p[2]: p[1] is wholly inside; p[2] holds the words
around b, and absorbs it. The blank between the paragraphs brings in nothing.

Elements with ignored tags are looked through, as if only their text were there, and so are those
that cannot be members because of their paths.
"""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges, portions, positions_in
from doxeval.documents.collection import Collection
from doxeval.documents.lookup import first_beginning
from doxeval.documents.nodes import Trees
from doxeval.documents.words import is_white_space
from doxeval.spans import Spans, merge_spans

# How many pairs of a span and an element are worked on at once, about.
_MOST_PAIRS = 200_000


def covers(
    collection: Collection,
    documents: Ints,
    starts: Ints,
    ends: Ints,
    ignored: Container[str] = (),
    members: Bools | None = None,
) -> Trees:
    """Return the cover of each span of a document, as a tree; an empty span has none.

    Spans are inside their documents. members: for each path of the collection's summary, whether
    elements with that path can be members; None: all can.

    >>> from doxeval.documents.examples import example_collection
    >>> source = "<s><p>one</p> <p>two <b>and</b> a half</p></s>"
    >>> collection = example_collection({"a": source})
    >>> document, starts = np.zeros(3, dtype=np.int64), np.array([0, 1, 8])
    >>> trees = covers(collection, document, starts, np.array([13, 3, 11]))
    >>> [[collection.path_of(node) for node in tree] for tree in trees.as_sets()]
    [['/s[1]/p[1]', '/s[1]/p[2]'], ['/s[1]/p[1]'], ['/s[1]/p[2]/b[1]']]
    """
    if not len(documents):
        return Trees.empty(0)
    is_ignored = _ignored_paths(collection, ignored, members)
    order = np.argsort(documents, kind="stable")  # so each document is read once
    spans = Spans(documents[order], starts[order], ends[order])
    in_order = [
        _cover(collection, Spans(*(column[part] for column in spans)), is_ignored)
        for part in _portions(collection, spans)
    ]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Trees(
        np.concatenate([trees.nodes for trees in in_order]),
        np.append(0, np.cumsum(np.concatenate([trees.counts for trees in in_order]))),
    ).rows(rank)


def covers_of_groups(
    collection: Collection,
    documents: Ints,
    spans: Spans,
    ignored: Container[str] = (),
    members: Bools | None = None,
) -> Trees:
    """Return the cover of all spans of each group; `documents` has the document of each group.

    Spans that touch are one span. Each is covered by itself, and members of one cover absorb
    those of another that lie inside them.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>one</p><p>two <b>and</b> half</p></s>"})
    >>> spans = Spans.of([(0, 0, 3), (0, 7, 10), (0, 12, 14)])
    >>> covers_of_groups(collection, np.array([0]), spans).as_sets()
    [(1, 2)]
    """
    spans = merge_spans(spans)
    trees = covers(collection, documents[spans.group], spans.start, spans.end, ignored, members)
    group = np.repeat(spans.group, trees.counts)
    return _disjoint(collection, group, trees.nodes, len(documents))


def _ignored_paths(collection: Collection, ignored: Container[str], members: Bools | None) -> Bools:
    """Return for each path of the summary whether its elements are looked through."""
    summary = collection.summary
    has_ignored_tag = np.array([tag in ignored for tag in summary.tags], dtype=np.bool_)
    is_ignored = has_ignored_tag[summary.tag_of]
    return is_ignored if members is None else is_ignored | ~members


# Spans of text below have the number of their document as their group.


class _Touched(NamedTuple):
    """Elements that share text with spans: by span, and by node within a span.

    start, end: the part of the element that is in the span. parent: the row of the element around
    it, -1 if there is none. is_inside: whether the whole element is in the span.
    """

    span: Ints
    node: Ints
    start: Ints
    end: Ints
    parent: Ints
    is_inside: Bools


def _portions(collection: Collection, spans: Spans) -> Iterator[slice]:
    """Yield the spans in portions, so that none has too many elements to look at."""
    rows, document = collection.rows, spans.group
    elements = (rows[document + 1] - rows[document]).astype(np.int64)
    length = np.maximum(collection.nodes.end[rows[document]].astype(np.int64), 1)
    # A span has about its share of the elements of its document.
    expected = elements * spans.lengths() // length + 10
    return portions(expected, _MOST_PAIRS)


def _cover(collection: Collection, spans: Spans, is_ignored: Bools) -> Trees:
    touched = _find_touched(collection, spans, is_ignored)
    around = touched.parent
    # The outermost elements wholly inside, and those around text that is in none of these.
    is_member = touched.is_inside & ~(touched.is_inside[around] & (around >= 0))
    is_member |= _holds_text_itself(collection, spans, touched)
    rows = np.flatnonzero(is_member)
    return _disjoint(collection, touched.span[rows], touched.node[rows], len(spans.group))


def _find_touched(collection: Collection, spans: Spans, is_ignored: Bools) -> _Touched:
    """Return the elements that share text with each span, except those that are looked through."""
    which, node = _candidates(collection, spans)
    columns = collection.nodes
    start = np.maximum(columns.start[node].astype(np.int64), spans.start[which])
    end = np.minimum(columns.end[node].astype(np.int64), spans.end[which])
    kept = end > start
    if is_ignored.any():
        kept &= ~is_ignored[columns.path[node]]
    which, node, start, end = which[kept], node[kept], start[kept], end[kept]
    order = np.lexsort((node, which))
    which, node, start, end = which[order], node[order], start[order], end[order]
    parent = _parents(collection, node, is_ignored)
    every = len(columns.path) + 1
    row = positions_in(which * every + node, which * every + parent)
    is_inside = end - start == columns.end[node].astype(np.int64) - columns.start[node]
    return _Touched(which, node, start, end, np.where(parent < 0, -1, row), is_inside)


def _candidates(collection: Collection, spans: Spans) -> tuple[Ints, Ints]:
    """Return pairs of a span and an element that begins in it, or is open where it begins."""
    columns = collection.nodes
    root, beyond = collection.rows[spans.group], collection.rows[spans.group + 1]
    low = first_beginning(columns, root, beyond, spans.start)
    high = first_beginning(columns, low, beyond, spans.end)
    begun = concatenated_ranges(low, high - low)
    owners, nodes = [np.repeat(np.arange(len(root)), high - low)], [begun]
    # The last element that begins before the span, and all elements around it.
    owner = np.flatnonzero(low > root)
    node = low[owner] - 1
    while len(owner):
        owners.append(owner)
        nodes.append(node)
        above = columns.parent[node].astype(np.int64)
        collection.check_parents(node - root[owner], above)
        owner, node = owner[above >= 0], root[owner[above >= 0]] + above[above >= 0]
    return np.concatenate(owners), np.concatenate(nodes)


def _parents(collection: Collection, node: Ints, is_ignored: Bools) -> Ints:
    """Return the nearest element around each that is not ignored; -1 if there is none."""
    parent = collection.parents_of(node)
    if not is_ignored.any():
        return parent
    path = collection.nodes.path

    def looked_through() -> Ints:
        return np.flatnonzero((parent >= 0) & is_ignored[path[parent]])

    rows = looked_through()
    while len(rows):
        parent[rows] = collection.parents_of(parent[rows])
        rows = looked_through()
    return parent


def _holds_text_itself(collection: Collection, spans: Spans, touched: _Touched) -> Bools:
    """Return which elements not wholly inside have text of their span outside their children."""
    length = touched.end - touched.start
    below = np.flatnonzero(touched.parent >= 0)
    outside = length - _sum_by_group(touched.parent[below], length[below], len(length))
    has_text = ~touched.is_inside & (outside > 0)
    if not has_text.any():
        return has_text
    children = below[has_text[touched.parent[below]]]
    is_needed = has_text.copy()
    is_needed[children] = True
    rows = np.flatnonzero(is_needed)
    written = np.zeros(len(length), dtype=np.int64)
    written[rows] = _count_written(
        collection,
        Spans(spans.group[touched.span[rows]], touched.start[rows], touched.end[rows]),
    )
    outside = written - _sum_by_group(touched.parent[children], written[children], len(length))
    return has_text & (outside > 0)


def _sum_by_group(group: Ints, values: Ints, groups: int) -> Ints:
    return np.bincount(group, values, groups).astype(np.int64)


def _count_written(collection: Collection, spans: Spans) -> Ints:
    """Return how many characters of each span are not white space."""
    counts = np.empty(len(spans.group), dtype=np.int64)
    order = np.argsort(spans.group, kind="stable")
    numbers, first = np.unique(spans.group[order], return_index=True)
    for number, rows in zip(numbers.tolist(), np.split(order, first[1:]), strict=True):
        is_written = ~is_white_space(collection.text_of(number))
        before = np.append(0, np.cumsum(is_written))  # each offset
        counts[rows] = before[spans.end[rows]] - before[spans.start[rows]]
    return counts


def _disjoint(collection: Collection, group: Ints, node: Ints, groups: int) -> Trees:
    """Return the elements of each group, each once and without those inside another."""
    every = len(collection.nodes.path) + 1
    begin = np.sort(group.astype(np.int64) * every + node)
    node = begin % every
    after = begin + collection.nodes.size[node]
    reach = np.maximum.accumulate(np.append(0, after))[:-1]
    kept = begin >= reach
    counts = np.bincount(begin[kept] // every, minlength=groups)
    return Trees(node[kept], np.append(0, np.cumsum(counts)))
