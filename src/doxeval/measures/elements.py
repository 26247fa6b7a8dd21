"""What measures over elements share: how grades become numbers, and what results are worth by them.

The parameters `quant` and `ignore` say what an element is worth: its grade as a number, or 0 if its
tag is ignored. The elements worth more than 0 are the full recall base; the ideal base chooses from
them (`GroundTruth.base`). `base_values` looks up what the results of a run are worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, positions_in, values_at
from doxeval.assessments import QUANTISATIONS
from doxeval.errors import MissingInput
from doxeval.measures.base import parameter
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking

AUTO = "auto"
_HELP = "how grades become numbers; auto is spec for highlighted text, gen for grades (2005: gen5)"


def quant_parameter(choices: Iterable[str] = tuple(QUANTISATIONS), help_text: str = _HELP) -> Any:
    """Return the parameter `quant`: auto, or one of some quantisations."""
    return parameter(AUTO, help_text, (*choices, AUTO))


def ignore_parameter() -> Any:
    """Return the parameter `ignore`: elements left out before a recall base is built."""
    return parameter("none", "tags whose elements are not relevant: none, links, or tag+tag")


def fitting_quantisation(
    truth: GroundTruth, quant: str, choices: Iterable[str] = tuple(QUANTISATIONS)
) -> str:
    """Return the quantisation itself, or for auto the one that fits the assessments.

    That is spec for highlighted text, which wins where there are grades as well; gen for grades
    of 2002–04; gen5 for those of 2005. If the measure does not take it, this is an error.

    >>> from doxeval.assessments import Assessments, Judgment
    >>> truth = GroundTruth.of(Assessments([Judgment("7", "a", ((0, 8),))]))
    >>> fitting_quantisation(truth, "auto"), fitting_quantisation(truth, "gen")
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


class BaseValues(NamedTuple):
    """Of each result: its row in the full recall base, -1 if it is not there, and its value."""

    row: Ints
    value: Floats


@once
def base_values(ranking: Ranking, quant: str, ignore: str) -> BaseValues:
    """Return where the results of a run are in the full recall base, and what they are worth."""
    base = ranking.truth.base("full", quant, ignore)
    element = ranking.rows_in(ranking.truth.elements(quant))
    row = np.where(element < 0, -1, positions_in(base.row, element))
    return BaseValues(row, values_at(row, base.value))


class Gains(NamedTuple):
    """By topic: the gains of a run in ranking order, and those of the recall base, best first."""

    run: list[Floats]
    ideal: list[Floats]

    def defined(self, ranking: Ranking) -> Iterator[tuple[int, Floats, Floats]]:
        """Yield each topic to score that has a recall base, with its gains and the ideal ones."""
        for topic in ranking.topics.tolist():
            if len(self.ideal[topic]):
                yield topic, self.run[topic], self.ideal[topic]

    def to_rank(self, k: int, ranking: Ranking) -> Floats:
        """Return the gain of the first k results of each topic; nan without a recall base."""
        sums = ranking.truth.nothing()
        for topic, run, _ in self.defined(ranking):
            sums[topic] = run[:k].sum()
        return sums


@once
def best_first(truth: GroundTruth, base: str, quant: str, ignore: str) -> list[Floats]:
    """Return the values of a recall base by topic, from the highest to the lowest."""
    chosen = truth.base(base, quant, ignore)
    edges = np.searchsorted(chosen.topic, np.arange(len(truth.topics) + 1)).tolist()
    value = chosen.value
    return [np.sort(value[begin:end])[::-1] for begin, end in pairwise(edges)]
