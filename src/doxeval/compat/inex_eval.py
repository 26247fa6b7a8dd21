"""inex_eval 3.1, the evaluation tool of INEX 2010, as a function.

The lines, their order and layout are the tool's. Numbers are printed as Java prints them, and sums
run from left to right, so that they agree with the tool's to the last digit or nearly so. Where
the tool prints an error (and exits 0), a FormatError is raised: at the first result that breaks a
rule of its task, and for a topic in two separate blocks, which the tool scores wrongly.
"""

from __future__ import annotations

import math
import os
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from doxeval.compat.focused import FOCUSED_LAYOUT, focused_scores, thorough_scores
from doxeval.compat.in_context import (
    IN_CONTEXT_LAYOUT,
    entry_point_score,
    f_score,
    in_context_scores,
    tolerance_score,
)
from doxeval.compat.input import JudgedTopic, Passage, TopicResults, read_judgments, read_submission
from doxeval.compat.java_numbers import LARGEST_INT, field_text
from doxeval.compat.output import TopicScores, impossible_lines, summary_lines, topic_lines
from doxeval.errors import FormatError, InputError


class InexEvalTask(StrEnum):
    """The tasks, with the tool's option for each."""

    THOROUGH = "thorough"  # -t
    FOCUSED = "focused"  # -f
    RELEVANT_IN_CONTEXT = "relevant-in-context"  # -r
    BEST_IN_CONTEXT = "best-in-context"  # -b
    T2I = "t2i"  # -i


_IN_CONTEXT = (InexEvalTask.RELEVANT_IN_CONTEXT, InexEvalTask.BEST_IN_CONTEXT, InexEvalTask.T2I)
_WITHOUT_OVERLAP = (InexEvalTask.FOCUSED, InexEvalTask.RELEVANT_IN_CONTEXT, InexEvalTask.T2I)


@dataclass(frozen=True)
class InexEvalOptions:
    """The options of the tool, with its defaults.

    n: the distance from which an entry point is worth nothing (best in context). beta: the weight
    of recall (relevant in context). irr: how many irrelevant characters a reader tolerates (T2I).
    all_topics: average over all assessed topics instead of those with results (-c).
    per_topic: print the scores of each topic too (-q).

    >>> InexEvalOptions(InexEvalTask("focused")).n
    500
    """

    task: InexEvalTask
    n: int = 500
    beta: float = 0.25
    irr: int = 300
    all_topics: bool = False
    per_topic: bool = False

    def __post_init__(self) -> None:
        for name, value in (("n", self.n), ("irr", self.irr)):
            if not 1 <= value <= LARGEST_INT:
                raise InputError(f"{name} is {value}: expected a number from 1 to {LARGEST_INT}")
        if not (math.isfinite(self.beta) and self.beta >= 0):
            raise InputError(f"beta is {self.beta}: expected a number, 0 or more")


def inex_eval_lines(
    run: str | os.PathLike[str],
    assessments: Iterable[str | os.PathLike[str]],
    options: InexEvalOptions,
) -> list[str]:
    """Return what the tool prints for a run, line by line.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels.txt").write_text("7 Q0 a 40 100 0 0:40\\n")
    >>> _ = (folder / "run.txt").write_text("7 Q0 a 1 0.5 mine 20 40\\n")
    >>> options = InexEvalOptions(InexEvalTask.RELEVANT_IN_CONTEXT, beta=1)
    >>> lines = inex_eval_lines(folder / "run.txt", [folder / "qrels.txt"], options)
    >>> lines[1], lines[8]
    ('num_q\\t\\tall\\t1', 'MAgP\\t\\tall\\t0.5')
    """
    judged = read_judgments(assessments)
    submitted = read_submission(run, judged)
    for returned in submitted.values():
        _check_rules(returned, options.task, os.fspath(run))
    without_results = [topic for topic in judged if topic not in submitted]
    scores = {}
    for topic in (*submitted, *without_results):
        results = submitted[topic].results if topic in submitted else []
        scores[topic.decode()] = _topic_scores(results, judged[topic], options)
    # The tool prints the run's id on the last line of an assessed topic.
    run_id = next(reversed(submitted.values())).run_id.decode() if submitted else ""
    return [
        *impossible_lines(scores.values()),
        f'<eval run-id="{run_id}" file="{os.fspath(run)}">',
        *_score_lines(scores, {topic.decode() for topic in submitted}, options),
        "</eval>",
    ]


def _topic_scores(
    results: Sequence[Passage], topic: JudgedTopic, options: InexEvalOptions
) -> TopicScores:
    match options.task:
        case InexEvalTask.THOROUGH:
            return thorough_scores(results, topic)
        case InexEvalTask.FOCUSED:
            return focused_scores(results, topic)
        case InexEvalTask.RELEVANT_IN_CONTEXT:
            return in_context_scores(results, topic, f_score(options.beta))
        case InexEvalTask.BEST_IN_CONTEXT:
            return in_context_scores(results, topic, entry_point_score(options.n), sizes=False)
        case InexEvalTask.T2I:
            return in_context_scores(results, topic, tolerance_score(options.irr))


def _score_lines(
    scores: Mapping[str, TopicScores], with_results: Collection[str], options: InexEvalOptions
) -> Iterator[str]:
    """Yield the scores of each topic, if they are requested, and the means over topics."""
    in_order = sorted(scores, key=lambda topic: topic.encode("utf-16-be"))  # as Java sorts
    averaged = [topic for topic in in_order if options.all_topics or topic in with_results]
    if options.per_topic:
        for topic in averaged:
            yield from topic_lines(topic, scores[topic])
    in_context = options.task in _IN_CONTEXT
    yield from summary_lines(
        [scores[topic] for topic in averaged],
        [scores[topic].counts for topic in (in_order if in_context else averaged)],
        IN_CONTEXT_LAYOUT if in_context else FOCUSED_LAYOUT,
    )


# The rules of the tasks


def _check_rules(run: TopicResults, task: InexEvalTask, origin: str) -> None:
    if task is InexEvalTask.BEST_IN_CONTEXT:
        check_one_result_each(run, origin)
    elif task in _IN_CONTEXT:
        check_grouped(run, origin)
    if task in _WITHOUT_OVERLAP:
        check_no_overlap(run, origin)


def check_no_overlap(run: TopicResults, origin: str) -> None:
    """Check that passages of an article do not overlap, nor an empty one lies inside another.

    >>> results = [Passage(b"a", 0, 50, 50, 1), Passage(b"a", 40, 60, 20, 2)]
    >>> check_no_overlap(TopicResults(b"7", 1, b"r", results), "run.txt")
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:2: topic 7, article a: the passage overlaps that of line 1
    """
    accepted: defaultdict[bytes, list[tuple[int, int, int]]] = defaultdict(list)
    for result in run.results:
        passages = accepted[result.article]
        passage = (result.start, result.end, result.line)
        position = bisect(passages, passage)
        # Accepted passages do not overlap each other, so only the neighbours can overlap this one.
        for start, end, line in passages[max(position - 1, 0) : position + 1]:
            if result.start < end and start < result.end:
                raise _rule_error(run, result, f"the passage overlaps that of line {line}", origin)
        passages.insert(position, passage)


def check_grouped(run: TopicResults, origin: str) -> None:
    """Check that all results of an article follow one another.

    >>> results = [Passage(name, 0, 9, 9, line) for line, name in enumerate([b"a", b"b", b"a"], 1)]
    >>> check_grouped(TopicResults(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:3: topic 7, article a: comes back after...
    """
    last: dict[bytes, int] = {}
    previous = b""
    for result in run.results:
        if result.article != previous and result.article in last:
            reason = (
                f"comes back after another article, from line {last[result.article]}: expected all"
                " results of an article together"
            )
            raise _rule_error(run, result, reason, origin)
        previous = result.article
        last[previous] = result.line


def check_one_result_each(run: TopicResults, origin: str) -> None:
    """Check that an article has one result only.

    >>> results = [Passage(b"a", 0, 9, 9, 1), Passage(b"a", 9, 18, 9, 2)]
    >>> check_one_result_each(TopicResults(b"7", 1, b"r", results), "run.txt")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    doxeval.errors.FormatError: run.txt:2: topic 7, article a: a second result, after...
    """
    line_of: dict[bytes, int] = {}
    for result in run.results:
        earlier = line_of.setdefault(result.article, result.line)
        if earlier != result.line:
            reason = f"a second result, after that of line {earlier}: expected one for each article"
            raise _rule_error(run, result, reason, origin)


def _rule_error(run: TopicResults, result: Passage, reason: str, origin: str) -> FormatError:
    where = f"topic {field_text(run.topic)}, article {field_text(result.article)}"
    return FormatError(f"{where}: {reason}", origin, result.line)
