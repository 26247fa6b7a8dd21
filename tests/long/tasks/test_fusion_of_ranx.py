"""Fused runs of documents have the scores that ranx gives them, on fifty random worlds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from doxeval import fuse
from doxeval.runs import Run

try:
    import ranx
except ImportError:
    pytest.skip("the fusion of ranx: ranx is not installed", allow_module_level=True)

# What numba says about the code that it compiles.
pytestmark = pytest.mark.filterwarnings("ignore:unsafe cast")

_METHODS = {
    "rrf": ("rrf", None, {}),
    "rrf(k=7)": ("rrf", None, {"k": 7}),
    "combsum": ("sum", "min-max", {}),
    "combsum(norm=sum)": ("sum", "sum", {}),
    "combsum(norm=z-score)": ("sum", "zmuv", {}),
    "combsum(norm=none)": ("sum", None, {}),
    "combmnz": ("mnz", "min-max", {}),
    "combmnz(norm=sum)": ("mnz", "sum", {}),
    "combmnz(norm=z-score)": ("mnz", "zmuv", {}),
}


def _world(random: Random) -> list[dict[str, dict[str, float]]]:
    """Runs of the same topics, since ranx takes no others; no two scores of a list are the same.

    All names have the same length: without a norm, ranx 0.3.21 loses documents whose names are
    longer than those of a run before.
    """
    topics = [str(number) for number in range(1, random.randint(2, 6))]
    documents = [f"d{number:02}" for number in range(random.randint(2, 40))]
    return [
        {
            topic: {
                document: random.uniform(-3, 30)
                for document in random.sample(documents, random.randint(1, len(documents)))
            }
            for topic in topics
        }
        for _ in range(random.randint(2, 5))
    ]


@pytest.mark.parametrize("seed", range(50))
def test_scores_are_those_of_ranx(seed: int) -> None:
    runs = _world(Random(seed))
    for ours, (method, norm, params) in _METHODS.items():
        theirs: Any = ranx.fuse(
            [ranx.Run(run, name=str(at)) for at, run in enumerate(runs)],
            norm=norm,
            method=method,
            params=params or None,
        )
        expected = {topic: dict(scores) for topic, scores in theirs.to_dict().items()}
        fused = fuse([Run.from_dict(run) for run in runs], ours).to_dict()
        assert fused.keys() == expected.keys()
        for topic, scores in fused.items():
            assert scores == pytest.approx(expected[topic], rel=1e-9, abs=1e-9), (ours, topic)
