"""The queue of an assessor: the documents of a topic, in the order that the organiser chose.

    pool         as they stand in the pool
    prioritised  those that many runs returned high up first
    random       shuffled by the seed, the topic and the judge

The random order sorts by a hash of these and of the document. So it is the same whenever it is
needed, and a document that is added later moves none of the others. Progress is counted on queues.

Whoever has only some documents of a topic (balance.py) has only these in the queue.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection, and_, bindparam, exists, select

from doxeval.assess.choices import Part
from doxeval.assess.db.pools import CHANGES
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    JUDGMENTS,
    POOL_DOCUMENTS,
    SETTINGS,
    SHARES,
    TOPICS,
    USERS,
)
from doxeval.assess.db.topics import Settings, all_assignments, unknown_topic

QueueStatus = Literal["unjudged", "open", "validated", "skipped"]
ADJUDICATED = 0  # the judge whose judgments the adjudicators of a topic share
_ORDERS_KEPT = 1024
Key: TypeAlias = tuple[str, int]  # a topic and a judge


@dataclass(frozen=True)
class QueueEntry:
    """A document in a queue, and how far its judgment is.

    Honeypots look like every other document. is_settled: there is nothing to adjudicate, as one
    assessor validated it or all say the same, and no adjudicator has begun.
    """

    document: str
    position: int
    status: QueueStatus
    relevant: bool
    problem: bool
    off_pool: bool
    is_settled: bool = False

    @property
    def is_done(self) -> bool:
        """Whether it was validated."""
        return self.status == "validated"


@dataclass(frozen=True)
class AssignmentProgress:
    """One user's part in one topic: documents validated, of how many, and what was found.

    seconds: the time spent on its documents, of all adjudicators together. next: the next document
    to judge, None if all are done.
    """

    topic: str
    user: str
    part: Part
    done: int
    total: int
    relevant: int
    problems: int
    skipped: int
    seconds: float
    next: str | None = None


class _Pooled(NamedTuple):
    """The documents of the pool of a topic in the order of a judge, as of a change of the pool."""

    changes: int
    entries: tuple[QueueEntry, ...]


# The statements of every request, built once.
_CHANGES = select(SETTINGS.c.value).where(SETTINGS.c.key == CHANGES).scalar_subquery()
_IS_SHARED = (
    exists().where(ASSIGNMENTS.c.topic == TOPICS.c.id, ASSIGNMENTS.c.by_document).label("is_shared")
)
_TOPICS = select(TOPICS.c.id, _CHANGES, _IS_SHARED).where(
    TOPICS.c.id.in_(bindparam("topics", expanding=True))
)
_POOL = select(
    *(POOL_DOCUMENTS.c[name] for name in ("topic", "document", "position", "priority"))
).where(POOL_DOCUMENTS.c.topic.in_(bindparam("topics", expanding=True)))
_FLAGS = ("version", "status", "relevant", "problem", "skipped", "seconds", "off_pool")
_JUDGED = select(*(JUDGMENTS.c[name] for name in ("topic", "judge", "document", *_FLAGS))).where(
    JUDGMENTS.c.topic.in_(bindparam("topics", expanding=True)),
    JUDGMENTS.c.judge.in_(bindparam("judges", expanding=True)),
)
_GIVEN = (
    select(ASSIGNMENTS.c.topic, ASSIGNMENTS.c.user_id, SHARES.c.document)
    .join(
        SHARES,
        and_(SHARES.c.topic == ASSIGNMENTS.c.topic, SHARES.c.user_id == ASSIGNMENTS.c.user_id),
        isouter=True,
    )
    .where(
        ASSIGNMENTS.c.topic.in_(bindparam("topics", expanding=True)),
        ASSIGNMENTS.c.by_document,
    )
)
_VALIDATED = (  # by people: what programs say is nothing to adjudicate
    select(JUDGMENTS.c.topic, JUDGMENTS.c.document, JUDGMENTS.c.state)
    .join(USERS, USERS.c.id == JUDGMENTS.c.judge)
    .where(
        JUDGMENTS.c.topic.in_(bindparam("topics", expanding=True)),
        USERS.c.program.is_(None),
        JUDGMENTS.c.status == "validated",
    )
)
_ESSENCE = ("highlights", "bep", "grades")  # what assessors can differ about


class Queues:
    """The queues of a campaign. The order of the last few is remembered until the pool changes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._orders: OrderedDict[Key, _Pooled] = OrderedDict()
        self._lock = threading.Lock()

    def queue(self, connection: Connection, topic: str, judge: int) -> list[QueueEntry]:
        """Return the queue of a judge; the topic must be one of the campaign."""
        return self.read(connection, [(topic, judge)])[0][topic, judge]

    def progress(self, connection: Connection, user: int | None = None) -> list[AssignmentProgress]:
        """Return the progress of every assignment, or of those of a user."""
        assigned = [
            (row, (row.topic, ADJUDICATED if row.part == "adjudicate" else row.user_id))
            for row in all_assignments(connection, user)
        ]
        queues, seconds = self.read(connection, [key for _, key in assigned])
        return [
            AssignmentProgress(
                row.topic,
                row.name,
                row.part,
                done=sum(entry.is_done for entry in queues[key]),
                total=sum(not entry.is_settled for entry in queues[key]),
                relevant=sum(entry.is_done and entry.relevant for entry in queues[key]),
                problems=sum(entry.problem for entry in queues[key]),
                skipped=sum(entry.status == "skipped" for entry in queues[key]),
                seconds=seconds.get(key, 0.0),
                next=next_document(queues[key]),
            )
            for row, key in assigned
        ]

    def read(
        self, connection: Connection, keys: Iterable[Key]
    ) -> tuple[dict[Key, list[QueueEntry]], dict[Key, float]]:
        """Return the queues of judges, and the seconds that were spent on each.

        There are at most five queries, however many queues are read. A queue has the pool, or what
        the judge was given of it, then documents that the judge added.
        """
        keys = list(dict.fromkeys(keys))
        if not keys:
            return {}, {}
        topics = list(dict.fromkeys(topic for topic, _ in keys))
        pooled = self._pooled(connection, keys, topics)
        judges = list(dict.fromkeys(judge for _, judge in keys))
        judged: dict[Key, dict[str, Any]] = {key: {} for key in keys}
        seconds: dict[Key, float] = {}
        for row in connection.execute(_JUDGED, {"topics": topics, "judges": judges}):
            key = row.topic, row.judge
            if key in judged:
                judged[key][row.document] = row
                seconds[key] = seconds.get(key, 0.0) + row.seconds
        validated: dict[str, dict[str, bool]] = {topic: {} for topic in topics}
        adjudicated = [topic for topic, judge in keys if judge == ADJUDICATED]
        if adjudicated:
            first: dict[tuple[str, str], Any] = {}
            for topic, document, state in connection.execute(_VALIDATED, {"topics": adjudicated}):
                said = [state.get(name) for name in _ESSENCE]
                is_like = first.setdefault((topic, document), said) == said
                validated[topic][document] = validated[topic].get(document, True) and is_like
        queues = {
            key: _queue(pooled[key], judged[key], validated[key[0]] if not key[1] else None)
            for key in keys
        }
        return queues, seconds

    def _pooled(
        self, connection: Connection, keys: Sequence[Key], topics: Sequence[str]
    ) -> dict[Key, tuple[QueueEntry, ...]]:
        """Return the documents of the pool in their orders, as if nobody had judged any."""
        rows = connection.execute(_TOPICS, {"topics": topics}).all()
        known = {row[0] for row in rows}
        for topic in topics:
            if topic not in known:
                raise unknown_topic(connection, topic)
        changes: int = rows[0][1] or 0
        with self._lock:
            kept = {key: self._orders.get(key) for key in keys}
        pooled = {key: old.entries for key, old in kept.items() if old and old.changes == changes}
        missing = [key for key in keys if key not in pooled]
        if not missing:
            return pooled
        documents: dict[str, list[Any]] = {topic: [] for topic, _ in missing}
        for row in connection.execute(_POOL, {"topics": list(documents)}):
            documents[row.topic].append(row)
        shared = [row[0] for row in rows if row.is_shared and row[0] in documents]
        given = _given(connection, shared) if shared else {}
        for topic, judge in missing:
            share = given.get((topic, judge))
            pool = [row for row in documents[topic] if share is None or row.document in share]
            ordered = _ordered(pool, self._settings, topic, judge)
            pooled[topic, judge] = tuple(
                _entry(name, place, None, False) for place, name in enumerate(ordered)
            )
        with self._lock:
            for key in missing:
                self._orders[key] = _Pooled(changes, pooled[key])
            while len(self._orders) > _ORDERS_KEPT:
                self._orders.popitem(last=False)
        return pooled


def _given(connection: Connection, topics: Sequence[str]) -> dict[Key, set[str]]:
    """Return the documents of everybody who has only some of a topic."""
    given: dict[Key, set[str]] = {}
    for topic, user, document in connection.execute(_GIVEN, {"topics": topics}):
        given.setdefault((topic, user), set()).add(document)
    return given


def _queue(
    pooled: Sequence[QueueEntry], judged: dict[str, Any], validated: dict[str, bool] | None
) -> list[QueueEntry]:
    """Return the queue of a judge.

    validated: for adjudicators, the documents that anyone validated, and whether all say the same.
    """
    known = {entry.document for entry in pooled}
    outside = [document for document in judged if document not in known]
    if validated is not None:
        outside += [name for name in validated if name not in known and name not in judged]
        pooled = [
            entry for entry in pooled if entry.document in validated or entry.document in judged
        ]
        pooled = [replace(entry, position=place) for place, entry in enumerate(pooled)]
    entries = list(pooled)
    for place, entry in enumerate(entries):
        if (row := judged.get(entry.document)) is not None:
            entries[place] = _entry(entry.document, place, row, False)
    for place, document in enumerate(sorted(outside), len(entries)):
        row = judged.get(document)
        entries.append(_entry(document, place, row, row is None or bool(row.off_pool)))
    return [
        replace(entry, is_settled=True)
        if entry.status == "unjudged" and validated and validated.get(entry.document, False)
        else entry
        for entry in entries
    ]


def next_document(entries: list[QueueEntry], after: str | None = None) -> str | None:
    """Return the next document to judge after one: skipped ones come at the end.

    Those with nothing to adjudicate are passed over. The search goes on from the beginning of the
    queue. None if all documents are done.

    >>> entries = [
    ...     QueueEntry(name, position, status, False, False, False)
    ...     for position, (name, status) in enumerate(
    ...         [("a", "open"), ("b", "validated"), ("c", "skipped"), ("d", "unjudged")]
    ...     )
    ... ]
    >>> next_document(entries), next_document(entries, "a"), next_document(entries, "d")
    ('a', 'd', 'a')
    """
    place = next((index for index, entry in enumerate(entries) if entry.document == after), -1)
    rotated = entries[place + 1 :] + entries[: max(place, 0)]
    for statuses in (("unjudged", "open"), ("skipped",)):
        for entry in rotated:
            if entry.status in statuses and not entry.is_settled:
                return entry.document
    return None


def shuffled(documents: list[str], seed: int, topic: str, judge: int) -> list[str]:
    """Return documents in the random order of a judge.

    >>> shuffled(["a", "b", "c"], 1, "7", 2)
    ['a', 'c', 'b']
    """
    return sorted(documents, key=lambda document: _hash(seed, topic, judge, document))


def _ordered(rows: Sequence[Any], settings: Settings, topic: str, judge: int) -> list[str]:
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


def _entry(document: str, position: int, row: Any, off_pool: bool) -> QueueEntry:
    if row is None:
        return QueueEntry(document, position, "unjudged", False, False, off_pool)
    status: QueueStatus = "open" if row.version else "unjudged"
    if row.status == "validated":
        status = "validated"
    elif row.skipped:
        status = "skipped"
    return QueueEntry(document, position, status, bool(row.relevant), bool(row.problem), off_pool)
