"""The documents of the pool, and how it grows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from doxeval.assess.db import audit, settings, times
from doxeval.assess.db.failures import CampaignError, stored
from doxeval.assess.db.schema import JUDGMENTS, POOL_DOCUMENTS, POOLS, TOPICS
from doxeval.messages import quoted
from doxeval.pooling import Pool, PooledDocument, PooledElement

# From the id of a document as runs write it to its id in the collection.
Known = Callable[[str], str]
CHANGES = "changes of the pool"  # the key of a setting that counts them


@dataclass(frozen=True)
class PoolUpdate:
    """What a new pool changed: documents added, kept, and no longer pooled.

    Documents that somebody began to judge are kept, even if the new pool lacks them. `warnings`
    names topics of the pool that the campaign does not have.
    """

    added: int
    kept: int
    removed: int
    kept_because_judged: int
    warnings: tuple[str, ...] = ()


def update_pool(connection: Connection, pool: Pool, known: Known) -> PoolUpdate:
    """Take over a pool: add its documents, remove what it lacks and nobody began to judge.

    Documents that stay keep their place, and new ones come after them, so that nobody's queue is
    shuffled.
    """
    topics = list(connection.execute(select(TOPICS.c.id).order_by(TOPICS.c.position)).scalars())
    added = kept = removed = judged = 0
    for topic in topics:
        if topic not in pool.documents:
            continue
        new = {known(one.document): one for one in pool.documents[topic]}
        old = _documents(connection, topic)
        begun = _begun(connection, topic)
        gone = old - new.keys()
        added += _add(connection, topic, {name: new[name] for name in new if name not in old})
        _renew(connection, topic, {name: new[name] for name in new if name in old})
        removed += remove(connection, topic, gone - begun)
        judged += len(gone & begun)
        kept += len(old & new.keys())
        _note_pool(connection, topic, pool)
    unknown = tuple(
        f"topic {quoted(topic)} is not in the campaign: its documents are left out"
        for topic in pool.documents
        if topic not in topics
    )
    note_change(connection)
    audit.note(connection, "pool", added=added, kept=kept, removed=removed)
    return PoolUpdate(added, kept, removed, judged, unknown)


def note_change(connection: Connection) -> None:
    """Queues that are remembered in some process are to be read again."""
    with stored("the number of changes of the pool"):
        changes = int(settings.get(connection, CHANGES) or 0)
    settings.put(connection, CHANGES, changes + 1)


def elements(connection: Connection, topic: str, document: str) -> tuple[PooledElement, ...] | None:
    """The parts of a document that runs returned; None if it is not in the pool."""
    table = POOL_DOCUMENTS.c
    query = select(table.elements).where(table.topic == topic, table.document == document)
    found = connection.execute(query).one_or_none()
    if found is None:
        return None
    with stored("a pooled element"):
        return tuple(PooledElement(*one) for one in found.elements)


def is_pooled(connection: Connection, topic: str, document: str) -> bool:
    """Whether a document is in the pool of a topic (as a honeypot, too)."""
    return elements(connection, topic, document) is not None


def check_pooled(topics: list[str], pool: Pool) -> None:
    """Refuse a pool that has nothing for a topic of a new campaign."""
    missing = [topic for topic in topics if topic not in pool.documents]
    if len(missing) == len(topics):
        raise CampaignError("the pool has none of the topics")


def _documents(connection: Connection, topic: str) -> set[str]:
    """The documents that are pooled, without honeypots that no run returned."""
    table = POOL_DOCUMENTS.c
    return set(connection.execute(select(table.document).where(table.topic == topic)).scalars())


def _begun(connection: Connection, topic: str) -> set[str]:
    """Documents that somebody began to judge, and honeypots, which organisers placed."""
    table, placed = JUDGMENTS.c, POOL_DOCUMENTS.c
    begun = select(table.document).where(table.topic == topic, table.version > 0)
    honeypots = select(placed.document).where(placed.topic == topic, placed.honeypot)
    return set(connection.execute(begun.union(honeypots)).scalars())


def _add(connection: Connection, topic: str, new: dict[str, PooledDocument]) -> int:
    if not new:
        return 0
    table, now = POOL_DOCUMENTS.c, times.now()
    query = select(func.coalesce(func.max(table.position), -1)).where(table.topic == topic)
    first = connection.execute(query).scalar_one() + 1
    rows = [
        {
            "topic": topic,
            "document": document,
            "position": first + number,
            "priority": pooled.priority,
            "elements": _elements(pooled),
            "honeypot": False,
            "added_at": now,
        }
        for number, (document, pooled) in enumerate(new.items())
    ]
    connection.execute(insert(POOL_DOCUMENTS), rows)
    judged = JUDGMENTS.c
    for document in new:  # judged before it was pooled
        connection.execute(
            update(JUDGMENTS)
            .where(judged.topic == topic, judged.document == document, judged.off_pool)
            .values(off_pool=False)
        )
    return len(rows)


def _renew(connection: Connection, topic: str, again: dict[str, PooledDocument]) -> None:
    table = POOL_DOCUMENTS.c
    for document, pooled in again.items():
        connection.execute(
            update(POOL_DOCUMENTS)
            .where(table.topic == topic, table.document == document)
            .values(priority=pooled.priority, elements=_elements(pooled))
        )


def remove(connection: Connection, topic: str, gone: set[str]) -> int:
    """Take documents that nobody began to judge from the pool; how many."""
    table, judged = POOL_DOCUMENTS.c, JUDGMENTS.c
    for document in gone:
        connection.execute(
            delete(POOL_DOCUMENTS).where(table.topic == topic, table.document == document)
        )
        connection.execute(  # opened, but never touched
            delete(JUDGMENTS).where(
                judged.topic == topic, judged.document == document, judged.version == 0
            )
        )
    return len(gone)


def _note_pool(connection: Connection, topic: str, pool: Pool) -> None:
    pooled = [asdict(one) for one in pool.documents[topic]]
    digest = hashlib.sha256(json.dumps(pooled).encode()).hexdigest()
    values = {"topic": topic, "sha256": digest, "facts": asdict(pool.facts)}
    connection.execute(insert(POOLS).values(**values, added_at=times.now()))


def _elements(pooled: PooledDocument) -> list[list[str | int | None]]:
    return [[one.path, one.start, one.end] for one in pooled.elements]
