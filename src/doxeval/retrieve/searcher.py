"""One query answered: its items are found, all units with a match scored, the best ranked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.documents import PathPattern, PathPatterns
from doxeval.errors import InputError
from doxeval.messages import Parameter
from doxeval.retrieve.matches import (
    MOST_OCCURRENCES,
    MatchBlock,
    QueryOccurrences,
    find_occurrences,
)
from doxeval.retrieve.models import Evidence, UnitStatistics, score_units
from doxeval.retrieve.options import SearchOptions
from doxeval.retrieve.query import Item, query_items
from doxeval.retrieve.ranking import ScoredUnits, rank_by_task, round_scores
from doxeval.retrieve.units import (
    ChunkUnits,
    DocumentUnits,
    ElementUnits,
    MatchingUnits,
    PassageUnits,
    RetrievalUnits,
    UnitSpans,
    WindowUnits,
)
from doxeval.topics import StructuredQuery, Term

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve.index import Index
    from doxeval.retrieve.nexi import ElementScores


class UnitSpan(NamedTuple):
    """Where a result is: its document, its characters, and its path if it is an element."""

    document: int
    start: int
    end: int
    path: str | None = None


class SearchResults(NamedTuple):
    """The results of a query, best first, as columns; and warnings."""

    spans: UnitSpans
    scores: Floats
    warnings: tuple[str, ...] = ()

    @classmethod
    def empty(cls) -> SearchResults:
        """Return no results."""
        nothing: Ints = np.empty(0, dtype=np.int64)
        return cls(UnitSpans(nothing, nothing, nothing), np.empty(0))

    @property
    def results(self) -> list[tuple[UnitSpan, float]]:
        """Where each result is, and its score."""
        document, start, end, paths = self.spans
        columns = (column.tolist() for column in (document, start, end))
        spans = map(UnitSpan, *columns, repeat(None) if paths is None else paths)
        return list(zip(spans, self.scores.tolist(), strict=True))


class _RankedBlock(NamedTuple):
    """The units that some documents return, the document of each, and scores to print."""

    units: MatchingUnits
    documents: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class Searcher:
    """An index together with options, ready for queries."""

    index: Index
    options: SearchOptions
    most_occurrences: int = MOST_OCCURRENCES  # how many are handled at once

    @cached_property
    def units(self) -> RetrievalUnits:
        """The units that are scored."""
        index, (kind, numbers, file) = self.index, self.options.unit
        if kind == "documents":
            return DocumentUnits(index)
        if kind == "windows":
            return WindowUnits(index, *numbers)
        if kind == "passages":
            return PassageUnits(index, *numbers)
        if kind == "chunks":
            return ChunkUnits.read(file or "", index)
        allowed = returnable_paths(index.collection, self.options.elements)
        return ElementUnits(index, allowed, self.options.min_words or 1)

    def items(self, terms: tuple[Term, ...]) -> tuple[Item, ...]:
        """Return the items of a query."""
        options = self.options
        return query_items(terms, self.index.analysis, options.stop_words, options.phrases)

    def occurrences(self, terms: tuple[Term, ...]) -> QueryOccurrences:
        """Find where the items of a query occur, as far as they do."""
        most = max(1, self.most_occurrences // self.units.units_per_word)
        return find_occurrences(self.index, self.items(terms), most)

    def answer(self, query: tuple[Term, ...] | StructuredQuery) -> SearchResults:
        """Answer a query: terms, or a structured query if the task has structure."""
        if isinstance(query, StructuredQuery):
            return self._answer_structured(query)
        scorer = QueryScorer(self, self.occurrences(query))
        if not scorer.occurrences.is_positive.any():
            return SearchResults.empty()
        ranked_blocks = []
        for block, units, scored in scorer.scored_blocks():
            ranked = rank_by_task(scored, self.options)
            units = units.some(ranked.which)
            documents = block.documents[units.article]
            ranked_blocks.append(_RankedBlock(units, documents, ranked.score))
        return self._results(ranked_blocks, scorer.warnings())

    def _results(self, blocks: list[_RankedBlock], warnings: tuple[str, ...]) -> SearchResults:
        """Merge the results of all documents into one list, and locate them."""
        score = np.concatenate([block.scores for block in blocks])
        order = np.argsort(-score, kind="stable")[: self.options.most]
        units = MatchingUnits.joined([block.units for block in blocks]).some(order)
        documents = np.concatenate([block.documents for block in blocks])[order]
        kind = DocumentUnits(self.index) if self.options.task == "documents" else self.units
        return SearchResults(kind.spans(units, documents), score[order], warnings)

    # Structure

    def _answer_structured(self, query: StructuredQuery) -> SearchResults:
        from doxeval.retrieve.nexi import ElementScores, answer_structured

        options, collection = self.options, self.index.collection
        interpretation = options.rules.interpretation
        if interpretation is None:
            raise ValueError(f"{options.task} has no structure")
        anything = np.ones(len(collection.summary), dtype=np.bool_)
        all_elements = ElementUnits(self.index, anything)
        warnings: dict[str, None] = {}

        def about(terms: tuple[Term, ...]) -> ElementScores:
            """Score all elements with a match for some terms."""
            scorer = QueryScorer(self, self.occurrences(terms), all_elements)
            if not scorer.occurrences.is_positive.any():
                return ElementScores.empty()
            blocks = list(scorer.scored_blocks())
            warnings.update(dict.fromkeys(scorer.warnings()))
            return ElementScores(
                np.concatenate([units.number for _, units, _ in blocks]),
                np.concatenate([scored.score for _, _, scored in blocks]),
            )

        answer = answer_structured(query, interpretation, collection, about, options.target_hint)
        target = PathPattern.parse(str(query.target))
        allowed = returnable_paths(collection, options.elements, target)
        ranked = self._rank_elements(answer, allowed)
        return self._results([ranked], (*warnings, *answer.warnings))

    def _rank_elements(self, answer: ElementScores, allowed: Bools) -> _RankedBlock:
        """Rank those elements that may be returned by their scores."""
        index, collection = self.index, self.index.collection
        rows, score = answer.rows, round_scores(answer.scores)
        first = index.elements_first[rows].astype(np.int64)
        after = index.elements_after[rows].astype(np.int64)
        is_long = after - first >= (self.options.min_words or 1)
        kept = np.flatnonzero(is_long & allowed[collection.nodes.path[rows]])
        if answer.tie_break is not None:  # what decides among equal scores goes first
            kept = kept[np.argsort(-round_scores(answer.tie_break[kept]), kind="stable")]
        rows, first, after = rows[kept], first[kept], after[kept]
        documents = collection.documents_of(rows)
        no_article: Ints = np.zeros(len(rows), dtype=np.int64)
        scored = ScoredUnits(no_article, score[kept], first, after, np.zeros(1))
        ranked = rank_by_task(scored, self.options)
        tf = np.empty((len(rows), 0), dtype=np.int64)
        units = MatchingUnits(rows, no_article, first, after, tf).some(ranked.which)
        return _RankedBlock(units, documents[ranked.which], ranked.score)


def returnable_paths(
    collection: Collection, elements: str | None, target: PathPattern | None = None
) -> Bools:
    """Return, for each path of the summary, whether its elements may be returned.

    Elements that are inline, such as `b`, are not, unless their tag is named by `elements` or by
    the target of the query. If no element at all fits `elements`, that is an error.
    """
    summary = collection.summary
    is_inline = np.array([tag in collection.inline_tags for tag in summary.tags], dtype=np.bool_)
    patterns = () if elements is None else PathPatterns.parse(elements).patterns
    targets = () if target is None else (target,)
    naming = tuple(pattern for pattern in (*patterns, *targets) if pattern.steps[-1].tags)
    allowed: Bools = ~is_inline[summary.tag_of]
    if naming:
        allowed |= PathPatterns(naming).matches(summary)
    if not patterns:
        return allowed
    fits = PathPatterns(patterns).matches(summary)
    if not fits.any():
        raise InputError(
            Parameter("elements", elements) + ": no element of the collection matches this"
        )
    return allowed & fits


class QueryScorer:
    """Scores the units that match a query."""

    def __init__(
        self,
        searcher: Searcher,
        occurrences: QueryOccurrences,
        units: RetrievalUnits | None = None,
    ) -> None:
        self.occurrences = occurrences
        self._options = searcher.options
        self._index = searcher.index
        self._units = searcher.units if units is None else units
        self._last_evidence: Evidence | None = None

    def scored_blocks(self) -> Iterator[tuple[MatchBlock, MatchingUnits, ScoredUnits]]:
        """Yield all units with a match and their scores, for some documents at a time."""
        for block in self.occurrences.blocks():
            evidence, units, score = self._score(block)
            self._last_evidence = evidence
            begin, end = self._units.overlap_ranges(units)
            articles = round_scores(np.asarray(evidence.article_score))
            yield (
                block,
                units,
                ScoredUnits(units.article, round_scores(score), begin, end, articles),
            )

    def _score(self, block: MatchBlock) -> tuple[Evidence, MatchingUnits, Floats]:
        """Score the units that match in some documents."""
        if isinstance(self._units, PassageUnits):
            return self._score_passages(self._units, block)
        units = self._units.matching(block, self.occurrences.is_positive)
        evidence = self.evidence(block, units)
        if isinstance(self._units, DocumentUnits):
            return evidence, units, np.asarray(evidence.article_score)[units.article]
        return evidence, units, score_units(self._options.unit_model, evidence)

    def _score_passages(
        self, passages: PassageUnits, block: MatchBlock
    ) -> tuple[Evidence, MatchingUnits, Floats]:
        """Score passages by their segments and by their articles, brought to the same range."""
        idf, is_positive = self._weighted_idf, self.occurrences.is_positive
        units, total = passages.find(block, idf, is_positive)
        evidence = self.evidence(block, units)
        share = (
            float(idf[is_positive].sum()) / self._best_article if self._best_article > 0 else 0.0
        )
        return evidence, units, total + np.asarray(evidence.article_score)[units.article] * share

    def evidence(self, block: MatchBlock, units: MatchingUnits) -> Evidence:
        """Return what a model sees of these units, with the scores of their articles."""
        index, occurrences = self._index, self.occurrences
        first = index.documents_first
        evidence = Evidence(
            items=tuple(item.text for item in occurrences.items),
            weight=occurrences.weight,
            tf=units.tf,
            length=units.length,
            article=units.article,
            article_tf=block.document_tf,
            article_length=first[block.documents + 1] - first[block.documents],
            documents=len(index.collection),
            words=index.words,
            df=occurrences.df,
            cf=occurrences.cf,
            mean_article=index.words / max(len(index.collection), 1),
            units=self._unit_statistics,
        )
        articles = score_units(self._options.article_model, evidence.articles)
        return evidence.with_articles_scored(articles)

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of the models about the scores."""
        evidence, options = self._last_evidence, self._options
        if evidence is None:
            return ()
        warnings: list[str] = []
        if options.uses_articles:
            warnings += options.article_model.warnings(evidence.articles)
        if not isinstance(self._units, DocumentUnits | PassageUnits):
            warnings += options.unit_model.warnings(evidence)
        return tuple(dict.fromkeys(warnings))

    @cached_property
    def _unit_statistics(self) -> UnitStatistics | None:
        """Counts over all units, where they are not nested."""
        count = self._units.count()
        if count is None:
            return None
        df = np.zeros(len(self.occurrences.items), dtype=np.int64)
        everything = np.ones(len(df), dtype=np.bool_)
        for block in self.occurrences.blocks():
            df += np.count_nonzero(self._units.matching(block, everything).tf, axis=0)
        return UnitStatistics(count.units, df, count.mean_length)

    @cached_property
    def _weighted_idf(self) -> Floats:
        """The idf of each item, times its weight."""
        documents = len(self._index.collection)
        idf = [math.log(1 + (documents - df + 0.5) / (df + 0.5)) for df in self.occurrences.df]
        return np.array(idf, dtype=np.float64) * self.occurrences.weight

    @cached_property
    def _best_article(self) -> float:
        """The highest score of an article."""
        best = -math.inf
        for block in self.occurrences.blocks():
            whole = DocumentUnits(self._index).matching(block, self.occurrences.is_positive)
            scores = np.asarray(self.evidence(block, whole).article_score)
            best = max(best, float(scores.max(initial=best)))
        return best
