"""Scores on honeypots, against sets of characters."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.agreement import Averages, honeypots
from doxeval.assess.exchange import Judged
from doxeval.assess.judging import State
from strategies import highlights

Ranges = list[tuple[int, int]]


def characters(ranges: Ranges) -> set[tuple[int, int]]:
    return {(0, at) for start, end in ranges for at in range(start, end)}


def validated(ranges: Ranges) -> State:
    return State(highlights=tuple(ranges), bep=0 if ranges else None, status="validated")


@given(st.lists(st.tuples(highlights(), highlights()), min_size=1, max_size=3))
def test_scores_are_those_of_sets_of_characters(said: list[tuple[Ranges, Ranges]]) -> None:
    judged = [
        Judged("7", f"d{n}", "A1", validated(own), length=60, honeypot=True)
        for n, (own, _) in enumerate(said)
    ]
    gold = {("7", f"d{n}"): validated(known) for n, (_, known) in enumerate(said)}
    (score,) = honeypots(judged, gold, "2006")
    values = []
    for own, known in said:
        one, other = characters(own), characters(known)
        both = len(one & other)
        precision = Fraction(both, len(one)) if one else None
        recall = Fraction(both, len(other)) if other else None
        f1 = Fraction(2 * both, len(one) + len(other)) if one or other else None
        values.append((precision, recall, f1))
    found = (score.precision, score.recall, score.f1)
    for at, averages in enumerate(found):
        defined = [value for row in values if (value := row[at]) is not None]
        exact = sum(defined, Fraction(0)) / len(defined) if defined else None
        assert averages.macro == (None if exact is None else pytest.approx(float(exact)))
    own_count = sum(end - start for own, _ in said for start, end in own)
    both_count = sum(len(characters(own) & characters(known)) for own, known in said)
    assert score.precision.micro == (both_count / own_count if own_count else None)
    assert score.right == sum(bool(own) == bool(known) for own, known in said)


def test_only_validated_honeypots_of_assessors_count() -> None:
    gold = {("7", "a"): validated([(0, 5)])}
    draft = State(highlights=((0, 5),))
    judged = [
        Judged("7", "a", "A1", draft, 60),
        Judged("7", "a", None, validated([(0, 5)]), 60, adjudicated=True),
        Judged("7", "b", "A2", validated([(0, 5)]), 60),
    ]
    assert honeypots(judged, gold, "2006") == ()


def test_graded_elements_take_the_place_of_characters_in_2003() -> None:
    gold = {("7", "a"): State(grades={"/s[1]": (3, 2), "/s[1]/p[1]": (1, 3)})}
    said = State(grades={"/s[1]": (1, 1), "/s[1]/p[2]": (2, 2), "/s[1]/p[3]": (0, 0)})
    said = State(grades=said.grades, status="validated")
    (score,) = honeypots([Judged("7", "a", "A1", said, 60)], gold, "2003")
    assert score.precision == Averages(0.5, 0.5)
    assert score.recall == Averages(0.5, 0.5)
    assert score.as_dict()["f1"] == {"micro": 0.5, "macro": 0.5}
