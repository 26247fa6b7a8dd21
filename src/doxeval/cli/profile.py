"""The profile of a run: how much it serves directly, leaves to navigation, and misses."""

from __future__ import annotations

from collections.abc import Iterator

from doxeval.measures import PROFILE
from doxeval.scores import ScoreTable, mean_curve

_RANKS = (1, 5, 10, 50)


def in_words(table: ScoreTable) -> Iterator[str]:
    """Yield a few lines about each run; the curves have the shares at every rank."""
    for scores in table.runs:
        shares = {
            curve.label: [mean or 0.0 for mean in mean_curve(curve, scores.counted)]
            for curve in scores.curves
            if curve.label in PROFILE
        }
        hits, near_misses, misses = (shares[name] for name in PROFILE)
        yield ""
        yield f"{scores.run}: shares of the possible gain"
        for rank in [*(rank for rank in _RANKS if rank < len(hits)), len(hits)]:
            hit, near, missed = (share[rank - 1] for share in (hits, near_misses, misses))
            seen_twice = max(1 - hit - near - missed, 0.0)
            yield (
                f"  after {rank:>4} results: {hit:6.1%} hits, {near:6.1%} near-misses, "
                f"{missed:6.1%} missed, {seen_twice:6.1%} seen twice"
            )
        yield _conclusion(hits[-1], near_misses[-1], misses[-1])


def _conclusion(hit: float, near: float, missed: float) -> str:
    gain = hit + near
    if not gain:
        return "  nothing relevant is found"
    return (
        f"  {hit / gain:.0%} of the gain is served directly, {near / gain:.0%} is left to "
        f"navigation; {missed:.0%} of the possible gain is missed"
    )
