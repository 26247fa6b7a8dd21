"""Names to values: `nxCG@10(base=full)` is parsed, with help where a name is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import Field, fields
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, suggestion
from doxeval.named.parameters import from_text
from doxeval.named.value import Named, signed_parameter

NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_WHOLE = re.compile(
    rf"(?P<name>{NAME.pattern})"
    r"(?:@(?P<cut>[^\[\](),=@]*))?"
    r"(?:\[(?P<point>[^\[\](),=@]*)\])?"
    r"(?:\((?P<named>(?:[^()]|(?<=[a-z])\([^()]*\))*)\))?"
)
_LONGEST = 80
V = TypeVar("V", bound=Named)


class Noun(NamedTuple):
    """What messages call values of one kind, and how their names are written.

    elsewhere: what people call such things in other programs, and what comes nearest here.
    """

    word: str
    forms: str
    sample: str
    elsewhere: Mapping[str, str] = MappingProxyType({})


def parse(text: str, known: Mapping[str, type[V]], noun: Noun) -> V:
    """The value of a name, given all classes there are.

    >>> from dataclasses import dataclass
    >>> from doxeval.named.value import parameter
    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     density: float = parameter(0.5, "how thick it is")
    >>> weather = Noun("weather", "NAME or NAME(key=value,…)", "fog", {"mist": "fog is thicker"})
    >>> str(parse("fog(density=.70)", {"fog": Fog}, weather))
    'fog(density=0.7)'
    >>> parse("forg", {"fog": Fog}, weather)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no weather 'forg'; did you mean fog?
    >>> parse("mist", {"fog": Fog}, weather)
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no weather 'mist': fog is thicker
    """
    match = _WHOLE.fullmatch("".join(text.split()))
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if match is None:
        raise SyntaxProblem(f"{quoted(text)} is not a {noun.word}: expected {noun.forms}")
    kind = known.get(match["name"])
    if kind is None:
        name = match["name"][:_LONGEST]
        raise SyntaxProblem(f"no {noun.word} {quoted(name)}{_hint(name, known, noun.elsewhere)}")
    try:
        return kind(**_values(kind, match))
    except SyntaxProblem as error:
        raise SyntaxProblem(f"{text}: {error.message.removeprefix(f'{kind.name}: ')}") from None
    except ValueError as error:
        raise SyntaxProblem(f"{text}: {error}") from None


def _values(kind: type[Named], match: re.Match[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for sign, given in (("@", match["cut"]), ("[", match["point"])):
        if given is not None:
            spec = signed_parameter(kind, sign)
            values[spec.name] = from_text(spec, given)
    for item in match["named"].split(",") if match["named"] else ():
        spec, value = _named(kind, item)
        if spec.name in values:
            raise SyntaxProblem(f"{spec.name} is given twice")
        values[spec.name] = value
    return values


def _named(kind: type[Named], item: str) -> tuple[Field[Any], Any]:
    name, equals, given = item.partition("=")
    named = {spec.name: spec for spec in fields(kind) if "sign" not in spec.metadata}
    if not equals or not given:
        raise SyntaxProblem(f"{quoted(item)} is not a parameter: expected key=value")
    if name not in named:
        if not named:
            raise SyntaxProblem(f"{kind.name} has no parameters")
        raise SyntaxProblem(f"{kind.name} has no parameter {quoted(name)}{suggestion(name, named)}")
    return named[name], from_text(named[name], given)


def _has_cut_off(kind: type[Named]) -> bool:
    return any(spec.metadata.get("sign") == "@" for spec in fields(kind))


def _hint(wrong: str, known: Mapping[str, type[Named]], elsewhere: Mapping[str, str]) -> str:
    """What a wrong name may mean: another program's name, or a slip of the fingers."""
    by_case = {name.lower(): name for name in known}
    if wrong.lower() in by_case:
        return f"; did you mean {by_case[wrong.lower()]}?"
    name = wrong.lower().rstrip("0123456789")
    cut_off, name = wrong[len(name) :], name.rstrip("_")  # trec_eval writes P_10
    if cut_off and name in by_case and _has_cut_off(known[by_case[name]]):
        return f"; did you mean {by_case[name]}@{cut_off}?"
    nearest = elsewhere.get(wrong.lower()) or elsewhere.get(name)
    return f": {nearest}" if nearest else suggestion(wrong, known)
