"""τ_AP: a correlation of rankings that weighs the top more [Yilmaz, Aslam, Robertson 2008].

One ranking is the reference (the "actual" one), the other is judged by it (the "estimated" one).
For each system of the judged ranking except those at its top, take the share of the systems above
it that the reference also has above it; τ_AP is twice the mean share, minus 1. The two directions
differ; their mean is symmetric. Of two tied systems neither is above the other: this is τ_AP,b of
Urbano and Marrero (The Treatment of Ties in AP Correlation, ICTIR 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

import numpy as np

from doxeval.arrays import Floats, Ints

# Up to this number of systems all orders are tried.
EXACT_UP_TO = 7
_AT_ONCE = 1 << 20


def tau_ap(judged: Floats, reference: Floats) -> float | None:
    """τ_AP of a ranking against a reference, by scores (higher is better).

    None if all systems of a ranking are tied.

    >>> tau_ap(np.array([0.5, 0.9, 0.1]), np.array([0.9, 0.5, 0.1]))
    0.0
    >>> tau_ap(np.array([0.9, 0.1, 0.5]), np.array([0.9, 0.5, 0.1]))
    0.5
    """
    if not (np.ptp(judged) and np.ptp(reference)):
        return None
    return float((_weights(judged) * _is_above(reference)).sum()) - 1


def symmetric_tau_ap(one: Floats, other: Floats) -> float | None:
    """The mean of τ_AP in both directions.

    >>> symmetric_tau_ap(np.array([0.9, 0.1, 0.5]), np.array([0.9, 0.5, 0.1]))
    0.5
    """
    forth, back = tau_ap(one, other), tau_ap(other, one)
    return None if forth is None or back is None else (forth + back) / 2


def tau_ap_probability(
    one: Floats, other: Floats, resamples: int, random: np.random.Generator
) -> float | None:
    """How often |symmetric τ_AP| of two unrelated rankings is as large as observed.

    All orders are tried for up to seven systems. For more, orders are drawn at random, and the
    observed one counts as one of them.

    >>> scores = np.array([0.1, 0.2, 0.3, 0.4])
    >>> tau_ap_probability(scores, scores, 100, np.random.default_rng(0)) == 2 / 24
    True
    """
    observed = symmetric_tau_ap(one, other)
    if observed is None:
        return None
    is_exact = len(one) <= EXACT_UP_TO
    drawn: Iterable[Ints] = (
        [all_orders(len(one))] if is_exact else _drawn_orders(len(one), resamples, random)
    )
    total = extreme = 0 if is_exact else 1
    for orders in drawn:
        values = _of_orders(one, other, orders)
        extreme += int((np.abs(values) >= abs(observed) - 1e-9).sum())
        total += len(orders)
    return extreme / total


def _is_above(scores: Floats) -> Floats:
    """1 where the system of the column is above that of the row."""
    return (scores[None, :] > scores[:, None]).astype(np.float64)


def _weights(scores: Floats) -> Floats:
    """The weight of agreeing that the column's system is above the row's."""
    above = _is_above(scores)
    counts: Floats = above.sum(axis=1, keepdims=True)
    return above * (2 / np.maximum(counts, 1) / np.count_nonzero(counts))


def _of_orders(one: Floats, other: Floats, orders: Ints) -> Floats:
    """Symmetric τ_AP where the other scores are permuted."""
    rows, columns = np.nonzero(_is_above(one))
    own, weights, above = _weights(one)[rows, columns], _weights(other), _is_above(other)
    below, over = orders[:, rows], orders[:, columns]
    forth = above[below, over] @ own
    back = weights[below, over].sum(axis=1)
    return np.asarray((forth + back) / 2 - 1, dtype=np.float64)


def all_orders(count: int) -> Ints:
    """All orders of a number of things.

    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    return np.array(list(permutations(range(count))))


def _drawn_orders(count: int, resamples: int, random: np.random.Generator) -> Iterator[Ints]:
    rows = max(_AT_ONCE // count**2, 1)
    for first in range(0, resamples, rows):
        shape = (min(rows, resamples - first), count)
        yield random.permuted(np.broadcast_to(np.arange(count), shape), axis=1)
