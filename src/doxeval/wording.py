"""Phrases that messages share: counts, lists of names, suggestions, values in brief."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from typing import Any


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "result"), counted(1500, "result")
    ('1 result', '1,500 results')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int = 10) -> str:
    """Names one after another; of many the first, and how many more there are.

    >>> listed(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def suggestion(wrong: str, known: Iterable[str], what: str = "") -> str:
    """The end of a message about a wrong name: the closest name there is, or all of them.

    >>> suggestion("carefull", ["careful", "broad"]), suggestion("x", ["careful", "broad"])
    ('; did you mean careful?', '; there are careful, broad')
    """
    from difflib import get_close_matches

    by_case = {name.lower(): name for name in known}
    close = get_close_matches(wrong.lower(), by_case, 1, 0.6)
    if close:
        return f"; did you mean {by_case[close[0]]}?"
    return f"; there are {what}{', '.join(by_case.values())}" if by_case else "; there are none"


def in_brief(value: Any, positional: int = 0) -> str:
    """A dataclass as the call that makes it, without what has its default value.

    The first fields may be shown without their names.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    ...     name: str = ""
    >>> in_brief(Point(3, name="a"), 1)
    "Point(3, name='a')"
    """
    shown = [repr(getattr(value, one.name)) for one in fields(value)[:positional]]
    for one in fields(value)[positional:]:
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        given = getattr(value, one.name)
        if one.repr and given != default:
            shown.append(f"{one.name}={given!r}")
    return f"{type(value).__name__}({', '.join(shown)})"
