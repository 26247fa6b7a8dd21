"""Coverage feedback: which inputs reach lines of doxeval, or errors, that no input reached before.

Such inputs join the pool that others are made from. Tracing makes Python slow, so only every few
inputs are traced, and a function that is called over and over only the first times. Kinds of
errors cost nothing to know, and tell also what happens inside parsers that are written in C.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import doxeval

_ROOT = str(Path(doxeval.__file__).parent)
_TRACED = 6  # of so many inputs, one is traced
_CALLS = 20  # of a function, while one input is read
_DETAIL = re.compile(r"'[^']*'|\"[^\"]*\"|[0-9]+|[^\x20-\x7e]")


class Coverage:
    """What was reached so far."""

    def __init__(self) -> None:
        self.lines: set[tuple[CodeType, int]] = set()
        self.errors: set[str] = set()
        self._inputs = 0
        self._found = False
        self._calls: Counter[CodeType] = Counter()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Trace what happens inside, if it is the turn of this input."""
        self._found = False
        self._inputs += 1
        if self._inputs % _TRACED:
            yield
            return
        self._calls.clear()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)

    def is_new(self, error: BaseException | None) -> bool:
        """Whether the last input reached a new line or a new kind of error."""
        kind = (
            "" if error is None else f"{type(error).__name__} {_DETAIL.sub('', str(error)[:300])}"
        )
        is_new = self._found or (error is not None and kind not in self.errors)
        self.errors.add(kind)
        return is_new

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(_ROOT) or self._calls[code] > _CALLS:
            return None
        self._calls[code] += 1
        return self._line

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        place = (frame.f_code, frame.f_lineno)
        if event == "line" and place not in self.lines:
            self.lines.add(place)
            self._found = True
        return self._line
