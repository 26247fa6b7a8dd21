"""Whether the log leads to the judgments that are stored.

Every operation is carried out again on the text that it was about. Operations on a text that the
collection no longer has (before a rebase) are followed by the changes that the log says they made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from doxeval.assess.db.judgments import (
    Stacks,
    Target,
    next_step,
    stacks_after,
    state_columns,
    step_back,
    stored_of,
)
from doxeval.assess.db.schema import JUDGMENTS, OPERATIONS
from doxeval.assess.judging import (
    Article,
    Change,
    Mode,
    State,
    apply,
    change_between,
    check_quote,
    parse_operation,
    redone,
)
from doxeval.errors import InputError

ArticleOf = Callable[[str], Article]
REBASED = "rebase:"  # how the ids of operations begin that carry judgments over to another text


class Replayed(NamedTuple):
    """Where the log leads: a version, a state and the stacks of undo and redo."""

    version: int = 0
    state: State = State()
    stacks: Stacks = Stacks()


def verify(connection: Connection, article_of: ArticleOf, mode: Mode) -> list[str]:
    """Return what is wrong with the log or the judgments, one sentence each."""
    problems: list[str] = []
    rows = connection.execute(select(JUDGMENTS)).all()
    stored = {Target(row.topic, row.document, row.judge): row for row in rows}
    for target, operations in _logged(connection):
        row = stored.pop(target, None)
        try:
            replayed = _replayed(operations, article_of, mode)
        except InputError as error:
            problems.append(f"{_name(target)}: {error}")
            continue
        problems += [f"{_name(target)}: {text}" for text in _differences(replayed, row)]
    for target, row in stored.items():
        problems += [f"{_name(target)}: {text}" for text in _differences(Replayed(), row)]
    return problems


def _logged(connection: Connection) -> Iterator[tuple[Target, list[Any]]]:
    """Yield the operations on each judgment, in the order of their versions."""
    table = OPERATIONS.c
    query = select(OPERATIONS).order_by(table.topic, table.document, table.judge, table.version)
    rows = connection.execution_options(yield_per=1000).execute(query)
    for target, group in groupby(rows, lambda row: Target(row.topic, row.document, row.judge)):
        yield target, list(group)


def _replayed(operations: list[Any], article_of: ArticleOf, mode: Mode) -> Replayed:
    """Carry out all operations on a judgment, one after another."""
    article = article_of(operations[0].document)
    changes: dict[int, Change] = {}
    at = Replayed()
    for row in operations:
        if row.version != at.version + 1:
            raise InputError(f"operation {row.op_id} has version {row.version} after {at.version}")
        change = changes[row.version] = Change.from_json(row.change)
        if row.text_sha256 == article.sha256:
            state, stacks = _again(row, at, changes, article, mode)
            if change_between(at.state, state) != change:
                raise InputError(f"operation {row.op_id} gives another state than the log says")
        else:
            state, stacks = _followed(row, at, change)
        at = Replayed(row.version, state, stacks)
    return at


def _again(
    row: Any, at: Replayed, changes: dict[int, Change], article: Article, mode: Mode
) -> tuple[State, Stacks]:
    """Carry an operation out again."""
    operation = parse_operation({"op_id": row.op_id, **row.operation}, imports=True)
    check_quote(operation, article)
    if operation.kind in ("undo", "redo"):
        change = changes[next_step(operation.kind, at.stacks)]
        return step_back(operation.kind, at.state, at.stacks, change)
    after = apply(operation, at.state, article, mode)
    return after, _stacks(row, at, after)


def _followed(row: Any, at: Replayed, change: Change) -> tuple[State, Stacks]:
    """Follow the change that the log says an operation made."""
    after = redone(at.state, change)
    if row.kind in ("undo", "redo"):
        next_step(row.kind, at.stacks)
        logged = change if row.kind == "redo" else change.reversed()
        return after, step_back(row.kind, at.state, at.stacks, logged)[1]
    return after, _stacks(row, at, after)


def _stacks(row: Any, at: Replayed, after: State) -> Stacks:
    if row.kind == "import" and row.op_id.startswith(REBASED):
        return Stacks()  # nothing before a rebase is undone
    return stacks_after(at.state, after, at.stacks, row.version)


def _differences(replayed: Replayed, row: Any) -> Iterator[str]:
    """Yield in what a stored judgment differs from what the log leads to."""
    if row is None:
        yield "the log has operations, and the judgment is missing"
        return
    if row.version != replayed.version:
        yield f"the log leads to version {replayed.version}, and version {row.version} is stored"
    stored = stored_of(row)
    if stored.state != replayed.state:
        yield "the log leads to another state than the one that is stored"
    if stored.stacks != replayed.stacks:
        yield "the log leads to other steps of undo and redo than those that are stored"
    for name, value in state_columns(replayed.state).items():
        if getattr(row, name) != value:
            yield f"the column {name} does not say what the state says"


def _name(target: Target) -> str:
    who = f"judge {target.judge}" if target.judge else "adjudicated"
    return f"topic {target.topic}, document {target.document}, {who}"
