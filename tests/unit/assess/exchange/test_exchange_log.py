"""The log of operations: written, read, replayed, and refused where it was altered."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.exchange import LoggedOperation, read_log, replayed, states_of, write_log
from doxeval.assess.judging import (
    MODES,
    Article,
    Mode,
    Operation,
    OperationRefused,
    State,
    apply,
    change_between,
)
from doxeval.documents import Collection, example_collection
from doxeval.errors import FormatError, InputError
from strategies.judging import articles, operations_on

TIME = "2026-01-31T12:00:00Z"


def quoted(operation: Operation, article: Article) -> Operation:
    """The operation with the text that it is about."""
    if operation.start is None:
        return operation
    end = operation.start + 32 if operation.kind == "bep" else operation.end
    return replace(operation, quote=article.text[operation.start : end])


def logged(
    operations: list[Operation], article: Article, mode: Mode, assessor: str = "A1"
) -> tuple[list[LoggedOperation], State]:
    """A log as the application keeps it, with undoing, and the state it leads to."""
    states = [State()]
    found: list[LoggedOperation] = []
    for number, operation in enumerate(operations):
        before = states[-1]
        try:
            after = apply(quoted(operation, article), before, article, mode)
        except OperationRefused:
            if len(states) < 2:
                continue
            operation = Operation(f"u{number}", 0, "undo")
            after = states[-2]
        change = change_between(before, after)
        about = (len(found) + 1, "7", article.document, assessor, False, len(found) + 1, TIME)
        found.append(LoggedOperation(*about, quoted(operation, article), change))
        states.append(after)
    return found, states[-1]


@pytest.mark.parametrize("mode", MODES)
@given(data=st.data())
def test_a_log_comes_back_and_leads_to_the_same_state(mode: Mode, data: st.DataObject) -> None:
    article = data.draw(articles())
    log, state = logged(data.draw(operations_on(article, mode)), article, mode)
    with tempfile.TemporaryDirectory() as name:
        first, second = Path(name) / "first.jsonl", Path(name) / "second.jsonl"
        write_log(log, first)
        read = list(read_log(first))
        write_log(read, second)
        assert second.read_bytes() == first.read_bytes()
    assert read == log
    assert replayed(read, article, mode) == state


@pytest.fixture(scope="module")
def collection() -> Collection:
    return example_collection({"a": "<p>Low tide.</p>", "b": "<p>High water.</p>"})


def small_log(collection: Collection) -> list[LoggedOperation]:
    article = Article.of(collection, "a")
    operations = [
        Operation("o1", 0, "highlight", start=4, end=8),
        Operation("o2", 1, "bep", start=4),
        Operation("o3", 2, "validate"),
    ]
    return logged(operations, article, "2006")[0]


def test_a_log_is_imported_as_states(collection: Collection, tmp_path: Path) -> None:
    log = small_log(collection)
    other = [replace(one, assessor="A2", seq=one.seq + 10) for one in log[:2]]
    settled = [replace(log[0], adjudicated=True)]
    write_log([*log, *other, *settled], tmp_path / "log.jsonl")
    found = states_of(tmp_path / "log.jsonl", collection, "2006")
    assert [one.assessor for one in found] == ["A1", "A2", None]
    assert [one.marks for one in found] == [(), ("draft",), ("adjudicated", "draft")]
    assert found[0].state == State(((4, 8),), 4, status="validated")


@pytest.mark.parametrize(
    ("at", "field", "value", "why"),
    [
        (0, "version", 2, "version 2: expected 1"),
        (1, "version", 1, "version 1: expected 2"),
        (0, "change", {}, "gives another judgment"),
        (1, "change", {"bep": [None, 5]}, "gives another judgment"),
        (2, "change", {"status": ["validated", "open"]}, "does not belong"),
        (0, "doc", "b", "is not what was quoted"),
        (0, "doc", "c", "no document"),
    ],
)
def test_an_altered_log_is_refused_with_its_line(
    collection: Collection, tmp_path: Path, at: int, field: str, value: object, why: str
) -> None:
    lines = [json.dumps(one.as_json()) for one in small_log(collection)]
    lines[at] = json.dumps({**json.loads(lines[at]), field: value})
    (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        states_of(tmp_path / "log.jsonl", collection, "2006")
    assert why in str(caught.value)
    assert f"log.jsonl:{at + 1}: " in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("operation", {"kind": "paint"}, "kind is 'paint'"),
        ("operation", None, "as an object"),
        ("change", {"colour": 1}, "not the change of a judgment"),
        ("seq", -1, "seq is -1"),
        ("version", None, "expected a seq and a version"),
        ("time", None, "time is missing"),
        ("mood", "good", "unknown field 'mood'"),
    ],
)
def test_a_line_that_is_no_operation_is_refused(
    collection: Collection, tmp_path: Path, field: str, value: object, why: str
) -> None:
    line = {**small_log(collection)[0].as_json(), field: value}
    (tmp_path / "log.jsonl").write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(read_log(tmp_path / "log.jsonl"))
    assert str(caught.value).startswith(str(tmp_path / "log.jsonl:1: "))
    assert why in str(caught.value)


def test_what_came_before_an_import_may_be_about_another_text(collection: Collection) -> None:
    """A judgment that was moved to a new version of its document has such a log."""
    log = small_log(collection)
    state = State(((0, 4),), 0, status="validated")
    moved = Operation("o4", 3, "import", value=state.as_json())
    before = State(((4, 8),), 4, status="validated")
    change = change_between(before, state)
    log.append(LoggedOperation(4, "7", "a", "A1", False, 4, TIME, moved, change))
    assert replayed(log, Article.of(collection, "b"), "2006") == state
    with pytest.raises(FormatError, match="not what was quoted"):
        replayed(log[:3], Article.of(collection, "b"), "2006")
