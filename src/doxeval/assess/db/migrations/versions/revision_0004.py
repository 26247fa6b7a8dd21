"""Programs as assessors: which program an assessor is, if it is no person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; everybody who is there already is a person."""
    op.add_column("users", sa.Column("program", sa.Text))
