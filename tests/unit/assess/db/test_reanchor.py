"""Judgments find their text in a new version, or are listed as lost; nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.db import reanchor
from doxeval.assess.judging import MODES, Article, Mode, State, problems
from strategies import Node, Piece, highlights
from strategies.judged import states_on
from strategies.judging import article_of, articles


def article(*paragraphs: str) -> Article:
    return article_of(Node("s", tuple(Node("p", (Piece(text, text),)) for text in paragraphs)))


def occurrences(quote: str, text: str) -> int:
    return sum(text.startswith(quote, at) for at in range(len(text) + 1)) if quote else 0


def test_text_moves_with_what_stands_before_it() -> None:
    old, new = article("Low tide.", "High water."), article("Fog.", "Low tide.", "High water.")
    state = State(
        highlights=((4, 8), (9, 13)), bep=9, status="validated", comments=((0, 3, "low?"),)
    )
    found, lost = reanchor(state, old, new, "2006")
    assert found.comments == ((4, 7, "low?"),)
    assert (found.highlights, found.bep, found.status, lost) == (
        ((8, 12), (13, 17)),
        13,
        "validated",
        (),
    )


def test_a_quote_that_stands_twice_is_found_by_the_text_around_it() -> None:
    old = article("The tide is low today.", "Then the tide is high again.")
    new = article("At sea.", "The tide is low today.", "Then the tide is high again.")
    at = old.text.rindex("tide")
    found, lost = reanchor(State(highlights=((at, at + 4),)), old, new, "2006")
    assert lost == ()
    assert found.highlights == ((at + 7, at + 11),)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (("High water.",), "is not there any more"),
        (("Low tide.", "Low tide."), "in several places"),
        (("Low tides.", "Low tidings."), "its text stands in several places, and the text around"),
    ],
)
def test_what_cannot_be_placed_for_certain_is_lost_and_listed(
    new: tuple[str, ...], why: str
) -> None:
    old = article("Low tide.")
    state = State(highlights=((4, 7),), bep=4, status="validated")
    found, lost = reanchor(state, old, article(*new), "2006")
    assert (found.highlights, found.bep, found.status) == ((), None, "open")
    assert len(lost) == 2
    assert lost[0].startswith("the highlight 4 to 7, 'tid': ")
    assert why in lost[0]
    assert lost[1].startswith("the best entry point 4, before 'tide.'")


def test_a_quote_that_stood_twice_and_now_stands_once_is_not_guessed() -> None:
    old, new = article("tide", "tide"), article("tide")
    found, lost = reanchor(State(highlights=((4, 8),)), old, new, "2006")
    assert found.highlights == ()
    assert len(lost) == 1


def test_grades_stay_where_the_text_of_the_element_is_the_same() -> None:
    old, new = article("Low tide.", "High water."), article("Low tide.", "High waters.")
    state = State(grades={"/s[1]": (1, 1), "/s[1]/p[1]": (2, 2), "/s[1]/p[2]": (1, 3)})
    found, lost = reanchor(state, old, new, "2003")
    assert found.grades == {"/s[1]/p[1]": (2, 2)}
    assert lost == (
        "the grade of /s[1]: its text has changed",
        "the grade of /s[1]/p[2]: its text has changed",
    )
    _, lost = reanchor(state, old, article("Low tide."), "2003")
    assert lost[-1] == "the grade of /s[1]/p[2]: there is no such element any more"


def test_a_grade_of_2005_needs_its_highlight() -> None:
    old, new = article("tide", "x tide"), article("tide", "x tid")
    state = State(((0, 4),), grades={"/s[1]/p[1]": 2}, status="validated")
    found, lost = reanchor(state, old, new, "2005")
    assert found.highlights == ()
    assert found.grades == {}
    assert lost[-1] == "the grade of /s[1]/p[1]: nothing in it is highlighted any more"


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_the_same_text_changes_nothing(mode: Mode, data: st.DataObject) -> None:
    same = data.draw(articles())
    state = data.draw(states_on(same, mode))
    assert reanchor(state, same, same, mode) == (state, ())


@given(
    st.lists(st.text("ab ", max_size=6), min_size=1, max_size=4),
    st.lists(st.text("ab ", max_size=6), max_size=4),
    st.data(),
)
def test_what_moves_has_the_same_text_and_what_is_unique_moves(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.sampled_from(before), max_size=3))
    old, new = article(*before), article(*after, *kept)
    state = State(highlights=tuple(data.draw(highlights(len(old.text)))), status="validated")
    found, lost = reanchor(state, old, new, "2005")
    moved = {new.text[start:end] for start, end in found.highlights}
    quotes = [old.text[start:end] for start, end in state.highlights]
    assert len(lost) + len(found.highlights) <= len(quotes)
    if len(lost) + len(found.highlights) == len(quotes):  # none of them touch now
        assert moved <= set(quotes)
    for quote in quotes:
        if occurrences(quote, old.text) == occurrences(quote, new.text) == 1:
            assert any(quote in text for text in moved)
        elif old.text != new.text and not occurrences(quote, new.text):
            assert any(repr(quote) in line for line in lost)
    if lost or problems(found, new, "2005"):
        assert found.status == "open"
