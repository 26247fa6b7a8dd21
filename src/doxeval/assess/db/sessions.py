"""Who is signed in: a random token in the browser, its hash in the database.

Whoever reads the database cannot sign in with what it holds. A session ends when it is closed, when
it was not used for a day, and after two weeks in any case; a new password ends all of a user's.
"""

from __future__ import annotations

import hashlib
import secrets

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from doxeval.assess.db import times
from doxeval.assess.db.schema import SESSIONS, USERS
from doxeval.assess.db.users import User, user_of_row

IDLE = 24 * 3600  # seconds
ABSOLUTE = 14 * 24 * 3600
_SEEN_EVERY = 60  # not every request needs to write


def open_session(connection: Connection, user_id: int) -> str:
    """Sign a user in; the token of the session. Sessions that are over are removed."""
    now = times.now()
    ended = SESSIONS.c.expires <= now
    idle = SESSIONS.c.seen <= times.later(now, -IDLE)
    connection.execute(delete(SESSIONS).where(ended | idle))
    token = secrets.token_urlsafe(32)
    values = {"created": now, "seen": now, "expires": times.later(now, ABSOLUTE)}
    connection.execute(
        insert(SESSIONS).values(token_hash=hash_of(token), user_id=user_id, **values)
    )
    return token


# Every request asks this, so the statement is built once.
_USER = (
    select(USERS, SESSIONS.c.seen)
    .join(USERS, USERS.c.id == SESSIONS.c.user_id)
    .where(
        SESSIONS.c.token_hash == bindparam("token_hash"),
        SESSIONS.c.expires > bindparam("now"),
        SESSIONS.c.seen > bindparam("idle"),
        USERS.c.active,
    )
)


def user_of(connection: Connection, token: str) -> tuple[User, bool] | None:
    """The user of a session, and whether its use must be noted; None if it is over."""
    now = times.now()
    given = {"token_hash": hash_of(token), "now": now, "idle": times.later(now, -IDLE)}
    row = connection.execute(_USER, given).one_or_none()
    if row is None:
        return None
    return user_of_row(row), times.seconds_between(row.seen, now) >= _SEEN_EVERY


def note_use(connection: Connection, token: str) -> None:
    """The session was used just now."""
    chosen = update(SESSIONS).where(SESSIONS.c.token_hash == hash_of(token))
    connection.execute(chosen.values(seen=times.now()))


def close_session(connection: Connection, token: str) -> None:
    """Sign out."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == hash_of(token)))


def close_sessions(connection: Connection, user_id: int) -> None:
    """Sign a user out everywhere."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == user_id))


def hash_of(token: str) -> str:
    """What the database keeps of a token.

    >>> len(hash_of("a token"))
    64
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
