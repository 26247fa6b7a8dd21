"""Judgments: one row for each topic, document and judge, and the log of operations that made it.

An operation is carried out within one transaction. It is checked that the operation is new, the
topic open, the version the one that the assessor saw, and the quoted text the text of the document;
then it is applied and appended to the log, and the version is raised. Either all of this is on
disk, or nothing is. An operation that is already in the log is a success and changes nothing: its
first answer got lost, and the browser sent it again.

Undo and redo are two stacks of versions, kept with the judgment; the log has their changes.
Judgments that were not made in the browser (imported, adjudicated by a rule, or carried over to
another text) are operations of the log like any other: ones that replace the whole state.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, and_, bindparam, case, exists, insert, select, update

from doxeval.assess.db import session
from doxeval.assess.db.queue import ADJUDICATED
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    JUDGMENTS,
    OPERATIONS,
    POOL_DOCUMENTS,
    SETTINGS,
    SHARES,
    TOPICS,
    USERS,
)
from doxeval.assess.db.session import CampaignError, NotInQueue, decoding
from doxeval.assess.db.snapshots import PLACED, keep_snapshot
from doxeval.assess.db.topics import unknown_topic
from doxeval.assess.exchange import Judged, LoggedOperation
from doxeval.assess.judging import (
    Article,
    Change,
    Mode,
    Operation,
    OperationRefused,
    QuoteMismatch,
    State,
    apply,
    change_between,
    check_quote,
    redone,
    undone,
)
from doxeval.assessments import Ties
from doxeval.documents import Collection as Documents
from doxeval.messages import quoted

MAX_SECONDS = 600
_UNDO_STEPS = 1000
_ROWS_AT_ONCE = 1000


class Target(NamedTuple):
    """What is judged, and for whom: 0 is the judgment that adjudicators share."""

    topic: str
    document: str
    judge: int


class Stacks(NamedTuple):
    """Versions whose operations can be undone, and those that can be redone; the last is next."""

    undo: tuple[int, ...] = ()
    redo: tuple[int, ...] = ()


@dataclass(frozen=True)
class Stored:
    """A judgment as it is stored; version 0 is one that nobody has touched."""

    version: int = 0
    state: State = field(default_factory=State)
    stacks: Stacks = field(default_factory=Stacks)
    seconds: float = 0.0
    off_pool: bool = False
    text_sha256: str = ""
    updated_at: str | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is an operation to undo."""
        return bool(self.stacks.undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is an operation to redo."""
        return bool(self.stacks.redo)


@dataclass(frozen=True)
class Failure:
    """Why an operation was not carried out; `code` is for programs, `message` for people."""

    kind: Literal["conflict", "quote", "refused", "malformed", "closed"]
    message: str
    code: str


@dataclass(frozen=True)
class Submitted:
    """The judgment after some operations: how many were applied, and why the next one was not."""

    stored: Stored
    applied: int
    failure: Failure | None = None


class Failed(Exception):  # never leaves this package
    """An operation that cannot be carried out; nothing was changed by it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True)
class Author:
    """Who sends an operation (None: the command line), and what only imports may do."""

    user: int | None
    imports: bool = False
    checksum: str | None = None  # of the collection whose text the operation is about


# The statements of every operation, built once.
_IS_TARGET = and_(*(JUDGMENTS.c[name] == bindparam(name) for name in Target._fields))
_READ = select(JUDGMENTS).where(_IS_TARGET)
# All that an operation depends on besides the judgment.
_CIRCUMSTANCES = select(
    TOPICS.c.closed_at,
    select(SETTINGS.c.value)
    .where(SETTINGS.c.key == "collection")
    .scalar_subquery()
    .label("collection"),
    exists()
    .where(
        POOL_DOCUMENTS.c.topic == bindparam("topic"),
        POOL_DOCUMENTS.c.document == bindparam("document"),
    )
    .label("pooled"),
    # Whoever has only some documents of a topic may not begin with others, unless they add them.
    exists()
    .where(
        ASSIGNMENTS.c.topic == bindparam("topic"),
        ASSIGNMENTS.c.user_id == bindparam("judge"),
        ASSIGNMENTS.c.by_document,
        ~exists()
        .where(
            SHARES.c.topic == bindparam("topic"),
            SHARES.c.user_id == bindparam("judge"),
            SHARES.c.document == bindparam("document"),
        )
        .correlate(None),
    )
    .label("of_others"),
    exists().where(OPERATIONS.c.op_id == bindparam("op_id")).label("repeated"),
).where(TOPICS.c.id == bindparam("topic"))
_APPEND = insert(OPERATIONS).inline()
_INSERT = insert(JUDGMENTS).inline()
_UPDATE = (
    update(JUDGMENTS)
    .where(*(JUDGMENTS.c[name] == bindparam(f"of_{name}") for name in Target._fields))
    .values(
        {
            column.name: bindparam(column.name)
            for column in JUDGMENTS.c
            if column.name not in Target._fields
        }
    )
)


def read_judgment(connection: Connection, target: Target) -> Stored | None:
    """Return a judgment as it is stored; None if nobody opened it."""
    row = connection.execute(_READ, target._asdict()).one_or_none()
    return None if row is None else stored_of(row)


def stored_of(row: Any) -> Stored:
    """Return a row of the table as a value."""
    return Stored(
        row.version,
        State.from_json(row.state),
        Stacks(tuple(row.undo), tuple(row.redo)),
        row.seconds,
        bool(row.off_pool),
        row.text_sha256,
        row.updated_at,
    )


def write_judgment(
    connection: Connection, target: Target, stored: Stored, *, is_new: bool = False
) -> None:
    """Write the row of a judgment."""
    values = {
        "version": stored.version,
        "state": stored.state.as_json(),
        **state_columns(stored.state),
        "off_pool": stored.off_pool,
        "seconds": stored.seconds,
        "undo": stored.stacks.undo,
        "redo": stored.stacks.redo,
        "text_sha256": stored.text_sha256,
        "updated_at": stored.updated_at or session.now(),
    }
    if is_new:
        connection.execute(_INSERT, target._asdict() | values)
    else:
        names = {f"of_{name}": value for name, value in target._asdict().items()}
        connection.execute(_UPDATE, values | names)


def state_columns(state: State) -> dict[str, Any]:
    """Return the columns that repeat parts of a state, for queues and progress."""
    return {
        "status": state.status,
        "relevant": state.is_relevant,
        "problem": state.problem,
        "skipped": state.skipped,
    }


def _circumstances(connection: Connection, target: Target, op_id: str = "") -> Any:
    given = target._asdict() | {"op_id": op_id}
    row = connection.execute(_CIRCUMSTANCES, given).one_or_none()
    if row is None:
        raise unknown_topic(connection, target.topic)
    return row


def _new_judgment(target: Target, article: Article, about: Any, outside: bool) -> Stored:
    """Return a judgment that nobody opened before; outside the queue only if that is allowed."""
    if (not about.pooled or about.of_others) and not outside:
        where = "given to others" if about.pooled else "not in the pool"
        raise NotInQueue(
            f"document {quoted(target.document)} of topic {quoted(target.topic)} is {where}: "
            "add it first"
        )
    return Stored(off_pool=not about.pooled, text_sha256=article.sha256)


def open_judgment(
    connection: Connection, target: Target, article: Article, *, outside: bool = False
) -> Stored:
    """Return a judgment; one that nobody opened before is written as such."""
    stored = read_judgment(connection, target)
    if stored is None:
        stored = _new_judgment(target, article, _circumstances(connection, target), outside)
        write_judgment(connection, target, stored, is_new=True)
    return stored


def add_time(connection: Connection, target: Target, article: Article, seconds: float) -> None:
    """Add to the time that was spent on a document."""
    if not 0 <= seconds <= MAX_SECONDS:
        raise CampaignError(f"expected 0 to {MAX_SECONDS} seconds")
    stored = open_judgment(connection, target, article)
    write_judgment(connection, target, replace(stored, seconds=stored.seconds + seconds))


# Operations


def submit_all(
    connection: Connection,
    target: Target,
    author: Author,
    operations: Sequence[Operation],
    article: Article,
    mode: Mode,
) -> Submitted:
    """Carry out operations in order, until one fails."""
    stored: Stored | None = None
    for number, operation in enumerate(operations):
        try:
            stored = submit(connection, target, author, operation, article, mode)
        except Failed as failed:
            current = stored or read_judgment(connection, target) or Stored()
            return Submitted(current, number, failed.failure)
    return Submitted(stored or read_judgment(connection, target) or Stored(), len(operations))


def submit(
    connection: Connection,
    target: Target,
    author: Author,
    operation: Operation,
    article: Article,
    mode: Mode,
) -> Stored:
    """Carry out one operation, and return the judgment after it; a Failed if it cannot be."""
    before = read_judgment(connection, target)
    about = _circumstances(connection, target, operation.op_id)
    if author.checksum is not None and (
        not isinstance(about.collection, dict) or about.collection.get("seal") != author.checksum
    ):
        raise CampaignError("the campaign was moved to another collection: start the server again")
    is_new = before is None
    if before is None:
        before = _new_judgment(target, article, about, author.imports)
    if about.repeated:
        _check_same(connection, target, author, operation)
        return before
    if about.closed_at is not None and not author.imports:
        raise Failed(Failure("closed", f"topic {target.topic} is closed", "closed"))
    if operation.base_version != before.version:
        message = (
            f"this judgment was changed elsewhere: it has version {before.version}, and the "
            f"operation is for version {operation.base_version}"
        )
        raise Failed(Failure("conflict", message, "version"))
    if before.text_sha256 != article.sha256:
        raise CampaignError(f"document {quoted(target.document)} has another text than when judged")
    if operation.kind == "import" and not author.imports:
        raise Failed(Failure("malformed", "judgments are imported by organisers", "kind"))
    version, now = before.version + 1, session.now()
    try:
        check_quote(operation, article)
        if operation.kind in ("undo", "redo"):
            change = _logged_change(connection, target, next_step(operation.kind, before.stacks))
            state, stacks = step_back(operation.kind, before.state, before.stacks, change)
        else:
            state = apply(operation, before.state, article, mode)
            stacks = stacks_after(before.state, state, before.stacks, version)
    except QuoteMismatch as problem:
        raise Failed(Failure("quote", str(problem), "quote")) from problem
    except OperationRefused as problem:
        raise Failed(Failure("refused", str(problem), problem.code)) from problem
    after = Stored(version, state, stacks, before.seconds, before.off_pool, before.text_sha256, now)
    write_judgment(connection, target, after, is_new=is_new)
    logged = {
        **target._asdict(),
        "op_id": operation.op_id,
        "user_id": author.user,
        "version": version,
        "kind": operation.kind,
        "operation": _logged_content(operation),
        "change": change_between(before.state, state).as_json(),
        "text_sha256": article.sha256,
        "server_time": now,
    }
    connection.execute(_APPEND, logged)
    return after


def _check_same(
    connection: Connection, target: Target, author: Author, operation: Operation
) -> None:
    """Refuse the id of an operation in the log that is another one."""
    query = select(OPERATIONS).where(OPERATIONS.c.op_id == operation.op_id)
    row = connection.execute(query).one()
    logged = Target(row.topic, row.document, row.judge), row.user_id, _essence(row.operation)
    if logged != (target, author.user, _essence(_logged_content(operation))):
        message = "the id of this operation was used for another operation"
        raise Failed(Failure("refused", message, "op_id"))


def _logged_content(operation: Operation) -> dict[str, Any]:
    """Return what the log keeps of an operation, besides its id, which has its own column."""
    return {key: value for key, value in asdict(operation).items() if key != "op_id"}


def _essence(operation: dict[str, Any]) -> dict[str, Any]:
    """Return what must be equal when an operation is sent again: all but time and version."""
    return {
        key: value for key, value in operation.items() if key not in ("base_version", "client_time")
    }


# Undo and redo


def stacks_after(before: State, after: State, stacks: Stacks, version: int) -> Stacks:
    """Return the stacks after an ordinary operation, which can be undone if it changed anything.

    >>> stacks_after(State(), State(note="tides"), Stacks((1,), (2,)), 3)
    Stacks(undo=(1, 3), redo=())
    >>> stacks_after(State(), State(), Stacks((1,), (2,)), 3)
    Stacks(undo=(1,), redo=(2,))
    """
    return stacks if before == after else Stacks((*stacks.undo, version)[-_UNDO_STEPS:], ())


def next_step(kind: str, stacks: Stacks) -> int:
    """Return the version whose change an undo or a redo takes; it is refused if there is none."""
    versions = stacks.undo if kind == "undo" else stacks.redo
    if not versions:
        raise OperationRefused(f"nothing-to-{kind}", f"There is nothing to {kind}.")
    return versions[-1]


def step_back(kind: str, state: State, stacks: Stacks, change: Change) -> tuple[State, Stacks]:
    """Undo or redo the change of the next step; return the state and the stacks after it."""
    if kind == "undo":
        version = stacks.undo[-1]
        return undone(state, change), Stacks(stacks.undo[:-1], (*stacks.redo, version))
    version = stacks.redo[-1]
    moved = Stacks((*stacks.undo, version)[-_UNDO_STEPS:], stacks.redo[:-1])
    return redone(state, change), moved


def _logged_change(connection: Connection, target: Target, version: int) -> Change:
    table = OPERATIONS.c
    query = select(table.change).where(
        table.topic == target.topic,
        table.document == target.document,
        table.judge == target.judge,
        table.version == version,
    )
    return Change.from_json(connection.execute(query).scalar_one())


# Whole states


class NewState(NamedTuple):
    """What a judgment is to become."""

    target: Target
    state: State


@dataclass(frozen=True)
class Imported:
    """How many judgments were written, were so already, and were left as they are.

    A judgment that somebody worked on is replaced only if that was requested; `kept` names those
    that were not, as (topic, document). `ties` are those of a majority.
    """

    written: int
    unchanged: int
    kept: tuple[tuple[str, str], ...] = ()
    ties: Ties = field(default_factory=Ties)


def write_states(
    connection: Connection,
    states: Sequence[NewState],
    mode: Mode,
    author: Author,
    article_of: Callable[[str], Article],
    overwrite: bool = False,
) -> Imported:
    """Write whole states, all of them or none."""
    written = unchanged = 0
    kept: list[tuple[str, str]] = []
    for target, state in states:
        article = article_of(target.document)
        current = read_judgment(connection, target) or Stored()
        if current.version and current.state == state:
            unchanged += 1
        elif current.version and current.state != State() and not overwrite:
            kept.append((target.topic, target.document))
        else:
            if state.is_relevant:
                keep_snapshot(connection, article)
            operation = import_operation(state, current.version)
            try:
                submit(connection, target, author, operation, article, mode)
            except Failed as failed:
                where = f"topic {target.topic}, document {target.document}"
                raise CampaignError(f"{where}: {failed.failure.message}") from failed
            written += 1
    return Imported(written, unchanged, tuple(kept))


def import_operation(state: State, base_version: int, prefix: str = "import:") -> Operation:
    """Return the operation that replaces a whole state."""
    op_id = f"{prefix}{secrets.token_hex(12)}"
    return Operation(op_id, base_version, "import", value=state.as_json())


def refers_to_text(operations: Sequence[Operation]) -> bool:
    """Tell whether operations refer to places of the text, which is then kept as it was judged."""
    return not PLACED.isdisjoint(operation.kind for operation in operations)


# All judgments and operations, as exports and agreement take them


def list_judgments(
    connection: Connection,
    documents: Documents,
    topics: Collection[str] | None = None,
    judge: int | None = None,
    drafts: bool = False,
    document: str | None = None,
    programs: bool = False,
) -> list[Judged]:
    """Return judgments that were validated, and with `drafts` all that were begun.

    Of people alone, unless `programs` are to count, too.
    """
    table, pooled = JUDGMENTS.c, POOL_DOCUMENTS.c
    is_pooled = and_(pooled.topic == table.topic, pooled.document == table.document)
    query = (
        select(JUDGMENTS, USERS.c.pseudonym, USERS.c.program, pooled.honeypot, pooled.elements)
        .join(TOPICS, TOPICS.c.id == table.topic)
        .join(USERS, USERS.c.id == table.judge, isouter=True)
        .join(POOL_DOCUMENTS, is_pooled, isouter=True)
        .where(table.version > 0)
        .order_by(TOPICS.c.position, table.document, table.judge)
    )
    if topics is not None:
        query = query.where(table.topic.in_(list(topics)))
    if judge is not None:
        query = query.where(table.judge == judge)
    if document is not None:
        query = query.where(table.document == document)
    if not drafts:
        query = query.where(table.status == "validated")
    if not programs:
        query = query.where(USERS.c.program.is_(None))
    return [_judged(row, documents) for row in connection.execute(query)]


def _judged(row: Any, documents: Documents) -> Judged:
    number = documents.document(row.document)
    first, after = documents.rows[number : number + 2].tolist()
    with decoding("a pooled element"):
        paths = tuple(path for path, _, _ in row.elements or () if path is not None)
    is_adjudicated = row.judge == ADJUDICATED
    return Judged(
        row.topic,
        row.document,
        None if is_adjudicated else row.pseudonym,
        State.from_json(row.state),
        length=int(documents.nodes.end[first]),
        elements=after - first,
        adjudicated=is_adjudicated,
        off_pool=row.elements is None,
        honeypot=bool(row.honeypot),
        pooled=paths,
        judge=row.judge,
        seconds=row.seconds,
        program=row.program is not None,
    )


def list_operations(
    connection: Connection, topic: str | None = None, document: str | None = None
) -> Iterator[LoggedOperation]:
    """Yield the log, in the order of its operations; assessors by their pseudonyms."""
    table = OPERATIONS.c
    # Whose judgment it is (an organiser may have imported it); of adjudicators, who did it.
    whose = case((table.judge == ADJUDICATED, table.user_id), else_=table.judge)
    query = select(OPERATIONS, USERS.c.pseudonym, USERS.c.program).join(
        USERS, USERS.c.id == whose, isouter=True
    )
    if topic is not None:
        query = query.where(table.topic == topic)
    if document is not None:
        query = query.where(table.document == document)
    rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query.order_by(table.seq))
    for row in rows:
        with decoding("an operation"):
            operation = Operation(row.op_id, **row.operation)
        yield LoggedOperation(
            row.seq,
            row.topic,
            row.document,
            row.pseudonym,
            row.judge == ADJUDICATED,
            row.version,
            row.server_time,
            operation,
            Change.from_json(row.change),
            program=row.program is not None,
        )
