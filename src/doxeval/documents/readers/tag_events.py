"""Tag events: documents on their way from a parser to the node table.

The readers of all formats report the same: the text, and for each start tag and end tag how much
text comes before it. TagEvents hold one document or several, one after another.

Documents have thousands of tags and few names. A parser that calls us for each tag has a list of
strings, the scanner of XML has numbers; the node table needs numbers in either case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias, overload

import numpy as np

from doxeval.arrays import Ints

# The name of an end tag. It closes the element opened last, so it needs no other name.
END = ""
END_NUMBER = -1
# Attributes of one document that are kept, in order: the row of the element, a name and a value.
Attributes: TypeAlias = list[tuple[int, str, str]]


class TagEvents(NamedTuple):
    """The tags and the text of one or more documents.

    names: for each tag, its name if it is a start tag, END if it is an end tag.
    positions: for each tag, how many code points of text come before it. Positions are only
        compared within one document; where they are counted from does not matter.
    texts: the text of each document, in UTF-8.
    attributes: for each document, the attributes that ids and display need (see attributes.py).
    """

    names: Sequence[str]
    positions: Ints
    texts: list[bytes]
    attributes: list[Attributes]


class TagEventsBuilder:
    """The tag events of one document, from a parser that knows the whole text.

    >>> builder = TagEventsBuilder()
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

    def open(self, tag: str, position: int, attributes: Sequence[tuple[str, str]] = ()) -> None:
        """Add a start tag before the character at `position`, with the attributes to keep."""
        self.names.append(tag)
        self.positions.append(position)
        self.elements += 1
        if attributes:
            self.keep(attributes)

    def keep(self, attributes: Iterable[tuple[str, str]]) -> None:
        """Add attributes of the last element."""
        for name, value in attributes:
            self.attributes.append((self.elements - 1, name, value))

    def close(self, position: int) -> None:
        """Add the end tag of the last open element."""
        self.names.append(END)
        self.positions.append(position)

    def finish(self, text: str) -> TagEvents:
        """Return the events, with the text."""
        positions = np.array(self.positions, dtype=np.int64)
        return TagEvents(self.names, positions, [text.encode()], [self.attributes])


def join_events(parts: Sequence[TagEvents]) -> TagEvents:
    """Join the events of several parts, in order."""
    if len(parts) == 1:
        return parts[0]
    return TagEvents(
        join_names([part.names for part in parts]),
        np.concatenate([np.empty(0, dtype=np.int64), *(part.positions for part in parts)]),
        [text for part in parts for text in part.texts],
        [attributes for part in parts for attributes in part.attributes],
    )


class NumberedNames(Sequence[str]):
    """Names of tags as numbers: tag i is `distinct[numbers[i]]`, or END if that is END_NUMBER.

    >>> names = NumberedNames(np.array([1, 0, -1, -1]), ["p", "s"])
    >>> list(names), len(names), names[0]
    (['s', 'p', '', ''], 4, 's')
    """

    def __init__(self, numbers: Ints, distinct: list[str]) -> None:
        self.numbers = numbers
        self.distinct = distinct

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> NumberedNames: ...
    def __getitem__(self, index: int | slice) -> str | NumberedNames:
        if isinstance(index, slice):
            return NumberedNames(self.numbers[index], self.distinct)
        number = int(self.numbers[index])
        return END if number == END_NUMBER else self.distinct[number]

    def __iter__(self) -> Iterator[str]:
        return map([*self.distinct, END].__getitem__, self.numbers.tolist())

    def in_order(self) -> NumberedNames:
        """Renumber the names in the order in which they first occur.

        >>> names = NumberedNames(np.array([2, 0, -1, -1]), ["p", "unused", "s"]).in_order()
        >>> names.numbers.tolist(), names.distinct
        ([0, 1, -1, -1], ['s', 'p'])
        """
        never = len(self)
        first = np.full(len(self.distinct) + 1, never)
        first[self.numbers[::-1]] = np.arange(never - 1, -1, -1)  # the earliest is written last
        first[END_NUMBER] = never
        order = np.argsort(first, kind="stable")[: np.count_nonzero(first < never)]
        number = np.full(len(first), END_NUMBER, dtype=np.int32)
        number[order] = np.arange(len(order))
        return NumberedNames(number[self.numbers], [self.distinct[old] for old in order.tolist()])


def number_names(names: Sequence[str]) -> NumberedNames:
    """Number the names of tags in the order in which they first occur.

    >>> number_names(["s", "p", "", "p", "", ""]).numbers.tolist()
    [0, 1, -1, 1, -1, -1]
    """
    if isinstance(names, NumberedNames):
        return names.in_order()
    numbers = _NumberByTag()
    made = np.fromiter(map(numbers.__getitem__, names), np.int32, len(names))
    return NumberedNames(made, numbers.distinct())


def join_names(parts: Sequence[Sequence[str]]) -> Sequence[str]:
    """Join names of tags, one part after another; as numbers if they are numbers in any part.

    >>> list(join_names([["s"], NumberedNames(np.array([0, -1]), ["p"]), [""]]))
    ['s', 'p', '', '']
    """
    if not any(isinstance(part, NumberedNames) for part in parts):
        return list(chain.from_iterable(parts))
    numbers = _NumberByTag()
    made = []
    for part in parts:
        names = part if isinstance(part, NumberedNames) else number_names(part)
        number_of = np.array([*map(numbers.__getitem__, names.distinct), END_NUMBER], np.int32)
        made.append(number_of[names.numbers])
    return NumberedNames(np.concatenate(made), numbers.distinct())


class _NumberByTag(dict[str, int]):
    """Numbers of names; a new name gets the next number."""

    def __init__(self) -> None:
        super().__init__({END: END_NUMBER})

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self) - 1
        return number

    def distinct(self) -> list[str]:
        return [name for name in self if name != END]
