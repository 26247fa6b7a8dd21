"""Search by brute force, from its definitions: lists of words, loops, and Python's `math`.

Nothing here uses an index or an array. Documents are random trees; a query is a list of items,
each a tuple of terms with a weight. Words of titles, headings and abstracts may count more or less
than once: everything but the choice of what matches is then counted in such words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from doxeval.retrieve import Analysis
from strategies.trees import Located, Node, located
from strategies.wordings import read_words

INLINE = {"b"}
ONE = 2**20


class Weights(NamedTuple):
    """What a word of a title, of another heading and of an abstract counts."""

    titles: float = 1
    headings: float = 1
    abstracts: float = 1


PLAIN_TEXT = Weights()


class Item(NamedTuple):
    terms: tuple[str, ...]
    weight: float


class Unit(NamedTuple):
    """A range of words of a document, and the characters it stands for."""

    document: int
    first: int
    after: int
    start: int
    end: int
    path: str | None = None

    @property
    def length(self) -> int:
        return self.after - self.first


class Found(NamedTuple):
    unit: Unit
    score: float


@dataclass(frozen=True)
class Document:
    words: list[tuple[int, int]]
    terms: list[str]
    elements: list[Located]
    borders: list[int]
    counts: list[float]

    @classmethod
    def of(cls, tree: Node, weights: Weights) -> Document:
        elements = located(tree)
        blocks = [element for element in elements if element.tag not in INLINE]
        borders = {edge for element in blocks for edge in (element.start, element.end)}
        words = read_words(tree.text, borders)
        terms = [Analysis("s").term(tree.text[start:end]) for start, end in words]
        counts = [counted(start, elements, weights) for start, _ in words]
        return cls(words, terms, elements, sorted(borders | {0, len(tree.text)}), counts)

    def count(self, item: Item, first: int, after: int) -> float:
        """How often an item begins in a range of words."""
        size = len(item.terms)
        return sum(
            self.counts[at]
            for at in range(first, after)
            if tuple(self.terms[at : at + size]) == item.terms
        )

    def words_in(self, start: int, end: int) -> tuple[int, int]:
        """The words that start in a range of characters: the first, and how many come before it."""
        before = sum(one < start for one, _ in self.words)
        return before, sum(one < end for one, _ in self.words)


def counted(start: int, elements: Sequence[Located], weights: Weights) -> float:
    """What the word at a place counts."""
    around = [element for element in elements if element.start <= start < element.end]
    titles = [one for one in around if one.tag == "title" and one.path.count("/") == 2]
    headings = [one for one in around if one.tag in ("title", "st") and one not in titles]
    count: float = 1
    if titles:
        count *= weights.titles
    if headings:
        count *= weights.headings
    if any(one.tag == "abs" for one in around):
        count *= weights.abstracts
    return count


class Direct:
    """A query on some documents."""

    def __init__(
        self, trees: Sequence[Node], query: Sequence[Item], weights: Weights = PLAIN_TEXT
    ) -> None:
        self.documents = [Document.of(tree, weights) for tree in trees]
        self.total = sum(sum(document.counts) for document in self.documents)
        self.query = [item for item in query if self.cf(item)]

    # Counts

    def cf(self, item: Item) -> float:
        return sum(one.count(item, 0, len(one.words)) for one in self.documents)

    def df(self, item: Item) -> int:
        return sum(one.count(item, 0, len(one.words)) > 0 for one in self.documents)

    def tf(self, unit: Unit, item: Item) -> float:
        return self.documents[unit.document].count(item, unit.first, unit.after)

    def size(self, unit: Unit) -> float:
        """What its words count."""
        return sum(self.documents[unit.document].counts[unit.first : unit.after])

    def matches(self, units: Iterable[Unit]) -> list[Unit]:
        wanted = [item for item in self.query if item.weight > 0]
        return [unit for unit in units if any(self.tf(unit, item) for item in wanted)]

    # Units, in document order

    def whole(self, number: int) -> Unit:
        document = self.documents[number]
        return Unit(number, 0, len(document.words), 0, document.elements[0].end)

    def wholes(self) -> list[Unit]:
        return [self.whole(number) for number in range(len(self.documents))]

    def elements(self, tags: set[str] | None = None, min_words: int = 1) -> list[Unit]:
        found = []
        for number, document in enumerate(self.documents):
            for element in document.elements:
                first, after = document.words_in(element.start, element.end)
                is_asked_for = element.tag not in INLINE if tags is None else element.tag in tags
                if is_asked_for and after - first >= min_words:
                    place = (element.start, element.end, element.path)
                    found.append(Unit(number, first, after, *place))
        return found

    def windows(self, words: int, step: int) -> list[Unit]:
        found = []
        for number, document in enumerate(self.documents):
            first, length = 0, len(document.words)
            while first < length:
                after = min(first + words, length)
                start, end = document.words[first][0], document.words[after - 1][1]
                found.append(Unit(number, first, after, start, end))
                if after == length:
                    break
                first += step
        return found

    def chunks(self, spans: Iterable[tuple[int, int, int]]) -> list[Unit]:
        ordered = sorted(set(spans), key=lambda span: (span[0], span[1], -span[2]))
        return [Unit(d, *self.documents[d].words_in(s, e), s, e) for d, s, e in ordered]

    # Models

    def lm(
        self, unit: Unit, element: float, article: float, prior: float, least: float = 1
    ) -> float:
        whole = self.whole(unit.document)
        score = 0.0
        for item in self.query:
            inside = element * self.tf(unit, item) / max(self.size(unit), 1)
            around = article * self.tf(whole, item) / max(self.size(whole), 1)
            elsewhere = (1 - element - article) * self.cf(item) / self.total
            short = min(1, unit.length / least) if item.weight > 0 else 1
            score += short * item.weight * math.log(1 + (inside + around) / elsewhere)
        return score + prior * math.log(unit.length)

    def rarity(self, item: Item, units: Sequence[Unit] | None = None) -> float:
        everything = self.wholes() if units is None else units
        n = sum(self.tf(unit, item) > 0 for unit in everything)
        return math.log(1 + (len(everything) - n + 0.5) / (n + 0.5))

    def okapi(
        self,
        unit: Unit,
        k1: float,
        b: float,
        pivot: float,
        units: Sequence[Unit] | None = None,
        least: float = 1,
    ) -> float:
        score = 0.0
        for item in self.query:
            tf = self.tf(unit, item)
            damping = k1 * (1 - b + b * self.size(unit) / pivot)
            short = min(1, unit.length / least) if item.weight > 0 else 1
            if tf:
                score += (
                    short * item.weight * self.rarity(item, units) * tf * (k1 + 1) / (tf + damping)
                )
        return score

    def article(self, number: int) -> float:
        """A(d)."""
        return self.okapi(self.whole(number), 0.9, 0.4, self.total / len(self.documents))

    def articles(self) -> dict[int, float]:
        return {unit.document: rounded(self.article(unit.document)) for unit in self.wholes()}

    # Feedback

    def expanded(
        self, first: Sequence[Found], results: int, terms: int, weight: float
    ) -> list[Item]:
        """RM3, given all that match with their scores."""
        best = [one for one in without_overlap(by_score(first))[:results] if one.score > 0]
        unwanted = [item.terms for item in self.query if item.weight < 0]
        model: dict[str, float] = {}
        for unit, score in best:
            text = self.documents[unit.document].terms[unit.first : unit.after]
            for term in set(text):
                if (term,) not in unwanted:
                    share = score / sum(one.score for one in best) * text.count(term) / len(text)
                    model[term] = model.get(term, 0) + share
        likeliest = sorted(model, key=lambda term: (-rounded(model[term]), term))[:terms]
        if not likeliest:
            return self.query
        total = sum(model[term] for term in likeliest)
        p: dict[tuple[str, ...], float] = {(term,): model[term] / total for term in likeliest}
        whole = sum(item.weight for item in self.query if item.weight > 0)
        query = [
            Item(terms, (1 - weight) * v + weight * whole * p.pop(terms, 0) if v > 0 else v)
            for terms, v in self.query
        ]
        query += [Item(term, weight * whole * share) for term, share in p.items()]
        return [item for item in query if item.weight != 0]

    # Passages

    def passages(self, words: int) -> list[Found]:
        values = [round(self.rarity(item) * item.weight * ONE) for item in self.query]
        wanted = [v for v, item in zip(values, self.query, strict=True) if item.weight > 0]
        cost = sum(wanted)
        matching = [unit.document for unit in self.matches(self.wholes())]
        mentioning = [
            number
            for number, unit in enumerate(self.wholes())
            if any(self.tf(unit, item) for item in self.query)
        ]
        best = max((self.article(number) for number in matching), default=0.0)
        rarities = [self.rarity(item) * item.weight for item in self.query if item.weight > 0]
        share = sum(rarities) / best if best > 0 else 0.0
        found: dict[Unit, float] = {}
        for number in mentioning:
            document = self.documents[number]
            scores = []
            for at in range(len(document.words)):
                earned = sum(
                    value
                    for value, item in zip(values, self.query, strict=True)
                    if document.count(item, at, at + 1)
                )
                scores.append(earned * words - cost)
            for first, after in maximal(scores):
                unit = self.moved_out(number, first, after)
                score = sum(scores[first:after]) / (words * ONE) + self.article(number) * share
                found[unit] = max(score, found.get(unit, -math.inf))
        ordered = sorted(found, key=lambda unit: (unit.document, unit.first, -unit.after))
        return [Found(unit, found[unit]) for unit in ordered]

    def moved_out(self, number: int, first: int, after: int) -> Unit:
        document = self.documents[number]
        start, end = document.words[first][0], document.words[after - 1][1]
        start = max(edge for edge in document.borders if edge <= start)
        end = min(edge for edge in document.borders if edge >= end)
        return Unit(number, *document.words_in(start, end), start, end)


def maximal(scores: Sequence[int], offset: int = 0) -> list[tuple[int, int]]:
    """The segment with the greatest sum (the shortest, the first), and those on its two sides."""
    segments = [
        (-sum(scores[begin:end]), end - begin, begin)
        for begin in range(len(scores))
        for end in range(begin + 1, len(scores) + 1)
    ]
    if not segments or min(segments)[0] >= 0:
        return []
    _, length, begin = min(segments)
    left = maximal(scores[:begin], offset)
    right = maximal(scores[begin + length :], offset + begin + length)
    return [*left, (offset + begin, offset + begin + length), *right]


# Presenting


def rounded(score: float) -> float:
    return float(f"{score:.8e}")


def shares_text(one: Unit, other: Unit) -> bool:
    same = one.document == other.document
    return same and one.start < other.end and other.start < one.end


def by_score(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda one: -one.score)  # ties stay in document order


def without_overlap(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in found:
        if not any(shares_text(one.unit, other.unit) for other in kept):
            kept.append(one)
    return kept


def presented(
    found: Sequence[Found], task: str, most: int, keep: float, articles: dict[int, float] | None
) -> list[Found]:
    """What a task returns; articles are ranked by their best unit if no scores are given."""
    if task == "thorough":
        return by_score(found)[:most]
    if task == "focused":
        return without_overlap(by_score(found))[:most]
    groups: dict[int, list[Found]] = {}
    for one in found:
        groups.setdefault(one.unit.document, []).append(one)
    best = {number: max(one.score for one in group) for number, group in groups.items()}
    ranking = best if articles is None else articles
    listed: list[Found] = []
    for number in sorted(groups, key=lambda number: (-ranking[number], number)):
        least = keep * best[number] if best[number] > 0 else best[number]
        group = by_score(one for one in groups[number] if one.score >= least)
        if task == "relevant-in-context":
            kept = without_overlap(group)
            group = [one for one in groups[number] if one in kept]
        elif task != "fetch-browse":
            group = group[:1]
        listed += [Found(one.unit, ranking[number]) for one in group]
    return listed[:most]
