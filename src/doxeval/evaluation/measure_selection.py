"""Which measures were requested, which of them can be computed, and which are skipped, and why.

Measures that were requested by themselves must be computable. Those of presets, like those in
`where_possible`, are skipped where the assessments, the collection or a run lack what they need;
users are warned once about all measures that lack the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple, get_args

from doxeval.assessments import NO_GRADE
from doxeval.errors import InputError, MissingInput, SyntaxProblem
from doxeval.evaluation.diagnostics import RunDiagnostics
from doxeval.evaluation.inputs import OnDuplicates, check_choice
from doxeval.evaluation.ranking import RankedBy, build_ranking
from doxeval.measures import GroundTruth, Measure, Need, Preset, Ranking, as_measure, preset_named
from doxeval.messages import Parameter, join_names, plural, truncate
from doxeval.runs import Kind, Order, Run
from doxeval.storage import foreign_code

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.navigation import Navigation

MeasureGiven = str | Measure | type[Measure]


# What is requested


class MeasureRequest(NamedTuple):
    """A measure under the label it was requested by; an optional one may be skipped."""

    label: str
    measure: Measure
    is_optional: bool


def requested_measures(
    measures: MeasureGiven | Iterable[MeasureGiven],
    where_possible: Iterable[MeasureGiven],
    presets: Mapping[str, Preset],
) -> tuple[MeasureRequest, ...]:
    """Return all measures, each once; one that is requested by itself is not optional."""
    if isinstance(measures, str | Measure | type):
        measures = [measures]
    of_presets = [name for preset in presets.values() for name in preset.measures]
    requests: dict[str, MeasureRequest] = {}
    for is_optional, several in ((False, measures), (True, of_presets), (True, where_possible)):
        for given in several:
            measure = as_measure(given)
            label = given if isinstance(given, str) else measure.label
            requests.setdefault(label, MeasureRequest(label, measure, is_optional))
    if not requests:
        raise InputError("no measures to evaluate by")
    return tuple(requests.values())


def presets_by_name(names: str | Iterable[str]) -> dict[str, Preset]:
    """Look up presets by their names."""
    given = [names] if isinstance(names, str) else names
    return {name: preset_named(name) for name in given}


class PresetOrder(NamedTuple):
    """What orders runs, and a warning if a preset has chosen it."""

    ranked_by: RankedBy
    warnings: tuple[str, ...] = ()


def preset_order(order: Order | None, presets: Mapping[str, Preset]) -> PresetOrder:
    """Return the order that was requested, or else that of the presets, on which they must agree.

    >>> preset_order(None, presets_by_name(["inex2003", "inex2004"])).ranked_by.order
    'rsv'
    >>> preset_order(None, presets_by_name(["inex2002", "inex2009-thorough"]))
    Traceback (most recent call last):
    doxeval.errors.InputError: inex2002 ranks runs by rsv, inex2009-thorough by list: \
order='rsv' or order='list' says which is meant
    """
    if order is not None:
        check_choice("order", order, get_args(Order))
        return PresetOrder(RankedBy(order))
    orders: dict[Order, str] = {}
    for name, preset in presets.items():
        orders.setdefault(preset.order or "list", name)
    if len(orders) > 1:
        (first, name), (second, other) = list(orders.items())[:2]
        raise InputError(
            f"{name} ranks runs by {first}, {other} by {second}: "
            + Parameter("order", first)
            + " or "
            + Parameter("order", second)
            + " says which is meant"
        )
    chosen: Order = next(iter(orders), "list")
    if chosen == "list":
        return PresetOrder(RankedBy(is_required=False))
    warning = (
        f"{', '.join(presets)}: runs are ranked by {chosen}; "
        + Parameter("order", "list")
        + " ranks them as listed"
    )
    return PresetOrder(RankedBy(chosen, is_required=False), (warning,))


def preset_duplicates(presets: Mapping[str, Preset]) -> OnDuplicates:
    """Return what presets do with results that were returned before; auto if they say nothing.

    >>> preset_duplicates(presets_by_name("rag")), preset_duplicates(presets_by_name("esr"))
    ('keep', 'auto')
    """
    return next((preset.duplicates for preset in presets.values() if preset.duplicates), "auto")


# What can be computed


class SelectedMeasure(NamedTuple):
    """A measure that is computed: as it was requested, and with all parameters filled in.

    An optional one is skipped where a run lacks what it needs.
    """

    label: str
    requested: Measure
    measure: Measure
    is_optional: bool


class SkippedMeasure(NamedTuple):
    """A measure that cannot be computed, and why."""

    label: str
    reason: str


class MeasureSelection(NamedTuple):
    """The measures that the assessments allow, and those that are skipped."""

    measures: tuple[SelectedMeasure, ...]
    skipped: tuple[SkippedMeasure, ...]


def select_measures(
    requests: Iterable[MeasureRequest], presets: Mapping[str, Preset], truth: GroundTruth
) -> MeasureSelection:
    """Fill in all parameters; what cannot be computed is an error, unless it is optional."""
    selected: list[SelectedMeasure] = []
    skipped: list[SkippedMeasure] = []
    empty_ranking: Ranking | None = None
    for label, requested, is_optional in requests:
        try:
            check_assessments(requested.navigating(truth.navigation), label, truth)
            with foreign_code(requested):
                measure = requested.resolve_auto(truth)
                if is_optional:  # what only scoring would find out is known before any run is read
                    if empty_ranking is None:
                        empty_ranking = build_ranking(Run.from_results([]), truth).ranking
                    measure.scores(empty_ranking)
        except (MissingInput, SyntaxProblem) as error:
            if not is_optional:
                raise
            skipped.append(SkippedMeasure(label, str(error)))
        else:
            selected.append(SelectedMeasure(label, requested, measure, is_optional))
    check_presets(presets, skipped)
    if not selected:
        lines = ("none of the measures can be computed:", *skip_warnings(skipped))
        raise MissingInput("\n  ".join(lines))
    return MeasureSelection(tuple(selected), tuple(skipped))


def check_presets(
    presets: Mapping[str, Preset], skipped: Sequence[SkippedMeasure], where: str = ""
) -> None:
    """Raise MissingInput if a preset has no measure that can be computed."""
    by_label = {measure.label: measure for measure in skipped}
    for name, preset in presets.items():
        if all(label in by_label for label in preset.measures):
            reasons = skip_warnings([by_label[label] for label in preset.measures])
            lines = (f"no measure of {name} can be computed{where}:", *reasons)
            raise MissingInput("\n  ".join(lines))


def skip_warnings(skipped: Iterable[SkippedMeasure]) -> tuple[str, ...]:
    """Return warnings about measures that are skipped, one for each reason.

    >>> reasons = {"a": "a needs b", "c": "d is missing", "e": "e needs b"}
    >>> skip_warnings(SkippedMeasure(*item) for item in reasons.items())
    ('a, e are left out: each needs b', 'c is left out: d is missing')
    """
    by_reason: dict[str, list[SkippedMeasure]] = {}
    for measure in skipped:
        by_reason.setdefault(_reason_for_each(measure), []).append(measure)
    return tuple(
        f"{several[0].label} is left out: {several[0].reason}"
        if len(several) == 1
        else f"{join_names([measure.label for measure in several], 20)} are left out: {reason}"
        for reason, several in by_reason.items()
    )


def _reason_for_each(skipped: SkippedMeasure) -> str:
    """Return the reason with "each" for the name of the measure."""
    for name in (skipped.label, skipped.label.partition("(")[0]):
        if skipped.reason.startswith(f"{name} "):
            return "each " + skipped.reason.removeprefix(f"{name} ")
    return skipped.reason


def unanswerable_warnings(measures: Sequence[SelectedMeasure], truth: GroundTruth) -> Iterator[str]:
    """Yield a warning about topics without an answer, which have measures of their own."""
    count = int(truth.is_unanswerable.sum())
    if not count:
        return
    about = [each.label for each in measures if Need.UNANSWERABLE in each.measure.needs]
    has = "has" if count == 1 else "have"
    counts = (
        f"and only counts in {join_names(about)}"
        if about
        else "and counts in none of the measures: none@k and vain@B are for that"
    )
    counts = counts if count == 1 else counts.replace("counts in", "count in")
    yield f"{count:,} of {plural(len(truth.topics), 'topic')} {has} no answer, {counts}"


def navigation_warnings(
    navigation: Navigation | None,
    measures: Sequence[SelectedMeasure],
    collection: Collection | None,
) -> Iterator[str]:
    """Yield warnings about a model of navigation that was given.

    It is an error if some measures could use it, and none of them does.
    """
    if navigation is None:
        return
    if collection is not None:
        yield from navigation.checked(collection)
    navigating = [
        selected
        for selected in measures
        if any(field.name == "nav" for field in fields(selected.measure))
    ]
    if not navigating:
        yield "none of the measures takes a model of navigation; it has no effect"
    elif all(getattr(each.measure, "nav", None) != navigation.name for each in navigating):
        labels = join_names([selected.label for selected in navigating], 20)
        raise InputError(
            f"no measure uses the model of navigation that is given ({navigation.name}): {labels} "
            "would without nav= and targets=bep"
        )


# What measures need


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
    """Return whether there are elements, or highlights that become elements with a collection."""
    relevant = truth.relevant
    if relevant.has_highlights or not relevant.is_anything_relevant:
        return True
    return relevant.has_unread_highlights or relevant.has_grades or relevant.has_lists


def _has_subtopics(truth: GroundTruth) -> bool:
    """Return whether there are subtopics or needs; a document that has only a grade is no need."""
    columns = truth.columns
    if columns.have("subtopics") or columns.have("needs"):
        return True
    has_span = columns.grade[columns.highlights.group] == NO_GRADE
    return bool(has_span.any()) or not truth.relevant.is_anything_relevant


_HAS: dict[Need, Callable[[GroundTruth], bool]] = {
    Need.HIGHLIGHTS: _has_highlights,
    Need.ENTRY_POINTS: _has_entry_points,
    Need.ELEMENTS: _has_elements,
    Need.SIZES: lambda truth: truth.collection is not None,
    Need.SUBTOPICS: _has_subtopics,
    Need.CHUNKS: lambda truth: truth.chunks is not None,
    Need.UNANSWERABLE: lambda truth: bool(truth.is_unanswerable.any()),
    Need.ANSWERS: lambda truth: any(answer.texts for answer in truth.assessments.answers.values()),
}


def _hint(need: Need, truth: GroundTruth) -> str:
    if need is Need.CHUNKS:
        return ": " + Parameter("chunks")
    if need is Need.SUBTOPICS:
        return "; " + Parameter("subtopics", True) + " if the second column of qrels is one"
    if need is Need.HIGHLIGHTS and truth.relevant.has_unread_highlights:
        return "; assessments of whole documents or with text points need a collection"
    if need in (Need.HIGHLIGHTS, Need.ELEMENTS) and truth.relevant.has_units:
        return "; the assessments have units of elements, which the ESR measures take"
    return ""


_NO_ELEMENTS = {
    Kind.PASSAGE: "passages",
    Kind.POINT: "entry points",
    Kind.TREE: "trees",
    Kind.SPANS: "several ranges at once",
}


def check_results(measure: Measure, label: str, diagnostics: RunDiagnostics, run: str) -> None:
    """Raise MissingInput if the results of a run are not of a kind that a measure can score."""
    needs = measure.needs
    no_elements = diagnostics.kinds & set(_NO_ELEMENTS)
    if Need.RETRIEVED_ELEMENTS in needs and no_elements:
        raise MissingInput(
            f"{truncate(label)} is about elements, and {truncate(run)} returns "
            f"{_kinds_in_words(no_elements)}"
        )
    no_text = diagnostics.kinds & {Kind.POINT, Kind.TREE}
    if Need.RETRIEVED_TEXT in needs and no_text:
        raise MissingInput(
            f"{truncate(label)} is about passages of text, and {truncate(run)} returns "
            f"{_kinds_in_words(no_text)}"
        )
    is_unknown = diagnostics.unknown_ends and needs & {Need.RETRIEVED_TEXT, Need.SIZES}
    if is_unknown or (Need.RETRIEVED_START in needs and diagnostics.unknown_starts):
        raise MissingInput(
            f"{truncate(label)} needs to know where the results of {truncate(run)} begin and "
            "end: give the collection"
        )


def _kinds_in_words(kinds: Iterable[Kind]) -> str:
    return " and ".join(_NO_ELEMENTS[kind] for kind in sorted(kinds))
