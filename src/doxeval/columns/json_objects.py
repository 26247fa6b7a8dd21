"""JSON objects, one on each line, parsed many at a time."""

from __future__ import annotations

import json
from typing import Any


def objects_on_lines(text: str) -> list[dict[str, Any]] | None:
    """The objects on the lines of a text, read as one list; None if that could go wrong.

    Read together, a list or a string that is open at the end of one line could be closed on the
    next. That is ruled out if each line starts with the only brace that it opens, and the list
    has as many objects as there are lines: then every line starts an object of the list, so the
    one on the line before has ended. Nothing is read that could hold a lone surrogate.

    >>> objects_on_lines('{"a": 1}\\n{"a": 2}'), objects_on_lines('{"a": [1\\n2]}')
    ([{'a': 1}, {'a': 2}], None)
    """
    lines = text.count("\n") + 1
    starts = text.startswith("{") + text.count("\n{")
    if starts != lines or text.count("{") != lines:
        return None
    if "\\" in text and ("\\ud" in text or "\\uD" in text):  # perhaps a lone surrogate
        return None
    try:
        values = json.loads(f"[{text.replace(chr(10), ',')}]")
    except (ValueError, RecursionError):
        return None
    return values if len(values) == lines and set(map(type, values)) == {dict} else None
