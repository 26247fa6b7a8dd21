"""Gold in documents: offsets are compared with the text, quotes are looked up."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval import chunks
from doxeval.chunks import Questions
from doxeval.errors import FormatError, InputError
from doxeval.runs import Kind, Result, Run

TEXT = "Tides rise. The moon pulls. Tides fall. The moon pulls."


def asked(
    *spans: dict[str, Any], copies: Any = "same", text: str = TEXT, max_missing: int | str = 0
) -> Questions:
    question = {"id": "1", "question": "?", "needs": [{"spans": list(spans)}]}
    docs = {"sea": text, "other": "Nothing. The moon pulls."}
    return chunks.questions([question], docs, copies, max_missing)


def run_of(document: str, start: int, end: int) -> Run:
    return Run.from_results([Result("1", document, Kind.PASSAGE, start, end)], "mine")


def starts(gold: Questions) -> list[int]:
    return [place.start for need in gold["1"].needs for place in need.spans]


def test_copies_are_alternatives_within_the_document() -> None:
    span = {"doc": "sea", "quote": "The moon pulls."}
    gold = asked(span)
    assert starts(gold) == [12, 40]
    assert {place.document for place in gold["1"].needs[0].spans} == {"sea"}
    assert gold.warnings == ("question 1: stands 2 times in sea: 'The moon pulls.'",)
    first = asked(span, copies="place")
    assert starts(first) == [12]
    assert first.warnings == ("question 1: stands more than once in sea: 'The moon pulls.'",)


def test_without_a_document_all_are_searched() -> None:
    gold = asked({"quote": "The moon pulls."})
    places = gold["1"].needs[0].spans
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
    place = gold["1"].needs[0].spans[0]
    assert text[place.start : place.end] == "Tides\r\nfall."
    assert gold.warnings == ()


def test_other_letters_are_told() -> None:
    gold = asked({"doc": "sea", "quote": "tides rise — the MOON pulls"})
    assert starts(gold) == [0]
    assert gold.warnings == (
        "question 1: not to the letter in sea (similarity 1.00): 'tides rise — the MOON pulls'",
    )


@pytest.mark.parametrize("quote", ["The sun shines all day long.", " ", ""])
def test_what_is_not_there_is_lost(quote: str) -> None:
    gold = asked({"doc": "sea", "quote": quote}, max_missing=1)
    assert gold["1"].needs == () and gold.tally.missing == 1
    assert gold.warnings == (
        f"question 1: not found in sea: {quote!r}",
        "1 question without gold: not evaluated",
    )


def test_gold_that_is_not_found_is_an_error_that_lists_it_and_where_it_nearly_is() -> None:
    docs = {
        "sea": TEXT,
        "lake": "Still. The moon pulls at lakes too, though nobody can see it with bare eyes.",
    }
    quotes = {
        "moved": "The moon pulls at lakes too, though nobody can see it with bare eyes.",
        "changed": "The moon pulls at lakes too, and everybody sees that it does.",
        "gone": "The sun shines " + "all day " * 20,
    }
    asked = [
        {"id": name, "question": "?", "needs": [{"spans": [{"doc": "sea", "quote": quote}]}]}
        for name, quote in quotes.items()
    ]
    with pytest.raises(InputError) as caught:
        chunks.questions(asked, docs)
    headline, moved, changed, gone = str(caught.value).split("\n  ")
    assert headline == (
        "0% of 3 quotes located; are these the same texts? max_missing= allows a number or a share"
    )
    assert moved.startswith("question moved: not found in sea: 'The moon pulls at lakes too, ")
    assert moved.endswith("; it stands at 7 of lake")
    assert changed.endswith("% of it stands at 7 of lake")
    assert gone.endswith("all day all d…'") and len(gone) < 120


def test_of_much_missing_gold_the_first_is_listed() -> None:
    asked = [
        {"id": str(at), "question": "?", "needs": [{"spans": [{"doc": "sea", "quote": quote}]}]}
        for at, quote in enumerate(["Tides rise."] * 20 + ["Nothing like this."] * 17)
    ]
    with pytest.raises(
        InputError, match="17 of 37 quotes not found; max_missing= allows"
    ) as caught:
        chunks.questions(asked, {"sea": TEXT}, max_missing=16)
    _, *listed = str(caught.value).split("\n  ")
    assert len(listed) == 11 and listed[-1] == "and 7 more"
    gold = chunks.questions(asked, {"sea": TEXT}, max_missing="46%")
    assert gold.warnings[0] == "question 20: not found in sea: 'Nothing like this.'"
    assert gold.warnings[-1] == "17 questions without gold: not evaluated"
    for wrong in ("many", -1, "nan%"):
        with pytest.raises(InputError, match=r"max_missing=.*expected a number, or a share"):
            chunks.questions(asked, {"sea": TEXT}, max_missing=wrong)


def test_a_need_that_is_not_found_counts_neither_as_answered_nor_as_missed() -> None:
    needs = [{"spans": [{"doc": "sea", "quote": quote}]} for quote in ("Tides fall.", "No quote.")]
    asked = [{"id": "1", "question": "?", "needs": needs}]
    with pytest.raises(InputError, match="1 of 2 quotes not found"):
        chunks.questions(asked, {"sea": TEXT})
    gold = chunks.questions(asked, {"sea": TEXT}, max_missing=1)
    assert [need.id for need in gold["1"].needs] == ["1"]
    left_out = "1 need not found and left out: such questions are scored by their other needs"
    assert gold.warnings[-1] == left_out
    table = chunks.evaluate(run_of("sea", 28, 39), gold, ["all@5", "sR@5"])
    assert table.view(0) == {"all@5": 1.0, "sR@5": 1.0}
    assert left_out in table.view(0).warnings


@pytest.mark.parametrize(
    "ask",
    [
        lambda docs, gold, cut, **more: chunks.compare(docs, gold, ["paragraphs"], **more),
        lambda docs, gold, cut, **more: chunks.grid(docs, gold, ["paragraphs"], **more),
        lambda docs, gold, cut, **more: chunks.evaluate(
            run_of("sea", 0, 11), gold, docs=docs, **more
        ),
        lambda docs, gold, cut, **more: chunks.limits(cut, gold, **more),
        lambda docs, gold, cut, **more: chunks.oracle(cut, gold, **more),
    ],
)
def test_gold_that_is_not_found_is_an_error_wherever_gold_is_read(ask: Any) -> None:
    docs = chunks.documents({"sea": TEXT})
    cut = chunks.split(docs, "sentences:1:0")
    gold = [
        {"id": quote, "question": "tides", "needs": [{"spans": [{"doc": "sea", "quote": quote}]}]}
        for quote in ("Tides fall.", "Not there.")
    ]
    with pytest.raises(InputError, match="1 of 2 quotes not found"):
        ask(docs, gold, cut)
    found = ask(docs, gold, cut, max_missing="50%")
    assert any("not found" in warning for warning in getattr(found, "warnings", ["not found"]))


def test_questions_are_asked_whether_or_not_their_gold_is_found() -> None:
    """Searching needs the texts of the questions alone."""
    docs = chunks.documents({"sea": TEXT})
    cut = chunks.split(docs, "sentences:1:0")
    need = {"spans": [{"doc": "sea", "quote": "Not there."}]}
    asked = [{"id": "1", "question": "tides", "needs": [need]}]
    assert len(chunks.search(cut, asked)) == 2
    assert len(chunks.retrieve(lambda question: ["Tides fall."], asked, cut)) == 1


def test_comparing_without_any_gold_is_an_error() -> None:
    asked = [{"id": "1", "question": "tides", "needs": [], "not_relevant": ["sea"]}]
    for ask in (chunks.compare, chunks.grid):
        with pytest.raises(InputError, match="scores are not defined: no question has gold"):
            ask({"sea": TEXT}, asked, ["paragraphs"])


def test_an_unknown_document_is_told_even_if_the_text_is_known() -> None:
    gold = asked({"doc": "lake", "quote": "Tides fall."}, max_missing=1)
    told = "question 1: no document 'lake': 'Tides fall.'; it stands at 28 of sea"
    assert gold.warnings[0] == told


def test_one_alternative_is_enough() -> None:
    spans = {"doc": "lake", "quote": "x"}, {"doc": "sea", "quote": "Tides fall."}
    gold = asked(*spans, max_missing="50%")
    assert starts(gold) == [28] and gold.tally.missing == 1


def test_needs_without_text_and_empty_documents() -> None:
    gold = asked()
    assert gold.warnings[0] == "question 1: need 1 names no text"
    empty = chunks.questions(
        [{"question": "?", "needs": [{"spans": [{"doc": "a", "whole": True}]}]}],
        {"a": "", "b": "x"},
        max_missing=1,
    )
    assert empty.warnings[0] == "question 1: document a is empty"


PAGES = [{"id": "sea", "text": TEXT, "pages": [[0, 27], [28, 55]]}, {"id": "lake", "text": "Wet."}]


def on_pages(span: dict[str, Any], copies: Any = "same") -> tuple[list[tuple[int, int]], Any]:
    question = {"id": "1", "question": "?", "needs": [{"spans": [span]}]}
    gold = chunks.questions([question], PAGES, copies, max_missing=1)
    spans = [(span.start, span.end) for need in gold["1"].needs for span in need.spans]
    return spans, gold.warnings[:1]


def test_gold_by_page() -> None:
    assert on_pages({"doc": "sea", "page": 2}) == ([(28, 55)], ())
    quote = {"doc": "sea", "quote": "The moon pulls."}
    for copies in ("same", "place"):
        assert on_pages(quote | {"page": 2}, copies) == ([(40, 55)], ())
        assert on_pages(quote | {"page": 1}, copies) == ([(12, 27)], ())
    elsewhere = on_pages({"doc": "sea", "page": 1, "quote": "Tides fall."})
    assert elsewhere == ([(28, 39)], ("question 1: not on page 1 but at 28 of sea: 'Tides fall.'",))
    assert on_pages({"doc": "sea", "page": 3})[1] == (
        "question 1: no page 3 of sea, which has 2 pages",
    )
    assert on_pages({"doc": "lake", "page": 1})[1] == (
        "question 1: no page 1 of lake, which has no pages",
    )


@pytest.mark.parametrize(
    "span",
    [
        {"page": 1, "quote": "Tides fall."},
        {"doc": "sea", "page": 0},
        {"doc": "sea", "page": 1, "start": 0, "end": 5},
        {"doc": "sea", "page": "1"},
        {"doc": "sea", "page": 1, "whole": True},
    ],
)
def test_wrong_pages_of_gold_are_refused(span: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"page|a whole document has only a doc"):
        on_pages(span)


def test_copies_is_checked() -> None:
    with pytest.raises(FormatError, match="copies='all': expected 'same' or 'place'"):
        asked({"quote": "x"}, copies="all")


def test_long_quotes_are_cut_in_warnings() -> None:
    gold = asked({"doc": "sea", "quote": "nothing " * 50}, max_missing=1)
    assert len(gold.warnings[0]) < 120


def test_the_report_counts() -> None:
    gold = asked({"doc": "sea", "quote": "The moon pulls."})
    assert gold.report() == (
        "1 question, 1 need: 0 not found, 0 at other offsets, 1 occurs more than once (1 question)"
    )


def test_a_frame_of_places() -> None:
    pytest.importorskip("pandas")
    rows = asked({"doc": "sea", "quote": "The moon pulls."}).to_pandas().to_dict("records")
    assert [row["start"] for row in rows] == [12, 40]
    assert rows[0] | {"start": 0} == {
        "question": "1", "text": "?", "need": "1", "grade": 1, "doc": "sea", "start": 0, "end": 27,
            "alternative": 1,
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
    places = gold["1"].needs[0].spans
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


def test_a_short_quote_with_a_changed_word_is_told_where_it_nearly_is() -> None:
    docs = {"terms": "Thirty days. Unused goods only, please.", "other": "Nothing of that kind."}
    need = {"spans": [{"doc": "terms", "quote": "Unused goodies only, please"}]}
    with pytest.raises(InputError, match=r"a text with similarity 0\.91 stands at 13 of terms"):
        chunks.questions([{"id": "1", "question": "What?", "needs": [need]}], docs)
