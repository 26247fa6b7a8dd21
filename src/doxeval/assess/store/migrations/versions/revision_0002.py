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
    key = [sa.column("topic"), sa.column("document"), sa.column("judge")]
    flags = [sa.column(name, sa.Boolean) for name in _FLAGS]
    judgments = sa.table("judgments", *key, sa.column("state"), *flags)
    connection = op.get_bind()
    rows = connection.execute(sa.select(*key, judgments.c.state)).all()
    for topic, document, judge, state in rows:
        connection.execute(
            judgments.update()
            .where(key[0] == topic, key[1] == document, key[2] == judge)
            .values(**_flags_of(json.loads(state)))
        )


def _flags_of(state: dict[str, Any]) -> dict[str, bool]:
    graded = any(_is_positive(grade) for grade in state["grades"].values())
    return {
        "relevant": bool(state["highlights"]) or graded,
        "problem": state["problem"],
        "skipped": state["skipped"],
    }


def _is_positive(grade: Any) -> bool:
    if isinstance(grade, list):
        return bool(grade[0])
    return grade != 0
