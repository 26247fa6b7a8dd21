"""Exhaustivity: mode 2005, sentence by sentence."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assess.judging import (
    Article,
    Operation,
    OperationRefused,
    State,
    apply,
    gradable,
    inconsistencies,
    problems,
)
from doxeval.documents import example_collection

#   0         1         2
#   012345678901234567890123
#   Low tide.High tide.Ebb.
ARTICLE, SEC, LOW, BOLD, HIGH, EBB = (
    "/article[1]",
    "/article[1]/sec[1]",
    "/article[1]/sec[1]/p[1]",
    "/article[1]/sec[1]/p[1]/b[1]",
    "/article[1]/sec[1]/p[2]",
    "/article[1]/p[1]",
)
ALL = (ARTICLE, SEC, LOW, BOLD, HIGH, EBB)


@pytest.fixture(scope="module")
def article() -> Article:
    source = "<article><sec><p>Low <b>tide</b>.</p><p>High tide.</p></sec><p>Ebb.</p></article>"
    return Article.of(example_collection({"a": source}), "a")


def highlighted(article: Article, start: int, end: int, state: State | None = None) -> State:
    operation = Operation("1", 0, "highlight", start=start, end=end)
    return apply(operation, state or State(), article, "2005")


def graded(article: Article, state: State, *grades: tuple[str, Any]) -> State:
    for path, value in grades:
        state = apply(Operation("1", 0, "grade", path=path, value=value), state, article, "2005")
    return state


def refusal(article: Article, state: State, path: str, value: Any) -> OperationRefused:
    with pytest.raises(OperationRefused) as error:
        graded(article, state, (path, value))
    return error.value


@pytest.fixture
def everything(article: Article) -> State:
    """All text highlighted, so that only the whole article holds the whole passage."""
    return highlighted(article, 0, len(article.text))


def test_elements_that_share_text_with_highlights_are_graded(article: Article) -> None:
    state = highlighted(article, 0, 4)
    assert article.paths_of(gradable(state, article, "2005")) == [ARTICLE, SEC, LOW]
    assert refusal(article, state, HIGH, 1).code == "not-highlighted"
    assert refusal(article, state, BOLD, 1).code == "not-highlighted"  # it begins where that ends
    assert refusal(article, State(), ARTICLE, 1).code == "not-highlighted"
    assert refusal(article, state, "/article[1]/fig[1]", 1).code == "no-element"


def test_a_2_makes_everything_around_it_2(article: Article, everything: State) -> None:
    state = graded(article, everything, (LOW, "?"), (ARTICLE, 1), (BOLD, 2))
    assert state.grades == {ARTICLE: 2, SEC: 2, LOW: 2, BOLD: 2}


def test_a_1_above_a_parent_that_is_too_small_resets_the_parent(
    article: Article, everything: State
) -> None:
    small = graded(article, everything, (SEC, "?"))
    assert small.grades == {SEC: "?", LOW: "?", BOLD: "?", HIGH: "?"}
    assert graded(article, small, (BOLD, 1)).grades == {BOLD: 1, HIGH: "?"}
    assert graded(article, small, (LOW, 1)).grades == {LOW: 1, BOLD: "?", HIGH: "?"}


def test_lowering_a_parent_resets_larger_descendants(article: Article, everything: State) -> None:
    state = graded(article, everything, (BOLD, 2), (HIGH, 1), (EBB, 2), (SEC, 1))
    assert state.grades == {ARTICLE: 2, SEC: 1, HIGH: 1, EBB: 2}


def test_too_small_makes_everything_inside_too_small(article: Article, everything: State) -> None:
    state = graded(article, everything, (BOLD, 1), (LOW, "?"))
    assert state.grades == {LOW: "?", BOLD: "?"}


def test_a_parent_left_without_a_child_to_support_its_grade_resets(
    article: Article, everything: State
) -> None:
    state = graded(article, everything, (BOLD, 2))
    assert set(state.grades.values()) == {2}
    # One after another loses the only child that was 2.
    assert graded(article, state, (BOLD, 1)).grades == {BOLD: 1}
    assert graded(article, state, (BOLD, None)).grades == {}
    # With another child that is 2, they stay.
    two = graded(article, state, (HIGH, 2), (BOLD, 1))
    assert two.grades == {ARTICLE: 2, SEC: 2, BOLD: 1, HIGH: 2}


def test_a_parent_may_be_more_exhaustive_than_all_its_children(
    article: Article, everything: State
) -> None:
    state = graded(article, everything, (SEC, 2), (LOW, 1), (HIGH, 1), (BOLD, "?"), (EBB, 1))
    assert state.grades == {ARTICLE: 2, SEC: 2, LOW: 1, HIGH: 1, BOLD: "?", EBB: 1}
    assert problems(state, article, "2005") == ()
    # No child supported the section's grade before, so none is missed now.
    assert graded(article, state, (LOW, "?")).grades[SEC] == 2


def test_what_holds_a_whole_passage_is_not_too_small(article: Article, everything: State) -> None:
    assert refusal(article, everything, ARTICLE, "?").code == "holds-passage"
    bold = highlighted(article, 4, 8)
    for path in (ARTICLE, SEC, LOW, BOLD):
        assert refusal(article, bold, path, "?").code == "holds-passage"


def test_what_others_force_cannot_be_taken_back(article: Article, everything: State) -> None:
    state = graded(article, everything, (BOLD, 2), (HIGH, "?"))
    assert refusal(article, state, SEC, None).code == "forced"
    small = graded(article, everything, (LOW, "?"))
    assert refusal(article, small, BOLD, None).code == "forced"
    assert graded(article, small, (LOW, None)).grades == {BOLD: "?"}
    assert graded(article, everything, (LOW, None)) == everything


def test_editing_highlights_drops_grades_of_what_is_no_longer_highlighted(
    article: Article, everything: State
) -> None:
    state = graded(article, everything, (HIGH, 2), (LOW, 1), (BOLD, "?"), (EBB, 1))
    remove = Operation("1", 0, "unhighlight", start=9, end=19)
    # The section and the article were 2 for the paragraph that is gone.
    assert apply(remove, state, article, "2005").grades == {LOW: 1, BOLD: "?", EBB: 1}


def test_editing_highlights_resets_too_small_where_a_whole_passage_comes_to_be(
    article: Article, everything: State
) -> None:
    state = graded(article, everything, (LOW, "?"))
    remove = Operation("1", 0, "unhighlight", start=4, end=23)
    assert apply(remove, state, article, "2005").grades == {}


def test_what_becomes_highlighted_in_something_too_small_is_too_small(article: Article) -> None:
    partly = highlighted(article, 8, 19)  # from the full stop of the first paragraph on
    state = graded(article, partly, (LOW, "?"))
    assert state.grades == {LOW: "?"}
    assert highlighted(article, 5, 8, state).grades == {LOW: "?", BOLD: "?"}


def test_validating_needs_a_grade_of_every_element_and_no_best_entry_point(
    article: Article,
) -> None:
    state = highlighted(article, 0, 3)
    (reason,) = problems(state, article, "2005")
    assert reason == (
        "3 elements with highlighted text have no grade yet; the first is /article[1]."
    )
    state = graded(article, state, (LOW, 1), (SEC, 1))
    (reason,) = problems(state, article, "2005")
    assert reason == "1 element with highlighted text has no grade yet; the first is /article[1]."
    validate = Operation("1", 0, "validate")
    with pytest.raises(OperationRefused, match="1 element"):
        apply(validate, state, article, "2005")
    state = graded(article, state, (ARTICLE, 1))
    assert apply(validate, state, article, "2005").status == "validated"
    assert apply(validate, State(), article, "2005").status == "validated"
    for kind, start in (("bep", 0), ("clear-bep", None)):
        with pytest.raises(OperationRefused) as error:
            apply(Operation("1", 0, kind, start=start), state, article, "2005")
        assert error.value.code == "mode"


def test_a_grade_of_another_scale_is_refused(article: Article, everything: State) -> None:
    assert refusal(article, everything, LOW, [1, 1]).code == "value"
    with pytest.raises(OperationRefused) as error:
        apply(Operation("1", 0, "grade", path=LOW, value=1), State(), article, "2006")
    assert error.value.code == "mode"


def test_a_grade_opens_a_validated_document_unless_it_changes_nothing(article: Article) -> None:
    state = graded(article, highlighted(article, 0, 3), (LOW, 1), (SEC, 1), (ARTICLE, 1))
    valid = apply(Operation("1", 0, "validate"), state, article, "2005")
    assert graded(article, valid, (LOW, 1)) == valid
    assert graded(article, valid, (SEC, 2)).status == "open"


def test_steps_may_be_without_number_and_grades_get_the_full_path(
    article: Article, everything: State
) -> None:
    assert graded(article, everything, ("/article/sec/p/b", "?")).grades == {BOLD: "?"}


def test_contradictions_of_imported_grades_are_shown(article: Article) -> None:
    bad = State(highlights=((0, 3),), grades={ARTICLE: "?", SEC: 1, EBB: 2})
    whole = Operation("1", 0, "import", value=bad.as_json())
    state = apply(whole, State(), article, "2005")
    assert state == bad
    assert inconsistencies(state, article, "2005") == (
        (ARTICLE, "/article[1] is ? but holds a whole highlighted passage"),
        (ARTICLE, "/article[1] is ? but /article[1]/sec[1] in it is 1"),
        (ARTICLE, "/article[1] is ? but /article[1]/p[1] in it is 2"),
        (EBB, "/article[1]/p[1] is graded but nothing in it is highlighted"),
    )
