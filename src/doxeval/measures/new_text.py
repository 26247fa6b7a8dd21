"""How much each piece of relevant text is worth, by the needs that it answers.

A character of a need with one range is worth the need's grade, divided by the highest grade of the
topic; text that several such needs share counts once, by the highest grade. A need with
alternatives is worth its grade times the length of its shortest alternative; it is answered as far
as the alternative of which the largest share is shown. If every need has one range and all weigh
the same, what is wanted is just the highlighted text, counted in whole numbers.

What readers of a ranked list gain, piece by piece: new text that answers needs.

Pieces are in the order of reading. Each belongs to a result and to one of its ranges; each of its
characters gains the same. All measures of chunks, and those of highlighted characters where needs
have grades or alternatives, are made of these pieces.

A need with alternatives is answered by the one of which the largest share has been shown so far:
after each result for measures of ranks, after each character or word for measures of budgets.
Recall grows as this share does. Precision and IoU are not about shares but about characters: there
the alternative of which the largest share is shown (of equal ones the shorter, then the first in
document order) stands as if it were the only one, and which one that is may change from result to
result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Floats, Ints
from doxeval.assessments import Needs
from doxeval.measures.ground_truth import rows_by_key
from doxeval.spans import TOO_LONG, Shared, Spans, new_pieces, shared_pieces

if TYPE_CHECKING:
    from doxeval.measures.ranking import Ranking

Numbers = npt.NDArray[Any]


class Wanted(NamedTuple):
    """What is wanted: text that is worth something by itself, and needs with alternatives.

    text, worth: disjoint ranges by judged pair, and what a character there is worth.
    several: the needs with alternatives. weight: what each need is worth as a whole (of those with
    alternatives). total: what all is worth, by topic. is_plain: everything is worth 1.
    """

    text: Spans
    worth: Floats
    several: Ints
    weight: Floats
    total: Numbers
    is_plain: bool


def wanted_of(needs: Needs, highlights: Spans, highlighted: Ints, topics: int) -> Wanted:
    """What needs want; `highlighted` is the number of highlighted characters of each topic."""
    highest = np.zeros(topics)
    np.maximum.at(highest, needs.topic, needs.grade)
    relative = needs.grade / highest[needs.topic]
    several = np.flatnonzero(needs.has_alternatives)
    if not len(several) and (relative == 1).all():
        ones = np.ones(len(highlights.group))
        return Wanted(highlights, ones, several, np.zeros(0), highlighted, True)
    single = needs.begin[np.flatnonzero(~needs.has_alternatives)]
    spans = Spans(needs.pair[single], needs.start[single], needs.end[single])
    text, worth = _disjoint(spans, relative[~needs.has_alternatives])
    total = np.zeros(topics)
    topic_of_pair = np.zeros(int(needs.pair.max(initial=-1)) + 1, dtype=np.int64)
    topic_of_pair[needs.pair] = needs.topic[needs.owner]
    np.add.at(total, topic_of_pair[text.group], worth * text.lengths())
    shortest = needs.begin[several]
    weight = relative[several] * (needs.end[shortest] - needs.start[shortest])
    np.add.at(total, needs.topic[several], weight)
    return Wanted(text, worth, several, weight, total, False)


def _disjoint(spans: Spans, worth: Floats) -> tuple[Spans, Floats]:
    """The ranges cut at each other's edges, each piece with the highest worth there."""
    found = list(_pieces(spans, worth))
    columns = np.array([piece[:3] for piece in found], dtype=np.int64).reshape(-1, 3).T
    return Spans(*columns), np.array([piece[3] for piece in found], dtype=np.float64)


def _pieces(spans: Spans, worth: Floats) -> Iterator[tuple[int, int, int, float]]:
    for group in np.unique(spans.group).tolist():
        own = np.flatnonzero(spans.group == group)
        start, end, value = spans.start[own], spans.end[own], worth[own]
        for begin, after in pairwise(np.unique(np.concatenate([start, end])).tolist()):
            covering = (start <= begin) & (end >= after)
            if covering.any():
                yield group, begin, after, float(value[covering].max())


_SAME = 1e-12  # steps of a share that differ by less are the same


class NewText(NamedTuple):
    """Relevant text that no earlier result has, in the order of reading.

    row: the result. piece: the range of the result that it is part of, by its number among all
    ranges of all results. text: the new ranges, grouped by judged pair.
    """

    row: Ints
    piece: Ints
    text: Spans


class Gained(NamedTuple):
    """Pieces of new text that gain something, in the order of reading.

    row, piece: as in NewText. start, end: in the document. gain: of each character, out of what is
    wanted.
    """

    row: Ints
    piece: Ints
    start: Ints
    end: Ints
    gain: Floats

    @property
    def length(self) -> Ints:
        """The number of characters of each piece."""
        return self.end - self.start

    def of_rows(self, rows: int) -> Floats:
        """Return what the characters of each result gain together."""
        found = np.zeros(rows)
        np.add.at(found, self.row, self.gain * self.length)
        return found


def new_text(rows: Ints, piece: Ints, text: Spans) -> NewText:
    """The new text of ranges that are given in the order of reading, with rows and numbers."""
    which, new = new_pieces(text)
    return NewText(rows[which], piece[which], new)


def gained(ranking: Ranking) -> Gained:
    """What the new text of a ranking gains."""
    new, wanted = ranking.new_text, ranking.truth.wanted
    single = shared_pieces(new.text, wanted.text)
    worth = wanted.worth[single.other]
    parts = [Gained(new.row[single.row], new.piece[single.row], single.start, single.end, worth)]
    if len(wanted.several):
        parts.append(_of_alternatives(ranking))
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    found = Gained(*columns)
    order = np.lexsort((found.start, found.piece, found.row))
    return Gained(*(column[order] for column in columns))


def shown_alternatives(ranking: Ranking) -> Shared:
    """The new text of each alternative: which alternative, which new range, and what.

    New ranges do not overlap, so they can be looked up by the alternatives, which may.
    """
    text, needs = ranking.new_text.text, ranking.truth.needs
    order = np.lexsort((text.start, text.group))
    in_order = Spans(*(column[order] for column in text))
    rows = ranking.alternatives
    shared = shared_pieces(Spans(needs.pair[rows], needs.start[rows], needs.end[rows]), in_order)
    return shared._replace(row=rows[shared.row], other=order[shared.other])


class _Part(NamedTuple):
    """What a range of new text shows of an alternative."""

    alternative: int
    start: int
    end: int


def _of_alternatives(ranking: Ranking) -> Gained:
    """What needs with alternatives gain: as the largest share shown of one of them grows."""
    new, needs, wanted = ranking.new_text, ranking.truth.needs, ranking.truth.wanted
    shown = shown_alternatives(ranking)
    need = needs.owner[shown.row]
    worth = dict(zip(wanted.several.tolist(), wanted.weight.tolist(), strict=True))
    relevant = np.flatnonzero(np.isin(need, wanted.several))
    order = np.lexsort((new.text.start[shown.other], new.row[shown.other], need))
    parts: dict[tuple[int, int], list[_Part]] = {}
    columns = (need, shown.other, shown.row, shown.start, shown.end)
    chosen = order[np.isin(order, relevant)]
    for own, place, *part in zip(*(one[chosen].tolist() for one in columns), strict=True):
        parts.setdefault((own, place), []).append(_Part(*part))
    length = needs.end - needs.start
    growing: dict[int, _Growing] = {}
    pieces: list[tuple[int, int, int, int]] = []
    gains: list[float] = []
    for (own, place), several in parts.items():
        state = growing.setdefault(own, _Growing(length))
        for start, end, share in state.shown(several):
            pieces.append((int(new.row[place]), int(new.piece[place]), start, end))
            gains.append(share * worth[own])
    row, piece, start_, end_ = np.array(pieces, dtype=np.int64).reshape(-1, 4).T
    return Gained(row, piece, start_, end_, np.array(gains, dtype=np.float64))


class _Growing:
    """How much of each alternative of a need was shown, and the largest share of them."""

    def __init__(self, length: Ints) -> None:
        self._length = length
        self._seen: dict[int, int] = {}
        self._most = 0.0

    def shown(self, parts: Sequence[_Part]) -> Iterator[tuple[int, int, float]]:
        """Show a range of new text: pieces of it, and how much each character adds to the share."""
        edges = sorted({edge for part in parts for edge in part[1:]})
        for start, end in pairwise(edges):
            around = [one.alternative for one in parts if one.start <= start and end <= one.end]
            if around:
                yield from self._advanced(start, end, around)

    def _advanced(
        self, start: int, end: int, alternatives: Sequence[int]
    ) -> Iterator[tuple[int, int, float]]:
        count = np.arange(1, end - start + 1)
        sizes = np.array([int(self._length[one]) for one in alternatives])
        seen = np.array([self._seen.get(one, 0) for one in alternatives])
        shares = (seen[:, None] + count) / sizes[:, None]
        most = np.maximum(shares.max(axis=0), self._most)
        growth = np.diff(most, prepend=self._most)
        edges = np.flatnonzero(np.abs(np.diff(growth)) > _SAME) + 1
        for begin, after in pairwise([0, *edges.tolist(), len(count)]):
            if growth[begin] > _SAME:
                mean = float(growth[begin:after].mean())
                yield start + begin, start + after, mean
        self._most = float(most[-1])
        self._seen.update({one: self._seen.get(one, 0) + end - start for one in alternatives})


class BestShown(NamedTuple):
    """What all results up to each one show, each need having only its best-shown alternative.

    shown: the relevant characters shown, by their worth. total: all relevant characters.
    """

    shown: Floats
    total: Floats


def best_shown(ranking: Ranking) -> BestShown:
    """Return what is shown up to each result, and what there is to be shown."""
    truth = ranking.truth
    wanted = truth.wanted
    found = BestShown(
        ranking.cumulated(ranking.new_wanted).astype(np.float64),
        wanted.total[ranking.topic].astype(np.float64),
    )
    if not len(wanted.several):
        return found
    begin, edges = ranking.begin.tolist(), np.searchsorted(wanted.text.group, truth.pair_begin)
    needs, new = truth.needs, ranking.new_text
    of_topics = rows_by_key(needs.topic[wanted.several])
    row_of, new_keys = new.row.tolist(), _keyed(new.text, np.zeros(len(new.row)))
    for topic in ranking.topics.tolist():
        if topic not in of_topics:
            continue
        own = slice(*edges[topic : topic + 2])
        single = _keyed(Spans(*(column[own] for column in wanted.text)), wanted.worth[own])
        highest = needs.grade[truth.need_begin[topic] : truth.need_begin[topic + 1]].max()
        several = []
        for need in wanted.several[of_topics[topic]].tolist():
            rows = slice(*needs.begin[need : need + 2])
            text = Spans(needs.pair[rows], needs.start[rows], needs.end[rows])
            worth = np.full(len(text.group), needs.grade[need] / highest)
            several.append(_keyed(text, worth))
        gold = _Gold(single, several)
        at, end = begin[topic], begin[topic + 1]
        place, last = bisect_left(row_of, at), bisect_left(row_of, end)
        while at < end:
            row = row_of[place] if place < last else end
            found.shown[at:row], found.total[at:row] = gold.shown, gold.total
            after = bisect_right(row_of, row, place, last)
            gold.show(new_keys[place:after])
            at, place = row, after
    return found


class _Valued(NamedTuple):
    """A range of text, document and offset as one number, and what each character is worth."""

    start: int
    end: int
    worth: float


def _keyed(text: Spans, worth: Floats) -> list[_Valued]:
    start, end = ((text.group * TOO_LONG + one).tolist() for one in (text.start, text.end))
    return list(map(_Valued, start, end, worth.tolist()))


class _Gold:
    """The gold of a topic, of which each need has only its best-shown alternative.

    The text is cut into segments at the edges of all needs, so that a need has a segment whole or
    not at all. The worth of a segment is the highest of the needs that have it now.
    """

    def __init__(self, single: Sequence[_Valued], several: Sequence[Sequence[_Valued]]) -> None:
        self._all = [*single, *(one for own in several for one in own)]
        self._edges = sorted({edge for one in self._all for edge in one[:2]})
        place = {edge: number for number, edge in enumerate(self._edges)}
        self._segments = [range(place[one.start], place[one.end]) for one in self._all]
        self._spans: list[list[int]] = [[] for _ in self._edges]  # of each segment
        for span, segments in enumerate(self._segments):
            for segment in segments:
                self._spans[segment].append(span)
        at = len(single)
        self._needs: list[range] = []  # the alternatives of each need
        for own in several:
            self._needs.append(range(at, at + len(own)))
            at += len(own)
        # What counts at present: all text without alternatives, and the first of each need.
        self._chosen = [own[0] for own in self._needs]
        self._counts = [span < len(single) for span in range(at)]
        for span in self._chosen:
            self._counts[span] = True
        self._seen = [0] * at
        self._seen_of_segment = [0] * len(self._edges)
        self._worth_of_segment = [0.0] * len(self._edges)
        self.shown = self.total = 0.0
        self._weigh(range(len(self._edges)))

    def _weigh(self, segments: Iterable[int]) -> None:
        """Bring the worth of segments up to date."""
        for segment in segments:
            spans = self._spans[segment]
            worth = max((self._all[one].worth for one in spans if self._counts[one]), default=0.0)
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
                for span in self._spans[segment]:
                    self._seen[span] += until - at
                at, segment = until, segment + 1
        for need, spans in enumerate(self._needs):
            best = spans[0]
            for span in spans[1:]:  # the shorter ones are first
                if self._seen[span] * self._length(best) > self._seen[best] * self._length(span):
                    best = span
            before = self._chosen[need]
            if best != before:
                self._chosen[need] = best
                self._counts[before], self._counts[best] = False, True
                self._weigh(self._segments[before])
                self._weigh(self._segments[best])

    def _length(self, span: int) -> int:
        return self._all[span].end - self._all[span].start
