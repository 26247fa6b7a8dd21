"""Search for topics or for words: an index and options in, a run or results out.

A `Searcher` is an index with options, ready for queries. It finds the items of a query, scores all
units with a match (`QueryScorer`), and ranks the best. Answers are columns, and become those of a
run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.columns import Categorical, Frame, by_first_appearance, is_frame
from doxeval.datasets import in_package
from doxeval.documents import COLLECTION, Collection, PathPattern
from doxeval.errors import InputError, warn
from doxeval.messages import Parameter, join_names, quoted
from doxeval.named import checked
from doxeval.parallel import PATIENCE, EngineLike
from doxeval.retrieve.feedback import (
    FeedbackResult,
    expand,
    is_common,
    terms_of_stop_words,
)
from doxeval.retrieve.fields import WordWeights
from doxeval.retrieve.frames import frame_of_results, topics_of_frame
from doxeval.retrieve.index import Index
from doxeval.retrieve.jobs import IN_THIS_PROCESS, SearchPlace, answers
from doxeval.retrieve.matches import (
    MOST_OCCURRENCES,
    MatchBlock,
    QueryOccurrences,
    find_occurrences,
)
from doxeval.retrieve.models import (
    Evidence,
    FieldWeights,
    Model,
    UnitStatistics,
    score_units,
)
from doxeval.retrieve.options import MOST, MOST_FOR_WORDS, Overlap, SearchOptions
from doxeval.retrieve.query import (
    Item,
    Phrases,
    as_topics,
    parse_keywords,
    query_items,
    topic_queries,
)
from doxeval.retrieve.ranking import ScoredUnits, focused, rank_by_task, round_scores
from doxeval.retrieve.units import (
    ChunkUnits,
    DocumentUnits,
    ElementUnits,
    MatchingUnits,
    Passages,
    PassageUnits,
    RetrievalUnits,
    SegmentParts,
    UnitSpans,
    WindowUnits,
    returnable_paths,
)
from doxeval.runs import METADATA, Kind, Result, Run, made_by_doxeval, retrieval_stage
from doxeval.storage import is_stored
from doxeval.topics import StructuredQuery, Term, Topic, parse_structured, read_topics
from doxeval.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.retrieve.nexi import ElementScores

# An index, a collection that has one beside it, or the directory of either.
IndexGiven = Index | Collection | str | os.PathLike[str]
TopicsGiven = Iterable[Topic] | Mapping[str, str] | str | os.PathLike[str]


@overload
def search(
    index: IndexGiven,
    topics: Frame,
    task: str = "focused",
    model: Model | str | None = None,
    **options: Any,
) -> Any: ...


@overload
def search(
    index: IndexGiven,
    topics: TopicsGiven,
    task: str = ...,
    model: Model | str | None = ...,
    *,
    articles: Model | str | None = ...,
    units: str | None = ...,
    query: str | None = ...,
    elements: str | None = ...,
    min_words: int | None = ...,
    keep: float | None = ...,
    hint: float | None = ...,
    overlap: Overlap | None = ...,
    phrases: Phrases = ...,
    stop: str | os.PathLike[str] | Iterable[str] = ...,
    max_results: int = ...,
    run_id: str | None = ...,
    skip_missing: bool = ...,
    jobs: int = ...,
    executor: Executor | None = ...,
    engine: EngineLike | None = ...,
    patience: float = ...,
    progress: Callable[[int], object] | None = ...,
) -> Run: ...


@checked  # type: ignore[misc]  # options for frames are those for all topics
def search(
    index: IndexGiven,
    topics: TopicsGiven | Frame,
    task: str = "focused",
    model: Model | str | None = None,
    *,
    articles: Model | str | None = None,
    units: str | None = None,
    query: str | None = None,
    elements: str | None = None,
    min_words: int | None = None,
    keep: float | None = None,
    hint: float | None = None,
    overlap: Overlap | None = None,
    phrases: Phrases = "extra",
    stop: str | os.PathLike[str] | Iterable[str] = "english",
    max_results: int = MOST,
    run_id: str | None = None,
    skip_missing: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    engine: EngineLike | None = None,
    patience: float = PATIENCE,
    progress: Callable[[int], object] | None = None,
) -> Any:
    """Search for topics, and return a run: the best parts of documents, as the task requires.

    index: an index or its directory; a collection, or its directory, stands for its index.
    task: thorough, focused, relevant-in-context, best-in-context, fetch-browse, documents; with
    the structure of castitles sscas, svcas, vscas, vvcas. model: a model that scores units, as a
    value or a name such as "lm(prior=.5)"; by default it depends on the task. articles: a model
    that scores whole articles, or "best" to rank them by their best unit. units: elements,
    windows(words,step), passages(words=100), or a file of chunks.

    query: the field of the topics that is the query, by default the title, or the castitle if the
    task has structure. elements: a path pattern of elements that may be returned; min_words: how
    many words they have at least. keep: in context, the share of the best score in an article that
    a result needs. hint: how much an element gains that fits a vague target. overlap: with
    structure, whether results may share text ("allowed") or not ("none").

    phrases: whether phrases in quotes count beside their words ("extra"), alone ("only"), or not
    at all ("words"). stop: the stop words: "english", "none", a file, or words.
    max_results: how many results a topic has at most. skip_missing leaves out topics without a
    query, which are an error otherwise. progress is called with the number of topics that have
    been answered since.

    With jobs, topics are answered in as many processes, if answering them takes long enough; with
    an executor, on that; with an engine, on a cluster, such as "dask://HOST:PORT" (see
    `Evaluation.score_all`), whose workers see the same collection and index at the same paths, and
    which may be without workers for `patience` seconds. The run does not depend on any of this.

    Topics may be a data frame, with the columns of PyTerrier (`qid`, `query`) or ir_measures
    (`query_id`, `text`); `query` is then the name of the column. What is returned is a data frame,
    too: a row for each result, with `docno` or `doc_id`, `path`, `start` and `end` or `offset` of
    parts, `score` and `rank`, and all that the row of its topic has.

    Warnings, and what is needed to make the run again, are in `run.warnings` and `run.facts`.
    Warnings are emitted too, as DoxevalWarning.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> first = "<article><p>Fog on the sea.</p><p>A horn.</p></article>"
    >>> second = "<article><p>Fog horns.</p></article>"
    >>> collection = example_collection({"a": first, "b": second})
    >>> index = Index(build_index(collection).directory, collection)
    >>> run = search(index, {"7": "fog horn"})
    >>> run
    Run('focused-lm': 2 results for 1 topic, elements)
    >>> [(result.document, *result.paths) for result in run]
    [('a', '/article[1]'), ('b', '/article[1]')]
    >>> search(index, {"7": "fog horn"}, model="bm25(least=1,idf=words)")
    Run('focused-bm25(idf=words,least=1)': 2 results for 1 topic, elements)
    """
    options = SearchOptions(
        task,
        model,
        articles,
        units,
        elements,
        min_words,
        keep,
        hint,
        overlap,
        phrases,
        stop,
        max_results,
    )
    searcher = open_searcher(index, options)
    frame = topics if is_frame(topics) else None
    if frame is not None:
        listed = topics_of_frame(frame, query, query_field(options, None))
        if not listed:  # which pipelines ask for columns
            return frame_of_results(frame, Run.from_results([]))
        topics, query = listed, None
    run = search_topics(
        searcher,
        cast(TopicsGiven, topics),
        query=query,
        run_id=run_id,
        skip_missing=skip_missing,
        place=SearchPlace(jobs, executor, engine, patience),
        progress=progress,
    )
    warn(run.warnings)
    return run if frame is None else frame_of_results(frame, run)


def search_topics(
    searcher: Searcher,
    topics: TopicsGiven,
    *,
    query: str | None = None,
    run_id: str | None = None,
    skip_missing: bool = False,
    place: SearchPlace = IN_THIS_PROCESS,
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Search for topics as `search` does, with an index and options that are ready."""
    options = searcher.options
    if isinstance(topics, str | os.PathLike):
        topics = read_topics(topics)
    topics = as_topics(topics)
    field = query_field(options, query)
    queries, missing_warnings = topic_queries(
        topics,
        field,
        is_structured=options.rules.interpretation is not None,
        skip_missing=skip_missing,
    )
    answered = answers(searcher, queries, place, progress or (lambda _: None))
    return _run_of(
        answered,
        searcher,
        run_id or options.run_name(),
        _run_facts(searcher, field, topics),
        (*missing_warnings, *_warnings(searcher, answered)),
    )


@checked
def search_words(
    index: IndexGiven,
    words: str,
    *,
    task: str = "focused",
    model: Model | str | None = None,
    articles: Model | str | None = None,
    units: str | None = None,
    elements: str | None = None,
    min_words: int | None = None,
    keep: float | None = None,
    hint: float | None = None,
    overlap: Overlap | None = None,
    phrases: Phrases = "extra",
    stop: str | os.PathLike[str] | Iterable[str] = "english",
    max_results: int = MOST_FOR_WORDS,
) -> list[Result]:
    """Search for words, and return the best results.

    With a task that has structure, the query is NEXI like `//sec[about(., fog)]`. Options are those
    of `search`. The topic of the results is the query itself.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> text = "<article><p>Fog on the sea.</p><p>A horn.</p></article>"
    >>> collection = example_collection({"a": text})
    >>> index = Index(build_index(collection).directory, collection)
    >>> [result.paths for result in search_words(index, "fog", max_results=1)]
    [('/article[1]',)]
    """
    options = SearchOptions(
        task,
        model,
        articles,
        units,
        elements,
        min_words,
        keep,
        hint,
        overlap,
        phrases,
        stop,
        max_results,
    )
    searcher = open_searcher(index, options)
    answer = searcher.answer(query_of_words(words, options))
    warn((*searcher.units.warnings, *answer.warnings))
    return list(_run_of({words: answer}, searcher, "words"))


def open_searcher(index: IndexGiven, options: SearchOptions | None = None) -> Searcher:
    """Return a searcher for an index, which may still have to be opened."""
    options = SearchOptions() if options is None else options
    options.refuse_without_effect()
    if isinstance(index, Index):
        return Searcher(index, options)
    if not isinstance(index, Collection):
        index = in_package(index, "collection")
    if isinstance(index, Collection) or is_stored(COLLECTION, Path(index)):
        return Searcher(Index.of(index), options)
    return Searcher(Index(index), options)


def query_of_words(words: str, options: SearchOptions) -> tuple[Term, ...] | StructuredQuery:
    """Return a query that is not from a topic."""
    if options.rules.interpretation is not None:
        return parse_structured(words)
    if not any(map(str.isalnum, words)):
        raise InputError(f"the query {quoted(words)} has no words")
    return parse_keywords(words)


def query_field(options: SearchOptions, query: str | None) -> str:
    """Return the field of the topics that has the query."""
    if options.rules.interpretation is None:
        return query or "title"
    if query not in (None, "castitle"):
        raise InputError(
            Parameter("query") + f" is not for {options.task}, whose queries are castitles"
        )
    return "castitle"


# Answering a query


class SearchResults(NamedTuple):
    """The results of a query, best first, as columns; and warnings."""

    spans: UnitSpans
    scores: Floats
    warnings: tuple[str, ...] = ()


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

    def words_of(self, model: Model) -> WordWeights | None:
        """Return what words count for a model; None if all count the same."""
        weights = model.field_weights
        if weights not in self._words:
            self._words[weights] = WordWeights.of(self.index, weights)
        return self._words[weights]

    @cached_property
    def _words(self) -> dict[FieldWeights, WordWeights | None]:
        return {}

    @cached_property
    def stop_terms(self) -> frozenset[str]:
        """The terms of stop words, which feedback does not add."""
        return terms_of_stop_words(self.options.stop_words, self.index.analysis)

    def items(self, terms: tuple[Term, ...]) -> tuple[Item, ...]:
        """Return the items of a query."""
        options = self.options
        return query_items(terms, self.index.analysis, options.stop_words, options.phrases)

    def occurrences(self, terms: tuple[Term, ...]) -> QueryOccurrences:
        """Find where the items of a query occur, as far as they do."""
        at_once = max(1, self.most_occurrences // self.units.units_per_word)
        return find_occurrences(self.index, self.items(terms), at_once)

    def answer(self, query: tuple[Term, ...] | StructuredQuery) -> SearchResults:
        """Answer a query: terms, or a structured query if the task has structure."""
        if isinstance(query, StructuredQuery):
            return self._answer_structured(query)
        scorer = QueryScorer(self, self.occurrences(query))
        ranked_blocks = []
        for block, units, scored in scorer.scored_blocks():
            ranked = rank_by_task(scored, self.options)
            units = units.some(ranked.which)
            documents = block.documents[units.article]
            ranked_blocks.append(_RankedBlock(units, documents, ranked.score))
        return self._results(ranked_blocks, tuple(scorer.warnings))

    def _results(self, blocks: list[_RankedBlock], warnings: tuple[str, ...]) -> SearchResults:
        """Merge the results of all documents into one list, and locate them."""
        if not blocks:
            nothing: Ints = np.empty(0, dtype=np.int64)
            return SearchResults(UnitSpans(nothing, nothing, nothing), np.empty(0), warnings)
        score = np.concatenate([block.scores for block in blocks])
        order = np.argsort(-score, kind="stable")[: self.options.max_results]
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
            blocks = list(scorer.scored_blocks())
            warnings.update(scorer.warnings)
            if not blocks:
                return ElementScores.empty()
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


# Scoring


class _ModelQuery(NamedTuple):
    """A query as a model takes it.

    columns: which of all items it has; None for all of them. weight: how much each counts. words:
    how much the words of fields count; None if all count the same.
    """

    columns: Ints | None
    weight: Floats
    words: WordWeights | None


class QueryScorer:
    """Scores the units that match a query.

    The model of units and that of articles may take it differently, by feedback or by the weights
    of fields. `occurrences` are then those of the items of both.

    warnings: those of the models about the scores, each once, as far as units have been scored.
    """

    def __init__(
        self,
        searcher: Searcher,
        occurrences: QueryOccurrences,
        units: RetrievalUnits | None = None,
        *,
        is_first: bool = False,
    ) -> None:
        self.warnings: dict[str, None] = {}
        self._searcher = searcher
        self.options = searcher.options
        self.index = searcher.index
        self.units = searcher.units if units is None else units
        unit_model, article_model = searcher.options.unit_model, searcher.options.article_model
        if is_first:  # the ranking that feedback is taken from
            unit_model, article_model = unit_model.without_feedback, article_model.without_feedback
        self.unit_model, self.article_model = unit_model, article_model
        self.occurrences = occurrences
        whole = _ModelQuery(None, occurrences.weight, None)
        self._article_query = self._unit_query = whole
        if any(model.feedback_settings for model in self._models):
            self._expand()
        self._article_query = self._with_fields(self._article_query, article_model)
        self._unit_query = (
            self._with_fields(self._unit_query, unit_model)
            if self._has_unit_model
            else self._article_query
        )

    @property
    def _has_unit_model(self) -> bool:
        """Whether units have a model of their own: documents are articles, passages segments."""
        return not isinstance(self.units, DocumentUnits | PassageUnits)

    @property
    def _models(self) -> tuple[Model, ...]:
        return (self.article_model, *([self.unit_model] if self._has_unit_model else ()))

    def _with_fields(self, query: _ModelQuery, model: Model) -> _ModelQuery:
        words = self._searcher.words_of(model)
        return query if words is None else query._replace(words=words)

    # Feedback

    def _expand(self) -> None:
        """Expand the query of each model by its own best results."""
        of_units = of_articles = self._expanded(self.article_model, DocumentUnits(self.index))
        if self._has_unit_model:
            of_units = self._expanded(self.unit_model, self.units)
        every = {item.terms: item for item in (*of_articles, *of_units)}
        at_once = self._searcher.most_occurrences
        self.occurrences = find_occurrences(self.index, tuple(every.values()), at_once)
        self._article_query = self._query_of(of_articles)
        self._unit_query = self._query_of(of_units)

    def _expanded(self, model: Model, units: RetrievalUnits) -> tuple[Item, ...]:
        """Return the items of the query as a model expands it."""
        items, feedback = self.occurrences.items, model.feedback_settings
        if feedback is None or not self.occurrences.is_positive.any():
            return items
        first = QueryScorer(self._searcher, self.occurrences, units, is_first=True)
        results = first._best_apart(feedback.results)
        return expand(items, results, feedback, self._is_skipped)

    def _is_skipped(self, term: str) -> bool:
        """Return whether feedback does not add a term."""
        words, index = self._searcher.stop_terms, self.index
        return term in words or is_common(len(index.term(term)), index.words)

    def _best_apart(self, count: int) -> list[FeedbackResult]:
        """Return the best units that share no text, over all documents."""
        scores, ranges = [], []
        for _, units, scored in self.scored_blocks():
            best = focused(scored, count)
            scores += best.score.tolist()
            some = units.some(best.which)
            ranges += list(zip(some.first.tolist(), some.after.tolist(), strict=True))
        order = sorted(range(len(scores)), key=lambda place: -scores[place])[:count]
        index = self.index
        return [FeedbackResult(scores[n], index.terms_between(*ranges[n])) for n in order]

    def _query_of(self, items: tuple[Item, ...]) -> _ModelQuery:
        weight = {item.terms: item.weight for item in items}
        every = [item.terms for item in self.occurrences.items]
        columns = np.array([n for n, terms in enumerate(every) if terms in weight], dtype=np.int64)
        weights = np.array([weight[terms] for terms in every if terms in weight])
        return _ModelQuery(None if len(columns) == len(every) else columns, weights, None)

    # Scores

    def scored_blocks(self) -> Iterator[tuple[MatchBlock, MatchingUnits, ScoredUnits]]:
        """Yield all units with a match and their scores, for some documents at a time."""
        if not self._is_positive.any():
            return
        for block in self.occurrences.blocks():
            evidence, units, score = self._score(block)
            self._add_warnings(evidence)
            begin, end = self.units.overlap_ranges(units)
            articles = round_scores(np.asarray(evidence.article_score))
            scored = ScoredUnits(units.article, round_scores(score), begin, end, articles)
            yield block, units, scored

    def _add_warnings(self, evidence: Evidence) -> None:
        if self.options.uses_articles:
            self.warnings |= dict.fromkeys(self.article_model.warnings(evidence.articles))
        if self._has_unit_model:
            self.warnings |= dict.fromkeys(self.unit_model.warnings(evidence))

    @cached_property
    def _is_positive(self) -> Bools:
        """Whether each of all items is wanted by the model of units."""
        columns, weight, _ = self._unit_query
        is_positive = np.zeros(len(self.occurrences.items), dtype=np.bool_)
        is_positive[slice(None) if columns is None else columns] = weight > 0
        return is_positive

    def matching(self, block: MatchBlock) -> MatchingUnits:
        """Return the units that match in some documents."""
        if isinstance(self.units, PassageUnits):
            return self.passages(self.units, block).units
        return self.units.matching(block, self._is_positive)

    def _score(self, block: MatchBlock) -> tuple[Evidence, MatchingUnits, Floats]:
        """Score the units that match in some documents."""
        if isinstance(self.units, PassageUnits):
            passages = self.passages(self.units, block)
            evidence = self.evidence(block, passages.units)
            part = np.asarray(evidence.article_score)[passages.units.article] * self.article_share
            return evidence, passages.units, passages.total + part
        units = self.units.matching(block, self._is_positive)
        evidence = self.evidence(block, units)
        if isinstance(self.units, DocumentUnits):
            return evidence, units, np.asarray(evidence.article_score)[units.article]
        return evidence, units, score_units(self.unit_model, evidence)

    def passages(self, passages: PassageUnits, block: MatchBlock) -> Passages:
        """Return the passages of some documents."""
        return passages.find(block, self._weighted_idf, self._is_positive)

    def parts_of_segment(
        self, passages: PassageUnits, block: MatchBlock, begin: int, end: int
    ) -> SegmentParts:
        """Return what the sum of a passage's segment consists of."""
        idf, is_positive = self._weighted_idf, self._is_positive
        return passages.parts_of_segment(block, idf, is_positive, begin, end)

    @cached_property
    def article_share(self) -> float:
        """What brings the scores of articles to the range of those of segments."""
        best = self._best_article
        return float(self._weighted_idf[self._is_positive].sum()) / best if best > 0 else 0.0

    def evidence(self, block: MatchBlock, units: MatchingUnits) -> Evidence:
        """Return what a model sees of these units, with the scores of their articles."""
        evidence = self._evidence(block, units, self._unit_query)
        articles = evidence.articles
        if self._article_query is not self._unit_query:
            articles = self.article_evidence(block)
        return evidence.with_articles_scored(score_units(self.article_model, articles))

    def article_evidence(self, block: MatchBlock) -> Evidence:
        """Return what the model of articles sees of the documents of a block."""
        return self._evidence(block, None, self._article_query).articles

    def _evidence(
        self, block: MatchBlock, units: MatchingUnits | None, query: _ModelQuery
    ) -> Evidence:
        """Return what a model sees of some units, or only of documents, and of the collection."""
        index, occurrences = self.index, self.occurrences
        columns, weight, words = query
        documents, first = len(index.collection), index.documents_first
        begin, end = first[block.documents], first[block.documents + 1]
        article_tf: Ints | Floats = block.document_tf
        article_length: Ints | Floats = end - begin
        cf: Ints | Floats = occurrences.cf
        tf, length = article_tf[:0], article_length[:0]
        article: Ints = np.zeros(0, dtype=np.int64)
        plain_length: Ints | None = None
        total = float(index.words)
        if units is not None:
            tf, length, article = units.tf, units.length, units.article
        if words is not None:
            weighted = block.weighted(words)
            article_tf = words.counts(weighted.document_tf)
            article_length = words.lengths(begin, end)
            cf = words.counts(np.array([words.at(at).sum() for at in occurrences.positions]))
            total = float(words.lengths(first[:1], first[-1:])[0])
            if units is not None:
                plain_length, length = units.length, words.lengths(units.first, units.after)
                tf = words.counts(weighted.tf(units.first, units.after))
        items, df = occurrences.items, occurrences.df
        if columns is not None:
            items = tuple(items[column] for column in columns.tolist())
            tf, article_tf = tf[:, columns], article_tf[:, columns]
            df, cf = df[columns], cf[columns]
        return Evidence(
            items=tuple(item.text for item in items),
            weight=weight,
            tf=tf,
            length=length,
            article=article,
            article_tf=article_tf,
            article_length=article_length,
            documents=documents,
            words=total,
            df=df,
            cf=cf,
            mean_article=total / max(documents, 1),
            units=None if units is None else self._unit_statistics,
            plain_length=plain_length,
        )

    @cached_property
    def _unit_statistics(self) -> UnitStatistics | None:
        """Counts over all units, where they are not nested."""
        columns, _, words = self._unit_query
        count = self.units.count(words)
        if count is None:
            return None
        df = np.zeros(len(self.occurrences.items), dtype=np.int64)
        everything = np.ones(len(df), dtype=np.bool_)
        for block in self.occurrences.blocks():
            df += np.count_nonzero(self.units.matching(block, everything).tf, axis=0)
        return UnitStatistics(
            count.units, df if columns is None else df[columns], count.mean_length
        )

    @cached_property
    def _weighted_idf(self) -> Floats:
        """The idf of each item, times its weight, for segments of passages."""
        documents = len(self.index.collection)
        idf = [math.log(1 + (documents - df + 0.5) / (df + 0.5)) for df in self.occurrences.df]
        return np.array(idf, dtype=np.float64) * self._unit_query.weight

    @cached_property
    def _best_article(self) -> float:
        """The highest score of an article."""
        best = -math.inf
        for block in self.occurrences.blocks():
            has_match = block.document_tf[:, self._is_positive].any(axis=1)
            scores = score_units(self.article_model, self.article_evidence(block))[has_match]
            best = max(best, float(scores.max(initial=best)))
        return best


# Runs


def _run_of(
    answers: Mapping[str, SearchResults],
    searcher: Searcher,
    run_id: str,
    facts: dict[str, Any] | None = None,
    warnings: tuple[str, ...] = (),
) -> Run:
    """Return the results of some topics as a run, column by column."""
    collection, task = searcher.index.collection, searcher.options.task
    topics = [topic for topic, answer in answers.items() if len(answer.scores)]
    lists = [answers[topic] for topic in topics]
    counts = [len(answer.scores) for answer in lists]
    rows = sum(counts)
    spans = UnitSpans.joined([answer.spans for answer in lists])
    nowhere, paths = np.full(rows, -1, dtype=np.int64), Categorical[tuple[str, ...]].none(rows)
    kind, start, end = Kind.PASSAGE, spans.start, spans.end
    if task == "documents":
        kind, start, end = Kind.DOCUMENT, nowhere, nowhere
    elif task == "best-in-context":
        kind, end = Kind.POINT, nowhere
    elif spans.paths is not None:
        kind, start, end = Kind.ELEMENT, nowhere, nowhere
        numbers = {path: number for number, path in enumerate(dict.fromkeys(spans.paths))}
        of_rows = np.array([numbers[path] for path in spans.paths], dtype=np.int64)
        paths = Categorical.of([(path,) for path in numbers], of_rows)
    documents, document_numbers = by_first_appearance(range(len(collection)), spans.document)
    ranks = np.arange(1, rows + 1) - np.repeat(np.cumsum([0, *counts])[:-1], counts)
    return Run(
        run_id,
        Categorical.of(topics, np.repeat(np.arange(len(topics)), counts)),
        Categorical.of([collection.id_of(number) for number in documents], document_numbers),
        paths,
        np.full(rows, kind, dtype=np.int64),
        start,
        end,
        ranks if rows else None,
        np.concatenate([answer.scores for answer in lists]) if rows else None,
        np.arange(1, rows + 1),
        facts=facts or {},
        warnings=warnings,
    )


def _run_facts(searcher: Searcher, field: str, topics: Sequence[Topic]) -> dict[str, Any]:
    """Return what is needed to make a run again."""
    index = searcher.index
    described = searcher.options.describe()
    made_of = {
        "stemmer": index.analysis.stemmer,
        "index": index.checksum,
        "collection": index.collection.checksum,
        "doxeval": __version__,
    }
    shown = {**described, "query": field} | made_of
    return {
        **described,
        **made_of,
        "query": "automatic",  # as INEX means it: nobody changed the queries by hand
        "topic_fields": {field: "yes"},
        "description": "doxeval search: " + "; ".join(f"{name} {shown[name]}" for name in shown),
        METADATA: _metadata(searcher, field, topics),
    }


def _metadata(searcher: Searcher, field: str, topics: Sequence[Topic]) -> dict[str, Any]:
    """Return the same by the schema ir_metadata."""
    index, options = searcher.index, searcher.options
    described = options.describe()
    stages = []
    if "articles" in described and not options.by_best_unit:
        stages.append(retrieval_stage("articles", options.article_model))
    if "model" in described:
        stages.append(retrieval_stage(str(options.unit), options.unit_model))
    said = {name: text for name, text in described.items() if name not in ("model", "articles")}
    method = {
        "automatic": True,
        **{name: text for name, text in said.items() if name != "stop"},
        "query": field,
        "indexing": {
            "tokenizer": f"words of Unicode {index.manifest['unicode']}",
            "stemmer": index.analysis.stemmer,
            "stopwords": described["stop"],
        },
        "retrieval": stages,
    }
    origins = dict.fromkeys(os.path.basename(topic.origin) for topic in topics if topic.origin)
    data = {"name": index.collection.name, "checksum": index.collection.checksum}
    data |= {"topics": ", ".join(origins)} if origins else {}
    return made_by_doxeval(method=method, data={"test collection": data})


def _warnings(searcher: Searcher, answers: Mapping[str, SearchResults]) -> Iterator[str]:
    """Yield what to warn about, each once."""
    yield from searcher.units.warnings
    yield from dict.fromkeys(text for answer in answers.values() for text in answer.warnings)
    empty = [topic for topic, answer in answers.items() if not len(answer.scores)]
    if empty:
        yield f"topics for which nothing was found, whose lists are empty: {join_names(empty)}"
