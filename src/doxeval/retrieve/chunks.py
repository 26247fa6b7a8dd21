"""Chunks given from outside, as units: a file of JSONL with a range of characters on each line.

    {"doc": "a", "start": 0, "end": 512}

Offsets count code points, and chunks may overlap in any way. A word belongs to the chunks that hold
its first character. Other fields are ignored: a chunk's id or text is of no use here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints, positions_in
from doxeval.errors import FormatError
from doxeval.files import open_input
from doxeval.messages import join_names, plural, quoted, truncate
from doxeval.retrieve.matches import Matches
from doxeval.retrieve.units import Count, Place, Units, has_wanted

if TYPE_CHECKING:
    from doxeval.retrieve.index import Index

_MOST_OFFSET = 1 << 31


class _Line(NamedTuple):
    number: int
    document: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of a file, each once, in document order."""

    index: Index
    origin: str
    document: Ints
    start: Ints
    end: Ints
    first: Ints
    after: Ints
    warnings: tuple[str, ...] = ()
    units_at_a_word: int = 1

    def __str__(self) -> str:
        return self.origin

    @classmethod
    def read(cls, path: str | os.PathLike[str], index: Index) -> Chunks:
        """The chunks of a file; one outside its document is an error."""
        origin = os.fspath(path)
        lines = list(_lines(path))
        if not lines:
            raise FormatError("no chunks in the file", origin)
        document = index.collection.find_documents([line.document for line in lines])
        start = np.array([line.start for line in lines], dtype=np.int64)
        end = np.array([line.end for line in lines], dtype=np.int64)
        _refuse_outside(index, origin, lines, document, end)
        order = np.lexsort((-end, start, document))
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = np.logical_or.reduce(
            [column[order[1:]] != column[order[:-1]] for column in (document, start, end)]
        )
        warnings = []
        if not is_new.all():
            repeated = sorted(lines[row].number for row in order[~is_new].tolist())
            shown = join_names(list(map(str, repeated)), 5)
            warnings.append(
                f"{origin}: {plural(len(repeated), 'chunk')} given before, on the lines {shown}; "
                "each chunk is returned once"
            )
        order = order[is_new]
        columns = document[order], start[order], end[order]
        return cls(index, origin, *columns, *_words(index, *columns), tuple(warnings))

    def matching(self, matches: Matches, is_wanted: Bools) -> Units:
        """The chunks with a match."""
        article = positions_in(matches.documents, self.document)
        number = np.flatnonzero(article >= 0)
        first, after = self.first[number], self.after[number]
        units = Units(number, article[number], first, after, matches.tf(first, after))
        return units.some(has_wanted(units.tf, is_wanted))

    def count(self) -> Count:
        """All chunks of the file."""
        return Count(len(self.first), float((self.after - self.first).mean()))

    def extents(self, units: Units) -> tuple[Ints, Ints]:
        """Their characters: two chunks may share part of a word."""
        base = self.document[units.number] << 32
        return base + self.start[units.number], base + self.end[units.number]

    def places(self, units: Units, documents: Ints) -> list[Place]:
        """Exactly as they were given."""
        columns = (documents, self.start[units.number], self.end[units.number])
        return list(map(Place, *(column.tolist() for column in columns)))


def _lines(path: str | os.PathLike[str]) -> Iterator[_Line]:
    origin = os.fspath(path)
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _parsed(line, origin, number)


def _parsed(line: bytes, origin: str, number: int) -> _Line:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        expected = 'expected an object like {"doc": "a", "start": 0, "end": 512}'
        raise FormatError(expected, origin, number)
    document = record.get("doc")
    if isinstance(document, int) and not isinstance(document, bool):
        document = str(document)
    if not isinstance(document, str) or not document:
        message = f"doc is {quoted(document)}: expected the id of a document"
        raise FormatError(message, origin, number)
    start, end = (_offset(record, name, origin, number) for name in ("start", "end"))
    if end < start:
        raise FormatError(f"the chunk ends at {end} before it starts at {start}", origin, number)
    return _Line(number, document, start, end)


def _offset(record: dict[str, Any], name: str, origin: str, number: int) -> int:
    value = record.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST_OFFSET:
        raise FormatError(
            f"{name} is {quoted(value)}: expected a whole number of characters, 0 or more",
            origin,
            number,
        )
    return value


def _refuse_outside(
    index: Index, origin: str, lines: list[_Line], document: Ints, end: Ints
) -> None:
    collection = index.collection
    unknown = np.flatnonzero(document < 0)
    if len(unknown):
        line = lines[int(unknown[0])]
        message = f"no document {quoted(line.document)} in {collection.location}"
        raise FormatError(message, origin, line.number)
    lengths = collection.nodes.end[collection.rows[document]]
    outside = np.flatnonzero(end > lengths)
    if len(outside):
        line, length = lines[int(outside[0])], int(lengths[outside[0]])
        raise FormatError(
            f"the chunk ends at {line.end:,}, and {truncate(line.document)} has "
            f"{plural(length, 'character')}",
            origin,
            line.number,
        )


def _words(index: Index, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The words that start in each range; documents ascend."""
    first, after = np.empty(len(start), dtype=np.int64), np.empty(len(start), dtype=np.int64)
    begins = np.flatnonzero(np.diff(document, prepend=-1))
    for low, high in zip(begins.tolist(), [*begins[1:].tolist(), len(document)], strict=True):
        number = int(document[low])
        starts, base = index.starts(number), int(index.documents_first[number])
        first[low:high] = base + np.searchsorted(starts, start[low:high])
        after[low:high] = base + np.searchsorted(starts, end[low:high])
    return first, after
