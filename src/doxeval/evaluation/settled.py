"""The measures of an evaluation with all parameters settled, and those that must be left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from doxeval.errors import InputError, MissingInput, SyntaxProblem
from doxeval.evaluation.asked import Asked, LeftOut, check_presets, told
from doxeval.evaluation.needs import check_assessments
from doxeval.measures import GroundTruth, Measure, Preset, Ranking
from doxeval.messages import join_names
from doxeval.storage import off_guard

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation


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
