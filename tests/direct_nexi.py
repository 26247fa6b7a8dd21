"""NEXI answered as it is defined: by recursion over single elements, one after another."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from math import inf
from operator import add, eq, ge, gt, le, lt, ne

import numpy as np

from doxeval.documents import Collection, Element
from doxeval.retrieve import ElementScores
from doxeval.topics import (
    About,
    And,
    Clause,
    Interpretation,
    NexiStep,
    Or,
    Relative,
    StructuredQuery,
    Term,
    ValueComparison,
)

Scores = Mapping[int, float]
Abouts = Callable[[tuple[Term, ...]], Scores]
_SOME = [-1.5, -0.25, 0.0, 0.1, 0.2, 0.3, 1 / 3, 1.0, 7.5]
_COMPARE = {"=": eq, "!=": ne, "<": lt, ">": gt, "<=": le, ">=": ge}


def leads(steps: Sequence[NexiStep], tags: Sequence[str]) -> bool:
    """Whether steps lead down all of these tags, by trying all ways to take the first step."""
    if not steps or not tags:
        return not steps and not tags
    first, rest = steps[0], steps[1:]
    depths = range(len(tags)) if first.axis == "//" else range(1)
    return any(
        (not first.tags or tags[depth] in first.tags) and leads(rest, tags[depth + 1 :])
        for depth in depths
    )


def tags_between(above: Element | None, below: Element) -> list[str]:
    """The tags on the way from an element (None: from above the root) down to another."""
    tags = [below.tag]
    for ancestor in below.ancestors():
        if above is not None and ancestor.node == above.node:
            break
        tags.append(ancestor.tag)
    return tags[::-1]


def is_number(text: str) -> bool:
    whole, point, behind = text.removeprefix("-" if text[:1] == "-" else "+").partition(".")
    parts = [whole, behind] if point else [whole]
    return all(part.isascii() and part.isdigit() for part in parts)


def value_compares(text: str, comparison: ValueComparison) -> bool:
    text, value = (" ".join(one.split()) for one in (text, comparison.value))
    if not comparison.is_number:
        return bool(_COMPARE[comparison.operator](text, value))
    if not is_number(text):
        return comparison.operator == "!="
    return bool(_COMPARE[comparison.operator](Fraction(text), Fraction(value)))


def elements_at(where: Relative, at: Element) -> Iterator[Element]:
    """The elements that a condition is about."""
    if where.path is None:
        yield at
        return
    for below in at.descendants():
        if leads(where.path.steps, tags_between(at, below)):
            yield below


def value(clause: Clause | None, at: Element, about: Abouts) -> float | None:
    """The score of a condition at an element; None if it does not hold there."""
    if clause is None:
        return 0.0
    if isinstance(clause, And):
        values = [value(part, at, about) for part in clause.clauses]
        return None if None in values else reduce(add, values)
    if isinstance(clause, Or):
        values = [value(part, at, about) for part in clause.clauses]
        return max((one for one in values if one is not None), default=None)
    elements = list(elements_at(clause.where, at))
    if isinstance(clause, About):
        scores = about(clause.terms)
        return max((scores[e.node] for e in elements if e.node in scores), default=None)
    return 0.0 if any(value_compares(e.text, clause) for e in elements) else None


class Directly:
    """A query, answered element by element."""

    def __init__(
        self,
        query: StructuredQuery,
        interpretation: Interpretation,
        tree: Collection,
        about: Abouts,
    ) -> None:
        self.query = query
        self.interpretation = interpretation
        self.elements = [tree.node(row) for row in range(len(tree.nodes.path))]
        self.about = cache(about)

    def answer(self, hint: float) -> list[tuple[int, float, float | None]]:
        """Each element that is returned, with its score and what decides among equal scores."""
        last = len(self.query.segments) - 1
        if self.interpretation.support == "vague":
            found: Scores = self.about(self.all_terms)
            if self.interpretation.target == "strict":
                found = {node: found[node] for node in found if self.fits(self.elements[node])}
            then = None
        else:
            found = self.satisfied(last)
            then = None if self.query.segments[last].condition else self.about(self.all_terms)
        return [
            (
                node,
                self.hinted(self.elements[node], score, hint),
                None if then is None else then.get(node, -inf),
            )
            for node, score in sorted(found.items())
        ]

    @property
    def all_terms(self) -> tuple[Term, ...]:
        terms: list[Term] = []
        for support in self.query.supports:
            condition = support.condition
            if isinstance(condition, About) and condition.where.attribute is None:
                terms += [term for term in condition.terms if term not in terms]
        return tuple(dict.fromkeys(terms))

    def fits(self, element: Element) -> bool:
        return leads(self.query.target.steps, tags_between(None, element))

    def hinted(self, element: Element, score: float, hint: float) -> float:
        if self.interpretation.target == "strict" or not self.fits(element):
            return score
        return score * (1 + hint) if score >= 0 else score / (1 + hint)

    def satisfied(self, number: int) -> Scores:
        """The elements that satisfy a segment and all before it, with their best scores."""
        segment = self.query.segments[number]
        above = self.satisfied(number - 1) if number else {}
        found = {}
        for element in self.elements:
            chain = self.best_chain(number, element, above)
            own = value(segment.condition, element, self.about) if chain is not None else None
            if chain is not None and own is not None:
                found[element.node] = chain + own if number else own
        return found

    def best_chain(self, number: int, element: Element, above: Scores) -> float | None:
        steps = self.query.segments[number].path.steps
        is_last = number == len(self.query.segments) - 1
        anything = is_last and self.interpretation.target == "vague"
        if number == 0:
            return 0.0 if anything or leads(steps, tags_between(None, element)) else None
        over = [one for one in element.ancestors() if one.node in above]
        if anything:
            return max((above[e.node] for e in [element, *over] if e.node in above), default=None)
        led = [one for one in over if leads(steps, tags_between(one, element))]
        return max((above[one.node] for one in led), default=None)


def as_arrays(about: Abouts) -> Callable[[tuple[Term, ...]], ElementScores]:
    """The same scores, as the search engine takes them."""

    def scored(terms: tuple[Term, ...]) -> ElementScores:
        scores = about(terms)
        return ElementScores(
            np.array(list(scores), dtype=np.int64), np.array(list(scores.values()))
        )

    return scored


def listed(found: ElementScores) -> list[tuple[int, float, float | None]]:
    then = [None] * len(found.rows) if found.tie_break is None else found.tie_break.tolist()
    return list(zip(found.rows.tolist(), found.scores.tolist(), then, strict=True))


def some_scores(tree: Collection, seed: int) -> Abouts:
    """Any elements with any scores, always the same for the same terms."""

    def about(terms: tuple[Term, ...]) -> Mapping[int, float]:
        chance = random.Random(f"{seed} {terms}")
        share = chance.choice([0.3, 0.9, 1.0])
        rows = range(len(tree.nodes.path))
        return {row: chance.choice(_SOME) for row in rows if chance.random() < share}

    return about
