"""Grades of relevance, on the scales that INEX used.

    2002       topical relevance 0–3, and coverage: N none, L too large, S too small, E exact
    2003–04    exhaustivity 0–3 and specificity 0–3
    2005       exhaustivity 0, 1, 2 or ? (too small), and specificity from the highlighted text
    2006 on    specificity alone

Specificity as a share of text is an exact fraction. Every grade is also three whole numbers (a
level, and a fraction), so that many grades are three columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from doxeval.arrays import Ints

COVERAGES = "NLSE"
# The level of an element of 2005 that is too small to say how exhaustive it is.
TOO_SMALL = -1
# The largest denominator of a share of text, which no element has so many characters for.
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
