"""The values that parameters may have, given in Python or as text in a name."""

from __future__ import annotations

import math
import re
from dataclasses import Field
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, truncate

_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,400})?|\.[0-9]{1,400}")
_SHARE = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_CHOICE_WITH_SHARE = re.compile(r"([a-z]{1,40})\(([0-9]{0,3}\.?[0-9]{1,12})\)")
_CUT_OFF = re.compile(r"0*[1-9][0-9]{0,8}")
_LARGEST_CUT_OFF = 10**9
_FINEST_POINT = 10**12
# Larger numbers are slips of the fingers; as a float, not every one of them would print as given.
LARGEST_NUMBER = 10**15


def checked_value(spec: Field[Any], value: Any, name: str) -> Any:
    """A parameter's value as it is used; what is wrong with it is an error.

    Points of recall may be given as numbers, fractions or text, and become fractions.
    """
    if "help" not in spec.metadata:
        return value  # a field that is not one of ours
    if value is None and spec.default is None:
        return None
    sign = spec.metadata.get("sign")
    if sign == "@":
        return _cut_off(value, name)
    if sign == "[":
        return _point(value, name)
    return _named_value(spec, value, name)


def from_text(spec: Field[Any], text: str) -> Any:
    """A value given as text, as far as its parameter can have one like it; else the text."""
    if spec.metadata.get("sign") == "@":
        return int(text) if _CUT_OFF.fullmatch(text[:100]) and len(text) <= 100 else text
    if spec.metadata.get("sign") == "[" or text in spec.metadata["choices"]:
        return text
    if isinstance(spec.default, bool):
        return {"on": True, "off": False}.get(text, text)
    if isinstance(spec.default, int | float) or spec.metadata["number"]:
        if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            whole = isinstance(spec.default, int) and text.isdigit()
            return int(text) if whole else float(text)
        return text
    return text


def _cut_off(value: Any, name: str) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not 0 < value < _LARGEST_CUT_OFF:
        raise SyntaxProblem(
            f"{name}: @{_shown(value)} is not a cut-off: expected a whole number above 0 and below "
            f"{_LARGEST_CUT_OFF:,}"
        )
    return int(value)


def _point(value: Any, name: str) -> Fraction:
    found = _fraction(value)
    if found is None or not 0 <= found <= 1:
        shown = _shown(value)
        raise SyntaxProblem(f"{name}: [{shown}] is not a point: expected a number from 0 to 1")
    if found.denominator > _FINEST_POINT:
        raise SyntaxProblem(f"{name}: [{_shown(value)}] has more than twelve digits")
    return found


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, str):
        is_number = _NUMBER.fullmatch(value) or _SHARE.fullmatch(value)
        return Fraction(value) if is_number else None
    if not _is_between(value, 0, 1):
        return None
    # 0.01 means a hundredth, not the nearest binary fraction.
    return Fraction(value) if isinstance(value, Rational) else Fraction(Decimal(repr(float(value))))


def _named_value(spec: Field[Any], value: Any, name: str) -> Any:
    choices, default = spec.metadata["choices"], spec.default
    if isinstance(value, str) and value in choices:
        return value
    if isinstance(value, str) and (found := _CHOICE_WITH_SHARE.fullmatch(value)) is not None:
        choice, share = found[1], float(found[2])
        if choice in spec.metadata.get("with_share", ()) and share <= 1:
            return f"{choice}({share:.12g})"
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected on or off")
    if isinstance(default, int | float) or spec.metadata["number"]:
        return _number(spec, value, name)
    if choices:
        from difflib import get_close_matches

        close = get_close_matches(str(value), choices, 1, 0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        listed = "one of " + ", ".join(choices) if len(choices) > 2 else " or ".join(choices)
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected {listed}{hint}")
    if not isinstance(value, type(default)):
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected text")
    return value


def _number(spec: Field[Any], value: Any, name: str) -> int | float:
    choices, default = spec.metadata["choices"], spec.default
    wanted = "a number" + (f" or {', '.join(choices)}" if choices else "")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected {wanted}")
    if not _is_between(value, 0, math.inf) or value == math.inf:
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected {wanted}, 0 or more")
    if not _is_between(value, 0, LARGEST_NUMBER):
        raise SyntaxProblem(
            f"{name}: {spec.name} is {quoted(value)}: expected {wanted}, at most {LARGEST_NUMBER:,}"
        )
    number = float(value)
    return int(number) if isinstance(default, int) and number.is_integer() else number


def _is_between(value: Any, lowest: float, highest: float) -> bool:
    """Whether a value is a number within bounds; nan is not, and no number is too large to ask."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return bool(is_number and lowest <= value <= highest)


def _shown(value: Any) -> str:
    """A value in an error, without quotes."""
    return truncate(value) if isinstance(value, str) else quoted(value)
