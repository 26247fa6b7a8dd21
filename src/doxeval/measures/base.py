"""What a measure is: a named value that can be explained and computed.

A measure is a class with a name and facts (what it says, from which paper, in which range, what
it needs). Its dataclass fields are its parameters, shown in its name as `doxeval.named` does it.

Help, documentation and labels in reports are all made from these facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

from doxeval.arrays import Floats
from doxeval.named import Named, cut_off, level, parameter, point
from doxeval.scores import Average, Curve, DocumentScores, MeasureFacts

if TYPE_CHECKING:
    from doxeval.measures.ground_truth import GroundTruth
    from doxeval.measures.ranking import Ranking
    from doxeval.navigation import Navigation

__all__ = [
    "CUT_LIST",
    "TOLERANCE",
    "Example",
    "Facts",
    "Law",
    "Measure",
    "Need",
    "cut_off",
    "level",
    "parameter",
    "point",
]

# What @k does to an average over the whole list.
CUT_LIST = "after how many results the list is cut; without it, nowhere"
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
    SUBTOPICS = "subtopics (qrels or JSONL with subtopics, needs or highlighted text)"
    CHUNKS = "the chunks that systems could return"
    UNANSWERABLE = "questions that no document answers (answerable: false)"
    ANSWERS = "answers as strings (answers)"


class Law(Enum):
    """A property that holds for all assessments and runs; tests check it on random ones."""

    IDEAL_IS_BEST = "no run scores higher than the ideal run"
    TAIL_IS_FREE = "appending a result without gain does not change the score at earlier ranks"
    BETTER_UP = "moving a more relevant result up never lowers the score"
    FALLS_WITH_X = "the score never rises with the recall point"
    GROWS_WITH_K = "the score never falls with the cut-off"
    NEEDS_MAY_BE_SPLIT = "splitting a relevant passage into two needs changes nothing"
    RESULTS_MAY_BE_CUT = "splitting a result into two changes nothing"
    ANY_COPY_WILL_DO = "any copy of an answer counts the same"


Repeats = Literal["drop", "keep"]


class Example(NamedTuple):
    """A worked example that runs: assessments and a run as text, what comes out, and why.

    chunks: what systems could return, as lines of JSONL, where the measure needs to know it.
    """

    name: str
    value: float
    why: str
    assessments: str
    run: str
    documents: dict[str, str] | None = None
    chunks: str | None = None


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
    # What is done with a result that was returned before, unless an option says otherwise.
    repeats: Repeats = "drop"
    # Whether it ranks whole documents as trec_eval does, except for ties.
    ranks_documents: bool = False
    # How the mean over topics is taken; a geometric one is that of scores that are logarithms.
    average: Average = "arithmetic"


@dataclass(frozen=True)
class Measure(Named):
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
        """Return the score of each assessed topic; nan where it is undefined.

        Only the scores of `ranking.topics` need be right: those of a block, or all.
        """
        raise NotImplementedError

    def curve(self, ranking: Ranking) -> Curve | None:
        """Return the curve behind the score, if there is one to look at."""
        return None

    @property
    def document_score(self) -> str | None:
        """How it scores single documents, if that is what it averages, such as `F(beta=1)`."""
        return None

    def document_scores(self, ranking: Ranking) -> DocumentScores:
        """Return the scores of single documents, if it has a `document_score`."""
        raise NotImplementedError

    def navigating(self, model: Navigation | None) -> Self:
        """Return the measure with `nav=auto` replaced by the given model of navigation, if any.

        >>> from doxeval.measures import ESRR
        >>> from doxeval.navigation.tree import HierarchicalNavigation
        >>> ESRR().navigating(HierarchicalNavigation()).label
        'ESRR@10(nav=hierarchical)'
        """
        if model is None or getattr(self, "nav", None) != "auto":
            return self
        return self._with({"nav": model.name})

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return the measure with those parameters filled in that depend on the assessments."""
        return self

    def warnings(self, ranking: Ranking) -> list[str]:
        """Return warnings about the scores of a run."""
        return self.about(self.concerns(ranking))

    def concerns(self, ranking: Ranking) -> int:
        """Count the topics of a run, or of a block of it, that there is a warning about."""
        return 0

    def about(self, topics: int) -> list[str]:
        """Return the warnings, given the number of topics that they concern."""
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
    def is_share(self) -> bool:
        """Whether scores are shares, from 0 to 1, of which more is better."""
        return self.facts.higher_is_better and (self.facts.lowest, self.highest) == (0, 1)

    @property
    def repeats(self) -> Repeats:
        """What is done with a result that was returned before; some parameters change it."""
        return self.facts.repeats

    @property
    def ranks_documents(self) -> bool:
        """Whether it ranks whole documents as trec_eval does; some parameters change it."""
        return self.facts.ranks_documents

    @property
    def laws(self) -> frozenset[Law]:
        """The laws it obeys; some parameters change them."""
        return self.facts.laws

    def facts_as(self, label: str, requested: Measure) -> MeasureFacts:
        """Return what a table of scores says about it, under the requested name."""
        return MeasureFacts(
            label,
            str(self),
            self.title,
            self.facts.lowest,
            self.highest,
            self.facts.higher_is_better,
            requested=str(requested),
            user=" ".join((type(self).__doc__ or "").strip().split("\n\n")[0].split()),
            formula=self.facts.formula,
            average=self.facts.average,
            about="unanswerable" if Need.UNANSWERABLE in self.needs else "answerable",
        )
