"""Words as numbers: equal words of any number of texts have the same one.

Words are read from the bytes of UTF-8, eight at a time, as paths in a tree: the next eight bytes of
a word lead from one node to another, and the node at its end is its number. Most words are a single
step. A step is looked up among those known by open addressing, for all words of a text at once.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints
from doxeval.retrieve.text import WordSpans

_STEP = 8  # bytes
_AT_ONCE = 1 << 18  # words
_FIRST_SLOTS = 1 << 16
_SPACE = 4  # slots for each node, at least
_FACTORS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_NONE = -1
Blocks: TypeAlias = npt.NDArray[np.uint64]
# The bytes of a block that belong to a word which has so many bytes left.
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(_STEP + 1)], dtype=np.uint64)


class WordNumbers:
    """Numbers for words.

    >>> numbers = WordNumbers()
    >>> numbers.of("fog, sea, fog!", WordSpans(np.array([0, 5, 10]), np.array([3, 8, 13]))).tolist()
    [1, 2, 1]
    """

    def __init__(self) -> None:
        # Node 0 is the root; a node has the node before it, and the bytes that lead to it.
        self._before: Ints = np.zeros(1024, dtype=np.int32)
        self._block: Blocks = np.zeros(1024, dtype=np.uint64)
        self._count = 1
        self._slots: Ints = np.full(_FIRST_SLOTS, _NONE, dtype=np.int32)

    def __len__(self) -> int:
        """Return the number of nodes: all numbers are below it."""
        return self._count

    def of(self, text: str, words: WordSpans) -> Ints:
        """Return the numbers of the words of a text, none of which has the character NUL."""
        data = np.frombuffer(text.encode("utf-8", "surrogatepass") + bytes(_STEP), dtype=np.uint8)
        start, end = words
        if not text.isascii():
            first_bytes = np.flatnonzero((data & 0xC0) != 0x80)  # of each character
            start, end = first_bytes[start], first_bytes[end]
        # The eight bytes from each byte on, wherever it is.
        blocks: Blocks = np.ndarray(
            len(data) - _STEP + 1, dtype="<u8", buffer=data.data, strides=(1,)
        )
        several = range(0, len(start), _AT_ONCE)
        parts = [self._of(blocks, start[at:][:_AT_ONCE], end[at:][:_AT_ONCE]) for at in several]
        return np.concatenate([np.zeros(0, dtype=np.int32), *parts])

    def _of(self, blocks: Blocks, start: Ints, end: Ints) -> Ints:
        """Return the numbers of words between some bytes."""
        left, at = end - start, 0
        block = blocks[start] & _KEPT[np.minimum(left, _STEP)]
        numbers = self._next(np.zeros(len(start), dtype=np.int32), block)
        longer = np.flatnonzero(left > _STEP)
        while len(longer):
            at += _STEP
            rest = np.minimum(left[longer] - at, _STEP)
            block = blocks[start[longer] + at] & _KEPT[rest]
            numbers[longer] = self._next(numbers[longer], block)
            longer = longer[left[longer] > at + _STEP]
        return numbers

    def _next(self, before: Ints, block: Blocks) -> Ints:
        """Return the nodes to which blocks of bytes lead from others; new ones are made."""
        numbers = np.full(len(before), _NONE, dtype=np.int32)
        waiting = np.arange(len(before))
        slot = self._first_slot(before, block)
        while len(waiting):
            node = self._slots[slot]
            is_free = node < 0
            if is_free.any():
                free = np.flatnonzero(is_free)
                _, first = np.unique(slot[free], return_index=True)
                self._add(
                    slot[free[first]], before[waiting[free[first]]], block[waiting[free[first]]]
                )
                if self._count * _SPACE > len(self._slots):
                    self._make_room()
                    slot = self._first_slot(before[waiting], block[waiting])
                continue
            is_known = (self._block[node] == block[waiting]) & (
                self._before[node] == before[waiting]
            )
            numbers[waiting[is_known]] = node[is_known]
            waiting, slot = waiting[~is_known], (slot[~is_known] + 1) % len(self._slots)
        return numbers

    def _first_slot(self, before: Ints, block: Blocks) -> Ints:
        slot: Ints
        mixed = block * _FACTORS[0] + before.astype(np.uint64) * _FACTORS[1]
        shift = np.uint64(64 - (len(self._slots).bit_length() - 1))
        slot = ((mixed ^ (mixed >> np.uint64(29))) * _FACTORS[1] >> shift).astype(np.int64)
        return slot

    def _add(self, slot: Ints, before: Ints, block: Blocks) -> None:
        """Add nodes in free slots that are all different."""
        count = self._count + len(slot)
        if count > len(self._before):
            more = np.zeros(max(count, 2 * len(self._before)) - len(self._before), dtype=np.uint64)
            self._before = np.append(self._before, more.astype(np.int32))
            self._block = np.append(self._block, more)
        self._before[self._count : count] = before
        self._block[self._count : count] = block
        self._slots[slot] = np.arange(self._count, count)
        self._count = count

    def _make_room(self) -> None:
        """Give the nodes twice the slots that they need, each a new one."""
        slots = 1 << (2 * _SPACE * self._count - 1).bit_length()
        self._slots = np.full(slots, _NONE, dtype=np.int32)
        node = np.arange(1, self._count)
        slot = self._first_slot(self._before[node], self._block[node])
        while len(node):
            free = np.flatnonzero(self._slots[slot] < 0)
            _, first = np.unique(slot[free], return_index=True)
            is_placed = np.zeros(len(node), dtype=np.bool_)
            is_placed[free[first]] = True
            self._slots[slot[is_placed]] = node[is_placed]
            node, slot = node[~is_placed], (slot[~is_placed] + 1) % len(self._slots)
