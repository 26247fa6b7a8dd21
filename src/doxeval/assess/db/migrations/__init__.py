"""Bringing a database to the newest revision of its tables, by Alembic.

Alembic is run from Python, so users need no alembic.ini.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect

from doxeval.assess.db.session import CampaignError, Damaged

_SCRIPTS = Path(__file__).parent


def revisions() -> list[str]:
    """Return all revisions that this doxeval knows, the first one first.

    >>> revisions()[0]
    '0001'
    """
    scripts = ScriptDirectory.from_config(_config()).walk_revisions()
    return [script.revision for script in scripts][::-1]


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it is empty."""
    try:
        return MigrationContext.configure(connection).get_current_revision()
    except CommandError as error:
        raise Damaged("it does not say its one revision") from error


def is_empty(connection: Connection) -> bool:
    """Tell whether a database has no tables at all."""
    return not inspect(connection).get_table_names()


def check_revision(revision: str | None) -> bool:
    """Tell whether a database must be migrated; one that is newer than this doxeval is refused.

    >>> check_revision("0001")
    True
    >>> check_revision("9999")
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: the database was written by a newer doxeval \
(revision 9999): install that one
    """
    known = revisions()
    if revision is None:
        raise CampaignError("the database holds no campaign: restore a backup, if there was one")
    if revision not in known:
        raise CampaignError(
            f"the database was written by a newer doxeval (revision {revision}): install that one"
        )
    return revision != known[-1]


def migrate(connection: Connection, revision: str = "head") -> None:
    """Bring a database to a revision, inside the transaction of the connection.

    A damaged value stops the migration, and the database stays as it was.
    """
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, revision)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CampaignError(
            f"the database cannot be brought to revision {revision}, and is unchanged: a stored "
            f"judgment is damaged ({type(error).__name__}: {error})"
        ) from error


def _config() -> Config:
    config = Config()
    # A percent sign has a meaning in Alembic's options.
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
