"""The tables of a campaign, and settings and events, which all others need.

This is how tables are today; migrations/versions/ tells how they came about.

Times are UTC as text that sorts by time. JSON is kept as text too, in ASCII, so that both databases
give back exactly what was put in, whatever characters it has.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    insert,
    select,
    update,
)
from sqlalchemy.types import TypeEngine

from doxeval.assess.db import session
from doxeval.assess.db.session import Damaged, decoding
from doxeval.messages import quoted


class Checked(TypeDecorator[Any]):
    """Values of one type; SQLite takes any value in any column, and others are damage.

    >>> Checked(Text(), str).process_result_value(b"7", None)
    Traceback (most recent call last):
    doxeval.assess.db.session.Damaged: it has b'7' where doxeval writes str
    """

    impl: Any = Text
    cache_ok = True

    def __init__(self, kept_as: TypeEngine[Any], expected: type, nullable: bool = False) -> None:
        super().__init__()
        self.impl = kept_as
        self.kept_as, self.expected, self.nullable = kept_as, expected, nullable

    def process_result_value(self, value: Any, dialect: Dialect | None) -> Any:
        """Return a value from the database."""
        if type(value) is not self.expected and not (self.nullable and value is None):
            raise Damaged(f"it has {quoted(value)} where doxeval writes {self.expected.__name__}")
        return value


class Json(TypeDecorator[Any]):
    """A JSON value as ASCII text; of a type, if one is given.

    >>> Json().process_bind_param({"a": "é"}, None)
    '{"a":"\\\\u00e9"}'
    >>> Json(dict).process_result_value("[1]", None)
    Traceback (most recent call last):
    doxeval.assess.db.session.Damaged: it has '[1]' where doxeval writes dict
    """

    impl = Text
    cache_ok = True

    def __init__(self, expected: type = object) -> None:
        super().__init__()
        self.expected = expected

    def process_bind_param(self, value: Any, dialect: Dialect | None) -> str | None:
        """Return a value for the database."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect | None) -> Any:
        """Return a value from the database."""
        if value is None:
            return None
        with decoding("a value in JSON"):
            decoded = json.loads(value)
        if not isinstance(decoded, self.expected):
            raise Damaged(f"it has {quoted(value)} where doxeval writes {self.expected.__name__}")
        return decoded


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# SQLite counts up by itself only in a column that is exactly INTEGER.
_COUNTED = Checked(BigInteger().with_variant(Integer, "sqlite"), int)
_TEXT, _TEXT_OR_NULL = Checked(Text(), str), Checked(Text(), str, nullable=True)
_NUMBER, _NUMBER_OR_NULL = Checked(Integer(), int), Checked(Integer(), int, nullable=True)
_FRACTION = Checked(Float(), float)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, server_default=false())


def _user(nullable: bool = False) -> Column[int]:
    number = _NUMBER_OR_NULL if nullable else _NUMBER
    return Column("user_id", number, ForeignKey("users.id"), nullable=nullable)


SETTINGS = Table(
    "settings",
    METADATA,
    Column("key", _TEXT, primary_key=True),
    Column("value", Json, nullable=False),
)

USERS = Table(
    "users",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("name", _TEXT, nullable=False, unique=True),
    Column("role", _TEXT, nullable=False),
    Column("password_hash", _TEXT, nullable=False),
    Column("pseudonym", _TEXT_OR_NULL, nullable=False, unique=True),
    Column("active", Boolean, nullable=False),
    Column("created", _TEXT, nullable=False),
    Column("program", Json(dict)),  # what made the judgments (programs.py); none: a person
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token_hash", _TEXT, primary_key=True),
    _user(),
    Column("created", _TEXT, nullable=False),
    Column("seen", _TEXT, nullable=False),
    Column("expires", _TEXT, nullable=False),
)

LOGIN_FAILURES = Table(
    "login_failures",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("name", _TEXT, nullable=False),
    Column("address", _TEXT, nullable=False),
    Column("browser", _TEXT_OR_NULL),  # the hash of its token, if it is known
    Column("at", _TEXT, nullable=False),
    Index(None, "name", "at"),
    Index(None, "address", "at"),
)

# Browsers in which users have signed in before.
BROWSERS = Table(
    "browsers",
    METADATA,
    Column("token_hash", _TEXT, primary_key=True),
    _user(),
    Column("seen", _TEXT, nullable=False),
)

# Links by which users choose their passwords; one of each user.
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("token_hash", _TEXT, nullable=False, unique=True),
    Column("expires", _TEXT, nullable=False),
)

TOPICS = Table(
    "topics",
    METADATA,
    Column("id", _TEXT, primary_key=True),
    Column("position", _NUMBER, nullable=False),
    Column("fields", Json(dict), nullable=False),
    Column("closed_at", _TEXT_OR_NULL),
)


def _topic(primary_key: bool = False) -> Column[str]:
    return Column("topic", _TEXT, ForeignKey("topics.id"), nullable=False, primary_key=primary_key)


KEYWORDS = Table(
    "keywords",
    METADATA,
    _topic(primary_key=True),
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True),
    Column("words", Json(list), nullable=False),
)

# Every pool a topic was given, one after another.
POOLS = Table(
    "pools",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    _topic(),
    Column("sha256", _TEXT, nullable=False),
    Column("facts", Json(dict), nullable=False),
    Column("added_at", _TEXT, nullable=False),
    Index(None, "topic"),
)

POOL_DOCUMENTS = Table(
    "pool_documents",
    METADATA,
    _topic(primary_key=True),
    Column("document", _TEXT, primary_key=True),
    Column("position", _NUMBER, nullable=False),
    Column("priority", _FRACTION, nullable=False),
    Column("elements", Json(list), nullable=False),
    _flag("honeypot"),
    Column("gold", Json(dict)),
    Column("added_at", _TEXT, nullable=False),
)

ASSIGNMENTS = Table(
    "assignments",
    METADATA,
    _topic(primary_key=True),
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True),
    Column("part", _TEXT, primary_key=True),
    _flag("by_document"),  # only the documents in SHARES, not the whole pool
)

# The documents of a topic that are given to an assessor; see balance.py.
SHARES = Table(
    "shares",
    METADATA,
    _topic(primary_key=True),
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True),
    Column("document", _TEXT, primary_key=True),
)

# `judge` is the id of a user, or 0 for the judgment that the adjudicators of a topic share.
JUDGMENTS = Table(
    "judgments",
    METADATA,
    _topic(primary_key=True),
    Column("document", _TEXT, primary_key=True),
    Column("judge", _NUMBER, primary_key=True, autoincrement=False),
    Column("version", _NUMBER, nullable=False),
    Column("state", Json(dict), nullable=False),
    Column("status", _TEXT, nullable=False),
    _flag("relevant"),
    _flag("problem"),
    _flag("skipped"),
    Column("off_pool", Boolean, nullable=False),
    Column("seconds", _FRACTION, nullable=False),
    # Versions of operations that can be undone or redone; their changes are in the log.
    Column("undo", Json(list), nullable=False),
    Column("redo", Json(list), nullable=False),
    Column("text_sha256", _TEXT, nullable=False),
    Column("updated_at", _TEXT, nullable=False),
)

# Rows are only ever added.
OPERATIONS = Table(
    "operations",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("op_id", _TEXT, nullable=False, unique=True),
    _topic(),
    Column("document", _TEXT, nullable=False),
    Column("judge", _NUMBER, nullable=False),
    _user(nullable=True),  # none: the command line
    Column("version", _NUMBER, nullable=False),
    Column("kind", _TEXT, nullable=False),
    Column("operation", Json(dict), nullable=False),
    Column("change", Json(dict), nullable=False),
    Column("text_sha256", _TEXT, nullable=False),
    Column("server_time", _TEXT, nullable=False),
    UniqueConstraint("topic", "document", "judge", "version"),
)

# Documents as they were judged (snapshots.py).
ARTICLES = Table(
    "articles",
    METADATA,
    Column("document", _TEXT, primary_key=True),
    Column("text_sha256", _TEXT, primary_key=True),
    Column("packed", _TEXT, nullable=False),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("at", _TEXT, nullable=False),
    _user(nullable=True),
    Column("what", _TEXT, nullable=False),
    Column("details", Json(dict), nullable=False),
)


def get_setting(connection: Connection, key: str) -> Any:
    """Return one value by its key; None if it was never put."""
    return connection.execute(select(SETTINGS.c.value).where(SETTINGS.c.key == key)).scalar()


def put_setting(connection: Connection, key: str, value: Any) -> None:
    """Keep a value under a key, instead of what was there."""
    changed = update(SETTINGS).where(SETTINGS.c.key == key).values(value=value)
    if not connection.execute(changed).rowcount:
        connection.execute(insert(SETTINGS).values(key=key, value=value))


@dataclass(frozen=True)
class Event:
    """Something that happened besides operations on judgments: a sign-in, a topic closed …

    `user` is the id of the user who did it, None for the command line.
    """

    at: str
    user: int | None
    what: str
    details: dict[str, Any]


def note_event(connection: Connection, what: str, user: int | None = None, **details: Any) -> None:
    """Add an event to the audit trail."""
    values = {"at": session.now(), "user_id": user, "what": what, "details": details}
    connection.execute(insert(EVENTS).values(**values))
