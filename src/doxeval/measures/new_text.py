"""What relevant text is worth, and what readers of a ranked list gain: text they have not seen.

Which text is relevant is up to the ground truth: its highlights, and its needs with their
alternatives. Which of it is new in a list is up to `Ranking.new_text`. Here both come together.

Worth comes from needs. A character of a need with one span is worth the need's grade, divided by
the highest grade of the topic; text that several such needs share counts once, by the highest
grade. A need with alternatives is worth its grade times the length of its shortest alternative. If
every need has one span and all weigh the same, relevant text is just the highlighted text, counted
in whole numbers (`is_plain`).

Gains come piece by piece, in the order of reading. Each piece belongs to a result; each of its
characters gains the same. All measures of chunks, and those of highlighted
characters where needs have grades or alternatives, are made of these pieces.

A need with alternatives is answered by the one of which the largest share has been shown so far:
after each result for measures of ranks, after each character or word for measures of budgets.
Recall grows as this share does. Precision and IoU are not about shares but about characters: there
the alternative of which the largest share is shown (of equal ones the shorter, then the first in
document order) stands as if it were the only one, and which one that is may change from result to
result (`best_shown`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints, rows_by_key, sum_by_group
from doxeval.assessments import Needs
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth, rows_of_topics
from doxeval.measures.ranking import Numbers, Ranking
from doxeval.spans import TOO_LONG, SharedText, Spans, shared_parts

_SAME = 1e-12  # steps of a share that differ by less are the same


# What relevant text is worth


class RelevanceWeights(NamedTuple):
    """What relevant text is worth: text that counts by itself, and needs with alternatives.

    text, worth: disjoint spans by judged pair, and what a character there is worth.
    several: the needs with alternatives. weight: what each of these is worth as a whole.
    total: what everything is worth, by topic. is_plain: every character is worth 1.
    """

    text: Spans
    worth: Floats
    several: Ints
    weight: Floats
    total: npt.NDArray[Any]  # whole numbers if it is plain, else fractions
    is_plain: bool


def relevance_weights(truth: GroundTruth) -> RelevanceWeights:
    """Return what the text of needs is worth."""
    needs, topics = truth.needs, len(truth.topics)
    highest = np.zeros(topics)
    np.maximum.at(highest, needs.topic, needs.grade)
    relative = needs.grade / highest[needs.topic]
    several = np.flatnonzero(needs.has_alternatives)
    if not len(several) and (relative == 1).all():
        text, total = truth.highlights, truth.relevant_characters
        return RelevanceWeights(text, np.ones(len(text.group)), several, np.zeros(0), total, True)
    single = ~needs.has_alternatives[needs.need]
    spans = Spans(needs.pair[single], needs.start[single], needs.end[single])
    text, worth = _disjoint(spans, relative[needs.need[single]])
    weight = relative[several] * needs.size[needs.begin[several]]
    total = sum_by_group(truth.topic[text.group], worth * text.lengths(), topics)
    np.add.at(total, needs.topic[several], weight)
    return RelevanceWeights(text, worth, several, weight, total, False)


def _disjoint(spans: Spans, worth: Floats) -> tuple[Spans, Floats]:
    """Split spans at each other's edges; what remains has the highest worth there."""
    parts: list[tuple[int, int, int]] = []
    highest: list[float] = []
    for group, rows in rows_by_key(spans.group).items():
        start, end, value = spans.start[rows], spans.end[rows], worth[rows]
        for begin, after in pairwise(sorted({*start.tolist(), *end.tolist()})):
            covering = (start <= begin) & (end >= after)
            if covering.any():
                parts.append((group, begin, after))
                highest.append(float(value[covering].max()))
    return Spans.of(parts), np.array(highest, dtype=np.float64)


# What readers gain


class NewRelevantText(NamedTuple):
    """Pieces of new text that gain something, in the order of reading.

    row: the result. start, end: in the document. gain: of each character.
    """

    row: Ints
    start: Ints
    end: Ints
    gain: Floats

    @property
    def length(self) -> Ints:
        """The number of characters of each piece."""
        return self.end - self.start


@once
def new_relevant_text(ranking: Ranking) -> NewRelevantText:
    """Return what the new text of a ranking gains."""
    (row, text), weights = ranking.new_text, ranking.truth.relevance_weights
    single = shared_parts(text, weights.text)
    worth = weights.worth[single.other]
    parts = [NewRelevantText(row[single.row], single.start, single.end, worth)]
    if len(weights.several):
        parts.append(_text_of_alternatives(ranking))
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.lexsort((columns[1], columns[0]))
    return NewRelevantText(*(column[order] for column in columns))


@once
def new_gain(ranking: Ranking) -> Numbers:
    """Return what each result gains: its new relevant text by its worth."""
    if ranking.truth.relevance_weights.is_plain:
        return ranking.new_relevant
    new = new_relevant_text(ranking)
    return sum_by_group(new.row, new.gain * new.length, len(ranking))


def needed_spans_to_score(ranking: Ranking) -> Ints:
    """Return the rows of the spans of all needs of the topics to score."""
    needs = ranking.truth.needs
    begin = needs.first[needs.begin[ranking.truth.need_begin]]
    return np.arange(begin[-1])[rows_of_topics(begin, ranking.topics)]


def shown_alternatives(ranking: Ranking) -> SharedText:
    """Return the new text of each alternative: which alternative, which new span, and what.

    New spans do not overlap, so they can be looked up by the alternatives, which may.
    """
    text, needs = ranking.new_text.text, ranking.truth.needs
    order = np.lexsort((text.start, text.group))
    in_order = Spans(*(column[order] for column in text))
    rows = needed_spans_to_score(ranking)
    shared = shared_parts(Spans(needs.pair[rows], needs.start[rows], needs.end[rows]), in_order)
    return shared._replace(row=needs.alternative[rows[shared.row]], other=order[shared.other])


class ShownPart(NamedTuple):
    """A span that is shown of an alternative of a need, by its number."""

    alternative: int
    start: int
    end: int


def _text_of_alternatives(ranking: Ranking) -> NewRelevantText:
    """Return what needs with alternatives gain, as the largest share shown of one grows."""
    (row, text), needs = ranking.new_text, ranking.truth.needs
    weights = ranking.truth.relevance_weights
    shown = shown_alternatives(ranking)
    need = needs.owner[shown.row]
    order = np.lexsort((text.start[shown.other], row[shown.other], need))
    order = order[np.isin(need[order], weights.several)]
    parts: dict[tuple[int, int], list[ShownPart]] = {}
    columns = (need, shown.other, shown.row, shown.start, shown.end)
    for number, at, *part in zip(*(column[order].tolist() for column in columns), strict=True):
        parts.setdefault((number, at), []).append(ShownPart(*part))
    weight = dict(zip(weights.several.tolist(), weights.weight.tolist(), strict=True))
    shares: dict[int, _LargestShare] = {}
    grown: list[tuple[int, int, int]] = []
    gains: list[float] = []
    for (number, at), shown_parts in parts.items():
        largest = shares.setdefault(number, _LargestShare(needs))
        for start, end, share in largest.show(shown_parts):
            grown.append((int(row[at]), start, end))
            gains.append(share * weight[number])
    rows, starts, ends = np.array(grown, dtype=np.int64).reshape(-1, 3).T
    return NewRelevantText(rows, starts, ends, np.array(gains, dtype=np.float64))


class _LargestShare:
    """The largest share that has been shown of an alternative of a need."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs
        self._seen: dict[int, int] = {}  # characters of each alternative
        self._share = 0.0

    def show(self, parts: Sequence[ShownPart]) -> Iterator[tuple[int, int, float]]:
        """Show a span of new text; yield its pieces and what each character adds to the share."""
        edges = sorted({edge for part in parts for edge in part[1:]})
        for start, end in pairwise(edges):
            around = [part.alternative for part in parts if part.start <= start and end <= part.end]
            if around:
                yield from self._advance(start, end, around)

    def _advance(
        self, start: int, end: int, alternatives: Sequence[int]
    ) -> Iterator[tuple[int, int, float]]:
        count = np.arange(1, end - start + 1)
        largest = np.full(len(count) + 1, self._share)
        for at in alternatives:
            size = int(self._needs.size[at])
            share = (self._seen.get(at, 0) + count) / size
            np.maximum(largest[1:], share, out=largest[1:])
        growth = largest[1:] - largest[:-1]
        edges = (np.abs(growth[1:] - growth[:-1]) > _SAME).nonzero()[0] + 1
        for begin, after in pairwise([0, *edges.tolist(), len(count)]):
            if growth[begin] > _SAME:
                yield start + begin, start + after, float(growth[begin:after].mean())
        self._share = float(largest[-1])
        self._seen.update({at: self._seen.get(at, 0) + end - start for at in alternatives})


# What is shown if each need has only its best-shown alternative


class BestShown(NamedTuple):
    """What all results up to each one show, each need having only its best-shown alternative.

    shown: the relevant characters shown, by their worth. total: all relevant characters.
    """

    shown: Floats
    total: Floats


@once
def best_shown(ranking: Ranking) -> BestShown:
    """Return what is shown up to each result, and what there is to be shown."""
    truth, weights = ranking.truth, ranking.truth.relevance_weights
    best = BestShown(
        ranking.cumulated(new_gain(ranking)).astype(np.float64),
        weights.total[ranking.topic].astype(np.float64),
    )
    if not len(weights.several):
        return best
    begin, row_of = ranking.begin.tolist(), ranking.new_text.row.tolist()
    new_text = _valued(ranking.new_text.text, np.zeros(len(row_of)))
    edges = np.searchsorted(weights.text.group, truth.pair_begin)
    needs_of_topics = rows_by_key(truth.needs.topic[weights.several])
    for topic in ranking.topics.tolist():
        if topic not in needs_of_topics:
            continue
        rows = slice(*edges[topic : topic + 2])
        single = _valued(Spans(*(column[rows] for column in weights.text)), weights.worth[rows])
        gold = _Gold(single, _alternatives(truth, topic, needs_of_topics[topic]))
        at, end = begin[topic], begin[topic + 1]
        place, last = bisect_left(row_of, at), bisect_left(row_of, end)
        while at < end:
            row = row_of[place] if place < last else end
            best.shown[at:row], best.total[at:row] = gold.shown, gold.total
            after = bisect_right(row_of, row, place, last)
            gold.show(new_text[place:after])
            at, place = row, after
    return best


class _Valued(NamedTuple):
    """A span of text, document and offset as one number, and what each character is worth."""

    start: int
    end: int
    worth: float


def _valued(text: Spans, worth: Floats) -> list[_Valued]:
    start, end = ((text.group * TOO_LONG + edge).tolist() for edge in (text.start, text.end))
    return list(map(_Valued, start, end, worth.tolist()))


def _alternatives(truth: GroundTruth, topic: int, several: Ints) -> list[list[list[_Valued]]]:
    """Return the spans of the alternatives of each need of a topic that has several."""
    needs = truth.needs
    highest = needs.grade[truth.need_begin[topic] : truth.need_begin[topic + 1]].max()
    alternatives = []
    for need in truth.relevance_weights.several[several].tolist():
        edges = needs.first[needs.begin[need] : needs.begin[need + 1] + 1].tolist()
        rows = slice(edges[0], edges[-1])
        text = Spans(needs.pair[rows], needs.start[rows], needs.end[rows])
        spans = _valued(text, np.full(len(text.group), needs.grade[need] / highest))
        alternatives.append(
            [spans[at - edges[0] : after - edges[0]] for at, after in pairwise(edges)]
        )
    return alternatives


class _Gold:
    """The gold of a topic, of which each need has only its best-shown alternative.

    The edges of all needs split the text into segments, so that a need has a segment whole or not
    at all. The worth of a segment is the highest of the needs that have it now. What is counted as
    one, text by itself or an alternative, is called a text here; it has one or more spans.
    """

    def __init__(
        self, single: Sequence[_Valued], several: Sequence[Sequence[Sequence[_Valued]]]
    ) -> None:
        texts = [*([span] for span in single), *(text for need in several for text in need)]
        self._edges = sorted({edge for text in texts for span in text for edge in span[:2]})
        place = {edge: number for number, edge in enumerate(self._edges)}
        self._worth = [text[0].worth for text in texts]
        self._length = [sum(span.end - span.start for span in text) for text in texts]
        self._segments = [
            [at for span in text for at in range(place[span.start], place[span.end])]
            for text in texts
        ]
        self._texts: list[list[int]] = [[] for _ in self._edges]  # of each segment
        for text, segments in enumerate(self._segments):
            for segment in segments:
                self._texts[segment].append(text)
        at = len(single)
        self._needs: list[range] = []  # the alternatives of each need
        for alternatives in several:
            self._needs.append(range(at, at + len(alternatives)))
            at += len(alternatives)
        # What counts at present: all text without alternatives, and the first of each need.
        self._chosen = [alternatives[0] for alternatives in self._needs]
        self._counts = [text < len(single) for text in range(at)]
        for text in self._chosen:
            self._counts[text] = True
        self._seen = [0] * at
        self._seen_of_segment = [0] * len(self._edges)
        self._worth_of_segment = [0.0] * len(self._edges)
        self.shown = self.total = 0.0
        self._weigh(range(len(self._edges)))

    def _weigh(self, segments: Iterable[int]) -> None:
        """Bring the worth of segments up to date."""
        for segment in segments:
            texts = self._texts[segment]
            worth = max((self._worth[text] for text in texts if self._counts[text]), default=0.0)
            more = worth - self._worth_of_segment[segment]
            if more:
                self._worth_of_segment[segment] = worth
                self.shown += more * self._seen_of_segment[segment]
                self.total += more * (self._edges[segment + 1] - self._edges[segment])

    def show(self, new: Iterable[_Valued]) -> None:
        """Show new text, and choose the best-shown alternatives again."""
        for at, stop, _ in new:
            segment = bisect_right(self._edges, at) - 1
            while at < stop:
                until = min(self._edges[segment + 1], stop)
                self._seen_of_segment[segment] += until - at
                self.shown += self._worth_of_segment[segment] * (until - at)
                for text in self._texts[segment]:
                    self._seen[text] += until - at
                at, segment = until, segment + 1
        for need, alternatives in enumerate(self._needs):
            best = alternatives[0]
            for text in alternatives[1:]:  # the shorter ones are first
                if self._seen[text] * self._length[best] > self._seen[best] * self._length[text]:
                    best = text
            before = self._chosen[need]
            if best != before:
                self._chosen[need] = best
                self._counts[before], self._counts[best] = False, True
                self._weigh(self._segments[before])
                self._weigh(self._segments[best])
