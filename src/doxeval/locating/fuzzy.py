"""Chunks that do not stand in the text as they are: what of them stands there, by their letters.

Seeds are windows of 12 letters that the chunk and the text share. A seed lies on a diagonal: its
place in the text minus its place in the chunk. A band of near diagonals with many seeds is a place
of the chunk, and the longest chain of seeds in it that grows in both texts says which letters
belong together.

A chunk may have letters that no document has, and may leave out letters of the text. So what was
found is divided into parts where either has many letters that the other has not; each part is a
span, and what is between parts is not shown. Parts that are neither long nor whole sentences are by
chance: they are left out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

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

    def within(self, start: int, end: int, chunk: Codes, text: Codes) -> Match:
        """Return the part of the match in the letters [start, end) of the chunk."""
        return Match(
            tuple(
                _segment(max(segment.start, start), min(segment.end, end), segment.diagonal,
                         chunk, text)
                for segment in self.segments
                if segment.start < end and start < segment.end
            )
        )  # fmt: skip

    def moved(self, by: int) -> Match:
        """Return a match of the letters from `by` on as one of the whole chunk."""
        return Match(
            tuple(
                Segment(segment.start + by, segment.end + by, segment.diagonal - by, segment.same)
                for segment in self.segments
            )
        )


def _segment(start: int, end: int, diagonal: int, chunk: Codes, text: Codes) -> Segment:
    same = chunk[start:end] == text[start + diagonal : end + diagonal]
    return Segment(start, end, diagonal, int(np.count_nonzero(same)))


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
# The least that must be found of a chunk whose other letters are all before or after it; and of a
# part that does not begin and end with sentences.
_LEAST_BESIDE = 24
LEAST_SHARE = 0.25
# A heading, a body, the head of a table: chunks have few parts that stand apart.
_MOST_PARTS = 16
# Letters that were slipped, and those that were changed; more than these divide parts.
_SLIPPED, _CHANGED, _MOST_CHANGED = 2, 12, 300
_ALIKE = 0.6
# How near to its ends a part may be shortened to whole sentences.
_NEAR_END = 16


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

    at, place: where seeds of `size` letters are in the chunk and in the document. breaks: whether a
    sentence or line of the chunk begins at each letter, or ends before it.
    """

    chunk: Codes
    text: Codes
    at: Ints
    place: Ints
    size: int
    breaks: Bools

    def matches(self, low: int, high: int) -> list[Match]:
        """Return the best places of the letters [low, high) of the chunk, none without seeds."""
        inside = (self.at >= low) & (self.at + self.size <= high)
        if not inside.any():
            return []
        at, place = self.at[inside] - low, self.place[inside]
        best = matches(self.chunk[low:high], self.text, at, place, self.size)
        return [match.moved(low) for match in best]


_ENDS_SENTENCE = np.array([ord(mark) for mark in ".!?:;…。！？"], dtype=np.uint32)
_ENDS_LINE = np.array([ord(mark) for mark in "\n\r\v\f\x85\u2028\u2029"], dtype=np.uint32)


def _breaks(text: str, offsets: Ints) -> Bools:
    """Return whether a sentence or line begins at each letter of a text, given their offsets.

    The last value is about the end of the text.

    >>> _breaks("Fog. 3.5 m", np.array([0, 1, 2, 5, 7, 9])).tolist()
    [True, False, False, True, False, False, True]
    """
    codes = code_points(text)
    is_space = np.append(are_white_space(codes), True)
    is_break = np.isin(codes, _ENDS_LINE) | (np.isin(codes, _ENDS_SENTENCE) & is_space[1:])
    before = np.append(0, np.cumsum(is_break))
    inner = before[offsets[1:]] > before[offsets[:-1] + 1]
    return np.concatenate([[True], inner, [True]])


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
    length = len(letters.chunk)
    every = letters.matches(0, length)
    if not every:
        return Resemblance(row, (), 0.0, False, False)
    best, is_ambiguous = _nearest(every, near)
    every = [best]
    open_parts = [(0, best.start), (best.end, length)]
    while open_parts and len(every) < _MOST_PARTS:
        low, high = open_parts.pop()
        others = letters.matches(low, high)
        if others:
            other, is_repeated = _nearest(others, best.place[0])
            if _divided([other], letters):
                is_ambiguous |= is_repeated
                every.append(other)
            open_parts += [(low, other.start), (other.end, high)]
    every.sort(key=lambda match: match.start)
    parts = _divided(every, letters)
    if not parts:
        share = sum(match.covered for match in every) / length
        return Resemblance(row, tuple(every), share, is_ambiguous, False)
    covered = sum(match.covered for match in parts)
    accepted = covered >= min_share * length or _only_ends_are_missing(parts, length, min_share)
    is_ambiguous |= _is_any_elsewhere(parts, letters, document)
    return Resemblance(row, tuple(parts), covered / length, is_ambiguous, accepted)


def _nearest(every: Sequence[Match], near: int) -> tuple[Match, bool]:
    """Return the nearest of the places that are as good as the best, and whether there are more."""
    good = [match for match in every if match.covered >= (1 - _SAME) * every[0].covered]
    return min(good, key=lambda match: abs(match.place[0] - near)), len(good) > 1


def _divided(every: Sequence[Match], letters: _Letters) -> list[Match]:
    """Return the parts of what was found of a chunk that show text, in the order of the chunk."""
    chunk, text = letters.chunk, letters.text
    groups: list[list[Segment]] = []
    for match in every:
        groups.append([match.segments[0]])
        for segment in match.segments[1:]:
            last = groups[-1][-1]
            if _is_one_part(last, segment, chunk, text):
                groups[-1].append(segment)
                continue
            if last.end == segment.start:
                at = _between_sentences(last, segment, letters)
                groups[-1][-1] = _segment(last.start, at, last.diagonal, chunk, text)
                segment = _segment(at, segment.end, segment.diagonal, chunk, text)
            groups.append([segment])
    parts = [Match(tuple(group)) for group in groups]
    edges = [(part.start, part.end) for part in parts]
    before = [0, *(end for _, end in edges)]
    after = [*(start for start, _ in edges[1:]), len(chunk)]
    kept = []
    for part, left, right in zip(parts, before, after, strict=False):
        shown = _of_sentences(part, left, right, letters)
        if shown is not None:
            kept.append(shown)
    return kept


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


def _between_sentences(last: Segment, segment: Segment, letters: _Letters) -> int:
    """Return where to divide two segments that touch in the chunk, and not in the text.

    If the letters around agree with both places, this may be anywhere among them; then it is where
    a sentence begins.
    """
    chunk, text = letters.chunk, letters.text
    low = high = segment.start
    lowest, highest = max(last.start + 1, low - _WIDEST), min(segment.end, high + _WIDEST)
    while low > lowest and chunk[low - 1] == text[low - 1 + segment.diagonal]:
        low -= 1
    while high < highest - 1 and chunk[high] == text[high + last.diagonal]:
        high += 1
    starts = [at for at in range(low, high + 1) if letters.breaks[at]]
    return min(starts, key=lambda at: abs(at - segment.start), default=segment.start)


def _of_sentences(part: Match, left: int, right: int, letters: _Letters) -> Match | None:
    """Return a part without what is by chance at its ends; None if all of it is.

    left, right: where the parts before and after it end and begin in the chunk.
    """
    start, end, breaks = part.start, part.end, letters.breaks
    if start > left and not breaks[start]:
        inner = np.flatnonzero(breaks[start : min(start + _NEAR_END, end)])
        start += int(inner[0]) if len(inner) else 0
    if end < right and not breaks[end]:
        low = max(end - _NEAR_END, start) + 1
        inner = np.flatnonzero(breaks[low:end])
        end = low + int(inner[-1]) if len(inner) else end
    if (start, end) != (part.start, part.end):
        part = part.within(start, end, letters.chunk, letters.text)
    is_whole = (start == left or breaks[start]) and (end == right or breaks[end])
    return part if part.covered >= (letters.size if is_whole else _LEAST_BESIDE) else None


def _only_ends_are_missing(parts: Sequence[Match], length: int, min_share: float) -> bool:
    """Return whether all letters not found, but for few, stand before or after those found."""
    covered = sum(match.covered for match in parts)
    enough = covered >= max(_LEAST_BESIDE, LEAST_SHARE * length)
    return enough and covered >= min_share * (parts[-1].end - parts[0].start)


def _is_any_elsewhere(parts: Sequence[Match], letters: _Letters, document: DenseText) -> bool:
    """Return whether the text of a part is elsewhere, too, between the parts around it."""
    seeds, counts = np.unique(letters.at, return_counts=True)
    single = seeds[counts == 1]
    places = [part.place for part in parts]
    for number, part in enumerate(parts):
        if ((single >= part.start) & (single + letters.size <= part.end)).any():
            continue
        start, end = places[number]
        low = max((place[1] for place in places[:number]), default=0)
        high = min((place[0] for place in places[number + 1 :]), default=len(document))
        text = document.dense[start:end]
        if not low <= start <= end <= high:
            low, high = 0, len(document)
        first = document.dense.find(text, low, high)
        if first != start or document.dense.find(text, start + 1, high) >= 0:
            return True
    return False


_MOST_MARKS = 40


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
            added += len(text[start:end].strip())
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
