"""The words of documents: where each begins and ends.

A word is a maximal run of characters that are not white space. It also ends where an element begins
or ends that is not inline, so `<p>one two</p><p>three</p>` has three words however it is printed; a
word continues across the edges of an inline element, such as `<b>`. Which tags are inline was
decided when the collection was built.

Measures and simulated systems count words here. An index of words, whatever else it takes for a
word, takes the edges of elements from here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Bools, Bytes, Ints, distinct
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.documents.collection import Collection

_MOST_WORDS = 1 << 22  # how many words are kept: 32 MB
_NOT_YET = 255  # the class of characters that have not occurred


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """The words of a text in their order: the spans of their characters.

    >>> words = split_words("one two three", np.array([5]))
    >>> words
    Words(4 words)
    >>> words.start.tolist(), words.end.tolist()
    ([0, 4, 5, 8], [3, 5, 7, 13])

    A word of which a span holds only a part counts as well:

    >>> words.count(np.array([0, 1, 3]), np.array([13, 6, 4])).tolist()
    [4, 3, 0]
    """

    start: Ints
    end: Ints

    def __repr__(self) -> str:
        return f"Words({plural(len(self.start), 'word')})"

    def begun_before(self, offsets: Ints) -> Ints:
        """Return how many words begin before each offset."""
        return np.searchsorted(self.start, offsets)

    def ended_by(self, offsets: Ints) -> Ints:
        """Return how many words end at each offset or before it."""
        return np.searchsorted(self.end, offsets, side="right")

    def count(self, start: Ints, end: Ints) -> Ints:
        """Return how many words each span holds, whole or in part; an empty span holds none."""
        return np.where(start < end, self.begun_before(end) - self.ended_by(start), 0)


def split_words(text: str, borders: Ints) -> Words:
    """Return the words of a text that end at white space and at the given offsets.

    >>> split_words(" one\\ttwo\\u00a0", np.array([0, 6])).start.tolist()
    [1, 5, 6]
    """
    in_word = np.zeros(len(text) + 2, dtype=np.bool_)  # with an entry before and one after
    in_word[1:-1] = ~is_white_space(text)
    changes = in_word[1:] != in_word[:-1]
    inside = borders[in_word[borders] & in_word[borders + 1]]
    is_border = np.zeros_like(changes)
    is_border[inside] = True
    start = np.flatnonzero((changes & in_word[1:]) | is_border)
    end = np.flatnonzero((changes & in_word[:-1]) | is_border)
    return Words(start.astype(np.int32), end.astype(np.int32))


class CharacterClasses:
    """What each character is, as a number below 255 that a function of characters gives.

    The function is called once for each character that occurs.

    >>> is_digit = CharacterClasses(str.isdigit)
    >>> is_digit.of_text("a1²").tolist(), is_digit.of_text("1a").tolist()
    ([0, 1, 1], [1, 0])
    """

    def __init__(self, class_of: Callable[[str], int]) -> None:
        self._class_of = class_of

    def of_text(self, text: str) -> Bytes:
        """Return the class of each character of a text."""
        if text.isascii():
            return np.frombuffer(text.encode("ascii").translate(self._of_ascii), dtype=np.uint8)
        return self.of_codes(code_points(text))

    def of_codes(self, codes: npt.NDArray[np.uint32]) -> Bytes:
        """Return the class of each code point."""
        classes = self._table[codes]
        is_new = classes == _NOT_YET
        if is_new.any():
            new = distinct(codes[is_new])
            self._table[new] = np.fromiter(map(self._class, new.tolist()), np.uint8, len(new))
            classes[is_new] = self._table[codes[is_new]]
        return classes

    @cached_property
    def _of_ascii(self) -> bytes:
        return bytes([*map(self._class, range(128)), *[0] * 128])

    @cached_property
    def _table(self) -> Bytes:
        """The class of each code point that has occurred."""
        return np.full(sys.maxunicode + 1, _NOT_YET, dtype=np.uint8)

    def _class(self, code: int) -> int:
        return int(self._class_of(chr(code)))


_WHITE_SPACE = CharacterClasses(str.isspace)


def is_white_space(text: str) -> Bools:
    """Return for each character of a text whether it is white space: what `str.isspace` accepts.

    >>> is_white_space("a\\u2003b").tolist()
    [False, True, False]
    """
    return _WHITE_SPACE.of_text(text).view(np.bool_)


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """Return the code points of a text, lone surrogates included.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def are_white_space(codes: npt.NDArray[np.uint32]) -> Bools:
    """Return which code points are white space: those that `str.isspace` accepts.

    >>> are_white_space(code_points("a b\\u2028")).tolist()
    [False, True, False, True]
    """
    return _WHITE_SPACE.of_codes(codes).view(np.bool_)


class DocumentWords:
    """The words of a collection's documents; those that were read last are kept.

    >>> from doxeval.documents.examples import example_collection
    >>> compact = "<s><p>one two</p><p>th<b>ree</b></p></s>"
    >>> words = DocumentWords(example_collection({"a": compact}))
    >>> words.boundaries(0).tolist(), words.of(0).start.tolist()
    ([0, 7, 12], [0, 4, 7])
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        tags = collection.summary.tags
        is_inline = np.array([tag in collection.inline_tags for tag in tags], dtype=np.bool_)
        self._is_inline_path = is_inline[collection.summary.tag_of]
        self._kept: dict[int, Words] = {}
        self._kept_words = 0
        self._lock = Lock()  # runs may be scored in threads

    def boundaries(self, document: int) -> Ints:
        """Return the offsets where elements that are not inline begin or end, ascending."""
        columns, rows = self._collection.nodes, self._collection.rows
        inside = slice(int(rows[document]), int(rows[document + 1]))
        is_block = self.are_blocks(inside)
        edges = (columns.start[inside][is_block], columns.end[inside][is_block])
        return np.unique(np.concatenate(edges))

    def are_blocks(self, rows: slice | Ints) -> Bools:
        """Return whether each of some elements ends words, because it is not inline."""
        return ~self._is_inline_path[self._collection.nodes.path[rows]]

    def of(self, document: int) -> Words:
        """Return the words of a document."""
        with self._lock:
            if document not in self._kept:
                self._keep(document)
            return self._kept[document]

    def _keep(self, document: int) -> None:
        words = split_words(self._collection.text_of(document), self.boundaries(document))
        self._kept[document] = words
        self._kept_words += len(words.start)
        while self._kept_words > _MOST_WORDS and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            self._kept_words -= len(self._kept.pop(oldest).start)
