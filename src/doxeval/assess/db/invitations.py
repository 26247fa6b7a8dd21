"""Invitations: links by which people choose their passwords, once and within some days.

The database keeps the hash of a link's random token, so nobody who reads it can use a link. A user
has one invitation at most: a new one replaces the old. Choosing a password ends it, and so does
whatever else decides how the user signs in: a password set by others, an account that is disabled.
Backups leave invitations out.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from doxeval.assess.choices import MAX_DAYS
from doxeval.assess.db import session
from doxeval.assess.db.schema import INVITATIONS, SESSIONS, USERS, note_event
from doxeval.assess.db.session import CampaignError
from doxeval.assess.db.users import IS_PERSON, User, hash_token, user_named, user_of
from doxeval.messages import Parameter, quoted

_DAY = 24 * 3600  # seconds


class NoInvitation(CampaignError):
    """A link that is none, that was used or withdrawn, or whose time is over."""


@dataclass(frozen=True)
class Invitation:
    """Who is invited, and until when; the token, which only whoever made it ever sees."""

    user: str
    expires: str
    token: str = ""

    @property
    def is_over(self) -> bool:
        """Whether its time is over."""
        return self.expires <= session.now()


def checked_days(days: int) -> int:
    """Return for how many days an invitation holds, if it may be so many.

    >>> checked_days(0)
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: days=0: expected 1 to 90
    """
    if not 1 <= days <= MAX_DAYS:
        raise CampaignError(Parameter("days", days) + f": expected 1 to {MAX_DAYS}")
    return days


def invite(connection: Connection, name: str, days: int, by: int | None) -> Invitation:
    """Make the one invitation of a user, whose sessions and password stay until it is used."""
    user = user_named(connection, name)
    if not user.active:
        raise CampaignError(f"{quoted(name)} is disabled: enable the account first")
    withdraw_invitation(connection, user.id)
    token = secrets.token_urlsafe(32)
    expires = session.later(session.now(), checked_days(days) * _DAY)
    values = {"user_id": user.id, "token_hash": hash_token(token), "expires": expires}
    connection.execute(insert(INVITATIONS).values(**values))
    note_event(connection, "invited", by, name=name, expires=expires)
    return Invitation(user.name, expires, token)


def withdraw_invitation(connection: Connection, user: int) -> bool:
    """Take back the invitation of a user; return whether there was one."""
    chosen = delete(INVITATIONS).where(INVITATIONS.c.user_id == user)
    return bool(connection.execute(chosen).rowcount)


def all_invitations(connection: Connection) -> list[Invitation]:
    """Return the invitations that nobody has used, also those whose time is over."""
    query = (
        select(USERS.c.name, INVITATIONS.c.expires)
        .join(USERS, USERS.c.id == INVITATIONS.c.user_id)
        .order_by(USERS.c.id)
    )
    return [Invitation(row.name, row.expires) for row in connection.execute(query)]


def invited_user(connection: Connection, token: str) -> User:
    """Return whom a token invites; a NoInvitation if it is not, or no longer, good."""
    row = _row(connection, token)
    if row is None or not row.active:
        raise NoInvitation("this link was used or withdrawn, or it was never one of ours")
    if row.expires <= session.now():
        raise NoInvitation("the time of this link is over")
    return user_of(row)


def accept_invitation(connection: Connection, token: str, password_hash: str) -> User:
    """Give a user the password that they chose; the invitation and all sessions end."""
    user = invited_user(connection, token)
    withdraw_invitation(connection, user.id)
    connection.execute(
        update(USERS).where(USERS.c.id == user.id).values(password_hash=password_hash)
    )
    connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == user.id))
    note_event(connection, "invitation accepted", user.id)
    return user


def _row(connection: Connection, token: str) -> Any:
    query = (
        select(USERS, INVITATIONS.c.expires)
        .join(INVITATIONS, INVITATIONS.c.user_id == USERS.c.id)
        .where(INVITATIONS.c.token_hash == hash_token(token), IS_PERSON)
    )
    return connection.execute(query).one_or_none()
