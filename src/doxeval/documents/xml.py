"""XML documents to marks.

Speed comes from doing next to nothing per tag: a start tag costs two appends, an end tag one,
and a whole batch of documents is turned into marks at once. A large document is fed to expat
in pieces, so that the limits on depth, elements and expansion stop it early.
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.expat import HardenedExpat, Refused, declarations_of, feed, names_used
from doxeval.documents.limits import Limits, check_bytes, check_elements, too_deep
from doxeval.documents.marks import CLOSE, OPEN, Attributes, Marks, separated
from doxeval.documents.nodes import deepest
from doxeval.errors import DocumentError

_PIECE = 1 << 20
# Streams are turned into marks in groups of about this many bytes: few enough to stay in the
# processor's cache, many enough to be worth a call to numpy.
_GROUP = 256 << 10


class TagCollector:
    """What expat reports, as a marked stream that grows.

    `attribute` names an attribute whose values are kept, with the row of their element.
    """

    def __init__(self, attribute: str | None = None) -> None:
        self.names: list[str] = []
        self.pieces: list[str] = []
        self.attributes: Attributes = []
        self._attribute = attribute
        add_name, add_piece = self.names.append, self.pieces.append

        def start(name: str, _: list[str]) -> None:
            add_name(name)
            add_piece(OPEN)

        def end(_: str) -> None:
            add_piece(CLOSE)

        self.text = add_piece
        self.start = start if attribute is None else self._start_with_attribute
        self.end = end

    def _start_with_attribute(self, name: str, pairs: list[str]) -> None:
        values = dict(zip(pairs[0::2], pairs[1::2], strict=True))
        if self._attribute in values:
            self.attributes.append((len(self.names), values[self._attribute]))
        self.names.append(name)
        self.pieces.append(OPEN)

    def take_stream(self) -> str:
        """The stream since the last call."""
        stream = "".join(self.pieces)
        self.pieces.clear()
        return stream


class XmlReader:
    """Reads documents one after another; hands out their marks together.

    >>> reader = XmlReader()
    >>> reader.read(b"<article><p>one &amp; two</p></article>", "a.xml")
    >>> reader.take().text
    [b'one & two']
    """

    def __init__(
        self,
        limits: Limits | None = None,
        encoding: str | None = None,
        attribute: str | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._encoding = encoding
        self._attribute = attribute
        # Whether a document needed our named entities: then the next one likely does too.
        self._expect_names = False
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._tags = TagCollector(self._attribute)
        self._expat = HardenedExpat(self._tags.text, self._limits, self._encoding)
        self._streams: list[bytes] = []
        self._stream_bytes = 0
        self._opens: list[Bools] = []
        self._positions: list[Ints] = []
        self._text: list[bytes] = []
        self._texts: list[memoryview] = []
        self._attributes: list[Attributes] = []

    def read(self, data: bytes, origin: str) -> None:
        """Read one document; if it is broken, nothing of it stays."""
        check_bytes(len(data), self._limits, origin)
        known = len(self._tags.names)
        names = names_used(data) if self._expect_names else []
        try:
            stream = self._parse(data, origin, names)
        except DocumentError:
            self._forget(known)
            # An entity that expat does not know may be one of our named entities. Declaring
            # them takes time, so it is done only for documents that use them.
            if names or not (names := names_used(data)):
                raise
            stream = self._parse_again(data, origin, names, known)
        self._keep(stream, known)

    def add(self, names: list[str], stream: bytes, attributes: Attributes) -> None:
        """Take in a document that was read elsewhere."""
        known = len(self._tags.names)
        self._tags.names += names
        self._tags.attributes += [(known + row, value) for row, value in attributes]
        self._keep(stream, known)

    def take(self) -> Marks:
        """The marks of all documents since the last call."""
        self._separate()
        marks = Marks(
            self._tags.names,
            np.concatenate(self._opens),
            np.concatenate(self._positions),
            self._text,
            self._texts,
            self._attributes or [[] for _ in self._texts],
        )
        self._start_afresh()
        return marks

    def _keep(self, stream: bytes, known: int) -> None:
        if self._attribute is not None:
            found = self._tags.attributes
            self._attributes.append([(row - known, value) for row, value in found])
            found.clear()
        self._streams.append(stream)
        self._stream_bytes += len(stream)
        if self._stream_bytes > _GROUP:
            self._separate()

    def _separate(self) -> None:
        """Turn the streams since the last call into marks."""
        marks = separated(self._streams)
        self._opens.append(marks.opens)
        self._positions.append(marks.positions)
        self._text.append(marks.text)
        self._texts += marks.texts
        self._streams.clear()
        self._stream_bytes = 0

    def _forget(self, known: int) -> None:
        del self._tags.names[known:]
        self._tags.pieces.clear()
        self._tags.attributes.clear()

    def _parse_again(self, data: bytes, origin: str, names: list[str], known: int) -> bytes:
        try:
            stream = self._parse(data, origin, names)
        except DocumentError:
            self._forget(known)
            raise
        self._expect_names = True
        return stream

    def _parse(self, data: bytes, origin: str, names: list[str]) -> bytes:
        known = len(self._tags.names)
        parser = self._expat.parser(declarations_of(names) if names else b"")
        parser.StartElementHandler, parser.EndElementHandler = self._tags.start, self._tags.end
        if len(data) <= _PIECE:
            feed(parser, data, True, origin)
            stream = self._tags.take_stream()
            rows = len(self._tags.names) - known
            if rows > self._limits.depth or len(stream) > len(data):  # else no limit is reached
                self._check(stream, rows, 0, data, origin)
            return stream.encode()
        streams = []
        open_elements = 0
        for fed in range(0, len(data), _PIECE):
            feed(parser, data[fed : fed + _PIECE], fed + _PIECE >= len(data), origin, fed)
            stream = self._tags.take_stream()
            self._check(stream, len(self._tags.names) - known, open_elements, data, origin)
            open_elements += stream.count(OPEN) - stream.count(CLOSE)
            streams.append(stream.encode())
        return b"".join(streams)

    def _check(self, stream: str, rows: int, above: int, data: bytes, origin: str) -> None:
        """Hold what one piece gave against the limits; `above` elements were open before it."""
        limits = self._limits
        if len(stream) > limits.expansion * min(len(data), _PIECE) + limits.expansion_allowance:
            raise DocumentError(
                f"entities blow the text up to more than {limits.expansion} times the document",
                origin,
            )
        if rows > limits.depth:  # else it cannot be too deep, nor have too many elements
            check_elements(rows, limits, origin)
            if above + deepest(separated([stream.encode()]).opens) > limits.depth:
                raise _too_deep(data, limits, self._encoding, origin)


def _too_deep(data: bytes, limits: Limits, encoding: str | None, origin: str) -> DocumentError:
    """The error for a document that is too deep, with the line of the first such element."""
    open_elements = 0

    def start(*_: object) -> None:
        nonlocal open_elements
        open_elements += 1
        if open_elements > limits.depth:
            raise Refused(too_deep(limits), parser)

    def end(_: str) -> None:
        nonlocal open_elements
        open_elements -= 1

    parser = HardenedExpat(_nothing, limits, encoding).parser(declarations_of(names_used(data)))
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for fed in range(0, len(data), _PIECE):
            feed(parser, data[fed : fed + _PIECE], fed + _PIECE >= len(data), origin, fed)
    except DocumentError as error:
        return error
    raise AssertionError("a document that was too deep is not so when read again")


def _nothing(_: str) -> None:
    """Text that nobody needs."""
