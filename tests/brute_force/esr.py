"""Twins of the ESR measures: the equations of Ali, Consens and Lalmas 2012, as loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, wraps
from typing import Any

from brute_force.navigation import step
from brute_force.numbers import (
    ONE,
    TOLERANCE,
    ZERO,
    Score,
    best_precision,
    hundredths,
    mean,
    quotient,
    total,
)
from brute_force.recall_bases import ignored_tags, recall_base
from brute_force.scene import Character, Scene, Tree, Unit
from brute_force.twins import twin
from doxeval.runs import Kind


@dataclass
class Readers:
    """What readers of one topic's list see: the parameters that all ESR measures have."""

    scene: Scene
    nav: str
    assessed: str
    rel: str
    quant: str
    ignore: str
    hits_are: str
    shared: str
    chances: dict[tuple[Tree, int], Fraction] = field(default_factory=dict)

    @property
    def _which(self) -> str:
        """What was assessed: units if any were given, else the cover, else the ideal base."""
        if self.assessed != "auto":
            return self.assessed
        if self.scene.any_units:
            return "units"
        return "cover" if self.scene.any_highlights or not self.scene.any_grades else "ideal"

    @cached_property
    def units(self) -> list[tuple[Tree, Fraction]]:
        """What was assessed, with its relevance above 0."""
        if self._which == "units":
            found = self._given_units()
        elif self._which == "cover":
            members = (e for document in self.scene.texts for e in self._covering(document))
            found = [(frozenset([e]), self._worth(e, self.scene.specificity(e))) for e in members]
        else:
            base = recall_base(self.scene, self._which, self.quant, self.ignore)
            found = [(frozenset([e]), self._worth(e, value)) for e, value in base.items()]
        return [(tree, relevance) for tree, relevance in found if relevance > 0]

    def _covering(self, document: str) -> Tree:
        wanted = {at for name, at in self.scene.highlighted if name == document}
        return self.scene.cover(document, wanted, ignored_tags(self.ignore))

    def _worth(self, element: Unit, value: Fraction) -> Fraction:
        length = Fraction(self.scene.relevant_in(element))
        return {"binary": ONE, "spec": value, "length": length}[self.rel]

    def _given_units(self) -> list[tuple[Tree, Fraction]]:
        """Without ignored elements; of units that become the same, the one that is worth most."""
        found: list[tuple[Tree, Fraction]] = []
        best: dict[Tree, Fraction] = {}
        for judgment in self.scene.judgments:
            for unit in judgment.units:
                nodes = [self.scene.element(judgment.document, path) for path in unit.nodes]
                tree = frozenset(n for n in nodes if n.tag not in ignored_tags(self.ignore))
                worth = self._worth_of_unit(tree, Fraction(unit.relevance))
                found.append((tree, worth))
                best[tree] = max(worth, best.get(tree, ZERO))
        return found if self.ignore == "none" else list(best.items())

    def _worth_of_unit(self, tree: Tree, stated: Fraction) -> Fraction:
        text = _text(tree)
        if self.scene.any_highlights:
            text &= self.scene.highlighted
        worth = {"binary": ONE, "spec": stated, "length": Fraction(len(text))}
        return worth[self.rel] if stated > 0 and tree else ZERO

    @property
    def whole(self) -> Fraction:
        """The relevance of all that was assessed."""
        return total(relevance for _, relevance in self.units)

    def reaches(self, target: Tree, place: int) -> Fraction:
        """p̃(t_i; t_j), eq 4, from the result at a place of the list, counted from 0.

        If `seen` is what `shared` says, elements in both trees were seen.
        """
        source = self.scene.trees[place]
        if target == source or not (source and target):
            return ZERO
        if (target, place) not in self.chances:
            chance = total(
                step(self.scene, self._model, f, e)
                for f in source - target
                for e in target - source
            ) / (len(target) * len(source))
            if self._for_result(self.shared, "none", "seen", place) == "seen":
                chance = min(chance + Fraction(len(target & source), len(target)), ONE)
            self.chances[target, place] = chance
        return self.chances[target, place]

    def _for_result(self, given: str, elements: str, others: str, place: int) -> str:
        """A parameter that `auto` settles by the kind of the result."""
        if given != "auto":
            return given
        is_other = self.scene.results[place].kind in (Kind.PASSAGE, Kind.TREE, Kind.SPANS)
        return others if is_other else elements

    @property
    def _model(self) -> str:
        given = "depth" if self.scene.steps is None else "matrix"
        return given if self.nav == "auto" else self.nav

    def seen(self, target: Tree, k: int) -> Fraction:
        """p(a; R_k), eq 5."""
        unseen = ONE
        for place in range(min(k, len(self.scene.trees))):
            unseen *= 1 - self.reaches(target, place)
        return 1 - unseen

    def hit_at(self, target: Tree) -> int | None:
        """The first rank whose result hits a tree: eq 6, or footnote 6 of the paper."""
        for place, tree in enumerate(self.scene.trees):
            is_certain = self._for_result(self.hits_are, "exact", "certain", place) == "certain"
            if tree == target or (is_certain and self.reaches(target, place) == 1):
                return place + 1
        return None

    def _unretrieved(self, k: int) -> list[tuple[Tree, Fraction]]:
        """What the first k results do not hit."""
        return [(tree, rel) for tree, rel in self.units if (self.hit_at(tree) or k + 1) > k]

    def hits(self, k: int) -> Fraction:
        """Eq 8."""
        return total(
            relevance * (1 - self.seen(tree, rank - 1))
            for tree, relevance in self.units
            if (rank := self.hit_at(tree)) is not None and rank <= k
        )

    def near_misses(self, k: int) -> Fraction:
        """Eq 10."""
        return total(rel * self.seen(tree, k) for tree, rel in self._unretrieved(k))

    def misses(self, k: int) -> Fraction:
        """Eq 9."""
        return total(rel * (1 - self.seen(tree, k)) for tree, rel in self._unretrieved(k))

    def recall_base(self, k: int) -> Fraction:
        """Eq 11."""
        return self.hits(k) + self.near_misses(k) + self.misses(k)

    def found(self, k: int) -> Fraction:
        """Hits and near-misses."""
        return self.hits(k) + self.near_misses(k)

    def recall(self, k: int) -> Fraction:
        """ESRR, eq 14."""
        return quotient(self.found(k), self.recall_base(k))

    def read(self, k: int, cost: str = "retrieved") -> Fraction:
        """How many characters are read: the first k results, each by itself, and near-misses."""
        read = Fraction(sum(len(_text(tree)) for tree in self.scene.trees[:k]))
        if cost == "expected":
            read += total(len(_text(t)) * self.seen(t, k) for t, _ in self._unretrieved(k))
        return read

    @property
    def relevant_text(self) -> Fraction:
        """Trel: highlighted characters, of a cover those that it holds; or else the sum."""
        if self.scene.any_highlights and self._which == "cover":
            held = {at for tree, _ in self.units for at in _text(tree)}
            return Fraction(len(self.scene.highlighted & held))
        if self.scene.any_highlights and self._which == "ideal":
            return Fraction(len(self.scene.highlighted))
        return self.whole

    def recall_of_text(self, k: int) -> Fraction:
        """SRiR2, eq 31."""
        return quotient(self.found(k), self.relevant_text)

    def inferred(self, tree: Tree) -> Fraction:
        """The mean relevance of a tree's elements, as far as they were assessed by themselves."""
        single = {next(iter(t)): rel for t, rel in self.units if len(t) == 1}
        return quotient(total(single.get(element, ZERO) for element in tree), Fraction(len(tree)))

    def structural(self, k: int) -> Fraction:
        """SR, eq 12."""
        return total(
            self.inferred(tree) * (1 - self.seen(tree, before))
            for before, tree in enumerate(self.scene.trees[:k])
        )

    @property
    def ranks(self) -> range:
        """The ranks of the list, from 1."""
        return range(1, len(self.scene.trees) + 1)


def _text(tree: Tree) -> frozenset[Character]:
    """The characters of a tree's elements together."""
    return frozenset(at for element in tree for at in element.characters)


ByReaders = Callable[..., Score]


def by_readers(function: ByReaders) -> ByReaders:
    """A twin that is given what readers see; undefined where nothing was assessed."""

    @wraps(function)
    def found(
        scene: Scene,
        *,
        nav: str,
        assessed: str,
        rel: str,
        quant: str,
        ignore: str,
        hits: str,
        shared: str,
        **own: Any,
    ) -> Score:
        who = Readers(scene, nav, assessed, rel, quant, ignore, hits, shared)
        return function(who, **own) if who.whole else None

    return found


@twin("Hits")
@by_readers
def hits(who: Readers, *, k: int) -> Score:
    return who.hits(k)


@twin("NearMisses")
@by_readers
def near_misses(who: Readers, *, k: int) -> Score:
    return who.near_misses(k)


@twin("Misses")
@by_readers
def misses(who: Readers, *, k: int) -> Score:
    return who.misses(k)


@twin("RecallBase")
@by_readers
def expected_recall_base(who: Readers, *, k: int) -> Score:
    return who.recall_base(k)


@twin("SR")
@by_readers
def structural_relevance(who: Readers, *, k: int) -> Score:
    return who.structural(k)


@twin("SRP")
@by_readers
def srp(who: Readers, *, k: int) -> Score:
    return who.structural(k) / k


@twin("MASRP")
@by_readers
def masrp(who: Readers, *, k: int) -> Score:
    return mean([who.structural(rank) / rank for rank in range(1, k + 1)])


@twin("ESRP")
@by_readers
def esrp(who: Readers, *, k: int | None, x: Fraction | None) -> Score:
    if x is None:
        return who.hits(k or 10) / (k or 10)
    return _at_recall([(who.recall(k), who.hits(k) / k) for k in who.ranks], x)


@twin("ESRR")
@by_readers
def esrr(who: Readers, *, k: int) -> Score:
    return who.recall(k)


@twin("SRiP")
@by_readers
def srip(who: Readers, *, k: int | None, x: Fraction | None) -> Score:
    if x is None:
        return quotient(who.hits(k or 10), who.read(k or 10))
    return _at_recall(_precision_of_text(who, who.hits), x)


@twin("SRiP2")
@by_readers
def srip2(who: Readers, *, k: int | None, x: Fraction | None, cost: str) -> Score:
    if x is None:
        return quotient(who.found(k or 10), who.read(k or 10, cost))
    return _at_recall(_precision_of_text(who, who.found, cost), x)


def _precision_of_text(
    who: Readers, gain: Callable[[int], Fraction], cost: str = "retrieved"
) -> list[tuple[Fraction, Fraction]]:
    """SRiR2, and SRiP or SRiP2, at every rank."""
    return [(who.recall_of_text(k), quotient(gain(k), who.read(k, cost))) for k in who.ranks]


def _base(who: Readers, recallbase: str, k: int) -> Fraction:
    return {"trel": who.relevant_text, "expected": who.recall_base(k)}[recallbase]


@twin("SRiR")
@by_readers
def srir(who: Readers, *, k: int, recallbase: str) -> Score:
    return quotient(who.hits(k), _base(who, recallbase, k))


@twin("SRiR2")
@by_readers
def srir2(who: Readers, *, k: int, recallbase: str) -> Score:
    return quotient(who.found(k), _base(who, recallbase, k))


@twin("NSRCG")
@by_readers
def nsrcg(who: Readers, *, k: int, l: Fraction, m: Fraction) -> Score:  # noqa: E741  # as the measure has it
    return quotient(who.hits(k), k * l * who.recall_base(k) / m)


@twin("NSRCG2")
@by_readers
def nsrcg2(who: Readers, *, k: int, l: Fraction, m: Fraction) -> Score:  # noqa: E741  # as the measure has it
    return quotient(who.found(k), k * l * who.recall_base(k) / m)


@twin("SRPRUM")
@by_readers
def srprum(who: Readers, *, x: Fraction) -> Score:
    if not who.ranks:
        return ZERO
    reached = [rank for rank in who.ranks if who.recall(rank) >= x - TOLERANCE]
    rank = reached[0] if reached else len(who.ranks)
    return who.found(rank) / rank


Points = list[tuple[Fraction, Fraction]]  # recall and precision


def _at_recall(points: Points, x: Fraction) -> Score:
    """The best precision where recall is at least x."""
    return best_precision([(float(recall), float(p)) for recall, p in points], float(x))


def _averaged(points: Points, k: int | None) -> Score:
    """The mean of interpolated precision over 101 points of recall, of the first k ranks."""
    rounded = [(float(recall), float(precision)) for recall, precision in points[:k]]
    return mean([best_precision(rounded, x) for x in map(float, hundredths(0))])


@twin("MAESRP")
@by_readers
def maesrp(who: Readers, *, k: int | None) -> Score:
    return _averaged([(who.recall(rank), who.hits(rank) / rank) for rank in who.ranks], k)


@twin("MASRiP")
@by_readers
def masrip(who: Readers, *, k: int | None) -> Score:
    return _averaged(_precision_of_text(who, who.hits), k)


@twin("MASRiP2")
@by_readers
def masrip2(who: Readers, *, k: int | None, cost: str) -> Score:
    return _averaged(_precision_of_text(who, who.found, cost), k)
