"""The parameters `quant` and `ignore` of measures over elements, and what quant=auto means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from doxeval.assessments import QUANTISATIONS
from doxeval.errors import MissingInput
from doxeval.measures.base import parameter
from doxeval.measures.ground_truth import GroundTruth

AUTO = "auto"
_HELP = "how grades become numbers; auto is spec for highlighted text, gen for grades (2005: gen5)"


def quant_parameter(choices: Iterable[str] = tuple(QUANTISATIONS), help_text: str = _HELP) -> Any:
    """The parameter `quant`: auto, or one of some quantisations."""
    return parameter(AUTO, help_text, (*choices, AUTO))


def ignore_parameter() -> Any:
    """The parameter `ignore`: elements that are left out before a recall base is built."""
    return parameter("none", "tags whose elements are not relevant: none, links, or tag+tag")


def settled_quantisation(
    truth: GroundTruth, quant: str, choices: Iterable[str] = tuple(QUANTISATIONS)
) -> str:
    """The quantisation itself, or for auto the one that fits the assessments.

    That is spec for highlighted text, which wins where there are grades as well; gen for grades
    of 2002–04; gen5 for those of 2005. If the measure does not take it, this is an error.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 8),))]))
    >>> settled_quantisation(truth, "auto"), settled_quantisation(truth, "gen")
    ('spec', 'gen')
    """
    if quant != AUTO:
        return quant
    usual = truth.relevant.usual_quantisation
    if usual not in choices:
        raise MissingInput(
            f"for these assessments quant=auto is quant={usual}, which the measure does not take: "
            f"give one of {', '.join(choices)}"
        )
    return usual
