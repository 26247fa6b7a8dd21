"""How assessors do on honeypots: documents placed among the others whose relevant text is known.

Precision is the share of what an assessor highlighted that is relevant, recall the share of the
relevant text that they highlighted, F1 the harmonic mean of both. Micro adds up the characters of
all honeypots that the assessor validated, macro is the mean over them. In mode 2003, elements
graded above zero take the place of highlighted characters. A value that is undefined is None:
precision where nothing was highlighted, recall where nothing is relevant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.assess.agreement.overlap import CharacterTables, character_tables, mean_of
from doxeval.assess.agreement.values import Averages, number
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.judging import Mode, State, is_above_zero


@dataclass(frozen=True)
class HoneypotScore:
    """How one assessor does on honeypots.

    judged: those that they validated. right: those of them for which they say rightly whether the
    document is relevant.
    """

    assessor: str
    judged: int
    right: int
    precision: Averages
    recall: Averages
    f1: Averages

    def as_dict(self) -> dict[str, Any]:
        """The values by name, for JSON.

        >>> HoneypotScore("A1", 2, 1, *[Averages(None, None)] * 3).as_dict()["right"]
        1
        """
        scores = {name: getattr(self, name).as_dict() for name in ("precision", "recall", "f1")}
        return {
            "assessor": self.assessor,
            "judged": self.judged,
            "right": self.right,
            **scores,
        }


def honeypots(
    judged: Iterable[Judged], gold: Mapping[tuple[str, str], State], mode: Mode
) -> tuple[HoneypotScore, ...]:
    """The scores of all assessors who validated honeypots, by their pseudonyms.

    gold: what is known, by topic and document.

    >>> gold = {("7", "a"): State(highlights=((0, 10),))}
    >>> said = State(highlights=((5, 15),), bep=5, status="validated")
    >>> (score,) = honeypots([Judged("7", "a", "A1", said, 20)], gold, "2006")
    >>> score.precision.micro, score.recall.micro, score.f1.micro
    (0.5, 0.5, 0.5)
    """
    by_assessor: dict[str, list[Judged]] = {}
    for one in judged:
        if one.pair in gold and one.assessor is not None and not one.draft and not one.adjudicated:
            by_assessor.setdefault(one.assessor, []).append(one)
    return tuple(
        _score(assessor, by_assessor[assessor], gold, mode) for assessor in sorted(by_assessor)
    )


def _score(
    assessor: str,
    judged: Sequence[Judged],
    gold: Mapping[tuple[str, str], State],
    mode: Mode,
) -> HoneypotScore:
    known = [gold[one.pair] for one in judged]
    if mode == "2003":
        tables = _elements([one.state for one in judged], known)
    else:
        tables = character_tables(
            [one.state.highlights for one in judged],
            [state.highlights for state in known],
            [one.length for one in judged],
        )

    total = tables.total()

    def averages(name: str) -> Averages:
        return Averages(number(getattr(total, name)), mean_of(getattr(tables, name)()))

    return HoneypotScore(
        assessor,
        len(judged),
        sum(
            one.state.is_relevant == right.is_relevant
            for one, right in zip(judged, known, strict=True)
        ),
        averages("precision"),
        averages("recall"),
        averages("f1"),
    )


def _elements(said: Sequence[State], known: Sequence[State]) -> CharacterTables:
    """Elements graded above zero by the assessor and in what is known, for each document."""
    rows = []
    for one, other in zip(said, known, strict=True):
        first, second = (
            {path for path, grade in state.grades.items() if is_above_zero(grade)}
            for state in (one, other)
        )
        rows.append((len(first & second), len(first - second), len(second - first), 0))
    return CharacterTables(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)
