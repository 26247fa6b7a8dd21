"""The people of a campaign: their accounts, passwords and sessions.

Passwords are hashed with Argon2id. A session is a random token in the browser and its hash in the
database, so whoever reads the database cannot sign in with what it holds. It ends when it is
closed, when it was not used for a day, and after two weeks in any case; a new password ends all
sessions of a user.

Programs have a row here, too (programs.py); nothing in this file returns them.

Wrong passwords slow down whoever tries them. Attempts that are under way count as failures, so
many at once gain nothing. Three counts of the last quarter of an hour matter: of a name from one
address, of a name from anywhere, of an address with any name. The last two have more patience,
because one assessor must not lock out a whole institute.

A stranger who guesses must not lock anybody out either. So a browser in which a user has signed in
before is known by a token of its own, and only its own failures count for it.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import (
    Connection,
    Row,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    type_coerce,
    update,
)

from doxeval.assess.choices import ROLES, Part, Role
from doxeval.assess.db import session
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    BROWSERS,
    LOGIN_FAILURES,
    SESSIONS,
    USERS,
    note_event,
)
from doxeval.assess.db.session import CampaignError, Database, Throttled, Unknown
from doxeval.messages import escape, quoted, suggestion

LONGEST_NAME = 64
# What exports call judgments that belong to nobody in particular.
_RESERVED = {"adjudicated", "majority", "union", "intersection"}

SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 1000
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that look like another
# Every hash takes 64 MiB: many at once could exhaust the memory.
_AT_ONCE = threading.BoundedSemaphore(2)

IDLE = 24 * 3600  # seconds
ABSOLUTE = 14 * 24 * 3600
_SEEN_EVERY = 60  # not every request needs to write

WINDOW = 15 * 60  # seconds in which wrong passwords count
FREE, FREE_FROM_ANYWHERE = 5, 50
IS_PERSON = USERS.c.program.is_(None)
_LONGEST_WAIT = 300  # seconds
# Before an address: what failures are counted for whose link was wrong; no name has a tab in it.
WRONG_LINK = "link\t"
_MOST_BROWSERS = 50  # of one user


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


def add_user(connection: Connection, name: str, role: str, password_hash: str = "") -> User:
    """Add a user; the name must be new, whatever the case of its letters.

    Nobody can sign in as a user without a password, until an invitation is accepted.
    """
    check_name(name)
    if role not in ROLES:
        raise CampaignError(f"no role {quoted(role)}{suggestion(str(role), ROLES)}")
    known = check_new_name(connection, name)
    while (pseudonym := f"assessor-{secrets.token_hex(3)}") in known:
        pass
    values = {
        "name": name,
        "role": role,
        "password_hash": password_hash,
        "pseudonym": pseudonym,
        "active": True,
        "created": session.now(),
    }
    connection.execute(insert(USERS).values(**values))
    note_event(connection, "user added", name=name, role=role)
    return user_named(connection, name)


def check_new_name(connection: Connection, name: str) -> set[str]:
    """Refuse a name that a person or a program has already; return all pseudonyms."""
    others = connection.execute(select(USERS.c.name, USERS.c.pseudonym)).all()
    pseudonyms = {other.pseudonym for other in others}
    if name.casefold() in {other.name.casefold() for other in others} or name in pseudonyms:
        raise CampaignError(f"there is already a user {name}")
    return pseudonyms


def check_name(name: str, longest: int = LONGEST_NAME) -> None:
    """Refuse names that cannot be distinguished, shown or used in a command.

    >>> check_name("anna")
    >>> check_name("majority")
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: 'majority' means something else in exports; \
choose another name
    """
    if not name or len(name) > longest or name != name.strip() or escape(name) != name:
        raise CampaignError(
            f"{quoted(name)} cannot be the name of a user: expected 1 to {longest} visible "
            "characters, without white space at the ends"
        )
    if name.casefold() in _RESERVED:
        raise CampaignError(f"{name!r} means something else in exports; choose another name")


def all_users(connection: Connection) -> list[User]:
    """Return all users, in the order in which they were added."""
    query = select(USERS).where(IS_PERSON).order_by(USERS.c.id)
    return [user_of(row) for row in connection.execute(query)]


def user_named(connection: Connection, name: str) -> User:
    """Return the user of a name; there must be one."""
    row = connection.execute(select(USERS).where(USERS.c.name == name, IS_PERSON)).one_or_none()
    if row is None:
        query = select(USERS.c.name).where(IS_PERSON).order_by(USERS.c.id)
        known = connection.execute(query).scalars().all()
        raise Unknown(f"there is no user {quoted(name)}{suggestion(name, known)}")
    return user_of(row)


def change_user(connection: Connection, name: str, what: str, **values: Any) -> User:
    """Change some columns of a user, and note the event."""
    user = user_named(connection, name)
    connection.execute(update(USERS).where(USERS.c.id == user.id).values(**values))
    note_event(connection, what, name=name)
    return user_named(connection, name)


def user_of(row: Row[Any]) -> User:
    """Return a row of the table as a value."""
    return User(row.id, row.name, row.role, row.pseudonym, bool(row.active), row.created)


# Passwords


def new_password() -> str:
    """Return a random password that can be read out and typed: 16 letters and digits, 79 bits.

    >>> len(new_password()), new_password() == new_password()
    (19, False)
    """
    letters = [secrets.choice(_LETTERS) for _ in range(16)]
    return "-".join("".join(letters[start : start + 4]) for start in range(0, 16, 4))


def checked_password(password: str | None) -> str:
    """Return a password that was chosen, if it is neither too short nor too long; or a new one.

    >>> checked_password("tide")
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: a password has 8 to 1000 characters
    """
    if password is None:
        return new_password()
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise CampaignError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    return password


def hash_password(password: str) -> str:
    """Return the hash of a password, with its salt and its parameters."""
    with _AT_ONCE:
        return hasher().hash(_encoded(password))


def is_right(password: str, password_hash: str | None) -> bool:
    """Tell whether a password has this hash; without one it is wrong, which takes as long.

    >>> is_right("high tide", hash_password("high tide")), is_right("high tide", None)
    (True, False)
    """
    if len(password) > LONGEST_PASSWORD:
        return False
    with _AT_ONCE:
        try:
            hasher().verify(password_hash or _hash_of_nobody(), _encoded(password))
        except (VerificationError, InvalidHashError):
            return False
    return bool(password_hash)


def user_to_sign_in(connection: Connection, name: str) -> tuple[User, str] | None:
    """Return an active user with the hash of the password; None if there is none of this name."""
    query = select(USERS).where(USERS.c.name == name, USERS.c.active, IS_PERSON)
    row = connection.execute(query).one_or_none()
    return None if row is None else (user_of(row), row.password_hash)


@cache
def hasher() -> PasswordHasher:
    """Return Argon2id with the parameters that argon2-cffi recommends."""
    return PasswordHasher()


@cache
def _hash_of_nobody() -> str:
    return hasher().hash(secrets.token_bytes(16))


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


# Wrong passwords


@dataclass(frozen=True)
class Attempt:
    """An attempt to sign in: as whom, from which address, and the browser, if it is known."""

    name: str
    address: str
    browser: str | None = None

    @property
    def counts(self) -> tuple[tuple[tuple[str, ...], int], ...]:
        """Which other attempts count, by what they have in common, and how many are free."""
        if self.browser is not None:
            return ((("name", "browser"), FREE),)
        return (
            (("name", "address", "browser"), FREE),
            (("name", "browser"), FREE_FROM_ANYWHERE),
            (("address", "browser"), FREE_FROM_ANYWHERE),
        )


class Attempts:
    """The attempts to sign in that are under way in this server."""

    def __init__(self) -> None:
        self._under_way: list[Attempt] = []
        self._lock = threading.Lock()

    @contextmanager
    def admitted(
        self, database: Database, attempt: Attempt
    ) -> Iterator[AbstractContextManager[None]]:
        """Let an attempt be made; a Throttled if it came too soon after too many others.

        Within what is yielded its outcome is written, while no other is admitted: otherwise it
        would count twice for a moment, as a failure and as under way.
        """
        is_under_way = True

        @contextmanager
        def ending() -> Iterator[None]:
            nonlocal is_under_way
            with self._lock:
                yield
                self._under_way.remove(attempt)
                is_under_way = False

        with self._lock:
            with database.read() as connection:
                _check_attempt(connection, attempt, self._under_way)
            self._under_way.append(attempt)
        try:
            yield ending()
        finally:
            if is_under_way:
                with self._lock:
                    self._under_way.remove(attempt)


def _check_attempt(connection: Connection, attempt: Attempt, under_way: list[Attempt]) -> None:
    now, table = session.now(), LOGIN_FAILURES.c
    for common, free in attempt.counts:
        values = {name: getattr(attempt, name) for name in common}
        is_like = and_(*(table[name] == value for name, value in values.items()))
        counted = select(func.count(), func.max(table.at, type_=Text())).where(
            is_like, table.at >= session.later(now, -WINDOW)
        )
        failures, last = connection.execute(counted).one()
        failures += sum(
            all(getattr(other, name) == value for name, value in values.items())
            for other in under_way
        )
        wait = wait_after(failures, free)
        left = wait - session.seconds_between(last or now, now) if wait else 0
        if left > 0:
            raise Throttled(int(left) + 1)


def count_failure(connection: Connection, attempt: Attempt) -> None:
    """Count an attempt whose password was wrong."""
    values = {"name": attempt.name, "address": attempt.address, "browser": attempt.browser}
    connection.execute(insert(LOGIN_FAILURES).values(**values, at=session.now()))


def forget_failures(connection: Connection, attempt: Attempt) -> None:
    """Forget failures of a name from an address or a browser, as its password was right now.

    Those of others that count no longer are forgotten, too.
    """
    table = LOGIN_FAILURES.c
    common, _ = attempt.counts[0]
    is_like = and_(*(table[name] == getattr(attempt, name) for name in common))
    is_old = table.at < session.later(session.now(), -WINDOW)
    connection.execute(delete(LOGIN_FAILURES).where(or_(is_like, is_old)))


def wait_after(failures: int, free: int) -> int:
    """Return how many seconds after the last of some failures the next attempt may come.

    >>> [wait_after(failures, 5) for failures in (4, 5, 6, 8, 20)]
    [0, 1, 2, 8, 300]
    """
    return 0 if failures < free else min(_LONGEST_WAIT, 2 ** min(failures - free, 20))


# Browsers that are known


def known_browser(connection: Connection, user: User, tokens: Iterable[str]) -> str | None:
    """Return the hash of the token by which a browser is known to belong to a user."""
    hashes = [hash_token(token) for token in tokens]
    table = BROWSERS.c
    query = select(table.token_hash).where(table.token_hash.in_(hashes), table.user_id == user.id)
    found: str | None = connection.execute(query).scalar()
    return found


def remember_browser(connection: Connection, user: User, tokens: Iterable[str]) -> str:
    """Know the browser in which a user has just signed in by a new token, which is returned.

    It replaces the one of this user among the browser's tokens. The oldest browsers of a user are
    forgotten if there are very many.
    """
    table = BROWSERS.c
    old = known_browser(connection, user, tokens)
    connection.execute(delete(BROWSERS).where(table.token_hash == old))
    known = select(table.token_hash).where(table.user_id == user.id).order_by(table.seen.desc())
    oldest = connection.execute(known.offset(_MOST_BROWSERS - 1)).scalars().all()
    connection.execute(delete(BROWSERS).where(table.token_hash.in_(oldest)))
    token = secrets.token_urlsafe(32)
    values = {"token_hash": hash_token(token), "user_id": user.id, "seen": session.now()}
    connection.execute(insert(BROWSERS).values(**values))
    return token


# Sessions


@dataclass(frozen=True)
class Session:
    """Somebody who is signed in, and their parts in the topic of a request, if it has one."""

    user: User
    parts: frozenset[Part] = frozenset()


# Every request needs this, so the statement is built once.
_SESSION = (
    select(USERS, SESSIONS.c.seen, type_coerce(ASSIGNMENTS.c.part, Text()).label("part"))
    .join(USERS, USERS.c.id == SESSIONS.c.user_id)
    .join(
        ASSIGNMENTS,
        and_(ASSIGNMENTS.c.user_id == USERS.c.id, ASSIGNMENTS.c.topic == bindparam("topic")),
        isouter=True,
    )
    .where(
        SESSIONS.c.token_hash == bindparam("token_hash"),
        SESSIONS.c.expires > bindparam("now"),
        SESSIONS.c.seen > bindparam("idle"),
        USERS.c.active,
        IS_PERSON,
    )
)

# The same for somebody whom a proxy names, which needs no session.
_NAMED = (
    select(USERS, type_coerce(ASSIGNMENTS.c.part, Text()).label("part"))
    .join(
        ASSIGNMENTS,
        and_(ASSIGNMENTS.c.user_id == USERS.c.id, ASSIGNMENTS.c.topic == bindparam("topic")),
        isouter=True,
    )
    .where(USERS.c.name == bindparam("name"), USERS.c.active, IS_PERSON)
)


def open_session(connection: Connection, user: User) -> str:
    """Sign a user in; return the token of the session. Sessions that are over are removed."""
    note_event(connection, "signed in", user.id)
    now = session.now()
    ended = SESSIONS.c.expires <= now
    idle = SESSIONS.c.seen <= session.later(now, -IDLE)
    connection.execute(delete(SESSIONS).where(ended | idle))
    token = secrets.token_urlsafe(32)
    values = {"created": now, "seen": now, "expires": session.later(now, ABSOLUTE)}
    connection.execute(
        insert(SESSIONS).values(token_hash=hash_token(token), user_id=user.id, **values)
    )
    return token


def find_session(
    connection: Connection, token: str, topic: str | None
) -> tuple[Session, bool] | None:
    """Return the session of a token, and whether its use must be noted; None if it is over."""
    now = session.now()
    values = {"token_hash": hash_token(token), "now": now, "topic": topic}
    rows = connection.execute(_SESSION, values | {"idle": session.later(now, -IDLE)}).all()
    if not rows:
        return None
    parts = frozenset(row.part for row in rows if row.part is not None)
    is_due = session.seconds_between(rows[0].seen, now) >= _SEEN_EVERY
    return Session(user_of(rows[0]), parts), is_due


def session_of_name(connection: Connection, name: str, topic: str | None) -> Session | None:
    """Return somebody with their parts in a topic; None if there is no active user of the name."""
    rows = connection.execute(_NAMED, {"name": name, "topic": topic}).all()
    if not rows:
        return None
    return Session(user_of(rows[0]), frozenset(row.part for row in rows if row.part is not None))


def note_use(connection: Connection, token: str) -> None:
    """Note that a session was used just now."""
    chosen = update(SESSIONS).where(SESSIONS.c.token_hash == hash_token(token))
    connection.execute(chosen.values(seen=session.now()))


def hash_token(token: str) -> str:
    """Return what the database keeps of a token.

    >>> len(hash_token("a token"))
    64
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
