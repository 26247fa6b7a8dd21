"""ERRU: the expected ratio of relevant units that a user of the list gets to see.

    ERRU(k) = Σ_e P(R_e)·[1 − Π_x (1 − P(L_x|k)·P(x→e))] / Σ_e P(R_e)

P(R_e) says how relevant a unit is, P(L_x|k) how likely a result is among the k that are looked at
(less than 1 in a tie), P(x→e) how likely users get from a result x to the unit e:

    x is e                       1
    x inside e, e inside x       (smaller size / larger size)^a
    apart, in one document       1 / (2 + d), d the distance
    in different documents       0

The exponent a depends on how well x covers what is relevant: 7/8 if exactly, 3/4 if x is inside e
and too small or around e and too large, 1/2 otherwise. Sizes and distances are counted in words,
which end at the borders of elements that are not inline.

The measure was made for grades of 2002, where the relevant units have exact coverage and no such
unit around them. With highlighted text, an extension, they are the ideal elements, each as relevant
as it is specific. Later grades have specificity in place of coverage, and are refused. Piwowarski
and Gallinari call the measure ERR, which now means expected reciprocal rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from doxeval.arrays import Floats, Ints, rows_by_key, sum_by_group
from doxeval.assessments import COVERAGES, AssessedElements, Grade2002, exact_units
from doxeval.documents import DocumentWords
from doxeval.errors import MissingInput
from doxeval.measures.base import Example, Facts, Law, Measure, Need, cut_off, parameter
from doxeval.measures.caching import once
from doxeval.measures.ground_truth import GroundTruth, ignored_tags, pair_keys
from doxeval.measures.ranking import Ranking, ratio
from doxeval.scores import Curve

Unit = Literal["words", "characters"]
_MOST_RANKS = 50
EXACT, TOO_SMALL, TOO_LARGE, NONE = range(4)


class _Units(NamedTuple):
    """Relevant units of all topics: where they are, and how relevant.

    rows: those of each topic and document. total: the relevance of each topic's units together.
    """

    topic: Ints
    document: Ints
    node: Ints
    relevance: Floats
    rows: dict[int, Ints]
    total: Floats


@dataclass(frozen=True)
class ExpectedRatio(Measure):
    """The expected share of the relevant units seen in k results or reached from them."""

    name: ClassVar[str] = "ERRU"
    facts: ClassVar[Facts] = Facts(
        "expected ratio of relevant units",
        "Piwowarski and Gallinari 2003, §3",
        "ERRU@k = Σ P(R_e)·[1 − Π (1 − P(L_x|k)·P(x→e))] / Σ P(R_e)",
        frozenset({Need.ELEMENTS, Need.SIZES, Need.RETRIEVED_ELEMENTS}),
        "A topic without relevant units is undefined. A size of zero makes a ratio 0. The printed "
        "exponents contradict the paper's own words (a share raised to 7/8 is smaller than one "
        "raised to 1/2); they are kept, `exponents` changes them. Made for grades of 2002; "
        "highlights are an extension, later grades are refused.",
        Example(
            "ERRU@1",
            (3 / 4) ** 0.75,
            "The ideal element is the section s[1] of three words; the border between the "
            "paragraphs ends one. The article around it, which is returned, has four: from there "
            "the user reaches it with probability (3/4)^(3/4).",
            '{"topic": "7", "doc": "a", "start": 0, "end": 12}\n',
            "7 Q0 a 1 9 run /a[1]\n",
            {"a": "<a><s><p>one two</p><p>three</p></s><s>four</s></a>"},
        ),
        laws=frozenset({Law.GROWS_WITH_K, Law.TAIL_IS_FREE}),
    )
    k: int = cut_off(10)
    unit: Unit = parameter("words", "what sizes and distances count", ("words", "characters"))
    exponents: str = parameter(
        "0.875+0.75+0.5", "the exponents for exact, too small or too large, and other coverage"
    )
    ignore: str = parameter(
        "none", "tags whose elements count as not assessed: none, links, or tag+tag"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            exact, partly, other = map(float, self.exponents.split("+"))
        except ValueError:
            raise ValueError("exponents must be three numbers joined by +") from None
        if not all(0 < exponent < 100 for exponent in (exact, partly, other)):
            raise ValueError("exponents must be above 0 and below 100")

    def resolve_auto(self, truth: GroundTruth) -> Measure:
        """Return the measure itself; grades of other years than 2002 are an error."""
        if not _are_highlights(truth):
            _grades_of_2002(truth)
        return self

    def scores(self, ranking: Ranking) -> Floats:
        """Return the expected ratio after k results."""
        return self._scores_at([self.k], ranking)[:, 0]

    def curve(self, ranking: Ranking) -> Curve:
        """Return the ratio by rank, for the first fifty."""
        ranks = max(min(int(ranking.counts.max(initial=0)), _MOST_RANKS), 1)
        x = np.arange(1, ranks + 1)
        y = self._scores_at(x.tolist(), ranking)
        return Curve(str(self), "rank", "ERRU", x.astype(np.float64), y)

    def _scores_at(self, cut_offs: list[int], ranking: Ranking) -> Floats:
        """Return the scores at ascending cut-offs, topics × cut-offs."""
        truth = ranking.truth
        find_units = _by_highlights if _are_highlights(truth) else _by_grades
        units, coverage = find_units(ranking, self.ignore)
        seen = np.zeros((len(truth.topics), len(cut_offs)))
        looked_at = [_looked_at(ranking, k) for k in cut_offs]
        last = np.flatnonzero((looked_at[-1] > 0) & (ranking.node >= 0))
        documents = truth.known_collection.documents_of(ranking.node[last])
        for key, at in rows_by_key(pair_keys(ranking.topic[last], documents)).items():
            rows, results = units.rows.get(key), last[at]
            if rows is None:
                continue
            document = int(units.document[rows[0]])
            sources = _ElementSizes.of(truth, self.unit, document, ranking.node[results])
            targets = _ElementSizes.of(truth, self.unit, document, units.node[rows])
            reach = self._reach(sources, coverage[results], targets)
            for column, chances in enumerate(looked_at):
                missed = np.prod(1 - chances[results][:, None] * reach, axis=0)
                seen[units.topic[rows[0]], column] += (units.relevance[rows] * (1 - missed)).sum()
        total = np.broadcast_to(units.total[:, None], seen.shape)
        return np.where(total > 0, ratio(seen, total), np.nan)

    def _reach(self, results: _ElementSizes, coverage: Ints, units: _ElementSizes) -> Floats:
        """Return P(x→e), results × units."""
        exact, partly, other = map(float, self.exponents.split("+"))
        inside = np.array([exact, partly, other, other])[coverage][:, None]
        around = np.array([exact, other, partly, other])[coverage][:, None]
        x_node, e_node = results.node[:, None], units.node[None, :]
        is_inside = (e_node <= x_node) & (x_node < units.after[None, :])
        is_around = (x_node <= e_node) & (e_node < results.after[:, None])
        x_size, e_size = np.broadcast_arrays(results.size[:, None], units.size[None, :])
        from_inside, from_around = ratio(x_size, e_size) ** inside, ratio(e_size, x_size) ** around
        apart = 1 / (2 + _distances(results, units))
        reach = np.where(is_inside, from_inside, np.where(is_around, from_around, apart))
        return np.where(x_node == e_node, 1.0, reach)


@dataclass(frozen=True)
class _ElementSizes:
    """Elements of one document: their nodes and text, and their sizes in words or characters.

    after: the first node behind each element. begun: the words (or characters) that begin before
    it; ended: those that have ended with it.
    """

    node: Ints
    after: Ints
    start: Ints
    end: Ints
    size: Ints
    begun: Ints
    ended: Ints

    @classmethod
    def of(cls, truth: GroundTruth, unit: Unit, document: int, node: Ints) -> _ElementSizes:
        columns = truth.known_collection.nodes
        start, end = columns.start[node].astype(np.int64), columns.end[node].astype(np.int64)
        after = node + columns.size[node]
        if unit == "characters":
            return cls(node, after, start, end, end - start, start, end)
        words = _words(truth).of(document)
        begun, ended = words.begun_before(start), words.ended_by(end)
        return cls(node, after, start, end, words.count(start, end), begun, ended)


@once
def _words(truth: GroundTruth) -> DocumentWords:
    return DocumentWords(truth.known_collection)


def _distances(results: _ElementSizes, units: _ElementSizes) -> Ints:
    """Count the words or characters between results and units; 0 where they touch or overlap."""
    are_apart = np.minimum(results.end[:, None], units.end) < np.maximum(
        results.start[:, None], units.start
    )
    begun = np.maximum(results.begun[:, None], units.begun)
    ended = np.minimum(results.ended[:, None], units.ended)
    return np.where(are_apart, begun - ended, 0)


def _looked_at(ranking: Ranking, k: int) -> Floats:
    """Return P(L_x|k): 1 for the first k results, less for results that are tied across rank k."""
    chances = []
    for _, levels in ranking.lists(ranking.level):
        before = np.searchsorted(levels, levels, side="left")
        tied = np.searchsorted(levels, levels, side="right") - before
        chances.append(np.clip((k - before) / np.maximum(tied, 1), 0.0, 1.0))
    return np.concatenate(chances) if chances else np.zeros(0)


def _are_highlights(truth: GroundTruth) -> bool:
    """Return whether units come from highlighted text; else from grades."""
    return truth.has_highlights or not truth.has_grades


def _grades_of_2002(truth: GroundTruth) -> AssessedElements:
    elements = truth.elements("gen")
    if elements.scale is not Grade2002:
        raise MissingInput(
            "ERRU needs highlighted text or grades of 2002, which have coverage; these are of "
            "another year"
        )
    return elements


def _by_highlights(ranking: Ranking, ignore: str) -> tuple[_Units, Ints]:
    """Return the ideal elements, and how well each result covers one."""
    truth = ranking.truth
    ideal, elements = truth.base("ideal", "spec", ignore), truth.elements("spec")
    columns = truth.known_collection.nodes
    begin = elements.keys(ranking.topic, ranking.node)
    after = begin + np.where(ranking.node < 0, 0, columns.size[ranking.node])
    coverage: Ints = np.full(len(ranking), NONE)
    if len(ideal):
        around = np.maximum(np.searchsorted(ideal.begin, begin, side="right") - 1, 0)
        inside = (ideal.begin[around] <= begin) & (after <= ideal.after[around])
        first = np.searchsorted(ideal.begin, begin)
        holds = np.searchsorted(ideal.begin, after) > first
        coverage = np.where(holds, TOO_LARGE, coverage)
        coverage = np.where(inside, TOO_SMALL, coverage)
        coverage = np.where(inside & (ideal.begin[around] == begin), EXACT, coverage)
        coverage[ranking.node < 0] = NONE
    return _ideal_units(truth, ignore), coverage


def _by_grades(ranking: Ranking, ignore: str) -> tuple[_Units, Ints]:
    """Return the units of exact coverage, and the coverage that each result was given."""
    elements, ignored = _grades_of_2002(ranking.truth), ignored_tags(ignore)
    by_letter = {"N": NONE, "L": TOO_LARGE, "S": TOO_SMALL, "E": EXACT}
    kinds = np.array([by_letter[letter] for letter in COVERAGES])
    row = ranking.rows_in(elements)
    is_graded = (row >= 0) & ~elements.has_tag(ignored)[row]
    coverage = np.where(is_graded, kinds[elements.grades.part[row]], NONE)
    return _exact_units(ranking.truth, ignore), coverage


@once
def _ideal_units(truth: GroundTruth, ignore: str) -> _Units:
    ideal = truth.base("ideal", "spec", ignore)
    return _relevant_units(truth, truth.elements("spec"), ideal.row, ideal.value)


@once
def _exact_units(truth: GroundTruth, ignore: str) -> _Units:
    elements = _grades_of_2002(truth)
    return _relevant_units(truth, elements, *exact_units(elements, ignored_tags(ignore)))


def _relevant_units(
    truth: GroundTruth, elements: AssessedElements, row: Ints, relevance: Floats
) -> _Units:
    """Return some of the assessed elements as units, grouped by topic and document."""
    topic, document = elements.topic[row], elements.document[row]
    by_pair = rows_by_key(pair_keys(topic, document))
    total: Floats = sum_by_group(topic, relevance, len(truth.topics))
    return _Units(topic, document, elements.node[row], relevance, by_pair, total)
