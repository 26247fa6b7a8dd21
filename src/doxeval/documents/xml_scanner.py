"""Scanning XML: the tags of many documents at once, found in their bytes.

Most documents are plain: tags, text and a few references. In such a document every "<" begins a
tag, every ">" ends one, and the rest is text:

    <s id="7">caf\xc3\xa9 &amp; tea<br/></s>
    [        ]                     [   ][  ]     brackets: tags
              ----------------------             gaps: 22 bytes
                  -1   -4                        less one continuation byte and most of a reference
                                                 = 17 characters

So NumPy finds the marks of a whole batch with a few searches for single bytes. It understands
nothing else of XML: expat must accept a document before its scan is believed (see xml_batch.py).
Of a well-formed document, a scan that calls it plain is right:

- without "<!" and "<?" there are only tags, and "<" cannot occur elsewhere;
- each tag has its own ">", so if there are as many ">" as "<", no other ">" exists;
- an attribute's value is quoted, so a "/" before the ">" makes the element empty;
- a reference is a character if its name is one of XML's own, or a number.

Other documents are not plain, and neither are those that exceed a limit: another reader reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bools, Bytes, Ints
from doxeval.documents.limits import Limits
from doxeval.documents.tag_names import END_NUMBER, NumberedNames
from doxeval.documents.xml_names import LONGEST, names_at
from doxeval.documents.xml_references import shrinkage

_AFTER_THE_END = b"\0" * (LONGEST + 8)  # so that looking a few bytes ahead needs no check


class Scan(NamedTuple):
    """What was found in some documents.

    plain: for each document, whether the rest is true of it. bounds: where the marks of each
    document begin, and where the last ones end; a document that is not plain may have none. names
    and positions: of all marks (see Marks).
    """

    plain: Bools
    bounds: Ints
    names: NumberedNames
    positions: Ints

    def marks(self, first: int, end: int) -> tuple[NumberedNames, Ints]:
        """The names and positions of the marks of some documents."""
        mine = slice(int(self.bounds[first]), int(self.bounds[end]))
        return self.names[mine], self.positions[mine]

    def lengths(self) -> Ints:
        """How many code points of text each plain document has; -1 for the others."""
        lengths = np.full(len(self.plain), -1, dtype=np.int64)
        first, end = self.bounds[:-1][self.plain], self.bounds[1:][self.plain]
        lengths[self.plain] = self.positions[end - 1] - self.positions[first]
        return lengths


class _Tags(NamedTuple):
    """The tags of the documents that have only tags, in order.

    begin and end: the places of "<" and ">". documents: the numbers of these documents. first: the
    first tag of each of them. closes: whether it is an end tag. is_empty: whether it is both.
    """

    begin: Ints
    end: Ints
    documents: Ints
    first: Ints
    closes: Bools
    is_empty: Bools

    def document_of(self, tags: Ints) -> Ints:
        """The documents that some tags belong to."""
        return self.documents[np.searchsorted(self.first, tags, side="right") - 1]


def scan(bodies: Sequence[bytes], limits: Limits) -> Scan:
    """The marks of documents, each of which is given from its root element on.

    >>> found = scan([b"<s><p>one &amp; two</p><br/></s>", b"<s><!-- --></s>"], Limits())
    >>> found.plain.tolist(), found.lengths().tolist()
    ([True, False], [9, -1])
    >>> list(found.names), found.positions.tolist()
    (['s', 'p', '', 'br', '', ''], [0, 0, 9, 9, 9, 9])
    """
    joined = b"".join([*bodies, _AFTER_THE_END])
    data = np.frombuffer(joined, dtype=np.uint8)
    tags = _tags(data, np.cumsum([len(body) for body in bodies]))
    plain = np.zeros(len(bodies), dtype=np.bool_)
    if not len(tags.begin):
        return Scan(plain, _bounds(plain * 0), NumberedNames(tags.begin, []), tags.begin)
    plain[tags.documents] = _fits(tags, limits)

    shrinks, strange = shrinkage(joined, data, tags.begin, tags.end)
    plain[tags.document_of(strange)] = False
    starts = np.flatnonzero(~tags.closes)
    name_of_start, names, too_long = names_at(joined, tags.begin[starts] + 1)
    plain[tags.document_of(starts[too_long])] = False

    gaps = tags.begin - shrinks
    gaps[1:] -= tags.end[:-1] + 1
    # An empty element has two marks, the second of which is an end.
    marks_of_tag = tags.is_empty + 1
    after_tag = np.cumsum(marks_of_tag)
    numbers = np.full(int(after_tag[-1]), END_NUMBER, dtype=np.int32)
    numbers[(after_tag - marks_of_tag)[starts]] = name_of_start
    marks_of_document = np.zeros(len(bodies), dtype=np.int64)
    marks_of_document[tags.documents] = np.add.reduceat(marks_of_tag, tags.first)
    positions = np.repeat(np.cumsum(gaps), marks_of_tag)
    return Scan(plain, _bounds(marks_of_document), NumberedNames(numbers, names), positions)


def _tags(data: Bytes, ends: Ints) -> _Tags:
    """The tags of the documents that have only tags, and no other ">"."""
    flags = data | (ord("<") ^ ord(">"))  # both brackets look like ">"
    brackets = np.flatnonzero(np.equal(flags, ord(">"), out=flags.view(np.bool_)))
    begins, second = data[brackets] == ord("<"), data[brackets + 1]
    bounds = np.searchsorted(brackets, [0, *ends])
    counts = np.diff(bounds)
    only_tags = (counts == 2 * np.diff(_bounds(begins)[bounds])) & (counts > 0)
    others = np.flatnonzero(begins & ((second == ord("!")) | (second == ord("?"))))
    only_tags[np.searchsorted(bounds, others, side="right") - 1] = False
    if not only_tags.all():
        brackets = brackets[np.repeat(only_tags, counts)]
    documents = np.flatnonzero(only_tags)
    begin, end = brackets[0::2], brackets[1::2]
    closes = data[begin + 1] == ord("/")
    is_empty = (data[end - 1] == ord("/")) & ~closes
    tags_of = counts[documents] // 2
    return _Tags(begin, end, documents, np.cumsum(tags_of) - tags_of, closes, is_empty)


def _fits(tags: _Tags, limits: Limits) -> Bools:
    """For each document, whether each element is closed, and the limits are kept."""
    change = 1 - 2 * tags.closes.astype(np.int32)
    inside = np.cumsum(change - tags.is_empty, dtype=np.int32)  # how many elements are open
    outside = inside[tags.first] - 1 + tags.is_empty[tags.first]
    deepest = np.maximum.reduceat(inside + tags.is_empty, tags.first) - outside
    elements = np.add.reduceat(~tags.closes, tags.first, dtype=np.int64)
    last = np.append(tags.first[1:], len(inside)) - 1
    fits: Bools = inside[last] == outside
    return fits & (deepest <= limits.depth) & (elements <= limits.elements)


def _bounds(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])
