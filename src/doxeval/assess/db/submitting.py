"""One operation on one judgment, as one transaction.

It locks the judgment, checks that the operation is new, the topic open, the version the one that
the assessor saw, and the quoted text the text of the document; then it applies the operation,
appends it to the log and raises the version. Either all of this is on disk, or nothing is.

An operation that is already in the log is a success and changes nothing: its first answer got lost,
and the browser sent it again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from doxeval.assess.db import times, undoing
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.judgments import Stored, Target, locked_row, stored
from doxeval.assess.db.schema import JUDGMENTS, OPERATIONS, SETTINGS, TOPICS
from doxeval.assess.judging import (
    Article,
    Mode,
    Operation,
    QuoteMismatch,
    Refused,
    State,
    apply,
    change_between,
    check_quote,
)
from doxeval.messages import quoted

FailureKind = Literal["conflict", "quote", "refused", "malformed", "closed"]


@dataclass(frozen=True)
class Failure:
    """Why an operation was not carried out; `code` is for programs, `message` for people."""

    kind: FailureKind
    message: str
    code: str


@dataclass(frozen=True)
class Submitted:
    """The judgment after some operations: how many were applied, and why the next one was not."""

    stored: Stored
    applied: int
    failure: Failure | None = None


class Failed(Exception):  # never leaves this package
    """Ends the transaction without any effect."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True)
class Author:
    """Who sends an operation (None: the command line), and what only imports may do."""

    user: int | None
    imports: bool = False
    seal: str | None = None  # of the collection whose text the operation is about


# The statements of every operation, built once.
_TOPIC = (
    select(
        TOPICS.c.closed_at,
        select(SETTINGS.c.value).where(SETTINGS.c.key == "collection").scalar_subquery(),
    )
    .where(TOPICS.c.id == bindparam("topic"))
    .with_for_update(read=True, of=TOPICS)
)
_LOGGED = select(OPERATIONS).where(OPERATIONS.c.op_id == bindparam("op_id"))
_APPEND = insert(OPERATIONS).inline()
_CHANGED = ("version", "state", "status", "relevant", "problem", "skipped", "undo", "redo")
_CHANGE = (
    update(JUDGMENTS)
    .where(*(JUDGMENTS.c[name] == bindparam(f"of_{name}") for name in Target._fields))
    .values({name: bindparam(name) for name in (*_CHANGED, "updated_at")})
)


def submit(
    connection: Connection,
    target: Target,
    author: Author,
    operation: Operation,
    article: Article,
    mode: Mode,
) -> Stored:
    """Carry out one operation; a Failed if it cannot be."""
    closed = _closed(connection, target.topic, author.seal)
    row = locked_row(connection, target, article.sha256, outside=author.imports)
    if _is_repeated(connection, target, author, operation):
        return stored(row)
    if closed and not author.imports:
        raise Failed(Failure("closed", f"topic {target.topic} is closed", "closed"))
    if operation.base_version != row.version:
        message = (
            f"this judgment was changed elsewhere: it has version {row.version}, and the operation "
            f"is for version {operation.base_version}"
        )
        raise Failed(Failure("conflict", message, "version"))
    if row.text_sha256 != article.sha256:
        raise CampaignError(f"document {quoted(target.document)} has another text than when judged")
    step = _applied(connection, target, row, operation, article, mode, author)
    return _saved(connection, target, author, operation, article, row, step)


def _applied(
    connection: Connection,
    target: Target,
    row: Row[Any],
    operation: Operation,
    article: Article,
    mode: Mode,
    author: Author,
) -> undoing.Step:
    if operation.kind == "import" and not author.imports:
        raise Failed(Failure("malformed", "judgments are imported by organisers", "kind"))
    before = State.from_json(row.state)
    stacks = undoing.Stacks(tuple(row.undo), tuple(row.redo))
    try:
        check_quote(operation, article)
        if operation.kind in ("undo", "redo"):
            version = undoing.version_of(operation.kind, stacks)
            change = undoing.logged_change(connection, target, version)
            return undoing.taken_back(operation.kind, before, stacks, change)
        after = apply(operation, before, article, mode)
    except QuoteMismatch as problem:
        raise Failed(Failure("quote", str(problem), "quote")) from problem
    except Refused as problem:
        raise Failed(Failure("refused", str(problem), problem.code)) from problem
    return undoing.done(before, after, stacks, row.version + 1)


def _saved(
    connection: Connection,
    target: Target,
    author: Author,
    operation: Operation,
    article: Article,
    row: Row[Any],
    step: undoing.Step,
) -> Stored:
    now, version = times.now(), row.version + 1
    before = State.from_json(row.state)
    logged = {
        **target._asdict(),
        "op_id": operation.op_id,
        "user_id": author.user,
        "version": version,
        "kind": operation.kind,
        "operation": content(operation),
        "change": change_between(before, step.after).as_json(),
        "text_sha256": article.sha256,
        "server_time": now,
    }
    connection.execute(_APPEND, logged)
    changed = {
        "version": version,
        "state": step.after.as_json(),
        **flags(step.after),
        "undo": step.stacks.undo,
        "redo": step.stacks.redo,
        "updated_at": now,
    }
    connection.execute(_CHANGE, changed | {f"of_{name}": one for name, one in _items(target)})
    can_undo, can_redo = bool(step.stacks.undo), bool(step.stacks.redo)
    return Stored(version, step.after, can_undo, can_redo, row.seconds, bool(row.off_pool), now)


def _items(target: Target) -> list[tuple[str, Any]]:
    return list(target._asdict().items())


def content(operation: Operation) -> dict[str, Any]:
    """What the log keeps of an operation, besides its id, which has its own column."""
    return {key: value for key, value in asdict(operation).items() if key != "op_id"}


def flags(state: State) -> dict[str, Any]:
    """The columns of a judgment that repeat parts of its state, for queues and progress."""
    return {
        "status": state.status,
        "relevant": state.is_relevant,
        "problem": state.problem,
        "skipped": state.skipped,
    }


def _closed(connection: Connection, topic: str, seal: str | None) -> bool:
    """Whether a topic is closed; it cannot be closed or opened until the transaction ends."""
    row = connection.execute(_TOPIC, {"topic": topic}).one_or_none()
    if row is None:
        raise CampaignError(f"there is no topic {quoted(topic)}")
    if seal is not None and (not isinstance(row[1], dict) or row[1].get("seal") != seal):
        raise CampaignError("the campaign was moved to another collection: start the server again")
    return row.closed_at is not None


def _is_repeated(
    connection: Connection, target: Target, author: Author, operation: Operation
) -> bool:
    """Whether the log has this operation; an id that was used for another one is refused."""
    row = connection.execute(_LOGGED, {"op_id": operation.op_id}).one_or_none()
    if row is None:
        return False
    logged = Target(row.topic, row.document, row.judge), row.user_id, _essence(row.operation)
    if logged != (target, author.user, _essence(content(operation))):
        message = "the id of this operation was used for another operation"
        raise Failed(Failure("refused", message, "op_id"))
    return True


def _essence(operation: dict[str, Any]) -> dict[str, Any]:
    """What must be equal when an operation is sent again: all but when and on what version."""
    return {
        key: value for key, value in operation.items() if key not in ("base_version", "client_time")
    }
