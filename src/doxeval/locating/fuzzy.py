"""Chunks that do not stand in the text as they are: what of them stands there, by their letters.

Seeds are windows of 12 letters that the chunk and the text share. A seed lies on a diagonal: its
place in the text minus its place in the chunk. A band of near diagonals with many seeds is a place
of the chunk, and the longest chain of seeds in it that grows in both texts says which letters
belong together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Bools, Ints, concatenated_ranges
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

    def moved(self, by: int) -> Match:
        """Return a match of the letters from `by` on as one of the whole chunk."""
        return Match(
            tuple(
                Segment(segment.start + by, segment.end + by, segment.diagonal - by, segment.same)
                for segment in self.segments
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
# The least that must be found of a chunk whose other letters are all before or after it.
_LEAST_BESIDE = 24
_LEAST_SHARE = 0.25
# A heading, a body, the head of a table: chunks have few parts that stand apart.
_MOST_PARTS = 8


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
        best = _resemblance(row, chunk, document, at, place, size, nearest, min_share)
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
    row: int,
    chunk: Codes,
    document: DenseText,
    at: Ints,
    place: Ints,
    size: int,
    near: int,
    min_share: float,
) -> Resemblance:
    if not len(at):
        return Resemblance(row, (), 0.0, False, False)
    every = matches(chunk, document.codes, at, place, size)
    good = [match for match in every if match.covered >= (1 - _SAME) * every[0].covered]
    best = min(good, key=lambda match: abs(match.place[0] - near))
    parts = [best]
    for low, high in ((0, best.start), (best.end, len(chunk))):
        parts += _rest(chunk, document, at, place, size, (low, high), min_share)
    parts.sort(key=lambda match: match.start)
    share = sum(match.covered for match in parts) / len(chunk)
    accepted = share >= min_share or _one_end_is_missing(parts, len(chunk), min_share)
    return Resemblance(row, tuple(parts), share, len(good) > 1, accepted)


def _rest(
    chunk: Codes,
    document: DenseText,
    at: Ints,
    place: Ints,
    size: int,
    part: tuple[int, int],
    min_share: float,
) -> list[Match]:
    """Return where the letters [low, high) of a chunk are, if nearly all of them are somewhere."""
    parts: list[Match] = []
    open_parts = [part]
    while open_parts and len(parts) < _MOST_PARTS:
        low, high = open_parts.pop()
        inside = (at >= low) & (at + size <= high)
        if inside.any():
            letters = chunk[low:high]
            best = matches(letters, document.codes, at[inside] - low, place[inside], size)[0]
            open_parts += [(low, low + best.start), (low + best.end, high)]
            parts.append(best.moved(low))
    covered = sum(match.covered for match in parts)
    return parts if covered >= min_share * (part[1] - part[0]) else []


def _one_end_is_missing(parts: Sequence[Match], length: int, min_share: float) -> bool:
    """Return whether all letters not found, but for few, stand before or after those found."""
    start, end = parts[0].start, parts[-1].end
    covered = sum(match.covered for match in parts)
    enough = covered >= max(_LEAST_BESIDE, _LEAST_SHARE * length)
    return enough and (start == 0 or end == length) and covered >= min_share * (end - start)


_MOST_MARKS = 40


@dataclass(frozen=True)
class Altered:
    """What was found of a chunk: its spans, none if it was not found, and the share of its letters.

    `prefix` and `suffix` count its characters before and after those found. `too_many`: its letters
    stand at so many places that none of them was chosen.
    """

    row: int
    spans: tuple[tuple[int, int], ...]
    share: float
    ambiguous: bool = False
    prefix: int = 0
    suffix: int = 0
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
    offsets = dense_texts.folded.offsets(row)
    first, last = parts[0].start, parts[-1].end
    return Altered(
        row,
        _spans(document, dense_texts, row, parts),
        resemblance.share,
        resemblance.ambiguous,
        int(offsets[first]) if first else 0,
        len(dense_texts.texts[row]) - int(offsets[last - 1]) - 1 if last < len(offsets) else 0,
    )


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
    before = text[max(start - _MOST_MARKS, 0) : start][::-1]
    start -= _same_marks(before, chunk[max(first - _MOST_MARKS, 0) : first][::-1])
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
