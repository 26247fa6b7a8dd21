"""ng: recall and precision that take account of size and overlap (INEX 2003).

    recall_s = Σ rel(c_i) / Σ_d rel(d)                   precision_s = Σ cov(c_i)·|c_i| / Σ |c_i|
    recall_o = Σ rel(c_i)·new_i/|c_i| / Σ_d rel(d)       precision_o = Σ cov(c_i)·new_i / Σ new_i

rel says how much an element has of what was asked for, cov how much of the element that is. new_i
is how many characters of the i-th result no earlier result has. There is one point of recall and
precision for each rank; precision is interpolated (the best at any recall at least as high), and
the score is its mean over the recall points 0.01 … 1.00.

With highlighted text, rel is the share of the topic's relevant characters that an element has, and
cov its specificity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

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


class _Worth(NamedTuple):
    """The assessed elements with their rel and cov as numbers."""

    elements: AssessedElements
    rel: Floats
    cov: Floats


def _worth(truth: GroundTruth, quant: str) -> _Worth:
    """Rel and cov of all assessed elements; an element without text has neither."""
    elements = truth.elements(QUANTISATIONS[quant])
    if quant == "spec":
        rel = ratio(elements.rsize, truth.relevant_characters[elements.topic])
        cov = ratio(elements.rsize, elements.size)
    else:
        rel = _as_floats(SEPARATE[quant].rel(elements.scale, elements.grades))
        cov = _as_floats(SEPARATE[quant].cov(elements.scale, elements.grades))
    has_text = elements.size != 0
    return _Worth(elements, np.where(has_text, rel, 0.0), np.where(has_text, cov, 0.0))


def _as_floats(values: Values) -> Floats:
    floats: Floats = values.numerator / values.denominator
    return floats


@dataclass(frozen=True)
class Ng(Measure):
    """Precision with size and overlap, averaged over recall."""

    name: ClassVar[str] = "ng"
    facts: ClassVar[Facts] = Facts(
        "recall and precision with size and overlap",
        "Gövert et al. 2003, eq 6–9",
        "mean over x = 0.01 … 1.00 of the best precision_o (or precision_s) at recall_o "
        "(recall_s) ≥ x",
        frozenset({Need.ELEMENTS, Need.SIZES, Need.RETRIEVED_ELEMENTS}),
        "A topic without relevance in its denominator is undefined. Recall can exceed 1 and is "
        "clipped. Recall that the list does not reach scores 0, or the precision of reading the "
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
        "recall that the list does not reach: as if everything were read (block), or 0; auto is "
        "block if there is a collection",
        ("auto", "block", "zero"),
    )

    def settled(self, truth: GroundTruth) -> Measure:
        """How text that is not retrieved counts depends on whether there is a collection."""
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
        worth = self._worth(ranking.truth)
        row = ranking.rows_in(worth.elements)
        rel = np.where(row < 0, 0.0, worth.rel[row] if len(worth.rel) else 0.0)
        cov = np.where(row < 0, 0.0, worth.cov[row] if len(worth.cov) else 0.0)
        size = ranking.size.astype(np.float64)
        counted = ranking.new_size.astype(np.float64) if self.overlap == "o" else size
        share = ratio(counted, size)
        gained = ranking.by_topic(ranking.cumulated(rel * share))
        precision = ratio(ranking.cumulated(cov * counted), ranking.cumulated(counted))
        wanted = self._wanted(ranking.truth)
        rest = self._whole_collection(ranking.truth) if self.unretrieved == "block" else None
        result = np.full((len(ranking.truth.topics), len(POINTS)), np.nan)
        for topic, own in enumerate(ranking.by_topic(precision)):
            if wanted[topic] > 0:
                recall = np.minimum(gained[topic] / wanted[topic], 1.0)
                if rest is not None and len(own):  # an empty list scores 0
                    recall, own = np.append(recall, 1.0), np.append(own, rest[topic])
                result[topic] = interpolated(recall, own, POINTS)
        return result

    def _worth(self, truth: GroundTruth) -> _Worth:
        return truth.remembered(("ng: worth", self.quant), lambda: _worth(truth, self.quant))

    def _wanted(self, truth: GroundTruth) -> Floats:
        """Σ rel of each topic, over documents or all components."""
        whole = self.denominator == "documents"
        return truth.remembered(
            ("ng: wanted", self.quant, whole),
            lambda: _sums_by_topic(truth, self._worth(truth).rel, self._worth(truth), whole),
        )

    def _whole_collection(self, truth: GroundTruth) -> Floats:
        """The precision of reading everything, for each topic."""
        return truth.remembered(
            ("ng: whole collection", self.quant),
            lambda: _precision_of_everything(truth, self._worth(truth)),
        )


def _sums_by_topic(truth: GroundTruth, values: Floats, worth: _Worth, whole: bool) -> Floats:
    """Values of elements, summed for each topic; `whole` counts only the roots of documents."""
    elements = worth.elements
    if whole:
        values = values * (truth.known_collection.nodes.parent[elements.node] < 0)
    return np.bincount(elements.topic, values, len(truth.topics)).astype(np.float64)


def _precision_of_everything(truth: GroundTruth, worth: _Worth) -> Floats:
    relevant = _sums_by_topic(truth, worth.cov * worth.elements.size, worth, whole=True)
    return relevant / max(int(truth.document_lengths.sum()), 1)
