"""Many tests at once: Holm's correction, and letters for runs that are not shown to differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_letters


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected for their number [Holm 1979]; None stands for a pair that was not tested.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none becomes smaller than
    the one before it, or larger than 1.

    >>> [None if p is None else round(p, 4) for p in holm([0.01, 0.04, None, 0.03])]
    [0.03, 0.06, None, 0.06]
    """
    tested = sorted((p, number) for number, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for smaller, (p, number) in enumerate(tested):
        largest = max(largest, min(p * (len(tested) - smaller), 1.0))
        corrected[number] = largest
    return corrected


def groups(ranking: Sequence[str], different: Collection[frozenset[str]]) -> list[tuple[str, ...]]:
    """Groups of runs: two runs share at least one group if and only if they do not differ.

    Each group is as large as it can be, and grows from the best two runs that share none yet.

    >>> groups(["a", "b", "c"], {frozenset("ac")})
    [('a', 'b'), ('b', 'c')]
    """
    alike = {
        run: {other for other in ranking if frozenset((run, other)) not in different}
        for run in ranking
    }
    together: set[frozenset[str]] = set()
    grown: list[tuple[str, ...]] = []
    for rank, run in enumerate(ranking):
        for other in ranking[rank:]:
            if other in alike[run] and frozenset((run, other)) not in together:
                group = _grown(ranking, alike, [run, other])
                together |= {frozenset((one, two)) for one in group for two in group}
                grown.append(group)
    return sorted(_needed(grown), key=lambda group: [ranking.index(run) for run in group])


def _grown(ranking: Sequence[str], alike: dict[str, set[str]], seed: list[str]) -> tuple[str, ...]:
    """The group of these runs with every other run that differs from none in it, best first."""
    group = set(seed)
    for run in ranking:
        if group <= alike[run]:
            group.add(run)
    return tuple(run for run in ranking if run in group)


def _needed(groups: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Without groups whose pairs are all in other groups."""
    kept = list(groups)
    for group in reversed(groups):
        others = [set(other) for other in kept if other is not group]
        if all(any({a, b} <= other for other in others) for a in group for b in group):
            kept.remove(group)
    return kept


def letters(groups: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """The letters of each run: a for the first group, b for the second, and so on.

    >>> letters([("good", "fair"), ("fair", "bad")])
    {'good': 'a', 'fair': 'ab', 'bad': 'b'}
    """
    spelt: dict[str, str] = {}
    for number, group in enumerate(groups):
        rounds, letter = divmod(number, len(ascii_letters))
        name = ascii_letters[letter] + (str(rounds + 1) if rounds else "")
        for run in group:
            spelt[run] = spelt.get(run, "") + name
    return spelt
