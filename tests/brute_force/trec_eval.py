"""Twins of what else trec_eval computes."""

from __future__ import annotations

import math
from fractions import Fraction

from brute_force.documents import (
    binary_preference,
    grades,
    hits,
    interpolated_precision,
    logarithm,
    precisions,
    ranked_documents,
    relevant_documents,
    truncated,
)
from brute_force.graded import best_grades, discounted, normalised_gain, ranked_grades
from brute_force.numbers import Score, mean, quotient, total
from brute_force.scene import Scene
from brute_force.twins import twin


@twin("binG")
def binary_gain(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    found = precisions(scene, rel, judged_only)
    others = [rank - count for count, (rank, _) in enumerate(found, 1)]
    relevant = relevant_documents(scene, rel)
    return sum(1 / math.log2(2 + n) for n in others) / len(relevant) if relevant else None


@twin("RprecMult")
def precision_at_multiple(scene: Scene, *, x: Fraction, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    k = truncated(x, relevant)
    return quotient(hits(scene, rel, judged_only, k), k) if relevant else None


@twin("IPrecAvg")
def eleven_points(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    points = [Fraction(n, 10) for n in range(11)]
    values = [interpolated_precision(scene, x=x, rel=rel, judged_only=judged_only) for x in points]
    return total(value or 0 for value in values) / 11 if relevant_documents(scene, rel) else None


@twin("RelP")
def relative_precision(scene: Scene, *, k: int, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    return Fraction(hits(scene, rel, judged_only, k), min(k, relevant)) if relevant else None


@twin("SetRelP")
def set_relative_precision(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    best = min(relevant, len(ranked_documents(scene, judged_only)))
    return quotient(hits(scene, rel, judged_only), best) if relevant else None


@twin("SetAP")
def set_average_precision(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    product = relevant * len(ranked_documents(scene, judged_only))
    return quotient(hits(scene, rel, judged_only) ** 2, product) if relevant else None


@twin("Utility")
def utility(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    returned = len(ranked_documents(scene, judged_only))
    return Fraction(2 * hits(scene, rel, judged_only) - returned)


@twin("NumNonRelRet")
def judged_not_relevant(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    returned = [grades(scene).get(name, -1) for name in ranked_documents(scene, judged_only)]
    return Fraction(sum(0 <= grade < rel for grade in returned))


@twin("GMBpref")
def geometric_preference(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    return logarithm(binary_preference(scene, rel=rel, judged_only=judged_only))


@twin("YAAP")
def smoothed_precision(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    relevant = len(relevant_documents(scene, rel))
    found = total(value for _, value in precisions(scene, rel, judged_only))
    return math.log((1 + found) / (1 + relevant - found)) if relevant else None


@twin("G")
def graded_gain(scene: Scene, *, judged_only: bool) -> Score:
    best = best_grades(scene)
    if not best:
        return None
    score, got, cost = 0.0, 0, 0
    for at, grade in enumerate(ranked_grades(scene, judged_only)):
        got += grade
        cost += best[at] if at < len(best) else 1
        score += grade / math.log2(2 + cost - got)
    return score / sum(best)


@twin("nDCGrel")
def gain_at_relevant(scene: Scene, *, judged_only: bool) -> Score:
    best = best_grades(scene)
    if not best:
        return None
    ranked = ranked_grades(scene, judged_only)
    ranks = [rank for rank, grade in enumerate(ranked, 1) if grade > 0]
    values = [normalised_gain(scene, rank, judged_only) for rank in ranks]
    last = discounted(ranked) / discounted(best)
    return (math.fsum(values) + (len(best) - len(values)) * last) / len(best)


@twin("RnDCG")
def gain_at_levels(scene: Scene, *, rel: int, judged_only: bool) -> Score:
    best, ranked = best_grades(scene), ranked_grades(scene, judged_only)
    if not relevant_documents(scene, rel) or not best:
        return None
    ends = [sum(other >= grade for other in best) for grade in set(best)]
    ends += [len(ranked)] if len(ranked) > len(best) + 1 else []
    return mean([normalised_gain(scene, end, judged_only) for end in ends])
