"""The in-context tasks: a list of articles, each with a score of its own.

After each article, gP is the mean of the scores so far and gR the share of the relevant articles
found so far. AgP is the sum of gP at the relevant articles / number of relevant articles. A cut-off
beyond the end of the list has the values of its end. The curve has 11 points: gR falls into the
bin floor(10·gR).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, compress, groupby
from operator import attrgetter, itemgetter

from doxeval.compat.input import JudgedArticle, JudgedTopic, Passage
from doxeval.compat.java_numbers import left_to_right_sum, quotient, quotient_or_zero
from doxeval.compat.output import Counts, Layout, TopicScores, interpolated

_POINTS = 11
_CUT_OFFS = (1, 2, 3, 5, 10, 25, 50)
IN_CONTEXT_LAYOUT = Layout(
    ("AgP", *(f"{measure}[{cut_off}]" for cut_off in _CUT_OFFS for measure in ("gP", "gR"))),
    _POINTS,
)

ArticleScore = Callable[[JudgedArticle, list[Passage]], float]


def f_score(beta: float) -> ArticleScore:
    """Return the score of relevant in context: F of the returned characters.

    >>> article = JudgedArticle(40, 100, passages=[(0, 40)])
    >>> f_score(1.0)(article, [Passage(b"a", 20, 60, 40, 1)])
    0.5
    """

    def score(article: JudgedArticle, results: list[Passage]) -> float:
        relevant = _relevant_size(article, results)
        if not relevant:
            return 0.0
        precision = relevant / sum(result.size for result in results)
        recall = relevant / article.relevant_size
        return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)

    return score


def entry_point_score(furthest: int) -> ArticleScore:
    """Return the score of best in context: how near the result starts to the best entry point.

    >>> article = JudgedArticle(40, 100, 0, [(0, 40)])
    >>> entry_point_score(500)(article, [Passage(b"a", 20, 60, 40, 1)])
    0.96
    """

    def score(article: JudgedArticle, results: list[Passage]) -> float:
        if article.entry_point is None or article.entry_point < 0:
            return 0.0
        distance = abs(article.entry_point - results[0].start)
        return (furthest - distance) / furthest if distance <= furthest else 0.0

    return score


def tolerance_score(tolerance: int) -> ArticleScore:
    """Return the score T2I, tolerance to irrelevance: the share of relevant text in all text read.

    The reader reads the returned passages in order of offset, then the rest of the article, and
    stops after as many irrelevant characters as they tolerate.

    >>> article = JudgedArticle(40, 100, passages=[(0, 40)])
    >>> tolerance_score(40)(article, [Passage(b"a", 20, 60, 40, 1)])
    0.5
    """

    def score(article: JudgedArticle, results: list[Passage]) -> float:
        relevant = irrelevant = 0
        for size, is_relevant in _text_as_read(article, results):
            if is_relevant:
                relevant += size
                continue
            irrelevant = min(irrelevant + size, tolerance)
            if irrelevant == tolerance:
                break
        return quotient_or_zero(relevant, relevant + irrelevant)

    return score


def in_context_scores(
    results: Sequence[Passage],
    topic: JudgedTopic,
    score: ArticleScore,
    *,
    sizes: bool = True,
) -> TopicScores:
    """Score results that are grouped by article; `sizes` says whether text is counted.

    >>> topic = JudgedTopic()
    >>> topic.add(b"a", 40, 100).passages.append((0, 40))
    >>> results = [Passage(b"b", 0, 9, 9, 1), Passage(b"a", 20, 60, 40, 2)]
    >>> scores = in_context_scores(results, topic, f_score(1.0))
    >>> scores.measures["gP[1]"], scores.measures["gP[2]"], scores.measures["AgP"]
    (0.0, 0.25, 0.25)
    """
    by_article = [
        (topic.relevant_article(name), list(group))
        for name, group in groupby(results, key=attrgetter("article"))
    ]
    relevant = [(article, group) for article, group in by_article if article]
    counts = Counts(
        len(by_article),
        topic.relevant_articles,
        len(relevant),
        sum(result.size for result in results) if sizes else 0,
        topic.relevant_size,
        sum(_relevant_size(article, group) for article, group in relevant) if sizes else 0,
    )
    scores = [score(article, group) if article else 0.0 for article, group in by_article]
    return _scores(counts, scores, [article is not None for article, _ in by_article])


def _scores(counts: Counts, scores: list[float], is_relevant: list[bool]) -> TopicScores:
    precision = [total / rank for rank, total in enumerate(accumulate(scores), 1)]
    recall = [quotient(so_far, counts.num_rel) for so_far in accumulate(is_relevant)]
    best = [0.0] * _POINTS
    for p, r in zip(precision, recall, strict=True):
        point = 0 if math.isnan(r) else math.floor(10 * r)
        best[point] = max(best[point], p)
    measures: dict[str, float] = {}
    for cut_off in _CUT_OFFS:
        last = min(cut_off, len(scores)) - 1
        measures[f"gP[{cut_off}]"] = precision[last] if scores else 0.0
        measures[f"gR[{cut_off}]"] = recall[last] if scores else 0.0
    total = left_to_right_sum(compress(precision, is_relevant))
    measures["AgP"] = quotient(total, counts.num_rel)
    return TopicScores(counts, measures, interpolated(best), [])


def _text_as_read(article: JudgedArticle, results: list[Passage]) -> Iterator[tuple[int, bool]]:
    """Yield the text of an article as it is read: how many characters, and if they are relevant."""
    returned = sorted((result.start, result.end) for result in results if result.end > result.start)
    for start, end in returned:
        yield from _parts_of_span(article, start, end)
    at = 0
    for start, end in returned:
        yield from _parts_of_span(article, at, min(start, article.length))
        at = max(at, end)
    yield from _parts_of_span(article, at, article.length)


def _parts_of_span(article: JudgedArticle, start: int, end: int) -> Iterator[tuple[int, bool]]:
    highlights = article.highlights
    at = start
    for row in range(bisect_right(highlights, start, key=itemgetter(1)), len(highlights)):
        relevant_start, relevant_end = highlights[row]
        if relevant_start >= end or at >= end:
            break
        if relevant_start > at:
            yield relevant_start - at, False
        yield min(relevant_end, end) - max(relevant_start, at), True
        at = relevant_end
    if at < end:
        yield end - at, False


def _relevant_size(article: JudgedArticle, results: list[Passage]) -> int:
    return sum(article.relevant_in(result.start, result.end) for result in results)
