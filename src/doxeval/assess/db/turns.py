"""A lock that threads get in the order in which they asked for it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """One thread at a time, first come, first served.

    A plain lock may go to the same few threads again and again while others starve: with twenty
    assessors, that is one who waits for seconds.

    >>> turns = Turns()
    >>> with turns.mine(seconds=1):
    ...     "alone"
    'alone'
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()

    @contextmanager
    def mine(self, seconds: float) -> Iterator[None]:
        """Wait for one's turn; a TimeoutError if it does not come in time."""
        self._wait(seconds)
        try:
            yield
        finally:
            self._pass_on()

    def _wait(self, seconds: float) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            called = threading.Lock()
            called.acquire()
            self._waiting.append(called)
        if not called.acquire(timeout=seconds):
            with self._guard:
                if called in self._waiting:
                    self._waiting.remove(called)
                    raise TimeoutError(f"others were writing for {seconds:g} seconds")
            # The turn came in the very last moment: it is ours.

    def _pass_on(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
