"""The audit trail: who did what, and when, besides the operations on judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from doxeval.assess.db import times
from doxeval.assess.db.schema import EVENTS


@dataclass(frozen=True)
class Event:
    """Something that happened: a sign-in, a topic closed, an export …

    `user` is the id of the user who did it, None for the command line.
    """

    at: str
    user: int | None
    what: str
    details: dict[str, Any]


def note(connection: Connection, what: str, user: int | None = None, **details: Any) -> None:
    """Add an event to the trail."""
    connection.execute(
        insert(EVENTS).values(at=times.now(), user_id=user, what=what, details=details)
    )


def events(connection: Connection) -> list[Event]:
    """All events, in the order in which they happened."""
    rows = connection.execute(select(EVENTS).order_by(EVENTS.c.seq))
    return [Event(row.at, row.user_id, row.what, row.details) for row in rows]
