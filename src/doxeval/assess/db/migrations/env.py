"""What Alembic runs to migrate a database: it gets the connection from the package."""

from __future__ import annotations

from alembic import context

from doxeval.assess.db.schema import METADATA


def migrate() -> None:
    """Run the scripts on the connection that was given, inside its transaction."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        render_as_batch=True,
    )
    context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic runs this file
    migrate()
