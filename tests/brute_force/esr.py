"""Twins of the ESR measures: the equations of Ali, Consens and Lalmas 2012, as loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from brute_force.recall_bases import recall_base
from brute_force.scene import Character, Scene, Tree, Unit
from brute_force.twins import twin


@dataclass
class Readers:
    """What readers of one topic's list see: the parameters that all ESR measures have."""

    scene: Scene
    nav: str
    assessed: str
    rel: str
    quant: str
    shared: str
    chances: dict[tuple[Tree, Tree], Fraction] = field(default_factory=dict)

    @cached_property
    def units(self) -> list[tuple[Tree, Fraction]]:
        """What was assessed, with its relevance above 0."""
        if self.assessed == "units":
            found = self._given_units()
        else:
            base = recall_base(self.scene, self.assessed, self.quant)
            found = [(frozenset([e]), self._worth(e, value)) for e, value in base.items()]
        return [(tree, relevance) for tree, relevance in found if relevance > 0]

    def _worth(self, element: Unit, value: Fraction) -> Fraction:
        length = Fraction(self.scene.relevant_in(element))
        return {"binary": ONE, "spec": value, "length": length}[self.rel]

    def _given_units(self) -> list[tuple[Tree, Fraction]]:
        found = []
        for judgment in self.scene.judgments:
            for unit in judgment.units:
                tree = frozenset(self.scene.element(judgment.document, path) for path in unit.nodes)
                text = _text(tree)
                if self.scene.any_highlights:
                    text &= self.scene.highlighted
                stated = Fraction(unit.relevance)
                worth = {"binary": ONE, "spec": stated, "length": Fraction(len(text))}
                found.append((tree, worth[self.rel] if stated > 0 else ZERO))
        return found

    @property
    def whole(self) -> Fraction:
        """The relevance of all that was assessed."""
        return total(relevance for _, relevance in self.units)

    def reaches(self, target: Tree, source: Tree) -> Fraction:
        """p̃(t_i; t_j), eq 4; elements in both trees were seen, if that is what `shared` says."""
        if target == source:
            return ZERO
        if (target, source) not in self.chances:
            chance = total(
                step(self.scene, self._model, f, e)
                for f in source - target
                for e in target - source
            ) / (len(target) * len(source))
            if self.shared == "seen":
                chance = min(chance + Fraction(len(target & source), len(target)), ONE)
            self.chances[target, source] = chance
        return self.chances[target, source]

    @property
    def _model(self) -> str:
        given = "depth" if self.scene.steps is None else "matrix"
        return given if self.nav == "auto" else self.nav

    def seen(self, target: Tree, trees: Sequence[Tree]) -> Fraction:
        """p(a; R), eq 5."""
        unseen = ONE
        for tree in trees:
            unseen *= 1 - self.reaches(target, tree)
        return 1 - unseen

    def hits(self, k: int) -> Fraction:
        """Eq 8."""
        first = self.scene.trees[:k]
        return total(
            relevance * (1 - self.seen(tree, first[: first.index(tree)]))
            for tree, relevance in self.units
            if tree in first
        )

    def near_misses(self, k: int) -> Fraction:
        """Eq 10."""
        first = self.scene.trees[:k]
        return total(
            relevance * self.seen(tree, first)
            for tree, relevance in self.units
            if tree not in first
        )

    def misses(self, k: int) -> Fraction:
        """Eq 9."""
        first = self.scene.trees[:k]
        return total(
            relevance * (1 - self.seen(tree, first))
            for tree, relevance in self.units
            if tree not in first
        )

    def recall_base(self, k: int) -> Fraction:
        """Eq 11."""
        return self.hits(k) + self.near_misses(k) + self.misses(k)

    def found(self, k: int) -> Fraction:
        """Hits and near-misses."""
        return self.hits(k) + self.near_misses(k)

    def recall(self, k: int) -> Fraction:
        """ESRR, eq 14."""
        return quotient(self.found(k), self.recall_base(k))

    def read(self, k: int) -> int:
        """How many characters the first k results have, each counted by itself."""
        return sum(len(_text(tree)) for tree in self.scene.trees[:k])

    @property
    def relevant_text(self) -> Fraction:
        """Trel: highlighted characters; what units are worth where nothing is highlighted."""
        if self.scene.any_highlights:
            return Fraction(len(self.scene.highlighted))
        return self.whole

    def inferred(self, tree: Tree) -> Fraction:
        """The mean relevance of a tree's elements, as far as they were assessed by themselves."""
        single = {next(iter(t)): rel for t, rel in self.units if len(t) == 1}
        return total(single.get(element, ZERO) for element in tree) / len(tree)

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
        scene: Scene, *, nav: str, assessed: str, rel: str, quant: str, shared: str, **own: Any
    ) -> Score:
        who = Readers(scene, nav, assessed, rel, quant, shared)
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


@twin("SRP")
@by_readers
def srp(who: Readers, *, k: int) -> Score:
    trees = who.scene.trees
    return (
        total(
            who.inferred(tree) * (1 - who.seen(tree, trees[:before]))
            for before, tree in enumerate(trees[:k])
        )
        / k
    )


@twin("ESRP")
@by_readers
def esrp(who: Readers, *, k: int) -> Score:
    return who.hits(k) / k


@twin("ESRR")
@by_readers
def esrr(who: Readers, *, k: int) -> Score:
    return who.recall(k)


@twin("SRiP")
@by_readers
def srip(who: Readers, *, k: int) -> Score:
    return quotient(who.hits(k), who.read(k))


@twin("SRiP2")
@by_readers
def srip2(who: Readers, *, k: int) -> Score:
    return quotient(who.found(k), who.read(k))


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


def _averaged(points: list[tuple[Fraction, Fraction]]) -> Score:
    """The mean of interpolated precision over 101 points of recall."""
    rounded = [(float(recall), float(precision)) for recall, precision in points]
    return mean([best_precision(rounded, x) for x in map(float, hundredths(0))])


@twin("MAESRP")
@by_readers
def maesrp(who: Readers) -> Score:
    return _averaged([(who.recall(k), who.hits(k) / k) for k in who.ranks])


@twin("MASRiP")
@by_readers
def masrip(who: Readers) -> Score:
    return _averaged(
        [
            (quotient(who.found(k), who.relevant_text), quotient(who.hits(k), who.read(k)))
            for k in who.ranks
        ]
    )


@twin("MASRiP2")
@by_readers
def masrip2(who: Readers) -> Score:
    return _averaged(
        [
            (quotient(who.found(k), who.relevant_text), quotient(who.found(k), who.read(k)))
            for k in who.ranks
        ]
    )
