"""trec_eval's measures: their names, their parameters, and how they become lines.

Each is computed by the measure that has this name of trec_eval among its names.

`-m P.5,10` requests the measure P with the parameters 5 and 10, which are two lines, P_5 and P_10.
Lines are printed in the order of the table below, however they are requested. Parameters that are
given twice for a measure count once: the first are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, NamedTuple

from doxeval.compat.trec_input import TrecEvalError
from doxeval.errors import SyntaxProblem
from doxeval.measures import Measure, measure_named
from doxeval.messages import quoted, truncate

# What the parameters of a measure are: cut-offs or levels of recall, each with a line of its own;
# numbers that are part of the one line's name; or something that is not available here. Those of
# other measures are ignored, as trec_eval ignores them.
Parameters = Literal["ranks", "levels", "numbers", "unavailable", "ignored"]
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

    parameters: what they are. values: those that were given, or else trec_eval's. as_given: the
    text behind the point.
    """

    name: str
    parameters: Parameters = "ignored"
    values: tuple[float, ...] = ()
    summary: Summary = "mean"
    as_given: str = ""

    def lines(self, relevance_level: int) -> Iterator[TrecLine]:
        """Yield the lines of the measure."""
        match self.parameters:
            case "ranks":
                for rank in self.values:
                    measure = self._measure(relevance_level, k=int(rank))
                    yield TrecLine(f"{self.name}_{rank:.0f}", self, measure)
            case "levels":
                for x in self.values:
                    measure = self._measure(relevance_level, x=x)
                    yield TrecLine(f"{self.name}_{x:3.2f}", self, measure, (x,))
            case _:
                label = f"{self.name}_{self.as_given}" if self.as_given else self.name
                named = {"beta": self.values[0]} if self.name == "set_F" else {}
                levels = self.values if self.name == "11pt_avg" else ()
                yield TrecLine(label, self, self._measure(relevance_level, **named), levels)

    def _measure(self, relevance_level: int, **named: Any) -> Measure | None:
        """Return the measure here with these parameters; None for what is no number of a topic."""
        if self.summary in ("run_id", "topics", "nothing"):
            return None
        has_number = self.parameters in ("ranks", "levels")
        measure = measure_named(f"{self.name}_1" if has_number else self.name)
        if "rel" in measure.__dataclass_fields__:
            named["rel"] = relevance_level
        try:
            return replace(measure, **named)
        except SyntaxProblem as error:
            raise TrecEvalError(f"{self.name}: {error}") from None


class TrecLine(NamedTuple):
    """One line of the output: its label, and how its value is computed.

    levels: the levels of recall that interpolated precision is taken at.
    """

    label: str
    of: TrecMeasure
    measure: Measure | None
    levels: tuple[float, ...] = ()

    @property
    def reads_results(self) -> bool:
        """Whether trec_eval looks at the results of a topic for it."""
        return self.of.summary not in ("run_id", "topics")


# In the order in which lines are printed.
TREC_MEASURES = (
    TrecMeasure("runid", summary="run_id"),
    TrecMeasure("num_q", summary="topics"),
    TrecMeasure("num_ret", summary="sum"),
    TrecMeasure("num_rel", summary="sum"),
    TrecMeasure("num_rel_ret", summary="sum"),
    TrecMeasure("map"),
    TrecMeasure("gm_map", summary="geometric"),
    TrecMeasure("Rprec"),
    TrecMeasure("bpref"),
    TrecMeasure("recip_rank"),
    TrecMeasure("iprec_at_recall", "levels", _LEVELS),
    TrecMeasure("P", "ranks", _RANKS),
    TrecMeasure("relstring", "numbers", (10.0,), "nothing"),
    TrecMeasure("recall", "ranks", _RANKS),
    TrecMeasure("infAP"),
    TrecMeasure("gm_bpref", summary="geometric"),
    TrecMeasure("Rprec_mult", "levels", _MULTIPLES),
    TrecMeasure("utility", "unavailable"),
    TrecMeasure("11pt_avg", "unavailable", _LEVELS),
    TrecMeasure("binG"),
    TrecMeasure("G", "unavailable"),
    TrecMeasure("ndcg", "unavailable"),
    TrecMeasure("ndcg_rel", "unavailable"),
    TrecMeasure("Rndcg", "unavailable"),
    TrecMeasure("ndcg_cut", "ranks", _RANKS),
    TrecMeasure("map_cut", "ranks", _RANKS),
    TrecMeasure("relative_P", "ranks", _RANKS),
    TrecMeasure("success", "ranks", (1.0, 5.0, 10.0)),
    TrecMeasure("set_P"),
    TrecMeasure("set_relative_P"),
    TrecMeasure("set_recall"),
    TrecMeasure("set_map"),
    TrecMeasure("set_F", "numbers", (1.0,)),
    TrecMeasure("num_nonrel_judged_ret", summary="sum"),
    TrecMeasure("yaap"),
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
_RANK, _DECIMAL = re.compile("0*[1-9][0-9]{,8}"), re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)")
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
            message = f"no parameters behind the point of {quoted(truncate(text))}"
            raise TrecEvalError(message, exit_code=UNKNOWN_MEASURE)
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
    message = f"trec_eval has no measure {quoted(truncate(name))}"
    if name in _OTHER_JUDGMENTS or name.startswith("prefs_") or name.endswith("_avgjg"):
        message = f"{truncate(name)} needs preferences or several assessors, not qrels"
    raise TrecEvalError(message, exit_code=UNKNOWN_MEASURE)


def _with_parameters(measure: TrecMeasure, text: str | None) -> TrecMeasure:
    """Return a measure with the parameters that were given for it."""
    if text is None or measure.parameters == "ignored":
        return measure
    if measure.parameters == "unavailable":
        raise TrecEvalError(f"parameters of {measure.name} are not available: leave them out")
    values = tuple(_number(part, measure) for part in text.split(","))
    if measure.parameters == "numbers":
        return replace(measure, values=values, as_given=text)
    if len(set(values)) < len(values):
        raise TrecEvalError(f"{measure.name}: a cut-off is given twice in {quoted(truncate(text))}")
    return replace(measure, values=tuple(sorted(values)))


def _number(text: str, measure: TrecMeasure) -> float:
    """Return a parameter; trec_eval would take what looks like a number at its beginning, or 0."""
    if measure.parameters == "ranks":
        if not _RANK.fullmatch(text):
            expected = "expected a whole number, 1 or more"
            raise TrecEvalError(f"{measure.name}.{truncate(text)}: {expected}")
    elif not _DECIMAL.fullmatch(text):
        raise TrecEvalError(f"{measure.name}.{truncate(text)}: expected a number")
    return float(text)
