"""Diversity: how many subtopics of a topic the first documents answer, and how often.

    gain of a document = Σ (1 − alpha)^c over the subtopics that it answers,
    c = how many documents above it answer the same subtopic

    alpha_nDCG@k   Σ gain / log2(r + 1) over the same sum of an ideal list
    ERR_IA@k       Σ gain / r           over the same sum if every document answered everything
    NRBP           Σ gain · beta^(r−1)  over the same sum if every document answered everything
    P_IA@k         mean over subtopics of the precision of the first k documents
    StRecall@k     the share of the subtopics that the first k documents answer

As ndeval computes them: a document answers a subtopic or does not, and only subtopics count that
some document answers. Subtopics come from qrels or JSONL; where there are none, needs are
subtopics, and a document answers those that it has a span of.

Documents are ranked as by the measures of documents. Those that share a score are taken by their
ids, ascending, where `--order` makes ties of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges
from doxeval.measures.base import TOLERANCE, Example, Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.caching import Memory, once
from doxeval.measures.graded_ranking import graded_documents
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, defined, ratio

_NEEDS = frozenset({Need.SUBTOPICS})
_EDGES = (
    "A topic without a relevant document for any subtopic is undefined; an unjudged document "
    "answers nothing."
)
_ASSESSMENTS = "7 1 a 1\n7 2 a 1\n7 2 b 1\n"
_RUN = "7 Q0 b 1 9 run\n7 Q0 a 2 8 run\n"
_LAWS = frozenset({Law.TAIL_IS_FREE, Law.ANY_COPY_WILL_DO})


def _alpha_parameter() -> float:
    alpha: float = parameter(0.5, "how much of its worth a subtopic loses with each answer, 0 to 1")
    return alpha


@dataclass(frozen=True, kw_only=True)
class _OfSubtopics(Measure):
    rel: int = parameter(1, "the lowest grade for a subtopic that answers it")
    judged_only: bool = parameter(False, "whether unjudged documents are left out first")

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "alpha", 0.0) > 1:
            raise ValueError("alpha must be between 0 and 1")

    def answers(self, ranking: Ranking) -> Answers:
        """Return which documents of a run answer which subtopics."""
        return answers_of(ranking, self.rel, self.judged_only)

    def subtopics(self, ranking: Ranking) -> Ints:
        """Return the number of subtopics of each topic that some document answers."""
        return answered_subtopics(ranking.truth, self.rel).counts


@dataclass(frozen=True)
class AlphaNDCG(_OfSubtopics):
    """How much that is new the first k documents say, and how soon, compared with an ideal list."""

    name: ClassVar[str] = "alpha_nDCG"
    facts: ClassVar[Facts] = Facts(
        "alpha-nDCG: discounted gain that falls with each answer to the same subtopic",
        "Clarke et al. 2008",
        "alpha_nDCG@k = Σ gain_r / log2(r + 1) over the same sum of the ideal list, r = 1 … k, "
        "gain_r = Σ (1 − alpha)^c over the subtopics that document r answers, c = documents above "
        "r that answer it, too",
        _NEEDS,
        _EDGES + " The ideal list takes, rank by rank, the document with the highest gain, of "
        "several the one with the last id; in rare cases another list is better, and scores more "
        "than 1.",
        Example(
            "alpha_nDCG@5",
            (1 + 1.5 / np.log2(3)) / (2 + 0.5 / np.log2(3)),
            "b answers subtopic 2, and a both: 1 + (1 + 0.5) / log2(3), over 2 + 0.5 / log2(3) for "
            "a before b.",
            _ASSESSMENTS,
            _RUN,
        ),
        highest=None,
        laws=_LAWS,
    )
    k: int = cut_off(20, "how many documents count")
    alpha: float = _alpha_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return the discounted gain over that of the ideal list."""
        answers = self.answers(ranking)
        discounted = answers.gains(self.alpha) / np.log2(answers.ranking.rank + 1)
        ideal = _ideal_gain(ranking.truth, self.rel, self.alpha, self.k)
        return defined(ratio(answers.total(discounted, self.k), ideal), self.subtopics(ranking))


@dataclass(frozen=True)
class IntentAwareERR(_OfSubtopics):
    """The reciprocal rank at which readers stop who look for one subtopic each."""

    name: ClassVar[str] = "ERR_IA"
    facts: ClassVar[Facts] = Facts(
        "intent-aware expected reciprocal rank",
        "Chapelle et al. 2009",
        "ERR_IA@k = Σ gain_r / r over Σ S · (1 − alpha)^(r−1) / r, r = 1 … k, S = number of "
        "subtopics, gain_r as in alpha_nDCG",
        _NEEDS,
        _EDGES + " For k = 1, ndeval forgets to divide.",
        Example(
            "ERR_IA@5",
            (1 + 1.5 / 2) / (2 * (1 + 0.5 / 2 + 0.25 / 3 + 0.125 / 4 + 0.0625 / 5)),
            "b gains 1 and a 1.5: 1 + 1.5 / 2. Five documents that answer both subtopics would get "
            "2 · (1 + 0.5/2 + 0.25/3 + …).",
            _ASSESSMENTS,
            _RUN,
        ),
        laws=_LAWS,
    )
    k: int = cut_off(20, "how many documents count")
    alpha: float = _alpha_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return the expected reciprocal rank."""
        answers, subtopics = self.answers(ranking), self.subtopics(ranking)
        gained = answers.total(answers.gains(self.alpha) / answers.ranking.rank, self.k)
        rank = np.arange(1, self.k + 1)
        highest = ((1 - self.alpha) ** (rank - 1.0) / rank).sum()
        return defined(ratio(gained, subtopics * highest), subtopics)


@dataclass(frozen=True)
class IntentAwarePrecision(_OfSubtopics):
    """The precision of the first k documents, averaged over subtopics."""

    name: ClassVar[str] = "P_IA"
    facts: ClassVar[Facts] = Facts(
        "intent-aware precision",
        "Agrawal et al. 2009",
        "P_IA@k = Σ over the first k documents of how many subtopics each answers / (k · S), S = "
        "number of subtopics",
        _NEEDS,
        _EDGES + " It divides by k even if the list is shorter.",
        Example(
            "P_IA@5", 0.3, "b answers one subtopic, and a two: 3 / (5 · 2).", _ASSESSMENTS, _RUN
        ),
        laws=_LAWS,
    )
    k: int = cut_off(20, "how many documents count")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        answers, subtopics = self.answers(ranking), self.subtopics(ranking)
        return defined(
            ratio(answers.total(answers.gains(0.0), self.k), self.k * subtopics), subtopics
        )


@dataclass(frozen=True)
class SubtopicRecall(_OfSubtopics):
    """The share of the subtopics that the first k documents answer."""

    name: ClassVar[str] = "StRecall"
    facts: ClassVar[Facts] = Facts(
        "recall of subtopics",
        "Zhai, Cohen and Lafferty 2003",
        "StRecall@k = |subtopics that some of the first k documents answers| / |subtopics|",
        _NEEDS,
        _EDGES,
        Example("StRecall@1", 0.5, "b answers one of two subtopics.", _ASSESSMENTS, _RUN),
        laws=_LAWS | {Law.GROWS_WITH_K},
    )
    k: int = cut_off(20, "how many documents count")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the share of subtopics."""
        answers, subtopics = self.answers(ranking), self.subtopics(ranking)
        # With alpha = 1, only the first answer to a subtopic is worth anything.
        return defined(ratio(answers.total(answers.gains(1.0), self.k), subtopics), subtopics)


@dataclass(frozen=True)
class NoveltyRBP(_OfSubtopics):
    """What readers gain who go on to the next document with a fixed probability."""

    name: ClassVar[str] = "NRBP"
    facts: ClassVar[Facts] = Facts(
        "novelty- and rank-biased precision",
        "Clarke, Kolla and Vechtomova 2009",
        "NRBP = (1 − (1 − alpha) · beta) / S · Σ gain_r · beta^(r−1), S = number of subtopics, "
        "gain_r as in alpha_nDCG",
        _NEEDS,
        _EDGES,
        Example(
            "NRBP",
            0.65625,
            "b gains 1 and a 1.5: (1 − 0.25) / 2 · (1 + 1.5 · 0.5).",
            _ASSESSMENTS,
            _RUN,
        ),
        laws=_LAWS,
    )
    alpha: float = _alpha_parameter()
    beta: float = parameter(0.5, "how probably readers go on to the next document, below 1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta >= 1:
            raise ValueError("beta must be at least 0 and below 1")

    def scores(self, ranking: Ranking) -> Floats:
        """Return the gain over that of a list in which every document answers everything."""
        answers, subtopics = self.answers(ranking), self.subtopics(ranking)
        patience = self.beta ** (answers.ranking.rank - 1.0)
        gained = answers.total(answers.gains(self.alpha) * patience, None)
        return defined(ratio(gained * (1 - (1 - self.alpha) * self.beta), subtopics), subtopics)


# Which documents answer which subtopics


class _Subtopics(NamedTuple):
    """What judged documents answer, sorted by pair.

    pair: of topic and document. subtopic: by number, those of all topics one after another.
    counts: how many subtopics each topic has.
    """

    pair: Ints
    subtopic: Ints
    counts: Ints


@once
def answered_subtopics(truth: GroundTruth, rel: int) -> _Subtopics:
    """Return the subtopics that judged documents answer with at least this grade.

    Where no judgment has subtopics, they are the needs of the topic.
    """
    topics: Ints
    if truth.columns.have("subtopics"):
        numbers: dict[tuple[int, str], int] = {}
        answers = [
            (row, numbers.setdefault((int(truth.topic[row]), subtopic), len(numbers)))
            for row, (subtopic, grade) in truth.columns.each("subtopics")
            if grade >= rel
        ]
        topics = np.array([topic for topic, _ in numbers], dtype=np.int64)
    else:
        needs = truth.needs
        answers = list(zip(needs.pair.tolist(), needs.need.tolist(), strict=True))
        topics = needs.topic
    columns = np.array(sorted(set(answers)), dtype=np.int64).reshape(-1, 2)
    counts = np.bincount(topics, minlength=len(truth.topics))
    return _Subtopics(columns[:, 0], columns[:, 1], counts)


@dataclass(frozen=True, eq=False)
class Answers(Memory):
    """Which documents of a ranking answer which subtopics.

    ranking: of documents. row, before: each answer's document, and how many documents above it
    answer the same subtopic.
    """

    ranking: Ranking
    row: Ints
    before: Ints

    @once
    def gains(self, alpha: float) -> Floats:
        """Return what each document gains."""
        gains = np.zeros(len(self.ranking))
        np.add.at(gains, self.row, (1 - alpha) ** self.before.astype(np.float64))
        return gains

    def total(self, values: Floats, k: int | None) -> Floats:
        """Sum the values of the first k documents of each topic, or of all."""
        last = len(self.ranking) if k is None else k
        total: Floats = self.ranking.at(last, self.ranking.cumulated(values))
        return total


@once
def answers_of(ranking: Ranking, rel: int, judged_only: bool) -> Answers:
    """Return which documents of a run answer which subtopics; a repeat answers none."""
    documents = _ties_by_id(graded_documents(ranking, judged_only).ranking)
    subtopics = answered_subtopics(ranking.truth, rel)
    pair = documents.pair
    if documents.is_repeat is not None:
        pair = np.where(documents.is_repeat, -1, pair)
    first = np.searchsorted(subtopics.pair, pair)
    counts = np.searchsorted(subtopics.pair, pair, "right") - first
    row = np.repeat(np.arange(len(pair)), counts)
    subtopic = subtopics.subtopic[concatenated_ranges(first, counts)]
    order = np.lexsort((row, subtopic))
    of_subtopic = subtopic[order]
    before = np.arange(len(order)) - np.searchsorted(of_subtopic, of_subtopic)
    return Answers(documents, row[order], before)


def _ties_by_id(documents: Ranking) -> Ranking:
    """Return the documents with those that are tied sorted by their ids."""
    topic, level = documents.topic, documents.level
    is_tied = (topic[1:] == topic[:-1]) & (level[1:] == level[:-1])
    if not is_tied.any():
        return documents
    names = documents.resolved.run.documents
    known = {name: number for number, name in enumerate(sorted(names))}
    by_name = np.array([known[name] for name in names])[documents.document]
    group = np.append(0, np.cumsum(~is_tied))
    return documents.rows(np.lexsort((by_name, group)))


# The ideal list


@once
def _ideal_gain(truth: GroundTruth, rel: int, alpha: float, k: int) -> Floats:
    """Return the discounted gain of each topic's ideal list of k documents."""
    subtopics = answered_subtopics(truth, rel)
    ideal = np.zeros(len(truth.topics))
    edges = np.searchsorted(subtopics.pair, truth.pair_begin)
    for topic, (begin, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
        pairs, document = np.unique(subtopics.pair[begin:end], return_inverse=True)
        _, subtopic = np.unique(subtopics.subtopic[begin:end], return_inverse=True)
        if not len(pairs):
            continue
        # Of several documents with the same gain, the one with the last id comes first.
        names = [truth.documents[at] for at in truth.document[pairs].tolist()]
        order = sorted(range(len(names)), key=names.__getitem__, reverse=True)
        answers = np.zeros((len(pairs), int(subtopic.max()) + 1))
        answers[document, subtopic] = 1
        gains = _greedy_gains(answers[order], alpha, k)
        ideal[topic] = (gains / np.log2(np.arange(2, len(gains) + 2))).sum()
    return ideal


def _greedy_gains(answers: Floats, alpha: float, k: int) -> Floats:
    """Return the gains of a list that takes the document with the highest gain at each rank.

    answers: documents × subtopics, 1 where one answers the other. Of documents with the same gain,
    the first is taken.

    >>> _greedy_gains(np.array([[0.0, 1.0], [1.0, 1.0]]), 0.5, 5).tolist()
    [2.0, 0.5]
    """
    worth = np.ones(answers.shape[1])
    left = np.ones(len(answers), dtype=np.bool_)
    gains = []
    for _ in range(min(k, len(answers))):
        gain = np.where(left, answers @ worth, -1.0)
        best = int(np.argmax(gain >= gain.max() - TOLERANCE))
        gains.append(float(gain[best]))
        left[best] = False
        worth = np.where(answers[best] > 0, worth * (1 - alpha), worth)
    return np.array(gains)
