"""The Alembic environment: it is run from Python, so users need no alembic.ini."""
