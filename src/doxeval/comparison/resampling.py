"""Tests by resampling: Fisher's randomization and the bootstrap.

Both work on whole numbers, so no rounding makes equal sums differ. The observed sample counts as
one of the resamples (p is never 0), and the interval holds exactly the differences that the test
would not reject.
"""

from __future__ import annotations

import hashlib
import math
from typing import NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Floats, Ints
from doxeval.errors import InputError

# Up to this number of topics all combinations of signs are tried.
EXACT_UP_TO = 16
_AT_ONCE = 1 << 20
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


class Outcome(NamedTuple):
    """The result of a test; the interval is None if there are too few topics to bound it."""

    p: float
    interval: tuple[float, float] | None


def check_resampling(resamples: int, seed: int) -> None:
    """An error unless there is at least one resample, and the seed is not negative.

    >>> check_resampling(0, 1)
    Traceback (most recent call last):
    doxeval.errors.InputError: resamples is 0: expected 1 or more
    """
    if resamples < 1:
        raise InputError(f"resamples is {resamples}: expected 1 or more")
    if seed < 0:
        raise InputError(f"seed is {seed}: expected 0 or more")


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on the names that are compared, in any order.

    >>> first, second = generator(1, "a", "b"), generator(1, "b", "a")
    >>> bool((first.integers(0, 1000, 5) == second.integers(0, 1000, 5)).all())
    True
    """
    digest = hashlib.sha256("\0".join(sorted(names)).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16], "big")])


def randomization(
    steps: Ints, alpha: float, resamples: int, random: np.random.Generator
) -> Outcome:
    """Fisher's test: how often is the sum as far from 0 if every sign is left to chance?

    All 2^n combinations of signs are tried for up to 16 topics. Flipping the signs of a set of
    topics makes the sum as large or larger exactly if the set's mean is not positive; so the
    bounds of the interval are extreme means of the flipped sets [Hartigan 1969].

    >>> randomization(np.array([1, 2, 3]), 0.3, 1000, generator(0))
    Outcome(p=0.25, interval=(1.0, 3.0))
    """
    flipped = _flipped(len(steps), resamples, random)
    total = int(steps.sum())
    sums = _set_sums(flipped, steps)
    sizes = _set_sums(flipped, np.ones_like(steps))
    count = int((np.abs(total - 2 * sums) >= abs(total)).sum())
    means = np.concatenate([_means(sums, sizes), _means(total - sums, len(steps) - sizes)])
    interval = None
    allowed = _allowed(alpha, len(flipped))
    if allowed:
        low, high = np.nan_to_num(means, nan=-np.inf), np.nan_to_num(means, nan=np.inf)
        bounds = _smallest(low, allowed), -_smallest(-high, allowed)
        interval = bounds if all(map(math.isfinite, bounds)) else None
    return Outcome((count + 1) / (len(flipped) + 1), interval)


def bootstrap(steps: Ints, alpha: float, resamples: int, random: np.random.Generator) -> Outcome:
    """The paired bootstrap by shift: how often is the mean of a resample as far from 0 as observed?

    Resamples are drawn from the differences after these are shifted to a mean of 0.

    >>> bootstrap(np.array([5, 5, 5, 5]), 0.05, 999, generator(0))
    Outcome(p=0.001, interval=(5.0, 5.0))
    """
    count, total = len(steps), int(steps.sum())
    sums = []
    rows = max(_AT_ONCE // count, 1)
    for first in range(0, resamples, rows):
        shape = (min(rows, resamples - first), count)
        sums.append(steps[random.integers(0, count, shape)].sum(axis=1))
    moved = np.abs(np.concatenate(sums) - total)
    p = (int((moved >= abs(total)).sum()) + 1) / (resamples + 1)
    allowed = _allowed(alpha, resamples)
    if not allowed:
        return Outcome(p, None)
    half = -_smallest(-moved / count, allowed)
    return Outcome(p, (total / count - half, total / count + half))


def _flipped(count: int, resamples: int, random: np.random.Generator) -> Bytes:
    """Sets of topics whose signs are flipped, eight topics to a byte, one set in each row.

    Flipping a set or its complement gives sums of the same size, so where all sets are tried the
    last topic is never flipped.
    """
    width = -(-count // 8)
    if count > EXACT_UP_TO:
        return random.integers(0, 256, (resamples, width), dtype=np.uint8)
    numbers = np.arange(1, 1 << (count - 1), dtype="<u4")
    return numbers.view(np.uint8).reshape(-1, 4)[:, :width]


def _set_sums(sets: Bytes, steps: Ints) -> Ints:
    """The sum over each set, looked up byte by byte in tables of the sums of eight topics."""
    padded = np.zeros(sets.shape[1] * 8, dtype=np.int64)
    padded[: len(steps)] = steps
    tables = padded.reshape(-1, 8) @ _BITS.T.astype(np.int64)
    sums = np.zeros(len(sets), dtype=np.int64)
    for table, column in zip(tables, sets.T, strict=True):
        sums += table[column]
    return sums


def _means(sums: Ints, sizes: Ints) -> Floats:
    """Means of sets; nan for the empty set."""
    means = np.full(len(sums), np.nan)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return means


def _allowed(alpha: float, resamples: int) -> int:
    """How many resamples may be as extreme as the observed sample if p is to be below alpha."""
    return math.ceil(alpha * (resamples + 1) - 1e-9) - 1


def _smallest(values: Floats, rank: int) -> float:
    """The value of this rank, counted from the smallest."""
    return float(np.partition(values, rank - 1)[rank - 1])
