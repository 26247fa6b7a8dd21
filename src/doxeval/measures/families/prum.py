"""PRUM and EPRUM: precision and recall for users who browse from what they are shown.

There are T targets (best entry points, or ideal elements). Consulting the k-th item of the list
shows target e with probability p[k][e], independently of everything else; the probability is 1 if
the item itself is the target. After k items, e has been seen with probability
q[k][e] = 1 − Π (1 − p[j][e]), and the number N_k of seen targets has a known distribution
(Poisson-binomial).

    EPRUM(i) = Σ_k (i/k) · [P(N_k ≥ i) − P(N_{k−1} ≥ i)]
    PRUM(i)  = E[CL] / E[C]

EPRUM is the expected precision at the rank where the user has seen i targets, compared with an
ideal list that shows them one by one. (Eq 15 of Lalmas et al. compares with the shortest of all
lists. Where one item leads to several targets, that list may have fewer than i items; it is not
looked for.) PRUM is the share of consulted items that led to something new (CL of C), for a user
who stops at i targets. All sums are exact; no user behaviour is sampled or enumerated.
(Piwowarski et al. 2007; Piwowarski and Dupret 2006)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np

from doxeval.arrays import Bools, Floats, Ints
from doxeval.errors import InputError
from doxeval.measures.base import Example, Facts, Measure, Need, cut_off, parameter, point
from doxeval.measures.caching import once
from doxeval.measures.elements import fitting_quantisation, quant_parameter
from doxeval.measures.families.bepd import (
    ASSESSMENTS,
    RUN,
    WHY,
    EntryPointModel,
    entry_points,
    nearness,
)
from doxeval.measures.ground_truth import GroundTruth
from doxeval.measures.ranking import Ranking
from doxeval.messages import plural
from doxeval.navigation import NAMES, Navigation
from doxeval.scores import Curve

Unreached = Literal["zero", "truncate", "condition"]
Targets = Literal["auto", "bep", "ideal"]
# Values of `nav` without navigation; auto, as long as no model is given.
_NO_MODEL = ("auto", "none")
_ELEMENTS = (
    "With navigation or `targets=ideal` it needs elements in place of entry points: graded ones, "
    "or highlights (an extension) and a collection."
)


class _Walk(NamedTuple):
    """A list as a walk through states: what has been seen changes only at some of its ranks.

    State 0 is the beginning; state s begins at ranks[s − 1]. seen[s][e] is q, new[s][e] is the
    part of it that came with the state, reached[s][i] is P(N ≥ i).
    """

    length: int
    ranks: Floats
    seen: Floats  # states × targets
    new: Floats  # states but the first × targets
    reached: Floats  # states × (targets + 1)


# The distribution of N_k is multiplied out target by target, at every item that leads anywhere. Up
# to so many multiplications for a topic take about a minute and a half.
MOST_MULTIPLICATIONS = 10**10


def _walk(p: Floats) -> _Walk:
    rows = np.flatnonzero(p.any(axis=1))
    if len(rows) * p.shape[1] ** 2 > MOST_MULTIPLICATIONS:
        raise InputError(
            f"PRUM and EPRUM of a topic with {plural(p.shape[1], 'target')}, to which "
            f"{plural(len(rows), 'result')} may lead, take more than {MOST_MULTIPLICATIONS:,} "
            "multiplications, which is too many"
        )
    with np.errstate(divide="ignore"):  # log 0 = −∞ where a target is certainly shown
        unseen = np.cumsum(np.log1p(-p[rows]), axis=0)
    seen = np.concatenate([np.zeros((1, p.shape[1])), -np.expm1(unseen)])
    new = p[rows] * (1 - seen[:-1])
    ranks: Floats = (rows + 1).astype(np.float64)
    return _Walk(len(p), ranks, seen, new, _at_least(1 - seen, seen))


def _at_least(constant: Floats, linear: Floats) -> Floats:
    """Return Σ_{m≥i} [z^m] Π_e (constant_e + linear_e·z) for i = 0 … T, one row for each product.

    Each product is multiplied out from the start, because dividing a factor out of the previous
    product would lose digits. So would taking 1 minus the sum of the lower terms where high
    recall is unlikely.
    """
    products, targets = constant.shape
    coefficients = np.zeros((products, targets + 1))
    coefficients[:, 0] = 1.0
    for e in range(targets):
        coefficients[:, 1 : e + 2] = (
            coefficients[:, 1 : e + 2] * constant[:, e : e + 1]
            + coefficients[:, : e + 1] * linear[:, e : e + 1]
        )
        coefficients[:, 0] *= constant[:, e]
    return np.cumsum(coefficients[:, ::-1], axis=1)[:, ::-1]


def eprum(p: Floats) -> Floats:
    """Return EPRUM(i) for i = 1 … T, given p[item][target].

    >>> eprum(np.array([[1, 0], [0, 0.2], [0, 1]])).round(6).tolist()
    [1.0, 0.733333]
    """
    walk = _walk(p)
    levels = np.arange(1, p.shape[1] + 1)
    reached_now = np.diff(walk.reached[:, 1:], axis=0)
    expected: Floats = levels * (reached_now / walk.ranks[:, None]).sum(axis=0)
    return expected


def prum(p: Floats, unreached: Unreached = "zero") -> Floats:
    """Return PRUM(i) for i = 1 … T, given p[item][target].

    `unreached` says how users count who may not see i targets: `zero` multiplies by the
    probability that they do, `condition` assumes that they do, `truncate` stops at the end of the
    list.

    >>> prum(np.array([[1, 0], [0, 0.2], [0, 1]])).round(6).tolist()
    [1.0, 0.714286]
    >>> prum(np.array([[0.5, 0.5], [0.5, 0.5], [1, 1]])).round(6).tolist()
    [0.761905, 0.742857]
    """
    walk = _walk(p)
    before, after = walk.seen[:-1], walk.seen[1:]
    reached = walk.reached[:, 1:]
    # How many items each state lasts for.
    lasts = np.diff(np.concatenate([[0.0], walk.ranks, [float(walk.length)]]))[:, None]
    # P(i targets have been seen before, and the item shows nothing new)
    idle = _at_least(1 - after, before)[:, 1:]
    if unreached == "truncate":
        nothing_new = np.prod(1 - walk.new, axis=1)[:, None]
        leading = ((1 - reached[:-1]) - (nothing_new - idle)).sum(axis=0)
        return _quotient(leading, (lasts * (1 - reached)).sum(axis=0))
    # From here on, only users who see i targets in the end.
    final = walk.seen[-1]
    idle_in_the_end = _at_least(1 - final + 0 * after, final - walk.new)[:, 1:]
    leading = ((reached[-1] - reached[:-1]) - (idle_in_the_end - idle)).sum(axis=0)
    consulted = (lasts * (reached[-1] - reached)).sum(axis=0)
    conditional = _quotient(leading, consulted)
    return conditional if unreached == "condition" else conditional * reached[-1]


def _quotient(part: Floats, whole: Floats) -> Floats:
    """Divide part by whole; 0 where the whole is 0, or less by rounding."""
    quotient: Floats = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return quotient


@dataclass(frozen=True)
class _Browsing(EntryPointModel):
    targets: Targets = parameter(
        "auto",
        "what users look for: best entry points, or ideal elements; auto: ideal if they navigate",
        ("auto", "bep", "ideal"),
    )
    nav: str = parameter(
        "auto",
        "targets=ideal: how users navigate from an item to a target; auto: by the model that is "
        "given, otherwise not at all",
        ("auto", *NAMES),
        with_share=("neighbours",),
    )
    quant: str = quant_parameter(
        help_text="targets=ideal: how grades become numbers; auto is spec for highlighted text, "
        "gen for grades (2005: gen5)"
    )
    ignore: str = parameter(
        "none", "targets=ideal: tags left out of the recall base: none, links, or tag+tag"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.targets == "bep" and self.nav not in _NO_MODEL:
            raise ValueError("nav is for targets=ideal; the way to entry points is their distance")
        if self.ignore != "none" and not self._for_elements:
            raise ValueError("ignore is for targets=ideal; entry points have no tags")

    @property
    def _for_elements(self) -> bool:
        return self.targets == "ideal" or self.nav not in _NO_MODEL

    @property
    def needs(self) -> frozenset[Need]:
        """Entry points, or elements, by what users look for."""
        if self._for_elements:
            return frozenset({Need.ELEMENTS, Need.RETRIEVED_ELEMENTS})
        return frozenset({Need.ENTRY_POINTS, Need.RETRIEVED_START})

    def navigating(self, model: Navigation | None) -> Self:
        """Return it with the given model of navigation; the way to entry points has none."""
        return self if self.targets == "bep" else super().navigating(model)

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return it with its targets, its model, and for entry points the mean length."""
        quant = fitting_quantisation(truth, self.quant)
        chosen = self.navigating(truth.navigation)
        nav = "none" if chosen.nav == "auto" else chosen.nav
        if chosen._for_elements:
            truth.model(nav)
            return chosen(targets="ideal", nav=nav, quant=quant)
        return super().resolve_auto(truth)(targets="bep", nav=nav, quant=quant)

    def probabilities(self, ranking: Ranking) -> dict[int, Floats]:
        """Return p[item][target] of each topic to score that has targets."""
        if self._for_elements:
            return _to_ideal_elements(ranking, self.nav, self.quant, self.ignore)
        return _to_entry_points(ranking, self.scale)

    def at_levels(self, p: Floats) -> Floats:
        """Return the scores at the levels 1 … T, given p[item][target]."""
        raise NotImplementedError

    def curve_by_recall(self, ranking: Ranking) -> Curve:
        """Return the scores at levels of recall, at a hundred points."""
        y = np.full((len(ranking.truth.topics), len(_POINTS)), np.nan)
        for topic, p in self.probabilities(ranking).items():
            y[topic] = self.at_levels(p)[[_level(x, p.shape[1]) - 1 for x in _POINTS]]
        x = np.array([float(point) for point in _POINTS])
        return Curve(str(self), "recall", self.name, x, y)


# Ways from items to targets


class _PrumTargets(NamedTuple):
    """How many targets each topic has; and for each judged pair or element its column in p, or -1.

    Columns number the targets of a topic from 0.
    """

    counts: list[int]
    column: Ints


@once
def _entry_points(truth: GroundTruth) -> _PrumTargets:
    is_target = truth.entry >= 0
    column = np.where(is_target, _numbered_by_topic(truth.topic, is_target), -1)
    return _PrumTargets(entry_points(truth).astype(int).tolist(), column)


@once
def _ideal_elements(truth: GroundTruth, quant: str, ignore: str) -> _PrumTargets:
    ideal = truth.base("ideal", quant, ignore)
    column = np.full(len(truth.elements(quant)), -1)
    column[ideal.row] = _numbered_by_topic(ideal.topic, np.ones(len(ideal), dtype=np.bool_))
    return _PrumTargets(np.bincount(ideal.topic, minlength=len(truth.topics)).tolist(), column)


@once
def _nodes_by_topic(truth: GroundTruth, quant: str, ignore: str) -> list[tuple[Ints, Ints]]:
    """Return the nodes of the ideal elements of each topic, and their documents."""
    ideal = truth.base("ideal", quant, ignore)
    nodes = truth.elements(quant).node[ideal.row]
    documents = truth.known_collection.documents_of(nodes)
    edges = np.searchsorted(ideal.topic, np.arange(len(truth.topics) + 1)).tolist()
    return [(nodes[begin:end], documents[begin:end]) for begin, end in pairwise(edges)]


def _numbered_by_topic(topic: Ints, counts: Bools) -> Ints:
    """Return the number of each row among the rows of its topic that count, from 0."""
    order = np.argsort(topic, kind="stable")
    total = np.cumsum(counts[order])
    first = np.searchsorted(topic[order], topic[order])
    before = np.append(0, total)[first]
    number = np.empty(len(topic), dtype=np.int64)
    number[order] = total - before - 1
    return number


@once
def _to_entry_points(ranking: Ranking, scale: float) -> dict[int, Floats]:
    """Return p[item][target] by topic: items and targets are documents, p is their nearness."""
    articles, targets = ranking.articles, _entry_points(ranking.truth)
    near = articles.by_topic(nearness(articles, scale))
    by_topic = {}
    for topic, pair in articles.lists(articles.pair):
        if targets.counts[topic]:
            p = np.zeros((len(pair), targets.counts[topic]))
            items = np.flatnonzero((pair >= 0) & (near[topic] > 0))
            p[items, targets.column[pair[items]]] = near[topic][items]
            by_topic[topic] = p
    return by_topic


@once
def _to_ideal_elements(ranking: Ranking, nav: str, quant: str, ignore: str) -> dict[int, Floats]:
    """Return p[item][target] by topic: 1 if the item is the target, else the way from it."""
    truth = ranking.truth
    targets = _ideal_elements(truth, quant, ignore)
    by_topic = {}
    for topic, rows in ranking.lists(ranking.rows_in(truth.elements(quant))):
        if targets.counts[topic]:
            p = np.zeros((len(rows), targets.counts[topic]))
            items = np.flatnonzero(rows >= 0)
            column = targets.column[rows[items]]
            p[items[column >= 0], column[column >= 0]] = 1.0
            by_topic[topic] = p
    if nav != "none":
        _navigate(by_topic, ranking, nav, _nodes_by_topic(truth, quant, ignore))
    return by_topic


def _navigate(
    by_topic: dict[int, Floats], ranking: Ranking, nav: str, targets: list[tuple[Ints, Ints]]
) -> None:
    """Add the ways from items to targets in the same document.

    targets: the nodes of each topic's targets, and their documents.
    """
    collection, model = ranking.truth.known_collection, ranking.truth.model(nav)
    nodes = ranking.by_topic(ranking.node)
    for topic, p in by_topic.items():
        ideal_nodes, documents = targets[topic]
        items = np.flatnonzero(nodes[topic] >= 0)
        item_documents = collection.documents_of(nodes[topic][items])
        for document in sorted({*documents.tolist()} & {*item_documents.tolist()}):
            rows = items[item_documents == document]
            columns = np.flatnonzero(documents == document)
            ways = model.between(collection, document, nodes[topic][rows], ideal_nodes[columns])
            here = np.ix_(rows, columns)
            p[here] = np.maximum(p[here], ways)  # an item that is a target stays at 1


# Scores


_POINTS = [Fraction(n, 100) for n in range(1, 101)]


def _level(x: Fraction, targets: int) -> int:
    """Return which of the levels 1 … T a point of recall stands for: ⌈x·T⌉, at least 1."""
    return max(math.ceil(x * targets), 1)


@dataclass(frozen=True)
class Prum(_Browsing):
    """The share of consulted items that lead a browsing user to something new."""

    name: ClassVar[str] = "PRUM"
    facts: ClassVar[Facts] = Facts(
        "precision recall with user modelling",
        "Piwowarski et al. 2007; Ali, Consens and Lalmas 2012, §6.4",
        "PRUM(i) = E[CL] / E[C]; PRUM[x] takes i = ⌈x·T⌉, PRUM alone the mean over i = 1 … T",
        frozenset({Need.ENTRY_POINTS, Need.RETRIEVED_START}),
        "A topic without targets is undefined. A second result of a document is ignored for entry "
        "points. Where users may not see i targets, `unreached` says how they count. " + _ELEMENTS,
        Example(
            "PRUM(L=1000)",
            (1 + 0.5 * 2 / 3) / 2,
            WHY + "The first target is seen at once. The second is seen with probability .5, at "
            "the third item; then two of three items led to something.",
            ASSESSMENTS,
            RUN,
        ),
    )
    x: Fraction | None = point(None, "the level of recall; without it, the mean over all levels")
    unreached: Unreached = parameter(
        "zero", "how users count who may not reach the recall", ("zero", "truncate", "condition")
    )

    def scores(self, ranking: Ranking) -> Floats:
        """Return PRUM at x, or its mean."""
        scores = ranking.truth.nothing()
        for topic, p in self.probabilities(ranking).items():
            values = self.at_levels(p)
            scores[topic] = (
                values.mean() if self.x is None else values[_level(self.x, len(values)) - 1]
            )
        return scores

    def at_levels(self, p: Floats) -> Floats:
        """Return PRUM(i) for i = 1 … T."""
        return prum(p, self.unreached)

    def curve(self, ranking: Ranking) -> Curve | None:
        """Return precision at levels of recall; none for a single level."""
        return None if self.x is not None else self.curve_by_recall(ranking)


@dataclass(frozen=True)
class Eprum(_Browsing):
    """The expected precision at the rank where a browsing user has seen enough."""

    name: ClassVar[str] = "EPRUM"
    facts: ClassVar[Facts] = Facts(
        "expected precision recall with user modelling",
        "Piwowarski and Dupret 2006; Lalmas et al. 2007, eq 15–16",
        "EPRUM(i) = Σ_k (i/k)·[P(N_k ≥ i) − P(N_{k−1} ≥ i)]; EPRUM[x] takes i = ⌈x·T⌉, EPRUM alone "
        "the mean over i = 1 … T; EPRUM@k = E[N_k] / k",
        frozenset({Need.ENTRY_POINTS, Need.RETRIEVED_START}),
        "A topic without targets is undefined. Of a document only the first entry point counts. "
        "Where one item leads to several targets, the minimum of eq 15 is not computed: i takes "
        "its place, and values may exceed 1. PRUM and SRPRUM do not need it. " + _ELEMENTS,
        Example(
            "EPRUM(L=1000)",
            (1 + 0.5 * 2 / 3) / 2,
            WHY + "One target is seen at rank 1: 1/1. The second is seen with probability .5, at "
            "rank 3: .5 · 2/3. The mean of both.",
            ASSESSMENTS,
            RUN,
        ),
    )
    k: int | None = cut_off(None, "the expected share of targets among the first k items")
    x: Fraction | None = point(None, "the level of recall; without it, the mean over all levels")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and self.x is not None:
            raise ValueError("EPRUM has a cut-off @k or a point [x], not both")

    @property
    def highest(self) -> float | None:
        """None where users navigate, because one item may then lead to several targets."""
        return self.facts.highest if self.nav in _NO_MODEL else None

    def scores(self, ranking: Ranking) -> Floats:
        """Return EPRUM at k or x, or its mean."""
        scores = ranking.truth.nothing()
        for topic, p in self.probabilities(ranking).items():
            scores[topic] = self._score(p)
        return scores

    def _score(self, p: Floats) -> float:
        if self.k is not None:
            return float((1 - np.prod(1 - p[: self.k], axis=0)).sum() / self.k)
        values = self.at_levels(p)
        if self.x is None:
            return float(values.mean())
        return float(values[_level(self.x, len(values)) - 1])

    def at_levels(self, p: Floats) -> Floats:
        """Return EPRUM(i) for i = 1 … T."""
        return eprum(p)

    def curve(self, ranking: Ranking) -> Curve | None:
        """Return precision at levels of recall; none for a single level or rank."""
        is_single = self.k is not None or self.x is not None
        return None if is_single else self.curve_by_recall(ranking)

    def concerns(self, ranking: Ranking) -> int:
        """Count the topics in which one item leads to several targets."""
        every = self.probabilities(ranking).values()
        return sum(bool(((p > 0).sum(axis=1) > 1).any()) for p in every)

    def about(self, topics: int) -> list[str]:
        """Warn that the minimum of eq 15 is not computed, where one item leads to several."""
        if not topics:
            return []
        return [
            f"{self.name}: in {plural(topics, 'topic')} one item leads to several targets. The "
            "shortest list that shows i of them (the minimum of eq 15) is not looked for; i items "
            "take its place, and values may exceed 1. PRUM and SRPRUM do not need it"
        ]
