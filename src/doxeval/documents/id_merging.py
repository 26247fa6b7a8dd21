"""Merging indexes of ids, one range of keys after another, in bounded memory.

Keys are hashes, so ranges of the same width have about the same number of entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents.id_index import DuplicateId, IdIndex, in_order, number_type

_BLOCK = 1 << 19  # how many entries are merged at once, about
_KEY_BITS = 64


def merged_indexes(parts: Sequence[IdIndex], firsts: Sequence[int]) -> Iterator[IdIndex]:
    """The blocks of one index for the documents of all parts, in order.

    `firsts` is added to the numbers of each part. If an id is there twice, DuplicateId is raised
    after the last range: about the first document that has the id of an earlier one.

    >>> from doxeval.documents.id_index import indexed
    >>> (block,) = merged_indexes([indexed(["a", "b"]), indexed(["c"])], [0, 2])
    >>> block.find(["c", "a"]).tolist()
    [2, 0]
    >>> list(merged_indexes([indexed(["a", "b"]), indexed(["b"])], [0, 2]))
    Traceback (most recent call last):
    doxeval.documents.id_index.DuplicateId: duplicate document id
    """
    entries = sum(len(part.keys) for part in parts)
    dtype = number_type(entries)
    duplicate: tuple[int, int] | None = None
    for slices in _ranges(parts, entries):
        block = in_order(_together(parts, firsts, slices))
        found = first_duplicate(block)
        if found is not None:
            duplicate = found if duplicate is None else min(duplicate, found)
        elif duplicate is None and len(block.keys):
            yield block._replace(numbers=block.numbers.astype(dtype, copy=False))
    if duplicate is not None:
        raise DuplicateId(*duplicate)


def first_duplicate(index: IdIndex) -> tuple[int, int] | None:
    """The lowest number of a document whose id an earlier one has too, and that of the earlier.

    >>> from doxeval.documents.id_index import indexed
    >>> first_duplicate(indexed(["a", "b", "b", "a", "a"]))
    (2, 1)
    """
    if not (index.keys[1:] == index.keys[:-1]).any():
        return None
    is_same = (index.keys[1:] == index.keys[:-1]) & (index.checks[1:] == index.checks[:-1])
    # Of one id, the lowest numbers come first: the second is the first that is a duplicate.
    pairs = np.flatnonzero(is_same & ~np.append(False, is_same[:-1]))
    if not len(pairs):
        return None
    later = index.numbers[pairs + 1]
    at = int(np.argmin(later))
    return int(later[at]), int(index.numbers[pairs[at]])


def _ranges(parts: Sequence[IdIndex], entries: int) -> Iterator[list[slice]]:
    """The entries of each part in each range of keys."""
    ranges = max(1, -(-entries // _BLOCK))
    begins = [0] * len(parts)
    for number in range(1, ranges + 1):
        if number < ranges:
            edge = np.array([(number << _KEY_BITS) // ranges], dtype=np.uint64)
            ends = [int(np.searchsorted(part.keys, edge)[0]) for part in parts]
        else:
            ends = [len(part.keys) for part in parts]
        yield [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        begins = ends


def _together(parts: Sequence[IdIndex], firsts: Sequence[int], slices: Sequence[slice]) -> IdIndex:
    """These entries of all parts, with the numbers of the whole."""
    keys, checks, numbers = [], [], []
    for part, first, own in zip(parts, firsts, slices, strict=True):
        if own.start < own.stop:
            keys.append(part.keys[own])
            checks.append(part.checks[own])
            numbers.append(part.numbers[own].astype(np.int64) + first)
    if not keys:
        none = np.zeros(0, dtype=np.uint64)
        return IdIndex(none, none, _no_numbers())
    return IdIndex(np.concatenate(keys), np.concatenate(checks), np.concatenate(numbers))


def _no_numbers() -> Ints:
    return np.zeros(0, dtype=np.int64)
