"""The drop-in for inex_eval 3.1 by brute force, character by character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doxeval.compat import (
    JudgedArticle,
    JudgedTopic,
    Passage,
    TopicResults,
    check_no_overlap,
    thorough_scores,
    tolerance_score,
)
from doxeval.errors import FormatError

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=8)


def placed(ranges: list[tuple[int, int]]) -> list[Passage]:
    return [
        Passage(b"a", start, start + size, size, line)
        for line, (start, size) in enumerate(ranges, 1)
    ]


@given(RANGES, st.tuples(st.integers(-5, 40), st.integers(0, 40)))
def test_relevant_characters_count_as_often_as_passages_have_them(
    passages: list[tuple[int, int]], wanted: tuple[int, int]
) -> None:
    article = JudgedArticle(1, 99, passages=[(start, start + size) for start, size in passages])
    start, end = wanted[0], sum(wanted)
    by_character = sum(
        start <= at < end for first, size in passages for at in range(first, first + size)
    )
    assert article.relevant_in(start, end) == by_character


@given(RANGES, RANGES)
def test_thorough_counts_each_character_once(
    passages: list[tuple[int, int]], ranges: list[tuple[int, int]]
) -> None:
    topic = JudgedTopic()
    article = topic.add(b"a", 1000, 50)
    relevant = {at for start, size in passages for at in range(start, start + size)}
    article.passages += [(at, at + 1) for at in relevant]
    seen = {at for start, size in ranges for at in range(start, start + size)}
    counts = thorough_scores(placed(ranges), topic).counts
    assert (counts.ret_size, counts.rel_ret_size) == (len(seen), len(seen & relevant))


def overlap(one: Passage, other: Passage) -> bool:
    return one.start < other.end and other.start < one.end


@given(RANGES)
def test_the_first_line_that_overlaps_an_earlier_one_is_named(
    ranges: list[tuple[int, int]],
) -> None:
    results = placed(ranges)
    faulty = [
        result.line
        for at, result in enumerate(results)
        if any(overlap(result, earlier) for earlier in results[:at])
    ]
    try:
        check_no_overlap(TopicResults(b"7", 1, b"mine", results), "run.txt")
    except FormatError as error:
        assert error.line == faulty[0]
    else:
        assert not faulty


@given(RANGES, RANGES, st.integers(1, 40), st.integers(0, 40))
def test_t2i_reads_character_by_character(
    passages: list[tuple[int, int]],
    ranges: list[tuple[int, int]],
    tolerance: int,
    length: int,
) -> None:
    results: list[Passage] = []
    for result in placed(ranges):
        if not any(overlap(result, other) for other in results):
            results.append(result)
    relevant = {at for start, size in passages for at in range(start, start + size)}
    returned = [at for one in sorted(results, key=lambda r: r.start) for at in range(*one[1:3])]
    found = wasted = 0
    for at in [*returned, *(at for at in range(length) if at not in set(returned))]:
        if wasted == tolerance:
            break
        found += at in relevant
        wasted += at not in relevant
    article = JudgedArticle(1, length, passages=[(start, start + size) for start, size in passages])
    expected = found / (found + wasted) if found + wasted else 0.0
    assert tolerance_score(tolerance)(article, results) == expected
