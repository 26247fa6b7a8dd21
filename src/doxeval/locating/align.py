"""One place for each chunk in the dense text: by tiling, by alignment, or by counting.

Chunks follow each other: starts never fall and ends never fall. Of all choices that obey this, the
best leave the fewest non-space characters uncovered: before the first chunk, between chunks, and
after the last one. A chunk with a single place is an anchor, and a chunk between two anchors stands
between them, which usually leaves one place for it, so it becomes an anchor, too. What is left is
chosen by dynamic programming in both directions. A chunk is ambiguous if it has two places among
the best choices. It then gets the place whose overlap with the chunk before is nearest to the usual
one, or else the first. Chunks that form a tree are aligned level by level.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.errors import InputError
from doxeval.locating.occurrences import Occurrences, most_places, occurrences
from doxeval.locating.text import DenseText, DenseTexts


@dataclass(frozen=True, eq=False)
class PlaceCandidates:
    """The places that chunks may have, in the order of the chunks.

    Chunk i has the text number `text[i]` of `length[i]` non-space characters, and may stand at
    `position[low[i]:high[i]]`, which are ascending. `size` is the length of the document. `key` is
    text and position of each place as one number, so that all of them are ascending.
    """

    length: Ints
    text: Ints
    low: Ints
    high: Ints
    position: Ints
    key: Ints
    size: int

    @classmethod
    def of(cls, occurrences: Occurrences, text: Ints, length: Ints, size: int) -> PlaceCandidates:
        """Return all places of each chunk, given which text it has."""
        texts = np.repeat(np.arange(len(occurrences.counts)), occurrences.counts)
        key = texts * (size + 1) + occurrences.position
        low, high = occurrences.begin[text], occurrences.begin[text + 1]
        return cls(length, text, low, high, occurrences.position, key, size)

    def __len__(self) -> int:
        return len(self.length)

    def part(self, rows: Ints | slice) -> PlaceCandidates:
        """Return some of the chunks."""
        length, text, low, high = (
            column[rows] for column in (self.length, self.text, self.low, self.high)
        )
        return replace(self, length=length, text=text, low=low, high=high)

    @property
    def counts(self) -> Ints:
        """How many places each chunk may have."""
        return self.high - self.low

    def places(self, number: int) -> list[int]:
        """Return the places that one chunk may have."""
        places: list[int] = self.position[self.low[number] : self.high[number]].tolist()
        return places


def narrowed(candidates: PlaceCandidates) -> tuple[PlaceCandidates, int]:
    """Return the places that anchors leave, and the first chunk that cannot follow those before it.

    If all chunks can follow each other, that number is the number of chunks.
    """
    known = -1
    while True:
        anchors = candidates.counts == 1
        fallen = falls(candidates)
        if len(fallen):
            return candidates, int(fallen[0])
        if (now := int(anchors.sum())) == known:
            return candidates, len(candidates)
        known = now
        candidates = _between_anchors(candidates, anchors)
        empty = np.flatnonzero(candidates.counts <= 0)
        if len(empty):
            return candidates, max(int(empty[0]), 1)


def falls(candidates: PlaceCandidates) -> Ints:
    """Return the chunks with a single place that start or end before the last such chunk."""
    rows = np.flatnonzero(candidates.counts == 1)
    start = candidates.position[candidates.low[rows]]
    end = start + candidates.length[rows]
    return rows[1:][(np.diff(start) < 0) | (np.diff(end) < 0)]


def _between_anchors(candidates: PlaceCandidates, anchors: Bools) -> PlaceCandidates:
    """Return the places of all other chunks that lie between the anchors before and after them."""
    rows = np.flatnonzero(anchors)
    others = np.flatnonzero(~anchors)
    start = candidates.position[candidates.low[rows]]
    end = start + candidates.length[rows]
    # Before the first anchor is the beginning of the document, after the last one its end.
    start = np.concatenate([[0], start, [candidates.size]])
    end = np.concatenate([[0], end, [candidates.size]])
    before = np.cumsum(anchors)[others]
    length = candidates.length[others]
    least = np.maximum(start[before], end[before] - length)
    most = np.minimum(start[before + 1], end[before + 1] - length)
    base = candidates.text[others] * (candidates.size + 1)
    low, high = candidates.low.copy(), candidates.high.copy()
    low[others] = np.maximum(low[others], np.searchsorted(candidates.key, base + least))
    high[others] = np.minimum(
        high[others], np.searchsorted(candidates.key, base + most, side="right")
    )
    return replace(candidates, low=low, high=high)


Ends: TypeAlias = tuple[int, int]
_NEVER = 1 << 60


@dataclass(frozen=True)
class Stretch:
    """Chunks with several places each, and the anchors (start, end) before and after them.

    Without an anchor the stretch reaches to the beginning or the end of the document.
    """

    places: list[list[int]]
    lengths: list[int]
    given: list[int]
    before: Ends | None
    after: Ends | None
    size: int


@dataclass(frozen=True)
class Best:
    """The places of each chunk that belong to a best choice, and what is left uncovered after them.

    `left[i][j]` non-space characters stay uncovered after the end of chunk i at `places[i][j]`.
    """

    places: list[list[int]]
    left: list[list[int]]


def best_places(stretch: Stretch) -> Best | int:
    """Return the places of best choices, or the first chunk that cannot follow those before it."""
    forward = _uncovered_before(stretch.places, stretch.lengths, stretch.before)
    for number, costs in enumerate(forward):
        if min(costs) >= _NEVER:
            return number
    backward = _uncovered_after(stretch)
    places, left = [], []
    for at, before, after in zip(stretch.places, forward, backward, strict=True):
        total = [a + b for a, b in zip(before, after, strict=True)]
        least = min(total)
        if least >= _NEVER:  # the anchor at the end is the one that cannot follow
            return len(stretch.places)
        best = [j for j, cost in enumerate(total) if cost == least]
        places.append([at[j] for j in best])
        left.append([after[j] for j in best])
    return Best(places, left)


def _uncovered_before(
    places: list[list[int]], lengths: list[int], before: Ends | None
) -> list[list[int]]:
    """For each place, the fewest characters left uncovered between the first anchor and it."""
    start, end = before or (0, 0)
    previous, costs, width = [start], [0], end - start
    table = []
    for at, length in zip(places, lengths, strict=True):
        costs = _step(previous, costs, width, at, length)
        table.append(costs)
        previous, width = at, length
    return table


def _uncovered_after(stretch: Stretch) -> list[list[int]]:
    """For each place, the fewest characters left uncovered after it: the same, read backwards."""
    size = stretch.size
    mirrored = [
        [size - at - length for at in reversed(places)]
        for places, length in zip(stretch.places, stretch.lengths, strict=True)
    ]
    start, end = stretch.after or (size, size)
    costs = _uncovered_before(mirrored[::-1], stretch.lengths[::-1], (size - end, size - start))
    return [row[::-1] for row in costs[::-1]]


def _step(
    previous: list[int], costs: list[int], width: int, places: list[int], length: int
) -> list[int]:
    """Return costs of the places of a chunk from those of the chunk before, which is `width` long.

    A place before either ends at or before the new one, and leaves a gap, or overlaps it, and
    leaves none. Both kinds of places move on with the new place, so each is taken up once.
    """
    result = []
    apart = inside = 0  # places before these numbers were taken up
    least = _NEVER  # of the cost minus the end, over places that end before the new one starts
    window: deque[int] = deque()  # numbers of overlapping places, costs ascending
    for at in places:
        while apart < len(previous) and previous[apart] + width <= at:
            least = min(least, costs[apart] - previous[apart] - width)
            apart += 1
        last = min(at, at + length - width)
        while inside < len(previous) and previous[inside] <= last:
            while window and costs[window[-1]] >= costs[inside]:
                window.pop()
            window.append(inside)
            inside += 1
        while window and previous[window[0]] + width <= at:
            window.popleft()
        best = least + at if least < _NEVER // 2 else _NEVER
        if window and costs[window[0]] < best:
            best = costs[window[0]]
        result.append(min(best, _NEVER))
    return result


def traced(stretch: Stretch, best: Best, overlap: int) -> list[int]:
    """Choose best places: given ones first, then those with the usual overlap, then the first."""
    chosen: list[int] = []
    start, end = stretch.before or (0, 0)
    for number, (places, left) in enumerate(zip(best.places, best.left, strict=True)):
        length, given = stretch.lengths[number], stretch.given[number]
        known = number > 0 or stretch.before is not None
        options = [
            (max(at - end, 0) + after, at != given, abs(end - at - overlap) if known else 0, at)
            for at, after in zip(places, left, strict=True)
            if at >= start and at + length >= end
        ]
        start = min(options)[-1]
        end = start + length
        chosen.append(start)
    return chosen


# A stretch with more places than this is not searched in full: all of its chunks are ambiguous.
MOST_PLACES = 2_000_000


@dataclass(frozen=True, eq=False)
class Aligned:
    """The place of each chunk, whether others are as good, and how often the text was begun anew.

    `passes` is 1 if the chunks follow each other from the first to the last.
    """

    start: Ints
    ambiguous: Bools
    passes: int


def aligned(
    candidates: PlaceCandidates, given: Ints | None = None, most_passes: int | None = None
) -> Aligned:
    """Return places for chunks that all have candidates.

    Places in `given` (-1: none) are preferred to others that are as good. Where a chunk cannot
    follow those before it, the text is begun again; after more than `most_passes` passes nothing is
    searched any more, and the places mean nothing.
    """
    if given is None:
        given = np.full(len(candidates), -1, dtype=np.int64)
    start = np.zeros(len(candidates), dtype=np.int64)
    ambiguous = np.zeros(len(candidates), dtype=np.bool_)
    begin = passes = 0
    while begin < len(candidates) and (most_passes is None or passes <= most_passes):
        end = len(candidates)
        while True:
            rows = slice(begin, end)
            result = _one_pass(candidates.part(rows), given[rows])
            if not isinstance(result, int):
                break
            end = begin + result
        start[rows], ambiguous[rows] = result
        passes += 1
        if end < len(candidates) or begin > 0:
            ambiguous[rows] |= _loose(candidates.part(rows), begin > 0, end < len(candidates))
        begin = end
    return Aligned(start, ambiguous, passes)


def _loose(candidates: PlaceCandidates, at_begin: bool, at_end: bool) -> Bools:
    """Return which chunks may belong to the pass before or after: no anchor ties them to this."""
    anchors = np.flatnonzero(candidates.counts == 1)
    loose = np.zeros(len(candidates), dtype=np.bool_)
    first, last = (anchors[0], anchors[-1]) if len(anchors) else (len(candidates), -1)
    if at_begin:
        loose[:first] = True
    if at_end:
        loose[last + 1 :] = True
    return loose


def _one_pass(candidates: PlaceCandidates, given: Ints) -> tuple[Ints, Bools] | int:
    """Return places and ambiguity of chunks that follow each other, or the first that does not."""
    candidates, feasible = narrowed(candidates)
    if feasible < len(candidates):
        return feasible
    start = candidates.position[candidates.low].astype(np.int64)
    ambiguous = np.zeros(len(candidates), dtype=np.bool_)
    # Stretches with ambiguous chunks, and their best places, unless these are too many to be kept.
    open_stretches: list[tuple[int, int, Best | None]] = []
    kept = 0
    for begin, end in _open_runs(candidates.counts > 1):
        if int(candidates.counts[begin:end].sum()) > MOST_PLACES:
            ambiguous[begin:end] = True
            start[begin:end] = _one_after_another(candidates, begin, end)
            continue
        stretch = _stretch(candidates, given, begin, end)
        best = best_places(stretch)
        if isinstance(best, int):
            return max(begin + best, 1)
        ambiguous[begin:end] = [len(places) > 1 for places in best.places]
        start[begin:end] = [places[0] for places in best.places]
        if ambiguous[begin:end].any():
            kept += sum(map(len, best.places))
            open_stretches.append((begin, end, best if kept <= MOST_PLACES else None))
    overlap = usual_overlap(start, candidates.length, ambiguous)
    for begin, end, known in open_stretches:
        stretch = _stretch(candidates, given, begin, end)
        again = best_places(stretch) if known is None else known
        if not isinstance(again, int):
            start[begin:end] = traced(stretch, again, overlap)
    return start, ambiguous


def _open_runs(several: Bools) -> list[tuple[int, int]]:
    """Return the runs of chunks that have several places left."""
    edges = np.flatnonzero(np.diff(several, prepend=False, append=False))
    pairs: list[tuple[int, int]] = [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
    return pairs


def _stretch(candidates: PlaceCandidates, given: Ints, begin: int, end: int) -> Stretch:
    """Return the chunks of an open run between the anchors on both sides of it."""

    def anchor(number: int) -> Ends:
        start = int(candidates.position[candidates.low[number]])
        return start, start + int(candidates.length[number])

    return Stretch(
        [candidates.places(number) for number in range(begin, end)],
        candidates.length[begin:end].tolist(),
        given[begin:end].tolist(),
        anchor(begin - 1) if begin else None,
        anchor(end) if end < len(candidates) else None,
        candidates.size,
    )


def usual_overlap(start: Ints, length: Ints, ambiguous: Bools) -> int:
    """Return the median overlap of neighbours that are not ambiguous; negative for gaps."""
    overlap = (start + length)[:-1] - start[1:]
    known = overlap[~ambiguous[:-1] & ~ambiguous[1:]]
    return int(np.sort(known)[(len(known) - 1) // 2]) if len(known) else 0


def _one_after_another(candidates: PlaceCandidates, begin: int, end: int) -> list[int]:
    """Return places of chunks at equal distances, as far as they have such places."""
    chosen: list[int] = []
    first = int(candidates.position[candidates.low[begin]])
    room = int(candidates.position[candidates.high[end - 1] - 1]) - first
    last = reach = 0
    for number in range(begin, end):
        places = candidates.position[candidates.low[number] : candidates.high[number]]
        length = int(candidates.length[number])
        regular = first + room * (number - begin) // max(end - begin - 1, 1)
        row = int(np.searchsorted(places, max(regular, last, reach - length)))
        last = int(places[min(row, len(places) - 1)])
        reach = last + length
        chosen.append(last)
    return chosen


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Chunks that leave more than this share of the document uncovered, although the places of their
# texts cover nearly all of it, are not in the order of the document.
_MOST_UNCOVERED = 0.05
# Nor are chunks that begin the text anew this often, for each of them.
_MOST_PASSES = 0.1


@dataclass(frozen=True, eq=False)
class Placed:
    """Position in the dense text and length of each chunk; -1 and 0 where it was not found.

    `broken` chunks lack a character at an end, which their length does not count. `ambiguous` ones
    have other places that are as good. Those with `too_many` places have none here. `in_order` is
    false if the chunks were to be in the order of the text, and are not.
    """

    start: Ints
    length: Ints
    broken: Bools
    ambiguous: Bools
    too_many: Bools
    in_order: bool = True


def tiled(document: DenseText, dense_texts: DenseTexts) -> Placed | None:
    """Return the places of chunks that together are the document, or None if they are not.

    >>> tiled(DenseText("to be or"), DenseTexts(["to ", "be\\nor"])).start.tolist()
    [0, 2]
    """
    if dense_texts.dense != document.dense:
        return None
    none = np.zeros(len(dense_texts), dtype=np.bool_)
    start = np.where(dense_texts.lengths > 0, dense_texts.begin[:-1], -1)
    return Placed(start, dense_texts.lengths, none, none, none)


def placed(document: DenseText, dense_texts: DenseTexts, given: Ints | None, order: str) -> Placed:
    """Return the places of chunks; `given` has those of chunks that are at their offsets, or -1."""
    given = np.full(len(dense_texts), -1, dtype=np.int64) if given is None else given
    if order == "list":
        if (tiles := tiled(document, dense_texts)) is not None:
            return tiles
        if _given_cover_all(document, dense_texts, given):
            none = np.zeros(len(dense_texts), dtype=np.bool_)
            return Placed(given, dense_texts.lengths, none, none, none)
    texts = _DistinctTexts(document, dense_texts, given)
    rows = np.flatnonzero(texts.occurrences.counts[texts.number] > 0)
    candidates = PlaceCandidates.of(
        texts.occurrences, texts.number, texts.length, len(document)
    ).part(rows)
    known = np.where(texts.broken, -1, given)[rows]
    if order == "list":
        start, ambiguous, in_order = _in_list_order(candidates, known)
    else:
        start, ambiguous = _counted(candidates, known)
        in_order = True
    return _spread(texts, rows, start, ambiguous, in_order)


def _spread(
    texts: _DistinctTexts, rows: Ints, start: Ints, ambiguous: Bools, in_order: bool
) -> Placed:
    """Return the places of some rows as those of all."""
    all_starts = np.full(len(texts.number), -1, dtype=np.int64)
    all_ambiguous = np.zeros(len(texts.number), dtype=np.bool_)
    all_starts[rows], all_ambiguous[rows] = start, ambiguous
    is_located = all_starts >= 0
    length = np.where(is_located, texts.length, 0)
    too_many = texts.occurrences.too_many[texts.number]
    return Placed(all_starts, length, texts.broken & is_located, all_ambiguous, too_many, in_order)


def _given_cover_all(document: DenseText, dense_texts: DenseTexts, given: Ints) -> bool:
    """Return whether all given offsets are right, in order, and leave no character uncovered.

    Then no other choice is better, and nothing needs to be searched.
    """
    filled = dense_texts.lengths > 0
    start = given[filled]
    end = start + dense_texts.lengths[filled]
    if not len(start) or (start < 0).any() or start[0] > 0 or end[-1] < len(document):
        return False
    falls = (np.diff(start) < 0) | (np.diff(end) < 0)
    return not bool((falls | (start[1:] > end[:-1])).any())


class _DistinctTexts:
    """The distinct texts of chunks and their places; those found nowhere without U+FFFD at ends.

    Chunks with too many places that stand at their given offsets have texts of their own, with that
    one place.
    """

    def __init__(self, document: DenseText, dense_texts: DenseTexts, given: Ints) -> None:
        self.number, first = distinct_texts(dense_texts)
        most = most_places(document)
        self.occurrences: Occurrences = occurrences(document, dense_texts, first, most)
        self.length: Ints = dense_texts.lengths
        self.broken: Bools = np.zeros(len(dense_texts), dtype=np.bool_)
        missing = np.flatnonzero(
            (self.occurrences.counts == 0) & ~self.occurrences.too_many
        ).tolist()
        if any(_is_broken(dense_texts[first[number]]) for number in missing):
            self._without_broken_ends(document, [dense_texts[row] for row in first], missing)
        at_offsets = np.flatnonzero(
            self.occurrences.too_many[self.number] & (given >= 0) & ~self.broken
        )
        if len(at_offsets):
            self._at_given_places(at_offsets, given[at_offsets])

    def _at_given_places(self, rows: Ints, place: Ints) -> None:
        known, more = self.occurrences, np.arange(1, len(rows) + 1)
        self.number[rows] = len(known.counts) + more - 1
        self.occurrences = Occurrences(
            np.append(known.begin, known.begin[-1] + more),
            np.append(known.position, place),
            np.append(known.too_many, np.zeros(len(rows), dtype=np.bool_)),
        )

    def _without_broken_ends(
        self, document: DenseText, texts: list[str], missing: Sequence[int]
    ) -> None:
        broken = [number for number in missing if _is_broken(texts[number])]
        for number in broken:
            texts[number] = texts[number].strip(REPLACEMENT)
        self.occurrences = occurrences(document, DenseTexts(texts), most=most_places(document))
        self.length = np.array([len(text) for text in texts], dtype=np.int64)[self.number]
        self.broken = np.isin(self.number, broken)


def distinct_texts(dense_texts: DenseTexts) -> tuple[Ints, list[int]]:
    """Return the number of each text's text, and the first text that has each text.

    >>> number, first = distinct_texts(DenseTexts(["a", "b", " a"]))
    >>> number.tolist(), first
    ([0, 1, 0], [0, 1])
    """
    numbers: dict[str, int] = {}
    number = [numbers.setdefault(dense_texts[row], len(numbers)) for row in range(len(dense_texts))]
    first = np.unique(number, return_index=True)[1]
    return np.array(number, dtype=np.int64), first.tolist()


def _is_broken(text: str) -> bool:
    return text.startswith(REPLACEMENT) or text.endswith(REPLACEMENT)


def _in_list_order(candidates: PlaceCandidates, given: Ints) -> tuple[Ints, Bools, bool]:
    """Return places by alignment; by counting if the chunks turn out not to be in order."""
    most_passes = 1 + int(_MOST_PASSES * len(candidates))
    if len(falls(candidates)) >= most_passes:
        return *_counted(candidates, given), False
    best = aligned(candidates, given, most_passes)
    uncovered = uncovered_share(best.start, candidates.length, candidates.size)
    few_passes = best.passes <= most_passes
    if few_passes and uncovered <= _MOST_UNCOVERED:
        return best.start, best.ambiguous, True
    if not few_passes or _all_places_cover(candidates):
        return *_counted(candidates, given), False
    if not (given >= 0).any():
        return best.start, best.ambiguous, True
    # Only some chunks of the document: nothing speaks against a given place that is right.
    pinned = aligned(_pinned(candidates, given), given)
    return pinned.start, pinned.ambiguous, True


def _pinned(candidates: PlaceCandidates, given: Ints) -> PlaceCandidates:
    """Return candidates in which chunks with a right given place have no other."""
    at = np.searchsorted(candidates.key, candidates.text * (candidates.size + 1) + given)
    low = np.where(given >= 0, at, candidates.low)
    return replace(candidates, low=low, high=np.where(given >= 0, low + 1, candidates.high))


def uncovered_share(start: Ints, length: Ints, size: int) -> float:
    """Return the share of a document that no chunk covers."""
    return uncovered(start, length, size) / size if size else 0.0


def uncovered(start: Ints, length: Ints, size: int) -> int:
    """Return how many of the characters before `size` no range covers.

    >>> uncovered(np.array([4, 0]), np.array([3, 2]), 10)
    5
    """
    order = np.argsort(start, kind="stable")
    start, end = start[order], (start + length)[order]
    reach = np.maximum.accumulate(np.append(0, end))
    return int(np.maximum(np.append(start, size) - reach, 0).sum())


def _all_places_cover(candidates: PlaceCandidates) -> bool:
    """Return whether all places of the chunks' texts together cover nearly all of the document."""
    first = np.unique(candidates.text, return_index=True)[1]
    counts = candidates.counts[first]
    rows = concatenated_ranges(candidates.low[first], counts)
    start, length = candidates.position[rows], np.repeat(candidates.length[first], counts)
    return uncovered_share(start, length, candidates.size) < _MOST_UNCOVERED


def _counted(candidates: PlaceCandidates, given: Ints) -> tuple[Ints, Bools]:
    """Return places of chunks in no order, by how often a text occurs and how often it is listed.

    Equal texts can be exchanged for each other, so it does not matter which chunk gets which place.
    """
    start = np.where(given >= 0, given, candidates.position[candidates.low]).astype(np.int64)
    ambiguous = np.zeros(len(candidates), dtype=np.bool_)
    several = np.flatnonzero((candidates.counts > 1) & (given < 0))
    by_text = several[np.argsort(candidates.text[several], kind="stable")]
    taken = set(zip(candidates.text[given >= 0].tolist(), given[given >= 0].tolist(), strict=True))
    for rows in np.split(by_text, np.flatnonzero(np.diff(candidates.text[by_text])) + 1):
        if len(rows):
            text, places = int(candidates.text[rows[0]]), candidates.places(int(rows[0]))
            free = [at for at in places if (text, at) not in taken] or places
            start[rows] = [free[i % len(free)] for i in range(len(rows))]
            ambiguous[rows] = len(free) not in (1, len(rows))
    return start, ambiguous


def placed_by_level(
    document: DenseText, dense_texts: DenseTexts, given: Ints | None, depth: Ints, order: str
) -> Placed:
    """Return the places of chunks, those of each depth for themselves."""
    if not depth.any():
        return placed(document, dense_texts, given, order)
    start, length = np.zeros((2, len(dense_texts)), dtype=np.int64)
    broken, ambiguous, too_many = np.zeros((3, len(dense_texts)), dtype=np.bool_)
    in_order = True
    for level in np.unique(depth).tolist():
        rows = np.flatnonzero(depth == level)
        of_level = None if given is None else given[rows]
        level_places = placed(document, dense_texts.part(rows), of_level, order)
        start[rows], length[rows] = level_places.start, level_places.length
        broken[rows], ambiguous[rows] = level_places.broken, level_places.ambiguous
        too_many[rows] = level_places.too_many
        in_order &= level_places.in_order
    return Placed(start, length, broken, ambiguous, too_many, in_order)


def depths(parents: Ints) -> Ints:
    """Return how deep each chunk lies below one without a parent.

    >>> depths(np.array([-1, 0, 1, -1])).tolist()
    [0, 1, 2, 0]
    """
    if not (parents < len(parents)).all():
        raise InputError("parents= names a chunk that is not in the list")
    depth = np.zeros(len(parents), dtype=np.int64)
    above = parents
    while (above >= 0).any():
        depth += above >= 0
        if depth.max() >= len(parents):
            raise InputError("parents= goes round in a circle")
        above = np.where(above >= 0, parents[above], -1)
    return depth
