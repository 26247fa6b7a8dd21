"""Chunks of one document: their ranges, how they were found, and what the report says."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import InputError
from doxeval.locating import (
    DenseText,
    DenseTexts,
    How,
    Located,
    find_quotes,
    locate_chunks,
    occurrences,
    total,
)
from seams import change
from strategies.chunked import Cut, cut_texts, respaced

TEXT = "The fog horn.\r\n\r\nSea lions, sea lions.\u2028The fog horn.\n\nThe end\x85 of it."


def solid(text: str) -> str:
    return "".join(text.split())


def words(located: Located) -> list[str]:
    return [How(how).word for how in located.how]


@given(cut_texts())
def test_chunks_as_they_stand_are_found_where_they_were_cut(cut: Cut) -> None:
    located = locate_chunks(cut.text, cut.chunks)
    for row, (chunk, place) in enumerate(zip(cut.chunks, cut.places, strict=True)):
        if not chunk.strip():
            assert located.how[row] == How.BLANK and located.spans(row) == ()
            continue
        ((start, end),) = located.spans(row)
        assert located.how[row] == How.EXACT and cut.text[start:end] == chunk
        assert (start, end) == place or located.ambiguous[row]
    assert located.report.uncovered == 0 and located.in_order


@given(cut_texts(), st.data())
def test_white_space_makes_no_difference(cut: Cut, data: st.DataObject) -> None:
    chunks = [data.draw(respaced(chunk)) for chunk in cut.chunks]
    located, plain = locate_chunks(cut.text, chunks), locate_chunks(cut.text, cut.chunks)
    assert located.ambiguous.tolist() == plain.ambiguous.tolist()
    for row, chunk in enumerate(cut.chunks):
        here = [solid(cut.text[a:b]) for a, b in located.spans(row)]
        assert here == [solid(chunk)] * len(here)
        assert [cut.text[a:b].strip() for a, b in plain.spans(row)] == [
            cut.text[a:b].strip() for a, b in located.spans(row)
        ]


@given(cut_texts())
def test_right_own_offsets_are_taken_over(cut: Cut) -> None:
    starts, ends = [start for start, _ in cut.places], [end for _, end in cut.places]
    located = locate_chunks(cut.text, cut.chunks, offsets=(starts, ends))
    for row, (chunk, place) in enumerate(zip(cut.chunks, cut.places, strict=True)):
        assert not chunk.strip() or located.spans(row) == (place,)
    assert not located.ambiguous.any()


@given(cut_texts(), st.data())
def test_own_offsets_never_make_a_place_wrong(cut: Cut, data: st.DataObject) -> None:
    guess = st.none() | st.integers(-5, len(cut.text) + 5)
    starts = [data.draw(st.just(start) | guess) for start, _ in cut.places]
    located = locate_chunks(cut.text, cut.chunks, offsets=(starts, None))
    for row, (chunk, (start, end)) in enumerate(zip(cut.chunks, cut.places, strict=True)):
        if chunk.strip() and not located.ambiguous[row]:
            ((a, b),) = located.spans(row)
            before = len(solid(cut.text[:start]))
            assert len(solid(cut.text[:a])) == before
            assert cut.text[a:b].split() == cut.text[start:end].split()


@given(cut_texts(), st.randoms())
def test_without_order_chunks_stand_where_their_text_does(
    cut: Cut, shuffling: random.Random
) -> None:
    chunks = list(cut.chunks)
    shuffling.shuffle(chunks)
    located = locate_chunks(cut.text, chunks, order="none")
    settled: dict[str, list[int]] = {}
    true: dict[str, list[int]] = {}
    for row, chunk in enumerate(chunks):
        for start, end in located.spans(row):
            assert solid(cut.text[start:end]) == solid(chunk)
            if not located.ambiguous[row]:
                settled.setdefault(solid(chunk), []).append(len(solid(cut.text[:start])))
    for chunk, (start, _) in zip(cut.chunks, cut.places, strict=True):
        true.setdefault(solid(chunk), []).append(len(solid(cut.text[:start])))
    for chunk, places in settled.items():
        # Counting supposes that equal chunks were cut from different places.
        if len(set(true[chunk])) == len(true[chunk]):
            assert sorted(places) == sorted(true[chunk])


def test_every_way_to_be_found_is_named() -> None:
    chunks = [
        "The fog horn.\r\n\r\nSea",
        "lions,   sea",
        " \n",
        "lions.\u2028The fog horn.",
        "nowhere to be seen",
    ]
    located = locate_chunks(TEXT, chunks)
    assert words(located) == ["exact", "white space", "blank", "exact", "not found"]
    assert located.spans(4) == () and located.share[4] < 0.8
    assert str(located.report) == (
        "5 chunks: 2 exact, 1 white space, 0 fuzzy, 1 blank, 1 not found · 0 occur more than once, "
        "0 ambiguous · 11 of 51 non-space characters in no chunk · offsets: none given"
    )


def test_a_character_cut_through_counts_as_not_shown() -> None:
    text = "one two 🐢 three four 🐢 five six"
    located = locate_chunks(text, ["one two \ufffd", "\ufffd three four \ufffd", "\ufffd five six"])
    assert words(located) == ["truncated"] * 3
    assert [text[a:b] for row in range(3) for a, b in located.spans(row)] == [
        "one two",
        "three four",
        "five six",
    ]
    assert located.report.uncovered == 2


def test_a_replacement_character_of_the_document_is_a_character() -> None:
    located = locate_chunks("one \ufffd two", ["one \ufffd", "two"])
    assert words(located) == ["exact", "exact"] and located.report.uncovered == 0


def test_shuffled_chunks_are_told_and_settled_by_counting() -> None:
    rows = [f"row {number} of the table. " for number in range(40)] + ["same. "] * 3
    text = "".join(rows)
    random.Random(5).shuffle(rows)
    located = locate_chunks(text, rows)
    assert not located.in_order and not located.ambiguous.any()
    assert all(text[a:b] == rows[row] for row in range(len(rows)) for a, b in located.spans(row))
    assert "not in the order of the text" in str(located.report)


def test_without_order_what_counting_does_not_settle_is_ambiguous() -> None:
    located = locate_chunks("same. other. same. same.", ["other.", "same.", "same."], order="none")
    assert located.ambiguous.tolist() == [False, True, True]


def test_levels_of_a_tree_are_located_for_themselves() -> None:
    text = "aa bb aa bb"
    chunks = ["aa bb", "aa", "bb", "aa bb", "aa", "bb"]
    located = locate_chunks(text, chunks, parents=[-1, 0, 0, -1, 3, 3])
    assert [located.spans(row)[0][0] for row in range(6)] == [0, 0, 3, 6, 6, 9]


def test_offsets_relative_to_the_parent_are_named() -> None:
    text = "First part, first half. First part, rest. Other part, first half. Other part, rest."
    chunks = [text[:42], text[42:], text[:24], text[24:42], text[42:66], text[66:]]
    own = ([0, 42, 0, 24, 0, 24], None)
    located = locate_chunks(text, chunks, offsets=own, parents=[-1, -1, 0, 0, 1, 1])
    assert [located.spans(row)[0] for row in (4, 5)] == [(42, 66), (66, len(text))]
    assert str(located.report.offsets) == (
        "4 right, 0 missing, 2 wrong (offsets are relative to the parent)"
    )


def test_a_constant_shift_is_named() -> None:
    text = "\ufeffone two three four five six"
    chunks = ["one two", "three four", "five six"]
    located = locate_chunks(text, chunks, offsets=([0, 8, 19], [7, 18, 27]))
    assert words(located) == ["exact"] * 3
    assert (
        located.report.offsets is not None and located.report.offsets.note == "most are 1 too small"
    )


def test_own_offsets_at_another_copy_are_wrong() -> None:
    text = "same text here. Other. same text here. End."
    chunks = ["same text here.", "Other.", "same text here.", "End."]
    located = locate_chunks(text, chunks, offsets=([0, 16, 0, 39], None))
    assert located.spans(2) == ((23, 38),)
    assert str(located.report.offsets) == (
        "3 right, 0 missing, 1 wrong (most point at another copy of the text)"
    )


def test_right_own_offsets_of_some_chunks_are_believed() -> None:
    text = "same text here. " + "Other words follow. " * 20 + "same text here. End."
    located = locate_chunks(text, ["same text here."], offsets=([text.rindex("same")], None))
    assert words(located) == ["offsets"] and not located.ambiguous.any()
    assert located.spans(0) == ((416, 431),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\x00\x00a",
        "\ud800 a\udfff",
        "e\u0301e\u0301 e",
        "xxxxxxxx",
        "\ufeff\r\n\u2028\x85x",
    ],
)
def test_hostile_texts_are_located_like_others(text: str) -> None:
    chunks = [text[:3], text[2:5], text[4:]]
    located = locate_chunks(text, chunks)
    for row, chunk in enumerate(chunks):
        assert [text[a:b] for a, b in located.spans(row)] == ([chunk] if chunk.strip() else [])
    assert located.report.uncovered == 0


def test_edges() -> None:
    assert len(locate_chunks("text", [])) == 0
    assert locate_chunks("text", []).report.uncovered == 4
    assert words(locate_chunks("text", ["", "text and more than the text"])) == [
        "blank",
        "not found",
    ]
    assert words(locate_chunks("", ["a"])) == ["not found"]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="order='any': expected 'list' or 'none'"):
        locate_chunks("a", ["a"], order="any")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there are offsets of 2 starts for 1 chunks"):
        locate_chunks("a", ["a"], offsets=([0, 1], None))
    with pytest.raises(InputError, match="circle"):
        locate_chunks("a", ["a", "a"], parents=[1, 0])
    for parent in (1, 2**70, "x"):
        with pytest.raises(InputError, match="not in the list"):
            locate_chunks("a", ["a"], parents=[parent])  # type: ignore[list-item]


@pytest.mark.parametrize("large", [2**63, 10**30, 1e30, np.uint64(2**63)])
def test_offsets_beyond_64_bits_are_refused(large: Any) -> None:
    with pytest.raises(InputError, match=r"among the starts: expected offsets below 2\*\*63"):
        locate_chunks("a b", ["a", "b"], offsets=([0, large], None))
    with pytest.raises(InputError, match="among the ends: expected"):
        locate_chunks("a b", ["a", "b"], offsets=([0, 2], [large, 3]))
    with pytest.raises(InputError, match="among the starts: expected"):
        locate_chunks("a", ["a"], offsets=(np.array([2**63], dtype=np.uint64), None))


def test_offsets_that_are_none_count_as_missing() -> None:
    for wrong in (None, -1, 0.5, float("nan"), float("inf"), "x", -(10**30), 2**63 - 1):
        located = locate_chunks("a b", ["a", "b"], offsets=([0, wrong], None))
        assert words(located) == ["offsets", "exact"]


def test_texts_of_other_documents_fail_loudly() -> None:
    ours = locate_chunks("one two", ["one", "two"]).report.in_document("a.md")
    chunks = [f"something {number} else entirely" for number in range(14)]
    other = locate_chunks("one two three", chunks).report.in_document("b.md")
    both = total([ours, other])
    ours.refuse()
    both.refuse(14)
    both.refuse("90%")
    with pytest.raises(InputError) as error:
        both.refuse()
    message = str(error.value)
    assert message.startswith("12% of 16 chunks located; are these the same texts?")
    assert "b.md, chunk 1: something 0 else entirely (best share 0.00)" in message
    assert "and 4 more" in message
    with pytest.raises(InputError, match="14 of 54 chunks"):
        total([ours] * 20 + [other]).refuse("1%")
    for wrong in ("many", "-1", -1, "x%", "nan%"):
        with pytest.raises(InputError, match="max_missing="):
            both.refuse(wrong)


def test_a_report_is_a_dict_of_plain_values() -> None:
    import json

    report = locate_chunks("one two", ["one", "three"], offsets=([0, 3], None)).report
    told = json.loads(json.dumps(report.as_dict()))
    assert told["how"]["offsets"] == 1 and told["missing"][0]["text"] == "three"
    assert told["offsets"] == {"right": 1, "missing": 0, "wrong": 1, "note": ""}


# Texts of one letter: more places than can be kept


def periodic(monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    """A text and chunks that have more places than are kept, and one that has a place."""
    change(monkeypatch, occurrence_limit=1_000)
    return "a" * 1_000 + "END", [*("a" * (20 + row) for row in range(50)), "aEND"]


def test_too_ambiguous_to_place_is_a_stated_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    text, chunks = periodic(monkeypatch)
    located = locate_chunks(text, chunks)
    assert words(located) == ["too ambiguous"] * 50 + ["exact"]
    assert located.spans(0) == () and located.spans(50) == ((999, 1_003),)
    assert "50 too ambiguous, 0 not found · 50 occur more than once" in str(located.report)
    located.report.refuse(50)
    with pytest.raises(InputError) as caught:
        located.report.refuse(49)
    assert str(caught.value).startswith(
        "50 of 51 chunks with too many places to tell which is meant: offsets (start and end) "
        "would tell; max_missing= allows a number or a share\n"
        "  chunk 1: aaaaaaaaaaaaaaaaaaaa (too many places)"
    )


def test_too_ambiguous_by_letters_is_a_stated_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    text, chunks = periodic(monkeypatch)
    located = locate_chunks(text, [chunk.upper() for chunk in chunks])
    assert words(located) == ["too ambiguous"] * 50 + ["fuzzy"]
    assert find_quotes(text, chunks[:50])[0].how is How.TOO_AMBIGUOUS
    assert find_quotes(text, [chunk.upper() for chunk in chunks])[0].how is How.TOO_AMBIGUOUS


def test_own_offsets_settle_what_is_too_ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    text, chunks = periodic(monkeypatch)
    starts = [10 * row if row % 2 else None for row in range(50)]
    located = locate_chunks(text, chunks, offsets=([*starts, None], None))
    assert words(located) == ["too ambiguous", "offsets"] * 25 + ["exact"]
    assert [located.spans(row)[0][0] for row in range(1, 50, 2)] == starts[1::2]


def test_tiling_settles_what_is_too_ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    _, chunks = periodic(monkeypatch)
    located = locate_chunks("".join(chunks), chunks)
    assert words(located) == ["exact"] * 51
    assert [located.spans(row)[0][0] for row in range(3)] == [0, 20, 41]


@given(cut_texts(), st.integers(0, 40))
def test_texts_with_few_places_are_found_however_many_others_have(cut: Cut, most: int) -> None:
    document, pieces = DenseText(cut.text), DenseTexts(sorted({*cut.chunks}))
    every = occurrences(document, pieces)
    some = occurrences(document, pieces, most=most)
    for row, (is_left_out, count) in enumerate(zip(some.too_many, every.counts, strict=True)):
        here, there = (
            one.position[one.begin[row] : one.begin[row + 1]].tolist() for one in (some, every)
        )
        assert here == ([] if is_left_out else there)
        assert not is_left_out or count > 0
    assert some.too_many.any() == (len(every.position) > most)
    assert len(some.position) <= max(most, 0)
