"""The lines that inex_eval prints: label, topic and value, separated by tabs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from doxeval.compat.java import java_double
from doxeval.compat.topic_scores import Counts, Layout, TopicScores, left_to_right_sum, quotient

_ALL = "all"
_TAB = 8
_AVERAGES = ("AiP", "AgP")  # their means are called MAiP and MAgP


def score_line(label: str, topic: str, value: float) -> str:
    r"""One line; a label shorter than a tab stop gets a second tab, so that columns are aligned.

    >>> score_line("AiP", "7", 0.5), score_line("ret_size", "all", 120)
    ('AiP\t\t7\t0.5', 'ret_size\tall\t120')
    """
    tabs = "\t\t" if len(label) < _TAB else "\t"
    return f"{label}{tabs}{topic}\t{value if isinstance(value, int) else java_double(value)}"


def impossible_lines(scores: Iterable[TopicScores]) -> Iterator[str]:
    """What the tool prints while it reads the run, before all scores.

    >>> counts = Counts(1, 1, 1, 9, 8, 9)
    >>> list(impossible_lines([TopicScores(counts, {}, [], [112])]))
    ['Impossible recall point: 112']
    """
    for topic in scores:
        yield from (f"Impossible recall point: {point}" for point in topic.impossible)


def topic_lines(topic: str, scores: TopicScores) -> Iterator[str]:
    r"""The scores of one topic.

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
    r"""The means over the averaged topics; counts may be summed over more topics.

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
