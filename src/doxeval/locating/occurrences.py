"""All occurrences of each of many texts in a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.locating.text import DenseText, DenseTexts, Matches

GRAM = 12
_MOST_PAIRS = 250_000
# Distinct texts may stand at so many places together, and at so many more for each character. Those
# of one length have no more places than the document has characters, so only texts of many lengths
# in a periodic document ("aaaa…") have more.
_PLACES, _PLACES_PER_CHARACTER = 500_000, 4
# The largest share of these places that a text may have, where all have more of them.
_LARGEST_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Positions in the dense text, those of each text ascending.

    Text i stands at `position[begin[i]:begin[i + 1]]`. Where all texts together have too many
    places, those with the most have none here: `too_many` says which.
    """

    begin: Ints
    position: Ints
    too_many: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))

    @property
    def counts(self) -> Ints:
        """How often each text stands in the document; 0 where that is too often."""
        return np.diff(self.begin)


def occurrences(
    document: DenseText,
    dense_texts: DenseTexts,
    only: Sequence[int] | None = None,
    most: int | None = None,
) -> Occurrences:
    """Return all places of each text in the dense text of a document, or of some texts.

    Empty texts have none. If all have more than `most` places together, as many are kept, of the
    texts that have the fewest.

    The first characters of a text, at most 12, propose places by their hash, the hash of the
    whole text leaves few of them, and those are compared character by character.

    >>> texts = DenseTexts(["to be", "or", "bee"])
    >>> places = occurrences(DenseText("to be or not to be"), texts)
    >>> places.begin.tolist(), places.position.tolist()
    ([0, 2, 3, 3], [0, 9, 4])
    """
    numbers = np.arange(len(dense_texts)) if only is None else np.array(only, dtype=np.int64)
    lengths = dense_texts.lengths[numbers]
    sizes = np.minimum(lengths, GRAM)
    fits = (lengths > 0) & (lengths <= len(document))
    places = _KeptPlaces(len(numbers), most)
    for size in np.unique(sizes[fits]).tolist():
        mine = np.flatnonzero(fits & (sizes == size))
        for row, position in _proposed(document, dense_texts, numbers[mine]):
            places.add(mine[row], position)
    row, position = places.fewest()
    texts = {number: dense_texts[numbers[number]] for number in np.unique(row).tolist()}
    stands = document.dense.startswith
    pairs = zip(row.tolist(), position.tolist(), strict=True)
    equal = np.fromiter((stands(texts[i], at) for i, at in pairs), np.bool_, len(row))
    row, position = row[equal], position[equal]
    order = np.lexsort((position, row))
    counts = np.bincount(row, minlength=len(numbers))
    return Occurrences(np.append(0, np.cumsum(counts)), position[order], places.too_many)


def most_places(document: DenseText) -> int:
    """Return how many places distinct texts may have in a document together, to bound memory."""
    return _PLACES + _PLACES_PER_CHARACTER * len(document)


class _KeptPlaces:
    """Places of texts; if there are more than `most`, of those that have the fewest.

    All places of a text are added together. Which texts are kept does not depend on their order.
    """

    def __init__(self, count: int, most: int | None) -> None:
        self.too_many = np.zeros(count, dtype=np.bool_)
        self._most = most
        none = np.zeros(0, dtype=np.int64)
        self._rows: list[Ints] = [none]
        self._positions: list[Ints] = [none]
        self._size = 0
        self._is_over = False

    def add(self, row: Ints, position: Ints) -> None:
        """Take all places of some texts."""
        self._rows.append(row)
        self._positions.append(position)
        self._size += len(row)
        # Not each time that there are too many, for all of them are gone through.
        if self._most is not None and self._size > 2 * self._most:
            self.fewest()

    def fewest(self) -> tuple[Ints, Ints]:
        """Return the texts that are kept, by their numbers, and their places."""
        row, position = np.concatenate(self._rows), np.concatenate(self._positions)
        if self._most is not None and (self._is_over or len(row) > self._most):
            self._is_over = True
            counts = np.bincount(row, minlength=len(self.too_many))
            self.too_many |= counts > _LARGEST_SHARE * self._most
            counts[self.too_many] = 0
            ascending = np.argsort(counts, kind="stable")
            self.too_many[ascending[np.cumsum(counts[ascending]) > self._most]] = True
            kept = ~self.too_many[row]
            row, position = row[kept], position[kept]
        self._rows, self._positions, self._size = [row], [position], len(row)
        return row, position


def _proposed(
    document: DenseText, dense_texts: DenseTexts, numbers: Ints
) -> Iterator[tuple[Ints, Ints]]:
    """Yield places that texts have by their hashes, as rows of `numbers`.

    The first characters of all make grams of one size.
    """
    lengths = dense_texts.lengths[numbers]
    size = min(GRAM, int(lengths[0]))
    begin = dense_texts.begin[:-1][numbers]
    grams = dense_texts.hashes.of(begin, np.full(len(numbers), size))
    whole = dense_texts.hashes.of(begin, lengths)
    matches = Matches(document.hashes.all_of_size(size), grams)
    for rows in _blocks(matches.counts):
        row, position = matches.pairs(rows)
        length, hashes = lengths[row], whole[row]
        if len(rows) == 1:  # one number for all of its places is faster
            length, hashes = lengths[rows], whole[rows]
        within = position + length <= len(document)
        row, position = row[within], position[within]
        if len(rows) > 1:
            length, hashes = length[within], hashes[within]
        same = document.hashes.of(position, length) == hashes
        yield row[same], position[same]


def _blocks(counts: Ints) -> list[Ints]:
    """Return all rows in blocks that propose a bounded number of places, one row at least."""
    block = (np.cumsum(counts) - counts) // _MOST_PAIRS
    return np.split(np.arange(len(counts)), np.flatnonzero(np.diff(block)) + 1)
