"""The scores of a topic, and the lines that inex_eval prints: label, topic and value, with tabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from doxeval.compat.java_numbers import java_double, left_to_right_sum, quotient


class Counts(NamedTuple):
    """How many articles were returned, are relevant, and are both; the same for characters."""

    num_ret: int
    num_rel: int
    num_rel_ret: int
    ret_size: int
    rel_size: int
    rel_ret_size: int


class TopicScores(NamedTuple):
    """The scores of a topic: counts, measures by label, precision at the points of recall.

    `impossible` are recall points beyond 100, which the tool reports and leaves out. They occur if
    rsize is less than the passages contain.
    """

    counts: Counts
    measures: dict[str, float]
    curve: list[float]
    impossible: list[int]


class Layout(NamedTuple):
    """What is printed for all topics together: the measures, and the number of recall points."""

    measures: tuple[str, ...]
    points: int


def interpolated(best: list[float]) -> list[float]:
    """Return the highest precision at each recall point or beyond it.

    >>> interpolated([0.1, 0.5, 0.2])
    [0.5, 0.5, 0.2]
    """
    curve: list[float] = []
    highest = 0.0
    for precision in reversed(best):
        highest = max(highest, precision)
        curve.append(highest)
    return curve[::-1]


_ALL = "all"
_TAB = 8
_AVERAGES = ("AiP", "AgP")  # their means are called MAiP and MAgP


def score_line(label: str, topic: str, value: float) -> str:
    r"""Return one line; a label shorter than a tab stop gets a second tab to align columns.

    >>> score_line("AiP", "7", 0.5), score_line("ret_size", "all", 120)
    ('AiP\t\t7\t0.5', 'ret_size\tall\t120')
    """
    tabs = "\t\t" if len(label) < _TAB else "\t"
    return f"{label}{tabs}{topic}\t{value if isinstance(value, int) else java_double(value)}"


def impossible_lines(scores: Iterable[TopicScores]) -> Iterator[str]:
    """Yield what the tool prints while it reads the run, before all scores.

    >>> counts = Counts(1, 1, 1, 9, 8, 9)
    >>> list(impossible_lines([TopicScores(counts, {}, [], [112])]))
    ['Impossible recall point: 112']
    """
    for topic in scores:
        yield from (f"Impossible recall point: {point}" for point in topic.impossible)


def topic_lines(topic: str, scores: TopicScores) -> Iterator[str]:
    r"""Yield the scores of one topic.

    >>> scores = TopicScores(Counts(1, 2, 1, 9, 8, 7), {"AiP": 0.5}, [], [])
    >>> list(topic_lines("7", scores))[-2:]
    ['rel_ret_size\t7\t7', 'AiP\t\t7\t0.5']
    """
    for label, count in scores.counts._asdict().items():
        yield score_line(label, topic, count)
    for label, value in scores.measures.items():
        yield score_line(label, topic, value)


def summary_lines(
    averaged: Sequence[TopicScores], counted: Sequence[Counts], layout: Layout
) -> Iterator[str]:
    r"""Yield the means over the averaged topics; counts may be summed over more topics.

    >>> scores = TopicScores(Counts(1, 2, 1, 9, 8, 7), {"AiP": 0.5}, [0.5, 0.25], [])
    >>> list(summary_lines([scores], [scores.counts], Layout(("AiP",), 2)))[-3:]
    ['MAiP\t\tall\t0.5', 'ircl_prn.0.00\tall\t0.5', 'ircl_prn.1.00\tall\t0.25']
    """
    yield score_line("num_q", _ALL, len(averaged))
    for label in Counts._fields:
        yield score_line(label, _ALL, sum(getattr(counts, label) for counts in counted))
    for label in layout.measures:
        mean = _mean([scores.measures[label] for scores in averaged])
        yield score_line(f"M{label}" if label in _AVERAGES else label, _ALL, mean)
    for point in range(layout.points):
        label = f"ircl_prn.{point / (layout.points - 1):.2f}"
        yield score_line(label, _ALL, _mean([scores.curve[point] for scores in averaged]))


def _mean(values: Sequence[float]) -> float:
    return quotient(left_to_right_sum(values), len(values))
