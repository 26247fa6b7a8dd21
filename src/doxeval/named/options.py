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

import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from inspect import get_annotations
from math import isfinite
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from doxeval.errors import InputError
from doxeval.messages import Parameter

REQUIRED: Any = MISSING


def option(
    default: Any,
    help_text: str,
    *,
    choices: tuple[str, ...] = (),
    at_least: float | None = None,
    at_most: float | None = None,
    more_than: float | None = None,
    less_than: float | None = None,
    metavar: str | None = None,
    shown_default: str | None = None,
    flags: tuple[str, ...] = (),
    is_path: bool = False,
    ignore_case: bool = False,
) -> Any:
    """Declare a field of a frozen dataclass that is an option.

    Its type is that of its annotation; a tuple of any length may be given several times. It must
    be one of the choices (those of a Literal need not be repeated), or a number within bounds; it
    may be None if that is its default. With the default REQUIRED it must be given.

    For the command line: metavar stands for the value in the help. shown_default says what the
    default is where the value alone does not; then a verb may have a default of its own. flags are
    given where the option is not called as the field is (--min-words for min_words). is_path: a
    string that is a path or a URL, which would not survive as a Path. ignore_case: choices may be
    typed in capital letters, too.
    """
    declared = {
        "help_text": help_text,
        "choices": choices,
        "at_least": at_least,
        "at_most": at_most,
        "more_than": more_than,
        "less_than": less_than,
        "metavar": metavar,
        "shown_default": shown_default,
        "flags": flags,
        "is_path": is_path,
        "ignore_case": ignore_case,
    }
    # What is required stands before or after what is not, so it is given by its name.
    return field(default=default, metadata={"option": declared}, kw_only=default is MISSING)


@dataclass(frozen=True)
class OptionField:
    """A field that was declared by `option`.

    value_type: the type of its values, besides None; of a tuple or sequence, that of its
    entries. count: how many entries a tuple has, None if any number; 1 for single values.
    """

    name: str
    default: Any
    value_type: type
    count: int | None
    help_text: str
    choices: tuple[str, ...]
    at_least: float | None
    at_most: float | None
    more_than: float | None
    less_than: float | None
    metavar: str | None
    shown_default: str | None
    flags: tuple[str, ...]
    is_path: bool
    ignore_case: bool

    @property
    def is_required(self) -> bool:
        """Whether the option has no default."""
        return self.default is MISSING

    def accepts(self, value: Any) -> bool:
        """Whether a value is one of the choices, or a number within the bounds."""
        if value is None and self.default is None:
            return True
        if self.count != 1 and isinstance(value, Sequence) and not isinstance(value, str):
            return all(map(self._accepts_entry, value))
        return self._accepts_entry(value)

    def _accepts_entry(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if self.value_type not in (int, float):
            return True
        number = (int,) if self.value_type is int else (int, float)
        if not isinstance(value, number) or isinstance(value, bool) or not isfinite(value):
            return False
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and (self.more_than is None or value > self.more_than)
            and (self.less_than is None or value < self.less_than)
        )

    @property
    def expected(self) -> str:
        """What is accepted, in words for an error."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        number = "a whole number" if self.value_type is int else "a number"
        if self.more_than is not None or self.less_than is not None:
            low = "" if self.more_than is None else f"more than {self.more_than:,}"
            high = "" if self.less_than is None else f"less than {self.less_than:,}"
            return f"{number}, {' and '.join(filter(None, (low, high)))}"
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
    return tuple(
        _option_field(spec.name, spec.default, _hint(kind, spec.name), declared)
        for spec in fields(kind)
        if (declared := spec.metadata.get("option")) is not None
    )


def _hint(kind: type, name: str) -> Any:
    """Return the type of a field; other fields may have types that are not imported."""
    owner = next(base for base in kind.__mro__ if name in get_annotations(base))
    alone = SimpleNamespace(__annotations__={name: get_annotations(owner)[name]})
    return get_type_hints(alone, vars(sys.modules[owner.__module__]))[name]


def _option_field(name: str, default: Any, hint: Any, declared: dict[str, Any]) -> OptionField:
    if get_origin(hint) in (Union, UnionType):  # of several types, the first that is not None
        hint = next(part for part in get_args(hint) if part is not NoneType)
    count: int | None = 1
    if get_origin(hint) in (tuple, Sequence):
        first, *others = get_args(hint)
        count = 1 + len(others) if others and others != [...] else None
        hint = first
    if get_origin(hint) is Literal:
        entries = get_args(hint)
        declared = {**declared, "choices": declared["choices"] or entries}
        hint = type(entries[0])
    return OptionField(name, default, get_origin(hint) or hint, count, **declared)


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
