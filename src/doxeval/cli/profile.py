"""The profile of a run: how much it serves directly, leaves to navigation, and misses."""

from __future__ import annotations

from collections.abc import Iterator

from doxeval.measures import PROFILE
from doxeval.scores import RunScores, ScoreTable, mean_curve

_RANKS = (1, 5, 10, 50)


def in_words(table: ScoreTable) -> Iterator[str]:
    """A few lines about each run; the curves have the shares at every rank."""
    for scores in table.runs:
        yield ""
        yield f"{scores.run}: shares of the possible gain"
        yield from _shares(scores)
        yield _conclusion(scores)


def _by_rank(scores: RunScores) -> dict[str, list[float]]:
    """The mean shares of hits, near-misses and misses at each rank."""
    return {
        curve.label: [value or 0.0 for value in mean_curve(curve, scores.counted)]
        for curve in scores.curves
        if curve.label in PROFILE
    }


def _shares(scores: RunScores) -> Iterator[str]:
    hits, near, misses = (_by_rank(scores)[name] for name in PROFILE)
    ranks = [rank for rank in _RANKS if rank < len(hits)] + [len(hits)]
    for rank in ranks:
        seen_twice = max(1 - hits[rank - 1] - near[rank - 1] - misses[rank - 1], 0.0)
        yield (
            f"  after {rank:>4} results: {hits[rank - 1]:6.1%} hits, {near[rank - 1]:6.1%} "
            f"near-misses, {misses[rank - 1]:6.1%} missed, {seen_twice:6.1%} seen twice"
        )


def _conclusion(scores: RunScores) -> str:
    hits, near, misses = (_by_rank(scores)[name][-1] for name in PROFILE)
    gained = hits + near
    if not gained:
        return "  nothing relevant is found"
    return (
        f"  {hits / gained:.0%} of the gain is served directly, {near / gained:.0%} is left to "
        f"navigation; {misses:.0%} of the possible gain is missed"
    )
