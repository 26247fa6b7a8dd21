"""Documents as they were judged, so that judgments can be carried over to a rebuilt collection."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; it fills as people work."""
    op.create_table(
        "articles",
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("text_sha256", sa.Text, nullable=False),
        sa.Column("packed", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("document", "text_sha256", name="pk_articles"),
    )
