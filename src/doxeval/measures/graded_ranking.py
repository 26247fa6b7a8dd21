"""A ranking whose results have grades: what all measures over whole documents are computed from.

A document is ranked where the first of its parts is. Its grade is the one that was judged, or 1 if
anything in it is relevant and 0 if nothing is; a document that nobody judged has none. Grades below
0 mean that a document was pooled but not judged: it gains nothing, and is neither relevant nor
judged.

Sums are made in the order of ranks, one number after another, as trec_eval makes them: the same
numbers to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.measures.caching import Memory, once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Numbers, Ranking

# The grade of a document that is not among the judged ones.
NOT_POOLED = -(1 << 40)

Gain = Literal["linear", "exp"]


@dataclass(frozen=True, eq=False, kw_only=True)
class GradedRanking(Memory):
    """Results in their order, each with a grade, and the grades of all that could be returned.

    ranking: the results, each of them one unit: a document at its first part.
    grade: of each result; NOT_POOLED where there is none. Needs may have grades such as 0.5.
    judged: the grades of all judged units, topic by topic, the highest first.
    judged_begin: where those of each topic begin; one more than there are topics.
    """

    ranking: Ranking
    grade: Numbers
    judged: Numbers
    judged_begin: Ints

    # Results

    @property
    def is_pooled(self) -> Bools:
        """Whether each result is among the judged ones, with whatever grade."""
        return self.grade > NOT_POOLED

    @property
    def is_judged(self) -> Bools:
        """Whether each result was judged: its grade is 0 or more."""
        return self.grade >= 0

    def is_relevant(self, rel: int) -> Bools:
        """Return whether each result has at least this grade."""
        return self.grade >= rel

    def gain(self, gain: Gain) -> Floats:
        """Return what each result is worth: its grade, or 2^grade − 1; 0 without a grade."""
        return _gains(self.grade, gain)

    @once
    def hits(self, rel: int) -> Ints:
        """Return the number of relevant results up to each result."""
        return self.ranking.cumulated(self.is_relevant(rel).astype(np.int64))

    @once
    def non_relevant(self, rel: int) -> Ints:
        """Return the number of results up to each that were judged, and not as relevant."""
        return self.cumulated(self.is_judged & ~self.is_relevant(rel))

    def cumulated(self, is_counted: Bools) -> Ints:
        """Return how many results up to each one are to be counted."""
        return self.ranking.cumulated(is_counted.astype(np.int64))

    # Topics

    def hits_at(self, k: int | Ints | None, rel: int) -> Ints:
        """Return the number of relevant results of each topic, among the first k or all.

        k may be a number for each topic.
        """
        return self.at(k, self.hits(rel))

    def relevant(self, rel: int) -> Ints:
        """Return the number of relevant units of each topic, returned or not."""
        return self.judged_counts(rel)

    @once
    def judged_counts(self, rel: int) -> Ints:
        """Return the number of units of each topic that have at least this grade."""
        total = np.append(0, np.cumsum(self.judged >= rel))
        return np.diff(total[self.judged_begin])

    def at(self, k: int | Ints | None, cumulated: Numbers) -> Numbers:
        """Return cumulated values after the first k results of each topic, or after all."""
        return self.ranking.at(len(self.ranking) if k is None else k, cumulated)

    def total(self, values: Numbers, k: int | None = None) -> Numbers:
        """Sum the values of the first k results of each topic, or of all, in the order of ranks."""
        return self.at(k, self.ranking.cumulated(values))

    @once
    def dcg(self, gain: Gain) -> Floats:
        """Return the discounted cumulated gain up to each result."""
        return self.ranking.cumulated(self.gain(gain) / np.log2(self.ranking.rank + 1))

    @once
    def ideal_dcg(self, gain: Gain) -> Floats:
        """Return the discounted cumulated gain of each topic's judged units, the best first."""
        discounted = _gains(self.judged, gain) / np.log2(self.judged_rank + 1)
        lists = np.split(discounted, self.judged_begin[1:-1])
        return np.concatenate([np.cumsum(values) for values in lists]) if lists else discounted

    @once
    def returned_ideal_dcg(self, k: int | None, gain: Gain) -> Floats:
        """Return the discounted gain of the first k results of each topic in their best order."""
        worth, rank, topic = self.gain(gain), self.ranking.rank, self.ranking.topic
        first = np.flatnonzero(rank <= (len(rank) if k is None else k))
        best = first[np.lexsort((-worth[first], topic[first]))]
        ideal = np.zeros(len(self.ranking.counts))
        np.add.at(ideal, topic[first], worth[best] / np.log2(rank[first] + 1))
        return ideal

    @cached_property
    def ideal_gain(self) -> Ints:
        """The sum of the grades above 0 of each topic."""
        total = np.append(0, np.cumsum(np.maximum(self.judged, 0)))
        return np.diff(total[self.judged_begin])

    @cached_property
    def judged_rank(self) -> Ints:
        """The rank of each judged unit in the best order of its topic, from 1."""
        counts = np.diff(self.judged_begin)
        return np.arange(1, len(self.judged) + 1) - np.repeat(self.judged_begin[:-1], counts)

    @once
    def ideal_dcg_at_ranks(self, gain: Gain) -> Floats:
        """Return the ideal discounted cumulated gain at the rank of each result."""
        return self._of_ideal(self.ideal_dcg(gain), self._judged_count)

    def ideal_gain_at_ranks(self) -> Ints:
        """Return the gain of the ideal result at the rank of each result; 0 beyond the ideal."""
        is_beyond = self.ranking.rank > self._judged_count
        return np.where(
            is_beyond, 0, self._of_ideal(np.maximum(self.judged, 0), self._judged_count)
        )

    @property
    def _judged_count(self) -> Ints:
        """The number of judged units of the topic of each result."""
        return np.diff(self.judged_begin)[self.ranking.topic]

    def _of_ideal(self, values: Numbers, count: Ints) -> Numbers:
        """Return a value of the judged unit at the rank of each result, or of the last one."""
        at = self.judged_begin[self.ranking.topic] + np.minimum(self.ranking.rank, count) - 1
        return np.where(count > 0, np.append(values, 0)[np.maximum(at, 0)], 0)

    def ideal_at(self, k: int | None, cumulated: Floats) -> Floats:
        """Return values that were cumulated over judged units, after the first k of each topic."""
        begin, counts = self.judged_begin[:-1], np.diff(self.judged_begin)
        values = np.zeros(len(counts))
        some = np.flatnonzero(counts)
        values[some] = cumulated[begin[some] + np.minimum(counts[some], k or len(cumulated)) - 1]
        return values


def _gains(grade: Numbers, gain: Gain) -> Floats:
    worth = np.maximum(grade, 0).astype(np.float64)
    return worth if gain == "linear" else np.exp2(worth) - 1


@once
def graded_documents(ranking: Ranking, judged_only: bool) -> GradedRanking:
    """Return the ranking of documents with their grades.

    judged_only: documents that were not judged are left out first, and ranks close.

    >>> from doxeval.assessments import Assessments
    >>> from doxeval.evaluation import Evaluation
    >>> from doxeval.measures import AP
    >>> judged = Assessments.from_dict({"7": {"a": 1, "b": 0, "c": 2}})
    >>> of_run = Evaluation(judged, AP).ranking({"7": {"c": 3.0, "x": 2.0, "a": 1.0}})
    >>> graded_documents(of_run.ranking, True).grade.tolist()
    [2, 1]
    """
    articles = ranking.articles_and_repeats
    has_grade = articles.pair >= 0
    if articles.is_repeat is not None:  # a repeat is worth as much as an unjudged document
        has_grade &= ~articles.is_repeat
    grade = np.where(has_grade, ranking.truth.grade[articles.pair], NOT_POOLED)
    if judged_only:
        rows = np.flatnonzero(grade >= 0)
        articles, grade = articles.rows(rows), grade[rows]
    judged, begin = _best_first(ranking.truth)
    return GradedRanking(ranking=articles, grade=grade, judged=judged, judged_begin=begin)


@once
def _best_first(truth: GroundTruth) -> tuple[Ints, Ints]:
    """Return the grades of judged documents by topic, the highest first, and where topics begin."""
    return truth.grade[np.lexsort((-truth.grade, truth.topic))], truth.pair_begin
