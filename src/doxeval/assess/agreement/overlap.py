"""How the highlights of assessors overlap, counted in characters over many documents at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Floats, Ints
from doxeval.assess.agreement.coefficients import Table, krippendorff_alpha
from doxeval.spans import Spans, merge_spans, shared_lengths

Ranges: TypeAlias = Sequence[tuple[int, int]]


class CharacterTables(NamedTuple):
    """What two assessors highlighted, a row for each document; see `Table`.

    Values of documents are nan where they are undefined.
    """

    both: Ints
    first: Ints
    second: Ints
    neither: Ints

    def total(self) -> Table:
        """All documents together."""
        return Table(*(int(column.sum()) for column in self))

    def jaccard(self) -> Floats:
        """Jaccard of each document."""
        return _shares(self.both, self.both + self.first + self.second)

    def f1(self) -> Floats:
        """F1 of each document."""
        return _shares(2 * self.both, 2 * self.both + self.first + self.second)

    def precision(self) -> Floats:
        """The share of what the first highlighted that the second highlighted too."""
        return _shares(self.both, self.both + self.first)

    def recall(self) -> Floats:
        """The share of what the second highlighted that the first highlighted too."""
        return _shares(self.both, self.both + self.second)

    def kappa(self) -> Floats:
        """Cohen's κ of each document."""
        both, first, second, neither = self
        expected = (both + first) * (first + neither) + (second + neither) * (both + second)
        seen = (first + second) * (both + first + second + neither)
        return _shares(expected - seen, expected)


def character_tables(
    first: Sequence[Ranges], second: Sequence[Ranges], lengths: Sequence[int]
) -> CharacterTables:
    """The highlights of two assessors in some documents, given with their lengths.

    >>> tables = character_tables([[(0, 5)]], [[(3, 9)]], [20])
    >>> tables.total(), tables.jaccard().round(3).tolist()
    (Table(both=2, first=3, second=4, neither=11), [0.222])
    """
    ones, others = _grouped(first), _grouped(second)
    count = len(lengths)
    both = _by_document(ones, shared_lengths(ones, others), count)
    only_first = _by_document(ones, ones.lengths(), count) - both
    only_second = _by_document(others, others.lengths(), count) - both
    neither = np.asarray(lengths, dtype=np.int64) - both - only_first - only_second
    return CharacterTables(both, only_first, only_second, neither)


class CharacterDepths(NamedTuple):
    """How many characters of each document how many of its assessors highlighted.

    assessors: how many judged each document. characters: a row for each document, with the number
    of characters that none, one, two … of them highlighted.
    """

    assessors: Ints
    characters: Ints

    def alpha(self) -> float | None:
        """Krippendorff's α of all documents together."""
        depths = [
            (assessors, relevant, units)
            for assessors in np.unique(self.assessors).tolist()
            for relevant, units in enumerate(
                self.characters[self.assessors == assessors].sum(axis=0).tolist()
            )
            if units
        ]
        alpha = krippendorff_alpha(depths)
        return None if alpha is None else float(alpha)

    def alphas(self) -> Floats:
        """Krippendorff's α of each document, nan where it is undefined."""
        depth = np.arange(self.characters.shape[1])
        assessors = self.assessors[:, None]
        ones = (self.characters * depth).sum(axis=1)
        zeros = self.assessors * self.characters.sum(axis=1) - ones
        apart = (self.characters * depth * (assessors - depth)).sum(axis=1)
        expected = (self.assessors - 1) * ones * zeros
        return _shares(expected - (ones + zeros - 1) * apart, expected)


def character_depths(
    highlights: Sequence[Sequence[Ranges]], lengths: Sequence[int]
) -> CharacterDepths:
    """The highlights of all assessors who judged each document, which is given with its length.

    >>> depths = character_depths([[[(0, 5)], [(3, 9)]]], [20])
    >>> depths.characters.tolist(), depths.alpha()
    ([[11, 7, 2]], 0.14420062695924765)
    """
    edges = [
        (document, at, step)
        for document, assessors in enumerate(highlights)
        for ranges in assessors
        for start, end in ranges
        for at, step in ((start, 1), (end, -1))
    ]
    document, at, step = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    order = np.lexsort((at, document))
    document, at = document[order], at[order]
    # Every range of a document ends in it, so the depth is 0 again where the next one begins.
    depth = np.cumsum(step[order])
    width = np.append(at[1:] - at[:-1], np.zeros(min(len(at), 1), dtype=np.int64))
    counts = np.array([len(assessors) for assessors in highlights], dtype=np.int64)
    most = int(counts.max(initial=0)) + 1
    kept = np.flatnonzero(depth > 0)
    characters = np.zeros(len(highlights) * most, dtype=np.int64)
    np.add.at(characters, document[kept] * most + depth[kept], width[kept])
    table = characters.reshape(len(highlights), most)
    table[:, 0] = np.asarray(lengths, dtype=np.int64) - table.sum(axis=1)
    return CharacterDepths(counts, table)


def mean_of(values: Floats) -> float | None:
    """The mean of the values that are not nan; None if all are.

    >>> mean_of(np.array([1.0, np.nan, 0.5])), mean_of(np.array([np.nan]))
    (0.75, None)
    """
    defined = values[~np.isnan(values)].tolist()
    return math.fsum(defined) / len(defined) if defined else None


def _shares(part: Ints, whole: Ints) -> Floats:
    """Shares, nan where the whole is nothing."""
    shares: Floats = np.full(len(whole), np.nan)
    np.divide(part, whole, out=shares, where=whole != 0)
    return shares


def _grouped(documents: Iterable[Ranges]) -> Spans:
    """Ranges grouped by document, merged."""
    return merge_spans(
        Spans.of(
            [(group, start, end) for group, ranges in enumerate(documents) for start, end in ranges]
        )
    )


def _by_document(spans: Spans, values: Ints, count: int) -> Ints:
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, spans.group, values)
    return sums
