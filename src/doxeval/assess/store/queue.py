"""The queue of an assessor: the documents of a topic, in the order that the organiser chose.

    pool         as they stand in the pool
    prioritised  those that many runs returned high up first
    random       shuffled by the seed, the topic and the judge

The random order sorts by a hash of these and of the document. So it is the same whenever it is
asked for, and a document that is added later moves none of the others.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, select

from doxeval.assess.store.schema import JUDGMENTS, POOL_DOCUMENTS
from doxeval.assess.store.settings import Settings

QueueStatus = Literal["unjudged", "open", "validated", "skipped"]
ADJUDICATED = 0  # the judge whose judgments the adjudicators of a topic share


@dataclass(frozen=True)
class QueueEntry:
    """A document in a queue, and how far its judgment is.

    Honeypots look like every other document.
    """

    document: str
    position: int
    status: QueueStatus
    relevant: bool
    problem: bool
    off_pool: bool

    @property
    def is_done(self) -> bool:
        """Whether it was validated."""
        return self.status == "validated"


def queue(connection: Connection, settings: Settings, topic: str, judge: int) -> list[QueueEntry]:
    """The queue of a judge: the pool, then documents outside it that the judge added."""
    judged = _judged(connection, topic, judge)
    pooled = _ordered(connection, settings, topic, judge)
    if judge == ADJUDICATED:
        begun = _validated_by_anyone(connection, topic)
        outside = [document for document in begun if document not in set(pooled)]
        pooled = [one for one in pooled if one in begun or one in judged]
        outside += [one for one in judged if one not in begun and one not in set(pooled)]
    else:
        outside = [document for document in judged if document not in set(pooled)]
    return [
        _entry(document, position, judged.get(document), position >= len(pooled))
        for position, document in enumerate([*pooled, *sorted(outside)])
    ]


def next_document(entries: list[QueueEntry], after: str | None = None) -> str | None:
    """The next document to judge after one: unjudged or open ones first, skipped ones at the end.

    The search goes on from the beginning of the queue. None if all documents are done.

    >>> entries = [
    ...     QueueEntry(name, position, status, False, False, False)
    ...     for position, (name, status) in enumerate(
    ...         [("a", "open"), ("b", "validated"), ("c", "skipped"), ("d", "unjudged")]
    ...     )
    ... ]
    >>> next_document(entries), next_document(entries, "a"), next_document(entries, "d")
    ('a', 'd', 'a')
    """
    place = next((index for index, one in enumerate(entries) if one.document == after), -1)
    rotated = entries[place + 1 :] + entries[: max(place, 0)]
    for wanted in (("unjudged", "open"), ("skipped",)):
        for entry in rotated:
            if entry.status in wanted:
                return entry.document
    return None


def shuffled(documents: list[str], seed: int, topic: str, judge: int) -> list[str]:
    """Documents in the random order of a judge.

    >>> shuffled(["a", "b", "c"], 1, "7", 2)
    ['a', 'c', 'b']
    """
    return sorted(documents, key=lambda document: _hash(seed, topic, judge, document))


def _ordered(connection: Connection, settings: Settings, topic: str, judge: int) -> list[str]:
    table = POOL_DOCUMENTS.c
    query = select(table.document, table.position, table.priority).where(table.topic == topic)
    rows = connection.execute(query).all()
    if settings.order == "random":
        return shuffled([row.document for row in rows], settings.seed, topic, judge)

    # Honeypots share the position or the priority of a document; the hash mixes them.
    def key(row: Any) -> tuple[float, int, str]:
        first = -row.priority if settings.order == "prioritised" else 0.0
        return first, row.position, _hash(settings.seed, topic, 0, row.document)

    return [row.document for row in sorted(rows, key=key)]


def _hash(seed: int, topic: str, judge: int, document: str) -> str:
    name = "\t".join((str(seed), topic, str(judge), document))
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _judged(connection: Connection, topic: str, judge: int) -> dict[str, Any]:
    table = JUDGMENTS.c
    query = select(
        table.document, table.version, table.status, table.relevant, table.problem, table.skipped
    ).where(table.topic == topic, table.judge == judge)
    return {row.document: row for row in connection.execute(query)}


def _validated_by_anyone(connection: Connection, topic: str) -> set[str]:
    table = JUDGMENTS.c
    query = select(table.document).where(
        table.topic == topic, table.judge != ADJUDICATED, table.status == "validated"
    )
    return set(connection.execute(query).scalars())


def _entry(document: str, position: int, row: Any, off_pool: bool) -> QueueEntry:
    if row is None:
        return QueueEntry(document, position, "unjudged", False, False, off_pool)
    status: QueueStatus = "open" if row.version else "unjudged"
    if row.status == "validated":
        status = "validated"
    elif row.skipped:
        status = "skipped"
    return QueueEntry(document, position, status, bool(row.relevant), bool(row.problem), off_pool)
