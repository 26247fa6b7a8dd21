"""One query answered: its items found, all units with a match scored, the best presented."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.documents import PathPattern, PathPatterns
from doxeval.errors import InputError
from doxeval.messages import Parameter
from doxeval.retrieve.matches import MOST_OCCURRENCES, Matches, Occurrences, find_occurrences
from doxeval.retrieve.models import Evidence, Model, UnitStatistics, checked_scores
from doxeval.retrieve.options import HINT, Options
from doxeval.retrieve.query import Item, items_of
from doxeval.retrieve.ranking import (
    Candidates,
    Ranked,
    best_in_context,
    by_best_unit,
    fetch_browse,
    focused,
    in_context,
    rounded,
    thorough,
)
from doxeval.retrieve.units import (
    Chunks,
    Documents,
    Elements,
    Passages,
    Place,
    UnitKind,
    Units,
    Windows,
)
from doxeval.topics import StructuredQuery, Term

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve.index import Index
    from doxeval.retrieve.nexi import Scored


class Returned(NamedTuple):
    """One result: where it is, and its score."""

    place: Place
    score: float


class Answer(NamedTuple):
    """The results for a query, best first, and warnings."""

    results: list[Returned]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Searcher:
    """An index together with options, ready for queries."""

    index: Index
    options: Options
    most_occurrences: int = MOST_OCCURRENCES  # how many are handled at once

    @cached_property
    def kind(self) -> UnitKind | Passages:
        """The units that are scored."""
        name, index = self.options.unit_name, self.index
        if name.kind == "documents":
            return Documents(index)
        if name.kind == "windows":
            return Windows(index, *name.numbers)
        if name.kind == "passages":
            return Passages(index, *name.numbers)
        if name.kind == "chunks":
            return Chunks.read(name.file or "", index)
        allowed = allowed_paths(index.collection, self.options.elements)
        return Elements(index, allowed, self.options.min_words or 1)

    @cached_property
    def _model(self) -> Model:
        return self.options.unit_model

    @cached_property
    def _articles(self) -> Model:
        return self.options.article_model

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        return self.options.stop_words

    def items(self, terms: tuple[Term, ...]) -> tuple[Item, ...]:
        """The items of a query."""
        return items_of(terms, self.index.analysis, self._stop_words, self.options.phrases)

    def occurrences(self, terms: tuple[Term, ...]) -> Occurrences:
        """Where the items of a query occur, as far as they do."""
        most = max(1, self.most_occurrences // self.kind.units_at_a_word)
        return find_occurrences(self.index, self.items(terms), most)

    def answer(self, query: tuple[Term, ...] | StructuredQuery) -> Answer:
        """The results of a query: terms, or a structured query if the task has structure."""
        if isinstance(query, StructuredQuery):
            return self._structured(query)
        scoring = Scoring(self, self.occurrences(query))
        if not scoring.occurrences.is_wanted.any():
            return Answer([])
        lists = [self._presented(*scored) for scored in scoring.candidates()]
        return Answer(self._returned(lists), scoring.warnings())

    def _presented(
        self, matches: Matches, units: Units, candidates: Candidates
    ) -> tuple[Units, Ints, Floats]:
        """The units that some documents return, the document of each, and scores to print."""
        ranked = self._ranked(candidates)
        chosen = units.some(ranked.which)
        return chosen, matches.documents[chosen.article], ranked.score

    def _ranked(self, candidates: Candidates) -> Ranked:
        options = self.options
        keep = options.rules.keep if options.keep is None else options.keep
        most = options.most
        if options.by_best_unit:
            candidates = by_best_unit(candidates)
        if options.task == "focused" or options.overlap == "none":
            return focused(candidates, most)
        if options.task == "relevant-in-context":
            return in_context(candidates, most, keep or 0.0)
        if options.task == "fetch-browse":
            return fetch_browse(candidates, most, keep or 0.0)
        if options.rules.is_by_article:  # best-in-context, documents
            return best_in_context(candidates, most)
        return thorough(candidates, most)

    def _returned(self, lists: list[tuple[Units, Ints, Floats]]) -> list[Returned]:
        """The results of all documents in one list, and where they are."""
        score = np.concatenate([scores for _, _, scores in lists])
        order = np.argsort(-score, kind="stable")[: self.options.most]
        units = Units.joined([units for units, _, _ in lists]).some(order)
        documents = np.concatenate([documents for _, documents, _ in lists])[order]
        places = self._kind_of_results().places(units, documents)
        return list(map(Returned, places, score[order].tolist()))

    def _kind_of_results(self) -> UnitKind | Passages:
        return Documents(self.index) if self.options.task == "documents" else self.kind

    # Structure

    def _structured(self, query: StructuredQuery) -> Answer:
        from doxeval.retrieve.nexi import structured

        interpretation = self.options.rules.interpretation
        if interpretation is None:
            raise ValueError(f"{self.options.task} has no structure")
        hint = HINT if self.options.hint is None else self.options.hint
        collection = self.index.collection
        warnings: dict[str, None] = {}
        found = structured(query, interpretation, collection, self._about(warnings), hint)
        target = PathPattern.parse(str(query.target))
        allowed = allowed_paths(collection, self.options.elements, target)
        returned = self._returned([self._filtered(found, allowed)])
        return Answer(returned, (*warnings, *found.warnings))

    def _about(self, warnings: dict[str, None]) -> Callable[[tuple[Term, ...]], Scored]:
        """A function that scores all elements with a match for some terms."""
        from doxeval.retrieve.nexi import Scored

        anything = np.ones(len(self.index.collection.summary), dtype=np.bool_)
        everything = Elements(self.index, anything)

        def about(terms: tuple[Term, ...]) -> Scored:
            scoring = Scoring(self, self.occurrences(terms), everything)
            if not scoring.occurrences.is_wanted.any():
                return Scored.none()
            found = [(units.number, own.score) for _, units, own in scoring.candidates()]
            warnings.update(dict.fromkeys(scoring.warnings()))
            rows, scores = (np.concatenate(column) for column in zip(*found, strict=True))
            return Scored(rows, scores)

        return about

    def _filtered(self, found: Scored, allowed: Bools) -> tuple[Units, Ints, Floats]:
        """The elements that are returned, presented by score."""
        index, collection = self.index, self.index.collection
        rows, score = found.rows, rounded(found.scores)
        first = index.elements_first[rows].astype(np.int64)
        after = index.elements_after[rows].astype(np.int64)
        is_long = after - first >= (self.options.min_words or 1)
        kept = np.flatnonzero(is_long & allowed[collection.nodes.path[rows]])
        if found.then is not None:  # what decides among equal scores goes first
            kept = kept[np.argsort(-rounded(found.then[kept]), kind="stable")]
        rows, first, after = rows[kept], first[kept], after[kept]
        documents = collection.documents_of(rows)
        no_article: Ints = np.zeros(len(rows), dtype=np.int64)
        candidates = Candidates(no_article, score[kept], first, after, np.zeros(1))
        ranked = self._ranked(candidates)
        tf = np.empty((len(rows), 0), dtype=np.int64)
        units = Units(rows, no_article, first, after, tf).some(ranked.which)
        return units, documents[ranked.which], ranked.score


def allowed_paths(
    collection: Collection, elements: str | None, target: PathPattern | None = None
) -> Bools:
    """For each path of the summary, whether its elements may be returned.

    Elements that are inline, such as `b`, are not, unless their tag is named by `elements` or by
    the target of the query. If no element at all fits `elements`, that is an error.
    """
    summary = collection.summary
    is_inline = np.array([tag in collection.inline_tags for tag in summary.tags], dtype=np.bool_)
    is_inline_path = is_inline[summary.tag_of]
    patterns = () if elements is None else PathPatterns.parse(elements).patterns
    naming = [one for one in (*patterns, *([target] if target else [])) if one.steps[-1].tags]
    allowed: Bools = ~is_inline_path
    if naming:
        allowed |= PathPatterns(tuple(naming)).matches(summary)
    if not patterns:
        return allowed
    fits = PathPatterns(patterns).matches(summary)
    if not fits.any():
        raise InputError(
            Parameter("elements", elements) + ": no element of the collection matches this"
        )
    return allowed & fits


class Scoring:
    """The units that match one query, scored."""

    def __init__(
        self, searcher: Searcher, occurrences: Occurrences, kind: UnitKind | None = None
    ) -> None:
        self._searcher = searcher
        self._index = searcher.index
        self.occurrences = occurrences
        self._kind = searcher.kind if kind is None else kind
        self._model = searcher._model
        self._articles = searcher._articles
        self._evidence: Evidence | None = None

    def candidates(self) -> Iterator[tuple[Matches, Units, Candidates]]:
        """All units with a match and their scores, for some documents at a time."""
        for matches in self.occurrences.matches():
            evidence, units, score = self.scored(matches)
            self._evidence = evidence
            begin, end = self._kind.extents(units)
            articles = rounded(np.asarray(evidence.article_score))
            score = rounded(score)
            yield matches, units, Candidates(units.article, score, begin, end, articles)

    def scored(self, matches: Matches) -> tuple[Evidence, Units, Floats]:
        """The units that match in some documents, with their scores."""
        kind = self._kind
        if isinstance(kind, Passages):
            return self._passages(kind, matches)
        units = kind.matching(matches, self.occurrences.is_wanted)
        evidence = self.evidence(matches, units)
        if isinstance(kind, Documents):
            return evidence, units, np.asarray(evidence.article_score)[units.article]
        return evidence, units, checked_scores(self._model, evidence)

    def evidence(self, matches: Matches, units: Units) -> Evidence:
        """What a model sees of these units."""
        index, found = self._index, self.occurrences
        lengths = (
            index.documents_first[matches.documents + 1] - index.documents_first[matches.documents]
        )
        evidence = Evidence(
            items=tuple(item.text for item in found.items),
            weight=found.weight,
            tf=units.tf,
            length=units.length,
            article=units.article,
            article_tf=matches.document_tf,
            article_length=lengths,
            documents=len(index.collection),
            words=index.words,
            df=found.df,
            cf=found.cf,
            mean_article=index.words / max(len(index.collection), 1),
            units=self._statistics,
        )
        return evidence.with_articles_scored(checked_scores(self._articles, evidence.articles))

    def warnings(self) -> tuple[str, ...]:
        """What the models have to say about the scores."""
        if self._evidence is None:
            return ()
        said: list[str] = []
        if self._searcher.options.uses_articles:
            said += self._articles.warnings(self._evidence.articles)
        if not isinstance(self._kind, Documents | Passages):
            said += self._model.warnings(self._evidence)
        return tuple(dict.fromkeys(said))

    @cached_property
    def _statistics(self) -> UnitStatistics | None:
        """Counts over all units, where they are not nested."""
        kind = self._kind
        count = None if isinstance(kind, Passages) else kind.count()
        if count is None or isinstance(kind, Passages):
            return None
        df = np.zeros(len(self.occurrences.items), dtype=np.int64)
        everything = np.ones(len(df), dtype=np.bool_)
        for matches in self.occurrences.matches():
            df += np.count_nonzero(kind.matching(matches, everything).tf, axis=0)
        return UnitStatistics(count.units, df, count.mean_length)

    # Passages

    def _passages(self, kind: Passages, matches: Matches) -> tuple[Evidence, Units, Floats]:
        idf = self._idf
        is_wanted = self.occurrences.is_wanted
        units, total = kind.scored(matches, idf, is_wanted)
        evidence = self.evidence(matches, units)
        share = float(idf[is_wanted].sum()) / self._best_article if self._best_article > 0 else 0.0
        return evidence, units, total + np.asarray(evidence.article_score)[units.article] * share

    @cached_property
    def _idf(self) -> Floats:
        """The idf of each item, times its weight."""
        documents = len(self._index.collection)
        idf = [math.log(1 + (documents - df + 0.5) / (df + 0.5)) for df in self.occurrences.df]
        return np.array(idf, dtype=np.float64) * self.occurrences.weight

    @cached_property
    def _best_article(self) -> float:
        """The highest score of an article."""
        best = -math.inf
        for matches in self.occurrences.matches():
            whole = Documents(self._index).matching(matches, self.occurrences.is_wanted)
            scores = np.asarray(self.evidence(matches, whole).article_score)
            best = max(best, float(scores.max(initial=best)))
        return best
