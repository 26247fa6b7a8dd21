"""Whether the assessments, the collection and the runs have what a measure needs."""

from __future__ import annotations

from doxeval.errors import MissingInput
from doxeval.evaluation.ranked import RankedRun
from doxeval.measures.base import Measure, Need
from doxeval.measures.ground_truth import GroundTruth
from doxeval.runs import Kind

_PARTS = {Kind.PASSAGE: "passages", Kind.POINT: "entry points", Kind.TREE: "trees"}


def check_assessments(measure: Measure, label: str, truth: GroundTruth) -> None:
    """Raise MissingInput if a measure cannot be computed for any run."""
    nothing_relevant = not truth.is_relevant.any()
    has = {
        Need.HIGHLIGHTS: truth.has_highlights or nothing_relevant,
        Need.ENTRY_POINTS: bool((truth.entry >= 0).any()) or nothing_relevant,
        Need.SIZES: truth.collection is not None,
    }
    for need in measure.needs:
        if not has.get(need, True):
            hint = ""
            if need is Need.HIGHLIGHTS and truth.collection is None:
                hint = "; assessments of whole documents or with text points need a collection"
            raise MissingInput(f"{label} needs {need.value}{hint}")


def check_results(measure: Measure, label: str, found: RankedRun, name: str) -> None:
    """Raise MissingInput if a run's results are not of a kind that a measure can score."""
    needs = measure.needs
    if Need.RETRIEVED_ELEMENTS in needs and found.kinds & set(_PARTS):
        raise MissingInput(
            f"{label} is about elements, and {name} returns {_named(found.kinds & set(_PARTS))}"
        )
    no_text = found.kinds & {Kind.POINT, Kind.TREE}
    if Need.RETRIEVED_TEXT in needs and no_text:
        raise MissingInput(
            f"{label} is about passages of text, and {name} returns {_named(no_text)}"
        )
    has_unknown_end = bool((found.ranking.end < 0).any())
    is_unknown = has_unknown_end and needs & {Need.RETRIEVED_TEXT, Need.SIZES}
    if is_unknown or (Need.RETRIEVED_START in needs and (found.ranking.start < 0).any()):
        raise MissingInput(
            f"{label} needs to know where the results of {name} begin and end: give the collection"
        )


def _named(kinds: frozenset[Kind] | set[Kind]) -> str:
    return " and ".join(_PARTS[kind] for kind in sorted(kinds))
