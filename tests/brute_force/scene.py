"""What a twin sees: one topic of a world, its documents, its judgments and what was returned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import groupby

from brute_force.covers import cover
from brute_force.numbers import quotient
from doxeval.assessments import Judgment, TopicAnswer
from doxeval.runs import Kind, Result
from strategies import Node, World, located

Character = tuple[str, int]  # a document and an offset
Steps = Mapping[str, Mapping[str, Mapping[str, float]]]  # by document, source and target


@dataclass(frozen=True)
class Unit:
    """An element, or a passage (which has no path); `more` are ranges behind the first."""

    document: str
    path: str
    start: int
    end: int
    more: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        """The number of its characters."""
        return len(self.characters)

    @property
    def tag(self) -> str:
        """The tag of an element."""
        return self.path.rpartition("/")[2].partition("[")[0]

    @property
    def depth(self) -> int:
        """How deep an element lies, from 1."""
        return self.path.count("/")

    @property
    def is_root(self) -> bool:
        """Whether it is a whole document."""
        return self.depth == 1

    @cached_property
    def characters(self) -> frozenset[Character]:
        """Its text, character by character."""
        ranges = ((self.start, self.end), *self.more)
        return frozenset((self.document, at) for start, end in ranges for at in range(start, end))

    def is_inside(self, other: Unit) -> bool:
        """Whether it is a descendant of another element."""
        return self.document == other.document and self.path.startswith(other.path + "/")

    def touches(self, other: Unit) -> bool:
        """Whether one contains the other, or both are the same."""
        return self == other or self.is_inside(other) or other.is_inside(self)


Tree = frozenset[Unit]  # elements of one document that were returned, or assessed, as one


@cache
def elements_of(document: str, node: Node) -> tuple[Unit, ...]:
    """All elements of a document, in document order."""
    return tuple(Unit(document, at.path, at.start, at.end) for at in located(node))


class Scene:
    """One topic of a world: its documents, its judgments, and what a system returned for it.

    levels are the results that share a rank: one each, or all with the same score (by_score).
    Without a collection sizes are unknown, and elements are in the order of the assessments.
    lists_say: specificity is that of the lists of 2005, not that of the highlights.
    steps: the probabilities of the given matrix of navigation, if there is one.
    keeps_repeats: results that were returned before stay where they are.
    """

    def __init__(
        self,
        world: World,
        topic: str,
        results: Iterable[Result],
        by_score: bool = False,
        has_collection: bool = True,
        lists_say: bool = False,
        steps: Steps | None = None,
        keeps_repeats: bool = False,
    ) -> None:
        self.all_chunks = world.all_chunks
        self.texts = {document: node.text for document, node in world.documents}
        self.elements = [e for document in world.documents for e in elements_of(*document)]
        self.has_collection = has_collection
        self.lists_say = lists_say
        self.steps = steps
        self.every_judgment = world.judgments
        self.any_highlights = any(judgment.highlights for judgment in world.judgments)
        self.has_judged_parts = any(j.highlights or j.needs for j in world.judgments)
        self.any_units = any(judgment.units for judgment in world.judgments)
        self.any_grades = any(j.grades or j.elements for j in world.judgments)
        self.judgments: list[Judgment] = [j for j in world.judgments if j.topic == topic]
        self.answer = dict(world.answers).get(topic, TopicAnswer())
        own = [result for result in results if result.topic == topic]
        if not keeps_repeats:
            units = list(map(self.identity, own))
            own = [result for at, result in enumerate(own) if units[at] not in units[:at]]
        if by_score:
            own.sort(key=lambda result: -(result.score or 0))
            groups = [list(group) for _, group in groupby(own, lambda result: result.score)]
        else:
            groups = [[result] for result in own]
        self.results = [result for group in groups for result in group]
        self.levels = [[self._unit(result) for result in group] for group in groups]
        self.ranked = [unit for level in self.levels for unit in level]

    def identity(self, result: Result) -> object:
        """What two results that are the same have in common."""
        unit = self._unit(result)
        if result.kind == Kind.TREE:
            return result.document, frozenset(result.paths)
        if result.kind in (Kind.PASSAGE, Kind.SPANS):
            return result.document, unit.characters or unit.start
        return unit

    def _unit(self, result: Result) -> Unit:
        if result.kind == Kind.PASSAGE:
            return Unit(result.document, "", result.start or 0, result.end or 0)
        if result.kind == Kind.TREE:
            nodes = [self.element(result.document, path) for path in result.paths]
            start, end = min(n.start for n in nodes), max(n.end for n in nodes)
            return Unit(result.document, "", start, end)
        if result.kind == Kind.SPANS:
            (start, end), *more = sorted(result.spans)
            return Unit(result.document, "", start, end, tuple(more))
        wanted = result.paths[0] if result.paths else "/article[1]"
        return self.element(result.document, wanted)

    @cached_property
    def trees(self) -> list[Tree]:
        """The results as sets of elements; a passage is the cover of its text."""
        found = []
        for result, unit in zip(self.results, self.ranked, strict=True):
            if result.kind == Kind.TREE:
                nodes = [self.element(result.document, path) for path in result.paths]
                found.append(frozenset(nodes))
            elif result.kind in (Kind.PASSAGE, Kind.SPANS):
                found.append(self.cover(unit.document, {at for _, at in unit.characters}))
            else:
                found.append(frozenset([unit]))
        return found

    def cover(self, document: str, wanted: Collection[int], ignored: Collection[str] = ()) -> Tree:
        """The cover of some characters of a document."""
        own = [element for element in self.elements if element.document == document]
        return cover(own, self.texts[document], wanted, ignored)

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
