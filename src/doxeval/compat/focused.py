"""The focused and thorough tasks: precision at 101 points of recall, in characters.

After each result, precision P is relevant characters returned / characters returned, and recall R
is relevant characters returned / relevant characters. R falls into the bin floor(100·R), computed
in floating point as the tool does, so that .29 falls into bin 28; a bin keeps its highest P.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from doxeval.compat.input import JudgedTopic, Passage
from doxeval.compat.java_numbers import left_to_right_sum, quotient, quotient_or_zero
from doxeval.compat.output import Counts, Layout, TopicScores, interpolated
from doxeval.spans import Spans, new_parts

_POINTS = 101
_PRINTED_POINTS = {"iP[0.00]": 0, "iP[0.01]": 1, "iP[0.05]": 5, "iP[0.10]": 10}
FOCUSED_LAYOUT = Layout(
    (*"art_prec art_rec art_f1 char_prec char_rec char_f1".split(), *_PRINTED_POINTS, "AiP"),
    _POINTS,
)


def focused_scores(results: Sequence[Passage], topic: JudgedTopic) -> TopicScores:
    """Score results that do not overlap.

    >>> topic = JudgedTopic()
    >>> topic.add(b"a", 40, 100).passages.append((0, 40))
    >>> scores = focused_scores([Passage(b"a", 20, 60, 40, 1)], topic)
    >>> scores.measures["char_prec"], scores.measures["iP[0.10]"], scores.curve[50:52]
    (0.5, 0.5, [0.5, 0.0])
    """
    relevant_sizes = []
    for result in results:
        article = topic.relevant_article(result.article)
        relevant_sizes.append(article.relevant_in(result.start, result.end) if article else 0)
    return _scores(results, topic, [result.size for result in results], relevant_sizes)


def thorough_scores(results: Sequence[Passage], topic: JudgedTopic) -> TopicScores:
    """Score results that may overlap.

    In articles with relevant text only what is new in a result counts, in size and in relevance;
    in all other articles the full size counts every time.

    >>> topic = JudgedTopic()
    >>> topic.add(b"a", 40, 100).passages.append((0, 40))
    >>> names = (b"a", b"a", b"b", b"b")
    >>> results = [Passage(name, 20, 60, 40, line) for line, name in enumerate(names)]
    >>> thorough_scores(results, topic).counts.ret_size
    120
    """
    sizes = [result.size for result in results]
    relevant_sizes = [0] * len(results)
    relevant = []  # rows and articles of the results in articles with relevant text
    spans = []
    number_of: dict[bytes, int] = {}
    for row, result in enumerate(results):
        article = topic.relevant_article(result.article)
        if article is not None:
            number = number_of.setdefault(result.article, len(number_of))
            relevant.append((row, article))
            spans.append((number, result.start, result.end))
            sizes[row] = 0
    of_span, parts = new_parts(Spans.of(spans))
    for span, start, end in zip(
        of_span.tolist(), parts.start.tolist(), parts.end.tolist(), strict=True
    ):
        row, article = relevant[span]
        sizes[row] += end - start
        relevant_sizes[row] += article.relevant_in(start, end)
    return _scores(results, topic, sizes, relevant_sizes)


def _scores(
    results: Sequence[Passage], topic: JudgedTopic, sizes: list[int], relevant_sizes: list[int]
) -> TopicScores:
    returned = {result.article for result in results}
    counts = Counts(
        len(returned),
        topic.relevant_articles,
        sum(topic.relevant_article(name) is not None for name in returned),
        sum(sizes),
        topic.relevant_size,
        sum(relevant_sizes),
    )
    best, impossible = _best_precision(sizes, relevant_sizes, topic.relevant_size)
    curve = interpolated(best)
    return TopicScores(counts, _measures(counts, curve), curve, impossible)


def _best_precision(
    sizes: list[int], relevant_sizes: list[int], total_relevant: int
) -> tuple[list[float], list[int]]:
    """Return the highest precision in each bin of recall, and the bins beyond a recall of 1."""
    best = [0.0] * _POINTS
    impossible: list[int] = []
    returned = relevant = 0
    for size, relevant_size in zip(sizes, relevant_sizes, strict=True):
        returned += size
        relevant += relevant_size
        if not relevant:
            continue  # the precision is 0 or undefined
        point = math.floor(100 * (relevant / total_relevant))
        if point >= _POINTS:
            impossible.append(point)
        else:
            best[point] = max(best[point], relevant / returned)
    return best, impossible


def _measures(counts: Counts, curve: list[float]) -> dict[str, float]:
    article_precision = quotient_or_zero(counts.num_rel_ret, counts.num_ret)
    article_recall = quotient(counts.num_rel_ret, counts.num_rel)
    precision = quotient_or_zero(counts.rel_ret_size, counts.ret_size)
    recall = quotient(counts.rel_ret_size, counts.rel_size)
    return {
        "art_prec": article_precision,
        "art_rec": article_recall,
        "art_f1": _harmonic_mean(article_precision, article_recall),
        "char_prec": precision,
        "char_rec": recall,
        "char_f1": _harmonic_mean(precision, recall),
        **{label: curve[point] for label, point in _PRINTED_POINTS.items()},
        "AiP": left_to_right_sum(curve) / _POINTS,
    }


def _harmonic_mean(precision: float, recall: float) -> float:
    """Return F1, and 0 where recall is not a number.

    >>> _harmonic_mean(0.5, 0.5), _harmonic_mean(0.0, float("nan"))
    (0.5, 0.0)
    """
    both = precision + recall
    return 2 * precision * recall / both if both > 0 else 0.0
