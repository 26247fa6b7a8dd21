"""The directory of a campaign: made, opened and migrated.

campaign.json   where the database and the collection are; only its owner may read it
campaign.db     the database, unless it is PostgreSQL
server.lock     held by the server that runs on this directory
backups/        copies of the database, made before it was migrated
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from doxeval.assess.db import migrations, session
from doxeval.assess.db.schema import note_event
from doxeval.assess.db.session import CampaignError, Database, parsed_url, sqlite_url, why
from doxeval.assess.db.topics import recorded_collection
from doxeval.documents import Collection
from doxeval.errors import CollectionError, output_errors
from doxeval.files import decode_json, open_output
from doxeval.messages import Message, Parameter
from doxeval.output import HAS_LOCKS, lock_file, make_parents, temporary_output
from doxeval.storage import absolute_location
from doxeval.version import __version__

FACTS_FILE, SQLITE_FILE = "campaign.json", "campaign.db"
LOCK_FILE, BACKUPS = "server.lock", "backups"
_FORMAT = 1


@dataclass(frozen=True)
class CampaignFacts:
    """Where a campaign's parts are; `database` is None for SQLite in the same directory.

    seal: the checksum of the collection, by its name in the file.
    """

    collection: str
    seal: str
    database: str | None = None
    doxeval: str = ""
    format: int = _FORMAT

    def moved_to(self, collection: Collection) -> CampaignFacts:
        """Return the same with a collection in another place."""
        return replace(self, collection=collection.address, seal=collection.checksum)

    def url(self, directory: Path) -> URL:
        """Return the URL of the database."""
        if self.database is None:
            return sqlite_url(directory.absolute() / SQLITE_FILE)
        return parsed_url(self.database)


def new_facts(collection: str | Path, checksum: str, database: str | None) -> CampaignFacts:
    """Return the facts of a campaign that is made now, by this doxeval."""
    return CampaignFacts(absolute_location(collection), checksum, database, __version__)


def read_facts(directory: Path) -> CampaignFacts:
    """Return the facts of a campaign."""
    path = directory / FACTS_FILE
    try:
        facts = CampaignFacts(**decode_json(path.read_bytes()))
    except FileNotFoundError:
        message = f"is not a campaign: it has no {FACTS_FILE}"
        raise CampaignError(message, str(directory)) from None
    except OSError as error:
        raise CampaignError(error.strerror or str(error), str(path)) from error
    except (ValueError, TypeError) as error:
        raise CampaignError("is damaged: expected the facts of a campaign", str(path)) from error
    if facts.format != _FORMAT:
        message = f"has format {facts.format!r}, which this doxeval does not know"
        raise CampaignError(message, str(path))
    if facts.database is None and not (directory / SQLITE_FILE).is_file():
        raise CampaignError(f"its database {SQLITE_FILE} is missing", str(directory))
    return facts


def write_facts(directory: Path, facts: CampaignFacts) -> None:
    """Write the facts, completely or not at all; the URL in them may have a password."""
    path = directory / FACTS_FILE
    with open_output(path) as file:
        os.chmod(file.name, 0o600)
        file.write(json.dumps(asdict(facts), indent=2).encode() + b"\n")


@contextmanager
def server_lock(directory: Path, purpose: str) -> Iterator[None]:
    """Hold the lock of a campaign's directory; whoever comes second is refused.

    The system releases the lock when the process ends, however it ends. Where there are no such
    locks (Windows), nobody is refused; transactions keep the database safe all the same.
    """
    if not HAS_LOCKS:
        yield
        return

    file = os.open(directory / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            lock_file(file)
        except OSError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip()
            who = f" ({holder})" if holder else ""
            message = f"a server is running on this campaign{who}: stop it before you {purpose}"
            raise CampaignError(message, str(directory)) from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(file, 0)
    finally:
        os.close(file)


def make_directory(
    directory: Path, facts: CampaignFacts, fill: Callable[[Connection], None]
) -> None:
    """Make the directory of a campaign, all of it or nothing; `fill` fills its database."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise CampaignError("exists already", str(directory))
    place = Path(os.path.realpath(directory))
    with (
        output_errors(directory),
        make_parents(place.parent),
        temporary_output(place, "writing", lambda path: path.mkdir(0o700)) as temporary,
    ):
        if facts.database is None:
            (temporary / SQLITE_FILE).touch(0o600)
        write_facts(temporary, facts)
        with closing(Database(facts.url(temporary))) as new, new.write() as connection:
            if not migrations.is_empty(connection):
                raise CampaignError("the database has tables already: choose an empty one")
            fill(connection)
        temporary.rename(place)


@dataclass(frozen=True)
class OpenDirectory:
    """The parts of an open campaign, and what happened when they were opened."""

    facts: CampaignFacts
    database: Database
    collection: Collection
    notices: tuple[str, ...]


def open_directory(
    directory: Path, collection: str | Path | Collection | None = None
) -> OpenDirectory:
    """Open a campaign; an old database is migrated, a collection that was rebuilt is refused."""
    facts = read_facts(directory)
    database = Database(facts.url(directory))
    try:
        notices = migrate_directory(directory, database)
        with database.read() as connection:
            recorded = recorded_collection(connection)
        opened = _open_collection(facts, recorded, collection)
        moved = facts.moved_to(opened)
        if moved != facts:
            write_facts(directory, moved)
            notices = (*notices, f"the collection is now at {moved.collection}")
        return OpenDirectory(moved, database, opened, notices)
    except BaseException:
        database.close()
        raise


def _open_collection(
    facts: CampaignFacts, recorded: dict[str, str], given: str | Path | Collection | None
) -> Collection:
    """Open the collection of a campaign: it must be the very one that is judged."""
    places: list[str | Path | Collection]
    places = [given] if given else [facts.collection, recorded["path"]]
    problem: CampaignError | None = None
    for place in dict.fromkeys(places):
        try:
            opened = place if isinstance(place, Collection) else Collection(place)
        except CollectionError as error:
            problem = problem or CampaignError(
                Message("the collection of this campaign cannot be opened: ", error)
                + "; if it was moved, say where it is with "
                + Parameter("collection")
            )
            continue
        if opened.checksum == recorded["seal"]:
            return opened
        problem = CampaignError(
            f"the collection {place} was built again since the campaign began, and its texts may "
            "have changed: run doxeval assess rebase to carry the judgments over"
        )
    if problem is None:
        raise ValueError("a campaign has a collection")
    raise problem


def migrate_directory(directory: Path, database: Database) -> tuple[str, ...]:
    """Bring an old database to the newest revision; a copy of an SQLite file is kept.

    Return what was done, as sentences.
    """
    with database.read() as connection:
        before = migrations.revision_of(connection)
    try:
        is_old = migrations.check_revision(before)
    except CampaignError as error:
        raise CampaignError(error.message, database.name) from None
    if not is_old:
        return ()
    with server_lock(directory, "migrate its database"):
        copy = _copy_sqlite(directory, str(before)) if database.is_sqlite else None
        with database.write() as connection:
            if migrations.check_revision(migrations.revision_of(connection)):
                migrations.migrate(connection)
                note_event(connection, "database migrated", before=before)
    kept = f"; the old one is kept as {copy}" if copy else ""
    newest = migrations.revisions()[-1]
    return (f"the database was migrated from revision {before} to {newest}{kept}",)


def _copy_sqlite(directory: Path, revision: str) -> Path:
    """Copy an SQLite database, as it is now."""
    backups = directory / BACKUPS
    moment = session.now().replace(":", "").replace(".", "")
    path = backups / f"campaign-revision-{revision}-{moment}.db"
    with output_errors(path):
        backups.mkdir(0o700, exist_ok=True)
        path.touch(0o600)
    try:
        with (
            closing(sqlite3.connect(directory / SQLITE_FILE)) as source,
            closing(sqlite3.connect(path)) as target,
        ):
            source.backup(target)
    except (sqlite3.Error, DBAPIError) as error:
        path.unlink(missing_ok=True)
        raise CampaignError(f"{path} cannot be written: {why(error)}") from error
    return path
