r"""A named value: a frozen dataclass whose fields are parameters and whose name shows them.

    NAME[@k][\[x\]][(key=value,…)]        nxCG@10(base=ideal,quant=spec,ignore=none,…)

The printed name shows every parameter and parses back to the value. Values can be written the same
way in Python: `nxCG @ 10`, `iP[0.01]`, `bm25(k1=1.2)`. Parameters are checked when a value is made,
whether they were given in Python or as text in a name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from types import MappingProxyType
from typing import Any, ClassVar, Self

from doxeval.errors import SyntaxProblem
from doxeval.messages import closest, quoted, truncate

_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{0,400})?|\.[0-9]{1,400}")
_SHARE = re.compile(r"[0-9]{1,12}/[1-9][0-9]{0,11}")
_CHOICE_WITH_SHARE = re.compile(r"([a-z]{1,40})\(([0-9]{0,3}\.?[0-9]{1,12})\)")
_CUT_OFF = re.compile(r"0*[1-9][0-9]{0,8}")
_LARGEST_CUT_OFF = 10**9
_FINEST_POINT = 10**12
# Larger numbers are slips of the fingers; as a float, not every one of them would print as given.
LARGEST_NUMBER = 10**15


def parameter(
    default: Any,
    help_text: str,
    choices: tuple[str, ...] = (),
    *,
    number: bool = False,
    with_share: tuple[str, ...] = (),
) -> Any:
    """Declare a parameter that is shown as key=value in the name.

    It must be one of the choices, or of the same type as its default; `number=True` allows any
    number besides the choices. Choices in `with_share` may have a number from 0 to 1 in brackets,
    such as neighbours(0.3).
    """
    metadata = {"help": help_text, "choices": choices, "number": number, "with_share": with_share}
    return field(default=default, metadata=metadata)


def cut_off(default: int | None, help_text: str = "how many results count") -> Any:
    """Declare the parameter that is shown as @k."""
    return field(default=default, metadata={"help": help_text, "sign": "@"})


def level(default: Fraction, help_text: str, at_most: int = 1) -> Any:
    """Declare a number from 0 that is shown as @x, such as a level of recall."""
    return field(default=default, metadata={"help": help_text, "sign": "@", "at_most": at_most})


def point(default: Fraction | None, help_text: str) -> Any:
    """Declare the parameter that is shown as [x]."""
    return field(default=default, metadata={"help": help_text, "sign": "["})


@dataclass(frozen=True)
class Named:
    """A value with a name and parameters.

    Subclasses are frozen dataclasses with a `name`; their fields are their parameters.

    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     density: float = parameter(0.5, "how thick it is")
    ...     colour: str = parameter("grey", "what it looks like", ("grey", "white"))
    >>> str(Fog()), Fog()(density=1), Fog(colour="white").label
    ('fog(density=0.5,colour=grey)', fog(density=1), 'fog(colour=white)')
    >>> Fog(colour="blue")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: fog: colour is 'blue': expected grey or white
    """

    name: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Before the dataclass decorator writes a representation of its own.
        cls.__repr__ = Named.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Check every parameter; a subclass that checks more calls this first."""
        for spec in fields(self):
            value = checked_value(spec, getattr(self, spec.name), self.name)
            object.__setattr__(self, spec.name, value)

    def __call__(self, **values: Any) -> Self:
        """Return the same with other values for some parameters."""
        return self._with(values)

    def _with(self, values: dict[str, Any]) -> Self:
        known = [spec.name for spec in fields(self)]
        for name in values:
            if name not in known:
                known_names = ", ".join(known) or "none"
                message = f"{self.name} has no parameter {quoted(name)}; it has {known_names}"
                raise SyntaxProblem(message)
        try:
            return replace(self, **values)
        except ValueError as error:
            raise SyntaxProblem(f"{self.name}: {error}") from None

    def __matmul__(self, cut_off: float | str | Fraction) -> Self:
        """Return the same at a cut-off, or a level of recall: `nxCG @ 10`, `IPrec @ 0.1`."""
        return self._with({signed_parameter(type(self), "@").name: cut_off})

    def __getitem__(self, point: float | str | Fraction) -> Self:
        """Return the same at a point of recall: `iP[0.01]`."""
        return self._with({signed_parameter(type(self), "[").name: point})

    def __str__(self) -> str:
        """Return the name with every parameter."""
        return self._name_with(lambda spec: True)

    def __repr__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The name with its cut-off or point and the parameters that differ from their defaults."""
        return self._name_with(lambda spec: getattr(self, spec.name) != spec.default)

    def _name_with(self, is_shown: Callable[[Field[Any]], bool]) -> str:
        """Return the name with its cut-off or point and the parameters that are to be shown."""
        signs, named = "", []
        for spec in fields(self):
            value, sign = getattr(self, spec.name), spec.metadata.get("sign")
            if sign is None:
                named += [f"{spec.name}={shown(value)}"] if is_shown(spec) else []
            elif value is not None:
                signs += f"@{shown(value)}" if sign == "@" else f"[{shown(value)}]"
        return f"{self.name}{signs}" + (f"({','.join(named)})" if named else "")


def signed_parameter(kind: type[Named], sign: str) -> Field[Any]:
    """Return the parameter that is written as a cut-off (@) or a point ([)."""
    signs = {spec.metadata.get("sign"): spec for spec in fields(kind)}
    if sign in signs:
        return signs[sign]
    if sign == "@":
        hint = f"; it has a point: {kind.name}[x]" if "[" in signs else ""
        raise SyntaxProblem(f"{kind.name} has no cut-off @k{hint}")
    hint = f"; it has a cut-off: {kind.name}@k" if "@" in signs else ""
    raise SyntaxProblem(f"{kind.name} has no point [x]{hint}")


def shown(value: Any) -> str:
    """Return a parameter's value as text that parses back.

    >>> shown(Fraction(1, 100)), shown(0.25), shown("ideal"), shown(True)
    ('0.01', '0.25', 'ideal', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Fraction):
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        return format(decimal.normalize(), "f") if Fraction(decimal) == value else str(value)
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
    return str(value)


# Values of parameters


def checked_value(spec: Field[Any], value: Any, name: str) -> Any:
    """Return a parameter's value as it is used; a wrong one is an error.

    Points of recall may be given as numbers, fractions or text, and become fractions.
    """
    if "help" not in spec.metadata:
        return value  # an ordinary field of a dataclass, not declared by `parameter`
    if value is None and spec.default is None:
        return None
    sign = spec.metadata.get("sign")
    if "at_most" in spec.metadata:
        return _checked_fraction(value, name, f"@{_unquoted(value)}", spec.metadata["at_most"])
    if sign == "@":
        return _checked_cut_off(value, name)
    if sign == "[":
        return _checked_fraction(value, name, f"[{_unquoted(value)}]")
    return _named_value(spec, value, name)


def from_text(spec: Field[Any], text: str) -> Any:
    """Convert text to the type of its parameter where possible; otherwise return the text."""
    if spec.metadata.get("sign") == "@" and "at_most" not in spec.metadata:
        return int(text) if _CUT_OFF.fullmatch(text[:100]) and len(text) <= 100 else text
    if "sign" in spec.metadata or text in spec.metadata["choices"]:
        return text
    if isinstance(spec.default, bool):
        return {"on": True, "off": False}.get(text, text)
    is_number = isinstance(spec.default, int | float) or spec.metadata["number"]
    if is_number and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        is_whole = isinstance(spec.default, int) and text.isdigit()
        return int(text) if is_whole else float(text)
    return text


def _checked_cut_off(value: Any, name: str) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not 0 < value < _LARGEST_CUT_OFF:
        raise SyntaxProblem(
            f"{name}: @{_unquoted(value)} is not a cut-off: expected a whole number above 0 and "
            f"below {_LARGEST_CUT_OFF:,}"
        )
    return int(value)


def _checked_fraction(value: Any, name: str, written: str, at_most: int = 1) -> Fraction:
    fraction = _fraction(value, at_most)
    if fraction is None or not 0 <= fraction <= at_most:
        what = "point" if written.startswith("[") else "level"
        expected = f"expected a number from 0 to {at_most}"
        raise SyntaxProblem(f"{name}: {written} is not a {what}: {expected}")
    if fraction.denominator > _FINEST_POINT:
        raise SyntaxProblem(f"{name}: {written} has more than twelve digits")
    return fraction


def _fraction(value: Any, at_most: int) -> Fraction | None:
    if isinstance(value, str):
        is_number = _NUMBER.fullmatch(value) or _SHARE.fullmatch(value)
        return Fraction(value) if is_number else None
    if not _is_between(value, 0, at_most):
        return None
    # 0.01 means a hundredth, not the nearest binary fraction.
    return Fraction(value) if isinstance(value, Rational) else Fraction(Decimal(repr(float(value))))


def _named_value(spec: Field[Any], value: Any, name: str) -> Any:
    choices, default = spec.metadata["choices"], spec.default
    if isinstance(value, str) and value in choices:
        return value
    if isinstance(value, str) and (match := _CHOICE_WITH_SHARE.fullmatch(value)) is not None:
        choice, share = match[1], float(match[2])
        if choice in spec.metadata.get("with_share", ()) and share <= 1:
            return f"{choice}({share:.12g})"
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected on or off")
    if isinstance(default, int | float) or spec.metadata["number"]:
        return _number(spec, value, name)
    if choices:
        close = closest(str(value), choices, 0.5)
        hint = "" if close is None else f"; did you mean {close}?"
        listed = "one of " + ", ".join(choices) if len(choices) > 2 else " or ".join(choices)
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected {listed}{hint}")
    if not isinstance(value, type(default)):
        raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected text")
    return value


def _number(spec: Field[Any], value: Any, name: str) -> int | float:
    choices = spec.metadata["choices"]
    expected = "a number" + (f" or {', '.join(choices)}" if choices else "")
    if _is_number(value):
        if _is_between(value, 0, LARGEST_NUMBER):
            number = float(value)
            is_whole = isinstance(spec.default, int) and number.is_integer()
            return int(number) if is_whole else number
        is_too_large = _is_between(value, 0, math.inf) and value != math.inf
        expected += f", at most {LARGEST_NUMBER:,}" if is_too_large else ", 0 or more"
    raise SyntaxProblem(f"{name}: {spec.name} is {quoted(value)}: expected {expected}")


def _is_between(value: Any, lowest: float, highest: float) -> bool:
    """Return whether a value is a number within bounds, however large; nan is not."""
    return _is_number(value) and bool(lowest <= value <= highest)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _unquoted(value: Any) -> str:
    """Return a value for an error, without quotes."""
    return truncate(value) if isinstance(value, str) else quoted(value)


# Help


def parameters_in_words(value: Named, also: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a value's parameters as a list in Markdown; empty if it has none.

    also: what else to say about parameters, by their names.

    >>> @dataclass(frozen=True)
    ... class Fog(Named):
    ...     name = "fog"
    ...     colour: str = parameter("grey", "what it looks like", ("grey", "white"))
    >>> print(parameters_in_words(Fog(colour="white")))
    **Parameters**
    <BLANKLINE>
    - `colour` what it looks like: grey, white (here white; default grey)
    """
    lines = [_in_words(spec, getattr(value, spec.name), also) for spec in fields(value)]
    return "**Parameters**\n\n" + "\n".join(lines) if lines else ""


def _in_words(spec: Field[Any], value: Any, also: Mapping[str, str]) -> str:
    at = "@x" if "at_most" in spec.metadata else "@k"
    name = {"@": at, "[": "[x]"}.get(spec.metadata.get("sign", ""), spec.name)
    choices = spec.metadata.get("choices") or ()
    among = f": {', '.join(choices)}" if choices else ""
    remarks = [f"here {shown(value)}"] if value != spec.default else []
    remarks += [f"default {shown(spec.default)}"] if spec.default is not None else []
    remarks += [also[spec.name]] if spec.name in also else []
    in_brackets = f" ({'; '.join(remarks)})" if remarks else ""
    return f"- `{name}` {spec.metadata.get('help', '')}{among}{in_brackets}"
