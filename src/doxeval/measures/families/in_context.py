"""In context: a ranking of documents, each scored by how well the run points into it.

    gP@r = Σ S(d_i) / r        gR@r = relevant documents among the first r / all relevant ones
    MAgP = Σ gP@r over the ranks r of relevant documents / number of relevant documents

Documents are ranked by their first result. S(d) lies between 0 and 1 and is 0 for a document that
is not relevant. There are three kinds:

    F     precision and recall of the returned text in the document, as F_β
    bep   how near the returned start is to the best entry point: (n − |x − b|) / n
    t2i   the share of relevant text in all that a reader reads: the returned text by offset, then
          the rest of the document, up to `irr` irrelevant characters (tolerance to irrelevance)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, sum_by_group
from doxeval.errors import MissingInput
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking, defined, ratio
from doxeval.named import shown
from doxeval.scores import Curve, DocumentScores
from doxeval.spans import Spans, merge_spans, shared_lengths

Score = Literal["F", "bep", "t2i"]
_CITE = "Lalmas et al. 2007, §6, eq 9–13; Kamps et al. 2008"
_EDGES = (
    "A topic without relevant documents is undefined. A relevant document with S = 0 still counts "
    "for recall. Beyond the end of the list gP keeps falling: the ranks there gain 0."
)
_ASSESSMENTS = "7 Q0 a 200 1000 0 0:200\n7 Q0 b 100 500 0 0:100\n"
_RUN = "7 Q0 a 1 9 run 100 100\n7 Q0 c 2 8 run 0 50\n7 Q0 b 3 7 run 0 100\n"
_WHY = (
    "a is relevant in [0, 200), b in [0, 100). Of a, 100 characters are returned, all relevant: "
    "precision 1, recall 0.5, F = 2/3. c is not relevant: 0. Of b, exactly the relevant text is "
    "returned: 1. "
)


def _example(name: str, value: float, why: str) -> Example:
    return Example(name, value, _WHY + why, _ASSESSMENTS, _RUN)


@dataclass(frozen=True)
class _InContext(Measure):
    score: Score = parameter("F", "how a document is scored", ("F", "bep", "t2i"))
    beta: float = parameter(1.0, "for F: how much recall weighs (1 in 2006–07, 0.25 in 2008–10)")
    n: int = parameter(500, "for bep: within how many characters an entry point counts")
    irr: int = parameter(300, "for t2i: after how many irrelevant characters the reader stops")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n <= 0 or self.irr <= 0:
            raise ValueError("n and irr must be above 0")

    @property
    def needs(self) -> frozenset[Need]:
        """With score=bep, entry points instead of ranges of text."""
        if self.score == "bep":
            return frozenset({Need.HIGHLIGHTS, Need.ENTRY_POINTS, Need.RETRIEVED_START})
        return self.facts.needs

    @property
    def document_score(self) -> str:
        """How documents are scored, with the parameter that this score has."""
        name = {"F": "beta", "bep": "n", "t2i": "irr"}[self.score]
        return f"{self.score}({name}={shown(getattr(self, name))})"

    def document_scores(self, ranking: Ranking) -> DocumentScores:
        """Return S of each document of the ranking, and what it comes from."""
        articles = ranking.articles
        names = articles.document_names
        unknown = np.full(len(articles), np.nan)
        relevant = np.where(articles.pair < 0, 0, articles.truth.highlighted[articles.pair])
        text = None if self.score == "bep" else _returned_text(ranking)
        return DocumentScores(
            self.document_score,
            articles.topic,
            tuple(names[document] for document in articles.document.tolist()),
            articles.rank,
            self.article_scores(ranking),
            unknown if text is None else ratio(text.relevant, text.size),
            unknown if text is None else ratio(text.relevant, relevant),
            _distances(articles) if text is None else unknown,
            unknown if text is None else text.size.astype(np.float64),
            unknown if text is None else text.relevant.astype(np.float64),
            relevant.astype(np.float64),
        )

    def article_scores(self, ranking: Ranking) -> Floats:
        """Return S of each document of the ranking."""
        articles = ranking.articles
        scores = np.zeros(len(articles))
        rows = articles.in_relevant_text
        if self.score == "bep":
            distance = _distances(articles)[rows]
            near = (self.n - distance) / self.n
            scores[rows] = np.where(distance <= self.n, near, 0.0)
            return scores
        # All text returned from each relevant document, without repetitions.
        read = merge_spans(ranking.text_in_relevant().text)
        pairs, place = np.unique(articles.pair[rows], return_inverse=True)
        if self.score == "t2i":
            by_pair = self._tolerance_scores(read, ranking.truth, pairs)
        else:
            by_pair = self._f_scores(read, ranking, pairs)
        scores[rows] = by_pair[place]
        return scores

    def _f_scores(self, read: Spans, ranking: Ranking, pairs: Ints) -> Floats:
        """Return F of each pair."""
        place = np.searchsorted(pairs, read.group)
        relevant = sum_by_group(place, shared_lengths(read, ranking.highlights), len(pairs))
        precision = ratio(relevant, sum_by_group(place, read.lengths(), len(pairs)))
        recall = ratio(relevant, ranking.truth.highlighted[pairs])
        weight = self.beta**2
        return ratio((1 + weight) * precision * recall, weight * precision + recall)

    def _tolerance_scores(self, read: Spans, truth: GroundTruth, pairs: Ints) -> Floats:
        """Return the share of relevant text in what the reader of each pair reads."""
        scores = np.zeros(len(pairs))
        read_by_pair = _spans_by_pair(read)
        highlights = _highlights_by_pair(truth)
        for place, pair in enumerate(pairs.tolist()):
            length = int(truth.length[pair])
            if length < 0:
                raise MissingInput("score=t2i needs the lengths of documents")
            text = read_by_pair.get(pair, [])
            scores[place] = _tolerance_score(text, highlights[pair], length, self.irr)
        return scores


def _distances(articles: Ranking) -> Floats:
    """Return how far each document's first result is from its best entry point; nan without."""
    entry = np.where(articles.pair < 0, -1, articles.truth.entry[articles.pair])
    return np.where(entry < 0, np.nan, np.abs(articles.start - entry))


class _ReturnedText(NamedTuple):
    """What a run returns of each document: characters, and highlighted ones among them."""

    size: Ints
    relevant: Ints


def _returned_text(ranking: Ranking) -> _ReturnedText:
    """Return all text returned from each document of the ranking, without repetitions."""
    articles = ranking.articles
    group = np.argsort(articles.article)[ranking.article]  # both number the same documents
    # A result that does not resolve has no place in a document that others are found in.
    rows = np.flatnonzero(ranking.pair == articles.pair[group])
    read = merge_spans(ranking.text_of(rows, group[rows])[1])
    by_pair = Spans(articles.pair[read.group], read.start, read.end)
    return _ReturnedText(
        sum_by_group(read.group, read.lengths(), len(articles)),
        sum_by_group(read.group, shared_lengths(by_pair, ranking.highlights), len(articles)),
    )


_SpanList = list[tuple[int, int]]


def _spans_by_pair(spans: Spans) -> dict[int, _SpanList]:
    by_pair: dict[int, _SpanList] = {}
    for pair, start, end in zip(*(column.tolist() for column in spans), strict=True):
        by_pair.setdefault(pair, []).append((start, end))
    return by_pair


@once
def _highlights_by_pair(truth: GroundTruth) -> dict[int, _SpanList]:
    return _spans_by_pair(truth.highlights)


def _tolerance_score(read: _SpanList, highlights: _SpanList, length: int, patience: int) -> float:
    relevant = irrelevant = 0
    for size, is_relevant in _as_read(read, highlights, length):
        if is_relevant:
            relevant += size
            continue
        irrelevant += size
        if irrelevant >= patience:
            irrelevant = patience
            break
    return relevant / (relevant + irrelevant) if relevant else 0.0


def _as_read(read: _SpanList, highlights: _SpanList, length: int) -> Iterator[tuple[int, bool]]:
    """Yield the pieces of a document as they are read: their sizes, and whether relevant."""
    edges = [0, *(edge for pair in read for edge in pair), max(length, 0)]
    rest = [pair for pair in zip(edges[0::2], edges[1::2], strict=True) if pair[1] > pair[0]]
    for start, end in [*read, *rest]:
        at = start
        for first, last in highlights:
            if last <= at:
                continue
            if first >= end:
                break
            if first > at:
                yield first - at, False
            begin = max(first, at)
            yield min(last, end) - begin, True
            at = min(last, end)
        if at < end:
            yield end - at, False


@dataclass(frozen=True)
class GeneralisedPrecision(_InContext):
    """The mean score of the first k documents."""

    name: ClassVar[str] = "gP"
    facts: ClassVar[Facts] = Facts(
        "generalised precision",
        _CITE,
        "gP@k = Σ S(d_i) / k, i = 1 … k",
        frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT}),
        _EDGES,
        _example("gP@2", 1 / 3, "gP@2 = (2/3 + 0) / 2."),
        laws=frozenset({Law.TAIL_IS_FREE, Law.BETTER_UP}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return gP@k."""
        articles = ranking.articles
        summed = articles.cumulated(self.article_scores(ranking))
        precision = articles.at(self.k, summed) / self.k
        return defined(precision, ranking.truth.relevant_documents)


@dataclass(frozen=True)
class GeneralisedRecall(Measure):
    """The share of the relevant documents that are among the first k."""

    name: ClassVar[str] = "gR"
    facts: ClassVar[Facts] = Facts(
        "recall of documents in context",
        _CITE,
        "gR@k = relevant documents among the first k / all relevant documents",
        frozenset({Need.HIGHLIGHTS}),
        _EDGES,
        _example("gR@2", 0.5, "One of the two relevant documents is among the first two."),
        laws=frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K}),
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return gR@k."""
        articles = ranking.articles
        retrieved = articles.cumulated(articles.is_relevant.astype(np.int64))
        relevant = ranking.truth.relevant_documents
        return defined(ratio(articles.at(self.k, retrieved), relevant), relevant)


@dataclass(frozen=True)
class AverageGeneralisedPrecision(_InContext):
    """Generalised precision, averaged over the relevant documents."""

    name: ClassVar[str] = "MAgP"
    facts: ClassVar[Facts] = Facts(
        "average generalised precision",
        _CITE,
        "MAgP = Σ gP@r over the ranks r of relevant documents / number of relevant documents; "
        "MAgP@k that of the first k documents",
        frozenset({Need.HIGHLIGHTS, Need.RETRIEVED_TEXT}),
        _EDGES,
        _example(
            "MAgP",
            (2 / 3 + (2 / 3 + 1) / 3) / 2,
            "Relevant at ranks 1 and 3: gP@1 = 2/3, gP@3 = (2/3 + 1) / 3, and their mean.",
        ),
        laws=frozenset({Law.TAIL_IS_FREE, Law.BETTER_UP, Law.GROWS_WITH_K}),
    )
    k: int | None = cut_off(
        None, "after how many documents the ranking of documents is cut; without it, nowhere"
    )
    POINTS: ClassVar[Floats] = np.arange(11) / 10

    def _precision(self, ranking: Ranking) -> Floats:
        articles = ranking.articles
        precision: Floats = articles.cumulated(self.article_scores(ranking)) / articles.rank
        return precision

    def scores(self, ranking: Ranking) -> Floats:
        """Return the mean of gP."""
        articles = ranking.articles
        counts = articles.is_relevant & (articles.rank <= (self.k or len(articles)))
        at_relevant = np.where(counts, self._precision(ranking), 0.0)
        relevant = ranking.truth.relevant_documents
        return defined(ratio(articles.sums(at_relevant), relevant), relevant)

    def curve(self, ranking: Ranking) -> Curve:
        """Return the best gP at any rank that reaches a recall, at eleven points."""
        articles = ranking.articles
        retrieved = articles.by_topic(articles.cumulated(articles.is_relevant.astype(np.int64)))
        precision = articles.by_topic(self._precision(ranking))
        y = np.full((len(ranking.truth.topics), len(self.POINTS)), np.nan)
        for topic in ranking.topics.tolist():
            relevant = int(ranking.truth.relevant_documents[topic])
            if relevant:
                listed = precision[topic][: self.k]
                best = np.append(np.maximum.accumulate(listed[::-1])[::-1], 0.0)
                reached = [-(-n * relevant // 10) for n in range(11)]
                y[topic] = best[np.searchsorted(retrieved[topic][: self.k], reached)]
        return Curve(str(self), "gR", "gP", self.POINTS, y)
