"""Many tests at once: Holm's correction, and letters for runs that are not told apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_letters


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Probabilities corrected for their number [Holm 1979]; pairs not tested do not count.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none becomes smaller than
    one before it, or larger than 1.

    >>> [None if p is None else round(p, 4) for p in holm([0.01, 0.04, None, 0.03])]
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for before, (p, place) in enumerate(tested):
        largest = max(largest, min(p * (len(tested) - before), 1.0))
        corrected[place] = largest
    return corrected


def groups(ranking: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """Groups of runs: two runs are together in one of them if and only if they do not differ.

    Each group is as large as it can be, and starts with the best runs that are not together yet.

    >>> groups(["a", "b", "c"], {frozenset("ac")})
    [('a', 'b'), ('b', 'c')]
    """
    alike = {
        run: {other for other in ranking if frozenset((run, other)) not in different}
        for run in ranking
    }
    together: set[frozenset[str]] = set()
    found: list[tuple[str, ...]] = []
    for place, run in enumerate(ranking):
        for other in ranking[place:]:
            if other in alike[run] and frozenset((run, other)) not in together:
                group = _grown(ranking, alike, [run, other])
                together |= {frozenset((one, two)) for one in group for two in group}
                found.append(group)
    return sorted(_needed(found), key=lambda group: [ranking.index(run) for run in group])


def _grown(ranking: Sequence[str], alike: dict[str, set[str]], seed: list[str]) -> tuple[str, ...]:
    """The group with every other run that does not differ from any in it, best first."""
    group = set(seed)
    for run in ranking:
        if group <= alike[run]:
            group.add(run)
    return tuple(run for run in ranking if run in group)


def _needed(found: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without groups whose pairs are all in others."""
    kept = list(found)
    for group in reversed(found):
        others = [set(other) for other in kept if other is not group]
        if all(any({a, b} <= other for other in others) for a in group for b in group):
            kept.remove(group)
    return kept


def letters(found: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """The letters of each run, a for the first group.

    >>> letters([("good", "fair"), ("fair", "bad")])
    {'good': 'a', 'fair': 'ab', 'bad': 'b'}
    """
    spelt: dict[str, str] = {}
    for place, group in enumerate(found):
        rounds, letter = divmod(place, len(ascii_letters))
        name = ascii_letters[letter] + (str(rounds + 1) if rounds else "")
        for run in group:
            spelt[run] = spelt.get(run, "") + name
    return spelt
