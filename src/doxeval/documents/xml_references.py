"""How many bytes between tags are not characters of their own.

caf\xc3\xa9        one of the bytes of é
&amp; &#233;       all but one of a reference
\r\n               one, because XML reads both as one line end
"""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Bytes, Ints

# Longer than any reference to a character, unless it has leading zeros.
_LONGEST = 11
_NAMED = tuple(
    int.from_bytes(name, "little") for name in (b"&lt;", b"&gt;", b"&amp;", b"&apos;", b"&quot;")
)
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(8)], dtype=np.uint64)


def shrinkage(joined: bytes, data: Bytes, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """For each tag, how much shorter the text before it is than its bytes; and the strange tags.

    A tag is strange if the text before it refers to what is no character of XML's own. `begin` and
    `end` are the first and last bytes of each tag. At least 11 bytes come after the last tag.

    >>> joined = "<p>é &lt; <b>&nbsp;</b></p>".encode() + bytes(11)
    >>> data = np.frombuffer(joined, np.uint8)
    >>> begin, end = np.array([0, 11, 20, 24]), np.array([2, 13, 23, 27])
    >>> [array.tolist() for array in shrinkage(joined, data, begin, end)]
    [[0, 4, 0, 0], [2]]
    """
    shrinks = _continuations(joined, data, begin, end)
    if b"\r" in joined:
        returns = np.flatnonzero(data == ord("\r"))
        where, _ = _in_gaps(returns[data[returns + 1] == ord("\n")], begin, end)
        shrinks += np.bincount(where, minlength=len(begin))
    if b"&" not in joined:
        return shrinks, begin[:0]
    where, places = _in_gaps(np.flatnonzero(data == ord("&")), begin, end)
    lengths = _reference_lengths(data, places)
    shrinks += np.bincount(where, np.maximum(lengths - 1, 0), minlength=len(begin)).astype(np.int64)
    return shrinks, where[lengths == 0]


def _in_gaps(places: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The places between tags, each after the number of the tag that follows it."""
    following = np.searchsorted(begin, places)
    is_between = (following > 0) & (following < len(begin))
    following, places = following[is_between], places[is_between]
    is_outside = end[following - 1] < places
    return following[is_outside], places[is_outside]


def _continuations(joined: bytes, data: Bytes, begin: Ints, end: Ints) -> Ints:
    """For each tag, how many bytes before it continue a character of UTF-8."""
    if joined.isascii():
        return np.zeros(len(begin), dtype=np.int64)
    continues = data.view(np.int8) < -64  # 10xxxxxx
    if np.count_nonzero(continues) < len(begin):
        where, _ = _in_gaps(np.flatnonzero(continues), begin, end)
        return np.bincount(where, minlength=len(begin))
    counts = np.zeros(len(begin), dtype=np.int64)
    # From the end of one tag to the beginning of the next, and from there to its end, and so on.
    edges = np.column_stack([end[:-1], begin[1:]]).ravel()
    if len(edges):
        counts[1:] = np.add.reduceat(continues, edges, dtype=np.int64)[::2]
    return counts


def _reference_lengths(data: Bytes, places: Ints) -> Ints:
    """The bytes of the references at some places; 0 for what is no character of XML's own."""
    beginning = data[places[:, None] + np.arange(_LONGEST)]
    is_end = beginning == ord(";")
    lengths = np.where(is_end.any(axis=1), is_end.argmax(axis=1) + 1, 0)
    is_number = beginning[:, 1] == ord("#")
    first = np.ascontiguousarray(beginning[:, :8]).view("<u8")[:, 0]
    word = first & _FIRST_BYTES[np.minimum(lengths, len(_FIRST_BYTES) - 1)]
    return np.where(is_number | np.isin(word, _NAMED), lengths, 0)
