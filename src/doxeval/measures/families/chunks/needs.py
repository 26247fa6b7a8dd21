"""How many needs the first results answer, and how soon.

A need is answered after the result with which enough of one of its alternatives has been shown.
Shares are counted in non-space characters where the texts of documents are known, so that white
space at the ends of chunks makes no difference; otherwise in all characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, concatenated_ranges, sum_by_group
from doxeval.assessments import Needs
from doxeval.measures.base import (
    TOLERANCE,
    Facts,
    Law,
    Measure,
    Need,
    Repeats,
    cut_off,
    parameter,
)
from doxeval.measures.caching import once
from doxeval.measures.families.chunks.ideal import best_gains, linear_gains
from doxeval.measures.families.chunks.text import NEEDS, example
from doxeval.measures.graded_ranking import graded_documents
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.new_text import needed_spans_to_score, shown_alternatives
from doxeval.measures.ranking import Numbers, Ranking, defined, ratio
from doxeval.measures.whole_documents import LAWS as LAWS_OF_DOCUMENTS

NEVER = 1 << 60  # a rank beyond all lists
By = Literal["union", "chunk"]
RankUnit = Literal["auto", "document", "need", "result"]
_CUT_OFF_OF_NEEDS = 10
_NEED_EDGES = (
    "A topic without needs is undefined; an empty list scores 0. A need is answered by any of its "
    "alternatives. Shares leave out white space where texts are known. cover=0 requires one "
    "character."
)
_NEED_LAWS = frozenset({Law.TAIL_IS_FREE, Law.GROWS_WITH_K, Law.ANY_COPY_WILL_DO})


def _cover_parameter() -> float:
    cover: float = parameter(1.0, "how much of a need must be shown, from 0 to 1")
    return cover


def _by_parameter() -> By:
    by: By = parameter(
        "union", "a need is shown by all results together, or by a single chunk", ("union", "chunk")
    )
    return by


@dataclass(frozen=True)
class _OfNeeds(Measure):
    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "cover", 0.0) > 1:
            raise ValueError("cover must be between 0 and 1")

    def sums(self, ranking: Ranking, values: Numbers) -> Floats:
        """Sum the values of needs for each topic."""
        truth = ranking.truth
        return sum_by_group(truth.needs.topic, values, len(truth.topics)).astype(np.float64)

    def at_rank(self, ranking: Ranking) -> Ints:
        """Return the rank at which each need is answered."""
        return rank_of_answer(ranking, getattr(self, "cover", 1.0), getattr(self, "by", "union"))

    def defined(self, ranking: Ranking, values: Floats) -> Floats:
        """Return the values, with nan for topics without needs."""
        return defined(values, np.bincount(ranking.truth.needs.topic, minlength=len(values)))


@dataclass(frozen=True)
class Hit(_OfNeeds):
    """Whether the first k results answer any need."""

    name: ClassVar[str] = "hit"
    facts: ClassVar[Facts] = Facts(
        "hit: whether some need is answered",
        "Voorhees 1999",
        "hit@k = 1 if some need is shown to at least cover by the first k results, else 0",
        NEEDS,
        _NEED_EDGES,
        example("hit@2", 1.0, "a[100, 200) is complete after two results."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()
    by: By = _by_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 if some need is answered."""
        answered = self.sums(ranking, self.at_rank(ranking) <= self.k)
        return self.defined(ranking, (answered > 0).astype(np.float64))


@dataclass(frozen=True)
class NeedRecall(_OfNeeds):
    """The share of the needs that the first k results answer, by their grades."""

    name: ClassVar[str] = "sR"
    facts: ClassVar[Facts] = Facts(
        "recall of needs",
        "Zhai, Cohen and Lafferty 2003",
        "sR@k = Σ grades of the needs shown to at least cover by the first k results / Σ grades",
        NEEDS,
        _NEED_EDGES,
        example("sR@3", 2 / 3, "a[100, 200) and b[50, 100) are complete, b[300, 350) is not."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return the share of grades."""
        grade = ranking.truth.needs.grade
        answered = self.sums(ranking, grade * (self.at_rank(ranking) <= self.k))
        return self.defined(ranking, ratio(answered, self.sums(ranking, grade)))


@dataclass(frozen=True)
class AllNeeds(_OfNeeds):
    """Whether the first k results answer every need."""

    name: ClassVar[str] = "all"
    facts: ClassVar[Facts] = Facts(
        "whether all needs are answered",
        "Zhai, Cohen and Lafferty 2003",
        "all@k = 1 if every need is shown to at least cover by the first k results, else 0",
        NEEDS,
        _NEED_EDGES,
        example("all@5", 1.0, "The fifth result completes the last of the three needs."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int = cut_off(5)
    cover: float = _cover_parameter()

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 if no need is left."""
        left = self.sums(ranking, self.at_rank(ranking) > self.k)
        return self.defined(ranking, (left == 0).astype(np.float64))


@dataclass(frozen=True)
class ReciprocalRank(_OfNeeds):
    """One divided by the rank at which the first need is answered, or a relevant document returned.

    Where text is highlighted or needs are stated, needs count (`unit=need`), and the first ten
    results if no cut-off is given. Where only documents were judged, the first relevant document
    counts (`unit=document`), wherever it is in the list, as in trec_eval.
    """

    name: ClassVar[str] = "RR"
    facts: ClassVar[Facts] = Facts(
        "reciprocal rank of the first answered need, or of the first relevant document",
        "Voorhees 1999",
        "RR@k = 1 / the first rank at which some need is shown to at least cover, or at which a "
        "relevant document is, 0 beyond k",
        NEEDS,
        _NEED_EDGES + " With unit=document, a topic without relevant documents is undefined.",
        example("RR@10", 0.5, "a[100, 200) is complete after the second result."),
        laws=_NEED_LAWS,
        repeats="keep",
    )
    k: int | None = cut_off(None, "how many results count; 10 for needs, all for documents")
    cover: float = _cover_parameter()
    by: By = _by_parameter()
    unit: RankUnit = parameter(
        "auto",
        "whether documents count, needs, or results that show a need by themselves; auto: "
        "documents where only documents were judged, or rel is given",
        ("auto", "document", "need", "result"),
    )
    rel: int = parameter(1, "with documents, the lowest grade that is relevant")
    judged_only: bool = parameter(False, "with documents, whether unjudged ones are left out first")

    def __post_init__(self) -> None:
        super().__post_init__()
        implied = self._implied_units
        if "need" in implied and "document" in {self.unit, *implied}:
            raise ValueError("cover and by are for unit=need")
        if "document" in implied and self.unit in ("need", "result"):
            raise ValueError("rel and judged_only are for unit=document")
        if self.unit == "result" and self.by != "union":
            raise ValueError("by is for unit=need; unit=result is the same as by=chunk")

    @property
    def _implied_units(self) -> list[RankUnit]:
        """The units that its parameters are about."""
        implied: list[RankUnit] = []
        if (self.cover, self.by) != (1.0, "union"):
            implied.append("need")
        if (self.rel, self.judged_only) != (1, False):
            implied.append("document")
        return implied

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with the unit that was judged, and the cut-off of needs."""
        unit = self.unit
        if unit == "auto" and self._implied_units:
            unit = self._implied_units[0]
        elif unit == "auto":
            unit = "document" if truth.has_judged_documents_only else "need"
        k = _CUT_OFF_OF_NEEDS if unit != "document" and self.k is None else self.k
        return self._with({"unit": unit, "k": k})

    @property
    def needs(self) -> frozenset[Need]:
        """Highlighted text and results with text, if needs count."""
        units = {self.unit, *self._implied_units}
        return NEEDS if units & {"need", "result"} else frozenset()

    @property
    def repeats(self) -> Repeats:
        """Documents count once, chunks as often as they are read."""
        return "drop" if self.unit == "document" else "keep"

    @property
    def ranks_documents(self) -> bool:
        """Whether documents count."""
        return self.unit == "document"

    @property
    def laws(self) -> frozenset[Law]:
        """Those of needs, or those of documents."""
        return LAWS_OF_DOCUMENTS | {Law.GROWS_WITH_K} if self.unit == "document" else _NEED_LAWS

    def scores(self, ranking: Ranking) -> Floats:
        """Return 1 / rank."""
        k = NEVER - 1 if self.k is None else self.k
        if self.unit == "document":
            graded = graded_documents(ranking, self.judged_only)
            at, topic = graded.ranking.rank, graded.ranking.topic
            value = np.where(graded.is_relevant(self.rel) & (at <= k), 1 / at, 0.0)
            total = graded.relevant(self.rel)
        else:
            by = "chunk" if self.unit == "result" else self.by
            at, topic = rank_of_answer(ranking, self.cover, by), ranking.truth.needs.topic
            value = np.where(at <= k, 1 / at, 0.0)
            total = np.bincount(topic, minlength=len(ranking.truth.topics))
        scores = np.zeros(len(total))
        np.maximum.at(scores, topic, value)
        return defined(scores, total)


_CHUNKS = "".join(
    f'{{"id": "{number}", "doc": "{document}", "start": {start}, "end": {end}}}\n'
    for number, (document, start, end) in enumerate(
        [("a", 0, 150), ("a", 100, 250), ("b", 0, 120), ("c", 0, 200), ("b", 300, 360)], 1
    )
)


@dataclass(frozen=True)
class DiscountedNeeds(_OfNeeds):
    """How soon needs are shown, compared with the best order of all chunks there are."""

    name: ClassVar[str] = "sDCG"
    facts: ClassVar[Facts] = Facts(
        "discounted gain of needs, over that of the best chunks",
        "Järvelin and Kekäläinen 2002",
        "sDCG@k = Σ Δ_r / log2(r + 1) over the same sum of the ideal list, r = 1 … k, "
        "Δ_r = how much rank r adds to the mean share of needs shown, by their grades",
        NEEDS | {Need.CHUNKS},
        _NEED_EDGES + " The ideal list takes, rank by rank, the first chunk that adds most; a list "
        "that beats it scores 1. If no chunk is relevant, the topic is undefined.",
        example(
            "sDCG@2",
            (1 / 6 + (1 / 6) / np.log2(3)) / (1 / 3 + (1 / 3) / np.log2(3)),
            "The first two results each show half of one need of three. The best chunks, b[0, 120) "
            "and b[300, 360), show a whole need each.",
            _CHUNKS,
        ),
        laws=frozenset({Law.TAIL_IS_FREE}),
        repeats="keep",
    )
    k: int = cut_off(10)

    def scores(self, ranking: Ranking) -> Floats:
        """Return DCG over the ideal DCG."""
        gains, best = linear_gains(ranking), best_gains(ranking.truth)
        scores = ranking.truth.nothing()
        for topic in ranking.topics.tolist():
            ideal = self._discounted(best[topic])
            if ideal > 0:
                scores[topic] = min(self._discounted(gains[topic]) / ideal, 1.0)
        return self.defined(ranking, scores)

    def _discounted(self, gains: Sequence[float]) -> float:
        first = gains[: self.k]
        return float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(first, 1)))


# When needs are answered


class _Shown(NamedTuple):
    """How many characters of an alternative a result shows, by alternative and there by result."""

    alternative: Ints
    row: Ints
    characters: Ints


@once
def rank_of_answer(ranking: Ranking, cover: float, by: str) -> Ints:
    """Return the rank at which each need is answered, NEVER if it is not.

    Needs of topics that are not to be scored count as never answered.

    A need is answered when a share of at least `cover` of one of its alternatives has been shown:
    by all results together, or by a single one. A cover of 0 asks for one character.
    """
    ranking = ranking.without_whitespace
    needs = ranking.truth.needs
    shown = _shown_together(ranking) if by == "union" else shown_alone(ranking)
    is_enough = shown.characters >= enough_characters(needs, cover)[shown.alternative]
    rank = np.full(len(needs), NEVER, dtype=np.int64)
    need = needs.owner[shown.alternative[is_enough]]
    np.minimum.at(rank, need, ranking.rank[shown.row[is_enough]])
    return rank


def enough_characters(needs: Needs, cover: float) -> Floats:
    """Return how many characters of each alternative must be shown to answer its need."""
    enough: Floats = np.maximum(cover * needs.size - TOLERANCE, TOLERANCE)
    return enough


def _shown_together(ranking: Ranking) -> _Shown:
    """Return what all results up to each one have shown of an alternative."""
    shared = shown_alternatives(ranking)
    row, length = ranking.new_text.row[shared.other], shared.end - shared.start
    order = np.lexsort((row, shared.row))
    alternative, row, length = shared.row[order], row[order], length[order]
    total = np.append(0, np.cumsum(length))
    first = np.searchsorted(alternative, alternative)
    return _Shown(alternative, row, total[1:] - total[first])


def shown_alone(ranking: Ranking) -> _Shown:
    """Return what each result shows of an alternative by itself."""
    needs = ranking.truth.needs
    row, text = ranking.text_in_relevant()
    order = needed_spans_to_score(ranking)
    order = order[np.argsort(needs.pair[order], kind="stable")]
    in_order = needs.pair[order]
    first = np.searchsorted(in_order, text.group)
    counts = np.searchsorted(in_order, text.group, "right") - first
    span = np.repeat(np.arange(len(row)), counts)
    needed = order[concatenated_ranges(first, counts)]
    length = np.minimum(text.end[span], needs.end[needed]) - np.maximum(
        text.start[span], needs.start[needed]
    )
    width = len(ranking) + 1
    keys, at = np.unique(needs.alternative[needed] * width + row[span], return_inverse=True)
    together = sum_by_group(at, np.maximum(length, 0), len(keys))
    return _Shown(keys // width, keys % width, together)
