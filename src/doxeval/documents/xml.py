"""Reading XML documents into marks.

It is fast because it does almost nothing per tag: a tag costs two appends. In the list of pieces
of text, each tag is an empty piece, so the positions of tags are sums of the lengths of pieces. A
large document is fed to expat in parts, so that the limits on depth and elements can stop it early.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.limits import Limits, check_bytes, check_elements, too_deep
from doxeval.documents.marks import Attributes, Marks
from doxeval.documents.tag_names import END
from doxeval.errors import DocumentError
from doxeval.markup import HardenedExpat, Refused, declarations_of, names_used

PART = 1 << 20  # bytes after which limits are checked
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
        if self._attribute in pairs:
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
        self._expat = hardened(self._tags.text, self._encoding, self._limits)
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
        parsing = self._expat.parser(origin, declarations_of(names) if names else b"")
        parser = parsing.parser
        parser.StartElementHandler, parser.EndElementHandler = self._tags.start, self._tags.end
        checked = len(self._tags.names)
        few_tags = min(self._limits.depth, self._limits.elements)
        if len(data) <= PART:
            parsing.feed(data, True)
            if len(self._tags.names) - checked > few_tags:
                self._check(_Shape(), checked, data, origin)
            return self._take_text()
        texts, shape = [], _Shape()
        for at in range(0, len(data), PART):
            parsing.feed(data[at : at + PART], at + PART >= len(data))
            checked = self._check(shape, checked, data, origin)
            texts.append(self._take_text())
        return b"".join(texts)

    def _take_text(self) -> bytes:
        """The text since the last call."""
        text, lengths = self._tags.take_text()
        self._lengths.append(lengths)
        return text.encode()

    def _check(self, shape: _Shape, checked: int, data: bytes, origin: str) -> int:
        """Refuse a document that exceeds a limit; returns how many tags are checked now."""
        shape.grow(self._tags.names[checked:] if checked else self._tags.names)
        check_elements(shape.elements, self._limits, origin)
        if shape.deepest > self._limits.depth:
            raise _too_deep(data, self._limits, self._encoding, origin)
        return len(self._tags.names)


class _Shape:
    """How many elements a document has so far, and how deep they are.

    >>> shape = _Shape()
    >>> shape.grow(["a", "b", END])
    >>> shape.grow(["b", "c", END])
    >>> shape.elements, shape.deepest
    (4, 3)
    """

    def __init__(self) -> None:
        self.elements = 0
        self.deepest = 0
        self._open = 0

    def grow(self, names: list[str]) -> None:
        """Add tags, given by their names (see Marks)."""
        opens = np.fromiter(map(bool, names), np.bool_, len(names))
        depths = self._open + np.cumsum(opens.astype(np.int8) * 2 - 1, dtype=np.int64)
        self.elements += int(np.count_nonzero(opens))
        self.deepest = max(self.deepest, int(depths.max(initial=0)))
        self._open = int(depths[-1]) if len(depths) else self._open


def hardened(text: Callable[[str], object], encoding: str | None, limits: Limits) -> HardenedExpat:
    """A parser that gives text to `text`, and keeps to the limits."""
    return HardenedExpat(
        text, encoding, expansion=limits.expansion, allowance=limits.expansion_allowance
    )


def _too_deep(data: bytes, limits: Limits, encoding: str | None, origin: str) -> DocumentError:
    """The error for a document that is too deep, with the line of the first such element."""
    open_elements = 0

    def start(*_: object) -> None:
        nonlocal open_elements
        open_elements += 1
        if open_elements > limits.depth:
            raise Refused(too_deep(limits), parsing.parser)

    def end(_: str) -> None:
        nonlocal open_elements
        open_elements -= 1

    parsing = hardened(_nothing, encoding, limits).parser(origin, declarations_of(names_used(data)))
    parser = parsing.parser
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for at in range(0, len(data), PART):
            parsing.feed(data[at : at + PART], at + PART >= len(data))
    except DocumentError as error:
        return error
    raise AssertionError("a document that was too deep is not too deep when it is read again")


def _nothing(_: str) -> None:
    """Ignore text."""
