"""XML files of many records, each of which is a document.

A file is read as a stream, so its size does not matter; only one record at a time is in memory.
Everything outside the records is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

from doxeval.documents.build.options import Limits, check_limit, too_deep
from doxeval.documents.readers.attributes import KeptAttributes
from doxeval.documents.readers.tag_events import TagEvents
from doxeval.documents.readers.xml import TagCollector, hardened_expat, tag_positions
from doxeval.markup import Refused, all_entity_declarations, file_pieces


class Record(NamedTuple):
    """A record: the line where it begins, and its tag events."""

    line: int
    events: TagEvents


def read_records(
    file: IO[bytes],
    tag: str,
    origin: str,
    limits: Limits,
    *,
    encoding: str | None = None,
    attribute: str | None = None,
) -> Iterator[Record]:
    """Yield the records of a file: its outermost elements of the given tag.

    >>> import io
    >>> file = io.BytesIO(b"<dump><doc>one</doc> <doc>two</doc></dump>")
    >>> [record.events.texts for record in read_records(file, "doc", "dump.xml", Limits())]
    [[b'one'], [b'two']]
    """
    splitter = _Splitter(tag, origin, limits, encoding, attribute)
    for piece, is_last in file_pieces(file):
        try:
            splitter.feed(piece, is_last)
        finally:  # keep the records that were complete before an error
            yield from splitter.take()


class _Splitter:
    """Collects one record after another from what expat reports."""

    def __init__(
        self, tag: str, origin: str, limits: Limits, encoding: str | None, attribute: str | None
    ) -> None:
        self._tag = tag
        self._origin = origin
        self._limits = limits
        self._kept_names = KeptAttributes(attribute)
        self._depth = 0  # the number of open elements
        self._record_depth = 0  # the depth of the current record's root; 0 outside records
        self._deepest = limits.depth  # how many elements may be open: more inside a record
        self._current = TagCollector(self._kept_names)
        self._line = 0
        self._length = 0  # of the current record's text so far
        self._finished: list[Record] = []
        expat = hardened_expat(self._text, encoding, limits)
        self._parsing = expat.parser(origin, all_entity_declarations())
        self._parser = self._parsing.parser
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def take(self) -> list[Record]:
        """Return the records that were completed since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def feed(self, piece: bytes, last: bool) -> None:
        """Read one more piece of the file."""
        self._parsing.feed(piece, last)
        origin = f"{self._origin}:{self._line}"
        check_limit("elements", len(self._current.names) // 2, self._limits, origin)
        check_limit("bytes", self._length, self._limits, origin)

    def _text(self, text: str) -> None:
        if self._record_depth:
            self._current.pieces.append(text)
            self._length += len(text)

    def _start(self, name: str, pairs: list[str]) -> None:
        self._depth += 1
        if self._depth > self._deepest:
            raise Refused(too_deep(self._limits), self._parser)
        if not self._record_depth and name == self._tag:
            self._record_depth = self._depth
            self._deepest += self._depth - 1
            self._line = self._parser.CurrentLineNumber
        if self._record_depth:
            self._current.start(name, pairs)

    def _end(self, name: str) -> None:
        if self._record_depth:
            self._current.end(name)
        if self._record_depth == self._depth:
            self._record_depth = self._length = 0
            self._deepest = self._limits.depth
            tags, self._current = self._current, TagCollector(self._kept_names)
            text, lengths = tags.take_text()
            attributes = [tags.take_attributes(0)]
            events = TagEvents(tags.names, tag_positions(lengths), [text], attributes)
            self._finished.append(Record(self._line, events))
        self._depth -= 1
