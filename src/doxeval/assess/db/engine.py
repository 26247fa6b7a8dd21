"""The connection to the database of a campaign: SQLite in its directory, or PostgreSQL.

All writing goes through `Database.write`: the whole function is one transaction, and what it did
is on disk when `write` returns. If anything fails, nothing was changed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoResultFound,
    NoSuchTableError,
)
from sqlalchemy.exc import TimeoutError as NoConnection

from doxeval.assess.db.failures import CampaignError, CannotSave, Damaged
from doxeval.assess.db.turns import Turns
from doxeval.errors import FormatError

_PATIENCE = 30  # seconds to wait for other writers
_ATTEMPTS = 8
_ALONE = 0x646F7865  # the number of a lock in PostgreSQL that others are unlikely to use
# PostgreSQL: a serialization failure, a deadlock. Nothing was changed, and trying again helps.
_AGAIN = {"40001", "40P01"}
# Codes of errors that say that a database is not as doxeval left it: SQLite's for a table that is
# missing, a page that makes no sense and a file that is no database; PostgreSQL's for missing
# tables and columns, and for damaged files.
_DAMAGE_OF_SQLITE = {1, 11, 24, 26}
_DAMAGE_OF_POSTGRESQL = {"42P01", "42703", "XX001", "XX002"}

T = TypeVar("T")


class Database:
    """A database, and the one way to write to it.

    >>> import tempfile
    >>> database = Database(sqlite_url(Path(tempfile.mkdtemp()) / "campaign.db"))
    >>> made = database.write(lambda to: to.exec_driver_sql("CREATE TABLE a (b INTEGER)"))
    >>> with database.read() as connection:
    ...     connection.exec_driver_sql("SELECT count(*) FROM a").scalar()
    0
    >>> database.close()
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else _postgresql_engine(url)
        self._turns = Turns()

    def write(self, work: Callable[[Connection], T], alone: bool = True) -> T:
        """Do some work as one transaction; it may be tried again, so it must not have effects.

        A failure to write is a CannotSave. SQLite lets one transaction write at a time; PostgreSQL
        lets those write at once that are not `alone`, which must lock the rows that they rely on.
        """
        for attempt in range(_ATTEMPTS):
            try:
                return self._written(work, alone)
            except IntegrityError as error:
                # Two inserted the same key at once: the next attempt sees it.
                if attempt == _ATTEMPTS - 1:
                    raise self._damaged(f"a row does not fit the others: {why(error)}") from error
            except DBAPIError as error:
                if is_damage(error):
                    raise self._damaged(why(error)) from error
                if sqlstate(error) not in _AGAIN or attempt == _ATTEMPTS - 1:
                    raise cannot_save(error) from error
            time.sleep(0.002 * 2**attempt)
        raise CannotSave("cannot save: others keep changing the same")  # pragma: no cover

    def _written(self, work: Callable[[Connection], T], alone: bool) -> T:
        try:
            if not self.is_sqlite:
                with self.engine.begin() as connection:
                    if alone:
                        connection.execute(select(func.pg_advisory_xact_lock(_ALONE)))
                    return work(connection)
            with self._turns.mine(_PATIENCE), self.engine.connect() as connection:
                connection.execution_options(writes=True)
                with connection.begin():
                    return work(connection)
        except (TimeoutError, NoConnection) as error:
            raise CannotSave(f"cannot save: the database is busy ({error})") from error
        except (UnicodeError, DataError) as error:
            raise CampaignError(f"this cannot be stored: {why(error)}") from error
        except (NoResultFound, NoSuchTableError, Damaged, FormatError) as error:
            raise self._damage(error) from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading, which sees one state of the database throughout."""
        try:
            with self.engine.connect() as connection:
                if not self.is_sqlite:
                    connection.execution_options(
                        isolation_level="REPEATABLE READ", postgresql_readonly=True
                    )
                with connection.begin():
                    yield connection
        except (DBAPIError, NoConnection) as error:
            if is_damage(error):
                raise self._damaged(why(error)) from error
            message = f"the database cannot be read: {why(error)}"
            raise CampaignError(message, self.name) from error
        except (NoResultFound, NoSuchTableError, Damaged, FormatError) as error:
            raise self._damage(error) from error
        except UnicodeError as error:  # a name with lone surrogates
            raise CampaignError(f"this cannot be looked up: {error}") from error

    @property
    def name(self) -> str:
        """The file of the database, or its URL without the password."""
        return str(self.url.database) if self.is_sqlite else self.url.render_as_string()

    def _damage(self, error: Exception) -> Exception:
        """Return an error about a value of the database with what to do; others as they are."""
        if isinstance(error, FormatError):
            # Without an origin it is about a value of the database, else about a file.
            return error if error.origin is not None else self._damaged(error.message)
        if isinstance(error, Damaged):
            return error if error.origin is not None else self._damaged(error.message)
        return self._damaged(why(error))

    def _damaged(self, message: str) -> Damaged:
        return Damaged(
            f"the database is damaged: {message}; restore a backup with doxeval assess restore",
            self.name,
        )

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def sqlite_url(path: Path) -> URL:
    """The URL of an SQLite file.

    >>> str(sqlite_url(Path("/a/campaign.db")))
    'sqlite:////a/campaign.db'
    """
    return URL.create("sqlite", database=str(path))


def parsed_url(text: str) -> URL:
    """The URL of a PostgreSQL database, with the driver that doxeval uses.

    >>> parsed_url("postgresql://anna@db.example.org/tides").drivername
    'postgresql+psycopg'
    >>> parsed_url("mysql://localhost/tides")
    Traceback (most recent call last):
    doxeval.assess.db.failures.CampaignError: expected a URL like postgresql://user@host/database
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if url.get_backend_name() not in ("postgresql", "postgres") or not url.database:
        raise CampaignError("expected a URL like postgresql://user@host/database")
    return url.set(drivername="postgresql+psycopg")


def is_storable(text: str) -> bool:
    """Whether both databases take a text: no null characters, no lone surrogates.

    >>> is_storable("é"), is_storable("a\\0b"), is_storable("\\ud800")
    (True, False, False)
    """
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def why(error: Exception) -> str:
    """What an error of a database says, in one line.

    >>> why(DBAPIError("SELECT 1", {}, sqlite3.OperationalError("database is locked")))
    'database is locked'
    """
    told = str(getattr(error, "orig", None) or error).strip()
    return told.splitlines()[0] if told else type(error).__name__


def sqlstate(error: DBAPIError) -> str | None:
    """PostgreSQL's code of an error; None for SQLite."""
    return getattr(error.orig, "sqlstate", None)


def is_damage(error: Exception) -> bool:
    """Whether an error says that a database is not as doxeval left it.

    >>> is_damage(DBAPIError("SELECT 1", {}, sqlite3.OperationalError("database is locked")))
    False
    """
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        if code is None:  # Python's own module says this one
            return str(cause).startswith("Could not decode to UTF-8")
        return code & 0xFF in _DAMAGE_OF_SQLITE
    return isinstance(error, DBAPIError) and sqlstate(error) in _DAMAGE_OF_POSTGRESQL


def cannot_save(error: DBAPIError) -> CampaignError:
    """The error that users see: full disk, lost database, or a value that cannot be stored."""
    return CannotSave(f"cannot save: {why(error)}")


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(
        url,
        connect_args={"timeout": _PATIENCE, "check_same_thread": False},
        pool_size=10,
        max_overflow=40,
        pool_timeout=_PATIENCE,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        # A transaction that reads first and writes later can fail however long it waits.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql_engine(url: URL) -> Engine:
    try:
        return create_engine(
            url,
            pool_size=10,
            max_overflow=40,
            pool_timeout=_PATIENCE,
            pool_pre_ping=True,  # connections that a restart of the server cut are replaced
            connect_args={"connect_timeout": 10},
        )
    except ImportError as error:
        raise CampaignError(
            "PostgreSQL needs the driver psycopg: pip install 'doxeval[postgresql]'"
        ) from error
