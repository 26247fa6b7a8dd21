"""A measure of one's own: the share of results that hold any highlighted text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxeval.measures import Example, Facts, Law, Measure, Need, cut_off
from doxeval.measures.base import Floats
from doxeval.measures.ranking import Ranking


@dataclass(frozen=True)
class UsefulResults(Measure):
    """The share of the first k results that hold any highlighted text."""

    name: ClassVar[str] = "Useful"
    facts: ClassVar[Facts] = Facts(
        title="share of useful results",
        cite="an example in the documentation of doxeval",
        formula="Useful@k = |results with highlighted text among the first k| / k",
        needs=frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT}),
        edge_cases="A topic without highlighted text is undefined; a short list is divided by k.",
        example=Example(
            "Useful@2",
            0.5,
            "Of two results the first holds highlighted text.",
            "7 Q0 a 50 200 0 0:50\n",
            "7 Q0 a 1 9 run 0 10\n7 Q0 b 2 8 run 0 10\n",
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """The share at k."""
        useful = (ranking.relevant > 0).astype(np.int64)
        found = ranking.at(self.k, ranking.cumulated(useful)) / self.k
        return np.where(ranking.truth.relevant_characters == 0, np.nan, found)
