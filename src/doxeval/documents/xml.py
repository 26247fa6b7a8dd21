"""Reading XML documents into marks.

It is fast because it does almost nothing per tag: a tag costs two appends. In the list of pieces
of text, each tag is an empty piece, so the positions of tags are sums of the lengths of pieces. A
large document is fed to expat in parts, so that the limits on depth, elements and expansion can
stop it early.
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.limits import Limits, check_bytes, check_elements, too_deep
from doxeval.documents.marks import END, Attributes, Marks
from doxeval.documents.nodes import deepest
from doxeval.errors import DocumentError
from doxeval.markup.expat import HardenedExpat, Refused, declarations_of, feed, names_used

_PART = 1 << 20
_A_TAG = ""  # represents a tag among the pieces of text


class TagCollector:
    """Collects what expat reports: the names of tags, and the text between them.

    `attribute` names an attribute whose values are kept, each with the row of its element.
    """

    def __init__(self, attribute: str | None = None) -> None:
        self.names: list[str] = []
        self.pieces: list[str] = []
        self.attributes: Attributes = []
        self.elements = 0  # only counted if attributes are kept
        self._attribute = attribute
        add_name, add_piece = self.names.append, self.pieces.append

        def start(name: str, _: list[str]) -> None:
            add_name(name)
            add_piece(_A_TAG)

        def end(_: str) -> None:
            add_name(END)
            add_piece(_A_TAG)

        self.text = add_piece
        self.start = start if attribute is None else self._start_with_attribute
        self.end = end

    def _start_with_attribute(self, name: str, pairs: list[str]) -> None:
        values = dict(zip(pairs[0::2], pairs[1::2], strict=True))
        if self._attribute in values:
            self.attributes.append((self.elements, values[self._attribute]))
        self.elements += 1
        self.names.append(name)
        self.pieces.append(_A_TAG)

    def take_text(self) -> tuple[str, Ints]:
        """The text since the last call, and the lengths of its pieces, 0 for a tag."""
        lengths = np.fromiter(map(len, self.pieces), np.int32, len(self.pieces))
        text = "".join(self.pieces)
        self.pieces.clear()
        return text, lengths


class XmlReader:
    """Reads documents one after another, and returns their marks together.

    >>> reader = XmlReader()
    >>> reader.read(b"<article><p>one &amp; two</p></article>", "a.xml")
    >>> marks = reader.take()
    >>> marks.texts, marks.positions.tolist()
    ([b'one & two'], [0, 0, 9, 9])
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
        # Whether a document needed our named entities; the next one is then likely to as well.
        self._expect_names = False
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._tags = TagCollector(self._attribute)
        self._expat = HardenedExpat(self._tags.text, self._encoding)
        self._lengths: list[Ints] = []
        self._texts: list[bytes] = []
        self._attributes: list[Attributes] = []

    def __len__(self) -> int:
        """The number of documents since the last `take`."""
        return len(self._texts)

    def read(self, data: bytes, origin: str) -> None:
        """Read one document; nothing is kept of a broken one."""
        check_bytes(len(data), self._limits, origin)
        names = names_used(data) if self._expect_names else []
        known = len(self._tags.names), len(self._lengths)
        try:
            text = self._parse(data, origin, names)
        except DocumentError:
            self._forget(*known)
            # An entity that expat does not know may be one of our named entities. Declaring
            # them takes time, so it is done only for documents that use them.
            if names or not (names := names_used(data)):
                raise
            text = self._parse_again(data, origin, names, known)
        self._texts.append(text)
        self._attributes.append(self._tags.attributes[:])
        self._tags.attributes.clear()
        self._tags.elements = 0

    def add(self, names: list[str], lengths: Ints, text: bytes, attributes: Attributes) -> None:
        """Add a document that was read elsewhere."""
        self._tags.names += names
        self._lengths.append(lengths)
        self._texts.append(text)
        self._attributes.append(attributes)

    def take(self) -> Marks:
        """The marks of all documents since the last call."""
        lengths = np.concatenate(self._lengths)
        positions = np.cumsum(lengths, dtype=np.int64)[lengths == 0]
        marks = Marks(self._tags.names, positions, self._texts, self._attributes)
        self._start_afresh()
        return marks

    def _forget(self, names: int, lengths: int) -> None:
        del self._tags.names[names:]
        del self._lengths[lengths:]
        self._tags.pieces.clear()
        self._tags.attributes.clear()
        self._tags.elements = 0

    def _parse_again(
        self, data: bytes, origin: str, names: list[str], known: tuple[int, int]
    ) -> bytes:
        try:
            text = self._parse(data, origin, names)
        except DocumentError:
            self._forget(*known)
            raise
        self._expect_names = True
        return text

    def _parse(self, data: bytes, origin: str, names: list[str]) -> bytes:
        known = len(self._tags.names)
        parser = self._expat.parser(declarations_of(names) if names else b"")
        parser.StartElementHandler, parser.EndElementHandler = self._tags.start, self._tags.end
        if len(data) <= _PART:
            feed(parser, data, True, origin)
            return self._take_text(data, origin, known)
        texts = []
        for fed in range(0, len(data), _PART):
            feed(parser, data[fed : fed + _PART], fed + _PART >= len(data), origin, fed)
            texts.append(self._take_text(data, origin, known))
        return b"".join(texts)

    def _take_text(self, data: bytes, origin: str, known: int) -> bytes:
        """The text of one part of a document, unless the document exceeds a limit."""
        text, lengths = self._tags.take_text()
        self._lengths.append(lengths)
        few_tags = min(self._limits.depth, self._limits.elements)
        if len(text) > len(data) or len(self._tags.names) - known > few_tags:
            self._check(len(text), data, origin, self._tags.names[known:])
        return text.encode()

    def _check(self, produced: int, data: bytes, origin: str, names: list[str]) -> None:
        limits = self._limits
        if produced > limits.expansion * min(len(data), _PART) + limits.expansion_allowance:
            raise DocumentError(
                f"entities expand the text to more than {limits.expansion} times the document",
                origin,
            )
        check_elements(len(names) - names.count(END), limits, origin)
        if deepest(names) > limits.depth:
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

    parser = HardenedExpat(_nothing, encoding).parser(declarations_of(names_used(data)))
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for fed in range(0, len(data), _PART):
            feed(parser, data[fed : fed + _PART], fed + _PART >= len(data), origin, fed)
    except DocumentError as error:
        return error
    raise AssertionError("a document that was too deep is not too deep when it is read again")


def _nothing(_: str) -> None:
    """Ignore text."""
