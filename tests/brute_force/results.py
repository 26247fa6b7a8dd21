"""Results as units by brute force: what single results and chunks show of needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from brute_force.needs import Text, needs_of, solid_text
from brute_force.numbers import ZERO, Number, Score, quotient, total
from brute_force.scene import Scene


def shown_grade(scene: Scene, text: Text, cover: Fraction) -> Fraction:
    """The highest grade of the needs that a text shows by itself."""
    solid = scene.has_collection
    shown = solid_text(scene, text) if solid else text
    shares = [(need.share(shown), need.grade) for need in needs_of(scene, solid)]
    return max((grade for share, grade in shares if share > 0 and share >= cover), default=ZERO)


def grades_of_results(scene: Scene, cover: Fraction) -> list[Fraction]:
    """The grade of each result; one that was returned before has none."""
    units = list(map(scene.identity, scene.results))
    return [
        ZERO if units[at] in units[:at] else shown_grade(scene, unit.characters, cover)
        for at, unit in enumerate(scene.ranked)
    ]


def grades_of_chunks(scene: Scene, cover: Fraction) -> list[Fraction]:
    """The grades of all relevant chunks there are, the best first; equal ones count once."""
    texts = {
        frozenset((document, at) for start, end in spans for at in range(start, end))
        for document, spans in scene.all_chunks
    }
    return sorted(filter(None, (shown_grade(scene, text, cover) for text in texts)), reverse=True)


def precision_of_results(scene: Scene, k: int, cover: Fraction) -> Score:
    """P@k."""
    found = sum(grade > 0 for grade in grades_of_results(scene, cover)[:k])
    return Fraction(found, k) if needs_of(scene) else None


def recall_of_chunks(scene: Scene, k: int, cover: Fraction) -> Score:
    """R@k."""
    found = sum(grade > 0 for grade in grades_of_results(scene, cover)[:k])
    chunks = grades_of_chunks(scene, cover)
    return min(Fraction(found, len(chunks)), Fraction(1)) if chunks else None


def average_precision_of_results(
    scene: Scene, k: int | None, cover: Fraction, of: str
) -> Fraction | None:
    """AP@k."""
    is_relevant = [grade > 0 for grade in grades_of_results(scene, cover)][:k]
    precisions = total(
        Fraction(sum(is_relevant[:rank]), rank) for rank, hit in enumerate(is_relevant, 1) if hit
    )
    if of == "returned":
        return quotient(precisions, sum(is_relevant)) if needs_of(scene) else None
    chunks = grades_of_chunks(scene, cover)
    return min(precisions / len(chunks), Fraction(1)) if chunks else None


def discounted(grades: Sequence[Fraction], gain: str) -> Number:
    """DCG."""
    worth = [float(grade) if gain == "linear" else 2 ** float(grade) - 1 for grade in grades]
    return math.fsum(value / math.log2(rank + 1) for rank, value in enumerate(worth, 1))


def ndcg_of_results(scene: Scene, k: int | None, cover: Fraction, gain: str, of: str) -> Score:
    """nDCG@k; the ideal list of chunks is not cut off."""
    returned = grades_of_results(scene, cover)[:k]
    gained = discounted(returned, gain)
    if of == "returned":
        best = discounted(sorted(returned, reverse=True), gain)
        return (gained / best if best else ZERO) if needs_of(scene) else None
    chunks = grades_of_chunks(scene, cover)
    return min(gained / discounted(chunks, gain), 1.0) if chunks else None
