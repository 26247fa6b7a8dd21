"""Quantisations, by the tables of the INEX papers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from doxeval.assessments import (
    COVERAGES,
    QUANTISATIONS,
    SEPARATE,
    Grade,
    Grade2002,
    Grade2003,
    Grade2005,
    GradeColumns,
    Specificity,
    Values,
    find_quantisation,
)
from doxeval.errors import SyntaxProblem

# Number, then the grades that get it; all others get 0. From Lalmas and Tombros 2007 (2003–04) and
# Piwowarski and Gallinari 2003, Table 1 (2002), as decided for doxeval.
GOLDEN_2003 = {
    "strict": {1.0: [(3, 3)]},
    "gen": {
        1.0: [(3, 3)],
        0.75: [(2, 3), (3, 2), (3, 1)],
        0.5: [(1, 3), (2, 2), (2, 1)],
        0.25: [(1, 2), (1, 1)],
    },
    "sog": {
        1.0: [(3, 3)],
        0.9: [(2, 3)],
        0.75: [(1, 3), (3, 2)],
        0.5: [(2, 2)],
        0.25: [(1, 2), (3, 1)],
        0.1: [(2, 1), (1, 1)],
    },
    "e3s32": {1.0: [(3, 3), (3, 2)]},
    "e3s321": {1.0: [(3, 3), (3, 2), (3, 1)]},
    "s3e32": {1.0: [(3, 3), (2, 3)]},
    "s3e321": {1.0: [(3, 3), (2, 3), (1, 3)]},
}
GOLDEN_2002 = {
    "strict": {1.0: ["3E"]},
    "gen": {1.0: ["3E"], 0.75: ["2E", "3L", "3S"], 0.5: ["1E", "2L", "2S"], 0.25: ["1S", "1L"]},
}


@pytest.mark.parametrize("name", GOLDEN_2003)
def test_grades_of_2003_and_2004(name: str) -> None:
    expected = {pair: value for value, pairs in GOLDEN_2003[name].items() for pair in pairs}
    for e, s in product(range(4), range(4)):
        value = QUANTISATIONS[name].value(Grade2003(e, s))
        assert float(value) == expected.get((e, s), 0.0)


@pytest.mark.parametrize("name", GOLDEN_2002)
def test_grades_of_2002(name: str) -> None:
    expected = {grade: value for value, grades in GOLDEN_2002[name].items() for grade in grades}
    for relevance, coverage in product(range(4), COVERAGES):
        value = QUANTISATIONS[name].value(Grade2002(relevance, coverage))
        assert float(value) == expected.get(f"{relevance}{coverage}", 0.0)


def test_grades_of_2005() -> None:
    third = Fraction(1, 3)
    values: dict[tuple[int | None, Fraction], list[Fraction | int]] = {
        (2, Fraction(1)): [1, 2, 3],
        (2, third): [0, 2 * third, 1],
        (1, Fraction(1)): [0, 1, 2],
        (1, third): [0, third, 2 * third],
        (None, third): [0, 0, third],
        (None, Fraction(0)): [0, 0, 0],
        (0, Fraction(0)): [0, 0, 0],
    }
    for (exhaustivity, specificity), expected in values.items():
        grade = Grade2005(exhaustivity, specificity)
        found = [QUANTISATIONS[name].value(grade) for name in ("strict5", "gen5", "genLifted")]
        assert found == expected


def test_specificity_is_itself() -> None:
    assert QUANTISATIONS["spec"].value(Specificity(Fraction(2, 7))) == Fraction(2, 7)


def test_every_quantisation_explains_itself_and_stays_in_its_range() -> None:
    grades: list[Grade] = [
        *(Grade2002(r, c) for r, c in product(range(4), COVERAGES)),
        *(Grade2003(e, s) for e, s in product(range(4), repeat=2)),
        *(Grade2005(e, Fraction(s, 4)) for e, s in product((None, 0, 1, 2), range(5))),
        *(Specificity(Fraction(s, 4)) for s in range(5)),
    ]
    for quantisation in QUANTISATIONS.values():
        own = [grade for grade in grades if isinstance(grade, quantisation.scales)]
        values = [quantisation.value(grade) for grade in own]
        assert min(values) == 0
        assert max(values) == quantisation.largest
        assert quantisation.explained().startswith(f"{quantisation.name}: {quantisation.title}")
        with pytest.raises(SyntaxProblem, match=f"the quantisation {quantisation.name} takes "):
            quantisation.value(next(grade for grade in grades if grade not in own))


def test_wrong_names_and_grades_are_refused() -> None:
    with pytest.raises(SyntaxProblem, match=r"no quantisation 'sogg'; did you mean sog\?"):
        find_quantisation("sogg")
    with pytest.raises(SyntaxProblem, match="there are strict, gen, sog"):
        find_quantisation("zzzzzz")
    with pytest.raises(ValueError, match="4E is no grade of 2002"):
        Grade2002(4, "E")
    with pytest.raises(ValueError, match="no grade of 2003"):
        Grade2003(3, 4)
    with pytest.raises(ValueError, match="no grade of 2005"):
        Grade2005(3, Fraction(1))
    with pytest.raises(ValueError, match="no share"):
        Specificity(Fraction(3, 2))


@pytest.mark.parametrize("name", SEPARATE)
def test_the_separate_functions_of_ng(name: str) -> None:
    """By the numbers of Gövert et al. 2003, as decided for doxeval."""
    strict = name == "strict"
    rels = [0, 0, 0, 1] if strict else [0, Fraction(1, 3), Fraction(2, 3), 1]
    covers = {"N": 0, "L": 0 if strict else Fraction(1, 2), "S": 0, "E": 1}
    for level, letter in product(range(4), COVERAGES):
        grade = GradeColumns(*(np.array([n]) for n in Grade2002(level, letter).columns))
        assert _fraction(SEPARATE[name].rel(Grade2002, grade)) == rels[level]
        assert _fraction(SEPARATE[name].cov(Grade2002, grade)) == covers[letter]
    for e, s in product(range(4), range(4)):
        grade = GradeColumns(*(np.array([n]) for n in Grade2003(e, s).columns))
        assert _fraction(SEPARATE[name].rel(Grade2003, grade)) == rels[e]
        assert _fraction(SEPARATE[name].cov(Grade2003, grade)) == rels[s]
    with pytest.raises(SyntaxProblem, match="takes grades of 2002–04, not highlighted text"):
        SEPARATE[name].rel(Specificity, grade)


def _fraction(values: Values) -> Fraction:
    return Fraction(int(values.numerator[0]), int(values.denominator[0]))
