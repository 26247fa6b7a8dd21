"""Operations as the browser sends them: what is read, and what is refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from doxeval.assess.judging import MalformedOperation, Operation, State, parse_operation

SHA = "0" * 64


def sent(kind: str, **fields: Any) -> dict[str, Any]:
    return {"op_id": "a-1", "base_version": 3, "kind": kind, **fields}


GOOD = [
    sent("highlight", start=0, end=4, quote="tide"),
    sent("unhighlight", start=0, end=4, quote_length=4, quote_sha256=SHA),
    sent("bep", start=0, quote="t", client_time="2026-01-31T12:00:00.123Z"),
    sent("clear-bep"),
    sent("grade", path="/a[1]", value=2),
    sent("grade", path="/a[1]", value="?"),
    sent("grade", path="/a[1]", value=[3, 0]),
    sent("grade", path="/a[1]", value=None),
    sent("validate"),
    sent("not-relevant"),
    sent("reopen"),
    sent("note", value="é\n"),
    sent("comment", start=0, end=4, quote="tide", value="why?"),
    sent("problem", value=True),
    sent("skip", value=False),
    sent("undo"),
    sent("redo"),
]


@pytest.mark.parametrize("data", GOOD, ids=lambda data: data["kind"])
def test_a_good_operation_is_read_and_written_back(data: dict[str, Any]) -> None:
    operation = parse_operation(data)
    assert {name: getattr(operation, name) for name in data} == data
    assert parse_operation(operation.as_json()) == operation


BAD = [
    ([], "as an object"),
    ({}, "there is no such operation"),
    (sent("paint"), "there is no such operation"),
    (sent("import", value=State().as_json()), "there is no such operation"),
    ({"kind": "undo"}, "an op_id and a base_version"),
    (sent("undo") | {"op_id": ""}, "op_id"),
    (sent("undo") | {"op_id": "a b"}, "op_id"),
    (sent("undo") | {"op_id": "a" * 65}, "op_id"),
    (sent("undo") | {"op_id": "a\n"}, "op_id"),
    (sent("undo") | {"op_id": 7}, "op_id"),
    (sent("undo") | {"base_version": -1}, "base_version is -1"),
    (sent("undo") | {"base_version": True}, "base_version is True"),
    (sent("undo") | {"base_version": 1.0}, "base_version is 1.0"),
    (sent("undo") | {"base_version": float("nan")}, "base_version is nan"),
    (sent("undo") | {"base_version": 1 << 60}, "base_version"),
    (sent("undo", colour="red"), "no field 'colour'"),
    (sent("undo", start=3), "undo does not carry start"),
    (sent("highlight", start=0, end=4, quote="tide", path="/a[1]"), "does not carry path"),
    (sent("highlight", start=0, end=4), "expected the quoted text"),
    (sent("highlight", start=0, end=4, quote_length=4), "expected the quoted text"),
    (sent("highlight", start=0, end=4, quote="t", quote_length=4), "not both"),
    (sent("highlight", start=0, end=4, quote=4), "quote is 4"),
    (sent("highlight", start=0, end=4, quote="a" * 4097), "4,097 characters"),
    (sent("highlight", start=0, end=4, quote="\ud800"), "lone surrogates"),
    (sent("highlight", start=0, end=4, quote_length=4, quote_sha256=SHA[:-1] + "G"), "sha256"),
    (sent("highlight", start=0, end=4, quote_length=False, quote_sha256=SHA), "quote_length"),
    (sent("highlight", start=None, end=4, quote="tide"), "start is None"),
    (sent("highlight", start=0, end=1 << 40, quote="tide"), "end is"),
    (sent("highlight", start="0", end=4, quote="tide"), "start is '0'"),
    (sent("bep", start=0, end=4, quote="tide"), "bep does not carry end"),
    (sent("grade", path="a", value=1), "path is 'a'"),
    (sent("grade", value=1), "path is None"),
    (sent("grade", path="/" + "a" * 100_000, value=1), "path is"),
    (sent("grade", path="/a\0", value=1), "NUL"),
    (sent("grade", path="/a[1]", value=0), "value is 0"),
    (sent("grade", path="/a[1]", value=True), "value is True"),
    (sent("grade", path="/a[1]", value=[True, 1]), "value is"),
    (sent("grade", path="/a[1]", value=[4, 1]), "value is"),
    (sent("grade", path="/a[1]", value=[1]), "value is"),
    (sent("grade", path="/a[1]", value=1.0), "value is 1.0"),
    (sent("note"), "expected text"),
    (sent("note", value="a" * 10_001), "10,001 characters"),
    (sent("note", value="\udfff"), "lone surrogates"),
    (sent("note", value="\0"), "NUL"),
    (sent("comment", start=0, quote="t", value="x"), "end is None"),
    (sent("comment", start=0, end=4, value="x"), "quoted text"),
    (sent("comment", start=0, end=4, quote="tide", value="a" * 2001), "2,001 characters"),
    (sent("comment", start=0, end=4, quote="tide"), "expected text"),
    (sent("skip", value=1), "expected true or false"),
    (sent("problem"), "expected true or false"),
    (sent("undo", client_time="a" * 41), "client_time"),
    (sent("undo", client_time=12), "client_time"),
    (sent("highlight", start="\ud800", end=4, quote="tide"), "start is"),
    (sent("skip", value="\ud800"), "expected true or false"),
    (sent("grade", path="/a[1]", value="\ud800"), "value is"),
]


@pytest.mark.parametrize(("data", "said"), BAD, ids=[f"{n}" for n in range(len(BAD))])
def test_a_bad_operation_is_refused_with_a_sentence(data: Any, said: str) -> None:
    with pytest.raises(MalformedOperation) as error:
        parse_operation(data)
    assert said in str(error.value)
    assert len(str(error.value)) < 400


def test_whole_states_are_read_only_from_our_own_log() -> None:
    data = sent("import", value=State(highlights=((0, 4),)).as_json())
    assert parse_operation(data, imports=True) == Operation(**data)
    with pytest.raises(MalformedOperation, match="without 'bep'"):
        parse_operation(sent("import", value={"highlights": []}), imports=True)
