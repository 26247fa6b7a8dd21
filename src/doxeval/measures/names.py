"""Measures by name: `nxCG@10(base=full)` to a value, with help where a name is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import Field, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from doxeval.errors import SyntaxProblem
from doxeval.measures.base import Measure

_NAME = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"(?:@(?P<cut>[^\[\](),=@]*))?"
    r"(?:\[(?P<point>[^\[\](),=@]*)\])?"
    r"(?:\((?P<named>[^()]*)\))?"
)
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,400})?|\.[0-9]{1,400}")
_SHARE = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_CUT = re.compile(r"0*[1-9][0-9]{0,8}")
_SHOWN = 80


def parse_measure(text: str, known: Mapping[str, type[Measure]]) -> Measure:
    """The measure of a name, given all measures there are.

    >>> from doxeval.measures.registry import MEASURES
    >>> str(parse_measure("iP[.01]", MEASURES))
    'iP[0.01](alpha=0,resize=full)'
    >>> parse_measure("nxGC@10", MEASURES)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no measure 'nxGC'; did you mean nxCG?
    """
    match = _NAME.fullmatch("".join(text.split()))
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}…"
    if match is None:
        raise SyntaxProblem(
            f"{text!r} is not a measure: expected NAME, NAME@10, NAME[0.01] or NAME(key=value,…)"
        )
    kind = known.get(match["name"])
    if kind is None:
        name = match["name"][:_SHOWN]
        raise SyntaxProblem(f"no measure {name!r}{_suggestion(name, known)}")
    values: dict[str, Any] = {}
    for place, given in (("@", match["cut"]), ("[", match["point"])):
        if given is not None:
            spec = _placed(kind, place, text)
            values[spec.name] = _cut(given, text) if place == "@" else _point(given, text)
    if match["named"]:
        for item in match["named"].split(","):
            spec, value = _named(kind, item, text)
            if spec.name in values:
                raise SyntaxProblem(f"{text}: {spec.name} is given twice")
            values[spec.name] = value
    try:
        return kind(**values)
    except ValueError as error:
        raise SyntaxProblem(f"{text}: {error}") from None


def _suggestion(wrong: str, known: Mapping[str, Any]) -> str:
    by_case = {name.lower(): name for name in known}
    close = get_close_matches(wrong.lower(), by_case, 1, 0.5)
    if close:
        return f"; did you mean {by_case[close[0]]}?"
    return f"; there are {', '.join(known)}"


def _placed(kind: type[Measure], place: str, text: str) -> Field[Any]:
    for spec in fields(kind):
        if spec.metadata.get("place") == place:
            return spec
    what = "a cut-off @k" if place == "@" else "a point [x]"
    raise SyntaxProblem(f"{text}: {kind.name} has no {what[2:]}")


def _cut(given: str, text: str) -> int:
    if not _CUT.fullmatch(given[:100]) or len(given) > 100:
        raise SyntaxProblem(f"{text}: @{given} is not a cut-off: expected a whole number above 0")
    return int(given)


def _point(given: str, text: str) -> Fraction:
    if not (_NUMBER.fullmatch(given) or _SHARE.fullmatch(given)) or Fraction(given) > 1:
        raise SyntaxProblem(f"{text}: [{given}] is not a point: expected a number from 0 to 1")
    return Fraction(given)


def _named(kind: type[Measure], item: str, text: str) -> tuple[Field[Any], Any]:
    name, equals, given = item.partition("=")
    named = {spec.name: spec for spec in fields(kind) if not spec.metadata.get("place")}
    if not equals or not given:
        raise SyntaxProblem(f"{text}: {item!r} is not a parameter: expected key=value")
    if name not in named:
        if not named:
            raise SyntaxProblem(f"{text}: {kind.name} has no parameters")
        raise SyntaxProblem(
            f"{text}: {kind.name} has no parameter {name!r}{_suggestion(name, named)}"
        )
    return named[name], _value(named[name], given, text)


def _value(spec: Field[Any], given: str, text: str) -> Any:
    """A parameter's value, of the kind that its default has."""
    choices = spec.metadata["choices"]
    if choices and given in choices:
        return given
    if isinstance(spec.default, bool):
        if given in ("on", "off"):
            return given == "on"
        raise SyntaxProblem(f"{text}: {spec.name} is {given!r}: expected on or off")
    if isinstance(spec.default, int | float) or spec.metadata["number"]:
        if _NUMBER.fullmatch(given) and math.isfinite(float(given)):
            return int(given) if isinstance(spec.default, int) and given.isdigit() else float(given)
        wanted = "a number" + (f" or one of {', '.join(choices)}" if choices else "")
        raise SyntaxProblem(f"{text}: {spec.name} is {given!r}: expected {wanted}")
    if choices:
        close = get_close_matches(given, choices, 1, 0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise SyntaxProblem(
            f"{text}: {spec.name} is {given!r}: expected {' or '.join(choices)}{hint}"
        )
    return given
