"""Whether the log leads to the judgments that are stored.

Every operation is carried out again on the text that it was about. Operations on a text that the
collection no longer has (before a rebase) are followed by the changes that the log says they made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, select

from doxeval.assess.db.judgments import Target
from doxeval.assess.db.schema import JUDGMENTS, OPERATIONS
from doxeval.assess.db.submitting import flags
from doxeval.assess.db.undoing import Stacks, Step, done, taken_back, version_of
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


@dataclass(frozen=True)
class Replayed:
    """Where the log leads: a version, a state and the stacks of undo and redo."""

    version: int
    state: State
    stacks: Stacks


_NOTHING = Replayed(0, State(), Stacks())


def verify(connection: Connection, article_of: ArticleOf, mode: Mode) -> list[str]:
    """What is wrong with the log or the judgments, one sentence each; none if all is well."""
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
        problems += [f"{_name(target)}: {one}" for one in _differences(replayed, row)]
    for target, row in stored.items():
        problems += [f"{_name(target)}: {one}" for one in _differences(_NOTHING, row)]
    return problems


def _logged(connection: Connection) -> Iterator[tuple[Target, list[Any]]]:
    """The operations on each judgment, in the order of their versions."""
    table = OPERATIONS.c
    query = select(OPERATIONS).order_by(table.topic, table.document, table.judge, table.version)
    rows = connection.execution_options(yield_per=1000).execute(query)
    for target, group in groupby(rows, lambda row: Target(row.topic, row.document, row.judge)):
        yield target, list(group)


def _replayed(operations: list[Any], article_of: ArticleOf, mode: Mode) -> Replayed:
    """All operations on a judgment, one after another."""
    article = article_of(operations[0].document)
    changes: dict[int, Change] = {}
    at = _NOTHING
    for row in operations:
        if row.version != at.version + 1:
            raise InputError(f"operation {row.op_id} has version {row.version} after {at.version}")
        change = changes[row.version] = Change.from_json(row.change)
        if row.text_sha256 == article.sha256:
            step = _again(row, at, changes, article, mode)
            if change_between(at.state, step.after) != change:
                raise InputError(f"operation {row.op_id} gives another state than the log says")
        else:
            step = _followed(row, at, change)
        at = Replayed(row.version, step.after, step.stacks)
    return at


def _again(
    row: Any, at: Replayed, changes: dict[int, Change], article: Article, mode: Mode
) -> Step:
    operation = parse_operation({"op_id": row.op_id, **row.operation}, imports=True)
    check_quote(operation, article)
    if operation.kind in ("undo", "redo"):
        change = changes[version_of(operation.kind, at.stacks)]
        return taken_back(operation.kind, at.state, at.stacks, change)
    after = apply(operation, at.state, article, mode)
    if _is_rebased(row):
        return Step(after, Stacks())
    return done(at.state, after, at.stacks, row.version)


def _followed(row: Any, at: Replayed, change: Change) -> Step:
    after = redone(at.state, change)
    if row.kind in ("undo", "redo"):
        version_of(row.kind, at.stacks)
        logged = change if row.kind == "redo" else change.reversed()
        return replace(taken_back(row.kind, at.state, at.stacks, logged), after=after)
    if _is_rebased(row):
        return Step(after, Stacks())
    return done(at.state, after, at.stacks, row.version)


def _is_rebased(row: Any) -> bool:
    """Whether an operation carried a judgment over to another text: nothing before it is undone."""
    return bool(row.kind == "import" and row.op_id.startswith(REBASED))


def _differences(replayed: Replayed, row: Any) -> Iterator[str]:
    """In what a stored judgment differs from what the log leads to."""
    if row is None:
        yield "the log has operations, and the judgment is missing"
        return
    if row.version != replayed.version:
        yield f"the log leads to version {replayed.version}, and version {row.version} is stored"
    if State.from_json(row.state) != replayed.state:
        yield "the log leads to another state than the one that is stored"
    if Stacks(tuple(row.undo), tuple(row.redo)) != replayed.stacks:
        yield "the log leads to other steps of undo and redo than those that are stored"
    for name, value in flags(replayed.state).items():
        if getattr(row, name) != value:
            yield f"the column {name} does not say what the state says"


def _name(target: Target) -> str:
    who = f"judge {target.judge}" if target.judge else "adjudicated"
    return f"topic {target.topic}, document {target.document}, {who}"
