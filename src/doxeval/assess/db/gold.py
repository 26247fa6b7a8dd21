"""Honeypots: documents with a known answer among those of the pool, indistinguishable from them.

A honeypot that no run returned shares the position and the priority of some document of the pool,
so that it comes somewhere in the queue, whatever the order. If assessors may see pooled elements,
its whole document counts as pooled: one without any would give it away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

from sqlalchemy import Connection, insert, select, update

from doxeval.assess.db import audit, pools, times, topics
from doxeval.assess.db.schema import POOL_DOCUMENTS
from doxeval.assess.db.settings import Settings
from doxeval.assess.judging import Article, State


class Known(Protocol):
    """A judgment that is known to be right."""

    @property
    def topic(self) -> str:
        """The id of the topic."""

    @property
    def document(self) -> str:
        """The id of the document."""

    @property
    def state(self) -> State:
        """What is relevant in it."""


def place(
    connection: Connection,
    settings: Settings,
    known: Sequence[Known],
    article_of: Callable[[str], Article],
) -> int:
    """Place honeypots; the number of those that were not in the pool."""
    added = 0
    for one in known:
        topics.check_known(connection, one.topic)
        article = article_of(one.document)
        table = POOL_DOCUMENTS.c
        row = (table.topic == one.topic) & (table.document == article.document)
        values = {"honeypot": True, "gold": one.state.as_json()}
        if not connection.execute(update(POOL_DOCUMENTS).where(row).values(**values)).rowcount:
            values |= _mixed_in(connection, settings, one.topic, article)
            connection.execute(insert(POOL_DOCUMENTS).values(**values))
            added += 1
    pools.note_change(connection)
    audit.note(connection, "honeypots placed", number=len(known), outside_the_pool=added)
    return added


def gold(connection: Connection) -> dict[tuple[str, str], State]:
    """The known answers of honeypots, by topic and document."""
    table = POOL_DOCUMENTS.c
    query = select(table.topic, table.document, table.gold).where(table.honeypot)
    rows = connection.execute(query.order_by(table.topic, table.document))
    return {(row.topic, row.document): State.from_json(row.gold) for row in rows}


def _mixed_in(
    connection: Connection, settings: Settings, topic: str, article: Article
) -> dict[str, object]:
    """The row of a honeypot that was not in the pool."""
    table = POOL_DOCUMENTS.c
    query = select(table.position, table.priority, table.elements).where(table.topic == topic)
    pooled = connection.execute(query.order_by(table.position, table.document)).all()
    position, priority, elements = 0, 0.0, False
    if pooled:
        name = f"{settings.seed}\t{topic}\t{article.document}"
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
        position, priority, _ = pooled[number % len(pooled)]
        elements = any(row.elements for row in pooled)
    return {
        "topic": topic,
        "document": article.document,
        "position": position,
        "priority": priority,
        "elements": [[article.path_of(0), None, None]] if elements else [],
        "added_at": times.now(),
    }
