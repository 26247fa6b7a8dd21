"""What a measure is: a frozen value that can be printed, parsed, explained and computed.

A measure is a class with a name and facts (what it says, from which paper, in which range, what
it needs) whose fields are its parameters. An instance prints as a name that shows every parameter
and parses back to it:

    NAME[@k][\\[x\\]][(key=value,…)]        nxCG@10(base=ideal,quant=spec,ignore=none,…)

Everything that is said about a measure (help, documentation, labels in reports) comes from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.scores import Curve, MeasureFacts

if TYPE_CHECKING:
    from doxeval.measures.ground_truth import GroundTruth
    from doxeval.measures.ranking import Ranking

Floats = npt.NDArray[np.float64]
# Numbers that differ by less are equal, wherever one is to be reached by another.
TOLERANCE = 1e-9


class Need(Enum):
    """What a measure cannot do without."""

    HIGHLIGHTS = "highlighted text (assessments of 2005 or later, or whole documents)"
    ENTRY_POINTS = "best entry points (assessments of 2006 or later)"
    ELEMENTS = "graded elements, or highlighted text and a collection"
    SIZES = "a collection, which knows the sizes of elements"
    RETRIEVED_TEXT = "results with known ranges of text"
    RETRIEVED_START = "results with known beginnings"
    RETRIEVED_ELEMENTS = "results that are elements or documents, not passages"


class Law(Enum):
    """What must hold for every world, and is checked for every measure that declares it."""

    IDEAL_IS_BEST = "no run scores higher than the ideal run"
    TAIL_IS_FREE = "a result without gain behind the last one changes nothing up to there"
    BETTER_UP = "moving a more relevant result up never lowers the score"
    FALLS_WITH_X = "the score never rises with the recall point"
    GROWS_WITH_K = "the score never falls with the cut-off"


@dataclass(frozen=True)
class Facts:
    """What there is to know about a measure besides its parameters."""

    title: str
    cite: str
    formula: str
    needs: frozenset[Need]
    edge_cases: str
    example: Example
    lowest: float = 0.0
    highest: float | None = 1.0
    higher_is_better: bool = True
    laws: frozenset[Law] = frozenset()


class Example(NamedTuple):
    """A worked example that runs: assessments and a run as text, what comes out, and why."""

    name: str
    value: float
    why: str
    assessments: str
    run: str
    documents: dict[str, str] | None = None


def parameter(
    default: Any, help_text: str, choices: tuple[str, ...] = (), *, number: bool = False
) -> Any:
    """A parameter of a measure, shown as key=value in its name.

    It is one of the choices, or of the kind of its default; or a number, if that is said.
    """
    metadata = {"help": help_text, "choices": choices, "number": number}
    return field(default=default, metadata=metadata)


def cut_off(default: int, help_text: str = "how many results count") -> Any:
    """The parameter shown as @k."""
    return field(default=default, metadata={"help": help_text, "place": "@"})


def point(default: Fraction | None, help_text: str) -> Any:
    """The parameter shown as [x]."""
    return field(default=default, metadata={"help": help_text, "place": "["})


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters."""

    name: ClassVar[str]
    facts: ClassVar[Facts]

    def scores(self, ranking: Ranking) -> Floats:
        """The score of each assessed topic; nan where it is undefined."""
        raise NotImplementedError

    def curve(self, ranking: Ranking) -> Curve | None:
        """The curve behind the score, if there is one to look at."""
        return None

    @property
    def needs(self) -> frozenset[Need]:
        """What it cannot do without; some parameters change it."""
        return self.facts.needs

    @property
    def highest(self) -> float | None:
        """The highest score there can be; None where there is no bound."""
        return self.facts.highest

    @property
    def laws(self) -> frozenset[Law]:
        """What it obeys; some parameters change it."""
        return self.facts.laws

    def settled(self, truth: GroundTruth) -> Measure:
        """The measure with those parameters that depend on what is given."""
        return self

    def warnings(self, ranking: Ranking) -> list[str]:
        """What to say about the scores of a run."""
        return []

    def __str__(self) -> str:
        """The name with every parameter."""
        place = "".join(
            f"@{value}" if spec.metadata["place"] == "@" else f"[{shown(value)}]"
            for spec in fields(self)
            if spec.metadata.get("place") and (value := getattr(self, spec.name)) is not None
        )
        named = [
            f"{spec.name}={shown(getattr(self, spec.name))}"
            for spec in fields(self)
            if not spec.metadata.get("place")
        ]
        return f"{self.name}{place}" + (f"({','.join(named)})" if named else "")

    def facts_as(self, label: str) -> MeasureFacts:
        """What a table of scores says about it."""
        return MeasureFacts(
            label,
            str(self),
            self.facts.title,
            self.facts.lowest,
            self.highest,
            self.facts.higher_is_better,
        )

    def with_values(self, **values: Any) -> Measure:
        """The measure with other values for some parameters."""
        return replace(self, **values)


def shown(value: Any) -> str:
    """A parameter's value as text that parses back.

    >>> shown(Fraction(1, 100)), shown(0.25), shown("ideal"), shown(True)
    ('0.01', '0.25', 'ideal', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Fraction):
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
        return format(decimal.normalize(), "f") if Fraction(decimal) == value else str(value)
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
    return str(value)
