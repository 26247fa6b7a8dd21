"""The part of a document in XML that is kept: what `root=` matches, without what `drop=` does.

Both are path patterns, matched against the paths of the whole document. The first element that
`root=` matches, and that is not left out, becomes the document; the elements of `drop=` are left
out with all that is in them, text included, as if they were not in the file. Documents are cut when
they have been read, many at once, and without them nothing is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.build.options import BuildOptions
from doxeval.documents.nodes import NodeTable, tabulate
from doxeval.documents.patterns import PathPatterns
from doxeval.documents.readers.selectors import SelectorUse
from doxeval.documents.readers.tag_events import (
    Attributes,
    NumberedNames,
    TagEvents,
    number_names,
)
from doxeval.errors import DocumentError
from doxeval.messages import Parameter

_NONE = -1  # no element


class CutDocuments(NamedTuple):
    """What is left of some documents, what the patterns matched, and the errors of documents."""

    events: TagEvents
    use: SelectorUse
    errors: dict[int, DocumentError]


class XmlParts:
    """The parts of documents that are kept, by the patterns of a build.

    >>> from doxeval.documents.readers.xml import XmlReader
    >>> reader = XmlReader()
    >>> reader.read(b"<page><info>old</info><body>one<info>two</info></body></page>", "a.xml")
    >>> parts = XmlParts(BuildOptions(root="//body", drop="//info"))
    >>> events, use, _ = parts.cut_from(reader.take(), ["a.xml"])
    >>> list(events.names), events.texts, use.dropped
    (['body', ''], [b'one'], (2,))
    """

    def __init__(self, options: BuildOptions) -> None:
        root, drop = options.parts_of("xml")
        self._root_text = root
        self._root = None if root is None else PathPatterns.parse(root)
        self._drop = [PathPatterns.parse(text) for text in drop]
        self._root_missing = options.root_missing

    def cut_from(self, events: TagEvents, origins: Sequence[str | None]) -> CutDocuments:
        """Return documents without what is not kept; those without an origin are not in XML."""
        are_xml = np.array([origin is not None for origin in origins], dtype=np.bool_)
        if (self._root is None and not self._drop) or not are_xml.any():
            return CutDocuments(events, SelectorUse(), {})
        table = tabulate(events)
        document = np.repeat(np.arange(len(are_xml)), table.rows)
        begins = np.cumsum(table.rows) - table.rows
        is_xml = are_xml[document]

        by_drop = [self._matches(patterns, table) & is_xml for patterns in self._drop]
        dropped = np.logical_or.reduce([np.zeros(len(document), dtype=np.bool_), *by_drop])
        around = _cover(np.flatnonzero(dropped), table.columns.size, len(document))
        outermost = dropped & (around == 1)
        roots = self._roots(table, document, (around == 0) & is_xml, len(are_xml))
        use = SelectorUse(
            int(are_xml.sum()),
            roots.several,
            tuple(int((matches & outermost).sum()) for matches in by_drop),
            0 if self._root is None else int((are_xml & (roots.first == _NONE)).sum()),
        )
        errors = {}
        for number in np.flatnonzero(are_xml).tolist():
            origin = origins[number]
            has_root = self._root is None or roots.first[number] != _NONE
            if not has_root and self._root_missing == "error":
                message = " selects nothing in the document"
                errors[number] = DocumentError(Parameter("root", self._root_text) + message, origin)
            elif outermost[begins[number]]:
                message = " selects the root of the document, so nothing is left"
                errors[number] = DocumentError(Parameter("drop") + message, origin)
        if errors:
            return CutDocuments(events, use, errors)
        first = np.where(roots.first == _NONE, begins, roots.first)
        return CutDocuments(_cut(events, table, first, np.flatnonzero(outermost)), use, {})

    def _matches(self, patterns: PathPatterns, table: NodeTable) -> Bools:
        matches: Bools = patterns.matches(table.summary)[table.columns.path]
        return matches

    def _roots(self, table: NodeTable, document: Ints, may_be: Bools, count: int) -> _Roots:
        """Return the element that becomes each document, and how many documents have another."""
        first = np.full(count, _NONE, dtype=np.int64)
        if self._root is None:
            return _Roots(first, 0)
        rows = np.flatnonzero(self._matches(self._root, table) & may_be)
        documents, at = np.unique(document[rows], return_index=True)
        first[documents] = rows[at]
        ends = first + table.columns.size[first]
        others = rows >= ends[document[rows]]
        return _Roots(first, len(np.unique(document[rows[others]])))


class _Roots(NamedTuple):
    first: Ints
    several: int


def _cover(rows: Ints, sizes: Ints, count: int) -> Ints:
    """Return for each row how many of some subtrees it is in, given their roots.

    >>> _cover(np.array([1, 2]), np.array([4, 2, 1, 1]), 4).tolist()
    [0, 1, 2, 0]
    """
    begin = np.bincount(rows, minlength=count + 1)
    end = np.bincount(rows + sizes[rows], minlength=count + 1)
    inside: Ints = np.cumsum(begin - end)[:count]
    return inside


def _cut(events: TagEvents, table: NodeTable, roots: Ints, dropped: Ints) -> TagEvents:
    """Return the events of documents that begin at these rows, without these subtrees."""
    columns, rows = table.columns, table.rows
    names = number_names(events.names)
    # The tags of a subtree follow each other: as many start tags as rows, and as many end tags.
    start_tag = np.flatnonzero(names.numbers >= 0)
    tags = np.zeros(len(names) + 1, dtype=np.int64)
    for kept, sign in ((roots, 1), (dropped, -1)):
        np.add.at(tags, start_tag[kept], sign)
        np.add.at(tags, start_tag[kept] + 2 * columns.size[kept], -sign)
    is_kept = np.cumsum(tags)[:-1] == 1
    # Each tag moves by the text that was dropped before it.
    moves = np.zeros(len(names) + 1, dtype=np.int64)
    lengths = (columns.end[dropped] - columns.start[dropped]).astype(np.int64)
    np.add.at(moves, start_tag[dropped] + 2 * columns.size[dropped], lengths)
    positions = events.positions - np.cumsum(moves)[:-1]

    row_is_kept = is_kept[start_tag]
    begins = np.cumsum(rows) - rows
    of_document = np.searchsorted(dropped, [*begins, len(columns.size)])
    texts: list[bytes] = []
    attributes: list[Attributes] = []
    for number, (begin, root) in enumerate(zip(begins.tolist(), roots.tolist(), strict=True)):
        inside = dropped[of_document[number] : of_document[number + 1]]
        text, kept_attributes = events.texts[number], events.attributes[number]
        if root != begin or len(inside):
            span = int(columns.start[root]), int(columns.end[root])
            gaps = [(int(columns.start[row]), int(columns.end[row])) for row in inside.tolist()]
            text = _without(text, span, gaps)
            of_rows = row_is_kept[begin : begin + int(rows[number])]
            kept_attributes = _renumbered(kept_attributes, of_rows)
        texts.append(text)
        attributes.append(kept_attributes)
    kept_names = NumberedNames(names.numbers[is_kept], names.distinct)
    return TagEvents(kept_names, positions[is_kept], texts, attributes)


def _without(text: bytes, span: tuple[int, int], gaps: Sequence[tuple[int, int]]) -> bytes:
    """Return a span of a text, in code points, without gaps that do not overlap.

    >>> _without("é12345".encode(), (1, 6), [(0, 1), (2, 4)])
    b'145'
    """
    characters = text.decode()
    parts: list[str] = []
    at, end = span
    for first, last in gaps:
        if first >= at and last <= end:
            parts.append(characters[at:first])
            at = last
    parts.append(characters[at:end])
    return "".join(parts).encode()


def _renumbered(attributes: Attributes, is_kept: Bools) -> Attributes:
    """Return the attributes of the rows that are kept, by what becomes of these rows."""
    if not attributes:
        return attributes
    new = np.cumsum(is_kept) - 1
    return [(int(new[row]), name, value) for row, name, value in attributes if is_kept[row]]
