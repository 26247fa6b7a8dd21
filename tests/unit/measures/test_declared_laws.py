"""Laws over the registry: what must hold for the measures that declare it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from doxeval.measures import Law, Measure
from doxeval.runs import Result
from law_cases import better_up, cases, declaring
from scenes import NOWHERE, SLACK, every_year, ideal_run


@every_year
@pytest.mark.parametrize("name", declaring(Law.IDEAL_IS_BEST))
def test_the_ideal_run_is_best(name: str, year: str) -> None:
    for case in cases(name, year, law=Law.IDEAL_IS_BEST):
        best = case.scene.scores(case.measure, ideal_run(case.scene, case.measure))
        for topic, score in case.scores.items():
            assert score <= best[topic] + SLACK, case.told(topic, score, best[topic])


@pytest.mark.parametrize("name", declaring(Law.TAIL_IS_FREE))
def test_a_tail_without_gain_is_free(name: str) -> None:
    for case in cases(name):
        ends = {topic: [] for topic in case.scene.truth.topics}  # type: dict[str, list[Result]]
        for result in case.results:
            ends.setdefault(result.topic, []).append(result)
        longer = [one for t, own in ends.items() for one in (*own, Result(t, NOWHERE))]
        after = case.scene.scores(case.measure, longer)
        cut_off = getattr(case.measure, "k", None)
        for topic, score in case.scores.items():
            if cut_off is None or cut_off <= len(ends[topic]):
                assert after[topic] == pytest.approx(score, abs=1e-12), case.told(topic)


@pytest.mark.parametrize("name", declaring(Law.FALLS_WITH_X))
def test_scores_fall_with_recall(name: str) -> None:
    points = [Fraction(n, 20) for n in range(21)]
    for case in cases(name, variants=1):
        by_point = [case.scene.scores(case.measure(x=x), case.results) for x in points]
        for topic in by_point[0]:
            values = [scores[topic] for scores in by_point]
            assert all(a >= b - SLACK for a, b in pairwise(values)), case.told(topic, values)


@pytest.mark.parametrize("name", declaring(Law.GROWS_WITH_K))
def test_scores_grow_with_the_cut_off(name: str) -> None:
    for case in cases(name, variants=1):
        if Law.GROWS_WITH_K not in case.measure.settled(case.scene.truth).laws:
            continue
        by_cut_off = [case.scene.scores(case.measure @ k, case.results) for k in range(1, 12)]
        for topic in by_cut_off[0]:
            values = [scores[topic] for scores in by_cut_off]
            assert all(a <= b + SLACK for a, b in pairwise(values)), case.told(topic, values)


def one_for_each_document(results: Sequence[Result]) -> list[Result]:
    return list({(one.topic, one.document): one for one in reversed(results)}.values())[::-1]


@pytest.mark.parametrize("name", declaring(Law.BETTER_UP))
def test_better_results_further_up_never_cost(name: str) -> None:
    """On rankings of documents, each with one result; what it is worth, it scores alone."""
    for case in cases(name):
        alone = {
            one: case.scene.scores(case.measure(**first_rank(case.measure)), [one])
            for one in case.results
        }
        ranking = one_for_each_document(case.results)
        for run in (ranking, ranking[::-1]):
            better_up(case, run, lambda one, alone=alone: alone[one].get(one.topic, 0.0))  # type: ignore[misc]


def first_rank(measure: Measure) -> dict[str, int]:
    return {"k": 1} if hasattr(measure, "k") else {}
