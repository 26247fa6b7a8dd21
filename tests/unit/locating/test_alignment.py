"""One place for each chunk: held against every choice there is, and against places known before."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from doxeval.locating import (
    DenseText,
    DenseTexts,
    PlaceCandidates,
    aligned,
    locate_chunks,
    occurrences,
)
from every_choice import best_choices, places_of
from seams import value_of
from strategies.chunked import Cut, cut_texts

MOST_CHOICES = 3_000


def candidates_of(text: str, chunks: list[str]) -> PlaceCandidates:
    document, pieces = DenseText(text), DenseTexts(chunks)
    found = occurrences(document, pieces)
    return PlaceCandidates.of(found, np.arange(len(chunks)), pieces.lengths, len(document))


@st.composite
def small_problems(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A short text of few letters, and pieces of it in order, perhaps with gaps between them."""
    text = draw(st.text("ab", min_size=1, max_size=12))
    starts = sorted(draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=5)))
    ends = sorted(draw(st.integers(at + 1, len(text))) for at in starts)
    chunks = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    assume(all(chunks) and prod(len(places_of(text, one)) for one in chunks) <= MOST_CHOICES)
    return text, chunks


@given(small_problems())
def test_no_choice_is_better_and_ambiguous_chunks_have_two_places_in_best_choices(
    problem: tuple[str, list[str]],
) -> None:
    text, chunks = problem
    best = best_choices(text, chunks)
    found = aligned(candidates_of(text, chunks))
    assert found.passes == 1
    assert tuple(found.start.tolist()) in best
    assert found.ambiguous.tolist() == [len(set(places)) > 1 for places in zip(*best, strict=True)]


@given(small_problems(), st.data())
def test_own_places_decide_between_best_choices(
    problem: tuple[str, list[str]], data: st.DataObject
) -> None:
    text, chunks = problem
    best = best_choices(text, chunks)
    wanted = data.draw(st.sampled_from(best))
    found = aligned(candidates_of(text, chunks), np.array(wanted, dtype=np.int64))
    assert tuple(found.start.tolist()) == wanted


@given(cut_texts())
def test_places_known_before_are_found_unless_ambiguous(cut: Cut) -> None:
    solid = ["".join(chunk.split()) for chunk in cut.chunks]
    rows = [row for row, chunk in enumerate(solid) if chunk]
    true = [len("".join(cut.text[: cut.places[row][0]].split())) for row in rows]
    found = aligned(candidates_of(cut.text, [solid[row] for row in rows]))
    assert found.passes == min(len(rows), 1)
    for place, at, ambiguous in zip(true, found.start, found.ambiguous, strict=True):
        assert place == at or ambiguous


def test_of_equal_copies_the_one_with_the_usual_overlap_is_taken() -> None:
    text = "abcdefghXXXXXXXXXXijklmnop"
    chunks = "abcd cdef efgh ghXX XXXX XXXX XXXX XXij ijkl klmn mnop".split()
    found = aligned(candidates_of(text, chunks))
    assert found.start.tolist() == [0, 2, 4, 6, 8, 10, 12, 16, 18, 20, 22]
    assert np.flatnonzero(found.ambiguous).tolist() == [4, 5, 6]


def test_the_usual_overlap_is_the_median_of_neighbours_that_are_settled() -> None:
    text = "rstu" + "." * 40 + "abcdefghXXXXXXXXXXijklmnop"  # the mean would be a gap
    chunks = "rstu abcd cdef efgh ghXX XXXX XXXX XXXX XXij ijkl klmn mnop".split()
    start = aligned(candidates_of(text, chunks)).start
    assert (start[1:] - 44).tolist() == [0, 2, 4, 6, 8, 10, 12, 16, 18, 20, 22]


def test_chunks_that_cannot_follow_begin_the_text_anew() -> None:
    found = aligned(candidates_of("abcdef", ["ab", "cdef", "abc", "def"]))
    assert found.start.tolist() == [0, 2, 0, 3]
    assert found.passes == 2 and not found.ambiguous.any()


def test_chunks_between_two_passes_that_nothing_ties_to_one_of_them_are_ambiguous() -> None:
    found = aligned(candidates_of("xabxcdx", ["ab", "cd", "x", "xab"]))
    assert found.passes == 2
    assert found.ambiguous.tolist() == [False, False, True, False]


def test_too_many_places_are_ambiguous_instead_of_slow() -> None:
    text = "y" + "x" * 5_000 + "z"
    chunks = ["yx", *["x" * 50] * 1_000, "xz"]
    assert len(text) * len(chunks) > value_of("aligned_places")
    located = locate_chunks(text, chunks)
    starts = [located.spans(row)[0][0] for row in range(len(chunks))]
    assert starts[0] == 0 and starts[-1] == 5_000
    assert located.ambiguous[1:-1].all() and not located.ambiguous[[0, -1]].any()
    assert (np.diff(starts) >= 0).all()


def test_many_equal_places_are_spread_over_the_text() -> None:
    text = "x" * 20_000
    starts = list(range(0, len(text) - 50, 50))
    located = locate_chunks(text, [text[at : at + 100] for at in starts])
    assert located.ambiguous.all() and located.in_order
    assert len(text) * len(starts) > value_of("aligned_places")
    assert [located.spans(row)[0][0] for row in range(len(starts))] == starts
