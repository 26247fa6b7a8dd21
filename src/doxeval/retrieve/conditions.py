"""Where the conditions of a query hold, and with what scores.

about: at every element that has a match, or has an element with a match below it to which the path
leads; the score is the best of these. A comparison: where it is true, with the score 0. and: where
all clauses hold, the scores added in their order. or: where any clause holds, the best score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.documents import Collection
from doxeval.retrieve.climbing import Fitting, climb
from doxeval.retrieve.scored import Scored, any_of, best, best_of_ascending, both
from doxeval.topics import About, And, Clause, Comparison, Or, Path, Term

AboutTerms: TypeAlias = Callable[[tuple[Term, ...]], Scored]


@dataclass(frozen=True)
class Conditions:
    """Conditions on the elements of a tree whose paths fit (None: on any element).

    about: the elements with a match for some terms, and their scores.
    true: the elements at which each comparison is true; None while no text was read, and then a
    comparison counts as true everywhere.
    """

    tree: Collection
    about: AboutTerms
    fitting: Fitting | None = None
    true: Mapping[Comparison, Ints] | None = None

    def holding(self, clause: Clause | None) -> Scored | None:
        """The elements at which a condition holds; None if it may hold at any."""
        if isinstance(clause, About):
            return self._about(clause)
        if isinstance(clause, And):
            return self._all(clause)
        if isinstance(clause, Or):
            return self._any(clause)
        if clause is None or self.true is None:
            return None
        return Scored.zero(self.true[clause])

    def _about(self, clause: About) -> Scored:
        found = self.about(clause.terms)
        if clause.where.path is not None:
            return self._at_ancestors(found, clause.where.path)
        if self.fitting is None:
            return found
        fits = self.fitting.of_rows(self.tree, found.rows)
        return Scored(found.rows[fits], found.scores[fits])

    def _at_ancestors(self, found: Scored, path: Path) -> Scored:
        """The best score below each element to which the path leads from it."""
        by_depth = [
            best_of_ascending(ancestors, found.scores[which])
            for which, ancestors in climb(self.tree, found.rows, path.steps, self.fitting)
        ]
        if not by_depth:
            return Scored.none()
        rows = np.concatenate([one.rows for one in by_depth])
        return best(rows, np.concatenate([one.scores for one in by_depth]))

    def _all(self, clause: And) -> Scored | None:
        result: Scored | None = None
        for part in map(self.holding, clause.clauses):
            if part is not None:
                result = part if result is None else both(result, part)
            if result is not None and not len(result.rows):
                break
        return result

    def _any(self, clause: Or) -> Scored | None:
        if self.true is None and _may_hold_anywhere(clause):
            return None
        parts = map(self.holding, clause.clauses)
        return any_of(part for part in parts if part is not None)


def _may_hold_anywhere(clause: Clause) -> bool:
    """Whether a condition can hold at elements without a match, by comparisons alone."""
    if isinstance(clause, And):
        return all(map(_may_hold_anywhere, clause.clauses))
    if isinstance(clause, Or):
        return any(map(_may_hold_anywhere, clause.clauses))
    return isinstance(clause, Comparison)
