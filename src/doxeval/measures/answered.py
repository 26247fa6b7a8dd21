"""When needs are answered: after which result enough of an alternative has been shown.

Shares are counted in solid characters where the texts of documents are known, so that white space
at the borders of chunks makes no difference; otherwise in all characters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from doxeval.arrays import Ints, concatenated_ranges
from doxeval.measures.base import TOLERANCE
from doxeval.measures.gained import shown_alternatives
from doxeval.measures.ranking import Ranking

NEVER = 1 << 60  # a rank beyond all lists


class _Shown(NamedTuple):
    """How many characters of an alternative a result shows, by alternative and there by result."""

    alternative: Ints
    row: Ints
    characters: Ints


def answered(ranking: Ranking, cover: float, by: str) -> Ints:
    """The rank at which each need is answered, NEVER if it is not.

    A need is answered when a share of at least `cover` of one of its alternatives has been shown:
    by all results together, or by a single one. A cover of 0 asks for one character.
    """
    key = ("answered", cover, by)
    return ranking.remembered(key, lambda: _answered(ranking.in_solid, cover, by))


def _answered(ranking: Ranking, cover: float, by: str) -> Ints:
    needs = ranking.truth.needs
    shown = _together(ranking) if by == "union" else _one_by_one(ranking)
    length = needs.end - needs.start
    wanted = np.maximum(cover * length - TOLERANCE, TOLERANCE)
    is_enough = shown.characters >= wanted[shown.alternative]
    found = np.full(len(needs), NEVER, dtype=np.int64)
    rank = ranking.rank[shown.row[is_enough]]
    np.minimum.at(found, needs.owner[shown.alternative[is_enough]], rank)
    return found


def _together(ranking: Ranking) -> _Shown:
    """What all results up to each one have shown of an alternative."""
    new = ranking.new_text
    shared = shown_alternatives(new, ranking.truth)
    row, length = new.row[shared.other], shared.end - shared.start
    order = np.lexsort((row, shared.row))
    alternative, row, length = shared.row[order], row[order], length[order]
    total = np.append(0, np.cumsum(length))
    first = np.searchsorted(alternative, alternative)
    return _Shown(alternative, row, total[1:] - total[first])


def _one_by_one(ranking: Ranking) -> _Shown:
    """What each result shows of an alternative by itself."""
    needs = ranking.truth.needs
    rows = ranking.in_relevant_text
    which, text = ranking.text_of(rows, ranking.pair[rows])
    order = np.argsort(needs.pair, kind="stable")
    in_order = needs.pair[order]
    first = np.searchsorted(in_order, text.group)
    counts = np.searchsorted(in_order, text.group, "right") - first
    piece = np.repeat(np.arange(len(which)), counts)
    alternative = order[concatenated_ranges(first, counts)]
    length = np.minimum(text.end[piece], needs.end[alternative]) - np.maximum(
        text.start[piece], needs.start[alternative]
    )
    row = rows[which[piece]]
    keys, at = np.unique(alternative * (len(ranking) + 1) + row, return_inverse=True)
    together = np.zeros(len(keys), dtype=np.int64)
    np.add.at(together, at, np.maximum(length, 0))
    return _Shown(keys // (len(ranking) + 1), keys % (len(ranking) + 1), together)
