"""trec_eval 9.0.8 as a function: the same values, and the same lines to the last byte.

Results of a topic are sorted by score in single precision, equal scores by falling document id;
then the list is cut (-M), checked for duplicates, and documents that were not judged are left out
(-J). Topics that are in both files count, or with -c all topics of the qrels. A topic without
relevant documents scores 0.

The arithmetic is that of the measures of doxeval; this file reads, orders, averages and prints.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, repeated_rows
from doxeval.columns import Categorical
from doxeval.compat.trec_input import (
    BAD_TOPIC,
    NO_COMMON_TOPIC,
    TrecEvalError,
    TrecQrels,
    TrecRun,
    qrels_of_dict,
    read_trec_qrels_file,
    read_trec_run_file,
    run_of_dict,
)
from doxeval.compat.trec_measures import TrecLine, trec_lines
from doxeval.errors import InputError
from doxeval.measures import Ranking
from doxeval.messages import Parameter, plural, quoted, truncate
from doxeval.runs import Kind, Run, order_of_trec_eval, resolve_without_collection

_LOG_OF_NOTHING = math.log(0.00001)
_NOT_POOLED, _NOT_JUDGED = -1, -2  # as trec_eval numbers results that have no grade
_ALL = "all"

GivenQrels: TypeAlias = "str | os.PathLike[str] | Mapping[str, Mapping[str, int]] | TrecQrels"
GivenRun: TypeAlias = "str | os.PathLike[str] | Mapping[str, Mapping[str, float]]"


@dataclass(frozen=True)
class TrecEvalOptions:
    """The options of trec_eval, with its defaults.

    measures: names as behind its -m, such as official, all_trec, map or P.5,10. per_topic: print
    each topic (-q). all_topics: average over all topics of the qrels (-c). relevance_level: the
    lowest relevant grade (-l). judged_only: leave out documents that were not judged (-J).
    max_results: how many results of a topic count (-M). summary: print what is about all topics
    (not -n).

    >>> TrecEvalOptions(("map", "P.5,10")).relevance_level
    1
    """

    measures: Sequence[str] = ("official",)
    per_topic: bool = False
    all_topics: bool = False
    relevance_level: int = 1
    judged_only: bool = False
    max_results: int | None = None
    summary: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.measures, str):
            raise InputError(Parameter("measures", self.measures) + ": expected a list of names")
        if self.relevance_level < 0:
            raise InputError(
                Parameter("relevance_level", self.relevance_level)
                + ": expected 0 or more; grades below 0 mean that nobody judged"
            )
        if self.max_results is not None and self.max_results < 0:
            raise InputError(Parameter("max_results", self.max_results) + ": expected 0 or more")


_DEFAULTS = TrecEvalOptions()


@dataclass(frozen=True, eq=False, repr=False)
class TrecEvalScores:
    """The values of a run as trec_eval computes them.

    topics: those that were scored, in the order of their bytes. values: a row for each line, a
    column for each topic; rows of what is no number of a topic are nan. failure: why trec_eval
    stops behind these topics, if it does. grades: of the results of each topic, in their order.
    divisor: over how many topics means are taken. relevant_anywhere: how many documents are
    relevant for any topic of the qrels, where that is printed.
    """

    run_id: str
    lines: tuple[TrecLine, ...]
    topics: tuple[str, ...]
    values: Floats
    grades: Sequence[Ints]
    divisor: int
    relevant_anywhere: int | None
    failure: TrecEvalError | None = None

    def __repr__(self) -> str:
        lines, topics = plural(len(self.lines), "line"), plural(len(self.topics), "topic")
        return f"TrecEvalScores({self.run_id!r}: {lines} for {topics})"

    def by_topic(self) -> dict[str, dict[str, float]]:
        """Return the numbers of each topic by their labels.

        >>> scores = trec_eval({"7": {"a": 0.5}}, {"7": {"a": 1, "b": 1}}, ["map", "P.5"])
        >>> scores.by_topic()
        {'7': {'map': 0.5, 'P_5': 0.2}}
        """
        rows = [
            (line.label, values.tolist())
            for line, values in zip(self.lines, self.values, strict=True)
            if line.measure is not None
        ]
        return {
            topic: {label: values[at] for label, values in rows}
            for at, topic in enumerate(self.topics)
        }

    def summary(self) -> dict[str, float]:
        """Return the numbers of all topics together by their labels.

        >>> run = {"7": {"a": 0.5}, "8": {"x": 1.0}}
        >>> trec_eval(run, {"7": {"a": 1}, "8": {"a": 1}}, ["num_rel", "map"]).summary()
        {'num_rel': 2.0, 'map': 0.5}
        """
        return {
            line.label: self._of_all(line, values)
            for line, values in zip(self.lines, self.values, strict=True)
            if line.of.summary not in ("run_id", "nothing")
        }

    def _of_all(self, line: TrecLine, values: Floats) -> float:
        if line.of.summary == "topics":
            return float(self.divisor)
        if line.of.name == "num_rel" and self.relevant_anywhere is not None:
            return float(self.relevant_anywhere)
        total = float(np.cumsum(values)[-1])  # one after the other, as a loop adds them
        if line.of.summary == "sum":
            return total
        if line.of.summary == "geometric":
            missing = (self.divisor - len(self.topics)) * _LOG_OF_NOTHING
            return math.exp((total + missing) / self.divisor)
        return total / self.divisor

    def topic_lines(self) -> Iterator[str]:
        """Yield what is printed for each topic."""
        printed = [
            (line, f"{line.label:<22}\t{{}}\t{{}}".format, values.tolist())
            for line, values in zip(self.lines, self.values, strict=True)
            if line.of.summary not in ("run_id", "topics", "geometric")
        ]
        for at, topic in enumerate(self.topics):
            for line, text, values in printed:
                shown = (
                    _relevance_string(self.grades[at], line)
                    if line.measure is None
                    else _number(line, values[at])
                )
                yield text(topic, shown)

    def summary_lines(self) -> Iterator[str]:
        """Yield what is printed for all topics together."""
        numbers = self.summary()
        for line in self.lines:
            if line.of.summary != "nothing":
                is_number = line.label in numbers
                shown = _number(line, numbers[line.label]) if is_number else self.run_id
                yield f"{line.label:<22}\t{_ALL}\t{shown}"


def _number(line: TrecLine, value: float) -> str:
    """Return a number as C prints it: counts as %ld, others as %6.4f."""
    if line.of.summary in ("sum", "topics"):
        return str(int(value))
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"


def _relevance_string(grades: Ints, line: TrecLine) -> str:
    signs = {_NOT_POOLED: "-", _NOT_JUDGED: "."}
    first = grades[: max(int(line.of.values[0]), 0)].tolist()
    return f"'{''.join('>' if g > 9 else signs.get(g) or str(g) for g in first)}'"


# What a run is worth


def trec_eval(
    run: GivenRun, qrels: GivenQrels, options: TrecEvalOptions | Sequence[str] = _DEFAULTS
) -> TrecEvalScores:
    """Score a run as trec_eval does; runs and qrels are files, or dicts as pytrec_eval takes them.

    options: options, or only the names of measures, or one name.

    >>> scores = trec_eval({"7": {"a": 0.5, "b": 0.9}}, {"7": {"a": 1}}, ["recip_rank"])
    >>> scores.summary()
    {'recip_rank': 0.5}
    """
    scores = _score(run, qrels, options)
    if scores.failure is not None:
        raise scores.failure
    return scores


def trec_eval_lines(
    run: GivenRun, qrels: GivenQrels, options: TrecEvalOptions | Sequence[str] = _DEFAULTS
) -> Iterator[str]:
    r"""Yield what trec_eval prints for a run, line by line.

    Where it stops at a topic that it refuses, the lines of the topics before come first.

    >>> list(trec_eval_lines({"7": {"a": 0.5}}, {"7": {"a": 1}}, ["num_ret", "map"]))
    ['num_ret               \tall\t1', 'map                   \tall\t1.0000']
    """
    options = _as_options(options)
    scores = _score(run, qrels, options)
    if options.per_topic:
        yield from scores.topic_lines()
    if scores.failure is not None:
        raise scores.failure
    if options.summary:
        yield from scores.summary_lines()


def read_trec_qrels(qrels: GivenQrels) -> TrecQrels:
    """Return qrels that several runs are scored against.

    >>> read_trec_qrels({"7": {"a": 1}}).truth.topics
    ('7',)
    """
    if isinstance(qrels, TrecQrels):
        return qrels
    return qrels_of_dict(qrels) if isinstance(qrels, Mapping) else read_trec_qrels_file(qrels)


def _as_options(options: TrecEvalOptions | Sequence[str]) -> TrecEvalOptions:
    if isinstance(options, TrecEvalOptions):
        return options
    return TrecEvalOptions((options,) if isinstance(options, str) else tuple(options))


def _score(
    run: GivenRun, qrels: GivenQrels, options: TrecEvalOptions | Sequence[str]
) -> TrecEvalScores:
    options = _as_options(options)
    lines = trec_lines(tuple(options.measures), options.relevance_level)
    judged = read_trec_qrels(qrels)
    results = run_of_dict(run) if isinstance(run, Mapping) else read_trec_run_file(run)
    return scores_of_run(results, judged, lines, options)


def scores_of_run(
    run: TrecRun, qrels: TrecQrels, lines: tuple[TrecLine, ...], options: TrecEvalOptions
) -> TrecEvalScores:
    """Score a run that was read.

    >>> qrels, run = qrels_of_dict({"7": {"a": 1}}), run_of_dict({"7": {"a": 0.5}})
    >>> scores_of_run(run, qrels, trec_lines(("map",)), TrecEvalOptions()).values.tolist()
    [[1.0]]
    """
    truth = qrels.truth
    of_run = np.array([truth.topic_numbers.get(topic, -1) for topic in run.topics], dtype=np.int64)
    topics = of_run[of_run >= 0]
    if not len(topics):
        message = "no topic has both results and judgments"
        raise TrecEvalError(message, run.origin, exit_code=NO_COMMON_TOPIC)
    ranking = _ranking(run, of_run, qrels, options)
    failure = None
    if any(line.reads_results for line in lines):
        first, failure = _first_refused(ranking, topics, qrels, run)
        if failure is not None:
            topics = topics[:first]
            scored = ranking.rows(np.flatnonzero(np.isin(ranking.topic, topics)))
            ranking = replace(scored, topics=topics)
    if options.judged_only:
        grade = _grades(ranking)
        ranking = ranking.rows(np.flatnonzero(grade >= 0))
    values = np.full((len(lines), len(topics)), np.nan)
    for row, line in enumerate(lines):
        if line.measure is not None:
            scores = line.measure.scores(ranking)
            undefined = _LOG_OF_NOTHING if line.of.summary == "geometric" else 0.0
            scores = np.where(np.isnan(scores), undefined, scores)
            scores[_divides_by_zero(line, ranking, options.relevance_level)] = np.nan
            values[row] = scores[topics]
    return TrecEvalScores(
        run.run_id,
        lines,
        tuple(truth.topics[topic] for topic in topics.tolist()),
        values,
        [of_topic for _, of_topic in ranking.lists(_grades(ranking))],
        len(truth.topics) if options.all_topics else len(topics),
        int((truth.grade > 0).sum()) if options.all_topics else None,
        failure,
    )


def _ranking(run: TrecRun, of_run: Ints, qrels: TrecQrels, options: TrecEvalOptions) -> Ranking:
    """Return the results of topics in the qrels, in trec_eval's order.

    of_run: the number of each of the run's topics among those of the qrels, -1 if it is not there.
    """
    truth, topic, score, documents = qrels.truth, of_run[run.topic], run.score, run.document
    if (of_run < 0).any():
        known = np.flatnonzero(topic >= 0)
        topic, score, documents = topic[known], score[known], documents.rows(known)
    rows: Ints = order_of_trec_eval(topic, score, documents)
    if options.max_results is not None:
        rank = np.arange(len(rows)) - np.searchsorted(topic[rows], topic[rows])
        rows = rows[rank < options.max_results]
    topic, documents = topic[rows], documents.rows(rows)
    count, nothing = len(topic), np.full(len(topic), -1, dtype=np.int64)
    kind = np.full(count, int(Kind.DOCUMENT), dtype=np.int64)
    topics = Categorical.of(truth.topics, topic)
    results = Run(
        run.run_id,
        topics,
        documents,
        Categorical.none(count),
        kind,
        nothing,
        nothing,
        None,
        None,
        nothing,
    )
    return Ranking(
        truth=truth,
        topics=of_run[of_run >= 0],
        topic=topic,
        pair=truth.find_pairs(topic, documents.find(truth.document_index)),
        resolved=resolve_without_collection(results),
        level=np.arange(count),
        are_documents=True,
    )


def _first_refused(
    ranking: Ranking, topics: Ints, qrels: TrecQrels, run: TrecRun
) -> tuple[int, TrecEvalError | None]:
    """Return how many topics trec_eval scores before one that it refuses, and why it does."""
    returned_twice: dict[int, str] = {}
    labels = ranking.resolved.run.document_labels
    # Keys almost surely differ where documents do, numbers surely.
    if run.may_repeat and len(repeated_rows(ranking.topic, labels.keys())):
        for row in repeated_rows(ranking.topic, labels.numbers)[::-1].tolist():
            returned_twice[int(ranking.topic[row])] = labels.distinct[labels.numbers[row]]
    highest = np.full(len(ranking.truth.topics), -2)
    np.maximum.at(highest, ranking.truth.topic, ranking.truth.grade)
    for position, topic in enumerate(topics.tolist()):
        reason, file = "", qrels.origin
        if topic in returned_twice:
            reason, file = f"returns {_quoted(returned_twice[topic])} twice", run.origin
        elif topic in qrels.repeated:
            reason = f"judges {_quoted(qrels.repeated[topic])} twice"
        elif highest[topic] < (0 if position == 0 else -1):
            reason = (
                "has only grades below 0: trec_eval reads beyond its memory, or ends without a word"
            )
        if reason:
            name = ranking.truth.topics[topic]
            message = f"topic {truncate(name)} {reason}"
            return position, TrecEvalError(message, file, exit_code=BAD_TOPIC)
    return len(topics), None


def _quoted(document: str) -> str:
    return quoted(truncate(document))


def _grades(ranking: Ranking) -> Ints:
    """Return the grade of each result as trec_eval numbers it."""
    grade = ranking.truth.grade[ranking.pair]
    return np.where(ranking.pair < 0, _NOT_POOLED, np.where(grade < 0, _NOT_JUDGED, grade))


def _divides_by_zero(line: TrecLine, ranking: Ranking, relevance_level: int) -> Bools:
    """Return for which topics trec_eval divides 0 by 0, which it prints as -nan."""
    truth, is_so = ranking.truth, np.zeros(len(ranking.counts), dtype=np.bool_)
    is_iprec = line.of.name in ("iprec_at_recall", "11pt_avg")
    if is_iprec and not ranking.counts.all():
        # Recall that needs no document takes the precision of the whole list, which is empty.
        relevant = truth.sum_by_topic((truth.grade >= relevance_level).astype(np.int64))
        is_so[:] = (ranking.counts == 0) & (
            (min(line.levels) * relevant + 0.9).astype(np.int64) == 0
        )
    if line.of.name == "Rndcg" and relevance_level == 0:
        # All that is relevant has grade 0, so there is no grade to average over.
        highest = np.full(len(truth.topics), -1)
        np.maximum.at(highest, truth.topic, truth.grade)
        is_so[:] = highest == 0
    return is_so
