"""Laws that hold for all articles and all that assessors do, in every mode."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.judging import (
    MODES,
    Article,
    Change,
    Mode,
    Operation,
    OperationRefused,
    State,
    WrongChange,
    allowed,
    apply,
    change_between,
    gradable,
    inconsistencies,
    parse_operation,
    problems,
    redone,
    undone,
)
from doxeval.assessments import Grade2003, GradedElement, Judgment, violations
from doxeval.documents import example_collection
from levels import examples
from plain_judging import (
    NotAllowed,
    PlainExhaustivity,
    PlainGrades,
    runs_of,
    with_highlight,
    without_highlight,
)
from strategies import Node, article_of, articles, operations_on, trees_to_judge


def steps(
    article: Article, mode: Mode, operations: list[Operation]
) -> list[tuple[Operation, State, State | None]]:
    """Each operation, the state before it, and after it if it was not refused."""
    state = State()
    made: list[tuple[Operation, State, State | None]] = []
    for operation in operations:
        try:
            after = apply(operation, state, article, mode)
        except OperationRefused as error:
            assert str(error)[0].isupper() or str(error)[0].isdigit()
            assert str(error).endswith(".")
            made.append((operation, state, None))
        else:
            made.append((operation, state, after))
            state = after
    return made


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), article=articles())
def test_all_that_is_done_can_be_undone_and_redone(
    mode: Mode, data: st.DataObject, article: Article
) -> None:
    made = steps(article, mode, data.draw(operations_on(article, mode)))
    done = [(before, after) for _, before, after in made if after is not None]
    changes = [change_between(before, after) for before, after in done]
    for (before, after), change in zip(done, changes, strict=True):
        assert redone(before, change) == after
        assert undone(after, change) == before
        assert undone(redone(before, change), change) == before
        assert change.reversed().reversed() == change
        assert Change.from_json(json.loads(json.dumps(change.as_json()))) == change
        assert bool(change) == (before != after)
        if change:
            with pytest.raises(WrongChange):
                redone(after, change)
            with pytest.raises(WrongChange):
                undone(before, change)
    state = State()
    for change in changes:
        state = redone(state, change)
    assert state == (done[-1][1] if done else State())
    for change in reversed(changes):
        state = undone(state, change)
    assert state == State()


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), article=articles())
def test_states_and_operations_survive_json_and_replay_to_the_same(
    mode: Mode, data: st.DataObject, article: Article
) -> None:
    made = steps(article, mode, data.draw(operations_on(article, mode)))
    again = State()
    for operation, before, after in made:
        read = Operation(**json.loads(json.dumps(operation.as_json())))
        assert again == before
        if after is not None:
            again = apply(read, again, article, mode)
            assert again == after
            text = json.dumps(again.as_json())
            assert State.from_json(json.loads(text)) == again
            assert json.dumps(after.as_json()) == text
            whole = Operation("i", 0, "import", value=json.loads(text))
            assert apply(whole, State(), article, mode) == again
            assert parse_operation(whole.as_json(), imports=True) == whole


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data(), article=articles())
def test_edits_open_and_asides_do_not(mode: Mode, data: st.DataObject, article: Article) -> None:
    for operation, before, after in steps(article, mode, data.draw(operations_on(article, mode))):
        if after is None:
            continue
        said = (before.highlights, before.bep, before.grades, before.inferred)
        changed = said != (after.highlights, after.bep, after.grades, after.inferred)
        if changed:
            assert after.status == "open"
            assert operation.kind in ("highlight", "unhighlight", "bep", "clear-bep", "grade")
        elif operation.kind in ("validate", "not-relevant"):
            assert after == replace(before, status="validated", skipped=False)
        elif operation.kind != "reopen":
            assert after.status == before.status
        if after.status == "validated":
            assert problems(after, article, mode) == ()


@given(data=st.data(), article=articles())
@examples(300)
def test_highlights_are_what_sets_of_characters_say(data: st.DataObject, article: Article) -> None:
    characters: set[int] = set()
    for operation, before, after in steps(
        article, "2006", data.draw(operations_on(article, "2006"))
    ):
        if operation.kind not in ("highlight", "unhighlight"):
            continue
        assert before.highlights == tuple(runs_of(characters))
        act = with_highlight if operation.kind == "highlight" else without_highlight
        assert operation.start is not None
        assert operation.end is not None
        try:
            characters = act(characters, operation.start, operation.end, article.text)
        except NotAllowed:
            assert after is None
            continue
        assert after is not None
        assert after.highlights == tuple(runs_of(characters))
        # What is highlighted already is highlighted again without a change.
        for start, end in after.highlights:
            again = Operation("r", 0, "highlight", start=start, end=end)
            assert apply(again, after, article, "2006") == after


@given(data=st.data(), article=articles())
@examples(400)
def test_exhaustivity_is_what_the_sentences_say(data: st.DataObject, article: Article) -> None:
    plain = PlainExhaustivity(article)
    for operation, before, after in steps(
        article, "2005", data.draw(operations_on(article, "2005"))
    ):
        if operation.kind == "grade":
            characters = {one for run in before.highlights for one in range(*run)}
            assert operation.path is not None
            try:
                expected = plain.graded(before.grades, operation.path, operation.value, characters)
            except NotAllowed:
                assert after is None
                continue
            assert after is not None
            assert dict(after.grades) == expected
        elif after is not None and operation.kind in ("highlight", "unhighlight"):
            characters = {one for run in after.highlights for one in range(*run)}
            if before.highlights != after.highlights:
                assert dict(after.grades) == plain.rehighlighted(before.grades, characters)
        if after is not None:
            check_exhaustivity(after, plain, article)


def check_exhaustivity(state: State, plain: PlainExhaustivity, article: Article) -> None:
    """What is always true in mode 2005."""
    characters = {one for run in state.highlights for one in range(*run)}
    rank = {"?": 0, 1: 1, 2: 2}
    touched = [path for path in plain.places if plain.is_touched(path, characters)]
    assert not state.inferred
    assert state.bep is None
    assert inconsistencies(state, article, "2005") == ()
    for path, grade in state.grades.items():
        assert grade in rank  # never 0
        assert type(grade) is not bool
        assert path in touched
        for inner in plain.inside(path):
            if inner in state.grades:
                assert rank[grade] >= rank[state.grades[inner]]
        if grade == 2:
            assert all(state.grades.get(outer) == 2 for outer in plain.around(path))
        if grade == "?":
            assert not plain.holds_whole_passage(path, characters)
            assert all(state.grades.get(i) == "?" for i in plain.inside(path) if i in touched)
    assert (problems(state, article, "2005") == ()) == (set(touched) == set(state.grades))
    rows = gradable(state, article, "2005")
    assert article.paths_of(rows) == touched


@given(data=st.data(), article=articles())
def test_what_is_allowed_is_accepted_and_nothing_else(
    data: st.DataObject, article: Article
) -> None:
    made = steps(article, "2005", data.draw(operations_on(article, "2005")))
    state = made[-1][2] or made[-1][1] if made else State()
    rows = gradable(state, article, "2005")
    can = dict(zip(rows.tolist(), allowed(state, article, "2005", rows), strict=True))
    for row in range(len(article)):
        for value in (2, 1, "?"):
            operation = Operation("1", 0, "grade", path=article.path_of(row), value=value)
            if value in can.get(row, ()):
                after = apply(operation, state, article, "2005")
                assert after.grades[article.path_of(row)] == value
            else:
                with pytest.raises(OperationRefused):
                    apply(operation, state, article, "2005")


@given(data=st.data(), article=articles())
@examples(300)
def test_grades_are_inferred_where_one_only_breaks_no_rule(
    data: st.DataObject, article: Article
) -> None:
    plain = PlainGrades(article)
    given_grades: dict[str, tuple[int, int]] = {}
    for operation, before, after in steps(
        article, "2003", data.draw(operations_on(article, "2003"))
    ):
        if operation.kind != "grade":
            continue
        assert operation.path is not None
        if after is None:  # what follows from other grades cannot be taken back
            assert operation.value is None
            given_grades = {path: pairs(before)[path] for path in given_grades}
            without = {p: g for p, g in given_grades.items() if p != operation.path}
            assert operation.path in plain.inferred(without)
            continue
        if operation.value is None:
            given_grades.pop(operation.path, None)
        else:
            given_grades[operation.path] = (operation.value[0], operation.value[1])
        expected = plain.inferred(given_grades)
        assert dict(after.grades) == {**given_grades, **expected}
        assert after.inferred == expected.keys()


@given(data=st.data(), tree=trees_to_judge())
@examples(50)
def test_inconsistencies_are_those_of_a_file_with_the_same_grades(
    data: st.DataObject, tree: Node
) -> None:
    article = article_of(tree)
    made = steps(article, "2003", data.draw(operations_on(article, "2003")))
    state = made[-1][2] or made[-1][1] if made else State()
    grades = tuple(GradedElement(path, Grade2003(*pair)) for path, pair in pairs(state).items())
    collection = example_collection({"a": tree.source})
    said = violations(Judgment("1", "a", grades=grades), collection)
    shown = inconsistencies(state, article, "2003")
    assert sorted(shown) == sorted((one.path, one.message) for one in said)
    assert len(shown) == len(PlainGrades(article).broken(pairs(state)))


def pairs(state: State) -> dict[str, tuple[int, int]]:
    return {path: grade for path, grade in state.grades.items() if isinstance(grade, tuple)}


@given(tree=trees_to_judge())
@examples(30)
def test_an_article_is_what_its_collection_says(tree: Node) -> None:
    collection = example_collection({"a": tree.source})
    article, made = Article.of(collection, "a"), article_of(tree)
    assert article.text == made.text
    assert [article.tags[n] for n in article.tag] == [made.tags[n] for n in made.tag]
    for name in ("start", "end", "parent", "size", "ordinal"):
        assert getattr(article, name).tolist() == getattr(made, name).tolist()
    assert article.sha256 == collection.root("a").sha256
    assert article.nothing_but_children.tolist() == made.nothing_but_children.tolist()
    for row in range(len(article)):
        path = collection.path_of(row)
        assert article.path_of(row) == path
        assert article.row_of(path) == made.row_of(path) == row
        assert article.row_of(path.replace("[1]", "")) == row
        assert article.row_of(f"{path}/p[99]") == -1
    for bad in ("", "/", "sec", "/zzz[1]", "/p[0]", "//", "/sec[1]/", "/sec[1]" * 50_000):
        assert article.row_of(bad) == -1
    assert len(article._rows) == len(article)  # one path of each is remembered, and no other
    assert article.deepest == max(collection.depth_of(row) for row in range(len(article)))
