"""The database of a campaign: SQLite in its directory, or PostgreSQL; what can go wrong with it.

    InputError
    └── CampaignError        no campaign, another collection, a name that is wrong …
        ├── Unknown          there is no topic or user of this name
        ├── NotInQueue       the document is neither pooled nor was it added
        ├── CannotSave       the disk is full or the database is gone: nothing was changed
        ├── Damaged          the database holds what doxeval never wrote
        ├── Throttled        too many wrong passwords: wait
        └── Interrupted      whoever wanted to sign in has gone away

All writing goes through `Database.write`: one writer at a time, in the order in which they came.
What was done is on disk when the block ends; if anything fails, nothing was changed.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

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

from doxeval.errors import FormatError, InputError

_PATIENCE = 30  # seconds to wait for other writers
_ATTEMPTS = 8
_WRITER = 0x646F7865  # the number of a lock in PostgreSQL that others are unlikely to use
# Codes of errors after which it helps to begin again: SQLite is busy or locked; PostgreSQL has a
# serialization failure, a deadlock, or a lock that was not available.
_BUSY_SQLITE = {5, 6}
_BUSY_POSTGRESQL = {"40001", "40P01", "55P03"}
# Codes of errors that say that a database is not as doxeval left it: SQLite's for a table that is
# missing, a page that makes no sense and a file that is no database; PostgreSQL's for missing
# tables and columns, and for damaged files.
_DAMAGE_OF_SQLITE = {1, 11, 24, 26}
_DAMAGE_OF_POSTGRESQL = {"42P01", "42703", "XX001", "XX002"}
# What Python raises for values of another type or shape than it expects.
_ODD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error)


class CampaignError(InputError):
    """A campaign cannot do what was requested; the message says why.

    >>> str(CampaignError("there is no user bob"))
    'there is no user bob'
    """


class Unknown(CampaignError):
    """A campaign has no topic or no user of this name."""


class NotInQueue(CampaignError):
    """A document is neither pooled for a topic nor was it added to the queue of the judge."""


class CannotSave(CampaignError):
    """The disk is full, or the database cannot be reached. Nothing was changed."""


class Damaged(CampaignError):
    """The database is damaged: it holds what doxeval never wrote, or lacks what it did."""


class Throttled(CampaignError):
    """Too many wrong passwords; `seconds` is how long to wait before the next attempt.

    >>> str(Throttled(30))
    'too many wrong passwords: wait 30 seconds'
    """

    def __init__(self, seconds: int) -> None:
        plural = "" if seconds == 1 else "s"
        super().__init__(f"too many wrong passwords: wait {seconds} second{plural}")
        self.seconds = seconds

    def __reduce__(self) -> tuple[type[Throttled], tuple[int]]:
        return Throttled, (self.seconds,)


class Interrupted(CampaignError):
    """Whoever wanted to sign in did not wait for the answer, which is then no failure."""


@contextmanager
def decoding(what: str) -> Iterator[None]:
    """Turn errors of making something from values of the database into a Damaged.

    >>> with decoding("a topic"):
    ...     {}["title"]
    Traceback (most recent call last):
    doxeval.assess.db.session.Damaged: a topic cannot be read (KeyError: 'title')
    """
    try:
        yield
    except _ODD as error:
        raise Damaged(f"{what} cannot be read ({type(error).__name__}: {error})") from error


class FairLock:
    """A lock that threads get in the order in which they asked for it.

    A plain lock may go to the same few threads again and again while others starve: with twenty
    assessors, that is one who waits for seconds.

    >>> lock = FairLock()
    >>> with lock.held(seconds=1):
    ...     "alone"
    'alone'
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._queue: deque[threading.Event] = deque()  # whoever is first holds the lock

    @contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Hold the lock; a TimeoutError if it does not become free in time."""
        free = threading.Event()
        with self._guard:
            self._queue.append(free)
            if self._queue[0] is free:
                free.set()
        if not free.wait(seconds):
            with self._guard:
                if self._queue[0] is not free:  # else it became free in the very last moment
                    self._queue.remove(free)
                    raise TimeoutError(f"others were writing for {seconds:g} seconds")
        try:
            yield
        finally:
            with self._guard:
                self._queue.popleft()
                if self._queue:
                    self._queue[0].set()


class Database:
    """A database, and the one way to write to it.

    >>> import tempfile
    >>> database = Database(sqlite_url(Path(tempfile.mkdtemp()) / "campaign.db"))
    >>> with database.write() as connection:
    ...     made = connection.exec_driver_sql("CREATE TABLE a (b INTEGER)")
    >>> with database.read() as connection:
    ...     connection.exec_driver_sql("SELECT count(*) FROM a").scalar()
    0
    >>> database.close()
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite_engine(url) if self.is_sqlite else _postgresql_engine(url)
        self._writer = FairLock()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection for one transaction that writes; a failure to write is a CannotSave.

        There is one writer at a time, in this process by a lock, among processes by SQLite's or
        PostgreSQL's. So whatever a transaction reads stays as it is until its end.
        """
        try:
            with self._writer.held(_PATIENCE), self.engine.connect() as connection:
                connection.execution_options(writes=True)
                with self._begin(connection):
                    yield connection
        except (TimeoutError, NoConnection) as error:
            raise CannotSave(f"cannot save: the database is busy ({error})") from error
        except (UnicodeError, DataError) as error:
            raise CampaignError(f"this cannot be stored: {why(error)}") from error
        except (NoResultFound, NoSuchTableError, Damaged, FormatError) as error:
            raise self._damage(error) from error
        except IntegrityError as error:
            raise self._damaged(f"a row does not fit the others: {why(error)}") from error
        except DBAPIError as error:
            if is_damage(error):
                raise self._damaged(why(error)) from error
            raise CannotSave(f"cannot save: {why(error)}") from error

    @contextmanager
    def _begin(self, connection: Connection) -> Iterator[None]:
        """Begin a transaction that writes; several times, if the database is busy."""
        for attempt in range(_ATTEMPTS):
            try:
                transaction = connection.begin()
                if not self.is_sqlite:
                    connection.execute(select(func.pg_advisory_xact_lock(_WRITER)))
                break
            except DBAPIError as error:
                connection.rollback()
                if attempt == _ATTEMPTS - 1 or not _is_busy(error):
                    raise
                time.sleep(0.002 * 2**attempt)
        with transaction:
            yield

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection for reading, which sees one state of the database throughout."""
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
    """Return the URL of an SQLite file.

    >>> str(sqlite_url(Path("/a/campaign.db")))
    'sqlite:////a/campaign.db'
    """
    return URL.create("sqlite", database=str(path))


def parsed_url(text: str) -> URL:
    """Return the URL of a PostgreSQL database, with the driver that doxeval uses.

    >>> parsed_url("postgresql://anna@db.example.org/tides").drivername
    'postgresql+psycopg'
    >>> parsed_url("mysql://localhost/tides")
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: expected a URL like postgresql://user@host/database
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if url.get_backend_name() not in ("postgresql", "postgres") or not url.database:
        raise CampaignError("expected a URL like postgresql://user@host/database")
    return url.set(drivername="postgresql+psycopg")


def why(error: Exception) -> str:
    """Return what an error of a database says, in one line.

    >>> why(DBAPIError("SELECT 1", {}, sqlite3.OperationalError("database is locked")))
    'database is locked'
    """
    text = str(getattr(error, "orig", None) or error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _is_busy(error: DBAPIError) -> bool:
    """Tell whether it helps to begin the transaction again."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _BUSY_SQLITE
    return getattr(cause, "sqlstate", None) in _BUSY_POSTGRESQL


def is_damage(error: Exception) -> bool:
    """Tell whether an error says that a database is not as doxeval left it.

    >>> is_damage(DBAPIError("SELECT 1", {}, sqlite3.OperationalError("database is locked")))
    False
    """
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)
        if code is None:  # Python's own module says this one
            return str(cause).startswith("Could not decode to UTF-8")
        return code & 0xFF in _DAMAGE_OF_SQLITE
    return getattr(cause, "sqlstate", None) in _DAMAGE_OF_POSTGRESQL


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


# Times are UTC, as text that sorts by time.


def now() -> str:
    """Return the time now, to the millisecond.

    >>> len(now()), now()[-1]
    (24, 'Z')
    """
    return as_text(datetime.now(UTC))


def later(time: str, seconds: float) -> str:
    """Return the time some seconds later (earlier if they are negative).

    >>> later("2026-01-31T23:59:59.500Z", 1)
    '2026-02-01T00:00:00.500Z'
    """
    return as_text(datetime.fromisoformat(time) + timedelta(seconds=seconds))


def seconds_between(earlier: str, after: str) -> float:
    """Return how many seconds lie between two times.

    >>> seconds_between("2026-01-31T23:59:59.500Z", "2026-02-01T00:00:00.000Z")
    0.5
    """
    return (datetime.fromisoformat(after) - datetime.fromisoformat(earlier)).total_seconds()


def as_text(time: datetime) -> str:
    """Return a time as ISO 8601 in UTC.

    >>> as_text(datetime(2026, 1, 31, 12, tzinfo=UTC))
    '2026-01-31T12:00:00.000Z'
    """
    text = time.astimezone(UTC).isoformat(timespec="milliseconds")
    return f"{text.removesuffix('+00:00')}Z"
