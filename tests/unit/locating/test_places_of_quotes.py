"""All places of quotes, in one document and in several."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from doxeval.locating import How, JoinedTexts, find_in_documents, find_quotes
from strategies.chunked import Cut, cut_texts, repeating_texts


def solid(text: str) -> str:
    return "".join(text.split())


@given(cut_texts())
def test_all_places_of_a_quote_are_found(cut: Cut) -> None:
    for quote, found in zip(cut.chunks, find_quotes(cut.text, cut.chunks), strict=True):
        wanted, whole = solid(quote), solid(cut.text)
        places = [len(solid(cut.text[:start])) for ((start, _),) in found.occurrences]
        if not wanted:
            assert found.how == How.BLANK and not places
            continue
        assert places == [at for at in range(len(whole)) if whole.startswith(wanted, at)]
        assert all(solid(cut.text[start:end]) == wanted for ((start, end),) in found.occurrences)
        assert found.how == How.EXACT and found.share == 1


@given(st.lists(repeating_texts(8), max_size=4), st.data())
def test_one_search_in_all_documents_finds_what_a_search_in_each_finds(
    texts: list[str], data: st.DataObject
) -> None:
    documents = {f"d{number}": text for number, text in enumerate(texts)}
    drawn = data.draw(st.lists(st.sampled_from([*texts, "a", "fog horn", "nowhere"]), max_size=4))
    quotes = [quote for quote in drawn if quote.strip()]
    for quote, found in zip(quotes, find_in_documents(documents, quotes), strict=True):
        each = {name: find_quotes(text, [quote])[0] for name, text in documents.items()}
        exact = (How.EXACT, How.WHITE_SPACE)
        expected = [
            (name, place)
            for name, one in each.items()
            if one.how in exact
            for place in one.occurrences
        ]
        if expected:
            assert list(found.occurrences) == expected


def test_a_quote_with_other_case_is_found_at_all_places() -> None:
    (found,) = find_quotes("Net sales. Other. NET  SALES.", ["net SALES."])
    assert found.how == How.FUZZY
    assert found.occurrences == (((0, 10),), ((18, 29),))


def test_a_quote_that_was_typed_with_mistakes_is_found_at_its_best_place() -> None:
    text = "In 2016 the pension settlement was large. In 2017 it was much smaller than that."
    (found,) = find_quotes(text, ["the pension settlemint was large. In 2017 it"])
    assert found.how == How.FUZZY and 0.8 < found.share < 1
    (((start, end),),) = found.occurrences
    assert text[start:end] == "the pension settlement was large. In 2017 it"


def test_nothing_is_found_across_documents() -> None:
    documents = {"a": "the fog horn of", "b": "the sea lions"}
    quotes = ["horn of the sea", "HORN OF THE SEA", "of the"]
    assert [one.how for one in find_in_documents(documents, quotes)] == [How.NOT_FOUND] * 3


def test_no_documents_and_empty_documents() -> None:
    assert [one.how for one in find_in_documents({}, ["a", " "])] == [How.NOT_FOUND, How.BLANK]
    (found,) = find_in_documents({"a": "", "b": "x", "c": ""}, ["x"])
    assert found.occurrences == (("b", ((0, 1),)),)


def test_the_letter_between_documents_is_one_that_none_of_them_has() -> None:
    joined = JoinedTexts({"a": "\U00010000", "b": "\U00010001"})
    assert len(set(joined.text.text)) == 3
    assert joined.span_in_document(2, 3) == ("b", 0, 1)
