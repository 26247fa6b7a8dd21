"""Gold in documents: offsets are compared with the text, quotes are looked up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.chunks import Questions
from doxeval.errors import FormatError

TEXT = "Tides rise. The moon pulls. Tides fall. The moon pulls."


def asked(*spans: dict[str, Any], copies: Any = "same", text: str = TEXT) -> Questions:
    question = {"id": "1", "question": "?", "needs": [{"spans": list(spans)}]}
    return chunks.questions([question], {"sea": text, "other": "Nothing. The moon pulls."}, copies)


def starts(gold: Questions) -> list[int]:
    return [place.start for need in gold["1"].needs for place in need.places]


def test_copies_are_alternatives_within_the_document() -> None:
    span = {"doc": "sea", "quote": "The moon pulls."}
    gold = asked(span)
    assert starts(gold) == [12, 40]
    assert {place.document for place in gold["1"].needs[0].places} == {"sea"}
    assert gold.warnings == ("question 1: stands 2 times in sea: 'The moon pulls.'",)
    first = asked(span, copies="place")
    assert starts(first) == [12]
    assert first.warnings == ("question 1: stands more than once in sea: 'The moon pulls.'",)


def test_without_a_document_all_are_searched() -> None:
    gold = asked({"quote": "The moon pulls."})
    places = gold["1"].needs[0].places
    assert [(place.document, place.start) for place in places] == [
        ("sea", 12), ("sea", 40), ("other", 9),
    ]  # fmt: skip


def test_right_offsets_name_the_copy() -> None:
    span = {"doc": "sea", "start": 40, "end": 55, "quote": "The moon pulls."}
    assert starts(asked(span)) == [40, 12]
    gold = asked(span, copies="place")
    assert (starts(gold), gold.warnings) == ([40], ())


@pytest.mark.parametrize("start", [-5, 0, 41, 1000])
def test_wrong_offsets_are_told(start: int) -> None:
    span = {"doc": "sea", "start": start, "end": start + 11, "quote": "Tides fall."}
    gold = asked(span)
    assert starts(gold) == [28]
    assert gold.tally.moved == 1
    assert gold.warnings == (
        f"question 1: not at its offset {start:,} but at 28 of sea: 'Tides fall.'",
    )


def test_a_wrong_offset_takes_the_nearest_copy_if_only_one_counts() -> None:
    span = {"doc": "sea", "start": 38, "end": 53, "quote": "The moon pulls."}
    assert starts(asked(span, copies="place")) == [40]
    assert starts(asked(span)) == [12, 40]


def test_a_byte_order_mark_that_was_counted() -> None:
    gold = asked({"doc": "sea", "start": 29, "end": 40, "quote": "Tides fall."})
    assert (starts(gold), gold.tally.moved) == ([28], 0)


def test_other_white_space_is_the_same_text() -> None:
    text = TEXT.replace(" ", "\r\n")
    gold = asked({"doc": "sea", "quote": "Tides fall."}, text=text)
    place = gold["1"].needs[0].places[0]
    assert text[place.start : place.end] == "Tides\r\nfall."
    assert gold.warnings == ()


def test_other_letters_are_told() -> None:
    gold = asked({"doc": "sea", "quote": "tides rise — the MOON pulls"})
    assert starts(gold) == [0]
    assert gold.warnings == (
        "question 1: not to the letter in sea (share 1.00): 'tides rise — the MOON pulls'",
    )


@pytest.mark.parametrize("quote", ["The sun shines all day long.", " ", ""])
def test_what_is_not_there_is_lost(quote: str) -> None:
    gold = asked({"doc": "sea", "quote": quote})
    assert gold["1"].needs == () and gold.tally.lost == 1
    assert gold.warnings == (
        f"question 1: not found in sea: {quote!r}",
        "1 question without gold: not evaluated",
    )


def test_an_unknown_document_is_told_even_if_the_text_is_known() -> None:
    gold = asked({"doc": "lake", "quote": "Tides fall."})
    assert gold.warnings[0] == "question 1: no document 'lake'"


def test_one_alternative_is_enough() -> None:
    gold = asked({"doc": "lake", "quote": "x"}, {"doc": "sea", "quote": "Tides fall."})
    assert starts(gold) == [28] and gold.tally.lost == 1


def test_needs_without_text_and_empty_documents() -> None:
    gold = asked()
    assert gold.warnings[0] == "question 1: need 1 names no text"
    empty = chunks.questions(
        [{"question": "?", "needs": [{"spans": [{"doc": "a", "whole": True}]}]}],
        {"a": "", "b": "x"},
    )
    assert empty.warnings[0] == "question 1: document a is empty"


def test_copies_is_checked() -> None:
    with pytest.raises(FormatError, match="copies='all': expected 'same' or 'place'"):
        asked({"quote": "x"}, copies="all")


def test_long_quotes_are_cut_in_warnings() -> None:
    gold = asked({"doc": "sea", "quote": "nothing " * 50})
    assert len(gold.warnings[0]) < 120


def test_the_report_counts() -> None:
    gold = asked({"doc": "sea", "quote": "The moon pulls."})
    assert gold.report() == (
        "1 question, 1 need: 0 lost, 0 elsewhere than stated · 1 stand more than once (1 question)"
    )


def test_a_frame_of_places() -> None:
    pytest.importorskip("pandas")
    rows = asked({"doc": "sea", "quote": "The moon pulls."}).to_pandas().to_dict("records")
    assert [row["start"] for row in rows] == [12, 40]
    assert rows[0] | {"start": 0} == {
        "question": "1", "text": "?", "need": "1", "grade": 1, "doc": "sea", "start": 0, "end": 27,
    }  # fmt: skip


def test_questions_stay_what_they_are() -> None:
    gold = asked({"doc": "sea", "quote": "Tides fall."})
    assert chunks.questions(gold, {}) is gold
    assert "1" in gold and "2" not in gold and len(list(gold)) == 1
    with pytest.raises(KeyError, match="no question '2'"):
        _ = gold["2"]


@given(
    st.text("ab \n", min_size=1, max_size=40),
    st.integers(0, 39),
    st.integers(1, 12),
    st.sampled_from(["same", "place"]),
)
def test_places_hold_the_quote(text: str, start: int, length: int, copies: Any) -> None:
    """Whatever the text, every place of a need has the quote, white space aside, and the first is
    the one that was named."""
    end = min(start + length, len(text))
    quote = text[start:end]
    if not quote.strip():
        return
    span = {"doc": "sea", "start": start, "end": end, "quote": quote}
    gold = asked(span, copies=copies, text=text)
    places = gold["1"].needs[0].places
    assert places[0][1:] == (start, end)
    solid = "".join(quote.split())
    for place in places:
        assert "".join(text[place.start : place.end].split()) == solid
    if copies == "same":
        whole = "".join(text.split())
        apart = sum(whole.startswith(solid, at) for at in range(len(whole)))
        assert 1 <= len(places) <= apart
    else:
        assert len(places) == 1
