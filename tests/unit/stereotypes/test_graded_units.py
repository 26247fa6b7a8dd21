"""The units that simulated systems take from the grades of 2002 to 2005."""

from __future__ import annotations

from fractions import Fraction

import pytest

from doxeval.assessments import (
    Assessments,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    PointPassage,
)
from doxeval.documents import Collection
from doxeval.stereotypes import simulate
from simulating import graded, listed, scores, small_collection


@pytest.fixture(scope="module")
def collection() -> Collection:
    return small_collection()


def test_the_units_of_2002_have_exact_coverage_and_none_such_around(
    collection: Collection,
) -> None:
    judged = Assessments(
        [
            graded(
                "a", "/s[1] 3L\n/s[1]/p[1] 1E\n/s[1]/q[1] 2E\n/s[1]/q[1]/r[1] 3E\n/s[1]/p[2] 3S"
            ),
            graded("b", "/s[1] 0N\n/s[1]/p[2] 3E\n/s[1]/p[1]/b[1] 3E"),
            graded("c", "/s[1] 2E"),
        ]
    )
    perfect = simulate(judged, collection, "perfect")
    units = [("b", "/s[1]/p[2]"), ("a", "/s[1]/q[1]"), ("c", "/s[1]"), ("a", "/s[1]/p[1]")]
    assert listed(perfect) == units  # the empty element is none
    assert scores(perfect) == [1.0, 0.5, 0.5, 0.25]
    assert listed(simulate(judged, collection, "perfect", quant="gen")) == units
    # Only 3E counts: the ideal recall base.
    assert listed(simulate(judged, collection, "perfect", quant="strict")) == [
        ("a", "/s[1]/q[1]/r[1]"),
        ("b", "/s[1]/p[2]"),
    ]
    leaves = simulate(judged, collection, "leaves")
    assert scores(leaves) == [1.0, 1.0, 0.75, 0.75, 0.5]  # with quant=gen


def test_grades_of_2003_make_the_ideal_recall_base(collection: Collection) -> None:
    judged = Assessments(
        [graded("a", "/s[1] 31\n/s[1]/q[1] 33\n/s[1]/q[1]/r[1] 13"), graded("c", "/s[1] 22")]
    )
    perfect = simulate(judged, collection, "perfect")
    assert listed(perfect) == [("a", "/s[1]/q[1]"), ("c", "/s[1]")]
    assert scores(perfect) == [1.0, 0.5]
    assert listed(simulate(judged, collection, "leaves", quant="sog")) == [
        ("a", "/s[1]/q[1]/r[1]"),
        ("c", "/s[1]"),
    ]


LISTED_2005 = (
    MeasuredElement("/s[1]/q[1]", 1, 6, 6),
    MeasuredElement("/s[1]/q[1]/r[1]", 2, 4, 4),
    MeasuredElement("/s[1]/p[2]", None, 8, 2),
)


def test_lists_of_2005_by_exhaustivity_or_by_text(collection: Collection) -> None:
    passages = (PointPassage("/s[1]/q[1]/r[1]", "/s[1]/q[1]/r[1]"),)
    judged = Assessments([Judgment("7", "a", passages=passages, elements=LISTED_2005)])
    assert listed(simulate(judged, collection, "parent")) == [("a", "/s[1]/q[1]")]
    for quant, expected in {"gen5": 2.0, "genLifted": 3.0, "strict5": 1.0}.items():
        run = simulate(judged, collection, "perfect", quant=quant)
        assert listed(run) == [("a", "/s[1]/q[1]/r[1]")]
        assert scores(run) == [expected]


def test_lists_of_2005_without_passages_have_the_shares_of_the_file(
    collection: Collection,
) -> None:
    judged = Assessments([Judgment("7", "a", elements=LISTED_2005)])
    run = simulate(judged, collection, "perfect")
    assert listed(run) == [("a", "/s[1]/q[1]"), ("a", "/s[1]/p[2]")]
    assert scores(run) == [1.0, 0.25]
    assert scores(simulate(judged, collection, "perfect", quant="genLifted")) == [3.0, 0.25]


def test_single_grades_of_2005_take_gen5(collection: Collection) -> None:
    grades = (
        GradedElement("/s[1]", None),
        GradedElement("/s[1]/q[1]", Grade2005(1, Fraction(1, 2))),
        GradedElement("/s[1]/p[1]", Grade2005(2, Fraction(1, 1))),
    )
    run = simulate(Assessments([Judgment("7", "a", grades=grades)]), collection, "perfect")
    assert listed(run) == [("a", "/s[1]/p[1]"), ("a", "/s[1]/q[1]")]
    assert scores(run) == [2.0, 0.5]
