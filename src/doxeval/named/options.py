"""Options: frozen values whose fields know their help, their choices and their bounds.

A field that is declared by `option` says everything about itself once. `check_options` checks it
when a value is made, and the command line makes its option of it (`doxeval.cli.options`).

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Weather:
...     sky: str = option("clear", "What is seen above.", choices=("clear", "grey"))
...     fog: float | None = option(None, "How thick it is.", at_least=0, at_most=1)
...
...     def __post_init__(self) -> None:
...         check_options(self)
>>> Weather(fog=0.5)
Weather(sky='clear', fog=0.5)
>>> Weather(sky="blue")
Traceback (most recent call last):
doxeval.errors.InputError: sky='blue': expected one of clear, grey
>>> Weather(fog=2)
Traceback (most recent call last):
doxeval.errors.InputError: fog=2: expected a number from 0 to 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from doxeval.errors import InputError
from doxeval.messages import Parameter


def option(
    default: Any,
    help_text: str,
    *,
    choices: tuple[str, ...] = (),
    at_least: float | None = None,
    at_most: float | None = None,
    metavar: str | None = None,
    shown_default: str | None = None,
    flags: tuple[str, ...] = (),
) -> Any:
    """Declare a field of a frozen dataclass that is an option.

    Its type is that of its annotation. It must be one of the choices, or a number within bounds; it
    may be None if that is its default.

    For the command line: metavar stands for the value in the help. shown_default says what the
    default is where the value alone does not; then a verb may have a default of its own. flags are
    given where the option is not called as the field is (--min-words for min_words).
    """
    declared = {
        "help_text": help_text,
        "choices": choices,
        "at_least": at_least,
        "at_most": at_most,
        "metavar": metavar,
        "shown_default": shown_default,
        "flags": flags,
    }
    return field(default=default, metadata={"option": declared})


@dataclass(frozen=True)
class OptionField:
    """A field that was declared by `option`. value_type: the type of its values, besides None."""

    name: str
    default: Any
    value_type: type
    help_text: str
    choices: tuple[str, ...]
    at_least: float | None
    at_most: float | None
    metavar: str | None
    shown_default: str | None
    flags: tuple[str, ...]

    def accepts(self, value: Any) -> bool:
        """Whether a value is one of the choices, or a number within the bounds."""
        if value is None and self.default is None:
            return True
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.value_type not in (int, float):
            return True
        number = (int,) if self.value_type is int else (int, float)
        if not isinstance(value, number) or isinstance(value, bool) or not isfinite(value):
            return False
        is_enough = self.at_least is None or value >= self.at_least
        return is_enough and (self.at_most is None or value <= self.at_most)

    @property
    def expected(self) -> str:
        """What is accepted, in words for an error."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        number = "a whole number" if self.value_type is int else "a number"
        if self.at_least is None:
            return number if self.at_most is None else f"{number}, {self.at_most:,} or less"
        if self.at_most is None:
            return f"{number}, {self.at_least:,} or more"
        return f"{number} from {self.at_least:,} to {self.at_most:,}"


def option_fields(kind: Any) -> tuple[OptionField, ...]:
    """Return the options of a dataclass, in the order of its fields."""
    return _option_fields(kind)


@cache
def _option_fields(kind: Any) -> tuple[OptionField, ...]:
    hints = get_type_hints(kind)
    return tuple(
        OptionField(spec.name, spec.default, _value_type(hints[spec.name]), **declared)
        for spec in fields(kind)
        if (declared := spec.metadata.get("option")) is not None
    )


def _value_type(hint: Any) -> type:
    """Return the class of a field's values; of several, the first that is not None."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    if get_origin(hint) is Literal:
        return type(get_args(hint)[0])
    origin: type = get_origin(hint) or hint
    return origin


def wrong_option(spec: OptionField, value: object) -> InputError:
    """Return the error about a value that an option does not accept."""
    given = f"{spec.name}=None" if value is None else Parameter(spec.name, value)
    return InputError(given + f": expected {spec.expected}")


def check_options(
    value: Any, error: Callable[[OptionField, object], Exception] = wrong_option
) -> None:
    """Raise an error about the first option of a value that is not acceptable.

    error: makes it; where messages have another form, give a function of your own.
    """
    for spec in option_fields(type(value)):
        given = getattr(value, spec.name)
        if not spec.accepts(given):
            raise error(spec, given)
