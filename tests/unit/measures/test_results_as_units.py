"""Chunks as units: the numbers of LlamaIndex's evaluators and of ragas' context precision.

Theirs are computed from their definitions, and by the libraries themselves where these are
installed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import pytest

from doxeval.assessments import Assessments, Judgment, NeededSpan
from doxeval.errors import MissingInput, SyntaxProblem
from doxeval.evaluation import evaluate
from doxeval.measures import measure_named
from doxeval.runs import ChunkTable, Kind, Result, Run
from levels import LEVEL

SIZE, CHUNKS = 10, 12  # of characters in a chunk, and of chunks in each of two documents
LISTED = 5
# What each of their metrics is called here; lists have five results.
LLAMA_INDEX = {
    "hit_rate": "hit@5(by=chunk)",
    "mrr": "RR@5(unit=result)",
    "precision": "P@5(unit=result)",
    "recall": "R@5(unit=result)",
    "ap": "AP(unit=result)",
    "ndcg": "nDCG(unit=result)",
}
CONTEXT_PRECISION = "AP(unit=result,of=returned)"


class World(NamedTuple):
    """Chunks by id, which of them show a need, and which were retrieved."""

    places: dict[str, tuple[str, int]]
    judged: list[Judgment]
    expected: list[str]
    retrieved: list[str]

    def scores(self, *names: str) -> dict[str, float | None]:
        """What doxeval says."""
        spans = [[(start, start + SIZE)] for _, start in self.places.values()]
        table = ChunkTable.of(list(self.places), [name for name, _ in self.places.values()], spans)
        results = [
            Result("q", name, Kind.PASSAGE, start, start + SIZE)
            for name, start in map(self.places.__getitem__, self.retrieved)
        ]
        scores = evaluate(
            Run.from_results(results, "run"), Assessments(self.judged), names, chunks=table
        )
        return dict(zip(names, scores.mean()["run"].values(), strict=True))


def random_world(random: Random) -> World:
    """Return needs inside single chunks, some in several copies, and one across two chunks."""
    places = {
        f"{document}{number}": (document, number * SIZE)
        for document in "ab"
        for number in range(CHUNKS)
    }
    expected: set[str] = set()
    needs: dict[str, list[NeededSpan]] = {"a": [NeededSpan("across", SIZE - 2, SIZE + 2)], "b": []}
    for need in range(random.randint(1, 3)):
        for chunk in random.sample(sorted(places), random.randint(1, 2)):
            document, start = places[chunk]
            begin = start + random.randint(0, 4)
            needs[document].append(NeededSpan(str(need), begin, begin + random.randint(1, 5)))
            expected.add(chunk)
    judged = [Judgment("q", document, needs=tuple(spans)) for document, spans in needs.items()]
    likely = random.sample(sorted(expected), min(len(expected), random.randint(0, 3)))
    others = random.sample(sorted(set(places) - set(likely)), LISTED - len(likely))
    return World(places, judged, sorted(expected), random.sample(likely + others, LISTED))


WORLDS = [random_world(Random(number)) for number in range(20 if LEVEL == "unit" else 200)]


# LlamaIndex


def by_definition(expected: Sequence[str], retrieved: Sequence[str]) -> dict[str, float]:
    """Their metrics of node ids."""
    hits = [chunk in expected for chunk in retrieved]
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    precisions = [sum(hits[:rank]) / rank for rank in ranks]
    return {
        "hit_rate": float(any(hits)),
        "mrr": 1 / ranks[0] if ranks else 0.0,
        "precision": len(ranks) / len(retrieved),
        "recall": len(ranks) / len(expected),
        "ap": math.fsum(precisions) / len(expected),
        "ndcg": math.fsum(1 / math.log2(rank + 1) for rank in ranks)
        / math.fsum(1 / math.log2(rank + 1) for rank in range(1, len(expected) + 1)),
    }


def by_llama_index(expected: Sequence[str], retrieved: Sequence[str]) -> dict[str, float]:
    """The same by the library itself."""
    metrics: Any = pytest.importorskip(
        "llama_index.core.evaluation.retrieval.metrics",
        reason="the evaluators of llama_index are not installed",
    )
    return {
        name: metrics.METRIC_REGISTRY[name]()
        .compute(expected_ids=list(expected), retrieved_ids=list(retrieved))
        .score
        for name in LLAMA_INDEX
    }


@pytest.mark.parametrize("metrics", [by_definition, by_llama_index])
def test_metrics_of_llama_index(
    metrics: Callable[[Sequence[str], Sequence[str]], dict[str, float]],
) -> None:
    for world in WORLDS:
        theirs = metrics(world.expected, world.retrieved)
        ours = world.scores(*LLAMA_INDEX.values())
        for name, label in LLAMA_INDEX.items():
            assert ours[label] == pytest.approx(theirs[name], abs=1e-12), (name, world)


# ragas


def precision_by_definition(verdicts: list[int]) -> float:
    """The mean of precision at the ranks of contexts that were judged useful."""
    useful = [sum(verdicts[:rank]) / rank for rank, useful in enumerate(verdicts, 1) if useful]
    return math.fsum(useful) / len(useful) if useful else 0.0


def precision_by_ragas(verdicts: list[int]) -> float:
    """The same by the library itself."""
    metrics: Any = pytest.importorskip(
        "ragas.metrics._context_precision", reason="the evaluators of ragas are not installed"
    )
    given = [metrics.Verification(reason="", verdict=verdict) for verdict in verdicts]
    score: float = metrics.context_precision._calculate_average_precision(given)
    return score


@pytest.mark.parametrize("precision", [precision_by_definition, precision_by_ragas])
def test_context_precision_of_ragas(precision: Callable[[list[int]], float]) -> None:
    for world in WORLDS:
        verdicts = [int(chunk in world.expected) for chunk in world.retrieved]
        score = world.scores(CONTEXT_PRECISION)[CONTEXT_PRECISION]
        assert score == pytest.approx(precision(verdicts), abs=1e-9), world


# What counts


def scored(
    results: Sequence[tuple[str, int, int]], needs: Sequence[NeededSpan], *names: str
) -> list[float | None]:
    """Score results of a topic with needs in document a; chunks have ten characters each."""
    spans = [[(start, start + 10)] for start in range(0, 60, 10)]
    chunks = ChunkTable.of([str(number) for number in range(6)], ["a"] * 6, spans)
    run = Run.from_results(
        [Result("q", *result[:1], Kind.PASSAGE, *result[1:]) for result in results]
    )
    judged = Assessments([Judgment("q", "a", needs=tuple(needs))])
    return list(evaluate(run, judged, names, chunks=chunks).mean()["run"].values())


TWO = (NeededSpan("who", 2, 8), NeededSpan("when", 15, 25, grade=3))


def test_a_result_is_relevant_if_it_shows_enough_of_a_need_by_itself() -> None:
    results = [("a", 10, 20), ("a", 0, 10), ("a", 20, 30)]
    names = [f"P@3(unit=result,cover={cover})" for cover in ("1", ".5", "0")]
    assert scored(results, TWO, *names) == pytest.approx([1 / 3, 1, 1])


def test_gains_are_the_highest_grades_of_needs() -> None:
    results = [("a", 0, 10), ("a", 10, 20)]
    ideal = 3 + 3 / math.log2(3) + 1 / 2
    names = ("nDCG(unit=result,cover=.5)", "nDCG@1(unit=result,cover=.5)")
    gained = 1 + 3 / math.log2(3)
    assert scored(results, TWO, *names) == pytest.approx([gained / ideal, 1 / ideal])
    of_returned = gained / (3 + 1 / math.log2(3))
    name = "nDCG(unit=result,cover=.5,of=returned)"
    assert scored(results, TWO, name) == pytest.approx([of_returned])


def test_a_result_that_comes_again_takes_a_rank_and_is_not_relevant() -> None:
    results = [("a", 0, 10), ("a", 0, 10), ("a", 10, 20)]
    names = ("P@3(unit=result,cover=.5)", "AP(unit=result,cover=.5,of=returned)")
    assert scored(results, TWO, *names) == pytest.approx([2 / 3, (1 + 2 / 3) / 2])


def test_nothing_relevant_is_0_of_what_is_returned_and_undefined_without_a_relevant_chunk() -> None:
    across = [NeededSpan("across", 5, 15)]
    names = ("AP(unit=result,of=returned)", "AP(unit=result)", "nDCG(unit=result,of=returned)")
    assert scored([("a", 0, 10)], across, *names) == [0.0, None, 0.0]


def test_all_relevant_chunks_must_be_known() -> None:
    judged: Any = {"q": {"a": [(0, 5)]}}
    run = Run.from_results([Result("q", "a", Kind.PASSAGE, 0, 9)])
    for name in ("R@5(unit=result)", "AP(unit=result)", "nDCG@5(unit=result)"):
        with pytest.raises(MissingInput, match=r"needs the chunks that systems could return"):
            evaluate(run, judged, name)
    with pytest.raises(MissingInput, match=r"P@5\(unit=result\) needs highlighted text"):
        evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, "P@5(unit=result)")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P@5(cover=.5)", "cover is for unit=result"),
        ("AP(of=returned)", "of is for unit=result"),
        ("nDCG(of=returned)", "of is for unit=result"),
        ("P@5(unit=result,rel=2)", "rel and judged_only are for unit=document"),
        ("nDCG@5(unit=result,judged_only=on)", "rel and judged_only are for unit=document"),
        ("R@5(unit=result,cover=2)", "cover must be between 0 and 1"),
        ("RR@5(unit=result,by=chunk)", "by is for unit=need"),
        ("RR@5(unit=result,rel=2)", "rel and judged_only are for unit=document"),
        ("P@5(unit=chunk)", "expected document or result"),
    ],
)
def test_parameters_without_effect_are_refused(name: str, message: str) -> None:
    with pytest.raises(SyntaxProblem, match=message):
        measure_named(name)
