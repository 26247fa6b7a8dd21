"""Grades of relevance, on the scales that INEX used, and how they become numbers.

    2002       topical relevance 0–3, and coverage: N none, L too large, S too small, E exact
    2003–04    exhaustivity 0–3 and specificity 0–3
    2005       exhaustivity 0, 1, 2 or ? (too small), and specificity from the highlighted text
    2006 on    specificity alone

Specificity as a share of text is an exact fraction. Every grade is also three whole numbers (a
level, and a fraction), so that many grades are three columns.

A quantisation makes one number of a grade, as each year of INEX decided. The numbers are exact
fractions, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, suggestion

COVERAGES = "NLSE"
# The level of an element of 2005 that is too small to say how exhaustive it is.
TOO_SMALL = -1
# The largest denominator of a share of text; no element has so many characters.
FINEST_SHARE = 10**12


class GradeColumns(NamedTuple):
    """Many grades of one scale.

    level: relevance (2002), exhaustivity (2003–05), nothing (specificity).
    part, whole: coverage by its position in COVERAGES, specificity 0–3 (both over 1), or a
    fraction, which is the specificity.
    """

    level: Ints
    part: Ints
    whole: Ints


@dataclass(frozen=True)
class Grade2002:
    """Topical relevance and coverage.

    >>> str(Grade2002(3, "E"))
    '3E'
    """

    relevance: int
    coverage: str

    def __post_init__(self) -> None:
        if self.relevance not in range(4) or self.coverage not in tuple(COVERAGES):
            raise ValueError(f"{self.relevance}{self.coverage} is no grade of 2002")

    @property
    def is_relevant(self) -> bool:
        """Whether it says anything but irrelevant."""
        return self.relevance > 0

    @property
    def columns(self) -> tuple[int, int, int]:
        """The grade as three numbers."""
        return self.relevance, COVERAGES.index(self.coverage), 1

    def __str__(self) -> str:
        return f"{self.relevance}{self.coverage}"


@dataclass(frozen=True)
class Grade2003:
    """Exhaustivity and specificity, 0 to 3 each.

    >>> str(Grade2003(3, 2))
    '(3,2)'
    """

    exhaustivity: int
    specificity: int

    def __post_init__(self) -> None:
        if self.exhaustivity not in range(4) or self.specificity not in range(4):
            raise ValueError(f"{self} is no grade of 2003–04")

    @property
    def is_relevant(self) -> bool:
        """Whether it says anything but irrelevant."""
        return self.exhaustivity > 0

    @property
    def columns(self) -> tuple[int, int, int]:
        """The grade as three numbers."""
        return self.exhaustivity, self.specificity, 1

    def __str__(self) -> str:
        return f"({self.exhaustivity},{self.specificity})"


@dataclass(frozen=True)
class Grade2005:
    """Exhaustivity 0, 1 or 2, or None for `?` (too small to say), and specificity.

    >>> str(Grade2005(None, Fraction(1, 2)))
    '(?,1/2)'
    """

    exhaustivity: int | None
    specificity: Fraction

    def __post_init__(self) -> None:
        if self.exhaustivity not in (None, 0, 1, 2) or not 0 <= self.specificity <= 1:
            raise ValueError(f"{self} is no grade of 2005")
        _check_finest(self.specificity)

    @property
    def is_relevant(self) -> bool:
        """Whether anything in it is highlighted."""
        return self.specificity > 0

    @property
    def columns(self) -> tuple[int, int, int]:
        """The grade as three numbers."""
        level = TOO_SMALL if self.exhaustivity is None else self.exhaustivity
        return level, self.specificity.numerator, self.specificity.denominator

    def __str__(self) -> str:
        shown = "?" if self.exhaustivity is None else self.exhaustivity
        return f"({shown},{self.specificity})"


@dataclass(frozen=True)
class Specificity:
    """The share of an element's text that is highlighted.

    >>> Specificity(Fraction(3, 4)).share
    Fraction(3, 4)
    """

    share: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"{self.share} is no share of a text")
        _check_finest(self.share)

    @property
    def columns(self) -> tuple[int, int, int]:
        """The grade as three numbers."""
        return 0, self.share.numerator, self.share.denominator


def _check_finest(share: Fraction) -> None:
    """Refuse a share that columns of whole numbers could not hold."""
    if share.denominator > FINEST_SHARE:
        raise ValueError(f"a share has a denominator of at most {FINEST_SHARE:,}")


Grade: TypeAlias = Grade2002 | Grade2003 | Grade2005 | Specificity


Scale: TypeAlias = type[Grade2002] | type[Grade2003] | type[Grade2005] | type[Specificity]
SCALE_NAMES: dict[Scale, str] = {
    Grade2002: "grades of 2002",
    Grade2003: "grades of 2003–04",
    Grade2005: "exhaustivity and specificity of 2005",
    Specificity: "highlighted text",
}
_LEVELS = 4
_SHARES = 20  # every number of a table is a whole number of twentieths


class Values(NamedTuple):
    """Numbers as exact fractions, one for each grade."""

    numerator: Ints
    denominator: Ints


@dataclass(frozen=True)
class Quantisation:
    """A function from grades of one or more scales to numbers.

    largest is the largest number it gives: some exceed 1, and not every measure takes those.

    >>> QUANTISATIONS["gen"].value(Grade2003(2, 3))
    Fraction(3, 4)
    >>> print(QUANTISATIONS["gen"].rule)
      1     3E (3,3)
      3/4   2E 3L 3S (2,3) (3,2) (3,1)
      1/2   1E 2L 2S (1,3) (2,2) (2,1)
      1/4   1L 1S (1,2) (1,1)
      0     everything else
    """

    name: str
    title: str
    cite: str
    scales: tuple[Scale, ...]
    rule: str
    largest: Fraction
    function: Callable[[Scale, GradeColumns], Values]

    def values(self, scale: Scale, grades: GradeColumns) -> Values:
        """Return the numbers for many grades of one scale; another scale is an error."""
        if scale not in self.scales:
            takes = " or ".join(SCALE_NAMES[known] for known in self.scales)
            raise SyntaxProblem(
                f"the quantisation {self.name} takes {takes}, not {SCALE_NAMES[scale]}"
            )
        return self.function(scale, grades)

    def value(self, grade: Grade) -> Fraction:
        """Return the number for one grade."""
        columns = GradeColumns(*(np.array([number]) for number in grade.columns))
        values = self.values(type(grade), columns)
        return Fraction(int(values.numerator[0]), int(values.denominator[0]))

    def explained(self) -> str:
        """Return what it is, and its rule."""
        return f"{self.name}: {self.title} [{self.cite}]\n{self.rule}"


def _from_table(
    name: str, title: str, cite: str, scales: tuple[Scale, ...], table: dict[str, str]
) -> Quantisation:
    """Return the quantisation of a table {number: grades}; grades that are not there are 0."""
    values = {
        grade: Fraction(number) for number, grades in table.items() for grade in grades.split()
    }
    rows = [f"  {Fraction(number)!s:<5} {grades}" for number, grades in table.items()]
    rule = "\n".join([*rows, "  0     everything else"])
    twentieths = {scale: _twentieths(scale, values) for scale in scales}

    def function(scale: Scale, grades: GradeColumns) -> Values:
        numbers = twentieths[scale][grades.level * _LEVELS + grades.part]
        return Values(numbers, np.full(len(numbers), _SHARES))

    return Quantisation(name, title, cite, scales, rule, max(values.values()), function)


def _twentieths(scale: Scale, values: dict[str, Fraction]) -> Ints:
    """Return the numbers of all grades of a scale, at their level and part."""
    numbers = []
    for level in range(_LEVELS):
        for part in range(_LEVELS):
            grade = (
                Grade2002(level, COVERAGES[part]) if scale is Grade2002 else Grade2003(level, part)
            )
            numbers.append(int(values.get(str(grade), Fraction(0)) * _SHARES))
    return np.array(numbers, dtype=np.int64)


# The quantisations of 2004 that are strict in one dimension: name, what it keeps, which grades.
_ONE_SIDED = (
    ("e3s32", "highly exhaustive and at least fairly specific", "(3,3) (3,2)"),
    ("e3s321", "highly exhaustive, however specific", "(3,3) (3,2) (3,1)"),
    ("s3e32", "highly specific and at least fairly exhaustive", "(3,3) (2,3)"),
    ("s3e321", "highly specific, however exhaustive", "(3,3) (2,3) (1,3)"),
)


def _one_sided(name: str, what: str, grades: str) -> Quantisation:
    cite = "Lalmas and Tombros 2007, §3.1"
    return _from_table(name, f"only what is {what}, 2003–04", cite, (Grade2003,), {"1": grades})


def _strict5(_: Scale, grades: GradeColumns) -> Values:
    best = (grades.level == 2) & (grades.part == grades.whole)
    return Values(best.astype(np.int64), np.ones(len(best), dtype=np.int64))


def _gen5(_: Scale, grades: GradeColumns) -> Values:
    return Values(np.maximum(grades.level, 0) * grades.part, grades.whole)


def _gen_lifted(_: Scale, grades: GradeColumns) -> Values:
    return Values((np.maximum(grades.level, 0) + 1) * grades.part, grades.whole)


def _specificity(_: Scale, grades: GradeColumns) -> Values:
    return Values(grades.part, grades.whole)


QUANTISATIONS = {
    quantisation.name: quantisation
    for quantisation in (
        _from_table(
            "strict",
            "only the highest grade, 2002–04",
            "Piwowarski and Gallinari 2003, §1.1, Table 1; Lalmas and Tombros 2007, eq 1",
            (Grade2002, Grade2003),
            {"1": "3E (3,3)"},
        ),
        _from_table(
            "gen",
            "generalised, 2002–04",
            "Piwowarski and Gallinari 2003, §1.1, Table 1; Lalmas and Tombros 2007, eq 2",
            (Grade2002, Grade2003),
            {
                "1": "3E (3,3)",
                "0.75": "2E 3L 3S (2,3) (3,2) (3,1)",
                "0.5": "1E 2L 2S (1,3) (2,2) (2,1)",
                "0.25": "1L 1S (1,2) (1,1)",
            },
        ),
        _from_table(
            "sog",
            "specificity-oriented generalised, 2003–04",
            "Lalmas and Tombros 2007, eq 3",
            (Grade2003,),
            {
                "1": "(3,3)",
                "0.9": "(2,3)",
                "0.75": "(1,3) (3,2)",
                "0.5": "(2,2)",
                "0.25": "(1,2) (3,1)",
                "0.1": "(2,1) (1,1)",
            },
        ),
        *(_one_sided(*row) for row in _ONE_SIDED),
        Quantisation(
            "strict5",
            "only what is highly exhaustive and wholly highlighted, 2005",
            "Lalmas and Tombros 2007, eq 4",
            (Grade2005,),
            "  1 if e = 2 and s = 1, else 0",
            Fraction(1),
            _strict5,
        ),
        Quantisation(
            "gen5",
            "the generalised quantisation of 2005",
            "Lalmas and Tombros 2007, eq 5",
            (Grade2005,),
            "  e · s, with ? counted as 0",
            Fraction(2),
            _gen5,
        ),
        Quantisation(
            "genLifted",
            "generalised, lifted so that what is too small counts, 2005",
            "Lalmas and Tombros 2007, eq 6",
            (Grade2005,),
            "  (e + 1) · s, with ? counted as 0",
            Fraction(3),
            _gen_lifted,
        ),
        Quantisation(
            "spec",
            "specificity itself, 2006 on",
            "Lalmas et al. 2007, eq 1",
            (Specificity,),
            "  s, the highlighted share of the text",
            Fraction(1),
            _specificity,
        ),
    )
}


@dataclass(frozen=True)
class SeparateQuantisation:
    """How much there is (rel) and how much of it is to the point (cov), each by itself, for ng.

    (Gövert et al. 2003, eq 2–3; the thirds of 2003–04 are ours.)

    >>> gen = SEPARATE["gen"]
    >>> gen.rel(Grade2002, GradeColumns(np.array([2]), np.array([3]), np.array([1])))
    Values(numerator=array([2]), denominator=array([3]))
    """

    name: str
    title: str
    rule: str
    strict: bool

    def rel(self, scale: Scale, grades: GradeColumns) -> Values:
        """Return how much of what was requested is there."""
        _refuse_other_scales(scale, self.name)
        return self._thirds(grades.level)

    def cov(self, scale: Scale, grades: GradeColumns) -> Values:
        """Return how much of what is there was requested."""
        _refuse_other_scales(scale, self.name)
        if scale is Grade2003:
            return self._thirds(grades.part)
        sixths = np.array([0, 0, 0, 6] if self.strict else [0, 3, 0, 6])
        return Values(sixths[grades.part], np.full(len(grades.part), 6))

    def _thirds(self, level: Ints) -> Values:
        thirds = np.array([0, 0, 0, 3] if self.strict else [0, 1, 2, 3])
        return Values(thirds[level], np.full(len(level), 3))


def _refuse_other_scales(scale: Scale, name: str) -> None:
    if scale not in (Grade2002, Grade2003):
        raise SyntaxProblem(
            f"ng with quant={name} takes grades of 2002–04, not {SCALE_NAMES[scale]}"
        )


SEPARATE = {
    separate.name: separate
    for separate in (
        SeparateQuantisation(
            "strict",
            "only the highest level of either, 2002–04",
            "  rel 3 → 1; cov E (2002) or s = 3 → 1; else 0",
            strict=True,
        ),
        SeparateQuantisation(
            "gen",
            "both in their degrees, 2002–04",
            "  rel (e) / 3; cov E → 1, L → 1/2, S and N → 0 (2002), s / 3 (2003–04)",
            strict=False,
        ),
    )
}


def find_quantisation(name: str) -> Quantisation:
    """Return a quantisation by its name.

    >>> find_quantisation("genlifted")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no quantisation 'genlifted'; did you mean genLifted?
    """
    if name in QUANTISATIONS:
        return QUANTISATIONS[name]
    raise SyntaxProblem(f"no quantisation {quoted(name)}{suggestion(name, QUANTISATIONS)}")
