"""The best places of chunks between two anchors, by dynamic programming in both directions."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

Ends: TypeAlias = tuple[int, int]
_NEVER = 1 << 60


@dataclass(frozen=True)
class Stretch:
    """Chunks with several places each, and the anchors (start, end) before and after them.

    Without an anchor the stretch reaches to the beginning or the end of the document.
    """

    places: list[list[int]]
    lengths: list[int]
    own: list[int]
    before: Ends | None
    after: Ends | None
    size: int


@dataclass(frozen=True)
class Best:
    """The places of each chunk that belong to a best choice, and what is left uncovered after them.

    `left[i][j]` solid characters stay uncovered after the end of chunk i at `places[i][j]`.
    """

    places: list[list[int]]
    left: list[list[int]]


def best_places(stretch: Stretch) -> Best | int:
    """The places of best choices, or the first chunk that cannot follow those before it."""
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
        best = [j for j, one in enumerate(total) if one == least]
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
    """Costs of the places of one chunk from those of the chunk before, which is `width` long.

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
    """One best choice: own places first, then those with the usual overlap, then the first."""
    chosen: list[int] = []
    start, end = stretch.before or (0, 0)
    for number, (places, left) in enumerate(zip(best.places, best.left, strict=True)):
        length, own = stretch.lengths[number], stretch.own[number]
        known = number > 0 or stretch.before is not None
        options = [
            (max(at - end, 0) + after, at != own, abs(end - at - overlap) if known else 0, at)
            for at, after in zip(places, left, strict=True)
            if at >= start and at + length >= end
        ]
        start = min(options)[-1]
        end = start + length
        chosen.append(start)
    return chosen
