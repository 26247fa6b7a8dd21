"""trec_eval's measures: their names, their parameters, and which measure here computes each.

`-m P.5,10` requests the measure P with the parameters 5 and 10, which are two lines, P_5 and P_10.
Lines are printed in the order of the table below, however they are requested. Parameters that are
given twice for a measure count once: the first are taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple

from doxeval.arrays import Floats
from doxeval.compat.trec_input import BAD_FILE, TrecEvalError
from doxeval.errors import SyntaxProblem
from doxeval.measures import MEASURES, BinaryMeasure, Measure, Ranking, reciprocal_rank
from doxeval.messages import quoted, truncate

Kind = Literal["ranks", "levels", "numbers", "none"]
# How the values of topics become that of all: the run's id and the number of topics are no values
# of topics, counts are summed, the others averaged; a line of text is only printed for topics.
Summary = Literal["run_id", "topics", "sum", "mean", "geometric", "nothing"]

_RANKS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0, 200.0, 500.0, 1000.0)
_LEVELS = tuple(tenth / 10 for tenth in range(11))
_MULTIPLES = tuple(fifth / 5 for fifth in range(1, 11))
UNKNOWN_MEASURE = 1


@dataclass(frozen=True)
class TrecMeasure:
    """A measure as trec_eval names it.

    computed_by: the name of the measure here; none for what is no number. parameters: those that
    are not given. kind: ranks and levels are a line each; numbers are parameters of one line.
    given_as: which parameter of the measure here they are.
    """

    name: str
    computed_by: str | None = None
    parameters: tuple[float, ...] = ()
    kind: Kind = "none"
    summary: Summary = "mean"
    given_as: str = "k"
    # The parameters as they were given, which are part of the name of a line with numbers.
    as_given: str = ""

    def lines(self, relevance_level: int) -> Iterator[TrecLine]:
        """Yield the lines of the measure."""
        if self.kind in ("none", "numbers"):
            label = f"{self.name}_{self.as_given}" if self.as_given else self.name
            named = {}
            if self.kind == "numbers" and self.as_given and self.computed_by is not None:
                named = self._given_numbers()
            yield TrecLine(label, self, self._measure(relevance_level, named))
            return
        for value in self.parameters:
            is_rank = self.kind == "ranks"
            label = f"{self.name}_{value:.0f}" if is_rank else f"{self.name}_{value:3.2f}"
            named = {self.given_as: int(value) if is_rank else value}
            yield TrecLine(label, self, self._measure(relevance_level, named), value)

    def _given_numbers(self) -> dict[str, Any]:
        if self.name == "11pt_avg":
            return {self.given_as: self.parameters}
        if self.given_as == "k":
            raise TrecEvalError(f"parameters of {self.name} are not available: leave them out")
        return {self.given_as: self.parameters[0]}

    def _measure(self, relevance_level: int, named: dict[str, Any]) -> Measure | None:
        if self.computed_by is None:
            return None
        kind = MEASURES[self.computed_by] if self.name != "recip_rank" else _FirstRelevant
        if "rel" in kind.__dataclass_fields__:
            named["rel"] = relevance_level
        try:
            return kind(**named)
        except SyntaxProblem as error:
            raise TrecEvalError(f"{self.name}: {error}", exit_code=BAD_FILE) from None


@dataclass(frozen=True)
class _FirstRelevant(BinaryMeasure):
    """The reciprocal rank of the first relevant document, whatever else is known about it."""

    name: ClassVar[str] = "RR"

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 / rank."""
        return reciprocal_rank(self.graded(ranking), self.rel)


class TrecLine(NamedTuple):
    """One line of the output: its label, and how its value is computed.

    level: the rank or the level of recall of a measure with several lines.
    """

    label: str
    of: TrecMeasure
    measure: Measure | None
    level: float = math.nan

    @property
    def reads_results(self) -> bool:
        """Whether trec_eval looks at the results of a topic for it."""
        return self.of.summary not in ("run_id", "topics")


def _measure(name: str, computed_by: str | None, **settings: Any) -> TrecMeasure:
    return TrecMeasure(name, computed_by, **settings)


def _at_ranks(name: str, computed_by: str, ranks: tuple[float, ...] = _RANKS) -> TrecMeasure:
    return TrecMeasure(name, computed_by, ranks, "ranks")


# In the order in which lines are printed.
TREC_MEASURES = (
    _measure("runid", None, summary="run_id"),
    _measure("num_q", None, summary="topics"),
    _measure("num_ret", "NumRet", summary="sum"),
    _measure("num_rel", "NumRel", summary="sum"),
    _measure("num_rel_ret", "NumRelRet", summary="sum"),
    _measure("map", "AP"),
    _measure("gm_map", "GMAP", summary="geometric"),
    _measure("Rprec", "Rprec"),
    _measure("bpref", "Bpref"),
    _measure("recip_rank", "RR"),
    TrecMeasure("iprec_at_recall", "IPrec", _LEVELS, "levels", given_as="x"),
    _at_ranks("P", "P"),
    TrecMeasure("relstring", None, (10.0,), "numbers", "nothing"),
    _at_ranks("recall", "R"),
    _measure("infAP", "infAP"),
    _measure("gm_bpref", "GMBpref", summary="geometric"),
    TrecMeasure("Rprec_mult", "RprecMult", _MULTIPLES, "levels", given_as="x"),
    TrecMeasure("utility", "Utility", (), "numbers"),
    TrecMeasure("11pt_avg", "IPrecAvg", _LEVELS, "numbers"),
    _measure("binG", "binG"),
    TrecMeasure("G", "G", (), "numbers"),
    TrecMeasure("ndcg", "nDCG", (), "numbers"),
    TrecMeasure("ndcg_rel", "nDCGrel", (), "numbers"),
    TrecMeasure("Rndcg", "RnDCG", (), "numbers"),
    _at_ranks("ndcg_cut", "nDCG"),
    _at_ranks("map_cut", "AP"),
    _at_ranks("relative_P", "RelP"),
    _at_ranks("success", "Success", (1.0, 5.0, 10.0)),
    _measure("set_P", "SetP"),
    _measure("set_relative_P", "SetRelP"),
    _measure("set_recall", "SetR"),
    _measure("set_map", "SetAP"),
    TrecMeasure("set_F", "SetF", (1.0,), "numbers", given_as="beta"),
    _measure("num_nonrel_judged_ret", "NumNonRelRet", summary="sum"),
    _measure("yaap", "YAAP"),
)
_BY_NAME = {measure.name: measure for measure in TREC_MEASURES}
_OFFICIAL = TREC_MEASURES[: [measure.name for measure in TREC_MEASURES].index("P") + 1]
_SET = (
    "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
)
NICKNAMES = {
    "official": tuple(measure.name for measure in _OFFICIAL),
    "set": tuple(_SET.split()),
    "all_trec": tuple(measure.name for measure in TREC_MEASURES if measure.name != "yaap"),
}
# What needs judgments in another format than qrels.
_OTHER_JUDGMENTS = ("all_prefs", "prefs", "qrels_jg")


@cache
def trec_lines(requested: tuple[str, ...], relevance_level: int = 1) -> tuple[TrecLine, ...]:
    """Return the lines of the requested measures, in the order in which they are printed.

    >>> [line.label for line in trec_lines(("map", "P.10,5", "P.20", "num_q"))]
    ['num_q', 'map', 'P_5', 'P_10']
    >>> trec_lines(("MAP",))
    Traceback (most recent call last):
    doxeval.compat.trec_input.TrecEvalError: trec_eval has no measure 'MAP'
    """
    names: set[str] = set()
    given: dict[str, str] = {}
    for text in requested:
        name, point, parameters = text.partition(".")
        if point and not parameters:
            raise _unknown(text, f"no parameters behind the point of {quoted(truncate(text))}")
        if point:
            given.setdefault(name, parameters)
        names.update(NICKNAMES.get(name) or (_known(name),))
    return tuple(
        line
        for measure in TREC_MEASURES
        if measure.name in names
        for line in _with_parameters(measure, given.get(measure.name)).lines(relevance_level)
    )


def _known(name: str) -> str:
    if name in _BY_NAME:
        return name
    if name in _OTHER_JUDGMENTS or name.startswith("prefs_") or name.endswith("_avgjg"):
        raise _unknown(name, f"{name} needs preferences or several assessors, not qrels")
    raise _unknown(name, f"trec_eval has no measure {quoted(truncate(name))}")


def _unknown(_: str, message: str) -> TrecEvalError:
    return TrecEvalError(message, exit_code=UNKNOWN_MEASURE)


def _with_parameters(measure: TrecMeasure, text: str | None) -> TrecMeasure:
    """Return a measure with the parameters that were given for it."""
    if text is None or measure.kind == "none":  # trec_eval ignores those of others
        return measure
    values = [_number(part, measure) for part in text.split(",")]
    if measure.kind == "numbers":
        return replace(measure, parameters=tuple(values), as_given=text)
    if len(set(values)) < len(values):
        raise TrecEvalError(f"{measure.name}: a cut-off is given twice in {quoted(truncate(text))}")
    return replace(measure, parameters=tuple(sorted(values)))


def _number(text: str, measure: TrecMeasure) -> float:
    expected = "a whole number, 1 or more" if measure.kind == "ranks" else "a number"
    try:
        value = float(text)
        is_right = math.isfinite(value) and "_" not in text
        if measure.kind == "ranks":
            is_right &= value >= 1 and value.is_integer()
    except ValueError:
        is_right = False
    if not is_right:
        raise TrecEvalError(f"{measure.name}.{truncate(text)}: expected {expected}")
    return value
