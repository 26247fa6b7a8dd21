"""Documents given to assessors one by one, beside topics that are given as a whole."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; whoever has a topic already has all of its documents."""
    op.create_table(
        "shares",
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("topic", "user_id", "document", name="pk_shares"),
        sa.ForeignKeyConstraint(["topic"], ["topics.id"], name="fk_shares_topic"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_shares_user_id"),
    )
    op.add_column(
        "assignments",
        sa.Column("by_document", sa.Boolean, nullable=False, server_default=sa.false()),
    )
