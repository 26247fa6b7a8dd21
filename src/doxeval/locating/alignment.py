"""One place for each chunk, so that together they leave as little of the document as they can.

Chunks follow each other: starts never fall and ends never fall. Of all choices that obey this, the
best leave the fewest solid characters uncovered (before the first chunk, between chunks, and after
the last one). A chunk is ambiguous if it has two places among the best choices. It then gets the
place whose overlap with the chunk before is nearest to the usual one, or else the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.locating.paths import Best, Ends, Stretch, best_places, traced
from doxeval.locating.windows import Candidates, narrowed

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
    candidates: Candidates, own: Ints | None = None, most_passes: int | None = None
) -> Aligned:
    """Places for chunks that all have candidates.

    Places in `own` (-1: none) are preferred to others that are as good. Where a chunk cannot follow
    those before it, the text is begun anew; after more than `most_passes` passes nothing is
    searched any more, and the places mean nothing.
    """
    if own is None:
        own = np.full(len(candidates), -1, dtype=np.int64)
    start = np.zeros(len(candidates), dtype=np.int64)
    ambiguous = np.zeros(len(candidates), dtype=np.bool_)
    begin = passes = 0
    while begin < len(candidates) and (most_passes is None or passes <= most_passes):
        end = len(candidates)
        while True:
            rows = slice(begin, end)
            one = _one_pass(candidates.part(rows), own[rows])
            if not isinstance(one, int):
                break
            end = begin + one
        start[rows], ambiguous[rows] = one
        passes += 1
        if end < len(candidates) or begin > 0:
            ambiguous[rows] |= _loose(candidates.part(rows), begin > 0, end < len(candidates))
        begin = end
    return Aligned(start, ambiguous, passes)


def _loose(candidates: Candidates, at_begin: bool, at_end: bool) -> Bools:
    """Chunks that may belong to the pass before or after: no anchor ties them to this one."""
    anchors = np.flatnonzero(candidates.counts == 1)
    loose = np.zeros(len(candidates), dtype=np.bool_)
    first, last = (anchors[0], anchors[-1]) if len(anchors) else (len(candidates), -1)
    if at_begin:
        loose[:first] = True
    if at_end:
        loose[last + 1 :] = True
    return loose


def _one_pass(candidates: Candidates, own: Ints) -> tuple[Ints, Bools] | int:
    """Places and ambiguity of chunks that follow each other, or the first chunk that does not."""
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
        stretch = _stretch(candidates, own, begin, end)
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
        stretch = _stretch(candidates, own, begin, end)
        again = best_places(stretch) if known is None else known
        if not isinstance(again, int):
            start[begin:end] = traced(stretch, again, overlap)
    return start, ambiguous


def _open_runs(several: Bools) -> list[tuple[int, int]]:
    """The runs of chunks that have several places left."""
    edges = np.flatnonzero(np.diff(several, prepend=False, append=False))
    pairs: list[tuple[int, int]] = [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
    return pairs


def _stretch(candidates: Candidates, own: Ints, begin: int, end: int) -> Stretch:
    """The chunks of an open run between the anchors on both sides of it."""

    def anchor(number: int) -> Ends:
        start = int(candidates.position[candidates.low[number]])
        return start, start + int(candidates.length[number])

    return Stretch(
        [candidates.places(number) for number in range(begin, end)],
        candidates.length[begin:end].tolist(),
        own[begin:end].tolist(),
        anchor(begin - 1) if begin else None,
        anchor(end) if end < len(candidates) else None,
        candidates.size,
    )


def usual_overlap(start: Ints, length: Ints, ambiguous: Bools) -> int:
    """The median overlap of neighbours that are not ambiguous; negative if they leave gaps."""
    overlap = (start + length)[:-1] - start[1:]
    known = overlap[~ambiguous[:-1] & ~ambiguous[1:]]
    return int(np.sort(known)[(len(known) - 1) // 2]) if len(known) else 0


def _one_after_another(candidates: Candidates, begin: int, end: int) -> list[int]:
    """Places of chunks at equal distances, as far as they have such places."""
    chosen: list[int] = []
    first = int(candidates.position[candidates.low[begin]])
    room = int(candidates.position[candidates.high[end - 1] - 1]) - first
    last = reach = 0
    for number in range(begin, end):
        places = candidates.position[candidates.low[number] : candidates.high[number]]
        length = int(candidates.length[number])
        wanted = first + room * (number - begin) // max(end - begin - 1, 1)
        row = int(np.searchsorted(places, max(wanted, last, reach - length)))
        last = int(places[min(row, len(places) - 1)])
        reach = last + length
        chosen.append(last)
    return chosen
