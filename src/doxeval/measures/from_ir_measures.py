"""Measures that ir_measures computes, as columns of a table: `ir_measures:Compat(p=0.8)`.

What stands behind `ir_measures:` is a name as ir_measures has it. The measure sees documents: those
of a run in the order in which doxeval ranks them, each at the rank of its first part, and the grade
of each judged document. Its scores are those of ir_measures, undefined topics included, which are
0 there; the mean is that over topics.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from doxeval.arrays import Floats
from doxeval.errors import DoxevalError, MissingInput, SyntaxProblem
from doxeval.measures.base import Facts, Measure, Need
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.measures.registry import OF_IR_MEASURES
from doxeval.messages import quoted, suggestion
from doxeval.scores import MeasureFacts

_OF_SUBTOPICS = frozenset(
    "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall".split()
)


def ir_measures_library() -> Any:
    """Return the library; an error if it is not installed.

    >>> ir_measures_library().AP.NAME
    'AP'
    """
    try:
        return import_module("ir_measures")
    except ModuleNotFoundError:
        raise SyntaxProblem(
            "measures of ir_measures need the extra ir-measures: pip install 'doxeval[ir-measures]'"
        ) from None


@dataclass(frozen=True)
class IrMeasure(Measure):
    """A measure of whole documents that ir_measures computes.

    >>> print(ir_measure_named("Compat(p=0.8)"))
    ir_measures:Compat(p=0.8)
    """

    name: ClassVar[str] = "ir_measures"
    facts: ClassVar[Facts] = Facts(
        cite="ir_measures",
        edge_cases="A topic that ir_measures has no score for has its default, mostly 0.",
        highest=None,
        ranks_documents=True,
    )
    measure: Any = field(default=None)

    def __post_init__(self) -> None:
        """Check the parameters, which ir_measures does not do before it computes."""
        known, given = self.measure.SUPPORTED_PARAMS, self.measure.params
        name = f"{OF_IR_MEASURES}{self.measure.NAME}"
        for parameter in given:
            if parameter not in known:
                hint = suggestion(parameter, known) or f"; it has {', '.join(known) or 'none'}"
                raise SyntaxProblem(f"{name} has no parameter {quoted(parameter)}{hint}")
        for parameter, spec in known.items():
            if spec.required and parameter not in given:
                where = f": {name}@10" if parameter == self.measure.AT_PARAM else ""
                raise SyntaxProblem(f"{name} needs {parameter}{where}")
        try:
            self.measure.validate_params()
        except AssertionError as error:
            raise SyntaxProblem(f"{name}: {error}") from None

    def _name_with(self, is_shown: Any) -> str:
        return f"{OF_IR_MEASURES}{self.measure!r}"

    @property
    def title(self) -> str:
        """What ir_measures calls it."""
        return str(getattr(self.measure, "PRETTY_NAME", None) or self.measure.NAME)

    @property
    def needs(self) -> frozenset[Need]:
        """Subtopics, for measures of diversity."""
        return frozenset({Need.SUBTOPICS} if self.measure.NAME in _OF_SUBTOPICS else ())

    def facts_as(self, label: str, requested: Measure) -> MeasureFacts:
        """Return what a table of scores says about it: what ir_measures does."""
        user = str(getattr(self.measure, "SHORT_DESC", None) or "")
        return super().facts_as(label, requested)._replace(user=user)

    def explained(self) -> str:
        """Return what ir_measures says of it, as Markdown.

        >>> print(ir_measure_named("Compat(p=0.8)").explained().split("\\n\\n")[3])
        - `p` persistence (here 0.8; default 0.95)
        - `normalize` apply normalization for finite ideal rankings (default True)
        """
        given = self.measure.params
        parameters = []
        for name, spec in self.measure.SUPPORTED_PARAMS.items():
            remarks = [f"here {given[name]}"] if name in given else []
            remarks += ["required"] if spec.required else []
            remarks += [f"default {spec.default}"] if type(spec.default) is not object else []
            in_brackets = f" ({'; '.join(remarks)})" if remarks else ""
            parameters.append(f"- `{name}` {spec.desc}{in_brackets}")
        needs = "; ".join(need.value for need in self.needs)
        parts = [
            f"### {self}: {self.title}",
            str(getattr(self.measure, "SHORT_DESC", None) or ""),
            "**Parameters**" if parameters else "",
            "\n".join(parameters),
            f"**Needs** {needs}." if needs else "",
            f"**Edge cases** {self.facts.edge_cases}",
            "**Source** ir_measures, which computes it.",
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return the measure; an error if no installed provider of ir_measures computes it."""
        library = ir_measures_library()
        if not library.DefaultPipeline.supports(self.measure):
            try:
                library.evaluator([self.measure], {"7": {"a": 1}})  # says which providers would
            except ValueError as error:
                raise self._cannot(error) from None
        return self

    def scores(self, ranking: Ranking) -> Floats:
        """Return what ir_measures computes."""
        library = ir_measures_library()
        numbers = ranking.truth.topic_numbers
        scores = np.full(len(numbers), float(self.measure.DEFAULT))
        judged = self._judged(ranking)
        returned = _returned(ranking)
        if not judged or not returned:
            return scores
        try:
            for metric in library.iter_calc([self.measure], judged, returned):
                scores[numbers[metric.query_id]] = metric.value
        except DoxevalError:
            raise
        except Exception as error:  # of a provider, which may be of any library
            raise self._cannot(error) from None
        return scores

    def _cannot(self, error: Exception) -> MissingInput:
        return MissingInput(f"{self.label}: ir_measures cannot compute it: {error}")

    def _judged(self, ranking: Ranking) -> list[Any]:
        """Return the judged documents of the topics to score as ir_measures has them."""
        qrel = ir_measures_library().Qrel
        truth = ranking.truth
        topics, documents = truth.topics, truth.documents
        is_scored = np.isin(truth.topic, ranking.topics)
        if Need.SUBTOPICS not in self.needs:
            rows = np.flatnonzero(is_scored)
            columns = truth.topic[rows], truth.document[rows], truth.grade[rows]
            return [
                qrel(topics[topic], documents[document], grade)
                for topic, document, grade in zip(*(c.tolist() for c in columns), strict=True)
            ]
        if truth.columns.have("subtopics"):
            answers = [
                (row, str(name), grade) for row, (name, grade) in truth.columns.each("subtopics")
            ]
        else:
            from doxeval.measures.families.diversity import answered_subtopics

            needs = answered_subtopics(truth, 1)
            pairs = zip(needs.pair.tolist(), needs.subtopic.tolist(), strict=True)
            answers = [(row, str(number), 1) for row, number in pairs]
        return [
            qrel(topics[truth.topic[row]], documents[truth.document[row]], grade, subtopic)
            for row, subtopic, grade in answers
            if is_scored[row]
        ]


def _returned(ranking: Ranking) -> list[Any]:
    """Return the documents of a run as ir_measures has them; scores fall with the rank.

    They are above 0, since Compat takes 0 as the score of what was not returned.
    """
    scored = ir_measures_library().ScoredDoc
    articles, truth = ranking.articles, ranking.truth
    columns = (articles.topic, articles.pair, articles.document, articles.rank)
    return [
        scored(
            truth.topics[topic],
            truth.documents[truth.document[pair]]
            if pair >= 0
            else articles.document_names[document],
            float(len(articles) + 1 - rank),
        )
        for topic, pair, document, rank in zip(*(c.tolist() for c in columns), strict=True)
    ]


def ir_measure_named(text: str) -> IrMeasure:
    """Return a measure of ir_measures by its name there.

    >>> ir_measure_named("nDCG(dcg='exp-log2')@10")
    ir_measures:nDCG(dcg='exp-log2')@10
    >>> ir_measure_named("Compta")
    Traceback (most recent call last):
    doxeval.errors.SyntaxProblem: ir_measures has no measure 'Compta'; did you mean Compat?
    """
    known = ir_measures_library().measures.registry
    try:
        node: ast.expr = ast.parse(text.strip(), mode="eval").body
        parameters: dict[str, Any] = {}
        cut_off = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cut_off = ast.literal_eval(node.right)
            node = node.left
        if isinstance(node, ast.Call) and not node.args:
            parameters = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
            node = node.func
        name = node.id if isinstance(node, ast.Name) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        name = None
    if name is None:
        raise SyntaxProblem(
            f"{quoted(text)} is not a measure of ir_measures: expected NAME, NAME@10, "
            "NAME(key=value,…) or NAME(key=value,…)@10"
        )
    if name not in known:
        raise SyntaxProblem(
            f"ir_measures has no measure {quoted(name)}{suggestion(name, list(known))}"
        )
    measure = known[name]
    if cut_off is not None:
        parameters[measure.AT_PARAM] = cut_off
    return IrMeasure(measure(**parameters))
