"""The outline of a document: its elements, their highlighted shares, and where blocks begin."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents import Collection
from doxeval.spans import Spans, shared_lengths

MAX_ROWS = 150
_DEEPEST = 7
_LONGEST_HEADING = 80
_SNIPPET = 48
# Where a paragraph ends, or a heading of Markdown.
_GAP = re.compile(r"\n[^\S\n]*\n\s*|(?<=\n)(?=#)")
_TITLES = "title atl st tig hdr h h1 h2 h3 h4 h5 h6 head heading name caption".split()


class OutlineRow(NamedTuple):
    """An element: its depth from 1, its path, its text, how it begins, and its highlighted share.

    The share is None where nothing is highlighted.
    """

    depth: int
    path: str
    start: int
    end: int
    begins: str
    share: float | None


class TextBlock(NamedTuple):
    """A piece of text that stands by itself, such as a paragraph or a heading."""

    start: int
    end: int
    is_title: bool


class Outline(NamedTuple):
    """The elements that are shown, how many are left out, and the blocks of the text in order."""

    rows: tuple[OutlineRow, ...]
    left_out: int
    blocks: tuple[TextBlock, ...]


def outline_of(
    collection: Collection, document: int, highlights: tuple[tuple[int, int], ...]
) -> Outline:
    """Return the outline of one document.

    Elements within running text, such as links and emphasis, belong to the text around them.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One <b>two</b>.</p><p>Three.</p></s>"})
    >>> outline = outline_of(collection, 0, ((0, 4), (8, 14)))
    >>> [(row.path, round(row.share, 2)) for row in outline.rows]
    [('/s[1]', 0.71), ('/s[1]/p[1]', 0.5), ('/s[1]/p[2]', 1.0)]
    >>> [(block.start, block.end) for block in outline.blocks]
    [(0, 8), (8, 14)]
    """
    first, after = int(collection.rows[document]), int(collection.rows[document + 1])
    columns = collection.nodes
    start = columns.start[first:after].astype(np.int64)
    end = columns.end[first:after].astype(np.int64)
    text = collection.text_of(document)
    is_block = _blocks(columns.parent[first:after], start, end, text)
    spans = Spans(np.zeros_like(start), start, end)
    shared = shared_lengths(spans, Spans.of([(0, *pair) for pair in highlights]))
    depth = collection.summary.depth_of[columns.path[first:after]]
    shown = np.flatnonzero(is_block & (end > start) & (depth <= _DEEPEST))
    kept = _rows_to_show(shown, shared, depth)
    rows = []
    for at in kept.tolist():
        begins = " ".join(text[start[at] : start[at] + 4 * _SNIPPET].split())
        rows.append(
            OutlineRow(
                int(depth[at]),
                collection.path_of(first + at),
                int(start[at]),
                int(end[at]),
                begins[:_SNIPPET] + ("…" if len(begins) > _SNIPPET else ""),
                float(shared[at] / (end[at] - start[at])) if highlights else None,
            )
        )
    tags = [collection.summary.tag(int(path)).lower() for path in columns.path[first:after]]
    is_title = is_block & np.isin(tags, _TITLES)
    blocks = _in_order(start[is_block], end[is_block], start[is_title])
    return Outline(tuple(rows), len(shown) - len(kept), blocks)


def plain_outline(text: str) -> Outline:
    """Return the outline of a text without elements: its paragraphs and headings.

    Headings are lines that begin with #, and short lines before a longer text that look like one.

    >>> plain_outline("# A\\n\\nOne.").blocks[0]
    TextBlock(start=0, end=5, is_title=True)
    >>> [block[:2] for block in plain_outline("Of tides\\nThe sea rises.").blocks if block.is_title]
    [(0, 9)]
    """
    starts = [0, *(found.end() for found in _GAP.finditer(text)), len(text)]
    blocks: list[TextBlock] = []
    for start, end in pairwise(sorted(set(starts))):
        title = _heading_end(text, start, end)
        if title > start:
            blocks.append(TextBlock(start, title, True))
        if end > title:
            blocks.append(TextBlock(title, end, text.startswith("#", title)))
    return Outline((), 0, tuple(blocks))


def _heading_end(text: str, start: int, end: int) -> int:
    """Return where the heading at the beginning of a paragraph ends; its start without one.

    It is a short line that ends no sentence, before a longer one; both begin like sentences.
    """
    begin = end - len(text[start:end].lstrip())
    line = _first_line(text[begin : begin + _LONGEST_HEADING + 1])
    following = _first_line(text[begin + len(line) : begin + len(line) + 3 * _LONGEST_HEADING])
    if not line or len(line) > _LONGEST_HEADING or line[-1] in ".,:;!?…":
        return start
    if not (_begins(line) and _begins(following) and len(following) > len(line)):
        return start
    rest = text[begin + len(line) : end]
    return end - len(rest.lstrip())


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].rstrip()


def _begins(line: str) -> bool:
    return line[:1].isupper() or line[:1].isdigit()


def _in_order(start: Ints, end: Ints, titles: Ints) -> tuple[TextBlock, ...]:
    """Return the text between the edges of blocks; what begins where a title does is one."""
    edges = np.unique(np.concatenate([start, end]))
    is_title = np.isin(edges[:-1], titles)
    columns = (edges[:-1].tolist(), edges[1:].tolist(), is_title.tolist())
    return tuple(TextBlock(*each) for each in zip(*columns, strict=True))


def _blocks(parent: Ints, start: Ints, end: Ints, text: str) -> Bools:
    """Return which elements are blocks: no element around them has text of its own."""
    count = len(parent)
    reach = start.copy()  # the end of the last child so far
    mixed = [False] * count
    for at in range(1, count):
        above = int(parent[at])
        mixed[above] = mixed[above] or not _is_blank(text, reach[above], start[at])
        reach[above] = end[at]
    for at in range(count):
        if reach[at] > start[at] or mixed[at]:
            mixed[at] = mixed[at] or not _is_blank(text, reach[at], end[at])
    is_block = np.ones(count, dtype=np.bool_)
    for at in range(1, count):
        above = int(parent[at])
        is_block[at] = is_block[above] and not mixed[above]
    return is_block


def _is_blank(text: str, start: int, end: int) -> bool:
    return not text[start:end].strip()


def _rows_to_show(shown: Ints, shared: Ints, depth: Ints) -> Ints:
    """Return the rows to show if there are too many: highlighted ones first, then upper ones."""
    if len(shown) <= MAX_ROWS:
        return shown
    order = np.lexsort((shown, depth[shown], shared[shown] == 0))
    return np.sort(shown[order[:MAX_ROWS]])
