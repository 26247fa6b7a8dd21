"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ONE_VERSION = "uq_operations_topic_document_judge_version"
_COUNTED = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make them all."""
    _people()
    _topics()
    _judgments()


def _people() -> None:
    op.create_table(
        "settings",
        _text("key"),
        _text("value"),
        sa.PrimaryKeyConstraint("key", name="pk_settings"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, nullable=False),
        _text("name"),
        _text("role"),
        _text("password_hash"),
        _text("pseudonym"),
        sa.Column("active", sa.Boolean, nullable=False),
        _text("created"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
        sa.UniqueConstraint("pseudonym", name="uq_users_pseudonym"),
    )
    op.create_table(
        "sessions",
        _text("token_hash"),
        sa.Column("user_id", sa.Integer, nullable=False),
        _text("created"),
        _text("seen"),
        _text("expires"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sessions"),
        _of_user("sessions"),
    )
    op.create_table(
        "login_failures",
        _counted(),
        _text("name"),
        _text("address"),
        _text("at"),
        sa.PrimaryKeyConstraint("seq", name="pk_login_failures"),
    )
    op.create_index("ix_login_failures_name_at", "login_failures", ["name", "at"])
    op.create_index("ix_login_failures_address_at", "login_failures", ["address", "at"])
    op.create_table(
        "events",
        _counted(),
        _text("at"),
        sa.Column("user_id", sa.Integer),
        _text("what"),
        _text("details"),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
        _of_user("events"),
    )


def _topics() -> None:
    op.create_table(
        "topics",
        _text("id"),
        sa.Column("position", sa.Integer, nullable=False),
        _text("fields"),
        sa.Column("closed_at", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_topics"),
    )
    op.create_table(
        "keywords",
        _text("topic"),
        sa.Column("user_id", sa.Integer, nullable=False),
        _text("words"),
        sa.PrimaryKeyConstraint("topic", "user_id", name="pk_keywords"),
        _of_topic("keywords"),
        _of_user("keywords"),
    )
    op.create_table(
        "pools",
        _counted(),
        _text("topic"),
        _text("sha256"),
        _text("facts"),
        _text("added_at"),
        sa.PrimaryKeyConstraint("seq", name="pk_pools"),
        _of_topic("pools"),
    )
    op.create_index("ix_pools_topic", "pools", ["topic"])
    op.create_table(
        "pool_documents",
        _text("topic"),
        _text("document"),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("priority", sa.Float, nullable=False),
        _text("elements"),
        sa.Column("honeypot", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("gold", sa.Text),
        _text("added_at"),
        sa.PrimaryKeyConstraint("topic", "document", name="pk_pool_documents"),
        _of_topic("pool_documents"),
    )
    op.create_table(
        "assignments",
        _text("topic"),
        sa.Column("user_id", sa.Integer, nullable=False),
        _text("part"),
        sa.PrimaryKeyConstraint("topic", "user_id", "part", name="pk_assignments"),
        _of_topic("assignments"),
        _of_user("assignments"),
    )


def _judgments() -> None:
    op.create_table(
        "judgments",
        _text("topic"),
        _text("document"),
        sa.Column("judge", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        _text("state"),
        _text("status"),
        sa.Column("off_pool", sa.Boolean, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        _text("undo"),
        _text("redo"),
        _text("text_sha256"),
        _text("updated_at"),
        sa.PrimaryKeyConstraint("topic", "document", "judge", name="pk_judgments"),
        _of_topic("judgments"),
    )
    op.create_table(
        "operations",
        _counted(),
        _text("op_id"),
        _text("topic"),
        _text("document"),
        sa.Column("judge", sa.Integer, nullable=False),
        sa.Column("user_id", sa.Integer),
        sa.Column("version", sa.Integer, nullable=False),
        _text("kind"),
        _text("operation"),
        _text("change"),
        _text("text_sha256"),
        _text("server_time"),
        sa.PrimaryKeyConstraint("seq", name="pk_operations"),
        sa.UniqueConstraint("op_id", name="uq_operations_op_id"),
        sa.UniqueConstraint("topic", "document", "judge", "version", name=_ONE_VERSION),
        _of_topic("operations"),
        _of_user("operations"),
    )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _counted() -> sa.Column[int]:
    return sa.Column("seq", _COUNTED, nullable=False, autoincrement=True)


def _of_topic(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["topic"], ["topics.id"], name=f"fk_{table}_topic")


def _of_user(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=f"fk_{table}_user_id")
