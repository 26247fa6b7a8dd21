"""The people of a campaign."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, insert, select, update

from doxeval.assess.db import audit, passwords, times
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.schema import USERS
from doxeval.messages import escape, quoted, suggestion

Role = Literal["admin", "organiser", "assessor", "adjudicator"]
ROLES: tuple[Role, ...] = get_args(Role)
LONGEST_NAME = 64
# What exports call judgments that belong to nobody in particular.
_RESERVED = {"adjudicated", "majority", "union", "intersection"}


@dataclass(frozen=True)
class User:
    """Somebody with an account. Exports show the pseudonym, never the name."""

    id: int
    name: str
    role: Role
    pseudonym: str
    active: bool
    created: str

    @property
    def is_organiser(self) -> bool:
        """Whether the user may see everybody's progress, close topics and export."""
        return self.role in ("admin", "organiser")


def add(connection: Connection, name: str, role: str, password_hash: str) -> User:
    """Add a user; the name must be new, whatever the case of its letters."""
    check_name(name)
    if role not in ROLES:
        raise CampaignError(f"no role {quoted(role)}{suggestion(str(role), ROLES)}")
    others = all_users(connection)
    if name.casefold() in {other.name.casefold() for other in others}:
        raise CampaignError(f"there is already a user {name}")
    values = {
        "name": name,
        "role": role,
        "password_hash": password_hash,
        "pseudonym": _new_pseudonym({other.pseudonym for other in others}),
        "active": True,
        "created": times.now(),
    }
    connection.execute(insert(USERS).values(**values))
    audit.note(connection, "user added", name=name, role=role)
    return by_name(connection, name)


def check_name(name: str) -> None:
    """Refuse names that cannot be told apart, shown or used in a command.

    >>> check_name("anna")
    >>> check_name("majority")
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: 'majority' means something else in exports; \
choose another name
    """
    if not name or len(name) > LONGEST_NAME or name != name.strip() or escape(name) != name:
        raise CampaignError(
            f"{quoted(name)} cannot be the name of a user: expected 1 to {LONGEST_NAME} visible "
            "characters, without white space at the ends"
        )
    if name.casefold() in _RESERVED:
        raise CampaignError(f"{name!r} means something else in exports; choose another name")


def all_users(connection: Connection) -> list[User]:
    """All users, in the order in which they were added."""
    return [user_of_row(row) for row in connection.execute(select(USERS).order_by(USERS.c.id))]


def by_name(connection: Connection, name: str) -> User:
    """The user of a name."""
    found = {user.name: user for user in all_users(connection)}
    if name not in found:
        raise CampaignError(f"there is no user {quoted(name)}{suggestion(name, found)}")
    return found[name]


def by_id(connection: Connection, user_id: int) -> User | None:
    """The user of an id; None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.id == user_id)).one_or_none()
    return None if row is None else user_of_row(row)


def with_hash(connection: Connection, name: str) -> tuple[User, str] | None:
    """An active user with the hash of the password; None if there is none of this name."""
    query = select(USERS).where(USERS.c.name == name, USERS.c.active)
    row = connection.execute(query).one_or_none()
    return None if row is None else (user_of_row(row), row.password_hash)


def set_password_hash(connection: Connection, name: str, password_hash: str) -> User:
    """Replace the password of a user."""
    user = by_name(connection, name)
    chosen = update(USERS).where(USERS.c.id == user.id)
    connection.execute(chosen.values(password_hash=password_hash))
    audit.note(connection, "password set", name=name)
    return user


def set_active(connection: Connection, name: str, active: bool) -> User:
    """Let a user sign in, or no longer."""
    user = by_name(connection, name)
    connection.execute(update(USERS).where(USERS.c.id == user.id).values(active=active))
    audit.note(connection, "user enabled" if active else "user disabled", name=name)
    return by_name(connection, name)


def password_or_new(password: str | None) -> str:
    """A password that was chosen, checked; or a new one."""
    if password is None:
        return passwords.new_password()
    return passwords.checked_password(password)


def _new_pseudonym(taken: set[str]) -> str:
    while (pseudonym := f"assessor-{secrets.token_hex(3)}") in taken:
        pass
    return pseudonym


def user_of_row(row: Row[Any]) -> User:
    """A row of the table as a value."""
    return User(row.id, row.name, row.role, row.pseudonym, bool(row.active), row.created)
