"""Exhaustivity and specificity of elements: mode 2003–04, by example."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assess.judging import (
    Article,
    Operation,
    OperationRefused,
    State,
    allowed,
    apply,
    gradable,
    inconsistencies,
    problems,
)
from doxeval.documents import example_collection

ROOT, SEC, ONE, TWO, LOOSE, INNER = (
    "/article[1]",
    "/article[1]/sec[1]",
    "/article[1]/sec[1]/p[1]",
    "/article[1]/sec[1]/p[2]",
    "/article[1]/sec[2]",
    "/article[1]/sec[2]/p[1]",
)


@pytest.fixture(scope="module")
def article() -> Article:
    source = (
        "<article><sec>\n<p>Low tide.</p> <p>High tide.</p></sec>"
        "<sec>Its own text. <p>Ebb.</p></sec></article>"
    )
    return Article.of(example_collection({"a": source}), "a")


def graded(article: Article, *grades: tuple[str, Any], state: State | None = None) -> State:
    state = state or State()
    for path, value in grades:
        state = apply(Operation("1", 0, "grade", path=path, value=value), state, article, "2003")
    return state


def refusal(article: Article, state: State, operation: Operation) -> str:
    with pytest.raises(OperationRefused) as error:
        apply(operation, state, article, "2003")
    return error.value.code


def test_everything_inside_what_is_not_relevant_is_not_relevant(article: Article) -> None:
    state = graded(article, (SEC, [0, 0]))
    assert state.grades == {SEC: (0, 0), ONE: (0, 0), TWO: (0, 0)}
    assert state.inferred == {ONE, TWO}


def test_what_is_nothing_but_irrelevant_children_is_not_relevant(article: Article) -> None:
    state = graded(article, (ONE, [0, 0]), (TWO, [0, 0]))
    assert state.inferred == {SEC}
    assert state.grades[SEC] == (0, 0)
    assert graded(article, (INNER, [0, 0])).inferred == set()  # it has text of its own


def test_a_grade_is_inferred_only_if_it_is_the_only_one(article: Article) -> None:
    assert graded(article, (ONE, [3, 1]), (TWO, [1, 1])).grades[SEC] == (3, 1)
    for other in ([2, 1], [3, 2]):  # exhaustivity 2 or 3; specificity 1 or 2
        assert SEC not in graded(article, (ONE, other), (TWO, [1, 1])).grades
    around = graded(article, (ROOT, [2, 3]), (ONE, [2, 1]), (TWO, [1, 1]))
    assert around.grades[SEC] == (2, 1)  # it cannot be more exhaustive than the article


def test_nothing_is_inferred_where_no_grade_obeys_the_rules(article: Article) -> None:
    # Children that are specific and not exhaustive contradict themselves, and bound the section
    # from both sides.
    state = graded(article, (ROOT, [1, 3]), (ONE, [0, 1]), (TWO, [0, 1]))
    assert SEC not in state.grades


def test_the_last_child_has_what_the_others_do_not(article: Article) -> None:
    state = graded(article, (SEC, [1, 3]), (ONE, [0, 0]))
    assert state.grades[TWO] == (1, 3)
    assert state.inferred == {TWO}
    assert TWO not in graded(article, (SEC, [1, 3]), (ONE, [1, 3])).grades


def test_inferred_grades_follow_the_given_ones(article: Article) -> None:
    state = graded(article, (SEC, [0, 0]), (SEC, [1, 1]))
    assert state.grades == {SEC: (1, 1)}
    assert state.inferred == set()
    assert graded(article, (SEC, None), state=state).grades == {}


def test_a_given_grade_is_no_longer_inferred_even_if_it_is_the_same(article: Article) -> None:
    state = graded(article, (SEC, [0, 0]), (ONE, [0, 0]))
    assert state.inferred == {TWO}
    assert state.grades[ONE] == (0, 0)


def test_what_follows_from_others_cannot_be_taken_back(article: Article) -> None:
    state = graded(article, (SEC, [0, 0]))
    clear = Operation("1", 0, "grade", path=ONE, value=None)
    assert refusal(article, state, clear) == "forced"


def test_contradictions_are_shown_and_stay(article: Article) -> None:
    state = graded(article, (SEC, [0, 0]), (ONE, [2, 2]), (LOOSE, [3, 0]))
    assert {path: state.grades[path] for path in (SEC, ONE, LOOSE)} == {
        SEC: (0, 0), ONE: (2, 2), LOOSE: (3, 0),
    }  # fmt: skip
    assert state.inferred == {TWO, INNER}
    assert inconsistencies(state, article, "2003") == (
        (LOOSE, "/article[1]/sec[2] is (3,0)"),
        (SEC, "/article[1]/sec[1] is (0,0) but /article[1]/sec[1]/p[1] in it is (2,2)"),
        (SEC, "/article[1]/sec[1] is (0,0) but /article[1]/sec[1]/p[1] in it is (2,2)"),
    )
    assert problems(state, article, "2003") == ()
    assert apply(Operation("1", 0, "validate"), state, article, "2003").status == "validated"


def test_not_relevant_means_nothing_graded_above_zero(article: Article) -> None:
    not_relevant = Operation("1", 0, "not-relevant")
    for state in (State(), graded(article, (ROOT, [0, 0]))):
        assert apply(not_relevant, state, article, "2003").status == "validated"
    for grade in ([1, 1], [0, 1], [1, 0]):
        assert refusal(article, graded(article, (LOOSE, grade)), not_relevant) == "relevant"


def test_all_elements_can_have_all_grades(article: Article) -> None:
    rows = gradable(State(), article, "2003")
    assert rows.tolist() == list(range(len(article)))
    assert allowed(State(), article, "2003", rows[:2]) == [(0, 1, 2, 3)] * 2
    assert refusal(article, State(), Operation("1", 0, "grade", path=ONE, value=1)) == "value"
    missing = Operation("1", 0, "grade", path="/article[1]/p[9]", value=[1, 1])
    assert refusal(article, State(), missing) == "no-element"


@pytest.mark.parametrize("kind", ["highlight", "unhighlight", "bep", "clear-bep"])
def test_there_are_no_highlights_and_no_best_entry_points(article: Article, kind: str) -> None:
    assert refusal(article, State(), Operation("1", 0, kind, start=0, end=3)) == "mode"


def test_grades_that_a_file_marked_as_inferred_are_kept(article: Article) -> None:
    given = State(grades={ROOT: (3, 1), ONE: (2, 2), LOOSE: (0, 0)}, inferred=frozenset({ROOT}))
    state = apply(Operation("1", 0, "import", value=given.as_json()), State(), article, "2003")
    assert state == given
    after = graded(article, (TWO, [1, 1]), state=state)
    assert after.grades == {
        ROOT: (3, 1), ONE: (2, 2), LOOSE: (0, 0), INNER: (0, 0), TWO: (1, 1),
    }  # fmt: skip
    assert after.inferred == {ROOT, INNER}
    assert graded(article, (ROOT, [3, 1]), state=state).inferred == {INNER}


@pytest.mark.parametrize(
    ("state", "mode", "code"),
    [
        (State(highlights=((0, 99),)), "2006", "outside"),
        (State(bep=99), "2006", "outside"),
        (State(highlights=((0, 3),)), "2003", "mode"),
        (State(bep=3), "2005", "mode"),
        (State(grades={ROOT: 1}), "2006", "mode"),
        (State(grades={ROOT: 1}), "2003", "mode"),
        (State(grades={ROOT: (1, 1)}), "2005", "mode"),
        (State(grades={"/article[1]/p[7]": (1, 1)}), "2003", "no-element"),
        (State(grades={"/article": (1, 1)}), "2003", "no-element"),
    ],
)
def test_an_imported_state_has_to_fit_the_article_and_the_mode(
    article: Article, state: State, mode: Any, code: str
) -> None:
    with pytest.raises(OperationRefused) as error:
        apply(Operation("1", 0, "import", value=state.as_json()), State(), article, mode)
    assert error.value.code == code
