"""What an evaluation was asked to measure: single measures, and presets of them.

Measures of presets, like those in `where_possible`, are left out where they cannot be computed.
What was left out is told once for all measures that lack the same thing.

The measures of an evaluation with all parameters settled, and those that must be left out.

Whether the assessments, the collection and the runs have what a measure needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import InputError, MissingInput, SyntaxProblem
from doxeval.evaluation.diagnostics import Findings
from doxeval.evaluation.inputs import OnDuplicates
from doxeval.measures import GroundTruth, Measure, Need, Preset, Ranking, as_measure, preset_named
from doxeval.messages import Parameter, join_names, truncate
from doxeval.runs import Kind, Order
from doxeval.storage import off_guard

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation

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


_PARTS = {
    Kind.PASSAGE: "passages",
    Kind.POINT: "entry points",
    Kind.TREE: "trees",
    Kind.SPANS: "several ranges at once",
}


def check_assessments(measure: Measure, label: str, truth: GroundTruth) -> None:
    """Raise MissingInput if a measure cannot be computed for any run."""
    for need in Need:  # what the assessments lack comes before a collection
        if need in measure.needs and need in _HAS and not _HAS[need](truth):
            raise MissingInput(f"{label} needs {need.value}" + _hint(need, truth))


def _has_highlights(truth: GroundTruth) -> bool:
    return truth.has_highlights or not truth.relevant.is_anything_relevant


def _has_entry_points(truth: GroundTruth) -> bool:
    return bool((truth.entry >= 0).any()) or not truth.relevant.is_anything_relevant


def _has_elements(truth: GroundTruth) -> bool:
    """Whether there are elements, or highlights that become elements with a collection."""
    relevant = truth.relevant
    if relevant.has_highlights or not relevant.is_anything_relevant:
        return True
    return relevant.has_unread_highlights or relevant.has_grades or relevant.has_lists


_HAS: dict[Need, Callable[[GroundTruth], bool]] = {
    Need.HIGHLIGHTS: _has_highlights,
    Need.ENTRY_POINTS: _has_entry_points,
    Need.ELEMENTS: _has_elements,
    Need.SIZES: lambda truth: truth.collection is not None,
    Need.CHUNKS: lambda truth: truth.chunks is not None,
}


def _hint(need: Need, truth: GroundTruth) -> str:
    if need is Need.CHUNKS:
        return ": " + Parameter("chunks")
    if need is Need.HIGHLIGHTS and truth.relevant.has_unread_highlights:
        return "; assessments of whole documents or with text points need a collection"
    if need in (Need.HIGHLIGHTS, Need.ELEMENTS) and truth.relevant.has_units:
        return "; the assessments have units of elements, which the ESR measures take"
    return ""


def check_results(measure: Measure, label: str, found: Findings, name: str) -> None:
    """Raise MissingInput if a run's results are not of a kind that a measure can score."""
    needs = measure.needs
    if Need.RETRIEVED_ELEMENTS in needs and found.kinds & set(_PARTS):
        raise MissingInput(
            f"{truncate(label)} is about elements, and {truncate(name)} returns "
            f"{_named(found.kinds & set(_PARTS))}"
        )
    no_text = found.kinds & {Kind.POINT, Kind.TREE}
    if Need.RETRIEVED_TEXT in needs and no_text:
        raise MissingInput(
            f"{truncate(label)} is about passages of text, and {truncate(name)} returns "
            f"{_named(no_text)}"
        )
    is_unknown = found.unplaced_ends and needs & {Need.RETRIEVED_TEXT, Need.SIZES}
    if is_unknown or (Need.RETRIEVED_START in needs and found.unplaced_starts):
        raise MissingInput(
            f"{truncate(label)} needs to know where the results of {truncate(name)} begin and "
            "end: give the collection"
        )


def _named(kinds: frozenset[Kind] | set[Kind]) -> str:
    return " and ".join(_PARTS[kind] for kind in sorted(kinds))


class AskedMeasure(NamedTuple):
    """A measure as it was asked for, under its label, and with all parameters settled.

    An optional one is left out where it cannot be computed.
    """

    label: str
    asked: Measure
    settled: Measure
    is_optional: bool


class Settled(NamedTuple):
    """The measures that assessments allow, and those that are left out."""

    measures: tuple[AskedMeasure, ...]
    left_out: tuple[LeftOut, ...]


def settled_measures(
    asked: Iterable[Asked],
    presets: Mapping[str, Preset],
    truth: GroundTruth,
    empty_ranking: Callable[[], Ranking],
) -> Settled:
    """Settle all measures; what cannot be computed is an error, unless it is optional."""
    found: list[AskedMeasure] = []
    left_out: list[LeftOut] = []
    for label, measure, is_optional in asked:
        try:
            check_assessments(measure.navigating(truth.navigation), label, truth)
            with off_guard(measure):
                settled = measure.settled(truth)
                if is_optional:  # what only scoring would find out is known before any run is read
                    settled.scores(empty_ranking())
        except (MissingInput, SyntaxProblem) as error:
            if not is_optional:
                raise
            left_out.append(LeftOut(label, str(error)))
            continue
        found.append(AskedMeasure(label, measure, settled, is_optional))
    check_presets(presets, left_out)
    if not found:
        lines = ("none of the measures can be computed:", *told(left_out))
        raise MissingInput("\n  ".join(lines))
    return Settled(tuple(found), tuple(left_out))


def about_navigation(
    navigation: Navigation | None, measures: Sequence[AskedMeasure], collection: Collection | None
) -> Iterator[str]:
    """Warnings about a model of navigation that was given.

    It is an error if some measures could use it, and none of them does.
    """
    if navigation is None:
        return
    if collection is not None:
        yield from navigation.checked(collection)
    could = [one for one in measures if any(spec.name == "nav" for spec in fields(one.settled))]
    if not could:
        yield "none of the measures takes a model of navigation; it has no effect"
    elif all(getattr(one.settled, "nav", None) != navigation.name for one in could):
        labels = join_names([one.label for one in could], 20)
        raise InputError(
            f"no measure uses the model of navigation that is given ({navigation.name}): {labels} "
            "would without nav= and targets=bep"
        )
