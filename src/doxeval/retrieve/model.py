"""What a retrieval model is: a named value that scores the units which match a query.

A model says of itself what it is (title, formula, sources), declares its parameters as fields, and
computes what each item of the query adds to the score of each unit. Help and documentation are made
from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import InputError
from doxeval.named import Named
from doxeval.retrieve.evidence import Evidence

UnitKind = Literal["elements", "documents", "windows", "passages", "chunks"]


class Source(NamedTuple):
    """Where something comes from, and what it says.

    is_verified: whether we read it, at least its abstract or its code. What we only remember is
    marked as such wherever it is shown.
    """

    where: str
    what: str
    is_verified: bool


class Example(NamedTuple):
    """A worked example that runs: a model, counts of some units, their scores, and why.

    If the model takes the context of articles into account, they are scored as search does it.
    """

    name: str
    units: tuple[str, ...]
    evidence: Evidence
    scores: tuple[float, ...]
    why: str


@dataclass(frozen=True)
class Facts:
    """What there is to know about a model besides its parameters.

    letters: what the letters of the formula stand for.
    """

    title: str = ""
    formula: str = ""
    letters: str = ""
    sources: tuple[Source, ...] = ()
    edge_cases: str = ""
    example: Example | None = None


@dataclass(frozen=True)
class Model(Named):
    """A retrieval model with its parameters.

    Subclasses are frozen dataclasses with a `name`, `facts`, and the method `by_item`. This one
    counts how many items of the query a unit holds:

    >>> @dataclass(frozen=True)
    ... class Coordination(Model):
    ...     '''How many of the items occur.'''
    ...
    ...     name = "coordination"
    ...
    ...     def by_item(self, evidence):
    ...         for item, weight in enumerate(evidence.weight):
    ...             yield weight * (evidence.tf[:, item] > 0)
    >>> from doxeval.retrieve.examples import EXAMPLE
    >>> Coordination().scores(EXAMPLE).tolist()
    [1.0, 2.0]
    """

    facts: ClassVar[Facts] = Facts()

    def by_item(self, evidence: Evidence) -> Iterator[Floats]:
        """What each item adds to the score of each unit, item after item."""
        raise NotImplementedError

    def besides(self, evidence: Evidence) -> dict[str, Floats]:
        """What else is in the score of each unit, such as a length prior or its article."""
        return {}

    def scores(self, evidence: Evidence) -> Floats:
        """The score of each unit: what the items add, in the order of the query, and the rest.

        Sums are taken column by column, so that they are the same on every machine.
        """
        total = np.zeros(len(evidence))
        for share in self.by_item(evidence):
            total += share
        for share in self.besides(evidence).values():
            total += share
        return total

    def shares(self, evidence: Evidence) -> Floats:
        """What each item (column) adds to the score of each unit (row).

        The rest of the score is in `besides`.
        """
        columns = [np.asarray(share, dtype=np.float64) for share in self.by_item(evidence)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(evidence), 0))

    def settled(self, units: UnitKind) -> Self:
        """The model with those parameters filled in that depend on what is ranked."""
        return self

    def warnings(self, evidence: Evidence) -> list[str]:
        """What to warn about in the scores."""
        return []

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return self.facts.title or (type(self).__doc__ or self.name).split("\n")[0].rstrip(".")


def checked_scores(model: Model, evidence: Evidence) -> Floats:
    """The scores by a model, which may be a user's own; an error if they are not usable.

    >>> from doxeval.retrieve.examples import EXAMPLE
    >>> from doxeval.retrieve.models import lm
    >>> checked_scores(lm, EXAMPLE).round(3).tolist()
    [4.431, 4.852]
    """
    found = np.asarray(model.scores(evidence), dtype=np.float64)
    if found.shape != (len(evidence),):
        raise InputError(
            f"{model.label} gives scores of shape {found.shape}: "
            f"expected one for each of the {len(evidence):,} units"
        )
    if not np.isfinite(found).all():
        wrong = found[~np.isfinite(found)][0]
        raise InputError(f"{model.label} gives a unit the score {wrong}: expected a finite number")
    return found
