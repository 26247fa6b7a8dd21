"""What a query asks for: words, phrases, signs, stop words, fields of topics."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import InputError, SyntaxProblem
from doxeval.retrieve import (
    Analysis,
    Index,
    content_query,
    parse_keywords,
    query_items,
    search,
    stop_words,
)
from doxeval.topics import Term, Topic
from strategies import nexi_terms

STOP = stop_words("english")


def items(text: str, **options: Any) -> list[tuple[str, float]]:
    """The terms of each item, joined, and its weight."""
    found = query_items(parse_keywords(text), Analysis("s"), STOP, **options)
    return [(" ".join(item.terms), item.weight) for item in found]


def test_signs_are_weights() -> None:
    assert items("fog +horns -ship") == [("fog", 1), ("horn", 2), ("ship", -1)]


@pytest.mark.parametrize(
    ("phrases", "expected"),
    [
        ("extra", [("sea", 1), ("lion", 1), ("sea lion", 1), ("fog", 1)]),
        ("only", [("sea lion", 1), ("fog", 1)]),
        ("words", [("sea", 1), ("lion", 1), ("fog", 1)]),
    ],
)
def test_phrases_count_beside_their_words_or_alone_or_not(
    phrases: str, expected: list[tuple[str, float]]
) -> None:
    assert items('"Sea lions" fog', phrases=phrases) == expected


def test_the_words_of_an_unwanted_phrase_are_not_unwanted() -> None:
    assert items('lion -"sea lion"') == [("lion", 1), ("sea lion", -1)]
    assert items('-"sea lion"', phrases="words") == [("sea", -1), ("lion", -1)]


def test_a_phrase_of_one_word_is_a_word() -> None:
    assert items('"fog"') == items('"fog"', phrases="only") == [("fog", 1)]


def test_a_word_that_is_cut_in_several_is_a_phrase() -> None:
    assert items("co-op 東京") == [("co op", 1), ("東 京", 1)]


def test_repeated_words_count_once_with_the_greatest_weight() -> None:
    assert items("fog Fogs +fog horn") == [("fog", 2), ("horn", 1)]
    assert items("fog -fog") == [("fog", 1)]


def test_stop_words_are_left_out_unless_nothing_else_is_asked_for() -> None:
    assert items("the fog of the sea") == [("fog", 1), ("sea", 1)]
    assert items("to be or not") == [("to", 1), ("be", 1), ("or", 1), ("not", 1)]
    assert items("the -fog") == [("the", 1), ("fog", -1)]
    # Of a phrase, stop words are part.
    assert items('"out of the fog"') == [("fog", 1), ("out of the fog", 1)]


def test_only_the_word_itself_is_a_stop_word_not_what_has_its_stem() -> None:
    assert items("us fog") == [("fog", 1)]
    assert items("hi fog") == [("hi", 1), ("fog", 1)]


def test_an_empty_query_has_no_items() -> None:
    assert items("") == items("!? …") == items('"" - +') == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is a fog-horn (in use)?", "What is a fog-horn in use"),
        ('Who said "sea lions, please"?', 'Who said "sea lions please"'),
        ("5\" gun, 'tis", "5 gun tis"),
        ("covid—19 a/b +c -(d)", "covid 19 a b +c -d"),
        ("“sea lion”; fog", '"sea lion" fog'),
        ('-"sea lion"!', '-"sea lion"'),
        ("e\u0301tude?", "e\u0301tude"),
    ],
)
def test_text_that_is_not_nexi_is_read_all_the_same(text: str, expected: str) -> None:
    assert " ".join(map(str, parse_keywords(text))) == expected


@given(nexi_terms())
def test_nexi_is_read_as_nexi(terms: tuple[Term, ...]) -> None:
    assert parse_keywords(" ".join(map(str, terms))) == terms


@given(st.text(max_size=60))
def test_any_text_is_a_query(text: str) -> None:
    for phrases in ("extra", "only", "words"):
        found = query_items(parse_keywords(text), Analysis("s"), STOP, phrases)
        assert len({item.terms for item in found}) == len(found)
        assert all(item.terms for item in found)


def test_a_phrase_repeated_ten_thousand_times_counts_once() -> None:
    assert items('"fog horn" ' * 10_000) == [("fog", 1), ("horn", 1), ("fog horn", 1)]


# Topics

TOPIC = Topic(
    "7",
    title="+fog -horn",
    castitle='//sec[about(., fog) and about(.//p, "sea lion" fog)]',
    description="Is it -15 degrees?",
    keywords="fog, horn",
)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("title", "+fog -horn"),
        ("castitle", 'fog "sea lion"'),
        ("description", "Is it 15 degrees"),
        ("keywords", "fog horn"),
    ],
)
def test_a_field_is_read_as_what_it_is(field: str, expected: str) -> None:
    assert " ".join(map(str, content_query(TOPIC, field) or ())) == expected


def test_titles_of_all_years(index: Index) -> None:
    words_of_2002 = Topic("5", cas_parts=(("te", "tig"), ("cw", "QBIC search"), ("ce", "bibl")))
    assert [str(term) for term in content_query(words_of_2002, "title") or ()] == ["QBIC", "search"]
    structured_title = Topic("6", title="//sec[about(., fog)]", query_type="CAS")
    assert content_query(structured_title, "title") is None
    run = search(index, [structured_title], "sscas")
    assert len(run) > 10
    assert run == search(index, [Topic("6", castitle="//sec[about(., fog)]")], "sscas")


def test_topics_without_a_query_are_named(index: Index) -> None:
    topics = [TOPIC, Topic("8", description="fog"), Topic("9")]
    message = "topics without a title: 8, 9; skip_missing=True leaves them out"
    with pytest.raises(InputError, match=message):
        search(index, topics)
    run = search(index, topics, skip_missing=True)
    assert list(run.topics) == ["7"]
    assert "topics without a title, which are skipped: 8, 9" in run.warnings
    with pytest.raises(InputError, match="no topic has a castitle"):
        search(index, topics[1:], "sscas", skip_missing=True)


def test_errors_of_nexi_have_the_topic_the_line_and_the_column(index: Index) -> None:
    wrong = Topic("8", castitle="//sec[about(.)]", origin="topics.xml", line=12)
    with pytest.raises(SyntaxProblem) as caught:
        search(index, [wrong], "sscas")
    assert (
        str(caught.value)
        == "topics.xml:12: topic 8, castitle, column 14: expected ',' after the path"
    )


def test_topics_are_distinct_and_fields_known(index: Index) -> None:
    with pytest.raises(InputError, match="duplicate topic '7'"):
        search(index, [TOPIC, TOPIC])
    with pytest.raises(InputError, match="no field 'titel' of topics; did you mean title"):
        search(index, [TOPIC], query="titel")
    with pytest.raises(InputError, match="no topics were given"):
        search(index, [])
