"""The queue of an assessor: the documents of a topic, in the order that the organiser chose.

    pool         as they stand in the pool
    prioritised  those that many runs returned high up first
    random       shuffled by the seed, the topic and the judge

The random order sorts by a hash of these and of the document. So it is the same whenever it is
asked for, and a document that is added later moves none of the others.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, select

from doxeval.assess.db.pools import CHANGES
from doxeval.assess.db.schema import JUDGMENTS, POOL_DOCUMENTS, SETTINGS
from doxeval.assess.db.settings import Settings

QueueStatus = Literal["unjudged", "open", "validated", "skipped"]
_ORDERS_KEPT = 64
# Statements of every request, built once.
_CHANGES = select(SETTINGS.c.value).where(SETTINGS.c.key == CHANGES)
_JUDGED = select(
    *(JUDGMENTS.c[name] for name in ("document", "version", "status")),
    *(JUDGMENTS.c[name] for name in ("relevant", "problem", "skipped")),
).where(JUDGMENTS.c.topic == bindparam("topic"), JUDGMENTS.c.judge == bindparam("judge"))
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


class Queues:
    """The queues of a campaign. The order of the last few is remembered until the pool changes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._orders: OrderedDict[tuple[str, int], tuple[int, tuple[QueueEntry, ...]]]
        self._orders = OrderedDict()
        self._lock = threading.Lock()

    def queue(self, connection: Connection, topic: str, judge: int) -> list[QueueEntry]:
        """The queue of a judge: the pool, then documents outside it that the judge added."""
        pooled = list(self._pooled(connection, topic, judge))
        judged = _judged(connection, topic, judge)
        known = {entry.document for entry in pooled}
        outside = [document for document in judged if document not in known]
        if judge == ADJUDICATED:
            begun = _validated_by_anyone(connection, topic)
            outside += [one for one in begun if one not in known and one not in judged]
            pooled = [one for one in pooled if one.document in begun or one.document in judged]
            pooled = [replace(one, position=place) for place, one in enumerate(pooled)]
        for place, entry in enumerate(pooled):
            if (row := judged.get(entry.document)) is not None:
                pooled[place] = _entry(entry.document, place, row, False)
        return pooled + [
            _entry(document, place, judged.get(document), True)
            for place, document in enumerate(sorted(outside), len(pooled))
        ]

    def _pooled(self, connection: Connection, topic: str, judge: int) -> tuple[QueueEntry, ...]:
        """The documents of the pool in their order, as if nobody had judged any."""
        changes: int = connection.execute(_CHANGES).scalar() or 0
        with self._lock:
            found = self._orders.get((topic, judge))
        if found is not None and found[0] == changes:
            return found[1]
        ordered = _ordered(connection, self._settings, topic, judge)
        entries = tuple(_entry(name, place, None, False) for place, name in enumerate(ordered))
        with self._lock:
            self._orders[topic, judge] = changes, entries
            if len(self._orders) > _ORDERS_KEPT:
                self._orders.popitem(last=False)
        return entries


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
    rows = connection.execute(_JUDGED, {"topic": topic, "judge": judge})
    return {row.document: row for row in rows}


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
