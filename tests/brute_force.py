"""Measures by brute force: sets of characters, exact fractions, every path that a user may take.

Written from the definitions alone, without arrays and without shortcuts, to be compared with the
measures on small random worlds. A score is None where the measure is undefined.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import accumulate, groupby, permutations, product

from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import Judgment
from doxeval.runs.run import Kind, Result
from strategies import Node, World, located

Number = Fraction | float
Score = Number | None
Character = tuple[str, int]  # a document and an offset
ZERO, ONE = Fraction(0), Fraction(1)
TOLERANCE = 1e-9
LINKS = (
    "collectionlink wikipedialink redirectlink unknownlink outsidelink weblink imagelink "
    "languagelink"
).split()


# What is returned and what is judged -----------------------------------------------------------


@dataclass(frozen=True)
class Unit:
    """An element, or a passage (which has no path)."""

    document: str
    path: str
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of its characters."""
        return self.end - self.start

    @property
    def tag(self) -> str:
        """The tag of an element."""
        return self.path.rpartition("/")[2].partition("[")[0]

    @property
    def is_root(self) -> bool:
        """Whether it is a whole document."""
        return self.path.count("/") == 1

    @cached_property
    def characters(self) -> frozenset[Character]:
        """Its text, character by character."""
        return frozenset((self.document, at) for at in range(self.start, self.end))

    def is_inside(self, other: Unit) -> bool:
        """Whether it is a descendant of another element."""
        return self.document == other.document and self.path.startswith(other.path + "/")

    def touches(self, other: Unit) -> bool:
        """Whether one contains the other, or both are the same."""
        return self == other or self.is_inside(other) or other.is_inside(self)


Values = dict[Unit, Fraction]


@cache
def elements_of(document: str, node: Node) -> tuple[Unit, ...]:
    """All elements of a document, in document order."""
    return tuple(Unit(document, at.path, at.start, at.end) for at in located(node))


class Scene:
    """One topic of a world: its documents, its judgments, and what a system returned for it.

    levels are the results that share a rank: one each, or all with the same score (by_score).
    Without a collection sizes are unknown, and elements are in the order of the assessments.
    """

    def __init__(
        self,
        world: World,
        topic: str,
        results: Iterable[Result],
        by_score: bool = False,
        has_collection: bool = True,
    ) -> None:
        self.texts = {document: node.text for document, node in world.documents}
        self.elements = [e for document in world.documents for e in elements_of(*document)]
        self.has_collection = has_collection
        self.judgments: list[Judgment] = [j for j in world.judgments if j.topic == topic]
        own = [result for result in results if result.topic == topic]
        if by_score:
            own.sort(key=lambda result: -(result.score or 0))
            groups = [list(group) for _, group in groupby(own, lambda result: result.score)]
        else:
            groups = [[result] for result in own]
        self.levels = [[self._unit(result) for result in group] for group in groups]
        self.ranked = [unit for level in self.levels for unit in level]

    def _unit(self, result: Result) -> Unit:
        if result.kind == Kind.PASSAGE:
            return Unit(result.document, "", result.start or 0, result.end or 0)
        wanted = result.place[0] if result.place else "/article[1]"
        return self.element(result.document, wanted)

    def element(self, document: str, path: str) -> Unit:
        """An element by its path."""
        (found,) = (e for e in self.elements if (e.document, e.path) == (document, path))
        return found

    @cached_property
    def judgeable(self) -> list[Unit]:
        """What can be relevant: elements that are not empty, as far as that is known."""
        if self.has_collection:
            return [element for element in self.elements if element.size]
        return [
            self.element(judgment.document, graded.path)
            for judgment in self.judgments
            for graded in judgment.grades
        ]

    @cached_property
    def roots(self) -> list[Unit]:
        """Whole documents."""
        return [element for element in self.elements if element.is_root]

    @cached_property
    def highlighted(self) -> frozenset[Character]:
        """All relevant characters."""
        return frozenset(
            (judgment.document, at)
            for judgment in self.judgments
            for start, end in judgment.highlights
            for at in range(start, end)
        )

    @cached_property
    def highlighted_documents(self) -> set[str]:
        """The documents with relevant text."""
        return {document for document, _ in self.highlighted}

    @cached_property
    def entries(self) -> dict[str, int]:
        """The best entry points, by document."""
        return {
            judgment.document: judgment.best_entry_point
            for judgment in self.judgments
            if judgment.best_entry_point is not None
        }

    @cached_property
    def documents(self) -> dict[str, list[Unit]]:
        """What was returned of each document, documents by first appearance."""
        found: dict[str, list[Unit]] = {}
        for unit in self.ranked:
            found.setdefault(unit.document, []).append(unit)
        return found

    def relevant_in(self, unit: Unit) -> int:
        """How many characters of a unit are relevant."""
        return len(unit.characters & self.highlighted)

    def specificity(self, unit: Unit) -> Fraction:
        """Which share of a unit is relevant."""
        return quotient(self.relevant_in(unit), unit.size)


def quotient(part: int | Fraction, whole: int | Fraction) -> Fraction:
    """A ratio, and 0/0 = 0."""
    return Fraction(part) / whole if whole else ZERO


def mean(values: Sequence[Number]) -> Number:
    """The mean of some numbers."""
    return math.fsum(values) / len(values)


def hundredths(first: int) -> list[Fraction]:
    """The points first/100 … 1."""
    return [Fraction(number, 100) for number in range(first, 101)]


def ceiling(value: Fraction) -> int:
    """Rounded up, but not for a trifle."""
    return math.ceil(value - Fraction(TOLERANCE))


# Grades and recall bases -----------------------------------------------------------------------


def _table(text: str) -> dict[str, Fraction]:
    rows = (row.split() for row in text.split(";"))
    return {grade: Fraction(value) for value, *grades in rows for grade in grades}


TABLES = {
    "strict": _table("1 3E 33"),
    "gen": _table("1 3E 33; 0.75 2E 3L 3S 23 32 31; 0.5 1E 2L 2S 13 22 21; 0.25 1L 1S 12 11"),
    "sog": _table("1 33; 0.9 23; 0.75 13 32; 0.5 22; 0.25 12 31; 0.1 21 11"),
}


def values(scene: Scene, quant: str, ignore: str = "none", from_file: bool = False) -> Values:
    """The full recall base: every element with a value above 0, in document order.

    from_file: specificity is that of the lists of 2005, not that of the highlights.
    """
    ignored = {"none": [], "links": LINKS}.get(ignore, ignore.split("+"))
    worth = {
        element: _value(scene, element, quant, from_file)
        for element in scene.judgeable
        if element.tag not in ignored
    }
    return {element: value for element, value in worth.items() if value > 0}


def _value(scene: Scene, element: Unit, quant: str, from_file: bool) -> Fraction:
    if quant == "spec" and not from_file:
        return scene.specificity(element)
    for judgment in scene.judgments:
        if judgment.document == element.document:
            for graded in judgment.grades:
                if graded.path == element.path and graded.grade is not None:
                    return TABLES[quant].get(digits(graded.grade), ZERO)
            for listed in judgment.elements:
                if listed.path == element.path:
                    share = scene.specificity(element)
                    if from_file:
                        share = Fraction(listed.highlighted, listed.size)
                    return _value_of_2005(listed.exhaustivity or 0, share, quant)
    return ZERO


def digits(grade: object) -> str:
    """A grade of 2002 or 2003 as two characters."""
    if isinstance(grade, Grade2002):
        return f"{grade.relevance}{grade.coverage}"
    assert isinstance(grade, Grade2003)
    return f"{grade.exhaustivity}{grade.specificity}"


def _value_of_2005(exhaustivity: int, share: Fraction, quant: str) -> Fraction:
    if quant == "spec":
        return share
    if quant == "strict5":
        return Fraction(exhaustivity == 2 and share == 1)
    return (exhaustivity + (quant == "genLifted")) * share


def ideal_base(full: Values) -> Values:
    """On each maximal relevant path the best element, the highest of equals; then no overlap."""
    kept = set()
    for leaf in full:
        if not any(other.is_inside(leaf) for other in full):
            path = [element for element in full if element == leaf or leaf.is_inside(element)]
            path.sort(key=lambda element: len(element.path))
            kept.add(max(path, key=lambda element: full[element]))
    return {
        element: value
        for element, value in full.items()
        if element in kept and not any(element.is_inside(other) for other in kept)
    }


# Documents as units ----------------------------------------------------------------------------


def _relevant_documents(scene: Scene) -> set[str]:
    """The documents in which anything is relevant."""
    return {
        judgment.document
        for judgment in scene.judgments
        if judgment.highlights
        or any(digits(graded.grade)[0] != "0" for graded in judgment.grades)
        or any(listed.highlighted for listed in judgment.elements)
    }


def document_precision(scene: Scene, k: int) -> Score:
    relevant = _relevant_documents(scene)
    return Fraction(len(relevant & set(list(scene.documents)[:k])), k) if relevant else None


def document_recall(scene: Scene, k: int) -> Score:
    relevant = _relevant_documents(scene)
    found = relevant & set(list(scene.documents)[:k])
    return Fraction(len(found), len(relevant)) if relevant else None


def document_average_precision(scene: Scene) -> Score:
    relevant = _relevant_documents(scene)
    if not relevant:
        return None
    precisions = [
        document_precision(scene, rank) or ZERO
        for rank, document in enumerate(scene.documents, 1)
        if document in relevant
    ]
    return sum(precisions, ZERO) / len(relevant)


# inex_eval -------------------------------------------------------------------------------------


def inex_eval(scene: Scene, quant: str, interpolation: str, unretrieved: str) -> Score:
    full = values(scene, quant)
    if not full:
        return None
    total = sum(full.values(), ZERO)
    levels = []
    for level in scene.levels:
        relevance = sum((full.get(unit, ZERO) for unit in level), ZERO)
        levels.append((relevance, Fraction(len(level)) - relevance))
    if not levels:
        return ZERO
    if unretrieved == "level":
        rest = total - sum((relevance for relevance, _ in levels), ZERO)
        levels.append((rest, len(scene.elements) - len(scene.ranked) - rest))
    wanted = [x * total for x in hundredths(1)]
    if interpolation == "ceiling":
        wanted = [Fraction(ceiling(gain)) for gain in wanted]
    rounded = [(float(relevance), float(others)) for relevance, others in levels]
    return mean([_precision_at_recall(float(gain), rounded) for gain in wanted])


def _precision_at_recall(wanted: float, levels: list[tuple[float, float]]) -> float:
    """How much of what a user sees is relevant who stops when so much relevance is found."""
    found = others = 0.0
    for relevant, irrelevant in levels:
        if found + relevant >= wanted - TOLERANCE:
            searched = others + (wanted - found) * irrelevant / (relevant + 1)
            return wanted / (wanted + searched)
        found, others = found + relevant, others + irrelevant
    return 0.0


def others_before(wanted: int, relevant: int, others: int) -> Fraction:
    """The expected number of others before the wanted relevant one, over all orders."""
    counts = []
    for order in permutations(range(relevant + others)):
        places = [place for place, unit in enumerate(order) if unit < relevant]
        counts.append(places[wanted - 1] - (wanted - 1))
    return Fraction(sum(counts), len(counts))


# ng --------------------------------------------------------------------------------------------


def ng(scene: Scene, overlap: str, quant: str, denominator: str, unretrieved: str) -> Score:
    rel = {e: _separate(scene, e, quant)[0] for e in scene.elements}
    cov = {e: _separate(scene, e, quant)[1] for e in scene.elements}
    whole = scene.roots if denominator == "documents" else scene.elements
    total = sum((rel[element] for element in whole), ZERO)
    if not total:
        return None
    points = _ng_points(scene, overlap, rel, cov, total)
    if not points:
        return ZERO
    if unretrieved == "block":
        covered = sum((cov[root] * root.size for root in scene.roots), ZERO)
        points.append((1.0, float(quotient(covered, sum(root.size for root in scene.roots)))))
    return mean(
        [
            max((p for recall, p in points if recall >= x - TOLERANCE), default=0.0)
            for x in map(float, hundredths(1))
        ]
    )


def _ng_points(
    scene: Scene, overlap: str, rel: Values, cov: Values, total: Fraction
) -> list[tuple[float, float]]:
    """Recall and precision after each result."""
    points = []
    seen: set[Character] = set()
    recall = covered = read = ZERO
    for unit in scene.ranked:
        new = len(unit.characters - seen) if overlap == "o" else unit.size
        seen |= unit.characters
        recall += rel[unit] * quotient(new, unit.size)
        covered += cov[unit] * new
        read += new
        points.append((float(min(recall / total, ONE)), float(quotient(covered, read))))
    return points


def _separate(scene: Scene, element: Unit, quant: str) -> tuple[Fraction, Fraction]:
    """How much of what was asked for is in an element, and how much of it was asked for."""
    if not element.size:
        return ZERO, ZERO
    if quant == "spec":
        total = len(scene.highlighted)
        return quotient(scene.relevant_in(element), total), scene.specificity(element)
    grade = _grade(scene, element)
    if grade is None:
        return ZERO, ZERO
    thirds = {digit: Fraction(int(digit), 3) for digit in "0123"}
    shares = {"E": ONE, "L": Fraction(1, 2), "S": ZERO, "N": ZERO} | thirds
    rel, cov = shares[grade[0]], shares[grade[1]]
    return (Fraction(rel == 1), Fraction(cov == 1)) if quant == "strict" else (rel, cov)


def _grade(scene: Scene, element: Unit) -> str | None:
    for judgment in scene.judgments:
        for graded in judgment.grades:
            if (judgment.document, graded.path) == (element.document, element.path):
                return digits(graded.grade)
    return None


# XCG -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gains:
    """What each result gains, and what the best results would gain."""

    run: list[float]
    ideal: list[float]


def gains(
    scene: Scene,
    base: str,
    quant: str,
    ignore: str = "none",
    penalty: Fraction | None = None,
    from_file: bool = False,
) -> Gains | None:
    """The gains by a recall base; None if it is empty. With a penalty, seen text gains less."""
    full = values(scene, quant, ignore, from_file)
    best = full if base == "full" else ideal_base(full)
    if not full:
        return None
    if base == "ideal":
        run = normalised_gains(scene.ranked, full, best)
    elif penalty is None:
        run = [full.get(unit, ZERO) for unit in scene.ranked]
    else:
        run = _gains_of_unseen_text(scene, full, penalty)
    return Gains([float(gain) for gain in run], sorted(map(float, best.values()), reverse=True))


def normalised_gains(ranked: list[Unit], full: Values, ideal: Values) -> list[Fraction]:
    """No ideal element gains more than it is worth, in however many parts it is returned."""
    remaining = dict(ideal)
    found = []
    for unit in ranked:
        if unit not in full:
            found.append(ZERO)
            continue
        candidates = [element for element in ideal if element.touches(unit)]
        charged = max(candidates, key=lambda element: remaining[element])
        gain = max(ZERO, min(full[unit], remaining[charged]))
        remaining[charged] -= gain
        found.append(gain)
    return found


def _gains_of_unseen_text(scene: Scene, full: Values, penalty: Fraction) -> list[Fraction]:
    found = []
    seen: set[Character] = set()
    for unit in scene.ranked:
        found.append(_gain(scene, unit, full, seen, penalty))
        seen |= unit.characters
    return found


def _gain(
    scene: Scene, unit: Unit, full: Values, seen: set[Character], penalty: Fraction
) -> Fraction:
    if unit not in full:
        return ZERO
    if not unit.characters & seen:
        return full[unit]
    if unit.characters <= seen:
        return (1 - penalty) * full[unit]
    below = sum(
        (
            _gain(scene, child, full, seen, penalty) * quotient(child.size, unit.size)
            for child in scene.elements
            if child.document == unit.document and child.path.rpartition("/")[0] == unit.path
        ),
        ZERO,
    )
    return penalty * below + (1 - penalty) * full[unit]


def cumulated(single: list[float], k: int) -> float:
    """The gain of the first k."""
    return math.fsum(single[:k])


def nxcg(found: Gains | None, k: int) -> Score:
    return None if found is None else cumulated(found.run, k) / cumulated(found.ideal, k)


def manxcg(found: Gains | None, k: int) -> Score:
    return None if found is None else mean([nxcg(found, i) or ZERO for i in range(1, k + 1)])


def _effort(single: list[float], gain: float, ranks: str) -> float | None:
    """How far a user goes to gain so much; None if it cannot be had."""
    before = 0.0
    for rank, now in enumerate(accumulate(single), 1):
        if now >= gain - TOLERANCE:
            return (
                rank if ranks == "integer" else rank - 1 + min((gain - before) / (now - before), 1)
            )
        before = now
    return None


def effort_precision(found: Gains, gain: float, ranks: str) -> float:
    run, ideal = _effort(found.run, gain, ranks), _effort(found.ideal, gain, ranks)
    return 0.0 if run is None or ideal is None else ideal / run


def ep(found: Gains | None, x: Fraction, ranks: str) -> Score:
    if found is None:
        return None
    if x == 0:
        return float(bool(found.run))
    return effort_precision(found, x * math.fsum(found.ideal), ranks)


def maep(found: Gains | None, ranks: str) -> Score:
    if found is None:
        return None
    reached = [cumulated(found.run, k) for k, gain in enumerate(found.run, 1) if gain > 0]
    return sum(effort_precision(found, gain, ranks) for gain in reached) / len(found.ideal)


def imaep(found: Gains | None) -> Score:
    if found is None:
        return None
    return mean([ep(found, x, "interpolated") or ZERO for x in hundredths(1)])


# HiXEval ---------------------------------------------------------------------------------------

Points = list[tuple[Fraction, Fraction]]  # precision and recall after each result


def hixeval(scene: Scene, alpha: Fraction, resize: str) -> Points | None:
    """Precision and recall in characters; None if there is no relevant text."""
    if not scene.highlighted:
        return None
    points = []
    seen: set[Character] = set()
    found = read = ZERO
    for unit in scene.ranked:
        again = unit.characters & scene.highlighted & seen
        found += scene.relevant_in(unit) - (1 - alpha) * len(again)
        counts_new = resize == "new" or (
            resize == "tool" and unit.document in scene.highlighted_documents
        )
        read += len(unit.characters - seen) if counts_new else unit.size
        seen |= unit.characters
        points.append((quotient(found, read), min(found / len(scene.highlighted), ONE)))
    return points


def precision_at(points: Points | None, k: int) -> Score:
    return None if points is None else _at(points, k)[0]


def recall_at(points: Points | None, k: int) -> Score:
    return None if points is None else _at(points, k)[1]


def f_at(points: Points | None, k: int, beta: Fraction) -> Score:
    return None if points is None else f_score(*_at(points, k), beta)


def _at(points: Points, k: int) -> tuple[Fraction, Fraction]:
    """Precision and recall at a rank, or at the end of the list."""
    return points[:k][-1] if points else (ZERO, ZERO)


def f_score(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    return quotient((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def interpolated_precision(points: Points | None, x: Fraction) -> Score:
    if points is None:
        return None
    return max((precision for precision, recall in points if recall >= x), default=ZERO)


def maip(points: Points | None) -> Score:
    if points is None:
        return None
    return mean([interpolated_precision(points, x) or ZERO for x in hundredths(0)])


# In context ------------------------------------------------------------------------------------

DocumentScore = Callable[[Scene, str, list[Unit]], Fraction]


def f_of_document(beta: Fraction) -> DocumentScore:
    def score(scene: Scene, document: str, units: list[Unit]) -> Fraction:
        relevant = {at for at in scene.highlighted if at[0] == document}
        returned = {at for unit in units for at in unit.characters}
        both = len(relevant & returned)
        return f_score(quotient(both, len(returned)), quotient(both, len(relevant)), beta)

    return score


def nearness_of_entry(within: int) -> DocumentScore:
    def score(scene: Scene, document: str, units: list[Unit]) -> Fraction:
        if document not in scene.entries:
            return ZERO
        distance = abs(units[0].start - scene.entries[document])
        return max(Fraction(within - distance, within), ZERO)

    return score


def reading_of_document(tolerated: int) -> DocumentScore:
    def score(scene: Scene, document: str, units: list[Unit]) -> Fraction:
        returned = {at for unit in units for _, at in unit.characters}
        whole = range(len(scene.texts[document]))
        reading = sorted(returned) + [at for at in whole if at not in returned]
        relevant = irrelevant = 0
        for at in reading:
            is_relevant = (document, at) in scene.highlighted
            relevant, irrelevant = relevant + is_relevant, irrelevant + (not is_relevant)
            if irrelevant == tolerated:
                break
        return quotient(relevant, relevant + irrelevant)

    return score


def document_scores(scene: Scene, score: DocumentScore) -> list[tuple[bool, Fraction]]:
    """Of each document by first appearance: whether it is relevant, and what it is worth."""
    return [
        (True, score(scene, document, units))
        if document in scene.highlighted_documents
        else (False, ZERO)
        for document, units in scene.documents.items()
    ]


def generalised_precision(scored: list[tuple[bool, Fraction]], k: int) -> Fraction:
    return sum((score for _, score in scored[:k]), ZERO) / k


def gp(scene: Scene, score: DocumentScore, k: int) -> Score:
    if not scene.highlighted:
        return None
    return generalised_precision(document_scores(scene, score), k)


def gr(scene: Scene, k: int) -> Score:
    if not scene.highlighted:
        return None
    found = set(list(scene.documents)[:k]) & scene.highlighted_documents
    return Fraction(len(found), len(scene.highlighted_documents))


def magp(scene: Scene, score: DocumentScore) -> Score:
    if not scene.highlighted:
        return None
    scored = document_scores(scene, score)
    precisions = [
        generalised_precision(scored, rank)
        for rank, (is_relevant, _) in enumerate(scored, 1)
        if is_relevant
    ]
    return sum(precisions, ZERO) / len(scene.highlighted_documents)


# Entry points and users who browse -------------------------------------------------------------

Matrix = tuple[
    tuple[Fraction, ...], ...
]  # of each item, the probabilities that it shows the targets


def nearness(scene: Scene, patience: Fraction, length: Fraction | None) -> Matrix:
    """How near the first result of each document is to each best entry point."""
    if length is None:
        length = Fraction(sum(map(len, scene.texts.values())), len(scene.texts))
    reach = patience * length
    return tuple(
        tuple(
            reach / (reach + abs(units[0].start - entry)) if target == document else ZERO
            for target, entry in scene.entries.items()
        )
        for document, units in scene.documents.items()
    )


def bepd(scene: Scene, patience: Fraction, length: Fraction | None) -> Score:
    if not scene.entries:
        return None
    near = nearness(scene, patience, length)
    return sum((sum(row, ZERO) for row in near), ZERO) / len(scene.entries)


def exact_hits(scene: Scene, quant: str) -> Matrix:
    """Of each result, whether it is one of the ideal elements."""
    ideal = ideal_base(values(scene, quant))
    return tuple(tuple(Fraction(unit == target) for target in ideal) for unit in scene.ranked)


@dataclass(frozen=True)
class Journey:
    """One way a user may go: how likely it is, and how many targets are known after each item."""

    probability: Fraction
    known: tuple[int, ...]

    def stop(self, wanted: int) -> int | None:
        """The item after which so many targets are known, from 1."""
        return next((k for k, n in enumerate(self.known, 1) if n >= wanted), None)

    def leading(self, until: int) -> int:
        """How many items show something new, up to one."""
        return len({0, *self.known[:until]}) - 1


@lru_cache(maxsize=8)
def journeys(p: Matrix) -> list[Journey]:
    """All that can happen: each item shows or does not show each target."""
    found = []
    outcomes = {ZERO: (False,), ONE: (True,)}
    for shows in product(*(outcomes.get(c, (False, True)) for row in p for c in row)):
        probability = ONE
        known: set[int] = set()
        counts = []
        events = iter(shows)
        for row in p:
            for target, chance in enumerate(row):
                is_shown = next(events)
                probability *= chance if is_shown else 1 - chance
                known |= {target} if is_shown else set()
            counts.append(len(known))
        found.append(Journey(probability, tuple(counts)))
    return found


def eprum(p: Matrix, wanted: int) -> Fraction:
    """The expected precision where the user stops."""
    return sum(
        (
            journey.probability * Fraction(wanted, stop)
            for journey in journeys(p)
            if (stop := journey.stop(wanted)) is not None
        ),
        ZERO,
    )


def eprum_at_rank(p: Matrix, k: int) -> Fraction:
    """The expected number of targets that are known after k items, over k."""
    known = [j.probability * max((0, *j.known[:k])) for j in journeys(p)]
    return sum(known, ZERO) / k


def prum(p: Matrix, wanted: int, unreached: str) -> Fraction:
    """The share of the consulted items that lead to something new."""
    consulted = leading = reached = ZERO
    for journey in journeys(p):
        stop = journey.stop(wanted)
        if stop is None and unreached != "truncate":
            continue
        until = len(p) if stop is None else stop
        reached += journey.probability
        consulted += journey.probability * until
        leading += journey.probability * journey.leading(until)
    return quotient(leading, consulted) * (reached if unreached == "zero" else 1)


def at_recall(kernel: Callable[[int], Number], targets: int, x: Fraction | None) -> Score:
    """A measure at a recall level, or its mean over all levels; None without targets."""
    if not targets:
        return None
    if x is None:
        return mean([kernel(wanted) for wanted in range(1, targets + 1)])
    return kernel(max(1, ceiling(x * targets)))


def precision_at_target(p: Matrix, wanted: int) -> Fraction:
    """i / rank_i: precision where the i-th target is found, without any browsing."""
    hits = [rank for rank, row in enumerate(p, 1) if any(row)]
    return Fraction(wanted, hits[wanted - 1]) if wanted <= len(hits) else ZERO


# ERRU ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Looking:
    """What ERRU knows of a topic: how relevant units are, and how they cover what was asked for.

    coverage is E (exact), L (too large), S (too small) or N (none).
    """

    relevance: Values
    coverage: dict[Unit, str]


def looking_at_highlights(scene: Scene) -> Looking:
    full = values(scene, "spec")
    ideal = ideal_base(full)

    def coverage(element: Unit) -> str:
        if element in ideal:
            return "E"
        if any(other.is_inside(element) for other in ideal):
            return "L"
        return "S" if any(element.is_inside(other) for other in ideal) else "N"

    return Looking(ideal, {element: coverage(element) for element in scene.elements})


def looking_at_grades(scene: Scene) -> Looking:
    grades = {element: _grade(scene, element) or "0N" for element in scene.elements}
    chances = {"3E": ONE, "2E": Fraction(1, 2), "1E": Fraction(1, 4)}
    relevance = {
        element: chances[grade]
        for element, grade in grades.items()
        if grade in chances
        and element.size
        and not any(element.is_inside(o) and grades[o] in chances for o in scene.elements)
    }
    return Looking(relevance, {element: grade[1] for element, grade in grades.items()})


def erru(
    scene: Scene, look: Looking, k: int, unit: str, exponents: tuple[float, float, float]
) -> Score:
    total = sum(look.relevance.values())
    if not total:
        return None
    looked = _chances_to_be_looked_at(scene.levels, k)
    seen = 0.0
    for element, relevance in look.relevance.items():
        missed = 1.0
        for returned, chance in looked.items():
            goes = _goes(scene, returned, element, look.coverage[returned], unit, exponents)
            missed *= 1 - chance * goes
        seen += relevance * (1 - missed)
    return seen / total


def _chances_to_be_looked_at(levels: list[list[Unit]], k: int) -> dict[Unit, float]:
    """P(L|k): of results that share a rank, any may come first."""
    chances = {}
    before = 0
    for level in levels:
        for unit in level:
            chances[unit] = min(max((k - before) / len(level), 0.0), 1.0)
        before += len(level)
    return chances


def _goes(
    scene: Scene,
    x: Unit,
    e: Unit,
    coverage: str,
    unit: str,
    exponents: tuple[float, float, float],
) -> float:
    """The probability that a user goes from x to e."""
    exact, fitting, other = exponents
    text = scene.texts[x.document]

    def length(start: int, end: int) -> int:
        return len(re.findall(r"\S+", text[start:end])) if unit == "words" else end - start

    if x == e:
        return 1.0
    if x.document != e.document:
        return 0.0
    if x.is_inside(e) or e.is_inside(x):
        near = "S" if x.is_inside(e) else "L"
        power = {"E": exact, near: fitting}.get(coverage, other)
        inner, outer = (x, e) if x.is_inside(e) else (e, x)
        share = quotient(length(inner.start, inner.end), length(outer.start, outer.end))
        return math.pow(share, power)
    between = length(x.end, e.start) if x.end <= e.start else length(e.end, x.start)
    return 1 / (2 + between)
