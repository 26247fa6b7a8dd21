"""What a measure is: a frozen value that can be printed, parsed, explained and computed.

A measure is a class with a name and facts (what it says, from which paper, in which range, what
it needs). Its dataclass fields are its parameters. An instance prints as a name that shows every
parameter and parses back to it:

    NAME[@k][\\[x\\]][(key=value,…)]        nxCG@10(base=ideal,quant=spec,ignore=none,…)

Values can be written the same way in Python: `nxCG @ 10`, `iP[0.01]`, `MAgP(score="bep")`.

Everything that is said about a measure (help, documentation, labels in reports) comes from here.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from doxeval.errors import SyntaxProblem
from doxeval.measures.parameters import checked_value
from doxeval.scores import Curve, DocumentScores, MeasureFacts
from doxeval.wording import brief

if TYPE_CHECKING:
    from doxeval.measures.ground_truth import GroundTruth
    from doxeval.measures.ranking import Ranking

Floats = npt.NDArray[np.float64]
# Scores and gains that differ by less than this are taken as equal.
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
    """A property that must hold for all assessments and runs; tests check it on random ones."""

    IDEAL_IS_BEST = "no run scores higher than the ideal run"
    TAIL_IS_FREE = "a result without gain behind the last one changes nothing up to there"
    BETTER_UP = "moving a more relevant result up never lowers the score"
    FALLS_WITH_X = "the score never rises with the recall point"
    GROWS_WITH_K = "the score never falls with the cut-off"


class Example(NamedTuple):
    """A worked example that runs: assessments and a run as text, what comes out, and why."""

    name: str
    value: float
    why: str
    assessments: str
    run: str
    documents: dict[str, str] | None = None


@dataclass(frozen=True)
class Facts:
    """What there is to know about a measure besides its parameters."""

    title: str = ""
    cite: str = ""
    formula: str = ""
    needs: frozenset[Need] = frozenset()
    edge_cases: str = ""
    example: Example | None = None
    lowest: float = 0.0
    highest: float | None = 1.0
    higher_is_better: bool = True
    laws: frozenset[Law] = frozenset()


def parameter(
    default: Any, help_text: str, choices: tuple[str, ...] = (), *, number: bool = False
) -> Any:
    """A parameter of a measure, shown as key=value in its name.

    It must be one of the choices, or of the same type as its default; `number=True` allows any
    number besides the choices.
    """
    metadata = {"help": help_text, "choices": choices, "number": number}
    return field(default=default, metadata=metadata)


def cut_off(default: int | None, help_text: str = "how many results count") -> Any:
    """The parameter shown as @k."""
    return field(default=default, metadata={"help": help_text, "sign": "@"})


def point(default: Fraction | None, help_text: str) -> Any:
    """The parameter shown as [x]."""
    return field(default=default, metadata={"help": help_text, "sign": "["})


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters.

    Subclasses are frozen dataclasses with a `name`, `facts` and the method `scores`:

    >>> from doxeval.measures import nxCG
    >>> str(nxCG(quant="gen") @ 5)
    'nxCG@5(base=ideal,quant=gen,ignore=none,overlap=off,penalty=1)'
    >>> (nxCG(quant="gen") @ 5).label
    'nxCG@5(quant=gen)'
    >>> nxCG(quant="general")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: nxCG: quant is 'general': expected one of strict, gen, sog, \
e3s32, e3s321, s3e32, s3e321, strict5, gen5, genLifted, spec, auto; did you mean gen?
    """

    name: ClassVar[str]
    facts: ClassVar[Facts] = Facts()

    def scores(self, ranking: Ranking) -> Floats:
        """The score of each assessed topic; nan where it is undefined."""
        raise NotImplementedError

    def curve(self, ranking: Ranking) -> Curve | None:
        """The curve behind the score, if there is one to look at."""
        return None

    @property
    def document_score(self) -> str | None:
        """How it scores single documents, if that is what it averages, such as `F(beta=1)`."""
        return None

    def document_scores(self, ranking: Ranking) -> DocumentScores:
        """The scores of single documents, if it has a `document_score`."""
        raise NotImplementedError

    def settled(self, truth: GroundTruth) -> Measure:
        """The measure with those parameters filled in that depend on the assessments."""
        return self

    def warnings(self, ranking: Ranking) -> list[str]:
        """What to warn about in the scores of a run."""
        return []

    @property
    def title(self) -> str:
        """What it measures, in a few words."""
        return self.facts.title or (type(self).__doc__ or self.name).split("\n")[0].rstrip(".")

    @property
    def needs(self) -> frozenset[Need]:
        """What it cannot do without; some parameters change it."""
        return self.facts.needs

    @property
    def highest(self) -> float | None:
        """The highest possible score; None where there is no bound."""
        return self.facts.highest

    @property
    def laws(self) -> frozenset[Law]:
        """The laws it obeys; some parameters change them."""
        return self.facts.laws

    # Names and parameters

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Before the dataclass decorator writes a representation of its own.
        cls.__repr__ = Measure.__repr__  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """Check every parameter; a subclass that checks more calls this first."""
        for spec in fields(self):
            value = checked_value(spec, getattr(self, spec.name), self.name)
            object.__setattr__(self, spec.name, value)

    def __call__(self, **values: Any) -> Self:
        """The measure with other values for some parameters."""
        return self._with(values)

    def _with(self, values: dict[str, Any]) -> Self:
        known = [spec.name for spec in fields(self)]
        for name in values:
            if name not in known:
                there = f"it has {', '.join(known)}" if known else "it has none"
                raise SyntaxProblem(f"{self.name} has no parameter {brief(name)}; {there}")
        try:
            return replace(self, **values)
        except ValueError as error:
            raise SyntaxProblem(f"{self.name}: {error}") from None

    def __matmul__(self, cut_off: int) -> Self:
        """The measure at a cut-off: `nxCG @ 10`."""
        return self._with({signed_parameter(type(self), "@").name: cut_off})

    def __getitem__(self, point: float | str | Fraction) -> Self:
        """The measure at a point of recall: `iP[0.01]`."""
        return self._with({signed_parameter(type(self), "[").name: point})

    def __str__(self) -> str:
        """The name with every parameter."""
        return self._named(lambda spec: True)

    def __repr__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The name with its cut-off or point and the parameters that differ from their defaults."""
        return self._named(lambda spec: getattr(self, spec.name) != spec.default)

    def _named(self, is_shown: Any) -> str:
        signs, named = "", []
        for spec in fields(self):
            value, sign = getattr(self, spec.name), spec.metadata.get("sign")
            if sign is None:
                named += [f"{spec.name}={shown(value)}"] if is_shown(spec) else []
            elif value is not None:
                signs += f"@{value}" if sign == "@" else f"[{shown(value)}]"
        return f"{self.name}{signs}" + (f"({','.join(named)})" if named else "")

    def facts_as(self, label: str, asked: Measure) -> MeasureFacts:
        """What a table of scores says about it, under the name by which it was asked for."""
        return MeasureFacts(
            label,
            str(self),
            self.title,
            self.facts.lowest,
            self.highest,
            self.facts.higher_is_better,
            asked=str(asked),
        )


def signed_parameter(kind: type[Measure], sign: str) -> Field[Any]:
    """The parameter that is written as a cut-off (@) or a point ([)."""
    for spec in fields(kind):
        if spec.metadata.get("sign") == sign:
            return spec
    what = "cut-off @k" if sign == "@" else "point [x]"
    raise SyntaxProblem(f"{kind.name} has no {what}")


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
