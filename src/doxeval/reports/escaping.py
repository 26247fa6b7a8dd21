"""Text from documents, runs and assessments, made fit for a page.

Templates escape all text by themselves, and make it readable. Here names are shortened and kept
apart, and data are written for scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from doxeval.markup import readable

# What could end a script, begin a comment in it, or end a line of it.
_IN_SCRIPTS = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
_LONGEST = 200
# Where names stand beside or in a chart, or in a list.
_SHORT = 24


def legible(names: Iterable[str]) -> dict[str, str]:
    """Return names as they are shown: readable, not too long, and still all different.

    >>> legible(["a\\0", "a\\1", "b"])
    {'a\\x00': 'a\N{REPLACEMENT CHARACTER}', 'a\\x01': 'a\N{REPLACEMENT CHARACTER} (2)', 'b': 'b'}
    """
    given = list(dict.fromkeys(names))
    short = (name if len(name) <= _LONGEST else f"{name[:90]}…{name[-90:]}" for name in given)
    shown = [" ".join(readable(name).split()) or "(no name)" for name in short]
    return dict(zip(given, unique(shown), strict=True))


def shortened(names: Sequence[str], longest: int = _SHORT) -> list[str]:
    """Return different names with an ellipsis in the middle of long ones, still all different.

    Where the ends of names are the same, they are shown around the first difference.

    >>> shortened(["a", "chunks-of-50-words", "chunks-of-50-lines"], 12)
    ['a', 'chunks…words', 'chunks…lines']
    >>> shortened(["a-very-long-name-1-of-my-run", "a-very-long-name-2-of-my-run"], 14)
    ['a-v…me-1-of-m…', 'a-v…me-2-of-m…']
    """
    head = longest // 2
    short = [_cut(name, longest, head, len(name) - (longest - 1 - head)) for name in names]
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(short):
        groups.setdefault(name, []).append(place)
    for places in groups.values():
        if len(places) > 1:
            letters = zip(*(names[place] for place in places), strict=False)
            same = next((at for at, some in enumerate(letters) if len(set(some)) > 1), 0)
            for place in places:
                short[place] = _cut(names[place], longest, longest // 4, same - longest // 4)
    return unique(short)


def _cut(name: str, longest: int, head: int, after: int) -> str:
    """Return the first characters of a long name and those from a later one on."""
    if len(name) <= longest:
        return name
    tail = name[max(after, head) :]
    room = longest - head - 1
    return f"{name[:head]}…{tail if len(tail) <= room else tail[: room - 1] + '…'}"


def unique(names: Iterable[str]) -> list[str]:
    """Yield the names, with a number after those that occurred before.

    >>> unique(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    taken: dict[str, None] = {}
    for name in names:
        shown, number = name, 1
        while shown in taken:
            number += 1
            shown = f"{name} ({number})"
        taken[shown] = None
    return list(taken)


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a script element, whatever text is in it.

    >>> print(script_json({"a": "</script>"}))
    {"a":"\u003c/script\u003e"}
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return readable(text).translate(_IN_SCRIPTS)
