"""The sections of documents that are trees: XML, HTML and whatever else a collection holds.

A section is an element of one of the names below. Headings of HTML and Markdown make such elements
when a document is read.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxeval.arrays import Ints
from doxeval.chunks.structure import Heading
from doxeval.documents import NodeColumns, PathSummary

# As INEX, JATS, DocBook and HTML call them.
NAMES = frozenset(
    "chapter section sec sect sect1 sect2 sect3 sect4 sect5 subsection subsec ss1 ss2 ss3".split()
)


def outlines(
    columns: NodeColumns, rows: Ints, summary: PathSummary, names: Iterable[str]
) -> dict[str, tuple[Heading, ...]]:
    """Where the sections of each document begin and end, by its name, with their levels.

    rows: the first row of each document, and the number of all rows. Documents without sections
    are left out.

    >>> from doxeval.documents.examples import example_collection
    >>> xml = "<article>Zero. <sec>One. <ss1>Two. </ss1></sec><p>Three.</p></article>"
    >>> found = example_collection({"a": xml, "b": "<p>Four.</p>"})
    >>> outlines(found.nodes, found.rows, found.summary, found.ids())
    {'a': (Heading(start=6, level=1), Heading(start=11, level=2), Heading(start=16, level=1))}
    """
    levels = _levels(summary)
    nodes = np.flatnonzero(levels[columns.path] > 0)
    level = levels[columns.path[nodes]]
    found: dict[str, tuple[Heading, ...]] = {}
    edges = np.searchsorted(nodes, rows)
    for number, name in enumerate(names):
        own = slice(int(edges[number]), int(edges[number + 1]))
        if own.start < own.stop:
            start, end = columns.start[nodes[own]], columns.end[nodes[own]]
            found[name] = _headings(start, end, level[own])
    return found


def _headings(start: Ints, end: Ints, level: Ints) -> tuple[Heading, ...]:
    """The edges of sections, each with the highest level that begins or ends there."""
    highest: dict[int, int] = {}
    edges = np.concatenate([start, end]).tolist()
    for at, own in zip(edges, np.concatenate([level, level]).tolist(), strict=True):
        highest[at] = min(own, highest.get(at, own))
    return tuple(Heading(at, highest[at]) for at in sorted(highest))


def _levels(summary: PathSummary) -> Ints:
    """How many sections each path is in, itself counted; 0 if it is no section itself."""
    is_section = [tag.rpartition(":")[2].lower() in NAMES for tag in summary.tags]
    inside = [0] * len(summary)
    own = [0] * len(summary)
    tags = summary.tag_of.tolist()
    for path, parent in enumerate(summary.parent_of.tolist()):
        above = inside[parent] if parent >= 0 else 0
        inside[path] = above + is_section[tags[path]]
        own[path] = inside[path] if is_section[tags[path]] else 0
    return np.array(own, dtype=np.int64)
