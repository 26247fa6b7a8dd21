"""Passages of TREC Genomics 2006–07: average precision of characters, passages and aspects.

    cAP      = Σ precision at each new relevant character / all relevant characters
    pAP      = Σ precision in characters at each result that overlaps gold / (their number + missed)
    aspectAP = Σ new aspects · precision at each result with new aspects / all aspects

The judgments are gold passages, each with the aspects of the topic that it answers; here these are
needs and their spans. Gold passages are the same if document, offset and length are. A result that
overlaps several of them stands for the one that is listed first in the judgments; touching is no
overlap. What is returned twice is read twice, so duplicates are kept.

The track's fourth measure, for documents, is AP: a document with a gold passage is relevant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges, sum_by_group
from doxeval.measures.base import Example, Facts, Law, Measure, Need
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.spans import Spans, new_parts, shared_parts

_IN_2006 = "Hersh et al. 2006"
_IN_2007 = "Hersh et al. 2007"
_NEEDS = frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT})
_EDGES = "A topic without gold passages is undefined; an empty list scores 0. "
_LISTED = (
    "A result that overlaps several gold passages counts for the one listed first; touching is no "
    "overlap; grades of needs are not used."
)
_ASSESSMENTS = "7\td1\t0\t10\ta|b\n7\td1\t20\t10\tb\n7\td2\t5\t10\tc\n"
_RUN = "7 d1 1 5 20 run\n7 d3 2 0 10 run\n7 d2 3 0 20 run\n"
_WHY = (
    "The three results have 20, 10 and 20 characters; the first overlaps both gold passages of d1, "
    "the last that of d2. "
)


def _example(name: str, value: float, why: str) -> Example:
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN)


# Characters


@dataclass(frozen=True)
class CharacterAveragePrecision(Measure):
    """The mean, over all relevant characters, of the precision where each is first read."""

    name: ClassVar[str] = "cAP"
    facts: ClassVar[Facts] = Facts(
        "average precision in characters (passage2 MAP of TREC Genomics)",
        _IN_2007,
        "cAP = Σ hits/read at each new relevant character / |relevant characters|",
        _NEEDS,
        _EDGES + "A relevant character that was read before adds nothing; any other adds to what "
        "is read, each time it is returned.",
        _example(
            "cAP",
            (
                5
                + sum((5 + n) / (15 + n) for n in range(1, 6))
                + sum((10 + n) / (35 + n) for n in range(1, 11))
            )
            / 30,
            "Of 30 relevant characters, 5 are read at a precision of 1, 5 after 10 others "
            "(6/16 … 10/20), and 10 after 25 others (11/36 … 20/45).",
        ),
        laws=frozenset({Law.TAIL_IS_FREE, Law.NEEDS_MAY_BE_SPLIT, Law.RESULTS_MAY_BE_CUT}),
        repeats="keep",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision, from one new relevant span to the next."""
        row, text = ranking.text_in_relevant()
        relevant = shared_parts(text, ranking.highlights)
        part, new = new_parts(Spans(text.group[relevant.row], relevant.start, relevant.end))
        # What is not relevant is read again each time: that of earlier results, and what stands
        # before the relevant part in its own result.
        other = ranking.size - ranking.relevant
        in_result = _before(row, text.lengths())[relevant.row]
        in_result += relevant.start - text.start[relevant.row]
        in_result -= _before(row[relevant.row], relevant.end - relevant.start)
        result = row[relevant.row]
        others = (ranking.cumulated(other) - other)[result] + in_result
        hits = _before(ranking.topic[result[part]], new.lengths())
        precision = sum_of_precisions(hits, hits + others[part], new.lengths())
        topics = len(ranking.truth.topics)
        total = ranking.truth.relevant_characters
        return defined(
            ratio(sum_by_group(ranking.topic[result[part]], precision, topics), total), total
        )


def _before(owner: Ints, lengths: Ints) -> Ints:
    """Return the length of all earlier spans of the same owner, whose spans stand together.

    >>> _before(np.array([0, 0, 3, 3]), np.array([5, 2, 4, 1])).tolist()
    [0, 5, 0, 4]
    """
    before = np.cumsum(lengths) - lengths
    is_first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    return before - before[np.maximum.accumulate(np.where(is_first, np.arange(len(owner)), 0))]


_EXACT = 128  # reciprocals up to this one are added up, those behind it by Euler and Maclaurin
_HARMONIC = np.append(0.0, np.cumsum(1 / np.arange(1, _EXACT + 1)))


def sum_of_precisions(hits: Ints, read: Ints, length: Ints) -> Floats:
    """Return (hits+1)/(read+1) + … + (hits+length)/(read+length), without a loop.

    As (hits+j)/(read+j) = 1 − (read−hits)/(read+j), it is length − (read−hits)·(H(read+length) −
    H(read)), H being the harmonic numbers.

    >>> sums = sum_of_precisions(np.array([5]), np.array([15]), np.array([2]))
    >>> sums.round(12).tolist() == [round(6 / 16 + 7 / 17, 12)]
    True
    """
    last = read + length
    small = _HARMONIC[np.minimum(last, _EXACT)] - _HARMONIC[np.minimum(read, _EXACT)]
    begin, end = (np.maximum(edge, _EXACT).astype(np.float64) for edge in (read, last))
    step = end - begin
    large = (
        np.log1p(step / begin)
        - step / (2 * begin * end)
        + (begin**-2 - end**-2) / 12
        - (begin**-4 - end**-4) / 120
    )
    sums: Floats = length - (read - hits) * (small + large)
    return sums


# Gold passages


class GoldPassages(NamedTuple):
    """The gold passages of all topics, by judged pair and in the order in which they are listed.

    spans: grouped by pair. aspects: the needs that passages answer, those of the first passage
    first; begin: where those of each passage begin, one more than there are passages.
    """

    spans: Spans
    aspects: Ints
    begin: Ints


@once
def gold_passages(truth: GroundTruth) -> GoldPassages:
    """Return the spans of needs, each once, with all needs that it answers."""
    needs = truth.needs
    order = np.lexsort((needs.listed, needs.pair))
    spans = np.stack([needs.pair, needs.start, needs.end])[:, order]
    distinct, first, number = np.unique(spans, axis=1, return_index=True, return_inverse=True)
    listed = np.argsort(first)
    place = np.empty(len(listed), dtype=np.int64)
    place[listed] = np.arange(len(listed))
    passage = place[number.reshape(-1)]
    by_passage = np.argsort(passage, kind="stable")
    begin = np.searchsorted(passage[by_passage], np.arange(len(listed) + 1))
    return GoldPassages(Spans(*distinct[:, listed]), needs.need[order][by_passage], begin)


class GoldOverlap(NamedTuple):
    """For each result, the gold passage that it stands for, -1 if none, and how much it has of it.

    characters: those that it shares with the passage.
    """

    passage: Ints
    characters: Ints

    @property
    def is_hit(self) -> Bools:
        """Whether each result overlaps a gold passage."""
        return self.passage >= 0


@once
def gold_overlap(ranking: Ranking) -> GoldOverlap:
    """Return the first listed of the gold passages that each result overlaps."""
    spans = gold_passages(ranking.truth).spans
    # Each passage in turn takes what no earlier one has, so text belongs to the first listed.
    passage, parts = new_parts(spans)
    order = np.lexsort((parts.start, parts.group))
    row, text = ranking.text_in_relevant()
    shared = shared_parts(text, Spans(*(column[order] for column in parts)))
    filled = np.flatnonzero(shared.end > shared.start)
    none = len(spans.start)
    first: Ints = np.full(len(ranking), none, dtype=np.int64)
    np.minimum.at(first, row[shared.row[filled]], passage[order][shared.other[filled]])
    hits = np.flatnonzero(first[row] < none)
    of_hit = first[row[hits]]
    start = np.maximum(text.start[hits], spans.start[of_hit])
    end = np.minimum(text.end[hits], spans.end[of_hit])
    characters = sum_by_group(row[hits], np.maximum(end - start, 0), len(ranking))
    return GoldOverlap(np.where(first < none, first, -1), characters)


# Passages


@dataclass(frozen=True)
class PassageAveragePrecision(Measure):
    """The mean of the precision in characters at results that overlap gold; 0 for missed gold."""

    name: ClassVar[str] = "pAP"
    facts: ClassVar[Facts] = Facts(
        "average precision of passages (passage MAP of TREC Genomics 2006)",
        _IN_2006,
        "pAP = Σ (Σ overlap / Σ length) at each result with overlap / (|such results| + |missed|)",
        _NEEDS,
        _EDGES
        + _LISTED
        + " Text that is returned twice counts twice, as overlap and as length. Missed are the "
        "gold passages for which no result counts.",
        _example(
            "pAP",
            (5 / 20 + 15 / 50) / 3,
            "The first shares 5 of its 20 characters with the passage listed first, the last adds "
            "10: (5/20 + 15/50) / (2 + 1), as no result counts for the second passage of d1.",
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        truth, overlap = ranking.truth, gold_overlap(ranking)
        pair = gold_passages(truth).spans.group
        read = ranking.cumulated(ranking.size)
        precision = overlap.is_hit * ratio(ranking.cumulated(overlap.characters), read)
        met = np.unique(overlap.passage[overlap.is_hit])
        topics = len(truth.topics)
        total = np.bincount(truth.topic[pair], minlength=topics)
        missed = total - np.bincount(truth.topic[pair[met]], minlength=topics)
        hits = ranking.sums(overlap.is_hit.astype(np.int64))
        return defined(ratio(ranking.sums(precision), hits + missed), total)


# Aspects


@dataclass(frozen=True)
class AspectAveragePrecision(Measure):
    """The mean, over all aspects, of the precision at the result that first shows each."""

    name: ClassVar[str] = "aspectAP"
    facts: ClassVar[Facts] = Facts(
        "average precision of aspects (aspect MAP of TREC Genomics)",
        _IN_2006,
        "aspectAP = Σ new·hits/read at each result with new aspects / |aspects|",
        _NEEDS,
        _EDGES
        + _LISTED
        + " A result adds 1 to hits and to read if it has new aspects, nothing if it has only old "
        "ones, else 1 to read. Text without a stated aspect is one by itself.",
        _example(
            "aspectAP",
            (2 * 1 + 1 * 2 / 3) / 3,
            "The first shows a and b at a precision of 1/1, the last c at 2/3: (2·1 + 1·2/3) / 3.",
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of precision."""
        overlap, needs = gold_overlap(ranking), ranking.truth.needs
        _, aspects, begin = gold_passages(ranking.truth)
        hits = np.flatnonzero(overlap.is_hit)
        of_hit = overlap.passage[hits]
        counts = np.diff(begin)[of_hit]
        shown = aspects[concatenated_ranges(begin[of_hit], counts)]
        _, first = np.unique(shown, return_index=True)
        new = np.bincount(np.repeat(hits, counts)[first], minlength=len(ranking))
        is_new = new > 0
        precision = new * ratio(
            ranking.cumulated(is_new.astype(np.int64)),
            ranking.cumulated((is_new | ~overlap.is_hit).astype(np.int64)),
        )
        total = np.bincount(needs.topic, minlength=len(ranking.truth.topics))
        return defined(ratio(ranking.sums(precision), total), total)
