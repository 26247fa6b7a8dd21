"""The documents of the pool, how it grows, and honeypots in it.

A honeypot is a document with a known answer, indistinguishable from the others. One that no run
returned shares the position and the priority of some document of the pool, so that it comes
somewhere in the queue, whatever the order. If assessors may see pooled elements, its whole document
counts as pooled: one without any would give it away.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from sqlalchemy import Connection, delete, func, insert, select, update

from doxeval.assess.db import session
from doxeval.assess.db.schema import (
    JUDGMENTS,
    POOL_DOCUMENTS,
    POOLS,
    SHARES,
    TOPICS,
    get_setting,
    note_event,
    put_setting,
)
from doxeval.assess.db.session import CampaignError, decoding
from doxeval.assess.db.topics import LONGEST_ID, Settings, check_topic
from doxeval.assess.judging import Article, State
from doxeval.documents import Collection
from doxeval.errors import UnknownReference
from doxeval.messages import quoted
from doxeval.pooling import Pool, PooledDocument, PooledElement, PooledRun, PoolFacts

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


def update_pool(connection: Connection, pool: Pool, collection: Collection) -> PoolUpdate:
    """Take over a pool: add its documents, remove what it lacks and nobody began to judge.

    Documents that stay keep their place, and new ones come after them, so that nobody's queue is
    shuffled.
    """
    topics = list(connection.execute(select(TOPICS.c.id).order_by(TOPICS.c.position)).scalars())
    added = kept = removed = judged = 0
    for topic in topics:
        if topic not in pool.documents:
            continue
        new = {_known(pooled.document, collection): pooled for pooled in pool.documents[topic]}
        old = _documents(connection, topic)
        begun = _begun(connection, topic)
        gone = old - new.keys()
        added += _add(connection, topic, {name: new[name] for name in new if name not in old})
        _renew(connection, topic, {name: new[name] for name in new if name in old})
        removed += remove_documents(connection, topic, gone - begun)
        judged += len(gone & begun)
        kept += len(old & new.keys())
        _note_pool(connection, topic, pool)
    unknown = tuple(
        f"topic {quoted(topic)} is not in the campaign: its documents are left out"
        for topic in pool.documents
        if topic not in topics
    )
    note_change(connection)
    note_event(connection, "pool", added=added, kept=kept, removed=removed)
    return PoolUpdate(added, kept, removed, judged, unknown)


def note_change(connection: Connection) -> None:
    """Note that queues that are remembered in some process are to be read again."""
    with decoding("the number of changes of the pool"):
        changes = int(get_setting(connection, CHANGES) or 0)
    put_setting(connection, CHANGES, changes + 1)


def pooled_elements(
    connection: Connection, topic: str, document: str
) -> tuple[PooledElement, ...] | None:
    """Return the parts of a document that runs returned; None if it is not in the pool."""
    table = POOL_DOCUMENTS.c
    query = select(table.elements).where(table.topic == topic, table.document == document)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    with decoding("a pooled element"):
        return tuple(PooledElement(*element) for element in row.elements)


def read_pool(connection: Connection) -> Pool:
    """Return what is pooled for each topic, without honeypots that no run returned.

    Which run returned what is not kept. How the pool was made is known if all topics agree on it.
    """
    table, pools = POOL_DOCUMENTS.c, POOLS.c
    in_order = (TOPICS.c.position, table.position, table.added_at, table.honeypot)
    query = select(POOL_DOCUMENTS).join(TOPICS, TOPICS.c.id == table.topic).order_by(*in_order)
    documents: dict[str, list[PooledDocument]] = {}
    taken: set[tuple[str, int]] = set()
    for row in connection.execute(query):
        if row.honeypot and (row.topic, row.position) in taken:
            continue  # mixed in later, at the position of a document of the pool
        taken.add((row.topic, row.position))
        with decoding("a pooled element"):
            elements = tuple(PooledElement(*element) for element in row.elements)
        pooled = PooledDocument(row.document, row.priority, elements)
        documents.setdefault(row.topic, []).append(pooled)
    made = {
        row.topic: row.facts
        for row in connection.execute(select(pools.topic, pools.facts).order_by(pools.seq))
    }
    facts, *others = list(made.values()) or [{}]
    with decoding("the facts of a pool"):
        runs = [PooledRun(**run) for run in facts.get("runs", ())]
        names = [replace(run, file=run.file and os.path.basename(run.file)) for run in runs]
        judged = tuple((file, digest) for file, digest in facts.get("judged", ()))
        about = PoolFacts(**{**facts, "runs": tuple(names), "judged": judged})
    is_known = all(other == facts for other in others)
    pool = {topic: tuple(each) for topic, each in documents.items()}
    return Pool(pool, about if is_known else PoolFacts())


def check_pooled(topics: list[str], pool: Pool) -> None:
    """Refuse a pool that has nothing for a topic of a new campaign."""
    missing = [topic for topic in topics if topic not in pool.documents]
    if len(missing) == len(topics):
        raise CampaignError("the pool has none of the topics")


def _documents(connection: Connection, topic: str) -> set[str]:
    """Return the documents that are pooled, without honeypots that no run returned."""
    table = POOL_DOCUMENTS.c
    return set(connection.execute(select(table.document).where(table.topic == topic)).scalars())


def _begun(connection: Connection, topic: str) -> set[str]:
    """Return documents that somebody began to judge, and honeypots, which organisers placed."""
    table, placed = JUDGMENTS.c, POOL_DOCUMENTS.c
    begun = select(table.document).where(table.topic == topic, table.version > 0)
    honeypots = select(placed.document).where(placed.topic == topic, placed.honeypot)
    return set(connection.execute(begun.union(honeypots)).scalars())


def _add(connection: Connection, topic: str, new: dict[str, PooledDocument]) -> int:
    if not new:
        return 0
    table, now = POOL_DOCUMENTS.c, session.now()
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


def remove_documents(connection: Connection, topic: str, gone: set[str]) -> int:
    """Take documents that nobody began to judge from the pool; return how many."""
    table, judged, given = POOL_DOCUMENTS.c, JUDGMENTS.c, SHARES.c
    for document in gone:
        connection.execute(delete(SHARES).where(given.topic == topic, given.document == document))
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
    documents = [asdict(pooled) for pooled in pool.documents[topic]]
    digest = hashlib.sha256(json.dumps(documents).encode()).hexdigest()
    values = {"topic": topic, "sha256": digest, "facts": asdict(pool.facts)}
    connection.execute(insert(POOLS).values(**values, added_at=session.now()))


def _elements(pooled: PooledDocument) -> list[list[str | int | None]]:
    return [[part.path, part.start, part.end] for part in pooled.elements]


def _known(document: str, collection: Collection) -> str:
    """Return the id in the collection of an id as runs write it; an unknown one is an error."""
    try:
        name = collection.id_of(collection.document(document))
    except UnknownReference as error:
        raise CampaignError(f"{error}: the pool is of another collection") from None
    if len(name) > LONGEST_ID:
        raise CampaignError(
            f"document {quoted(name)}: its id has {len(name):,} characters; expected at most "
            f"{LONGEST_ID:,}"
        )
    return name


# Honeypots


class KnownJudgment(Protocol):
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


def place_honeypots(
    connection: Connection,
    settings: Settings,
    known: Sequence[KnownJudgment],
    article_of: Callable[[str], Article],
) -> int:
    """Place honeypots; return the number of those that were not in the pool."""
    added = 0
    for answer in known:
        check_topic(connection, answer.topic)
        article = article_of(answer.document)
        table = POOL_DOCUMENTS.c
        row = (table.topic == answer.topic) & (table.document == article.document)
        values = {"honeypot": True, "gold": answer.state.as_json()}
        if not connection.execute(update(POOL_DOCUMENTS).where(row).values(**values)).rowcount:
            values |= _mixed_in(connection, settings, answer.topic, article)
            connection.execute(insert(POOL_DOCUMENTS).values(**values))
            added += 1
    note_change(connection)
    note_event(connection, "honeypots placed", number=len(known), outside_the_pool=added)
    return added


def known_answers(connection: Connection) -> dict[tuple[str, str], State]:
    """Return the known answers of honeypots, by topic and document."""
    table = POOL_DOCUMENTS.c
    query = select(table.topic, table.document, table.gold).where(table.honeypot)
    rows = connection.execute(query.order_by(table.topic, table.document))
    return {(row.topic, row.document): State.from_json(row.gold) for row in rows}


def _mixed_in(
    connection: Connection, settings: Settings, topic: str, article: Article
) -> dict[str, object]:
    """Return the row of a honeypot that was not in the pool."""
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
        "added_at": session.now(),
    }
