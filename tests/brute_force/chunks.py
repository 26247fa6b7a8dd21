"""Twins of the measures of chunks: reading character by character."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from brute_force.documents import ranked_documents, relevant_documents
from brute_force.needs import Need, Wants, needs_of, solid_text, wants_of
from brute_force.numbers import ONE, ZERO, Score, quotient, total
from brute_force.scene import Character, Scene, Unit
from brute_force.twins import twin


def _in_order(unit: Unit) -> list[Character]:
    return sorted(unit.characters)


def _settled(scene: Scene, unit: str) -> str:
    """With a collection, tokens are known here: they are words."""
    return ("tokens" if scene.has_collection else "characters") if unit == "auto" else unit


def _begins_a_word(scene: Scene, at: Character) -> bool:
    document, offset = at
    return offset in _word_starts(scene.texts[document])


@cache
def _word_starts(text: str) -> set[int]:
    return {found.start() for found in re.finditer(r"\w+|[^\w\s]", text)}


@dataclass(frozen=True)
class Read:
    """A result that is read: its characters in their order, where each stands, and its cost."""

    characters: list[Character]
    positions: list[int]
    cost: int


def read(scene: Scene, unit: str, resize: str, which: list[int] | None = None) -> list[Read]:
    """What readers read, result by result; of all results, or of some."""
    unit = _settled(scene, unit)
    seen: set[Character] = set()
    before = 0
    found = []
    for number in range(len(scene.ranked)) if which is None else which:
        one, stated = scene.ranked[number], scene.results[number].tokens
        added = scene.results[number].added or 0
        text = [at for at in _in_order(one) if resize == "full" or at not in seen]
        if unit == "characters":
            places, cost = list(range(len(text))), len(text)
        elif unit == "tokens" and stated is not None:
            size = max(one.size, 1)
            cost = stated if resize == "full" else -(-stated * len(text) // size)
            places = [offset * cost // len(text) for offset in range(len(text))]
        else:
            begun = [_begins_a_word(scene, at) for at in text]
            cost = sum(begun)
            places = [max(sum(begun[: offset + 1]) - 1, 0) for offset in range(len(text))]
        if unit != "tokens" or stated is None:  # what no document has is read first
            more = added if unit == "characters" else -(-added // 5)
            if resize == "new":
                more = -(-more * len(text) // max(one.size, 1))
            places, cost = [more + place for place in places], more + cost
        found.append(Read(text, [before + place for place in places], cost))
        before += cost
        seen |= one.characters
    return found


def _reading(scene: Scene, unit: str, resize: str) -> list[tuple[int, Character]]:
    """All characters with the units read before."""
    return [
        (position, at)
        for one in read(scene, unit, resize)
        for position, at in zip(one.positions, one.characters, strict=True)
    ]


def _shown_by(wants: Wants, reading: list[tuple[int, Character]], budget: int) -> Fraction:
    return wants.shown({at for position, at in reading if position < budget})


@twin("IoU")
def overlap(scene: Scene, *, k: int, resize: str) -> Score:
    wants = wants_of(scene)
    if not wants.total:
        return None
    text = [at for unit in scene.ranked[:k] for at in _in_order(unit)]
    size = len(text) if resize == "full" else len(set(text))
    chosen = wants.by_best_shown(text)
    shown = chosen.shown(set(text))
    return quotient(shown, size + chosen.total - shown)


@twin("Red")
def redundancy(scene: Scene, *, k: int, unit: str) -> Score:
    if not wants_of(scene).total:
        return None
    new, whole = (sum(one.cost for one in read(scene, unit, how)[:k]) for how in ("new", "full"))
    return 1 - Fraction(new, whole) if whole else ZERO


@twin("read")
def text_read(scene: Scene, *, k: int, unit: str) -> Score:
    if not wants_of(scene).total:
        return None
    return Fraction(sum(one.cost for one in read(scene, unit, "full")[:k]))


@twin("bR")
def budget_recall(scene: Scene, *, B: int, unit: str, fit: str, resize: str) -> Score:  # noqa: N803  # as the measure has it
    wants = wants_of(scene)
    if not wants.total:
        return None
    if fit == "cut":
        return _shown_by(wants, _reading(scene, unit, resize), B) / wants.total
    results = read(scene, unit, resize)
    left, text = B, set()
    for one in results:
        if one.cost <= left:
            left -= one.cost
            text |= set(one.characters)
        elif fit == "whole":
            break
    return wants.shown(text) / wants.total


@twin("U")
def utility(scene: Scene, *, B: int, unit: str, norm: str) -> Score:  # noqa: N803  # as the measure has it
    wants = wants_of(scene)
    if not wants.total:
        return None
    reading = _reading(scene, unit, "full")
    value = total(_shown_by(wants, reading, budget) for budget in range(1, B + 1)) / B
    return value / (_ideal(scene, wants, unit, B) if norm == "ideal" else wants.total)


def _ideal(scene: Scene, wants: Wants, unit: str, budget: int) -> Fraction:
    """The relevant text alone, by falling gain of a unit."""
    pieces = []
    for text in _pieces(scene, wants):
        gain = total(wants.characters[at] for at in text)
        pieces.append((gain, _units(scene, text, unit)))
    for need in wants.several:
        fewest = min(_units(scene, text, unit) for text in need.alternatives)
        pieces.append((wants.weight(need), fewest))
    value, before = ZERO, 0
    for gain, units in sorted(pieces, key=lambda piece: -piece[0] / piece[1]):
        for place in range(units):
            value += gain / units * max(ONE - Fraction(before + place, budget), ZERO)
        before += units
    return value


def _units(scene: Scene, text: frozenset[Character], unit: str) -> int:
    if _settled(scene, unit) == "characters":
        return len(text)
    return max(sum(_begins_a_word(scene, at) for at in text), 1)


def _pieces(scene: Scene, wants: Wants) -> Iterator[frozenset[Character]]:
    """Wanted text in pieces; where all of it is worth the same, these are whole passages."""
    single = [need for need in wants.needs if len(need.alternatives) == 1]
    is_plain = not wants.several and len({need.grade for need in single}) < 2
    edges: set[Character] = set()
    if not is_plain:
        for own in (need.alternatives[0] for need in single):
            edges |= {at for at in own if (at[0], at[1] - 1) not in own}
            edges |= {(name, at + 1) for name, at in own if (name, at + 1) not in own}
    text = sorted(wants.characters)
    begins = [at for at in text if (at[0], at[1] - 1) not in wants.characters or at in edges]
    for begin, after in pairwise([*begins, ("\uffff", 0)]):
        yield frozenset(at for at in text if begin <= at < after)


@twin("Cost")
def cost(scene: Scene, *, B: int, x: Fraction, unit: str) -> Score:  # noqa: N803  # as the measure has it
    wants = wants_of(scene)
    if not wants.total:
        return None
    reading = _reading(scene, unit, "full")
    for units in range(B + 1):
        if _shown_by(wants, reading, units) >= x * wants.total - Fraction(1, 10**9):
            return Fraction(units)
    return Fraction(B)


# Needs


def _answered_at(scene: Scene, cover: Fraction, by: str) -> list[tuple[Need, int | None]]:
    """The needs, and the rank at which each is answered."""
    solid = scene.has_collection
    texts = [
        solid_text(scene, unit.characters) if solid else unit.characters for unit in scene.ranked
    ]
    found = []
    for need in needs_of(scene, solid):
        ranks = [
            rank
            for rank in range(1, len(texts) + 1)
            for shown in [frozenset().union(*texts[:rank]) if by == "union" else texts[rank - 1]]
            if need.share(shown) > 0 and need.share(shown) >= cover
        ]
        found.append((need, min(ranks, default=None)))
    return found


def _is_by(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


@twin("hit")
def hit(scene: Scene, *, k: int, cover: Fraction, by: str) -> Score:
    found = _answered_at(scene, cover, by)
    return Fraction(any(_is_by(rank, k) for _, rank in found)) if found else None


@twin("sR")
def need_recall(scene: Scene, *, k: int, cover: Fraction) -> Score:
    found = _answered_at(scene, cover, "union")
    if not found:
        return None
    return total(n.grade for n, rank in found if _is_by(rank, k)) / total(n.grade for n, _ in found)


@twin("all")
def all_needs(scene: Scene, *, k: int, cover: Fraction) -> Score:
    found = _answered_at(scene, cover, "union")
    return Fraction(all(_is_by(rank, k) for _, rank in found)) if found else None


@twin("RR")
def reciprocal_rank(
    scene: Scene, *, k: int | None, cover: Fraction, by: str, unit: str, rel: int, judged_only: bool
) -> Score:
    if unit == "auto" and (cover < 1 or by == "chunk"):
        unit = "need"
    elif unit == "auto" and (rel > 1 or judged_only or not scene.has_judged_parts):
        unit = "document"
    if unit == "document":
        relevant = relevant_documents(scene, rel)
        documents = enumerate(ranked_documents(scene, judged_only)[:k], 1)
        ranks = [rank for rank, document in documents if document in relevant]
        return (Fraction(1, min(ranks)) if ranks else ZERO) if relevant else None
    found = _answered_at(scene, cover, "chunk" if unit == "result" else by)
    ranks = [rank for _, rank in found if rank is not None and rank <= (k or 10)]
    return (Fraction(1, min(ranks)) if ranks else ZERO) if found else None


@twin("sDCG")
def discounted_needs(scene: Scene, *, k: int) -> Score:
    needs = needs_of(scene, scene.has_collection)
    if not needs:
        return None
    grades = total(need.grade for need in needs)

    def mean_share(text: set[Character]) -> Fraction:
        return total(need.grade * need.share(text) for need in needs) / grades

    def discounted(texts: list[frozenset[Character]]) -> float:
        seen: set[Character] = set()
        value = 0.0
        for rank, text in enumerate(texts[:k], 1):
            value += float(mean_share(seen | text) - mean_share(seen)) / math.log2(rank + 1)
            seen |= text
        return value

    best: list[frozenset[Character]] = []
    left = [
        frozenset((document, at) for start, end in spans for at in range(start, end))
        for document, spans in scene.all_chunks
    ]
    if scene.has_collection:
        left = [solid_text(scene, text) for text in left]
    while left:
        seen = set().union(*best)
        chosen = max(left, key=lambda text: mean_share(seen | text))
        if mean_share(seen | chosen) - mean_share(seen) <= Fraction(1, 10**9):
            break
        best.append(chosen)
        left.remove(chosen)
    texts = [unit.characters for unit in scene.ranked]
    if scene.has_collection:
        texts = [solid_text(scene, text) for text in texts]
    ideal = discounted(best)
    return min(discounted(texts) / ideal, 1.0) if ideal else None


# Answers as strings, and questions without an answer


def _tokens(text: str) -> list[str]:
    """The tokens of a text, one character after the other."""
    tokens: list[str] = []
    is_open = False
    for character in unicodedata.normalize("NFD", text):
        category = unicodedata.category(character)
        if category[0] in "LNM":
            if is_open:
                tokens[-1] += character
            else:
                tokens.append(character)
            is_open = True
        else:
            is_open = False
            if category[0] not in "ZC":
                tokens.append(character)
    return [token.lower() for token in tokens]


@twin("ans")
def answer_at_rank(scene: Scene, *, k: int) -> Score:
    if not scene.answer.texts:
        return None
    answers = [tokens for text in scene.answer.texts if (tokens := _tokens(text))]
    for unit in scene.ranked[:k]:
        ranges: list[tuple[int, int]] = []
        for start, end in sorted(((unit.start, unit.end), *unit.more)):
            if ranges and ranges[-1][1] == start:
                ranges[-1] = ranges[-1][0], end
            else:
                ranges.append((start, end))
        for start, end in ranges:
            tokens = _tokens(scene.texts[unit.document][start:end])
            for answer in answers:
                for at in range(len(tokens) - len(answer) + 1):
                    if tokens[at : at + len(answer)] == answer:
                        return ONE
    return ZERO


@twin("none")
def nothing_returned(scene: Scene, *, k: int) -> Score:
    return None if scene.answer.exists else Fraction(not scene.results[:k])


@twin("vain")
def read_in_vain(scene: Scene, *, B: int, unit: str) -> Score:  # noqa: N803  # as the measure has it
    if scene.answer.exists:
        return None
    return Fraction(min(B, sum(one.cost for one in read(scene, unit, "full"))))
