"""Laws of the measures of chunks: copies, needs that are split, results that are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment, NeededSpan, resolved_judgments
from doxeval.evaluation import RunOptions, evaluate, ranked
from doxeval.measures import MEASURES, GroundTruth, Law, Measure, Texts, measure_named
from doxeval.runs import Kind, Result, run_of
from law_cases import declaring, varied
from levels import examples
from scenes import SLACK
from strategies import World, needed_worlds, worlds

chances = st.integers(0, 2**32).map(Random)


def scores(
    world: World, judgments: Sequence[Judgment], results: Sequence[Result], measure: Measure
) -> list[float]:
    collection = world.collection()
    resolved = resolved_judgments(judgments, collection).judgments
    texts = Texts(collection, "words")
    truth = GroundTruth.of(Assessments(resolved), collection, texts=texts)
    found = ranked(run_of(results), truth, RunOptions(duplicates="keep"))
    values: list[float] = measure.settled(truth).scores(found.ranking).tolist()
    return values


def obeying(law: Law, random: Random) -> list[Measure]:
    """A variant of each measure that obeys a law."""
    found = []
    for name in declaring(law):
        measure = varied(MEASURES[name], object, random)  # type: ignore[arg-type]
        if measure is not None and law in measure.laws:
            found.append(measure)
    return found


def without_tokens(results: Sequence[Result]) -> list[Result]:
    return [one._replace(tokens=None, rank=None, score=None) for one in results]


@given(worlds(), chances)
@examples(60)
def test_relevant_passages_may_be_split_into_needs(world: World, random: Random) -> None:
    judgments = [j for j in world.judgments if j.highlights] or [Judgment("1", "a")]
    split = [
        replace(
            judgment,
            needs=tuple(
                NeededSpan(None, begin, after)
                for start, end in judgment.highlights
                for begin, after in pairwise(sorted({start, random.randint(start, end), end}))
            ),
        )
        for judgment in judgments
    ]
    for measure in (*obeying(Law.NEEDS_MAY_BE_SPLIT, random), measure_named("cR@3")):
        found = scores(world, split, world.chunks, measure)
        expected = scores(world, judgments, world.chunks, measure)
        assert found == pytest.approx(expected, abs=SLACK, nan_ok=True), measure


@given(needed_worlds(), chances)
@examples(60)
def test_results_may_be_cut_in_two(world: World, random: Random) -> None:
    results = without_tokens(world.chunks)
    cut: list[Result] = []
    for one in results:
        if one.kind != Kind.SPANS or len(one.spans) != 1:
            cut.append(one)
            continue
        ((start, end),) = one.spans
        at = random.randint(start, end)
        cut += [
            one._replace(kind=Kind.PASSAGE, start=begin, end=after, spans=())
            for begin, after in ((start, at), (at, end))
            if after > begin
        ]
    for measure in obeying(Law.RESULTS_MAY_BE_CUT, random):
        if getattr(measure, "unit", "") != "characters":
            continue  # a word that is cut in two belongs to the first part
        found = scores(world, world.judgments, cut, measure)
        expected = scores(world, world.judgments, results, measure)
        assert found == pytest.approx(expected, abs=SLACK, nan_ok=True), measure


@given(chances)
@examples(60)
def test_any_copy_of_an_answer_will_do(random: Random) -> None:
    """Two documents with the same text: whatever is returned from one may come from the other."""
    from strategies import Node, Piece

    text = "".join(random.choice("ab  c") for _ in range(30))
    node = Node("article", (Piece(text, text),))
    spans = [sorted(random.sample(range(31), 2)) for _ in range(random.randint(1, 3))]
    judgments = [
        Judgment(
            "1",
            name,
            needs=tuple(NeededSpan(str(at), *span) for at, span in enumerate(spans)),
        )
        for name in ("a", "b")
    ]
    returned = [sorted(random.sample(range(31), 2)) for _ in range(random.randint(1, 5))]
    runs = [
        [Result("1", name, Kind.PASSAGE, start, end) for start, end in returned]
        for name in ("a", "b")
    ]
    world = World((("a", node), ("b", node)), tuple(judgments), (), ())
    for measure in obeying(Law.ANY_COPY_WILL_DO, random):
        found = [scores(world, judgments, run, measure) for run in runs]
        assert found[0] == pytest.approx(found[1], abs=SLACK, nan_ok=True), measure


@given(needed_worlds(), chances, st.integers(1, 40))
@examples(60)
def test_utility_is_the_mean_of_recall(world: World, random: Random, budget: int) -> None:
    unit = random.choice(["characters", "words", "tokens"])
    utility = scores(
        world, world.judgments, world.chunks, measure_named(f"U@{budget}(unit={unit})")
    )
    recalls = [
        scores(world, world.judgments, world.chunks, measure_named(f"bR@{b}(unit={unit})"))
        for b in range(1, budget + 1)
    ]
    means = [sum(values) / budget for values in zip(*recalls, strict=True)]
    assert utility == pytest.approx(means, abs=SLACK, nan_ok=True)
    for value, last in zip(utility, recalls[-1], strict=True):
        assert value != value or -SLACK <= value <= last + SLACK


@given(needed_worlds(), chances)
@examples(60)
def test_repeats_never_help(world: World, random: Random) -> None:
    """What was shown before gains nothing, wherever it comes again."""
    results = without_tokens(world.chunks)
    if not results:
        return
    at = random.randrange(len(results))
    later = [n for n in range(at, len(results)) if results[n].topic == results[at].topic]
    place = random.choice(later) + 1
    longer = [*results[:place], results[at], *results[place:]]
    for name in ("IoU", "bR", "U", "hit", "sR", "all", "RR", "cR", "cP"):
        # A repeat may push something worse out of a list that is cut.
        uncut = {"k": 20} if name in ("IoU", "cP") else {}
        measure = varied(MEASURES[name], object, random, **uncut)  # type: ignore[arg-type]
        if measure is None or getattr(measure, "alpha", 0) > 0:
            continue
        before = scores(world, world.judgments, results, measure)
        after = scores(world, world.judgments, longer, measure)
        for old, new in zip(before, after, strict=True):
            assert old != old or new <= old + SLACK, measure


# One need that is answered by a[0, 10) or by b[0, 20), and a run that shows half of the longer one.
ALTERNATIVES = (
    Judgment("1", "a", needs=(NeededSpan("who", 0, 10),)),
    Judgment("1", "b", needs=(NeededSpan("who", 0, 20),)),
)
HALF_OF_B = (Result("1", "b", Kind.PASSAGE, 0, 10),)


@pytest.mark.parametrize("judgments", [ALTERNATIVES, ALTERNATIVES[::-1]])
def test_the_order_of_gold_lines_changes_no_score(judgments: Sequence[Judgment]) -> None:
    """The need weighs 10 characters and is answered to a half; b stands as if it were alone."""
    by_rank = {"cR@5": 0.5, "cP@5": 1, "cF@5": 2 / 3, "IoU@5": 0.5, "iP[0.5]": 1, "MAiP": 51 / 101}
    by_budget = {"bR@10": 0.5, "bR@4": 0.2, "U@10": 0.275, "Cost@99[0.5]": 10, "Red@5": 0}
    expected = by_rank | by_budget
    table = evaluate(run_of(HALF_OF_B, "run"), Assessments(judgments), list(expected))
    assert table.mean()["run"] == pytest.approx(expected)


@pytest.mark.parametrize("judgments", [ALTERNATIVES, ALTERNATIVES[::-1]])
def test_lengths_of_alternatives_are_solid_where_white_space_is_ignored(
    judgments: Sequence[Judgment],
) -> None:
    """b has four solid characters, of which two are shown; a has ten."""
    texts = {"a": "abcdefghij", "b": "x   y     z   w     "}
    table = evaluate(
        run_of(HALF_OF_B, "run"),
        Assessments(judgments),
        ["cR@5", "IoU@5", "bR@1(unit=characters)"],
        texts=texts,
        solid=True,
    )
    assert list(table.mean()["run"].values()) == pytest.approx([0.5, 0.5, 0.25])


def test_precision_never_counts_a_character_twice() -> None:
    """Two needs with the same alternatives share their text: it is read, and relevant, once."""
    needs = tuple(NeededSpan(name, *span) for name in ("x", "y") for span in ((0, 4), (6, 9)))
    run = run_of([Result("1", "a", Kind.PASSAGE, 0, 4)], "run")
    table = evaluate(run, Assessments([Judgment("1", "a", needs=needs)]), ["cP@5", "IoU@5", "cR@5"])
    assert table.mean()["run"] == {"cP@5": 1.0, "IoU@5": 1.0, "cR@5": 1.0}
