"""Whether a judgment is relevant, skipped or a problem, in columns of their own.

Queues and progress need these three and nothing else of a state. Without the columns, the states
of all documents of a topic were read and parsed for every page.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_FLAGS = ("relevant", "problem", "skipped")


def upgrade() -> None:
    """Add the columns, and fill them from the states."""
    for name in _FLAGS:
        flag = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("judgments", flag)
    names = ("topic", "document", "judge", "state")
    columns: list[sa.ColumnClause[Any]] = [sa.column(name) for name in names]
    flags = [sa.column(name, sa.Boolean) for name in _FLAGS]
    judgments = sa.table("judgments", *columns, *flags)
    connection = op.get_bind()
    for row in connection.execute(sa.select(*columns)).all():
        connection.execute(
            judgments.update()
            .where(*(column == value for column, value in zip(columns[:3], row, strict=False)))
            .values(**_flags_of(json.loads(row.state)))
        )


def _flags_of(state: dict[str, Any]) -> dict[str, bool]:
    graded = any(_is_positive(grade) for grade in state["grades"].values())
    return {
        "relevant": bool(state["highlights"]) or graded,
        "problem": state["problem"],
        "skipped": state["skipped"],
    }


def _is_positive(grade: Any) -> bool:
    return any(grade) if isinstance(grade, list) else bool(grade)
