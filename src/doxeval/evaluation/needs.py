"""Whether the assessments, the collection and the runs have what a measure needs."""

from __future__ import annotations

from collections.abc import Callable

from doxeval.errors import MissingInput
from doxeval.evaluation.findings import Findings
from doxeval.measures import GroundTruth, Measure, Need
from doxeval.messages import Parameter, truncate
from doxeval.runs import Kind

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
