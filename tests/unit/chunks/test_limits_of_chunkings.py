"""Limits of a cut and the oracle, beside a direct count of characters."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.assessments import Assessments, Judgment, NeededSpan
from doxeval.chunks import Chunks, Oracle
from doxeval.measures import GroundTruth
from levels import examples

TEXT = "ab c. Dd\n\nee f! gg hi  jk lm. no"
Span = tuple[int, int]


@st.composite
def ranges(draw: st.DrawFn, least: int = 1) -> Span:
    start = draw(st.integers(0, len(TEXT) - 1))
    return start, draw(st.integers(min(start + least, len(TEXT)), len(TEXT)))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Chunks, Assessments]:
    docs = chunks.documents({"a": TEXT, "b": TEXT})
    several = draw(st.lists(st.lists(ranges(), min_size=1, max_size=2), min_size=1, max_size=6))
    homes = [draw(st.sampled_from("ab")) for _ in several]
    needs: dict[str, list[NeededSpan]] = {"a": [], "b": []}
    for need in range(draw(st.integers(1, 3))):
        grade = draw(st.sampled_from([1, 1, 2]))
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            span = draw(ranges())
            needs[draw(st.sampled_from("ab"))].append(NeededSpan(str(need), *span, grade))
    judged = [Judgment("7", name, needs=tuple(own)) for name, own in needs.items() if own]
    return Chunks.of(docs, homes, several), Assessments(judged)


def shown(cut: Chunks, row: int) -> set[tuple[str, int]]:
    home = cut.documents[int(cut.document[row])]
    return {(home, at) for start, end in cut.spans.as_tuples()[row] for at in range(start, end)}


def solid(characters: set[tuple[str, int]]) -> set[tuple[str, int]]:
    return {one for one in characters if not TEXT[one[1]].isspace()}


def alternatives(gold: Assessments) -> dict[str, list[set[tuple[str, int]]]]:
    found: dict[str, list[set[tuple[str, int]]]] = {}
    for judgment in gold:
        for need in judgment.needs:
            text = {(judgment.document, at) for at in range(need.start, need.end)}
            own = found.setdefault(str(need.need), [])
            if text not in own:
                own.append(text)
    return found


@given(worlds())
def test_coverage_overlap_intact_and_pieces(world: tuple[Chunks, Assessments]) -> None:
    cut, gold = world
    found = chunks.limits(cut, gold)
    texts = [solid(shown(cut, row)) for row in range(len(cut))]
    covered = set().union(*texts)
    everything = solid({(name, at) for name in "ab" for at in range(len(TEXT))})
    assert found.coverage == pytest.approx(len(covered) / len(everything))
    if covered:
        assert found.overlap == pytest.approx(sum(map(len, texts)) / len(covered))
    intact, pieces = [], []
    for own in alternatives(gold).values():
        spans = [solid(one) for one in own if solid(one)]
        if not spans:
            continue
        intact.append(any(span <= text for span in spans for text in texts))
        touched = [sum(bool(span & text) for text in texts) for span in spans]
        pieces.append(min([count for count in touched if count], default=0))
    if intact:
        assert found.intact == pytest.approx(np.mean(intact))
        assert found.chunks_per_need == pytest.approx(np.mean(pieces))


@given(worlds())
def test_omega_is_gold_in_chunks_out_of_both(world: tuple[Chunks, Assessments]) -> None:
    cut, gold = world
    texts = [shown(cut, row) for row in range(len(cut))]

    def fit(text: set[tuple[str, int]]) -> Fraction:
        around = set().union(*(one for one in texts if one & text))
        return Fraction(len(text & around), len(text | around))

    by_need = [
        max(sorted(own, key=lambda one: (len(one), min(one))), key=fit)
        for own in alternatives(gold).values()
    ]
    chosen = set().union(*by_need)
    around = set().union(*(one for one in texts if any(one & text for text in by_need)))
    assert chunks.limits(cut, gold).omega == pytest.approx(
        len(chosen & around) / len(chosen | around)
    )


def worth(gold: Assessments, read: set[tuple[str, int]]) -> Fraction:
    """What is shown of what is wanted, from its definition: see measures/new_text.py."""
    grades = {str(need.need): Fraction(need.grade) for judgment in gold for need in judgment.needs}
    most = max(grades.values())
    single: dict[tuple[str, int], Fraction] = {}
    total = Fraction(0)
    for need, own in alternatives(gold).items():
        value = grades[need] / most
        if len(own) == 1:
            for one in own[0]:
                single[one] = max(value, single.get(one, Fraction(0)))
        else:
            share = max(Fraction(len(one & read), len(one)) for one in own)
            total += value * min(map(len, own)) * share
    return total + sum((value for one, value in single.items() if one in read), Fraction(0))


@given(worlds())
@examples(60)
def test_the_oracle_reads_what_adds_most_for_its_cost(world: tuple[Chunks, Assessments]) -> None:
    cut, gold = world
    cost = cut.spans.sizes()
    read: set[tuple[str, int]] = set()
    left = set(range(len(cut)))
    expected = []
    while left:
        before = worth(gold, read)
        gains = {row: worth(gold, read | shown(cut, row)) - before for row in left}
        best = max(left, key=lambda row: (gains[row] / int(cost[row]), gains[row], -row))
        if gains[best] <= 0:
            break
        expected.append(best)
        read |= shown(cut, best)
        left.remove(best)
    (steps,) = Oracle(cut.table, GroundTruth.of(gold)).steps(cost)
    assert [step.chunk for step in steps] == expected
    assert sum(step.gain for step in steps) == pytest.approx(float(worth(gold, read)))


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[Chunks, Assessments]:
    edges = sorted(draw(st.sets(st.integers(1, len(TEXT) - 1), min_size=1, max_size=4)))
    spans = list(zip([0, *edges], [*edges, len(TEXT)], strict=True))
    docs = chunks.documents({"a": TEXT})
    gold = Assessments(
        [Judgment("7", "a", tuple(draw(st.lists(ranges(), min_size=1, max_size=3))))]
    )
    return Chunks.of(docs, ["a"] * len(spans), [[span] for span in spans]), gold


@given(disjoint())
@examples(40)
def test_no_order_of_disjoint_chunks_beats_the_oracle(world: tuple[Chunks, Assessments]) -> None:
    cut, gold = world
    wanted = set().union(*(one for own in _highlights(gold) for one in [own]))
    (steps,) = Oracle(cut.table, GroundTruth.of(gold)).steps(cut.spans.sizes())
    order = [step.chunk for step in steps]
    at_edges = np.cumsum([len(shown(cut, row)) for row in order]).tolist()
    for count, budget in enumerate(at_edges, 1):
        reached = len(wanted & set().union(*(shown(cut, row) for row in order[:count])))
        for other in permutations(range(len(cut))):
            assert _whole_within(cut, other, budget, wanted) <= reached


def _highlights(gold: Assessments) -> list[set[tuple[str, int]]]:
    return [
        {(judgment.document, at) for start, end in judgment.highlights for at in range(start, end)}
        for judgment in gold
    ]


def _whole_within(
    cut: Chunks, order: tuple[int, ...], budget: int, wanted: set[tuple[str, int]]
) -> int:
    read: set[tuple[str, int]] = set()
    for row in order:
        if len(read) + len(shown(cut, row)) > budget:
            break
        read |= shown(cut, row)
    return len(read & wanted)


@given(disjoint())
@examples(40)
def test_no_set_of_disjoint_chunks_has_a_better_iou(world: tuple[Chunks, Assessments]) -> None:
    cut, gold = world
    wanted = set().union(*_highlights(gold))
    best = Fraction(0)
    for chosen in range(1, 1 << len(cut)):
        read = set().union(*(shown(cut, row) for row in range(len(cut)) if chosen >> row & 1))
        best = max(best, Fraction(len(read & wanted), len(read | wanted)))
    assert chunks.limits(cut, gold).best_iou == pytest.approx(float(best))


def test_the_best_iou_of_alternatives_is_that_of_the_measure() -> None:
    docs = chunks.documents({"a": "x" * 10, "b": "y" * 20})
    spans = (Judgment("7", "a", needs=(NeededSpan("who", 0, 10),)),
             Judgment("7", "b", needs=(NeededSpan("who", 0, 20),)))  # fmt: skip
    cut = Chunks.of(docs, ["b"], [[(0, 20)]])
    for gold in (Assessments(spans), Assessments(spans[::-1])):
        run = chunks.oracle(cut, gold)
        assert chunks.evaluate(run, gold, "IoU@1").mean() == {"oracle": {"IoU@1": 1}}
        assert chunks.limits(cut, gold).best_iou == 1


def test_chunks_that_only_touch_gold_are_left_out() -> None:
    docs = chunks.documents({"a": "0123456789"})
    gold = Assessments([Judgment("7", "a", ((2, 5),))])
    cut = Chunks.of(docs, ["a"] * 3, [[(0, 2)], [(2, 5)], [(5, 9)]])
    found = chunks.limits(cut, gold)
    assert (found.omega, found.best_iou, found.intact, found.chunks_per_need) == (1, 1, 1, 1)


def test_white_space_at_a_border_costs_nothing() -> None:
    docs = chunks.documents({"a": "One two.\n\nThree."})
    gold = Assessments([Judgment("7", "a", ((0, 10),))])
    found = chunks.limits(chunks.split(docs, "paragraphs"), gold)
    assert (found.coverage, found.intact, found.inside) == (1, 1, 0)
    assert found.boundaries["paragraphs"] == (1, 1, 1)


def test_a_chunk_that_costs_nothing_comes_first() -> None:
    docs = chunks.documents({"a": "One two three four"})
    gold = Assessments([Judgment("7", "a", ((0, 18),))])
    cut = Chunks.of(docs, ["a"] * 2, [[(0, 13)], [(14, 18)]], tokens=[3, 0])
    run = chunks.oracle(cut, gold, unit="tokens", tokens="words")
    assert [result.start for result in run] == [14, 0]


def test_documents_without_chunks_and_short_documents_are_told() -> None:
    docs = chunks.documents({"a": "One two.", "b": "Three.", "c": "Four."})
    gold = Assessments([Judgment("7", "a", ((0, 3),)), Judgment("7", "c", ((0, 4),))])
    found = chunks.limits(Chunks.of(docs, ["a"], [[(0, 8)]]), gold)
    assert found.intact == 0.5
    assert "2 documents without chunks" in found.warnings
    assert any("chunkings hardly differ" in warning for warning in found.warnings)


def test_a_question_without_gold_is_not_counted() -> None:
    docs = chunks.documents({"a": "One two."})
    gold = Assessments([Judgment("7", "a", ((0, 3),)), Judgment("8", "a")])
    found = chunks.limits(chunks.split(docs, "words:1:0"), gold)
    assert found.omega == 1
    assert len(chunks.oracle(chunks.split(docs, "words:1:0"), gold)) == 1
