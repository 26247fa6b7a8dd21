"""Marks: documents on their way from a parser to the node table.

Whatever a document was written in, its parser reports the same: the text, and for each start
tag and end tag how much text came before it. Some parsers report many documents in one go, so
marks hold one document or several, one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Bools, Bytes, Ints

# In a marked stream these two characters stand for a start tag and an end tag. No XML text can
# hold them, not even by a character reference.
OPEN = "\x01"
CLOSE = "\x02"
_MARKS = (OPEN + CLOSE).encode()


# Values of an attribute in one document, each with the row of its element.
Attributes: TypeAlias = list[tuple[int, str]]


class Marks(NamedTuple):
    """The tags and the text of one or more documents.

    names: the tag of each element, in the order of start tags.
    opens: for each mark, whether it is a start tag (else the end tag of the last open element).
    positions: for each mark, how many code points of text come before it. Positions are only
        compared within one document; where they are counted from does not matter.
    text: the text of all documents, in UTF-8, as one or more pieces.
    texts: the text of each document, a view of one of the pieces.
    attributes: for each document, the values of one attribute that was asked for.
    """

    names: list[str]
    opens: Bools
    positions: Ints
    text: list[bytes]
    texts: list[memoryview]
    attributes: list[Attributes]


class Separated(NamedTuple):
    """Marked streams, separated into marks and one piece of text; see Marks."""

    opens: Bools
    positions: Ints
    text: bytes
    texts: list[memoryview]


def separated(streams: Sequence[bytes]) -> Separated:
    """Separate marked streams, one for each document.

    >>> marks = separated(["\\x01café \\x01au\\x02 lait\\x02".encode()])
    >>> marks.positions.tolist(), marks.text.decode()
    ([0, 5, 7, 12], 'café au lait')
    """
    whole = b"".join(streams)
    codes: Bytes = np.frombuffer(whole, dtype=np.uint8)
    at = np.flatnonzero(codes <= CLOSE.encode()[0])
    positions = at - np.arange(len(at))
    if not whole.isascii():
        # Bytes that continue a character are 0x80 … 0xBF: the lowest ones, if taken as signed.
        positions -= np.searchsorted(np.flatnonzero(codes.view(np.int8) < -0x40), at)
    ends = np.cumsum([len(stream) for stream in streams])
    text_ends = [0, *(ends - np.searchsorted(at, ends)).tolist()]
    text = whole.translate(None, _MARKS)
    view = memoryview(text)
    texts = [view[begin:end] for begin, end in pairwise(text_ends)]
    return Separated(codes[at] == OPEN.encode()[0], positions, text, texts)


class MarksBuilder:
    """Marks of one document, written down by a parser that knows its text beforehand.

    >>> builder = MarksBuilder()
    >>> builder.open("document", 0)
    >>> builder.close(5)
    >>> builder.finish("hello").positions.tolist()
    [0, 5]
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._positions: list[int] = []
        self._opens: list[bool] = []
        self._attributes: Attributes = []

    def __len__(self) -> int:
        return len(self._names)

    def open(self, tag: str, position: int, attribute: str | None = None) -> None:
        """A start tag before the character at `position`, with the attribute asked for."""
        if attribute is not None:
            self._attributes.append((len(self._names), attribute))
        self._names.append(tag)
        self._positions.append(position)
        self._opens.append(True)

    def close(self, position: int) -> None:
        """The end tag of the last open element."""
        self._positions.append(position)
        self._opens.append(False)

    def finish(self, text: str) -> Marks:
        """The marks over their text."""
        data = text.encode()
        return Marks(
            self._names,
            np.array(self._opens, dtype=np.bool_),
            np.array(self._positions, dtype=np.int64),
            [data],
            [memoryview(data)],
            [self._attributes],
        )


def joined(parts: Sequence[Marks]) -> Marks:
    """Several marks as one, in their order."""
    if len(parts) == 1:
        return parts[0]
    return Marks(
        [name for part in parts for name in part.names],
        np.concatenate([np.empty(0, dtype=np.bool_), *(part.opens for part in parts)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.positions for part in parts)]),
        [piece for part in parts for piece in part.text],
        [text for part in parts for text in part.texts],
        [attributes for part in parts for attributes in part.attributes],
    )
