"""Chunks that do not stand in the text as they are: what of them stands there, by their letters.

Seeds are windows of 12 letters that the chunk and the text share. A seed lies on a diagonal: its
place in the text minus its place in the chunk. A band of near diagonals with many seeds is a place
of the chunk, and the longest chain of seeds in it that grows in both texts says which letters
belong together.

A chunk may have text of its own (a context that a model wrote), and may leave out text of the
document (an extract). Then whole sentences of it stand there as they are, and each run of them is a
span; what is not found shows nothing. A chunk whose sentences were changed has one place, which is
divided where much of the text was left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
from doxeval.documents import are_white_space, code_points
from doxeval.locating.align import placed_by_level
from doxeval.locating.occurrences import GRAM
from doxeval.locating.text import Codes, DenseText, DenseTexts, Matches
from doxeval.spans import joined_spans

BAND = 64
# Bands with fewer votes than this share of the best are not looked at.
_VOTES = 0.8
_MOST_BANDS = 16
# An end of a chain that is shorter than the first and further away than the second is by chance.
_SHORT, _FAR = 16, 32
# How far segments are widened, and how many equal letters make up for one that differs.
_WIDEST, _DIFFERENCE = 200, 3


@dataclass(frozen=True)
class Segment:
    """Letters [start, end) of the chunk that stand in the text, `diagonal` letters further on.

    A few of them may differ; `same` counts those that agree.
    """

    start: int
    end: int
    diagonal: int
    same: int


@dataclass(frozen=True)
class Match:
    """Segments of a chunk in one band, ascending."""

    segments: tuple[Segment, ...]

    @property
    def start(self) -> int:
        """The first letter of the chunk that was found."""
        return self.segments[0].start

    @property
    def end(self) -> int:
        """The letter of the chunk after the last that was found."""
        return self.segments[-1].end

    @property
    def place(self) -> tuple[int, int]:
        """The letters [start, end) of the text."""
        first, last = self.segments[0], self.segments[-1]
        return first.start + first.diagonal, last.end + last.diagonal

    @property
    def covered(self) -> int:
        """How many letters of the chunk were found."""
        return sum(segment.same for segment in self.segments)

    def within(self, start: int, end: int) -> Match:
        """Return the part of a match in the letters [start, end) of the chunk."""
        kept = [part for part in self.segments if part.start < end and start < part.end]
        ends = [(max(part.start, start), min(part.end, end)) for part in kept]
        # Of a segment that is cut off, those letters count that still can be the same.
        return Match(
            tuple(
                Segment(low, high, part.diagonal, min(part.same, high - low))
                for part, (low, high) in zip(kept, ends, strict=True)
            )
        )


def matches(chunk: Codes, text: Codes, at: Ints, place: Ints, size: int) -> list[Match]:
    """Return the best places of a chunk whose seeds, its letters `at`, are at `place` in the text.

    Those that cover most come first.
    """
    best = []
    for rows in _bands(place - at):
        segments = _segments(_chain(at[rows], place[rows]), size)
        segments = _without_chance_ends(_widened(segments, chunk, text))
        best.append(Match(tuple(segments)))
    return sorted(best, key=lambda match: -match.covered)


def _bands(diagonals: Ints) -> list[Ints]:
    """Return the rows of seeds in each of the best bands."""
    order = np.argsort(diagonals, kind="stable")
    ascending = diagonals[order]
    bands: list[Ints] = []
    most = 0
    free = np.ones(len(order), dtype=np.bool_)
    last = np.searchsorted(ascending, ascending + BAND)
    while len(bands) < _MOST_BANDS and free.any():
        before = np.append(0, np.cumsum(free))
        votes = np.where(free, before[last] - before[:-1], 0)
        first = int(votes.argmax())
        most = max(most, int(votes[first]))
        if votes[first] < _VOTES * most:
            break
        rows = slice(first, int(last[first]))
        bands.append(np.sort(order[rows][free[rows]]))
        # Bands that overlap a chosen one are the same place.
        near = (ascending > ascending[first] - BAND) & (ascending < ascending[first] + 2 * BAND)
        free &= ~near
    return bands


def _chain(at: Ints, place: Ints) -> list[tuple[int, int]]:
    """Return the longest list of seeds that grows in both texts."""
    order = np.lexsort((-place, at))
    starts, places = at[order].tolist(), place[order].tolist()
    ends: list[int] = []  # the last place of the best chain of each length
    rows: list[int] = []
    before: list[int] = []
    for row, here in enumerate(places):
        length = bisect_left(ends, here)
        before.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [here]
        rows[length : length + 1] = [row]
    chain = []
    row = rows[-1]
    while row >= 0:
        chain.append((starts[row], places[row]))
        row = before[row]
    return chain[::-1]


def _segments(chain: list[tuple[int, int]], size: int) -> list[Segment]:
    """Join seeds of one diagonal that overlap or touch; no letter belongs to two segments."""
    segments: list[Segment] = []
    for at, place in chain:
        start, diagonal = at, place - at
        if segments:
            last = segments.pop()
            end = min(last.end, at, place - last.diagonal)
            if last.diagonal == diagonal and at <= last.end:
                start = last.start
            elif end > last.start:
                segments.append(Segment(last.start, end, last.diagonal, end - last.start))
        segments.append(Segment(start, at + size, diagonal, at + size - start))
    return segments


def _widened(segments: list[Segment], chunk: Codes, text: Codes) -> list[Segment]:
    """Return segments that take in the letters on both sides of them that agree, but for few."""
    result: list[Segment] = []
    for number, segment in enumerate(segments):
        diagonal = segment.diagonal
        low, high = max(0, -diagonal), min(len(chunk), len(text) - diagonal)
        if result:
            before = result[-1]
            low = max(before.end, before.end + before.diagonal - diagonal)
        if number + 1 < len(segments):
            after = segments[number + 1]
            high = min(after.start, after.start + after.diagonal - diagonal)
        backwards = slice(max(low, segment.start - _WIDEST), segment.start)
        onwards = slice(segment.end, min(high, segment.end + _WIDEST))
        ahead, same_ahead = _agreeing((chunk[backwards] == _at(text, backwards, diagonal))[::-1])
        behind, same_behind = _agreeing(chunk[onwards] == _at(text, onwards, diagonal))
        same = segment.same + same_ahead + same_behind
        result.append(Segment(segment.start - ahead, segment.end + behind, diagonal, same))
    return result


def _at(text: Codes, letters: slice, diagonal: int) -> Codes:
    """Return the letters of a text at which those of a chunk stand."""
    return text[letters.start + diagonal : max(letters.stop, letters.start) + diagonal]


def _agreeing(same: Bools) -> tuple[int, int]:
    """Return how many letters to take in, and how many of them agree.

    Each that differs must be made up for by several that agree after it.

    >>> _agreeing(np.array([True, False, True, True, True, True, False, False]))
    (6, 5)
    """
    score = np.cumsum(np.where(same, 1, -_DIFFERENCE))
    if not len(score) or score.max() <= 0:
        return 0, 0
    length = len(score) - int(score[::-1].argmax())
    return length, int(same[:length].sum())


def _without_chance_ends(segments: list[Segment]) -> list[Segment]:
    """Return segments without short ones at the ends that lie far from the others."""
    while len(segments) > 1 and _by_chance(segments[0], segments[1].start - segments[0].end):
        segments = segments[1:]
    while len(segments) > 1 and _by_chance(segments[-1], segments[-1].start - segments[-2].end):
        segments = segments[:-1]
    return segments


def _by_chance(segment: Segment, gap: int) -> bool:
    return segment.end - segment.start < _SHORT and gap > _FAR


# Fewer letters stand somewhere by chance.
LEAST_LETTERS = 3
# A seed that stands more often tells nothing.
_MOST_PLACES = 50
_MOST_GRAMS = 200_000
# Two places are as good as each other if they differ by less than this share.
_SAME = 0.02
# The least that must be found of a chunk whose other letters are all before or after it: of whole
# sentences, and of others.
_LEAST_BESIDE, _LEAST_CHANGED = 24, 100
LEAST_SHARE = 0.25
# Runs of fewer letters begin and end with sentences of the document.
_LONG = 48
# The share of sentences, from the first to the last that was found, that tells of unchanged ones.
_MOST_SENTENCES = 0.9
# How near to its ends a part of such a chunk is shortened to whole sentences.
_NEAR_END = 24
# Letters that were slipped, and those that were changed; more than these divide a place.
_SLIPPED, _CHANGED, _MOST_CHANGED = 2, 12, 300
_ALIKE = 0.6
# The share of the letters of a sentence that must be the same.
_SENTENCE_ALIKE = 0.85
# The least share that must be found of a chunk whose sentences were changed, if that is short.
_LEAST_ALIKE = 0.8


@dataclass(frozen=True)
class Resemblance:
    """Where the letters of a chunk were found: several matches if its parts stand apart.

    `share` is the share of its letters found. It is accepted if the share is large enough, or if
    all other letters stand before or after those found.
    """

    row: int
    matches: tuple[Match, ...]
    share: float
    ambiguous: bool
    accepted: bool


@dataclass(frozen=True)
class _Letters:
    """The letters of a chunk, those of its document, and the seeds that they share.

    at, place: where seeds of `size` letters are in the chunk and in the document. breaks: the
    letters at which sentences and lines of the chunk begin, and its end.
    """

    chunk: Codes
    text: Codes
    at: Ints
    place: Ints
    size: int
    breaks: Ints


_ENDS_SENTENCE = np.array([ord(mark) for mark in ".!?:;…。！？"], dtype=np.uint32)
_ENDS_LINE = np.array([ord(mark) for mark in "\n\r\v\f\x85\u2028\u2029"], dtype=np.uint32)


def _breaks(text: str, offsets: Ints) -> Ints:
    """Return the letters at which sentences and lines begin, and the end, given their offsets.

    >>> _breaks("Fog. 3.5 m", np.array([0, 1, 2, 5, 7, 9])).tolist()
    [0, 3, 6]
    """
    codes = code_points(text)
    is_space = np.append(are_white_space(codes), True)
    is_break = np.isin(codes, _ENDS_LINE) | (np.isin(codes, _ENDS_SENTENCE) & is_space[1:])
    before = np.append(0, np.cumsum(is_break))
    inner = before[offsets[1:]] > before[offsets[:-1] + 1]
    return np.concatenate([[0], np.flatnonzero(inner) + 1, [len(offsets)]])


def resembling(
    document: DenseText,
    dense_texts: DenseTexts,
    rows: Sequence[int],
    near: Ints,
    min_share: float,
    gram: int = GRAM,
) -> Iterator[Resemblance]:
    """Yield the best places of chunks in folded text, near to the letters `near` of the document.

    Of places that are as good as each other, the one nearest to `near[row]` is taken; where that is
    -1, it is the end of the chunk found last. `gram` letters in a row must be the same somewhere.
    """
    last = 0
    with_letters = [row for row in rows if dense_texts.lengths[row] >= LEAST_LETTERS]
    for row, at, place, size in _seeds(document, dense_texts, with_letters, gram):
        chunk = dense_texts.codes[dense_texts.begin[row] : dense_texts.begin[row + 1]]
        nearest = int(near[row]) if near[row] >= 0 else last
        breaks = _breaks(dense_texts.texts[row], dense_texts.offsets(row))
        letters = _Letters(chunk, document.codes, at, place, size, breaks)
        best = _resemblance(row, letters, document, nearest, min_share)
        if best.accepted:
            last = best.matches[-1].place[1]
        yield best


def _seeds(
    document: DenseText, dense_texts: DenseTexts, rows: Sequence[int], gram: int
) -> Iterator[tuple[int, Ints, Ints, int]]:
    """For each chunk, the letters at which its seeds begin, and their places in the document."""
    lengths = dense_texts.lengths
    for block in _blocks(rows, lengths):
        for size in sorted({min(gram, int(lengths[row])) for row in block}):
            mine = np.array([row for row in block if min(gram, lengths[row]) == size])
            counts = lengths[mine] - size + 1
            starts = concatenated_ranges(dense_texts.begin[mine], counts)
            grams = dense_texts.hashes.of(starts, np.full(len(starts), size))
            seeds = Matches(document.hashes.all_of_size(size), grams)
            usable = np.flatnonzero((seeds.counts > 0) & (seeds.counts <= _MOST_PLACES))
            seed, place = seeds.pairs(usable)
            edges = np.searchsorted(seed, np.append(0, np.cumsum(counts)))
            for number, row in enumerate(mine.tolist()):
                part = slice(edges[number], edges[number + 1])
                yield row, starts[seed[part]] - dense_texts.begin[row], place[part], size


def _blocks(rows: Sequence[int], lengths: Ints) -> Iterator[list[int]]:
    """Yield rows in blocks with a bounded number of letters."""
    block: list[int] = []
    letters = 0
    for row in rows:
        block.append(row)
        letters += int(lengths[row])
        if letters > _MOST_GRAMS:
            yield block
            block, letters = [], 0
    if block:
        yield block


def _resemblance(
    row: int, letters: _Letters, document: DenseText, near: int, min_share: float
) -> Resemblance:
    if not len(letters.at):
        return Resemblance(row, (), 0.0, False, False)
    length = len(letters.chunk)
    sentences, is_ambiguous = _sentences(letters, document, near)
    share = sum(match.covered for match in sentences) / length
    is_accepted = _is_enough(sentences, length, min_share, _LEAST_BESIDE)
    if is_accepted and share * length >= _MOST_SENTENCES * _between_ends(sentences, letters):
        return Resemblance(row, tuple(sentences), share, is_ambiguous, True)
    every = matches(letters.chunk, letters.text, letters.at, letters.place, letters.size)
    good = [match for match in every if match.covered >= (1 - _SAME) * every[0].covered]
    best = min(good, key=lambda match: abs(match.place[0] - near))
    parts = _without_other_sentences(_divided(best, letters), letters)
    covered = sum(match.covered for match in parts)
    least_share = min_share if covered >= _LEAST_CHANGED else max(min_share, _LEAST_ALIKE)
    if _is_enough(parts, length, least_share, _LEAST_CHANGED):
        # Neither whole sentences nor most of it: what looks alike may be about something else.
        is_elsewhere = len(good) > 1 or covered < _LEAST_ALIKE * length
        is_elsewhere = is_elsewhere or _is_any_elsewhere(parts, letters, document)
        return Resemblance(row, tuple(parts), covered / length, is_elsewhere, True)
    if is_accepted:
        return Resemblance(row, tuple(sentences), share, is_ambiguous, True)
    best = good[0]
    return Resemblance(row, (best,), max(best.covered / length, share), len(good) > 1, False)


def _between_ends(parts: Sequence[Match], letters: _Letters) -> int:
    """Return how many letters are between the ends of parts, but for sentences too short."""
    begin, end = letters.breaks[:-1], letters.breaks[1:]
    inside = (begin >= parts[0].start) & (end <= parts[-1].end) & (end - begin < letters.size)
    for part in parts:
        inside &= (begin < part.start) | (end > part.end)
    return parts[-1].end - parts[0].start - int((end - begin)[inside].sum())


def _is_enough(parts: Sequence[Match], length: int, min_share: float, least: int) -> bool:
    """Return whether so much of a chunk was found, or of all between the first part and the last.

    In that case at least so many letters must have been found, and not too small a share.
    """
    covered = sum(match.covered for match in parts)
    if not parts or covered >= min_share * length:
        return bool(parts)
    is_long = covered >= max(least, LEAST_SHARE * length)
    return is_long and covered >= min_share * (parts[-1].end - parts[0].start)


def _sentences(letters: _Letters, document: DenseText, near: int) -> tuple[list[Match], bool]:
    """Return the runs of whole sentences that are in the text, and whether any is ambiguous.

    From the beginning of the chunk, the longest run is taken each time. A run that occurs several
    times is where it fits between those before and after it, or else ambiguous: the nearest counts.
    """
    breaks = letters.breaks.tolist()
    runs: list[tuple[int, int, Ints]] = []  # first letter, letter after the last, places
    number = 0
    while number + 1 < len(breaks):
        start = breaks[number]
        end, places = _longest_run(letters, start)
        number = max(int(np.searchsorted(letters.breaks, end, "right")) - 1, number + 1)
        if end - start < _LONG and not _is_whole_anywhere(places, start, end, letters, document):
            continue
        if len(places):
            runs.append((start, end, places))
    known = [int(places[0]) if len(places) == 1 else -1 for _, _, places in runs]
    parts, is_ambiguous = [], False
    for row, (start, end, places) in enumerate(runs):
        place = known[row]
        if place < 0:
            before = [known[other] + runs[other][1] - runs[other][0] for other in range(row)
                      if known[other] >= 0]  # fmt: skip
            after = [known[other] for other in range(row + 1, len(runs)) if known[other] >= 0]
            low, high = max(before, default=0), min(after, default=len(letters.text))
            between = places[(places >= low) & (places + end - start <= high)]
            is_ambiguous |= len(between) != 1
            aim = before[-1] if before else after[0] if after else near
            fitting = between if len(between) else places
            place = known[row] = int(fitting[np.argmin(np.abs(fitting - aim))])
        parts.append(Match((Segment(start, end, place - start, end - start),)))
    return parts, is_ambiguous


def _longest_run(letters: _Letters, start: int) -> tuple[int, Ints]:
    """Return where the longest run of whole sentences from a letter on ends, and its places."""
    # The seed of the first sentence that has the fewest places; some have too many to be there.
    after = letters.breaks[np.searchsorted(letters.breaks, start, "right")]
    inside = (letters.at >= start) & (letters.at <= max(after - letters.size, start))
    seeds, counts = np.unique(letters.at[inside], return_counts=True)
    if not len(seeds):
        return start, seeds
    at = seeds[counts.argmin()]
    places = letters.place[letters.at == at] - (at - start)
    before = letters.chunk[start:at]
    is_same = [np.array_equal(before, letters.text[max(p, 0) : p + len(before)]) for p in places]
    places = places[np.array(is_same, dtype=np.bool_)]
    if not len(places):
        return start, places
    rest = letters.chunk[start:]
    agreeing = np.array(
        [_agreeing_letters(rest, letters.text[place:]) for place in places.tolist()]
    )
    end = int(letters.breaks[np.searchsorted(letters.breaks, start + agreeing.max(), "right") - 1])
    is_run = start + agreeing >= end
    return (end, places[is_run]) if end >= start + letters.size else (start, places[:0])


def _is_whole_anywhere(
    places: Ints, start: int, end: int, letters: _Letters, document: DenseText
) -> bool:
    """Return whether sentences of the document begin and end at any of the places, too.

    At its own beginning and end a chunk may begin and end within a sentence.
    """
    return any(
        (start == 0 or _is_break(document, place))
        and (end == len(letters.chunk) or _is_break(document, place + end - start))
        for place in places.tolist()
    )


def _is_break(document: DenseText, at: int) -> bool:
    """Return whether a sentence or line begins at a letter of a document, as far as one can see."""
    if at in (0, len(document)):
        return True
    before, here = document.offsets[[at - 1, at]].tolist()
    if not document.text[here].islower() and here > before + 1:
        return True
    return len(_breaks(document.text[before : here + 1], np.array([0, here - before]))) > 2


def _agreeing_letters(letters: Codes, text: Codes) -> int:
    """Return how many letters at the beginning of two texts are the same."""
    length = min(len(letters), len(text))
    other = np.flatnonzero(letters[:length] != text[:length])
    return int(other[0]) if len(other) else length


def _divided(match: Match, letters: _Letters) -> list[Match]:
    """Return the parts of a place between which letters of the text were left out.

    Letters at their ends that may be there by chance belong to none of them.
    """
    groups = [[match.segments[0]]]
    for segment in match.segments[1:]:
        if _is_one_part(groups[-1][-1], segment, letters.chunk, letters.text):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    parts = [Match(tuple(group)) for group in groups]
    edges = [_sure_edges(part, letters) for part in parts]
    for number, (left, right) in enumerate(pairwise(parts)):
        if left.end == right.start:
            low, high = _in_both(left.segments[-1], right.segments[0], letters)
            edges[number] = edges[number][0], min(edges[number][1], low)
            edges[number + 1] = max(edges[number + 1][0], high), edges[number + 1][1]
    ends = {0, len(letters.chunk), *letters.breaks.tolist()}
    return [
        part.within(start, end)
        for part, (start, end) in zip(parts, edges, strict=True)
        if end - start >= _LONG or (end > start and start in ends and end in ends)
    ]


def _without_other_sentences(parts: Sequence[Match], letters: _Letters) -> list[Match]:
    """Return the parts without sentences of which too many letters differ: those are others."""
    breaks = letters.breaks
    if len(breaks) < 3:
        return list(parts)
    agreeing = np.zeros(len(letters.chunk), dtype=np.bool_)
    for part in parts:
        for segment in part.segments:
            rows = slice(segment.start, segment.end)
            agreeing[rows] = letters.chunk[rows] == _at(letters.text, rows, segment.diagonal)
    before = np.append(0, np.cumsum(agreeing))
    is_alike = np.diff(before[breaks]) >= _SENTENCE_ALIKE * np.diff(breaks)
    edges = np.flatnonzero(np.diff(is_alike, prepend=False, append=False)).reshape(-1, 2)
    runs = [(int(breaks[first]), int(breaks[last])) for first, last in edges.tolist()]
    pairs = ((part, max(start, part.start), min(end, part.end))
             for part in parts for start, end in runs)  # fmt: skip
    return [part.within(start, end) for part, start, end in pairs if start < end]


def _sure_edges(part: Match, letters: _Letters) -> tuple[int, int]:
    """Return where a part begins and ends: with a sentence of the chunk, if there is one near."""
    start, end = part.start, part.end
    inner = letters.breaks[(letters.breaks >= start) & (letters.breaks <= end)].tolist()
    if start and inner and inner[0] - start <= _NEAR_END:
        start = inner[0]
    if end < len(letters.chunk) and inner and end - inner[-1] <= _NEAR_END:
        end = inner[-1]
    return start, end


def _in_both(left: Segment, right: Segment, letters: _Letters) -> tuple[int, int]:
    """Return the letters around the border of two segments that agree with the places of both."""
    chunk, text = letters.chunk, letters.text
    low = high = right.start
    while low > left.start and chunk[low - 1] == text[low - 1 + right.diagonal]:
        low -= 1
    while high < right.end and chunk[high] == text[high + left.diagonal]:
        high += 1
    return low, high


def _is_one_part(last: Segment, segment: Segment, chunk: Codes, text: Codes) -> bool:
    """Return whether the letters between two segments were but changed."""
    here = chunk[last.end : segment.start]
    there = text[last.end + last.diagonal : segment.start + segment.diagonal]
    if not len(here):
        return len(there) <= _SLIPPED
    longer = max(len(here), len(there))
    if longer <= _CHANGED or longer > _MOST_CHANGED:
        return longer <= _CHANGED
    return SequenceMatcher(None, here.tolist(), there.tolist(), False).ratio() >= _ALIKE


def _is_any_elsewhere(parts: Sequence[Match], letters: _Letters, document: DenseText) -> bool:
    """Return whether the text of a part is elsewhere, too, between the parts around it."""
    seeds, counts = np.unique(letters.at, return_counts=True)
    single = seeds[counts == 1]
    places = [(0, 0), *(part.place for part in parts), (len(document), len(document))]
    for part, (_, low), (start, end), (high, _) in zip(
        parts, places, places[1:], places[2:], strict=False
    ):
        if ((single >= part.start) & (single + letters.size <= part.end)).any():
            continue
        text = document.dense[start:end]
        if document.dense.find(text, low, high) < start:
            return True
        if document.dense.find(text, start + 1, high) >= 0:
            return True
    return False


_MOST_MARKS = 40
_BEFORE_SENTENCE = re.compile("[.!?:;,…。！？)]")


@dataclass(frozen=True)
class Altered:
    """What was found of a chunk: its spans, none if it was not found, and the share of its letters.

    `added` counts its characters that were not found. `too_many`: its letters stand at so many
    places that none of them was chosen.
    """

    row: int
    spans: tuple[tuple[int, int], ...]
    share: float
    ambiguous: bool = False
    added: int = 0
    too_many: bool = False


def altered(
    document: DenseText,
    dense_texts: DenseTexts,
    missing: Ints,
    known_ends: Ints,
    depth: Ints,
    order: str,
    min_share: float,
) -> list[Altered]:
    """Return what stands in the text of chunks that were not found as they are.

    `known_ends` says where chunks that were found end in the text, and -1 for others. First chunks
    are searched whole, in the order of the text; what is left is searched by seeds.
    """
    text, folded = document.folded, dense_texts.folded
    whole = placed_by_level(text, folded, None, depth, order)
    chunks = []
    for row in missing.tolist():
        if whole.start[row] >= 0 and folded.lengths[row] >= LEAST_LETTERS:
            span = whole_span(document, dense_texts, row, int(whole.start[row]))
            chunks.append(Altered(row, (span,), 1.0, bool(whole.ambiguous[row])))
        elif whole.too_many[row]:
            chunks.append(Altered(row, (), 1.0, too_many=True))
    ends = known_ends.copy()
    for known in chunks:
        if known.spans:
            ends[known.row] = known.spans[-1][1]
    done = {known.row for known in chunks}
    rest = [row for row in missing.tolist() if row not in done]
    near = np.full(len(dense_texts), -1, dtype=np.int64)
    near[1:][ends[:-1] >= 0] = text.dense_before(ends[:-1][ends[:-1] >= 0])
    for resemblance in resembling(text, folded, rest, near, min_share):
        chunks.append(partial_match(document, dense_texts, resemblance))
    return chunks


def whole_span(
    document: DenseText, dense_texts: DenseTexts, row: int, start: int
) -> tuple[int, int]:
    """Return the span of a chunk all of whose letters are in the folded text, from `start` on."""
    letters = int(dense_texts.folded.lengths[row])
    return _span(document, dense_texts, row, (0, letters), (start, start + letters))


def partial_match(
    document: DenseText, dense_texts: DenseTexts, resemblance: Resemblance
) -> Altered:
    """Return a chunk some of whose letters stand in the text."""
    if not resemblance.accepted:
        return Altered(resemblance.row, (), resemblance.share)
    row, parts = resemblance.row, resemblance.matches
    return Altered(
        row,
        _spans(document, dense_texts, row, parts),
        resemblance.share,
        resemblance.ambiguous,
        _added(dense_texts.texts[row], dense_texts.folded.offsets(row), parts),
    )


_MARKS_AFTER = re.compile(r"\A[^\w\s]*")
_TO_LAST_WORD = re.compile(r".*\w[^\w\s]*", re.DOTALL)


def _added(text: str, offsets: Ints, parts: Sequence[Match]) -> int:
    """Return how many characters of a chunk are in none of its parts, white space around aside.

    Marks between two parts are no text of its own.
    """
    added, after = 0, 0  # the letter after the last part
    for part in (*parts, None):
        until = len(offsets) if part is None else part.start
        if until > after:
            start = 0 if after == 0 else int(offsets[after - 1]) + 1
            end = len(text) if until == len(offsets) else int(offsets[until])
            stretch = text[start:end]
            if after:
                stretch = _MARKS_AFTER.sub("", stretch, count=1)
            own = _TO_LAST_WORD.match(stretch)
            added += len(own[0].strip()) if own else 0
        after = until if part is None else part.end
    return added


def _spans(
    document: DenseText, dense_texts: DenseTexts, row: int, parts: Sequence[Match]
) -> tuple[tuple[int, int], ...]:
    """Return the spans of the parts of a chunk in the order of the text, joined if they overlap."""
    return tuple(
        joined_spans(
            _span(document, dense_texts, row, (match.start, match.end), match.place)
            for match in parts
        )
    )


def _span(
    document: DenseText,
    dense_texts: DenseTexts,
    row: int,
    letters: tuple[int, int],
    place: tuple[int, int],
) -> tuple[int, int]:
    """Return the span of letters of a chunk, with the marks around them that the text has, too."""
    text, chunk = document.text, dense_texts.texts[row]
    offsets = dense_texts.folded.offsets(row)
    start = int(document.folded.offsets[place[0]])
    end = int(document.folded.offsets[place[1] - 1]) + 1
    first, last = int(offsets[letters[0]]), int(offsets[letters[1] - 1]) + 1
    # Marks that end what is before a part do not belong to it.
    marks = chunk[max(first - _MOST_MARKS, 0) : first][::-1]
    if letters[0]:
        marks = _BEFORE_SENTENCE.split(marks, maxsplit=1)[0]
    start -= _same_marks(text[max(start - _MOST_MARKS, 0) : start][::-1], marks)
    end += _same_marks(text[end : end + _MOST_MARKS], chunk[last : last + _MOST_MARKS])
    return start, end


def _same_marks(text: str, chunk: str) -> int:
    """Return how many characters of a text belong to the marks with which a chunk goes on.

    >>> _same_marks(". )And", ".) then"), _same_marks(", and", "")
    (3, 0)
    """
    length = 0
    at = 0
    for mark in chunk:
        if mark.isspace():
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if mark.isalnum() or text[at : at + 1] != mark:
            break
        at += 1
        length = at
    return length
