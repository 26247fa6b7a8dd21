"""Padding a list with useless results up to the cut-off changes nothing, for every measure @k."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from doxeval.measures import MEASURES
from doxeval.runs import Result
from law_cases import with_parameter
from scenes import SLACK
from useless import EMPTY, sizes_in, useless_cases, useless_result


def by_topic(results: Sequence[Result], topics: Sequence[str]) -> dict[str, list[Result]]:
    return {topic: [one for one in results if one.topic == topic] for topic in topics}


def padded(lists: dict[str, list[Result]], k: int, first: int) -> list[Result]:
    """Each list with useless results at its end, up to k; they begin at `first`."""
    return [
        one
        for topic, own in lists.items()
        for one in [
            *own,
            *(useless_result(first + at, topic) for at in range(k - len(own))),
        ]
    ]


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("name", with_parameter("@"))
def test_padding_without_text_changes_nothing(name: str, k: int) -> None:
    for case, _ in useless_cases(name, k=k):
        lists = by_topic(case.results, case.scene.truth.topics)
        longer = padded(lists, min(k, EMPTY), 1)
        assert case.scene.scores(case.measure, longer) == pytest.approx(case.scores, abs=1e-12), (
            case.told()
        )


# New text, however useless, makes the share of repeated text smaller, which Red counts.
@pytest.mark.parametrize("name", [name for name in with_parameter("@") if name != "Red"])
def test_padding_with_text_never_helps(name: str) -> None:
    """Where sizes count, it may cost."""
    sign = 1 if MEASURES[name].facts.higher_is_better else -1
    for case, plain in useless_cases(name, k=5):
        lists = by_topic(case.results, case.scene.truth.topics)
        after = case.scene.scores(
            case.measure, padded(lists, min(5, len(sizes_in(plain))), EMPTY + 1)
        )
        for topic, score in case.scores.items():
            assert sign * after[topic] <= sign * score + SLACK, case.told(topic)
