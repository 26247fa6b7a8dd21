"""Whatever arrives as JSON is read or refused, and nothing else happens."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from doxeval.assess.judging import (
    KINDS,
    Change,
    MalformedOperation,
    Operation,
    State,
    parse_operation,
)
from doxeval.errors import FormatError
from levels import examples

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["?", "/a[1]", "open", 1, 2, [1, 1], [[0, 3]], "a" * 64, "\ud800"])
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
)


def objects(names: list[str]) -> st.SearchStrategy[Any]:
    return _VALUES | st.dictionaries(st.sampled_from(names), _VALUES)


@given(
    data=objects(list(Operation.__dataclass_fields__)),
    kind=st.sampled_from(list(KINDS)) | _VALUES,
    imports=st.booleans(),
)
@examples(300)
@example(data={"base_version": 10**5000}, kind="undo", imports=False)
def test_operations(data: Any, kind: Any, imports: bool) -> None:
    if isinstance(data, dict):
        data = {"op_id": "a", "base_version": 0} | data | {"kind": kind}
    try:
        operation = parse_operation(data, imports=imports)
    except MalformedOperation as error:
        assert 0 < len(str(error)) < 1000
    else:
        assert parse_operation(operation.as_json(), imports=imports) == operation
        json.dumps(operation.as_json(), allow_nan=False).encode()


@given(data=objects(list(State().as_json())), field=st.sampled_from(list(State().as_json())))
@examples(300)
def test_states(data: Any, field: str) -> None:
    given_fields = data if isinstance(data, dict) else {field: data}
    for whole in (data, State().as_json() | given_fields):
        try:
            state = State.from_json(whole)
        except FormatError as error:
            assert 0 < len(str(error)) < 1000
        else:
            assert State.from_json(state.as_json()) == state
            assert state.as_json() == whole


@given(data=objects(["highlights", "grades", "inferred", "bep", "status", "note", "skipped"]))
@examples(300)
@example(data={"inferred": {"removed": "ab", "added": []}})
@example(data={"status": ["open", "closed"]})
@example(data="\ud800")
@example(data={"status": ["\ud800", "open"]})
def test_changes(data: Any) -> None:
    try:
        change = Change.from_json(data)
    except FormatError as error:
        assert 0 < len(str(error)) < 1000
    else:
        assert Change.from_json(change.as_json()) == change
