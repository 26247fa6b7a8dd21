"""The tables of a campaign, as they are today; migrations/versions/ tells how they came about.

Times are UTC as text (times.py). JSON is kept as text too, in ASCII, so that both databases give
back exactly what was put in, whatever characters it has.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
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
)


class Json(TypeDecorator[Any]):
    """A JSON value as ASCII text.

    >>> Json().process_bind_param({"a": "é"}, None)
    '{"a":"\\\\u00e9"}'
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect | None) -> str | None:
        """To the database."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect | None) -> Any:
        """From the database."""
        return None if value is None else json.loads(value)


METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# SQLite counts up by itself only in a column that is exactly INTEGER.
_COUNTED = BigInteger().with_variant(Integer, "sqlite")


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, server_default=false())


def _user(nullable: bool = False) -> Column[int]:
    return Column("user_id", Integer, ForeignKey("users.id"), nullable=nullable)


SETTINGS = Table(
    "settings",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("value", Json, nullable=False),
)

USERS = Table(
    "users",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("pseudonym", Text, nullable=False, unique=True),
    Column("active", Boolean, nullable=False),
    Column("created", Text, nullable=False),
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token_hash", Text, primary_key=True),
    _user(),
    Column("created", Text, nullable=False),
    Column("seen", Text, nullable=False),
    Column("expires", Text, nullable=False),
)

LOGIN_FAILURES = Table(
    "login_failures",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("name", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("at", Text, nullable=False),
    Index(None, "name", "at"),
    Index(None, "address", "at"),
)

TOPICS = Table(
    "topics",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("fields", Json, nullable=False),
    Column("closed_at", Text),
)


def _topic(primary_key: bool = False) -> Column[str]:
    return Column("topic", Text, ForeignKey("topics.id"), nullable=False, primary_key=primary_key)


KEYWORDS = Table(
    "keywords",
    METADATA,
    _topic(primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), primary_key=True),
    Column("words", Json, nullable=False),
)

# Every pool a topic was given, one after another.
POOLS = Table(
    "pools",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    _topic(),
    Column("sha256", Text, nullable=False),
    Column("facts", Json, nullable=False),
    Column("added_at", Text, nullable=False),
    Index(None, "topic"),
)

POOL_DOCUMENTS = Table(
    "pool_documents",
    METADATA,
    _topic(primary_key=True),
    Column("document", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("priority", Float, nullable=False),
    Column("elements", Json, nullable=False),
    _flag("honeypot"),
    Column("gold", Json),
    Column("added_at", Text, nullable=False),
)

ASSIGNMENTS = Table(
    "assignments",
    METADATA,
    _topic(primary_key=True),
    Column("user_id", Integer, ForeignKey("users.id"), primary_key=True),
    Column("part", Text, primary_key=True),
)

# `judge` is the id of a user, or 0 for the judgment that the adjudicators of a topic share.
JUDGMENTS = Table(
    "judgments",
    METADATA,
    _topic(primary_key=True),
    Column("document", Text, primary_key=True),
    Column("judge", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("state", Json, nullable=False),
    Column("status", Text, nullable=False),
    _flag("relevant"),
    _flag("problem"),
    _flag("skipped"),
    Column("off_pool", Boolean, nullable=False),
    Column("seconds", Float, nullable=False),
    # Versions of operations that can be undone or redone; their changes are in the log.
    Column("undo", Json, nullable=False),
    Column("redo", Json, nullable=False),
    Column("text_sha256", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
)

# Rows are only ever added.
OPERATIONS = Table(
    "operations",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("op_id", Text, nullable=False, unique=True),
    _topic(),
    Column("document", Text, nullable=False),
    Column("judge", Integer, nullable=False),
    _user(nullable=True),  # none: the command line
    Column("version", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("operation", Json, nullable=False),
    Column("change", Json, nullable=False),
    Column("text_sha256", Text, nullable=False),
    Column("server_time", Text, nullable=False),
    UniqueConstraint("topic", "document", "judge", "version"),
)

# Documents as they were judged (kept_articles.py).
ARTICLES = Table(
    "articles",
    METADATA,
    Column("document", Text, primary_key=True),
    Column("text_sha256", Text, primary_key=True),
    Column("packed", Text, nullable=False),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("seq", _COUNTED, primary_key=True),
    Column("at", Text, nullable=False),
    _user(nullable=True),
    Column("what", Text, nullable=False),
    Column("details", Json, nullable=False),
)
