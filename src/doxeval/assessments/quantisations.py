"""Quantisations: how a grade becomes one number, as each year of INEX decided.

Each is a value that explains itself. The numbers are exact fractions, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TypeAlias

from doxeval.assessments.grades import Grade, Grade2002, Grade2003, Grade2005, Specificity
from doxeval.errors import SyntaxProblem

Scales: TypeAlias = tuple[
    type[Grade2002] | type[Grade2003] | type[Grade2005] | type[Specificity], ...
]


@dataclass(frozen=True)
class Quantisation:
    """A function from grades of one or more scales to numbers.

    largest is the largest number it gives: some exceed 1, and not every measure takes those.

    >>> QUANTISATIONS["gen"].value(Grade2003(2, 3))
    Fraction(3, 4)
    >>> print(QUANTISATIONS["gen"].explained())
    gen: the generalised quantisation of 2002–04 [P001, P003]
      1     3E (3,3)
      3/4   2E 3L 3S (2,3) (3,2) (3,1)
      1/2   1E 2L 2S (1,3) (2,2) (2,1)
      1/4   1L 1S (1,2) (1,1)
      0     everything else
    """

    name: str
    title: str
    cite: str
    scales: Scales
    rule: str
    largest: Fraction
    function: Callable[[Grade], Fraction]

    def value(self, grade: Grade) -> Fraction:
        """The number for a grade; a grade of another scale is an error."""
        if not isinstance(grade, self.scales):
            names = " or ".join(scale.__name__ for scale in self.scales)
            raise TypeError(
                f"the quantisation {self.name} takes a {names}, not a {type(grade).__name__}"
            )
        return self.function(grade)

    def explained(self) -> str:
        """What it is, and its rule."""
        return f"{self.name}: {self.title} [{self.cite}]\n{self.rule}"


def _from_table(
    name: str,
    title: str,
    cite: str,
    scales: Scales,
    table: dict[str, str],
) -> Quantisation:
    """A quantisation given as {number: grades}; grades that are not there are 0."""
    values = {
        grade: Fraction(number) for number, grades in table.items() for grade in grades.split()
    }
    rows = [f"  {Fraction(number)!s:<5} {grades}" for number, grades in table.items()]
    rule = "\n".join([*rows, "  0     everything else"])

    def function(grade: Grade) -> Fraction:
        return values.get(str(grade), Fraction(0))

    return Quantisation(name, title, cite, scales, rule, max(values.values()), function)


def _strict5(grade: Grade) -> Fraction:
    return Fraction(grade == Grade2005(2, Fraction(1)))


def _gen5(grade: Grade) -> Fraction:
    if not isinstance(grade, Grade2005):
        raise TypeError("expected a grade of 2005")
    return (grade.exhaustivity or 0) * grade.specificity


def _gen_lifted(grade: Grade) -> Fraction:
    if not isinstance(grade, Grade2005):
        raise TypeError("expected a grade of 2005")
    return ((grade.exhaustivity or 0) + 1) * grade.specificity


def _specificity(grade: Grade) -> Fraction:
    if not isinstance(grade, Specificity):
        raise TypeError("expected a share of text")
    return grade.share


QUANTISATIONS = {
    quantisation.name: quantisation
    for quantisation in (
        _from_table(
            "strict",
            "only the highest grade, 2002–04",
            "P001, P003",
            (Grade2002, Grade2003),
            {"1": "3E (3,3)"},
        ),
        _from_table(
            "gen",
            "the generalised quantisation of 2002–04",
            "P001, P003",
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
            "P001",
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
        Quantisation(
            "strict5",
            "only what is highly exhaustive and wholly highlighted, 2005",
            "P001",
            (Grade2005,),
            "  1 if e = 2 and s = 1, else 0",
            Fraction(1),
            _strict5,
        ),
        Quantisation(
            "gen5",
            "the generalised quantisation of 2005",
            "P001",
            (Grade2005,),
            "  e · s, with ? counted as 0",
            Fraction(2),
            _gen5,
        ),
        Quantisation(
            "genLifted",
            "generalised, lifted so that what is too small counts, 2005",
            "P001",
            (Grade2005,),
            "  (e + 1) · s, with ? counted as 0",
            Fraction(3),
            _gen_lifted,
        ),
        Quantisation(
            "spec",
            "specificity itself, 2006 on",
            "P000 eq 1",
            (Specificity,),
            "  s, the highlighted share of the text",
            Fraction(1),
            _specificity,
        ),
    )
}


def quantisation_named(name: str) -> Quantisation:
    """A quantisation by its name.

    >>> quantisation_named("genlifted")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: no quantisation 'genlifted'; did you mean genLifted?
    """
    if name in QUANTISATIONS:
        return QUANTISATIONS[name]
    close = get_close_matches(name, QUANTISATIONS, 1, 0.5)
    hint = f"did you mean {close[0]}?" if close else f"expected one of {', '.join(QUANTISATIONS)}"
    raise SyntaxProblem(f"no quantisation {name!r}; {hint}")
