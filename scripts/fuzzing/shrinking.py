"""Making the input of a finding smaller while it still shows the finding."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

_SECONDS = 5.0


def shorter(data: bytes) -> Iterator[bytes]:
    """The data without a part of them, large parts first.

    >>> list(shorter(b"ab"))
    [b'', b'b', b'a']
    """
    size = len(data)
    while size:
        for at in range(0, len(data), size):
            yield data[:at] + data[at + size :]
        size //= 2


def shrunk(
    data: bytes, smaller: Callable[[bytes], Iterator[bytes]], shows: Callable[[bytes], bool]
) -> bytes:
    """The smallest input found in a few seconds that still shows a finding.

    >>> shrunk(b"...x....", shorter, lambda data: b"x" in data)
    b'x'
    """
    until = time.monotonic() + _SECONDS
    while True:
        for candidate in smaller(data):
            if time.monotonic() > until:
                return data
            if shows(candidate):
                data = candidate
                break
        else:
            return data
