"""All places at which each of many texts stands in a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Ints
from doxeval.locating.hashes import Matches
from doxeval.locating.solid import SolidPieces, SolidText

GRAM = 12
_MOST_PAIRS = 4_000_000


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Solid positions, those of each text ascending.

    Text i stands at `position[begin[i]:begin[i + 1]]`.
    """

    begin: Ints
    position: Ints

    @property
    def counts(self) -> Ints:
        """How often each text stands in the document."""
        return np.diff(self.begin)


def occurrences(
    document: SolidText, pieces: SolidPieces, only: Sequence[int] | None = None
) -> Occurrences:
    """All places of each piece in the solid text of a document, or of some of the pieces.

    Empty pieces stand nowhere.

    The first characters of a piece, at most 12, propose places by their hash, the hash of the
    whole piece leaves few of them, and those are compared character by character.

    >>> found = occurrences(SolidText("to be or not to be"), SolidPieces(["to be", "or", "bee"]))
    >>> found.begin.tolist(), found.position.tolist()
    ([0, 2, 3, 3], [0, 9, 4])
    """
    rows: list[Ints] = [np.zeros(0, np.int64)]
    positions: list[Ints] = [np.zeros(0, np.int64)]
    numbers = np.arange(len(pieces)) if only is None else np.array(only, dtype=np.int64)
    lengths = pieces.lengths[numbers]
    sizes = np.minimum(lengths, GRAM)
    fits = (lengths > 0) & (lengths <= len(document))
    for size in np.unique(sizes[fits]).tolist():
        mine = np.flatnonzero(fits & (sizes == size))
        for row, position in _proposed(document, pieces, numbers[mine]):
            rows.append(mine[row])
            positions.append(position)
    row, position = np.concatenate(rows), np.concatenate(positions)
    order = np.lexsort((position, row))
    counts = np.bincount(row, minlength=len(numbers))
    return Occurrences(np.append(0, np.cumsum(counts)), position[order])


def _proposed(
    document: SolidText, pieces: SolidPieces, wanted: Ints
) -> Iterator[tuple[Ints, Ints]]:
    """Places of pieces, as rows of `wanted`; the first characters of all make grams of one size."""
    lengths = pieces.lengths[wanted]
    size = min(GRAM, int(lengths[0]))
    begin = pieces.begin[:-1][wanted]
    grams = pieces.hashes.of(begin, np.full(len(wanted), size))
    whole = pieces.hashes.of(begin, lengths)
    matches = Matches(document.hashes.all_of_size(size), grams)
    for rows in _blocks(matches.counts):
        row, position = matches.pairs(rows)
        within = position + lengths[row] <= len(document)
        row, position = row[within], position[within]
        same = document.hashes.of(position, lengths[row]) == whole[row]
        row, position = row[same], position[same]
        texts = [pieces[number] for number in wanted.tolist()]
        stands = document.solid.startswith
        equal = np.fromiter(
            (stands(texts[i], at) for i, at in zip(row.tolist(), position.tolist(), strict=True)),
            np.bool_,
            len(row),
        )
        yield row[equal], position[equal]


def _blocks(counts: Ints) -> list[Ints]:
    """All rows in blocks that propose a bounded number of places, one row at least."""
    block = (np.cumsum(counts) - counts) // _MOST_PAIRS
    return np.split(np.arange(len(counts)), np.flatnonzero(np.diff(block)) + 1)
