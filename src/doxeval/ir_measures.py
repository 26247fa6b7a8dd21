"""doxeval among the providers of ir_measures: `import doxeval.ir_measures` registers it.

From then on, ir_measures computes measures by doxeval that no other of its providers computes, and
knows doxeval's measures by their names:

>>> import ir_measures
>>> import doxeval.ir_measures
>>> qrels, run = {"7": {"a": 1, "b": 0, "c": 1}}, {"7": {"a": 0.9, "b": 0.8, "c": 0.7}}
>>> measures = [ir_measures.AP, ir_measures.parse_measure("RprecMult@0.5")]
>>> ir_measures.calc_aggregate(measures, qrels, run)[measures[1]]
1.0

`doxeval.ir_measures.provider` is asked directly for all that it knows, and says the same as others:

>>> provider.calc_aggregate([ir_measures.AP, ir_measures.P @ 2], qrels, run)
{AP: 0.8333333333333333, P@2: 0.5}

Runs are ranked by score as trec_eval ranks them: in single precision, equal scores by falling id
of the document. A topic for which a measure is undefined, because nothing is relevant, has 0 for
measures that ir_measures has too, as its other providers have it, and counts in the mean. For those
that only doxeval has it is nan, and does not count.

Frames of results and of qrels may have further columns that doxeval knows, such as `start` and
`end`; then measures of passages can be computed, too. The other way round, `column` makes a measure
of ir_measures a column of a table of scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from doxeval.assessments import Assessments, as_assessments
from doxeval.columns import is_frame
from doxeval.errors import warn
from doxeval.evaluation import Evaluation
from doxeval.measures import MEASURES, IrMeasure, Measure, Need, ir_measures_library
from doxeval.messages import join_names
from doxeval.named import signed_parameter
from doxeval.runs import Run, as_run

__all__ = ["column", "provider"]

library = ir_measures_library()
_Measure: Any = library.Measure
_MeanAgg: Any = library.MeanAgg
_Provider: Any = library.providers.Provider
_ProviderEvaluator: Any = library.providers.Evaluator

# Parameters of ir_measures by their names here; others have the same name.
_PARAMETERS = {"cutoff": "k", "recall": "x", "dcg": "gain"}
_GAINS = {"log2": "linear", "exp-log2": "exp"}


def column(measure: Any) -> IrMeasure:
    """Return a measure of ir_measures as one of doxeval, which ir_measures computes.

    Its name works as well, where it can be written: `"ir_measures:Compat(p=0.8)"`.

    >>> from doxeval import evaluate
    >>> evaluate({"7": {"a": 1.0}}, {"7": {"a": 1}}, ["AP", column(library.Compat(p=0.8))])
    Scores of 1 run by 2 measures on 1 topic
    run      AP  ir_measures:Compat(p=0.8)
    run  1.0000                     1.0000
    """
    return IrMeasure(measure)


# Measures there and here


def _in_doxeval(measure: Any) -> Measure | None:
    """Return the measure here that computes a measure there; None if there is none."""
    if isinstance(measure, _OfDoxeval):
        return measure.here
    name: str = measure.NAME
    given: dict[str, Any] = dict(measure.params)
    for parameter, spec in measure.SUPPORTED_PARAMS.items():
        if type(spec.default) is not object:
            given.setdefault(parameter, spec.default)
    if name == "NumRet" and "rel" in given:
        name = "NumRelRet"
    if name == "SetP" and given.pop("relative"):
        name = "SetRelP"
    if name == "RBP" and "rel" not in given:  # by grades, which doxeval does not compute
        return None
    if name == "RR":
        given["unit"] = "document"
    if name not in MEASURES or (name == "ERR" and "cutoff" not in given):
        return None
    if "dcg" in given:
        given["dcg"] = _GAINS[given["dcg"]]
    kind = MEASURES[name]
    values: dict[str, Any] = {
        _PARAMETERS.get(parameter, parameter): value for parameter, value in given.items()
    }
    if not values.keys() <= {spec.name for spec in fields(kind)}:
        return None  # gains=
    needs_cut_off = "cutoff" in measure.SUPPORTED_PARAMS and "k" not in values
    if needs_cut_off and signed_parameter(kind, "@").default is not None:
        return None  # a default of doxeval's is not what was asked for
    return kind(**values)


class _OfDoxeval(_Measure):  # type: ignore[misc]  # the library has no types
    """A measure that only doxeval has, as ir_measures sees it."""

    DEFAULT = math.nan
    kind: type[Measure]

    @property
    def here(self) -> Measure:
        """The measure with its parameters; wrong ones are an error."""
        return self.kind()(**self.params)

    def validate_params(self) -> None:
        """Check the parameters."""
        self.validated = self.here is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_doxeval, (self.kind, self.params)

    def aggregator(self) -> _Mean:
        """Return what computes the mean."""
        return _Mean(self.here)


class _Mean(_MeanAgg):  # type: ignore[misc]
    """The mean of scores that are defined."""

    def __init__(self, measure: Measure) -> None:
        super().__init__()
        self._is_geometric = measure.facts.average == "geometric"

    def add(self, value: float) -> None:
        """Take the score of a topic."""
        if not math.isnan(value):
            super().add(value)

    def result(self) -> float:
        """Return the mean."""
        mean = float(super().result())
        return math.exp(mean) if self._is_geometric else mean


def _of_doxeval(kind: type[Measure], params: Mapping[str, Any]) -> _OfDoxeval:
    """Return a measure of doxeval as one of ir_measures."""
    return _class_of(kind)(**params)


_classes: dict[str, type[_OfDoxeval]] = {}


def _class_of(kind: type[Measure]) -> type[_OfDoxeval]:
    if kind.name not in _classes:
        signs = {spec.metadata.get("sign"): spec.name for spec in fields(kind)}
        _classes[kind.name] = type(
            f"_{kind.name}",
            (_OfDoxeval,),
            {
                "__name__": kind.name,
                "NAME": kind.name,
                "PRETTY_NAME": kind.facts.title,
                "SHORT_DESC": (kind.__doc__ or "").strip().partition("\n")[0],
                "AT_PARAM": signs.get("@", signs.get("[", "cutoff")),
                "SUPPORTED_PARAMS": {
                    spec.name: library.ParamInfo(
                        default=spec.default, desc=spec.metadata.get("help")
                    )
                    for spec in fields(kind)
                },
                "kind": kind,
            },
        )
    return _classes[kind.name]


# The provider


class DoxevalProvider(_Provider):  # type: ignore[misc]
    """Computes measures by doxeval."""

    NAME = "doxeval"

    def supports(self, measure: Any) -> bool:
        """Return whether doxeval computes a measure."""
        measure.validate_params()
        return _in_doxeval(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels)


class _JudgedSubtopic(NamedTuple):
    topic: str
    doc: str
    grade: int
    subtopic: str


class _Evaluator(_ProviderEvaluator):  # type: ignore[misc]
    """Scores runs against qrels by doxeval."""

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._here: dict[Any, Measure] = {}
        for measure in measures:
            here = _in_doxeval(measure)
            if here is None:
                raise ValueError(f"doxeval does not compute {measure}")
            self._here[measure] = here
        chosen = list(dict.fromkeys(self._here.values()))
        topics, assessments = _assessments(
            qrels, any(Need.SUBTOPICS in here.needs for here in chosen)
        )
        super().__init__(measures, topics)
        self._evaluation = (
            None if assessments is None else Evaluation(assessments, chosen, order="trec")
        )

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        if self._evaluation is None:
            return
        table = self._evaluation.score_all({"run": _run(run)})
        warn(table.run_warnings())
        of_run = table["run"].topics
        for measure, here in self._here.items():
            undefined = []
            for topic in self._evaluation.truth.topics:
                value = of_run[topic][here.label]
                if value is None:
                    undefined.append(topic)
                else:
                    yield library.Metric(query_id=topic, measure=measure, value=value)
            if undefined and not math.isnan(measure.DEFAULT):
                warn(
                    [
                        f"{measure} is undefined for {join_names(undefined)}, where nothing is "
                        f"relevant; ir_measures counts {measure.DEFAULT:g} there"
                    ]
                )


def _assessments(qrels: Any, with_subtopics: bool) -> tuple[list[str], Assessments | None]:
    """Return the topics of qrels, and the assessments, None if there are none."""
    if isinstance(qrels, Mapping):
        judged = {topic: grades for topic, grades in qrels.items() if grades}
        return list(map(str, qrels)), as_assessments(judged) if judged else None
    if is_frame(qrels):
        if not len(qrels):
            return [], None
        if with_subtopics and "iteration" in qrels.columns:
            qrels = qrels.rename(columns={"iteration": "subtopic"})
        assessments = as_assessments(qrels)
        return list(assessments.topics), assessments
    rows = list(qrels)
    if with_subtopics:
        rows = [
            _JudgedSubtopic(
                row.query_id, row.doc_id, row.relevance, str(getattr(row, "iteration", "0"))
            )
            for row in rows
        ]
    if not rows:
        return [], None
    assessments = as_assessments(rows)
    return list(assessments.topics), assessments


def _run(given: Any) -> Run:
    if not isinstance(given, Mapping) and not is_frame(given):
        given = list(given)
    if not len(given):
        return Run.from_results([], "run")
    return as_run(given)


provider = DoxevalProvider()


def _register() -> None:
    """Make the provider and the names of measures known to ir_measures, once."""
    library.providers.register(provider)
    pipeline = library.DefaultPipeline
    if not any(getattr(each, "NAME", "") == provider.NAME for each in pipeline.providers):
        pipeline.providers.append(provider)
    for name in MEASURES:
        if name not in library.measures.registry:
            library.measures.register(_class_of(MEASURES[name])())


_register()
