"""ng: recall and precision that take account of size and overlap (INEX 2003).

    recall_s = Σ rel(c_i) / Σ_d rel(d)                   precision_s = Σ cov(c_i)·|c_i| / Σ |c_i|
    recall_o = Σ rel(c_i)·new_i/|c_i| / Σ_d rel(d)       precision_o = Σ cov(c_i)·new_i / Σ new_i

rel says how much an element has of what was asked for, cov how much of the element that is. new_i
is how many characters of the i-th result no earlier result has. ngR@k and ngP@k are recall and
precision after k results. ng takes the points of all ranks; precision is interpolated (the best at
any recall at least as high), and the score is its mean over the recall points 0.01 … 1.00.

After the list a user may go on through the rest of the collection (unretrieved). R is the recall
of the list, a/b its precision, A/B that of the whole collection: Σ_d cov(d)·|d| / Σ_d |d|. With
linear the rest is read at an even rate; after a share f of it

    recall = R + f·(1 − R)        precision = (a + f·(A − a)) / (b + f·(B − b))

With block only the end counts, f = 1.

With highlighted text, rel is the share of the topic's relevant characters that an element has, and
cov its specificity: characters take the place of the paper's concepts. That is our extension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, sum_by_group, values_at
from doxeval.assessments import SEPARATE, AssessedElements
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.caching import once
from doxeval.measures.elements import fitting_quantisation, ignore_parameter, quant_parameter
from doxeval.measures.ground_truth import GroundTruth, ignored_tags
from doxeval.measures.ranking import Ranking, defined, interpolated, ratio
from doxeval.scores import Curve

Overlap = Literal["o", "s"]
Denominator = Literal["documents", "components"]
Unretrieved = Literal["auto", "linear", "block", "zero"]
POINTS: Floats = np.arange(1, 101) / 100
_NEEDS = frozenset({Need.ELEMENTS, Need.SIZES, Need.RETRIEVED_ELEMENTS})
_QUANTS = (*SEPARATE, "spec")
_QUANT_HELP = (
    "how grades become rel and cov; auto is spec for highlighted text, gen for grades of 2002–04"
)
_IGNORED = "Elements with ignored tags have neither rel nor cov."


class _Worth(NamedTuple):
    """The assessed elements with their rel and cov as numbers."""

    elements: AssessedElements
    rel: Floats
    cov: Floats


@once
def _worth(truth: GroundTruth, quant: str, ignore: str) -> _Worth:
    """Return rel and cov of all assessed elements; empty and ignored elements have neither."""
    elements = truth.elements(quant)
    if quant == "spec":
        rel = ratio(elements.rsize, truth.relevant_characters[elements.topic])
        cov = ratio(elements.rsize, elements.size)
    else:
        functions = (SEPARATE[quant].rel, SEPARATE[quant].cov)
        values = (function(elements.scale, elements.grades) for function in functions)
        rel, cov = (value.numerator / value.denominator for value in values)
    counts = (elements.size != 0) & ~elements.has_tag(ignored_tags(ignore))
    return _Worth(elements, np.where(counts, rel, 0.0), np.where(counts, cov, 0.0))


@once
def _total_rel(truth: GroundTruth, quant: str, ignore: str, denominator: Denominator) -> Floats:
    """Return Σ rel of each topic, over documents or all components."""
    elements, rel, _ = _worth(truth, quant, ignore)
    if denominator == "documents":
        rel = rel * _is_document(truth, elements)
    return sum_by_group(elements.topic, rel, len(truth.topics))


def _is_document(truth: GroundTruth, elements: AssessedElements) -> Bools:
    """Return whether each element is the root of a document."""
    return truth.known_collection.nodes.parent[elements.node] < 0


class _Read(NamedTuple):
    """What was read up to each result: how much rel, how much to the point, how much in all."""

    rel: Floats
    covered: Floats
    size: Floats


@once
def _read(ranking: Ranking, overlap: Overlap, quant: str, ignore: str) -> _Read:
    worth = _worth(ranking.truth, quant, ignore)
    row = ranking.rows_in(worth.elements)
    rel, cov = values_at(row, worth.rel), values_at(row, worth.cov)
    size = ranking.size.astype(np.float64)
    counted = ranking.new_size.astype(np.float64) if overlap == "o" else size
    parts = (rel * ratio(counted, size), cov * counted, counted)
    return _Read(*(ranking.cumulated(part) for part in parts))


class _TopicText(NamedTuple):
    """Text of each topic: how much of it was asked for, and how much there is."""

    covered: Floats
    size: Floats

    @property
    def precision(self) -> Floats:
        """How much of the text was asked for, as a share."""
        return ratio(self.covered, self.size)


@once
def _whole_collection(truth: GroundTruth, quant: str, ignore: str) -> _TopicText:
    """Return what a reader of all documents has read."""
    elements, _, cov = _worth(truth, quant, ignore)
    covered = cov * elements.size * _is_document(truth, elements)
    characters = truth.known_collection.text_totals.characters
    return _TopicText(
        sum_by_group(elements.topic, covered, len(truth.topics)),
        np.full(len(truth.topics), float(characters)),
    )


def beyond_the_list(
    recall: Floats, listed: _TopicText, everything: _TopicText, points: Floats
) -> Floats:
    """Return the best precision beyond lists of some recall, at any recall that reaches each point.

    The precision after a share f of the rest is a ratio of linear functions of f, so it rises
    all the way or falls all the way: the best is where the point is reached, or at the end.

    >>> points, recall, whole = np.array([0.5, 0.75, 1.0]), np.array([0.5, 0.5]), np.ones(2)
    >>> listed = _TopicText(np.array([400, 0]), 400 * whole)
    >>> everything = _TopicText(800 * whole, 1600 * whole)
    >>> beyond_the_list(recall, listed, everything, points).tolist()
    [[1.0, 0.6, 0.5], [0.5, 0.5, 0.5]]
    """
    missing = np.maximum(points - recall[:, None], 0.0)
    f = ratio(missing, np.broadcast_to(1 - recall[:, None], missing.shape))
    covered, size = (
        part[:, None] + f * (whole - part)[:, None]
        for part, whole in zip(listed, everything, strict=True)
    )
    return np.maximum(ratio(covered, size), everything.precision[:, None])


@dataclass(frozen=True)
class _SizeAndOverlap(Measure):
    overlap: Overlap = parameter(
        "o", "o: only new text counts; s: sizes count, overlap does not", ("o", "s")
    )
    quant: str = quant_parameter(_QUANTS, _QUANT_HELP)
    ignore: str = ignore_parameter()

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with the quantisation that fits the assessments."""
        return self(quant=fitting_quantisation(truth, self.quant, _QUANTS))

    def read(self, ranking: Ranking) -> _Read:
        """Return what was read up to each result of the ranking."""
        return _read(ranking, self.overlap, self.quant, self.ignore)


@dataclass(frozen=True)
class Ng(_SizeAndOverlap):
    """Precision with size and overlap, averaged over recall."""

    name: ClassVar[str] = "ng"
    facts: ClassVar[Facts] = Facts(
        "recall and precision with size and overlap",
        "Gövert et al. 2003, eq 6–9",
        "mean over x = 0.01 … 1.00 of the best precision_o (or precision_s) at recall_o "
        "(recall_s) ≥ x",
        _NEEDS,
        "A topic without relevance in its denominator is undefined; an empty list scores 0. Recall "
        "can exceed 1 and is clipped. Recall that the list does not reach scores 0 "
        "(unretrieved=zero), or what a user reaches who reads the rest of the collection, too. "
        f"{_IGNORED} With highlighted text it is our extension of the paper.",
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
    denominator: Denominator = parameter(
        "documents",
        "recall is of whole documents, or of all components",
        ("documents", "components"),
    )
    unretrieved: Unretrieved = parameter(
        "auto",
        "recall that the list does not reach: as if the rest were read at an even rate (linear), "
        "as if everything were read (block), or 0; auto is linear if there is a collection",
        ("auto", "linear", "block", "zero"),
    )

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with its quantisation, and how the rest of the collection is read."""
        rest = "zero" if truth.collection is None else "linear"
        return super().resolve_auto(truth)(
            unretrieved=rest if self.unretrieved == "auto" else self.unretrieved
        )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean interpolated precision."""
        means: Floats = self._precisions(ranking).mean(axis=1)
        return means

    def curve(self, ranking: Ranking) -> Curve:
        """Return precision by recall."""
        return Curve(str(self), "recall", "precision", POINTS, self._precisions(ranking))

    def _precisions(self, ranking: Ranking) -> Floats:
        read = self.read(ranking)
        total = _total_rel(ranking.truth, self.quant, self.ignore, self.denominator)
        precision = ranking.by_topic(ratio(read.covered, read.size))
        result = np.full((len(total), len(POINTS)), np.nan)
        for topic, rel in ranking.lists(read.rel):
            if total[topic] > 0:
                recall = np.minimum(rel / total[topic], 1.0)
                result[topic] = interpolated(recall, precision[topic], POINTS)
        if self.unretrieved != "zero":
            topics = np.flatnonzero(ranking.counts > 0)  # an empty list scores 0
            beyond = self._beyond(ranking, read, total, topics)
            result[topics] = np.maximum(result[topics], beyond)
        return result

    def _beyond(self, ranking: Ranking, read: _Read, total: Floats, topics: Ints) -> Floats:
        """Return the best precision beyond the lists of some topics, topics × points."""
        whole = _whole_collection(ranking.truth, self.quant, self.ignore)
        everything = _TopicText(*(column[topics] for column in whole))
        if self.unretrieved == "block":
            return np.repeat(everything.precision[:, None], len(POINTS), axis=1)
        rel, covered, size = (ranking.at(max(len(ranking), 1), part)[topics] for part in read)
        recall = np.minimum(ratio(rel, total[topics]), 1.0)
        return beyond_the_list(recall, _TopicText(covered, size), everything, POINTS)


# A section of 5 characters and the paragraph in it, an article of 10 around them.
_DOCUMENTS = {"a": "<a><s><p>12345</p></s><s>67890</s></a>"}
_HIGHLIGHTED = '{"topic": "7", "doc": "a", "start": 0, "end": 5}\n'
_RUN = "7 Q0 a 1 9 run /a[1]/s[1]/p[1]\n7 Q0 a 2 8 run /a[1]\n"


@dataclass(frozen=True)
class NgRecall(_SizeAndOverlap):
    """How much of what was asked for is in the first k results."""

    name: ClassVar[str] = "ngR"
    facts: ClassVar[Facts] = Facts(
        "recall with size and overlap",
        "Gövert et al. 2003, eq 6 and 8",
        "ngR@k = recall_o (or recall_s) after k results",
        _NEEDS,
        "A topic without relevance in its denominator is undefined; an empty list scores 0; beyond "
        f"the end of the list it stays constant. Recall can exceed 1 and is clipped. {_IGNORED} "
        "With highlighted text it is our extension of the paper.",
        Example(
            "ngR@1(quant=gen)",
            0.5,
            "The article has rel 2/3 (e = 2); of its section, which is returned, it is 1/3 (e = 1)."
            " The second result does not count.",
            '{"topic": "7", "doc": "a", "path": "/a[1]", "e": 2, "s": 1}\n'
            '{"topic": "7", "doc": "a", "path": "/a[1]/s[1]", "e": 1, "s": 3}\n',
            "7 Q0 a 1 9 run /a[1]/s[1]\n7 Q0 a 2 8 run /a[1]\n",
            _DOCUMENTS,
        ),
        laws=frozenset({Law.TAIL_IS_FREE, Law.BETTER_UP, Law.GROWS_WITH_K}),
    )
    denominator: Denominator = parameter(
        "documents",
        "recall is of whole documents, or of all components",
        ("documents", "components"),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return ngR@k."""
        total = _total_rel(ranking.truth, self.quant, self.ignore, self.denominator)
        recall = np.minimum(ratio(ranking.at(self.k, self.read(ranking).rel), total), 1.0)
        return defined(recall, total)


@dataclass(frozen=True)
class NgPrecision(_SizeAndOverlap):
    """How much of the text of the first k results was asked for."""

    name: ClassVar[str] = "ngP"
    facts: ClassVar[Facts] = Facts(
        "precision with size and overlap",
        "Gövert et al. 2003, eq 7 and 9",
        "ngP@k = precision_o (or precision_s) after k results",
        _NEEDS,
        "A topic without relevant elements is undefined; an empty list scores 0; beyond the end of "
        f"the list nothing more is read. {_IGNORED} With highlighted text it is our extension of "
        "the paper.",
        Example(
            "ngP@2(quant=spec)",
            0.75,
            "The paragraph is relevant throughout: 5 of 5. The article has 5 new characters, half "
            "of which count, since half of the article is relevant: (5 + 2.5) / (5 + 5).",
            _HIGHLIGHTED,
            _RUN,
            _DOCUMENTS,
        ),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return ngP@k."""
        read = self.read(ranking)
        precision = ratio(ranking.at(self.k, read.covered), ranking.at(self.k, read.size))
        return defined(precision, _total_rel(ranking.truth, self.quant, self.ignore, "components"))
