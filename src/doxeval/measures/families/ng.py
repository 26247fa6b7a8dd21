"""ng: recall and precision that take account of size and overlap (INEX 2003).

    recall_s = Σ rel(c_i) / Σ_d rel(d)                   precision_s = Σ cov(c_i)·|c_i| / Σ |c_i|
    recall_o = Σ rel(c_i)·new_i/|c_i| / Σ_d rel(d)       precision_o = Σ cov(c_i)·new_i / Σ new_i

rel says how much of what was asked for an element has, cov how much of the element it is. new_i is
how many characters of the i-th result no earlier result has. There is one point of recall and
precision for each rank; precision is interpolated (the best at any recall as high), and the score
is its mean over the recall points 0.01 … 1.00.

With highlighted text, rel is the share of the topic's relevant characters that an element has, and
cov its specificity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.assessed_elements import AssessedElements
from doxeval.assessments.quantisations import QUANTISATIONS, SEPARATE, Values
from doxeval.measures.base import (
    Example,
    Facts,
    Floats,
    Measure,
    Need,
    parameter,
)
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, interpolated, ratio
from doxeval.scores import Curve

Overlap = Literal["o", "s"]
Denominator = Literal["documents", "components"]
Unretrieved = Literal["auto", "block", "zero"]
POINTS: Floats = np.arange(1, 101) / 100


class _Worth:
    """rel and cov of assessed elements, as numbers."""

    def __init__(self, elements: AssessedElements, truth: GroundTruth, quant: str) -> None:
        self.elements = elements
        if quant == "spec":
            total = truth.relevant_characters[elements.topic]
            self.rel = ratio(elements.rsize, total)
            self.cov = ratio(elements.rsize, elements.size)
        else:
            separate = SEPARATE[quant]
            self.rel = _numbers(separate.rel(elements.scale, elements.grades))
            self.cov = _numbers(separate.cov(elements.scale, elements.grades))
        empty = elements.size == 0
        self.rel[empty] = self.cov[empty] = 0.0


def _numbers(values: Values) -> Floats:
    found: Floats = values.numerator / values.denominator
    return found


@dataclass(frozen=True)
class Ng(Measure):
    """Recall and precision with size and overlap, as an average over recall."""

    name: ClassVar[str] = "ng"
    facts: ClassVar[Facts] = Facts(
        "recall and precision with size and overlap",
        "Gövert et al. 2003, eq 6–9",
        "mean over x = 0.01 … 1.00 of the best precision_o (or precision_s) at recall_o "
        "(recall_s) ≥ x",
        frozenset({Need.ELEMENTS, Need.SIZES, Need.RETRIEVED_ELEMENTS}),
        "A topic without relevance in its denominator is undefined. Recall can exceed 1 and is "
        "clipped. Recall that the list does not reach scores 0, or what a user gets who reads the "
        "whole collection (unretrieved=block).",
        Example(
            "ng(quant=spec,unretrieved=zero)",
            1.0,
            "The only relevant section is returned, first as a whole and then again as its "
            "paragraph: the second result has nothing new, so it neither adds nor costs anything.",
            '{"topic": "7", "doc": "a", "start": 0, "end": 5}\n',
            "7 Q0 a 1 9 run /a[1]/s[1]\n7 Q0 a 2 8 run /a[1]/s[1]/p[1]\n",
            {"a": "<a><s><p>12345</p></s><s>67890</s></a>"},
        ),
    )
    overlap: Overlap = parameter(
        "o", "o: only new text counts; s: sizes count, overlap does not", ("o", "s")
    )
    quant: str = parameter(
        "gen", "how grades become rel and cov; spec for highlighted text", (*SEPARATE, "spec")
    )
    denominator: Denominator = parameter(
        "documents",
        "recall is of whole documents, or of all components",
        ("documents", "components"),
    )
    unretrieved: Unretrieved = parameter(
        "auto",
        "recall beyond the list: reading everything, or 0; auto is block",
        ("auto", "block", "zero"),
    )

    def settled(self, truth: GroundTruth) -> Measure:
        """What becomes of text that is not retrieved depends on the collection."""
        if self.unretrieved != "auto":
            return self
        return self(unretrieved="zero" if truth.collection is None else "block")

    def scores(self, ranking: Ranking) -> Floats:
        """The mean interpolated precision."""
        means: Floats = self._precisions(ranking).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Precision by recall."""
        return Curve(str(self), "recall", "precision", POINTS, self._precisions(ranking))

    def _precisions(self, ranking: Ranking) -> Floats:
        quantisation = QUANTISATIONS[self.quant]
        worth = _Worth(ranking.truth.elements(quantisation), ranking.truth, self.quant)
        row = ranking.rows_in(worth.elements)
        rel = np.where(row < 0, 0.0, worth.rel[row] if len(worth.rel) else 0.0)
        cov = np.where(row < 0, 0.0, worth.cov[row] if len(worth.cov) else 0.0)
        size = ranking.size.astype(np.float64)
        counted = ranking.new_size.astype(np.float64) if self.overlap == "o" else size
        share = ratio(counted, size)
        found = ranking.by_topic(ranking.cumulated(rel * share))
        precision = ratio(ranking.cumulated(cov * counted), ranking.cumulated(counted))
        wanted = self._wanted(ranking.truth, worth)
        rest = self._whole_collection(ranking.truth, worth) if self.unretrieved == "block" else None
        result = np.full((len(ranking.truth.topics), len(POINTS)), np.nan)
        for topic, own in enumerate(ranking.by_topic(precision)):
            if wanted[topic] > 0:
                recall = np.minimum(found[topic] / wanted[topic], 1.0)
                if rest is not None and len(own):  # an empty list scores 0
                    recall, own = np.append(recall, 1.0), np.append(own, rest[topic])
                result[topic] = interpolated(recall, own, POINTS)
        return result

    def _wanted(self, truth: GroundTruth, worth: _Worth) -> Floats:
        """Σ rel of each topic, over documents or all components."""
        counted = (
            worth.rel if self.denominator == "components" else worth.rel * self._roots(truth, worth)
        )
        return np.bincount(worth.elements.topic, counted, len(truth.topics)).astype(np.float64)

    def _roots(self, truth: GroundTruth, worth: _Worth) -> Ints:
        """1 for the root of a document, 0 for other elements."""
        collection = truth.known_collection
        return (collection.nodes.parent[worth.elements.node] < 0).astype(np.int64)

    def _whole_collection(self, truth: GroundTruth, worth: _Worth) -> Floats:
        """The precision of reading everything."""
        size = worth.elements.size * self._roots(truth, worth)
        relevant = np.bincount(worth.elements.topic, worth.cov * size, len(truth.topics))
        found: Floats = relevant / max(int(truth.document_lengths.sum()), 1)
        return found
