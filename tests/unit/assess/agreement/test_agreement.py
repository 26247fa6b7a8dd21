"""The agreement of assessors, against plain counts of one character and one element at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement_twins import plain_alpha, plain_kappa
from doxeval.assess.agreement import AgreementRow, AssessorAgreement, Averages, agreement, number
from doxeval.assess.exchange import Judged
from doxeval.assess.judging import MODES, Grade, Mode, State
from strategies.judged import JudgedWorld, judged_worlds

LEVELS = {None: 0, "?": 1, 1: 2, 2: 3}


def mean(values: Iterable[Fraction | None]) -> Any:
    """The exact mean."""
    defined = [value for value in values if value is not None]
    return sum(defined, Fraction(0)) / len(defined) if defined else None


def labels(one: Judged) -> list[int]:
    """1 for each highlighted character, 0 for the others."""
    highlighted = {at for start, end in one.state.highlights for at in range(start, end)}
    return [int(at in highlighted) for at in range(one.length)]


def jaccard(first: Sequence[int], second: Sequence[int]) -> Fraction | None:
    one, other = ({at for at, label in enumerate(some) if label} for some in (first, second))
    return Fraction(len(one & other), len(one | other)) if one | other else None


def f1(first: Sequence[int], second: Sequence[int]) -> Fraction | None:
    one, other = ({at for at, label in enumerate(some) if label} for some in (first, second))
    if not one and not other:
        return None
    if not one & other:
        return Fraction(0)
    precision, recall = Fraction(len(one & other), len(one)), Fraction(len(one & other), len(other))
    return 2 * precision * recall / (precision + recall)


def kappa(first: Sequence[int], second: Sequence[int]) -> Fraction | None:
    return plain_kappa(first, second, weighted=False) if first else None


class Twin:
    """All values of a row, counted one by one."""

    def __init__(self, judged: Sequence[Judged], topic: str | None, names: Sequence[str]) -> None:
        counted = [
            one for one in judged if one.state.status == "validated" and topic in (None, one.topic)
        ]
        self.said = {(one.assessor, one.pair): one for one in counted}
        self.names = names
        self.pairs = [
            [
                (self.said[a, document], self.said[b, document])
                for document in dict.fromkeys(one.pair for one in counted)
                if (a, document) in self.said and (b, document) in self.said
            ]
            for a, b in combinations(names, 2)
        ]
        self.pairs = [pair for pair in self.pairs if pair]
        self.shared = list(dict.fromkeys(one.pair for pair in self.pairs for one, _ in pair))

    def of_pairs(self, micro: object, macro: object) -> Averages:
        return Averages(
            mean(micro(pair) for pair in self.pairs),  # type: ignore[operator]
            mean(macro(pair) for pair in self.pairs),  # type: ignore[operator]
        )

    def over_characters(self, value: object) -> Averages:
        """Micro: all texts one after another; macro: the mean over documents."""

        def micro(pair: Sequence[tuple[Judged, Judged]]) -> Fraction | None:
            first = [label for one, _ in pair for label in labels(one)]
            second = [label for _, other in pair for label in labels(other)]
            return value(first, second)  # type: ignore[operator, no-any-return]

        return self.of_pairs(micro, lambda pair: mean(micro([both]) for both in pair))

    def document_kappa(self) -> Averages:
        def micro(pair: Sequence[tuple[Judged, Judged]]) -> Fraction | None:
            first = [int(one.state.is_relevant) for one, _ in pair]
            second = [int(other.state.is_relevant) for _, other in pair]
            return kappa(first, second)

        def macro(pair: Sequence[tuple[Judged, Judged]]) -> Any:
            topics = dict.fromkeys(one.topic for one, _ in pair)
            return mean(micro([both for both in pair if both[0].topic == t]) for t in topics)

        return self.of_pairs(micro, macro)

    def units(self, document: tuple[str, str]) -> list[list[int | None]]:
        """What each assessor says of each character of a document."""
        every = [self.said.get((name, document)) for name in self.names]
        length = next(one.length for one in every if one is not None)
        columns = [[None] * length if one is None else labels(one) for one in every]
        return [list(unit) for unit in zip(*columns, strict=True)]

    def character_alpha(self) -> Averages:
        documents = [self.units(document) for document in self.shared]
        together = [unit for units in documents for unit in units]
        return Averages(number(plain_alpha(together)), mean(map(plain_alpha, documents)))

    def agreed(self) -> int:
        """How many documents all of their assessors call relevant, or none of them."""
        every = [[self.said.get((name, one)) for name in self.names] for one in self.shared]
        said = [{one.state.is_relevant for one in own if one is not None} for own in every]
        return sum(len(values) == 1 for values in said)

    def document_alpha(self) -> Averages:
        topics: dict[str, list[list[int | None]]] = {}
        for document in self.shared:
            every = [self.said.get((name, document)) for name in self.names]
            unit = [None if one is None else int(one.state.is_relevant) for one in every]
            topics.setdefault(document[0], []).append(unit)
        together = [unit for units in topics.values() for unit in units]
        return Averages(number(plain_alpha(together)), mean(map(plain_alpha, topics.values())))

    def elements(self, world: JudgedWorld, scale: int) -> tuple[int, Averages]:
        """The number of compared elements, and weighted κ; scale: exhaustivity or specificity."""

        def grades(both: tuple[Judged, Judged]) -> list[tuple[int, int]]:
            article = world.article(both[0].document)
            found = []
            for path in map(article.path_of, range(len(article))):
                said = [one.state.grades.get(path) for one in both]
                if world.mode == "2005":
                    found.append((LEVELS[said[0]], LEVELS[said[1]]))  # type: ignore[index]
                elif None not in said:
                    found.append((said[0][scale], said[1][scale]))  # type: ignore[index, arg-type]
            return found

        def micro(pair: Sequence[tuple[Judged, Judged]]) -> Fraction | None:
            every = [one for both in pair for one in grades(both)]
            first, second = [a for a, _ in every], [b for _, b in every]
            return plain_kappa(first, second, weighted=True) if every else None

        compared = sum(len(grades(both)) for pair in self.pairs for both in pair)
        return compared, self.of_pairs(micro, lambda pair: mean(micro([b]) for b in pair))


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_everything_is_as_counted_one_by_one(mode: Mode, data: st.DataObject) -> None:
    world = data.draw(judged_worlds(mode))
    for row in agreement(world.judged, world.mode).rows:
        check(row, world)


def same(found: Averages, expected: Averages) -> bool:
    """Whether two values are the same but for the last digit."""
    return [
        None if one is None else pytest.approx(float(one), rel=1e-12, abs=1e-15) for one in expected
    ] == list(found)


def check(row: AgreementRow, world: JudgedWorld) -> None:
    twin = Twin(world.judged, row.topic, row.assessors)
    documents = row.documents
    assert documents.judged == len(twin.shared)
    assert documents.agreed == twin.agreed()
    assert same(documents.kappa, twin.document_kappa())
    assert same(documents.alpha, twin.document_alpha())
    assert (row.characters is None) == (world.mode == "2003")
    if row.characters is not None:
        assert same(row.characters.jaccard, twin.over_characters(jaccard))
        assert same(row.characters.f1, twin.over_characters(f1))
        assert same(row.characters.kappa, twin.over_characters(kappa))
        assert same(row.characters.alpha, twin.character_alpha())
        empty = [d for d in twin.shared if not any(1 in unit for unit in twin.units(d))]
        assert row.characters.empty == len(empty)
    assert (row.entry_points is None) == (world.mode != "2006")
    if row.entry_points is not None:
        both = [(a.state.bep, b.state.bep) for pair in twin.pairs for a, b in pair]
        apart = [abs(a - b) for a, b in both if a is not None and b is not None]
        found = row.entry_points
        assert found.compared == len(apart)
        assert found.mean == (sum(apart) / len(apart) if apart else None)
        assert found.median == (median(apart) if apart else None)
        assert found.equal == (apart.count(0) / len(apart) if apart else None)
    assert (row.elements is None) == (world.mode == "2006")
    if row.elements is not None:
        compared, exhaustivity = twin.elements(world, 0)
        assert row.elements.compared == compared
        assert same(row.elements.exhaustivity, exhaustivity)
        assert (row.elements.specificity is None) == (world.mode == "2005")
        if row.elements.specificity is not None:
            assert same(row.elements.specificity, twin.elements(world, 1)[1])


@given(judged_worlds())
def test_rows_are_pairs_with_documents_in_common_then_everybody(world: JudgedWorld) -> None:
    rows = agreement(world.judged, world.mode).rows
    keys = [(row.topic, row.assessors) for row in rows]
    assert len(set(keys)) == len(keys)
    validated = {(one.topic, one.document, one.assessor) for one in world.judged if not one.draft}
    for row in rows:
        pairs = list(combinations(row.assessors, 2))
        assert row.documents.judged > 0
        shared = [
            (topic, document)
            for topic, document, a in validated
            for _, b in pairs
            if (topic, document, b) in validated and a != b and row.topic in (None, topic)
        ]
        assert shared
    if len({row.topic for row in rows} - {None}) > 1:
        assert rows[-1].topic is None


def judged(assessor: str, *highlights: tuple[int, int], topic: str = "7", **more: object) -> Judged:
    bep = highlights[0][0] if highlights else None
    state = State(highlights=highlights, bep=bep, status="validated")
    return Judged(topic, "a", assessor, state, length=20, **more)  # type: ignore[arg-type]


def test_drafts_and_adjudicated_judgments_do_not_count() -> None:
    one, other = judged("A1", (0, 5)), judged("A2", (3, 9))
    draft = replace(other, state=replace(other.state, status="open"))
    settled = replace(other, assessor=None, adjudicated=True)
    assert agreement([one, draft, settled], "2006").rows == ()
    assert len(agreement([one, other, settled], "2006").rows) == 1


def test_three_assessors_share_a_row_with_the_mean_over_pairs() -> None:
    said = [judged("A1", (0, 10)), judged("A2", (5, 10)), judged("A3")]
    rows = agreement(said, "2006").rows
    assert [" ".join(row.assessors) for row in rows] == ["A1 A2", "A1 A3", "A2 A3", "A1 A2 A3"]
    every = rows[-1]
    assert every.characters is not None
    assert every.characters.jaccard.micro == 0.5 / 3
    assert every.documents.agreed == 0
    assert every.entry_points is not None
    assert every.entry_points.compared == 1


def test_neither_highlighting_anything_is_counted_and_has_no_jaccard() -> None:
    (row,) = agreement([judged("A1"), judged("A2")], "2006").rows
    assert row.characters is not None
    assert row.characters.empty == 1
    assert row.characters.jaccard == Averages(None, None)
    assert row.characters.kappa == Averages(None, None)
    assert row.documents.kappa == Averages(None, None)
    assert row.as_dict()["characters"]["jaccard"] == {"micro": None, "macro": None}


@pytest.mark.parametrize("mode", MODES)
def test_tables_have_as_many_cells_in_every_row(mode: Mode) -> None:
    grades: dict[str, dict[str, Grade]] = {"2005": {"/s[1]": 2}, "2003": {"/s[1]": (1, 2)}}
    said = [
        Judged("7", "a", name, State(grades=grades.get(mode, {}), status="validated"), 9, 3)
        for name in ("A1", "A2")
    ]
    found: AssessorAgreement = agreement(said, mode)
    head, *rows = found.table()
    assert rows
    assert all(len(row) == len(head) for row in rows)
    assert found.as_dict()["rows"][0]["assessors"] == ["A1", "A2"]
