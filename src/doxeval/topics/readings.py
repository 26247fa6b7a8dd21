"""Strict and vague readings of a structured query.

A structured query says what to return (the target) and where to look (the supports), and each
can be meant strictly or as a hint. INEX 2005 named the four combinations by two letters, target
first; SCAS and VCAS of 2002 to 2004 are the two where both are read alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doxeval.errors import SyntaxProblem
from doxeval.topics.nexi_ast import Path, Step, StructuredQuery, Support

Strictness = Literal["strict", "vague"]
_ANYTHING = Path((Step("//"),))


@dataclass(frozen=True)
class Reading:
    """How the target and the supports of a query are meant.

    >>> Reading.named("VSCAS")
    Reading(target='vague', support='strict')
    """

    target: Strictness
    support: Strictness

    @classmethod
    def named(cls, name: str) -> Reading:
        """A reading by its name in INEX."""
        if name.upper() not in READINGS:
            raise SyntaxProblem(f"no reading {name!r}: expected one of {', '.join(READINGS)}")
        return READINGS[name.upper()]

    def target_of(self, query: StructuredQuery) -> Path:
        """The path that a returned element must have.

        >>> from doxeval.topics.nexi import parse_structured
        >>> query = parse_structured("//article[about(.,IBM)]//sec")
        >>> str(Reading.named("SCAS").target_of(query)), str(Reading.named("VCAS").target_of(query))
        ('//article//sec', '//*')
        """
        return query.target if self.target == "strict" else _ANYTHING

    def supports_of(self, query: StructuredQuery) -> tuple[Support, ...]:
        """The conditions, each with the path that the element it speaks of must have."""
        if self.support == "strict":
            return query.supports
        return tuple(Support(_ANYTHING, support.condition) for support in query.supports)


READINGS = {
    "SCAS": Reading("strict", "strict"),
    "VCAS": Reading("vague", "vague"),
    "SSCAS": Reading("strict", "strict"),
    "SVCAS": Reading("strict", "vague"),
    "VSCAS": Reading("vague", "strict"),
    "VVCAS": Reading("vague", "vague"),
}
