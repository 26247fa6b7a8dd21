"""How strictly the structure of a query is to be taken.

A structured query says what to return (the target) and where to look (the supports). Each of the
two can be taken strictly, as a requirement, or vaguely, as a hint. INEX 2005 named the four
interpretations by two letters, the target first: SSCAS, SVCAS, VSCAS, VVCAS. SCAS and VCAS of
2002 to 2004 are SSCAS and VVCAS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted
from doxeval.topics.nexi_ast import Path, Step, StructuredQuery, Support

Strictness = Literal["strict", "vague"]
_ANYTHING = Path((Step("//"),))


@dataclass(frozen=True)
class Interpretation:
    """Whether the target and the supports of a query are requirements or hints.

    >>> Interpretation.named("VSCAS")
    Interpretation(target='vague', support='strict')
    """

    target: Strictness
    support: Strictness

    @classmethod
    def named(cls, name: str) -> Interpretation:
        """An interpretation by its name in INEX, in upper or lower case."""
        if name.upper() not in INTERPRETATIONS:
            known = ", ".join(INTERPRETATIONS)
            raise SyntaxProblem(f"no interpretation {quoted(name)}: expected one of {known}")
        return INTERPRETATIONS[name.upper()]

    def target_of(self, query: StructuredQuery) -> Path:
        """The path that a returned element must have; if the target is a hint, any path will do.

        >>> from doxeval.topics.nexi import parse_structured
        >>> query = parse_structured("//article[about(.,IBM)]//sec")
        >>> [str(Interpretation.named(name).target_of(query)) for name in ("SCAS", "VCAS")]
        ['//article//sec', '//*']
        """
        return query.target if self.target == "strict" else _ANYTHING

    def supports_of(self, query: StructuredQuery) -> tuple[Support, ...]:
        """The conditions, each with the path that the element it is about must have."""
        if self.support == "strict":
            return query.supports
        return tuple(Support(_ANYTHING, support.condition) for support in query.supports)


INTERPRETATIONS = {
    "SCAS": Interpretation("strict", "strict"),
    "VCAS": Interpretation("vague", "vague"),
    "SSCAS": Interpretation("strict", "strict"),
    "SVCAS": Interpretation("strict", "vague"),
    "VSCAS": Interpretation("vague", "strict"),
    "VVCAS": Interpretation("vague", "vague"),
}
