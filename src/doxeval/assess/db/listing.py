"""All judgments and all operations of a campaign, as exports and agreement take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, case, select

from doxeval.assess.db.failures import stored
from doxeval.assess.db.queue import ADJUDICATED
from doxeval.assess.db.schema import JUDGMENTS, OPERATIONS, POOL_DOCUMENTS, TOPICS, USERS
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.exchange.log import LoggedOperation
from doxeval.assess.judging import Change, Operation, State
from doxeval.documents import Collection

_ROWS_AT_ONCE = 1000


def judgments(
    connection: Connection,
    collection: Collection,
    topic: str | None = None,
    judge: int | None = None,
    drafts: bool = False,
) -> list[Judged]:
    """Judgments that were validated, and with `drafts` all that were begun."""
    table = JUDGMENTS.c
    query = (
        select(JUDGMENTS, USERS.c.pseudonym)
        .join(TOPICS, TOPICS.c.id == table.topic)
        .join(USERS, USERS.c.id == table.judge, isouter=True)
        .where(table.version > 0)
        .order_by(TOPICS.c.position, table.document, table.judge)
    )
    if topic is not None:
        query = query.where(table.topic == topic)
    if judge is not None:
        query = query.where(table.judge == judge)
    if not drafts:
        query = query.where(table.status == "validated")
    pooled = _pooled(connection, topic)
    return [_judged(row, pooled, collection) for row in connection.execute(query)]


def operations(
    connection: Connection, topic: str | None = None, document: str | None = None
) -> Iterator[LoggedOperation]:
    """The log, in the order of its operations; assessors by their pseudonyms."""
    table = OPERATIONS.c
    # Whose judgment it is (an organiser may have imported it); of adjudicators, who did it.
    whose = case((table.judge == ADJUDICATED, table.user_id), else_=table.judge)
    query = select(OPERATIONS, USERS.c.pseudonym).join(USERS, USERS.c.id == whose, isouter=True)
    if topic is not None:
        query = query.where(table.topic == topic)
    if document is not None:
        query = query.where(table.document == document)
    rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query.order_by(table.seq))
    for row in rows:
        with stored("an operation"):
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
        )


def _pooled(connection: Connection, topic: str | None) -> dict[tuple[str, str], Any]:
    table = POOL_DOCUMENTS.c
    query = select(table.topic, table.document, table.honeypot, table.elements)
    if topic is not None:
        query = query.where(table.topic == topic)
    return {(row.topic, row.document): row for row in connection.execute(query)}


def _judged(row: Any, pooled: dict[tuple[str, str], Any], collection: Collection) -> Judged:
    number = collection.document(row.document)
    first, after = collection.rows[number : number + 2].tolist()
    place = pooled.get((row.topic, row.document))
    adjudicated = row.judge == ADJUDICATED
    return Judged(
        row.topic,
        row.document,
        None if adjudicated else row.pseudonym,
        State.from_json(row.state),
        length=int(collection.nodes.end[first]),
        elements=after - first,
        adjudicated=adjudicated,
        off_pool=place is None,
        honeypot=place is not None and bool(place.honeypot),
        pooled=tuple(_paths(place)),
        judge=row.judge,
        seconds=row.seconds,
    )


def _paths(place: Any) -> Iterator[str]:
    if place is not None:
        with stored("a pooled element"):
            paths = [path for path, _, _ in place.elements if path is not None]
        yield from paths
