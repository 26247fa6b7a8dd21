"""What organisers decide: the settings of a campaign, its topics, and who judges them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from doxeval.assess.choices import (
    DISPLAY_ROLES,
    MODES,
    OLD_DISPLAY_ROLES,
    ORDERS,
    PARTS,
    SNAPS,
    Mode,
    Order,
    Part,
    Snap,
)
from doxeval.assess.db import session
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    KEYWORDS,
    TOPICS,
    USERS,
    get_setting,
    note_event,
    put_setting,
)
from doxeval.assess.db.session import CampaignError, Unknown, decoding
from doxeval.assess.judging import flaw_of_text
from doxeval.documents import PathPatterns
from doxeval.errors import SyntaxProblem
from doxeval.messages import Parameter, escape, quoted, suggestion
from doxeval.topics import TEXT_FIELDS, Topic

MAX_KEYWORDS, LONGEST_KEYWORD = 100, 100
LONGEST_TITLE, LONGEST_INSTRUCTIONS = 200, 50_000
LONGEST_ID = 1000  # of a topic or a document: ids are parts of addresses


@dataclass(frozen=True)
class Settings:
    """The decisions of the organiser; pages and exports follow them.

    order: in which order assessors walk the pool; `random` follows `seed`.
    show_pooled: whether assessors may see which parts of a document runs returned.
    display: the roles of tags and of path patterns, where they are not guessed; patterns win over
    tags, and of several patterns the last. snap: what selections snap to.
    title, instructions (Markdown), colour: what assessors see; these may change while they work.
    original: where the documents were published, with {id} for the id of each.

    >>> Settings(mode="2005").order
    'pool'
    >>> Settings(order="alphabetical")
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: order='alphabetical'; there are pool, \
prioritised, random
    """

    mode: Mode = "2006"
    order: Order = "pool"
    seed: int = 0
    show_pooled: bool = False
    display: Mapping[str, str] = field(default_factory=dict)
    snap: Snap = "characters"
    title: str = ""
    instructions: str = ""
    colour: str = ""
    original: str = ""

    def __post_init__(self) -> None:
        if len(self.title) > LONGEST_TITLE or escape(self.title) != self.title:
            raise CampaignError(
                Parameter("title", self.title)
                + f": expected at most {LONGEST_TITLE} visible characters in one line"
            )
        if len(self.instructions) > LONGEST_INSTRUCTIONS:
            raise CampaignError(
                f"the instructions have {len(self.instructions):,} characters: expected at most "
                f"{LONGEST_INSTRUCTIONS:,}"
            )
        if flaw := flaw_of_text(self.instructions):
            raise CampaignError(f"the instructions have {flaw}")
        if self.colour and not re.fullmatch("#[0-9a-fA-F]{6}", self.colour):
            raise CampaignError(
                Parameter("colour", self.colour) + ": expected a colour like #1a7f5a"
            )
        for name, known in (("mode", MODES), ("order", ORDERS), ("snap", SNAPS)):
            chosen = getattr(self, name)
            if chosen not in known:
                raise CampaignError(Parameter(name, chosen) + suggestion(str(chosen), known))
        if self.original and not re.match(r"https?://[^{}\s]*\{id\}[^{}\s]*\Z", self.original):
            raise CampaignError(
                Parameter("original", self.original)
                + ": expected an address like https://example.org/{id}.html"
            )
        display = {key: _display_role(key, role) for key, role in self.display.items()}
        object.__setattr__(self, "display", MappingProxyType(display))


def _display_role(key: str, name: str) -> str:
    """Return a role by its name, today's or an old one; the key is a tag, or path patterns."""
    role = OLD_DISPLAY_ROLES.get(name, name)
    if role not in DISPLAY_ROLES:
        known = f"; expected one of {', '.join(DISPLAY_ROLES)}"
        raise CampaignError(Parameter("display", {key: name}) + known)
    if key.startswith("/"):
        try:
            PathPatterns.parse(key)
        except SyntaxProblem as error:
            raise CampaignError(Parameter("display", {key: role}) + f"; {error}") from None
    return role


def save_settings(connection: Connection, settings: Settings) -> None:
    """Keep the settings of a campaign."""
    values = {name: getattr(settings, name) for name in settings.__dataclass_fields__}
    put_setting(connection, "settings", {**values, "display": dict(settings.display)})


def load_settings(connection: Connection) -> Settings:
    """Return the settings of a campaign."""
    with decoding("the settings of the campaign"):
        return Settings(**get_setting(connection, "settings"))


def recorded_collection(connection: Connection) -> dict[str, str]:
    """Return where the collection is, and its checksum (by its name in the database, seal)."""
    recorded = get_setting(connection, "collection")
    with decoding("the place of the collection"):
        return {name: str(recorded[name]) for name in ("path", "seal")}


# Topics


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


def check_topics(topics: Sequence[Topic]) -> None:
    """Refuse topics that a campaign cannot be made of.

    >>> check_topics([Topic("7"), Topic("7")])
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: topic '7' is given twice
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


def save_topics(connection: Connection, topics: Sequence[Topic]) -> None:
    """Keep the topics of a new campaign, in their order."""
    for position, topic in enumerate(topics):
        fields: dict[str, Any] = {name: getattr(topic, name) for name in TEXT_FIELDS}
        fields["cas_parts"] = topic.cas_parts
        values = {"id": topic.id, "position": position, "fields": fields}
        connection.execute(insert(TOPICS).values(**values))


def all_topics(connection: Connection) -> list[CampaignTopic]:
    """Return all topics, in their order."""
    return [_topic(row) for row in connection.execute(select(TOPICS).order_by(TOPICS.c.position))]


def topic_of_id(connection: Connection, topic: str) -> CampaignTopic:
    """Return the topic of an id; there must be one."""
    row = connection.execute(select(TOPICS).where(TOPICS.c.id == topic)).one_or_none()
    if row is None:
        raise unknown_topic(connection, topic)
    return _topic(row)


def check_topic(connection: Connection, topic: str) -> None:
    """Refuse a topic that the campaign does not have."""
    if connection.execute(select(TOPICS.c.id).where(TOPICS.c.id == topic)).scalar() is None:
        raise unknown_topic(connection, topic)


def unknown_topic(connection: Connection, topic: str) -> Unknown:
    """Return the error that there is no such topic."""
    known = connection.execute(select(TOPICS.c.id).order_by(TOPICS.c.position)).scalars().all()
    return Unknown(f"there is no topic {quoted(topic)}{suggestion(topic, known)}")


def close_or_reopen(connection: Connection, topic: str, closed: bool, by: int | None) -> None:
    """Close a topic, or open it again; nothing happens if it is so already."""
    check_topic(connection, topic)
    is_so = TOPICS.c.closed_at.is_not(None) if closed else TOPICS.c.closed_at.is_(None)
    changed = connection.execute(
        update(TOPICS)
        .where(TOPICS.c.id == topic, ~is_so)
        .values(closed_at=session.now() if closed else None)
    )
    if changed.rowcount:
        note_event(connection, "topic closed" if closed else "topic reopened", by, topic=topic)


def _topic(row: Row[Any]) -> CampaignTopic:
    with decoding("a topic"):
        parts = tuple((kind, text) for kind, text in row.fields["cas_parts"])
        topic = Topic(row.id, **{**row.fields, "cas_parts": parts})
    return CampaignTopic(row.id, topic, row.closed_at)


# Assignments


@dataclass(frozen=True)
class Assignment:
    """One user's part in one topic; by_document: only some documents of it, not the whole pool."""

    topic: str
    user: str
    part: Part
    by_document: bool = False


def check_part(part: str) -> None:
    """Refuse a part that there is not."""
    if part not in PARTS:
        raise CampaignError(f"part={quoted(part)}: expected assess or adjudicate")


def all_assignments(connection: Connection, user: int | None = None) -> list[Row[Any]]:
    """Return rows of topics, names and parts: all, or those of a user, by topic and user."""
    query = (
        select(ASSIGNMENTS, USERS.c.name)
        .join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id)
        .join(TOPICS, TOPICS.c.id == ASSIGNMENTS.c.topic)
        .order_by(TOPICS.c.position, USERS.c.id, ASSIGNMENTS.c.part)
    )
    if user is not None:
        query = query.where(ASSIGNMENTS.c.user_id == user)
    return list(connection.execute(query))


# Keywords to colour


def checked_keywords(words: Iterable[object]) -> list[str]:
    """Return words to colour, each once and without white space around it, within the limits.

    >>> checked_keywords([" low tide", "moon", "moon"])
    ['low tide', 'moon']
    >>> checked_keywords(["moon", " "])
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: ' ': expected keywords of 1 to 100 characters
    """
    given = list(words)
    if len(given) > MAX_KEYWORDS:
        raise CampaignError(f"{len(given):,} keywords: expected at most {MAX_KEYWORDS}")
    for word in given:
        if not isinstance(word, str) or not word.strip() or len(word) > LONGEST_KEYWORD:
            raise CampaignError(
                f"{quoted(word)}: expected keywords of 1 to {LONGEST_KEYWORD} characters"
            )
    return list(dict.fromkeys(str(word).strip() for word in given))


def put_keywords(connection: Connection, topic: str, user_id: int, words: list[str]) -> None:
    """Keep the words that are coloured for a user."""
    row = (KEYWORDS.c.topic == topic) & (KEYWORDS.c.user_id == user_id)
    if not connection.execute(update(KEYWORDS).where(row).values(words=words)).rowcount:
        connection.execute(insert(KEYWORDS).values(topic=topic, user_id=user_id, words=words))
