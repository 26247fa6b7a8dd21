"""Highlights and a best entry point: mode 2006, by example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from doxeval.assess.judging import Article, Operation, OperationRefused, State, apply, problems
from doxeval.documents import example_collection

#        0         1         2
#        0123456789012345678901
TEXT = "Low tide.\n High tide. "


@pytest.fixture(scope="module")
def article() -> Article:
    source = "<s><p>Low tide.</p>\n <p>High tide.</p> </s>"
    article = Article.of(example_collection({"a": source}), "a")
    assert article.text == TEXT
    return article


def done(article: Article, *operations: Operation, state: State | None = None) -> State:
    state = state or State()
    for operation in operations:
        state = apply(operation, state, article, "2006")
    return state


def op(kind: str, start: int | None = None, end: int | None = None, value: Any = None) -> Operation:
    return Operation("1", 0, kind, start=start, end=end, value=value)


def refusal(article: Article, state: State, operation: Operation) -> OperationRefused:
    with pytest.raises(OperationRefused) as error:
        apply(operation, state, article, "2006")
    return error.value


def test_highlights_that_overlap_or_touch_become_one(article: Article) -> None:
    assert done(article, op("highlight", 0, 3), op("highlight", 3, 6)).highlights == ((0, 6),)
    assert done(article, op("highlight", 0, 5), op("highlight", 3, 8)).highlights == ((0, 8),)
    apart = done(article, op("highlight", 11, 13), op("highlight", 0, 3))
    assert apart.highlights == ((0, 3), (11, 13))


def test_highlights_with_only_white_space_between_become_one(article: Article) -> None:
    state = done(article, op("highlight", 11, 21), op("highlight", 0, 9))
    assert state.highlights == ((0, 21),)


def test_one_highlight_can_join_several(article: Article) -> None:
    some = done(article, op("highlight", 0, 1), op("highlight", 4, 5), op("highlight", 12, 13))
    assert done(article, op("highlight", 2, 12), state=some).highlights == ((0, 1), (2, 13))
    assert done(article, op("highlight", 1, 12), state=some).highlights == ((0, 13),)


def test_removing_splits(article: Article) -> None:
    state = done(article, op("highlight", 0, 21), op("unhighlight", 4, 15))
    assert state.highlights == ((0, 4), (15, 21))
    assert done(article, op("unhighlight", 0, 22), state=state).highlights == ()


def test_what_is_left_as_white_space_only_is_no_highlight(article: Article) -> None:
    state = done(article, op("highlight", 0, 21), op("unhighlight", 0, 9))
    assert state.highlights == ((9, 21),)  # nothing is trimmed
    assert done(article, op("unhighlight", 11, 21), state=state).highlights == ()


def test_white_space_between_highlighted_words_cannot_be_removed(article: Article) -> None:
    state = done(article, op("highlight", 0, 21))
    assert refusal(article, state, op("unhighlight", 9, 11)).code == "white-space"
    assert refusal(article, state, op("unhighlight", 3, 4)).code == "white-space"


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (op("highlight", 9, 11), "white-space"),
        (op("highlight", 21, 22), "white-space"),
        (op("highlight", 3, 3), "empty"),
        (op("highlight", 5, 3), "empty"),
        (op("unhighlight", 5, 5), "empty"),
        (op("highlight", 3, 23), "outside"),
        (op("unhighlight", 3, 23), "outside"),
        (op("bep", 22), "outside"),
    ],
)
def test_absurd_places_are_refused(article: Article, operation: Operation, code: str) -> None:
    for state in (State(), State(highlights=((0, 9),))):
        error = refusal(article, state, operation)
        assert error.code == code
        assert str(error).endswith(".")


def test_an_article_is_valid_when_a_best_entry_point_goes_with_highlights(article: Article) -> None:
    assert problems(State(), article, "2006") == ()
    both = done(article, op("highlight", 0, 9), op("bep", 21))
    assert problems(both, article, "2006") == ()  # it need not stand in highlighted text
    for half in (State(highlights=((0, 9),)), State(bep=4)):
        (reason,) = problems(half, article, "2006")
        assert str(refusal(article, half, op("validate"))) == reason
        assert refusal(article, half, op("validate")).code == "not-valid"


def test_an_edit_makes_a_validated_document_open(article: Article) -> None:
    valid = done(article, op("highlight", 0, 9), op("bep", 0), op("validate"))
    assert valid.status == "validated"
    for edit in (op("highlight", 0, 13), op("unhighlight", 0, 3), op("bep", 1), op("clear-bep")):
        assert done(article, edit, state=valid).status == "open"
    assert done(article, op("reopen"), state=valid) == replace(valid, status="open")


def test_what_changes_nothing_is_no_edit(article: Article) -> None:
    valid = done(article, op("highlight", 0, 9), op("bep", 0), op("validate"))
    for nothing in (op("highlight", 2, 9), op("unhighlight", 12, 20), op("bep", 0), op("validate")):
        assert done(article, nothing, state=valid) == valid


def test_notes_problems_and_skipping_do_not_open(article: Article) -> None:
    valid = done(article, op("validate"))
    for aside, after in [
        (op("note", value="hm"), replace(valid, note="hm")),
        (op("comment", 2, 5, value="hm"), replace(valid, comments=((2, 5, "hm"),))),
        (op("problem", value=True), replace(valid, problem=True)),
        (op("skip", value=True), replace(valid, skipped=True)),
    ]:
        assert done(article, aside, state=valid) == after


def test_comments_are_on_passages_one_on_each(article: Article) -> None:
    made = done(article, op("comment", 4, 6, value=" low \n"), op("comment", 0, 3, value="high"))
    assert made.comments == ((0, 3, "high"), (4, 6, "low"))
    changed = done(article, op("comment", 4, 6, value="or not"), state=made)
    assert changed.comments == ((0, 3, "high"), (4, 6, "or not"))
    assert done(article, op("comment", 4, 6, value=" "), state=made).comments == ((0, 3, "high"),)
    with pytest.raises(OperationRefused, match="Nothing is selected"):
        done(article, op("comment", 3, 3, value="x"))
    with pytest.raises(OperationRefused, match="The document has"):
        done(article, op("comment", 0, len(article.text) + 1, value="x"))
    full = replace(made, comments=tuple((0, end, "x") for end in range(1, 501)))
    with pytest.raises(OperationRefused, match="500 comments"):
        done(article, op("comment", 1, 2, value="x"), state=full)


def test_validating_ends_the_skipping(article: Article) -> None:
    skipped = done(article, op("skip", value=True))
    assert skipped == State(skipped=True)
    assert done(article, op("validate"), state=skipped) == State(status="validated")
    assert done(article, op("not-relevant"), state=skipped) == State(status="validated")


def test_not_relevant_is_refused_if_anything_is_highlighted(article: Article) -> None:
    assert refusal(article, State(highlights=((0, 9),)), op("not-relevant")).code == "relevant"
    assert refusal(article, State(bep=3), op("not-relevant")).code == "not-valid"


def test_imported_highlights_stay_as_they_are_far_from_an_edit(article: Article) -> None:
    given = State(highlights=((0, 3), (4, 9), (11, 15)))  # only white space between them
    assert done(article, op("import", value=given.as_json())) == given
    assert done(article, op("unhighlight", 12, 14), state=given).highlights[:2] == ((0, 3), (4, 9))


def test_undoing_needs_the_history(article: Article) -> None:
    with pytest.raises(ValueError, match="history"):
        done(article, op("undo"))
