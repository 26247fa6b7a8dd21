"""Text from documents, runs and assessments, made fit for a page.

Templates escape all text by themselves, and make it readable. Here names are shortened and kept
apart, and data are written for scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from doxeval.markup import readable

# What could end a script, begin a comment in it, or end a line of it.
_IN_SCRIPTS = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
_LONGEST = 200


def legible(names: Iterable[str]) -> dict[str, str]:
    """Return names as they are shown: readable, not too long, and still all different.

    >>> legible(["a\\0", "a\\1", "b"])
    {'a\\x00': 'a\N{REPLACEMENT CHARACTER}', 'a\\x01': 'a\N{REPLACEMENT CHARACTER} (2)', 'b': 'b'}
    """
    given = list(dict.fromkeys(names))
    short = (name if len(name) <= _LONGEST else f"{name[:90]}…{name[-90:]}" for name in given)
    shown = [" ".join(readable(name).split()) or "(no name)" for name in short]
    return dict(zip(given, unique(shown), strict=True))


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
