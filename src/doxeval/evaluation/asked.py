"""What an evaluation was asked to measure: single measures, and presets of them.

Measures of presets, like those in `where_possible`, are left out where they cannot be computed.
What was left out is told once for all measures that lack the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from doxeval.errors import InputError, MissingInput
from doxeval.evaluation.options import OnDuplicates
from doxeval.measures import Measure, Preset, as_measure, preset_named
from doxeval.messages import Parameter, join_names
from doxeval.runs import Order

MeasureGiven = str | Measure | type[Measure]


class Asked(NamedTuple):
    """A measure under the label it was asked for by; an optional one may be left out."""

    label: str
    measure: Measure
    is_optional: bool


class LeftOut(NamedTuple):
    """A measure that cannot be computed, and why."""

    label: str
    reason: str


def presets_named(names: str | Iterable[str]) -> dict[str, Preset]:
    """Presets by their names."""
    given = [names] if isinstance(names, str) else names
    return {name: preset_named(name) for name in given}


def asked_for(
    measures: MeasureGiven | Iterable[MeasureGiven],
    where_possible: Iterable[MeasureGiven],
    presets: Mapping[str, Preset],
) -> tuple[Asked, ...]:
    """All measures, each once; one that is asked for by itself is not optional."""
    if isinstance(measures, str | Measure | type):
        measures = [measures]
    of_presets = [name for preset in presets.values() for name in preset.measures]
    found: dict[str, Asked] = {}
    for is_optional, several in ((False, measures), (True, of_presets), (True, where_possible)):
        for given in several:
            measure = as_measure(given)
            label = given if isinstance(given, str) else measure.label
            found.setdefault(label, Asked(label, measure, is_optional))
    if not found:
        raise InputError("no measures to evaluate by")
    return tuple(found.values())


class OrderOfPresets(NamedTuple):
    """How presets want runs to be ordered, and a warning that says so if it is not the list."""

    order: Order
    warnings: tuple[str, ...]


def order_of(presets: Mapping[str, Preset]) -> OrderOfPresets:
    """The order of the presets, on which they must agree.

    >>> order_of(presets_named(["inex2003", "inex2004"])).order
    'rsv'
    >>> order_of(presets_named(["inex2002", "inex2009-thorough"]))
    Traceback (most recent call last):
    doxeval.errors.InputError: inex2002 ranks runs by rsv, inex2009-thorough by list: \
order='rsv' or order='list' says which is meant
    """
    wanted: dict[Order, str] = {}
    for name, preset in presets.items():
        wanted.setdefault(preset.order or "list", name)
    if len(wanted) > 1:
        (one, first), (other, second) = list(wanted.items())[:2]
        raise InputError(
            f"{first} ranks runs by {one}, {second} by {other}: "
            + Parameter("order", one)
            + " or "
            + Parameter("order", other)
            + " says which is meant"
        )
    order: Order = next(iter(wanted), "list")
    if order == "list":
        return OrderOfPresets(order, ())
    told = (
        f"{', '.join(presets)}: runs are ranked by {order}; "
        + Parameter("order", "list")
        + " ranks them as listed"
    )
    return OrderOfPresets(order, (told,))


def duplicates_of(presets: Mapping[str, Preset]) -> OnDuplicates:
    """What presets do with results that were returned before; auto if they say nothing.

    >>> duplicates_of(presets_named("rag")), duplicates_of(presets_named("esr"))
    ('keep', 'auto')
    """
    return next((one.duplicates for one in presets.values() if one.duplicates), "auto")


def check_presets(
    presets: Mapping[str, Preset], left_out: Sequence[LeftOut], where: str = ""
) -> None:
    """Raise MissingInput if a preset has no measure that can be computed."""
    reasons = {one.label: one for one in left_out}
    for name, preset in presets.items():
        if all(label in reasons for label in preset.measures):
            why = told([reasons[label] for label in preset.measures])
            raise MissingInput("\n  ".join([f"no measure of {name} can be computed{where}:", *why]))


def told(left_out: Iterable[LeftOut]) -> tuple[str, ...]:
    """Warnings about measures that were left out, one for each reason.

    >>> told([LeftOut("a", "a needs b"), LeftOut("c", "d is missing"), LeftOut("e", "e needs b")])
    ('a, e are left out: each needs b', 'c is left out: d is missing')
    """
    by_reason: dict[str, list[LeftOut]] = {}
    for one in left_out:
        by_reason.setdefault(_reason(one, "each "), []).append(one)
    return tuple(
        f"{several[0].label} is left out: {several[0].reason}"
        if len(several) == 1
        else f"{join_names([one.label for one in several], 20)} are left out: {reason}"
        for reason, several in by_reason.items()
    )


def _reason(one: LeftOut, instead: str) -> str:
    """The reason, with another subject in the place of the measure."""
    for name in (one.label, one.label.partition("(")[0]):
        if one.reason.startswith(f"{name} "):
            return instead + one.reason.removeprefix(f"{name} ")
    return one.reason
