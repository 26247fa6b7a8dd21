"""States and changes as JSON: what is read, and what is refused with a sentence."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from doxeval.assess.judging import Change, OperationRefused, State
from doxeval.errors import FormatError

FULL = State(
    highlights=((0, 3), (5, 9)),
    bep=2,
    grades={"/b[1]": (3, 1), "/a[1]": "?", "/a[1]/c[1]": 2},
    inferred=frozenset({"/b[1]"}),
    status="validated",
    skipped=True,
    problem=True,
    note="é",
    comments=((0, 3, "why?"), (5, 9, "𝔸")),
)


def test_the_json_of_a_state_has_all_fields_and_sorted_grades() -> None:
    assert FULL.as_json() == {
        "highlights": [[0, 3], [5, 9]],
        "bep": 2,
        "grades": {"/a[1]": "?", "/a[1]/c[1]": 2, "/b[1]": [3, 1]},
        "inferred": ["/b[1]"],
        "status": "validated",
        "skipped": True,
        "problem": True,
        "note": "é",
        "comments": [[0, 3, "why?"], [5, 9, "𝔸"]],
    }
    assert list(FULL.as_json()["grades"]) == ["/a[1]", "/a[1]/c[1]", "/b[1]"]
    assert State.from_json(FULL.as_json()) == FULL
    # States that were written before there were comments have none.
    assert State().as_json().keys() == FULL.as_json().keys() - {"comments"}


def test_a_state_cannot_be_changed_and_can_be_pickled() -> None:
    with pytest.raises(AttributeError):
        FULL.bep = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        FULL.grades["/a[1]"] = 1  # type: ignore[index]
    given: dict[str, Any] = {"/a[1]": 1}
    state = State(grades=given)
    given["/a[1]"] = 2
    assert state.grades == {"/a[1]": 1}
    assert pickle.loads(pickle.dumps(FULL)) == FULL
    refused = pickle.loads(pickle.dumps(OperationRefused("outside", "No.")))
    assert (refused.code, str(refused)) == ("outside", "No.")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("highlights", None, "a list of pairs"),
        ("highlights", [[1, 2, 3]], "a list of pairs"),
        ("highlights", ["ab"], "a list of pairs"),
        ("highlights", [[1, 2.0]], "whole numbers"),
        ("highlights", [[False, 2]], "whole numbers"),
        ("highlights", [[3, 3]], "not empty"),
        ("highlights", [[1, 3], [3, 4]], "apart"),
        ("highlights", [[5, 6], [1, 3]], "offsets|in order"),
        ("highlights", [[-1, 3]], "0 or more"),
        ("highlights", [[0, 1 << 32]], "0 or more"),
        ("bep", True, "bep is True"),
        ("bep", -1, "bep is -1"),
        ("bep", "3", "bep is '3'"),
        ("grades", [], "grades"),
        ("grades", {"/a[1]": 0}, "is 0"),
        ("grades", {"/a[1]": None}, "is None"),
        ("grades", {"/a[1]": [1, 4]}, r"is \[1, 4\]"),
        ("inferred", ["/z[1]"], "inferred"),
        ("inferred", "/b[1]", "inferred"),
        ("status", "done", "status is 'done'"),
        ("status", None, "status is None"),
        ("skipped", 1, "skipped is 1"),
        ("problem", None, "problem is None"),
        ("note", None, "note"),
        ("note", "a" * 10_001, "10,001"),
        ("comments", [[3, 0, "x"]], "in order"),
        ("comments", [[0, 3, "x"], [0, 3, "y"]], "in order"),
        ("comments", [[0, 3, "\0"]], "NUL"),
        ("comments", [[0, 3, "a" * 2001]], "2,001"),
        ("comments", [[at, at + 1, "x"] for at in range(501)], "501"),
        ("comments", "x", "comments is 'x'"),
        ("colour", "red", "no field 'colour'"),
        ("status", "\ud800", r"status is '\\ud800'"),
        ("bep", "\ud800", "bep is"),
        ("grades", {"/b[1]": "\ud800"}, "the grade of /b"),
        ("\ud800", 1, "no field"),
    ],
)
def test_anything_else_is_no_state(field: str, value: Any, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        State.from_json(FULL.as_json() | {field: value})


@pytest.mark.parametrize("name", list(State().as_json()))
def test_every_field_of_a_state_is_needed(name: str) -> None:
    data = FULL.as_json()
    del data[name]
    with pytest.raises(FormatError, match=f"without '{name}'"):
        State.from_json(data)
    with pytest.raises(FormatError, match="as an object"):
        State.from_json([data])


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {"colour": ["red", "blue"]},
        {"highlights": {"removed": []}},
        {"highlights": {"removed": [], "added": [[3]]}},
        {"grades": {"/a[1]": [1]}},
        {"grades": {"/a[1]": [7, 1]}},
        {"bep": 3},
        {"bep": [3]},
        "\ud800",
        {"\ud800": 1},
        {"status": ["\ud800", "open"]},
    ],
)
def test_anything_else_is_no_change(data: Any) -> None:
    with pytest.raises(FormatError):
        Change.from_json(data)


def test_relevance_is_a_highlight_or_a_grade_above_zero() -> None:
    assert not State().is_relevant
    assert not State(bep=3, note="x", grades={"/a[1]": (0, 0)}).is_relevant
    for state in (
        State(highlights=((0, 1),)),
        State(grades={"/a[1]": "?"}),
        State(grades={"/a[1]": 1}),
        State(grades={"/a[1]": (0, 0), "/b[1]": (1, 1)}),
    ):
        assert state.is_relevant
