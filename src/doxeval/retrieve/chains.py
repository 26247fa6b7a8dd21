"""The segments of a query one after another: chains of elements inside one another.

`//article[about(., fog)]//sec[about(., horn)]` has two segments. An element satisfies a segment if
the segment's condition holds at it and the segment's path leads to it from an element that
satisfied the segment before. Scores add from the first segment to the last; of several chains that
end at an element, the best counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxeval.arrays import Ints, positions_in
from doxeval.documents import Collection
from doxeval.retrieve.climbing import Climbed, Fitting, at_or_below, climb
from doxeval.retrieve.comparisons import holding
from doxeval.retrieve.conditions import AboutTerms, Conditions
from doxeval.retrieve.scored import Scored
from doxeval.topics import Clause, Comparison, Segment, Step, StructuredQuery


@dataclass(frozen=True)
class Link:
    """A segment, and how its elements hang below those of the segment before it.

    steps: the steps that lead to its elements; None if they may be any elements at or below those
    of the segment before.
    """

    tree: Collection
    segment: Segment
    steps: tuple[Step, ...] | None
    is_first: bool

    @cached_property
    def fitting(self) -> Fitting | None:
        """The paths its elements can have, as far as its own steps tell; None for any path."""
        if self.steps is None:
            return None
        return Fitting(self.tree.summary, self.steps, anywhere=not self.is_first)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons of its condition."""
        return tuple(one for one in self.segment.conditions if isinstance(one, Comparison))

    def holding(
        self, about: AboutTerms, true: Mapping[Comparison, Ints] | None = None
    ) -> Scored | None:
        """Where its condition holds; None if it may hold at any element that fits."""
        clause: Clause | None = self.segment.condition
        return Conditions(self.tree, about, self.fitting, true).holding(clause)

    def everything(self) -> Ints:
        """All elements of the collection that it can have."""
        return self._fitting_of(np.arange(len(self.tree.nodes.path)))

    def below(self, above: Ints) -> Ints:
        """The elements it can have at or below some elements; not all of them are led to."""
        return self._fitting_of(at_or_below(self.tree, above))

    def _fitting_of(self, rows: Ints) -> Ints:
        return rows if self.fitting is None else rows[self.fitting.of_rows(self.tree, rows)]

    def climb(self, rows: Ints, into: Fitting | None = None) -> Iterator[Climbed]:
        """The elements of the segment before from which it leads to each of the rows."""
        if self.steps is not None:
            yield from climb(self.tree, rows, self.steps, into)
            return
        which = np.arange(len(rows))
        if into is not None:
            which = which[into.of_rows(self.tree, rows)]
        yield Climbed(which, rows[which])
        yield from climb(self.tree, rows, (Step("//"),), into)


def links_of(query: StructuredQuery, tree: Collection, any_target: bool) -> list[Link]:
    """The segments of a query; with `any_target`, the last of them may lead to any element."""
    links = [
        Link(tree, segment, segment.path.steps, number == 0)
        for number, segment in enumerate(query.segments)
    ]
    if any_target:
        links[-1] = Link(tree, query.segments[-1], None, len(links) == 1)
    return links


def answers(links: Sequence[Link], about: AboutTerms) -> Scored:
    """The elements that satisfy the last segment, with the scores of their best chains."""
    true = _true_comparisons(links, about)
    above = Scored.none()
    for link, of_link in zip(links, true, strict=True):
        here = link.holding(about, of_link)
        if here is None:  # a last path without a condition
            here = Scored.zero(link.below(above.rows))
        above = here if link.is_first else _chained(above, here, link)
        if not len(above.rows):
            break
    return above


def _chained(above: Scored, here: Scored, link: Link) -> Scored:
    """The elements here that hang below elements above, both scores added."""
    best_above = np.full(len(here.rows), -np.inf)
    for which, ancestors in link.climb(here.rows):
        place = positions_in(above.rows, ancestors)
        is_found = place >= 0
        which = which[is_found]
        best_above[which] = np.maximum(best_above[which], above.scores[place[is_found]])
    hangs = best_above > -np.inf
    return Scored(here.rows[hangs], best_above[hangs] + here.scores[hangs])


# Comparisons


def _true_comparisons(links: Sequence[Link], about: AboutTerms) -> list[dict[Comparison, Ints]]:
    """For each segment, where its comparisons are true among elements that pass all the rest."""
    if not any(link.comparisons for link in links):
        return [{} for _ in links]
    return [
        holding(link.tree, rows, link.comparisons)
        for link, rows in zip(links, _possible(links, about), strict=True)
    ]


def _possible(links: Sequence[Link], about: AboutTerms) -> list[Ints]:
    """The elements of each segment that are part of a chain if all comparisons are true.

    The first way, from the last segment to the first, keeps what has something below it, and the
    second, back to the last, what has something above it. A segment that may hold anywhere takes
    its elements from its neighbours; if that is the last one, it has them only after the second
    way, so a third is needed.
    """
    wanted = [link.holding(about) for link in links]
    upwards = _upwards(links, [None if one is None else one.rows for one in wanted])
    downwards: list[Ints] = []
    for link, rows in zip(links, upwards, strict=True):
        if link.is_first:
            downwards.append(link.everything() if rows is None else rows)
        else:
            above = downwards[-1]
            below = link.below(above) if rows is None else rows
            downwards.append(_hanging(link, below, above))
    if upwards[-1] is not None:
        return downwards
    return [rows for rows in _upwards(links, downwards) if rows is not None]


def _upwards(links: Sequence[Link], wanted: Sequence[Ints | None]) -> list[Ints | None]:
    """What of each segment's elements has one of the next segment below it; None: anything."""
    found = [wanted[-1]]
    for number in range(len(links) - 1, 0, -1):
        below, here = found[-1], wanted[number - 1]
        if below is not None:
            climbed = links[number].climb(below, links[number - 1].fitting)
            above = _distinct([one.ancestors for one in climbed])
            here = above if here is None else here[positions_in(above, here) >= 0]
        found.append(here)
    return found[::-1]


def _hanging(link: Link, rows: Ints, above: Ints) -> Ints:
    """The rows to which a segment leads from elements above."""
    hangs = np.zeros(len(rows), dtype=np.bool_)
    for which, ancestors in link.climb(rows):
        hangs[which[positions_in(above, ancestors) >= 0]] = True
    return rows[hangs]


def _distinct(parts: Sequence[Ints]) -> Ints:
    rows = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]), kind="stable")
    is_first = np.append(True, rows[1:] != rows[:-1])[: len(rows)]
    distinct: Ints = rows[is_first]
    return distinct
