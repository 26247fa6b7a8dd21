"""Where a measure's parameters change what holds of it: its range, its laws, what it needs.

Nothing is kept by hand. One parameter, or two at a time, get other values than their defaults, and
the measures that come out are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import Field, fields
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeVar

from doxeval.errors import SyntaxProblem
from doxeval.measures.base import Measure
from doxeval.named import shown

T = TypeVar("T", bound=Hashable)
_NUMBERS = (0.0, 0.5, 1.0)
Changes = dict[tuple[str, ...], list[tuple[Any, ...]]]


def where_different(kind: type[Measure], asked: Callable[[Measure], T]) -> dict[T, str]:
    """Answers that differ from the default's, each with the parameters that make the difference.

    >>> from doxeval.measures.registry import MEASURES
    >>> where_different(MEASURES["MAep"], lambda measure: measure.highest)
    {None: '`base=ideal`, or `overlap=on`'}
    >>> where_different(MEASURES["nxCG"], lambda measure: measure.highest)
    {None: '`base=full` and `overlap=on`'}
    """
    usual = asked(kind())
    found: dict[T, Changes] = {}
    decisive: set[tuple[str, Any]] = set()
    for values in _changes(kind):
        measure = _made(kind, values)
        if measure is None or decisive & set(values.items()):
            continue
        answer = asked(measure)
        if answer != usual:
            found.setdefault(answer, {}).setdefault(tuple(values), []).append(
                tuple(values.values())
            )
            if len(values) == 1:
                decisive |= set(values.items())
    return {answer: _in_words(kind, changes) for answer, changes in found.items()}


def _changes(kind: type[Measure]) -> Iterator[dict[str, Any]]:
    """Other values than the defaults: first of each parameter alone, then of two."""
    others = {spec.name: _others(spec) for spec in fields(kind)}
    for count in (1, 2):
        for names in combinations(others, count):
            for values in product(*(others[name] for name in names)):
                yield dict(zip(names, values, strict=True))


def _others(spec: Field[Any]) -> tuple[Any, ...]:
    """Some values of a parameter besides its default."""
    sign, choices = spec.metadata.get("sign"), spec.metadata.get("choices") or ()
    values: tuple[Any, ...] = choices
    if sign is not None:  # another cut-off or point changes nothing, having one at all may
        values = () if spec.default is not None else (10 if sign == "@" else Fraction(1, 2),)
    elif isinstance(spec.default, bool):
        values = (False, True)
    elif isinstance(spec.default, float):
        values = _NUMBERS
    return tuple(value for value in values if value != spec.default)


def _made(kind: type[Measure], values: dict[str, Any]) -> Measure | None:
    """The measure; None if these values do not go together."""
    try:
        return kind(**values)
    except (ValueError, SyntaxProblem):
        return None


def _in_words(kind: type[Measure], changes: Changes) -> str:
    specs = {spec.name: spec for spec in fields(kind)}
    parts = []
    for names, values in changes.items():
        columns = [tuple(dict.fromkeys(column)) for column in zip(*values, strict=True)]
        if len(values) == len(list(product(*columns))):
            named = zip(names, columns, strict=True)
            parts.append(" and ".join(_any_of(specs[name], column) for name, column in named))
        else:
            parts += [
                " and ".join(_any_of(specs[n], (v,)) for n, v in zip(names, row, strict=True))
                for row in values
            ]
    return ", or ".join(parts)


def _any_of(spec: Field[Any], values: tuple[Any, ...]) -> str:
    sign = spec.metadata.get("sign")
    if sign is not None:
        return "a cut-off `@k`" if sign == "@" else "a point `[x]`"
    if len(values) > 1 and values == _others(spec):
        return f"`{spec.name}` other than `{shown(spec.default)}`"
    return " or ".join(f"`{spec.name}={shown(value)}`" for value in values)
