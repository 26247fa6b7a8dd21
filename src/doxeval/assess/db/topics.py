"""The topics of a campaign, open and closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from doxeval.assess.db import audit, times
from doxeval.assess.db.failures import CampaignError, stored
from doxeval.assess.db.schema import KEYWORDS, TOPICS
from doxeval.messages import quoted, suggestion
from doxeval.topics import TEXT_FIELDS, Topic

MOST_KEYWORDS, LONGEST_KEYWORD = 100, 100
LONGEST_ID = 1000  # of a topic or a document: ids are parts of addresses


@dataclass(frozen=True)
class CampaignTopic:
    """A topic and when it was closed; None while it is open."""

    id: str
    topic: Topic
    closed_at: str | None

    @property
    def is_closed(self) -> bool:
        """Whether its judgments can no longer be changed."""
        return self.closed_at is not None


def save(connection: Connection, topics: Sequence[Topic]) -> None:
    """Keep the topics of a new campaign, in their order."""
    for position, topic in enumerate(topics):
        values = {"id": topic.id, "position": position, "fields": _fields(topic)}
        connection.execute(insert(TOPICS).values(**values))


def check(topics: Sequence[Topic]) -> None:
    """Refuse topics that a campaign cannot be made of.

    >>> check([Topic("7"), Topic("7")])
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: topic '7' is given twice
    """
    seen: set[str] = set()
    for topic in topics:
        if topic.id in seen:
            raise CampaignError(f"topic {quoted(topic.id)} is given twice")
        if "\0" in topic.id:
            raise CampaignError(f"topic {quoted(topic.id)}: its id has a null character")
        if len(topic.id) > LONGEST_ID:
            raise CampaignError(
                f"topic {quoted(topic.id)}: its id has {len(topic.id):,} characters; expected at "
                f"most {LONGEST_ID:,}"
            )
        seen.add(topic.id)
    if not seen:
        raise CampaignError("a campaign needs topics, and none were given")


def all_topics(connection: Connection) -> list[CampaignTopic]:
    """All topics, in their order."""
    rows = connection.execute(select(TOPICS).order_by(TOPICS.c.position))
    return [CampaignTopic(row.id, _topic(row.id, row.fields), row.closed_at) for row in rows]


_TOPIC = select(TOPICS.c.id).where(TOPICS.c.id == bindparam("topic"))


def check_known(connection: Connection, topic: str) -> None:
    """Refuse a topic that the campaign does not have."""
    if connection.execute(_TOPIC, {"topic": topic}).scalar() is None:
        known = connection.execute(select(TOPICS.c.id)).scalars().all()
        raise CampaignError(f"there is no topic {quoted(topic)}{suggestion(topic, known)}")


def set_closed(connection: Connection, topic: str, closed: bool, by: int | None) -> None:
    """Close a topic, or open it again; nothing happens if it is so already."""
    check_known(connection, topic)
    is_so = TOPICS.c.closed_at.is_not(None) if closed else TOPICS.c.closed_at.is_(None)
    changed = connection.execute(
        update(TOPICS)
        .where(TOPICS.c.id == topic, ~is_so)
        .values(closed_at=times.now() if closed else None)
    )
    if changed.rowcount:
        audit.note(connection, "topic closed" if closed else "topic reopened", by, topic=topic)


# Keywords to colour


def keywords(connection: Connection, topic: str, user_id: int) -> list[str] | None:
    """The words a user has coloured for a topic; None if they were never chosen."""
    query = select(KEYWORDS.c.words).where(KEYWORDS.c.topic == topic, KEYWORDS.c.user_id == user_id)
    words: list[str] | None = connection.execute(query).scalar()
    return words


def checked_keywords(words: Iterable[object]) -> list[str]:
    """Return words to colour, each once and without white space around it, within the limits.

    >>> checked_keywords([" low tide", "moon", "moon"])
    ['low tide', 'moon']
    >>> checked_keywords(["moon", " "])
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: ' ': expected keywords of 1 to 100 characters
    """
    given = list(words)
    if len(given) > MOST_KEYWORDS:
        raise CampaignError(f"{len(given):,} keywords: expected at most {MOST_KEYWORDS}")
    for word in given:
        if not isinstance(word, str) or not word.strip() or len(word) > LONGEST_KEYWORD:
            raise CampaignError(
                f"{quoted(word)}: expected keywords of 1 to {LONGEST_KEYWORD} characters"
            )
    return list(dict.fromkeys(str(word).strip() for word in given))


def set_keywords(connection: Connection, topic: str, user_id: int, words: Iterable[str]) -> None:
    """Choose the words that are coloured."""
    check_known(connection, topic)
    chosen = checked_keywords(words)
    row = (KEYWORDS.c.topic == topic) & (KEYWORDS.c.user_id == user_id)
    if not connection.execute(update(KEYWORDS).where(row).values(words=chosen)).rowcount:
        connection.execute(insert(KEYWORDS).values(topic=topic, user_id=user_id, words=chosen))


def _fields(topic: Topic) -> dict[str, Any]:
    texts = {name: getattr(topic, name) for name in TEXT_FIELDS}
    return {**texts, "cas_parts": topic.cas_parts}


def _topic(topic_id: str, fields: dict[str, Any]) -> Topic:
    with stored("a topic"):
        parts = tuple((kind, text) for kind, text in fields["cas_parts"])
        return Topic(topic_id, **{**fields, "cas_parts": parts})
