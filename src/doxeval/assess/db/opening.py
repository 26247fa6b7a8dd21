"""Making and opening the directory of a campaign: its database and its collection."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from doxeval.assess.db import (
    audit,
    migrating,
    passwords,
    pools,
    settings,
    times,
    topics,
    users,
)
from doxeval.assess.db.engine import Database, why
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.places import (
    BACKUPS,
    SQLITE_FILE,
    Facts,
    new_facts,
    read_facts,
    server_lock,
    write_facts,
)
from doxeval.assess.db.rebase import RebaseReport, rebase
from doxeval.assess.db.settings import Settings
from doxeval.documents import Collection
from doxeval.errors import CollectionError, UnknownReference, output_errors
from doxeval.messages import Message, Parameter, quoted
from doxeval.output import make_parents, temporary_output
from doxeval.pooling import Pool
from doxeval.topics import Topic


@dataclass(frozen=True)
class Opened:
    """An open campaign: its database and its collection, and what happened on the way."""

    facts: Facts
    database: Database
    collection: Collection
    notices: tuple[str, ...]


def create(
    directory: Path,
    collection: Collection,
    topics_: Sequence[Topic],
    pool: Pool,
    chosen: Settings,
    database: str | None,
    admin: tuple[str, str] | None = None,
) -> None:
    """Make a campaign: all of it, or nothing. `admin` is the name and the password of one."""
    topics.check(topics_)
    hashed = None if admin is None else passwords.hashed(passwords.checked_password(admin[1]))
    pools.check_pooled([topic.id for topic in topics_], pool)

    def fill(connection: Connection) -> None:
        migrating.migrate(connection)
        settings.save(connection, chosen)
        place = {"path": collection.address, "seal": collection.checksum}
        settings.put(connection, "collection", place)
        topics.save(connection, topics_)
        pools.update_pool(connection, pool, known_in(collection))
        audit.note(connection, "campaign created")
        if admin is not None and hashed is not None:
            users.add(connection, admin[0], "admin", hashed)

    make_directory(directory, new_facts(collection.address, collection.checksum, database), fill)


def make_directory(directory: Path, facts: Facts, fill: Callable[[Connection], None]) -> None:
    """Make the directory of a campaign, with a database that `fill` fills."""
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
        with closing(Database(facts.url(temporary))) as new:

            def fill_empty(connection: Connection) -> None:
                if not migrating.is_empty(connection):
                    raise CampaignError("the database has tables already: choose an empty one")
                fill(connection)

            new.write(fill_empty)
        temporary.rename(place)


def open_directory(directory: Path, collection: str | Path | None = None) -> Opened:
    """Open a campaign; an old database is migrated, a collection that was rebuilt is refused."""
    facts = read_facts(directory)
    database = Database(facts.url(directory))
    try:
        notices = _migrated(directory, database)
        with database.read() as connection:
            recorded = settings.collection(connection)
        found = _collection(facts, recorded, collection)
        moved = facts.moved_to(found.address, found.checksum)
        if moved != facts:
            write_facts(directory, moved)
            notices = (*notices, f"the collection is now at {moved.collection}")
        return Opened(moved, database, found, notices)
    except BaseException:
        database.close()
        raise


def rebase_directory(directory: Path, collection: str | Path) -> RebaseReport:
    """Carry the judgments of a campaign over to another collection, all of them or none."""
    facts, new = read_facts(directory), Collection(collection)
    with closing(Database(facts.url(directory))) as database:
        _migrated(directory, database)
        with server_lock(directory, "rebase it"):
            report = database.write(lambda to: rebase(to, new))
            write_facts(directory, facts.moved_to(new.address, new.checksum))
    return report


def known_in(collection: Collection) -> pools.Known:
    """From an id as runs write it to the id in the collection; an unknown one is an error."""

    def known(document: str) -> str:
        try:
            name = collection.id_of(collection.document(document))
        except UnknownReference as error:
            raise CampaignError(f"{error}: the pool is of another collection") from None
        if len(name) > topics.LONGEST_ID:
            raise CampaignError(
                f"document {quoted(name)}: its id has {len(name):,} characters; expected at most "
                f"{topics.LONGEST_ID:,}"
            )
        return name

    return known


def _collection(facts: Facts, recorded: dict[str, str], given: str | Path | None) -> Collection:
    """The collection of a campaign: it must be the very one that is judged."""
    places = [given] if given else [facts.collection, recorded["path"]]
    problem: CampaignError | None = None
    for place in dict.fromkeys(places):
        try:
            found = Collection(place)
        except CollectionError as error:
            problem = problem or CampaignError(
                Message("the collection of this campaign cannot be opened: ", error)
                + "; if it was moved, say where it is with "
                + Parameter("collection")
            )
            continue
        if found.checksum == recorded["seal"]:
            return found
        problem = CampaignError(
            f"the collection {place} was built again since the campaign began, and its texts may "
            "have changed: run doxeval assess rebase to carry the judgments over"
        )
    if problem is None:
        raise ValueError("a campaign has a collection")
    raise problem


def _migrated(directory: Path, database: Database) -> tuple[str, ...]:
    """Bring an old database to the newest revision; a copy of an SQLite file is kept."""
    with database.read() as connection:
        found = migrating.revision_of(connection)
    try:
        is_old = migrating.check_revision(found)
    except CampaignError as error:
        raise CampaignError(error.message, database.name) from None
    if not is_old:
        return ()
    with server_lock(directory, "migrate its database"):
        copy = _copy(directory, database, str(found)) if database.is_sqlite else None

        def migrate(connection: Connection) -> None:
            if migrating.check_revision(migrating.revision_of(connection)):
                migrating.migrate(connection)
                audit.note(connection, "database migrated", before=found)

        database.write(migrate)
    kept = f"; the old one is kept as {copy}" if copy else ""
    newest = migrating.revisions()[-1]
    return (f"the database was migrated from revision {found} to {newest}{kept}",)


def _copy(directory: Path, database: Database, revision: str) -> Path:
    """A copy of an SQLite database, as it is now."""
    backups = directory / BACKUPS
    moment = times.now().replace(":", "").replace(".", "")
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
