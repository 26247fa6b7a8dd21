"""Browsers in which users have signed in before, and invitations by which they choose passwords."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and to failures the browser."""
    op.create_table(
        "browsers",
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("seen", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("token_hash", name="pk_browsers"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_browsers_user_id"),
    )
    op.create_table(
        "invitations",
        sa.Column("user_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("expires", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_invitations"),
        sa.UniqueConstraint("token_hash", name="uq_invitations_token_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_invitations_user_id"),
    )
    op.add_column("login_failures", sa.Column("browser", sa.Text))
