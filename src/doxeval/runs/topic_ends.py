"""Where the lines of one topic end in a text run, and those of the next begin."""

from __future__ import annotations

import numpy as np

from doxeval.arrays import Bytes, Ints

_WINDOW = 1 << 16


def last_topic_begins(data: bytes, begin: int, end: int) -> int:
    """Where the lines of the last topic begin, in whole lines of text; `begin` if all are its own.

    The topic is the first field of a line; blank lines belong to the topic before them.

    >>> data = b"7 Q0 a\\n7 Q0 b\\n8 Q0 a\\n8 Q0 c\\n"
    >>> data[last_topic_begins(data, 0, len(data)) :]
    b'8 Q0 a\\n8 Q0 c\\n'
    """
    topic, last = _last_topic(data, begin, end)
    if topic is None:
        return begin
    # What most lines of the topic begin with: the topic, and one character behind it.
    prefix = topic + data[last + len(topic) : last + len(topic) + 1]
    window, at = _WINDOW, last
    while at > begin:
        low = max(begin, at - window)
        for line in _other_lines(data, prefix, low, at)[::-1].tolist():
            fields = data[line : data.find(b"\n", line)].split(None, 1)
            if fields and fields[0] != topic:
                return data.find(b"\n", line) + 1
        at, window = low, 4 * window
    fields = data[begin : data.find(b"\n", begin)].split(None, 1)
    if fields and fields[0] != topic:
        return data.find(b"\n", begin) + 1
    return begin


def next_topic_begins(data: bytes, begin: int, end: int) -> int | None:
    """Where the lines of another topic begin than that of the first line; None: nowhere.

    >>> data = b"7 Q0 a\\n\\n7 Q0 b\\n8 Q0 a\\n"
    >>> next_topic_begins(data, 0, len(data))
    15
    """
    topic, at = _first_topic(data, begin, end)
    if topic is None:
        return None
    prefix = topic + data[at + len(topic) : at + len(topic) + 1]
    for line in _other_lines(data, prefix, at, end).tolist():
        fields = data[line : data.find(b"\n", line)].split(None, 1)
        if fields and fields[0] != topic:
            return int(line)
    return None


def _first_topic(data: bytes, begin: int, end: int) -> tuple[bytes | None, int]:
    """The topic of the first line that is not blank, and where that line begins."""
    while begin < end:
        after = data.find(b"\n", begin, end) + 1 or end
        fields = data[begin:after].split(None, 1)
        if fields:
            return fields[0], begin
        begin = after
    return None, begin


def _last_topic(data: bytes, begin: int, end: int) -> tuple[bytes | None, int]:
    """The topic of the last line that is not blank, and where that line begins."""
    while end > begin:
        line = data.rfind(b"\n", begin, end - 1) + 1 or begin
        fields = data[line:end].split(None, 1)
        if fields:
            return fields[0], line
        end = line
    return None, begin


def _other_lines(data: bytes, prefix: bytes, low: int, high: int) -> Ints:
    """Where those lines begin behind `low` and before `high` that do not begin with the prefix."""
    codes: Bytes = np.frombuffer(data, dtype=np.uint8)
    lines = np.flatnonzero(codes[low : max(high - 1, low)] == 10) + low + 1
    is_other = np.zeros(len(lines), dtype=np.bool_)
    for place, code in enumerate(prefix):
        is_other |= codes[np.minimum(lines + place, len(codes) - 1)] != code
    return lines[is_other]
