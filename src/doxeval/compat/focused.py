"""The focused and thorough tasks: precision at 101 points of recall, in characters.

After each result, precision P is relevant characters returned / characters returned, and recall R
is relevant characters returned / relevant characters. R falls into the bin floor(100·R), computed
in floating point as the tool does, so that .29 falls into bin 28; a bin keeps its highest P.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from doxeval.compat.input import JudgedTopic, Passage
from doxeval.compat.output import (
    Counts,
    Layout,
    TopicScores,
    harmonic_mean,
    interpolated,
    left_to_right_sum,
    quotient,
    quotient_or_zero,
)
from doxeval.spans import Spans, new_pieces

_POINTS = 101
_PRINTED_POINTS = {"iP[0.00]": 0, "iP[0.01]": 1, "iP[0.05]": 5, "iP[0.10]": 10}
LAYOUT = Layout(
    (*"art_prec art_rec art_f1 char_prec char_rec char_f1".split(), *_PRINTED_POINTS, "AiP"),
    _POINTS,
)


def focused_scores(results: Sequence[Passage], topic: JudgedTopic) -> TopicScores:
    """The scores of results that do not overlap.

    >>> topic = JudgedTopic()
    >>> topic.add(b"a", 40, 100).passages.append((0, 40))
    >>> scores = focused_scores([Passage(b"a", 20, 60, 40, 1)], topic)
    >>> scores.measures["char_prec"], scores.measures["iP[0.10]"], scores.curve[50:52]
    (0.5, 0.5, [0.5, 0.0])
    """
    found = [
        article.relevant_in(result.start, result.end)
        if (article := topic.relevant_article(result.article))
        else 0
        for result in results
    ]
    return _scores(results, topic, [result.size for result in results], found)


def thorough_scores(results: Sequence[Passage], topic: JudgedTopic) -> TopicScores:
    """The scores of results that may overlap.

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
    found = [0] * len(results)
    relevant = [
        (row, article)
        for row, result in enumerate(results)
        if (article := topic.relevant_article(result.article))
    ]
    group_of: dict[bytes, int] = {}
    spans = []
    for row, _ in relevant:
        name, start, end, *_ = results[row]
        spans.append((group_of.setdefault(name, len(group_of)), start, end))
        sizes[row] = 0
    at, pieces = new_pieces(Spans.of(spans))
    for number, start, end in zip(
        at.tolist(), pieces.start.tolist(), pieces.end.tolist(), strict=True
    ):
        row, article = relevant[number]
        sizes[row] += end - start
        found[row] += article.relevant_in(start, end)
    return _scores(results, topic, sizes, found)


def _scores(
    results: Sequence[Passage], topic: JudgedTopic, sizes: list[int], found: list[int]
) -> TopicScores:
    returned = {result.article for result in results}
    counts = Counts(
        len(returned),
        topic.relevant_articles,
        sum(topic.relevant_article(name) is not None for name in returned),
        sum(sizes),
        topic.relevant_size,
        sum(found),
    )
    best, impossible = _best_precision(sizes, found, topic.relevant_size)
    curve = interpolated(best)
    return TopicScores(counts, _measures(counts, curve), curve, impossible)


def _best_precision(
    sizes: list[int], found: list[int], relevant_size: int
) -> tuple[list[float], list[int]]:
    """The highest precision in each bin of recall, and the bins beyond a recall of 1."""
    best = [0.0] * _POINTS
    impossible: list[int] = []
    size_so_far = found_so_far = 0
    for size, new in zip(sizes, found, strict=True):
        size_so_far += size
        found_so_far += new
        if not found_so_far:
            continue  # the precision is 0 or undefined
        point = math.floor(100 * (found_so_far / relevant_size))
        if point >= _POINTS:
            impossible.append(point)
        else:
            best[point] = max(best[point], found_so_far / size_so_far)
    return best, impossible


def _measures(counts: Counts, curve: list[float]) -> dict[str, float]:
    article_precision = quotient_or_zero(counts.num_rel_ret, counts.num_ret)
    article_recall = quotient(counts.num_rel_ret, counts.num_rel)
    precision = quotient_or_zero(counts.rel_ret_size, counts.ret_size)
    recall = quotient(counts.rel_ret_size, counts.rel_size)
    return {
        "art_prec": article_precision,
        "art_rec": article_recall,
        "art_f1": harmonic_mean(article_precision, article_recall),
        "char_prec": precision,
        "char_rec": recall,
        "char_f1": harmonic_mean(precision, recall),
        **{label: curve[point] for label, point in _PRINTED_POINTS.items()},
        "AiP": left_to_right_sum(curve) / _POINTS,
    }
