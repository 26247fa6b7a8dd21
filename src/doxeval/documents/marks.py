"""Marks: documents on their way from a parser to the node table.

The parsers of all formats report the same: the text, and for each start tag and end tag how much
text comes before it. Marks hold one document or several, one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.tag_names import END, joined_names

# Values of an attribute in one document, each with the row of its element.
Attributes: TypeAlias = list[tuple[int, str]]


class Marks(NamedTuple):
    """The tags and the text of one or more documents.

    names: for each tag, its name if it is a start tag, END if it is an end tag.
    positions: for each tag, how many code points of text come before it. Positions are only
        compared within one document; where they are counted from does not matter.
    texts: the text of each document, in UTF-8.
    attributes: for each document, the values of the wanted attribute.
    """

    names: Sequence[str]
    positions: Ints
    texts: list[bytes]
    attributes: list[Attributes]


class MarksBuilder:
    """The marks of one document, from a parser that knows the whole text.

    >>> builder = MarksBuilder()
    >>> builder.open("document", 0)
    >>> builder.close(5)
    >>> builder.finish("hello").positions.tolist()
    [0, 5]
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.positions: list[int] = []
        self.attributes: Attributes = []
        self.elements = 0

    def open(self, tag: str, position: int, attribute: str | None = None) -> None:
        """Add a start tag before the character at `position`, with the wanted attribute."""
        if attribute is not None:
            self.attributes.append((self.elements, attribute))
        self.names.append(tag)
        self.positions.append(position)
        self.elements += 1

    def close(self, position: int) -> None:
        """Add the end tag of the last open element."""
        self.names.append(END)
        self.positions.append(position)

    def finish(self, text: str) -> Marks:
        """The marks, with the text."""
        positions = np.array(self.positions, dtype=np.int64)
        return Marks(self.names, positions, [text.encode()], [self.attributes])


def joined(parts: Sequence[Marks]) -> Marks:
    """Several marks as one, in order."""
    if len(parts) == 1:
        return parts[0]
    return Marks(
        joined_names([part.names for part in parts]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.positions for part in parts)]),
        [text for part in parts for text in part.texts],
        [attributes for part in parts for attributes in part.attributes],
    )
