"""Repeats that are kept: they take their ranks, and readers gain nothing from them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from doxeval.evaluation import RunOptions
from doxeval.measures import FAMILIES, MEASURES, Measure
from doxeval.runs import Result
from law_cases import Case
from scenes import SLACK, Scene, Scores
from useless import EMPTY, useless_cases, useless_of_size, useless_result

KEEP = RunOptions(duplicates="keep")
# Families that rank each document once, by its first result.
ONCE = {
    kind.name for one in FAMILIES if one.name in ("in_context", "bepd") for kind in one.measures
}


def kept_scores(scene: Scene, measure: Measure, results: Sequence[Result]) -> Scores:
    """The scores of a run whose repeats are kept."""
    found = measure.settled(scene.truth).scores(scene.ranking(results, KEEP)).tolist()
    by_topic = zip(scene.truth.topics, found, strict=True)
    return {topic: score for topic, score in by_topic if score == score}


def counts_repeats(measure: Measure) -> bool:
    """Whether relevant text counts again when it is seen again."""
    return bool(getattr(measure, "alpha", 0) > 0)


def repeated_after(results: Sequence[Result], at: int, before: int) -> list[Result]:
    """The results with the one at `at` once more, before the one at `before`."""
    return [*results[:before], results[at], *results[before:]]


def places(case: Case) -> list[tuple[int, int]]:
    """A few ways to repeat a result of a topic later in the list of that topic."""
    found = []
    for at, one in enumerate(case.results):
        if one.topic not in case.scene.truth.topics:
            continue
        last = max(n for n, other in enumerate(case.results) if other.topic == one.topic)
        found += [(at, at + 1), (at, last + 1)]
    return found[::3]


@pytest.mark.parametrize("name", MEASURES)
def test_a_repeat_at_the_end_never_helps(name: str) -> None:
    for case, _ in useless_cases(name):
        if counts_repeats(case.measure):
            continue
        topic_ends = {one.topic: n for n, one in enumerate(case.results)}
        for at, one in list(enumerate(case.results))[::2]:
            longer = repeated_after(case.results, at, topic_ends[one.topic] + 1)
            after = kept_scores(case.scene, case.measure, longer)
            sign = 1 if case.measure.facts.higher_is_better else -1
            for topic, score in case.scores.items():
                assert sign * after[topic] <= sign * score + SLACK, case.told(topic, at)


def instead(case: Case, plain: Scene, at: int) -> Result | None:
    """The useless result that a repeat is as good as; None if it is as good as nothing at all."""
    measure, result = case.measure.settled(case.scene.truth), case.results[at]
    if measure.name in ONCE or getattr(measure, "targets", None) == "bep":
        return None
    alone = plain.ranking([result])
    resize = getattr(measure, "resize", "full")
    # By resize=tool, only documents with relevant text are counted by their new text.
    counts_new_text = resize == "new" or (resize == "tool" and len(alone.in_relevant_text) > 0)
    if counts_new_text or getattr(measure, "overlap", None) == "o":
        return useless_result(EMPTY, result.topic)
    return useless_of_size(plain, int(alone.size[0]), result.topic)


@pytest.mark.parametrize("name", MEASURES)
def test_a_repeat_is_as_good_as_a_useless_result(name: str) -> None:
    """Of the same size, or of none where only new text counts."""
    for case, plain in useless_cases(name):
        measure = case.measure.settled(case.scene.truth)
        if counts_repeats(measure) or getattr(measure, "unretrieved", None) == "level":
            continue
        # Another text has other words, and redundancy is about repeats.
        if getattr(measure, "unit", None) in ("words", "tokens") or measure.name == "Red":
            continue
        for at, before in places(case):
            other = instead(case, plain, at)
            replaced = [*case.results[:before], other, *case.results[before:]]
            expected = case.scene.scores(measure, [one for one in replaced if one is not None])
            found = kept_scores(case.scene, measure, repeated_after(case.results, at, before))
            assert found == pytest.approx(expected, abs=1e-12), case.told(at, before, other)


@pytest.mark.parametrize("name", MEASURES)
def test_a_run_without_repeats_is_scored_as_ever(name: str) -> None:
    for case, _ in useless_cases(name, variants=1):
        assert kept_scores(case.scene, case.measure, case.results) == case.scores
