"""Who assesses which topic, and who adjudicates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import Connection, bindparam, delete, insert, select

from doxeval.assess.db import audit, topics
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.schema import ASSIGNMENTS, TOPICS, USERS
from doxeval.assess.db.users import User
from doxeval.messages import quoted

Part = Literal["assess", "adjudicate"]


@dataclass(frozen=True)
class Assignment:
    """One user's part in one topic."""

    topic: str
    user: str
    part: Part


def assign(
    connection: Connection, topic: str, user: User, part: Part, by: int | None = None
) -> bool:
    """Give a user a part in a topic; whether it is new."""
    if part not in get_args(Part):
        raise CampaignError(f"part={quoted(part)}: expected assess or adjudicate")
    topics.check_known(connection, topic)
    if part in parts(connection, user.id, topic):
        return False
    connection.execute(insert(ASSIGNMENTS).values(topic=topic, user_id=user.id, part=part))
    audit.note(connection, "assigned", by, topic=topic, name=user.name, part=part)
    return True


def unassign(
    connection: Connection, topic: str, user: User, part: Part, by: int | None = None
) -> bool:
    """Take a part from a user, whose judgments stay; whether there was anything to take."""
    topics.check_known(connection, topic)
    row = ASSIGNMENTS.c
    taken = delete(ASSIGNMENTS).where(row.topic == topic, row.user_id == user.id, row.part == part)
    if not connection.execute(taken).rowcount:
        return False
    audit.note(connection, "unassigned", by, topic=topic, name=user.name, part=part)
    return True


_PARTS = select(ASSIGNMENTS.c.part).where(
    ASSIGNMENTS.c.topic == bindparam("topic"), ASSIGNMENTS.c.user_id == bindparam("user_id")
)


def parts(connection: Connection, user_id: int, topic: str) -> set[Part]:
    """The parts of a user in a topic."""
    return set(connection.execute(_PARTS, {"topic": topic, "user_id": user_id}).scalars())


def all_assignments(connection: Connection) -> list[Assignment]:
    """All assignments, by topic and by user."""
    query = (
        select(ASSIGNMENTS.c.topic, USERS.c.name, ASSIGNMENTS.c.part)
        .join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id)
        .join(TOPICS, TOPICS.c.id == ASSIGNMENTS.c.topic)
        .order_by(TOPICS.c.position, USERS.c.id, ASSIGNMENTS.c.part)
    )
    return [Assignment(*row) for row in connection.execute(query)]
