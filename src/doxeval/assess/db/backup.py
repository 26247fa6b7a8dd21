"""The whole of a campaign in one file, and back: JSONL, the same for both databases.

    {"doxeval-backup": 1, "revision": …, "made": …, "collection": …, "tables": [names]}
    {"users": {column: value, …}}                one line for each row, table after table
    {"end": {table: number of rows}, "sha256": of all lines before}

A backup is one state of the database, taken while people go on working. Sessions, known browsers,
invitations and failed sign-ins are left out. A campaign that was backed up from SQLite can be
restored into PostgreSQL, and the other way round; a backup of an older doxeval is migrated when it
is restored.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any, cast

from sqlalchemy import Connection, MetaData, Table, func, insert, select

from doxeval.assess.db import migrations, session
from doxeval.assess.db.directory import make_directory, new_facts
from doxeval.assess.db.schema import note_event
from doxeval.assess.db.session import CampaignError, Database, decoding
from doxeval.assess.db.topics import recorded_collection
from doxeval.documents import Collection
from doxeval.errors import FormatError
from doxeval.files import decode_json, json_lines, open_input, open_output
from doxeval.messages import Parameter
from doxeval.version import __version__

_FORMAT = 1
_LEFT_OUT = {"sessions", "browsers", "invitations", "login_failures", "alembic_version"}
_ROWS_AT_ONCE = 500


def backup(database: Database, path: Path) -> None:
    """Write a backup, completely or not at all; it is compressed if its name ends in .gz."""
    with open_output(path) as file, _packed(file, path) as packed:
        os.chmod(file.name, 0o600)  # it has the hashes of passwords
        digest = hashlib.sha256()
        with database.read() as connection:
            for record in _records(connection):
                with decoding("a row"):
                    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
                digest.update(line)
                packed.write(line)
            end = {"end": _counts(connection), "sha256": digest.hexdigest()}
        packed.write(json.dumps(end).encode() + b"\n")


def restore(
    path: Path, directory: Path, collection: str | Path | None = None, database: str | None = None
) -> Collection:
    """Make a campaign from a backup, all of it or nothing, in a new directory.

    Return its collection.
    """
    _check_whole(path)
    header = _header(path)
    place = collection or header["collection"]["path"]
    opened = Collection(place)
    if opened.checksum != header["collection"]["seal"]:
        raise CampaignError(
            f"the backup is of a campaign on another collection than {place}: say with "
            + Parameter("collection")
            + " where that one is"
        )

    def fill(connection: Connection) -> None:
        migrations.migrate(connection, header["revision"])
        _insert(connection, path)
        migrations.migrate(connection)
        note_event(connection, "campaign restored", made=header["made"])

    make_directory(directory, new_facts(opened.address, opened.checksum, database), fill)
    return opened


# Writing


@contextmanager
def _packed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() != ".gz":
        yield file
        return
    with gzip.GzipFile("", "wb", fileobj=file) as packed:
        yield cast(IO[bytes], packed)


def _records(connection: Connection) -> Iterator[dict[str, Any]]:
    tables = _tables(connection)
    yield {
        "doxeval-backup": _FORMAT,
        "doxeval": __version__,
        "revision": migrations.revision_of(connection),
        "made": session.now(),
        "collection": recorded_collection(connection),
        "tables": [table.name for table in tables],
    }
    for table in tables:
        query = select(table).order_by(*table.primary_key.columns)
        rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(query)
        for row in rows:
            yield {table.name: dict(row._mapping)}


def _counts(connection: Connection) -> dict[str, int]:
    return {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in _tables(connection)
    }


def _tables(connection: Connection) -> list[Table]:
    """Return the tables as the database has them, JSON as text; those that others need first."""
    reflected = MetaData()
    reflected.reflect(connection)
    return [table for table in reflected.sorted_tables if table.name not in _LEFT_OUT]


# Reading


def _header(path: Path) -> dict[str, Any]:
    with open_input(path) as file:
        header: Any = next((record for _, record in json_lines(file, str(path))), None)
    if not isinstance(header, dict) or header.get("doxeval-backup") != _FORMAT:
        raise FormatError("expected a backup of a campaign", str(path), 1)
    migrations.check_revision(header["revision"])
    return header


def _check_whole(path: Path) -> None:
    """Refuse a backup that was cut off or altered."""
    digest, last = hashlib.sha256(), b""
    with open_input(path) as file:
        for line in file:
            digest.update(last)
            last = line
    try:
        end = decode_json(last)
        whole = end["sha256"] == digest.hexdigest()
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise FormatError("expected a whole backup, and it was cut off or altered", str(path))


def _insert(connection: Connection, path: Path) -> None:
    tables = {table.name: table for table in _tables(connection)}
    with open_input(path) as file:
        records = (record for _, record in json_lines(file, str(path)))
        next(records)
        for name, group in groupby(records, lambda record: next(iter(record))):
            if name == "end":
                break
            rows = (record[name] for record in group)
            while batch := list(islice(rows, _ROWS_AT_ONCE)):
                connection.execute(insert(tables[name]), batch)
    count_on(connection, tables.values())


def count_on(connection: Connection, tables: Iterable[Table]) -> None:
    """Let PostgreSQL's sequences go on after the rows that were inserted."""
    if connection.dialect.name != "postgresql":
        return
    for table in tables:
        for column in table.primary_key.columns:
            last = select(func.max(column)) if column.name in ("seq", "id") else None
            highest = connection.execute(last).scalar() if last is not None else None
            if isinstance(highest, int):
                sequence = func.pg_get_serial_sequence(table.name, column.name)
                connection.execute(select(func.setval(sequence, highest)))
