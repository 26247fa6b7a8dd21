"""Fixtures: a small campaign on the database that `database_name` names.

PostgreSQL is the server that DOXEVAL_TEST_POSTGRESQL names (the URL of a database in which other
databases may be made), or a private one from Debian's packages that lives as long as the tests.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import event
from sqlalchemy.pool import Pool

from doxeval.assess.db import Campaign, read_facts, write_facts
from doxeval.documents import Collection
from private_postgresql import Cluster, Databases, cluster, programs
from seams import change, value_of
from small_campaign import make_campaign, make_collection


@cache
def _quick() -> PasswordHasher:
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


_REAL = value_of("password_hasher")


@contextmanager
def quick_hashes() -> Iterator[None]:
    """Hash passwords without taking time."""
    with pytest.MonkeyPatch.context() as patch:
        change(patch, password_hasher=_quick)
        yield


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time, unless a test uses `real_passwords`."""
    change(monkeypatch, password_hasher=_quick)


@pytest.fixture
def real_passwords(quick_passwords: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes as users have them."""
    change(monkeypatch, password_hasher=_REAL)


@pytest.fixture(autouse=True, scope="session")
def sqlite_without_waiting() -> Iterator[None]:
    """SQLite in this process does not wait for the disk; test_crashes.py kills other processes."""

    def prepare(connection: Any, *_: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous=OFF")

    event.listen(Pool, "checkout", prepare)
    yield
    event.remove(Pool, "checkout", prepare)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A server for the tests of this process, without waiting for the disk."""
    if programs() is None:
        pytest.skip("there is no PostgreSQL")
    with cluster("fsync=off", "synchronous_commit=off", "full_page_writes=off") as started:
        yield started


@pytest.fixture(scope="session")
def databases(request: pytest.FixtureRequest) -> Databases:
    """The databases of the server that was given, or else of our own."""
    if url := os.environ.get("DOXEVAL_TEST_POSTGRESQL"):
        return Databases(url)
    server: Cluster = request.getfixturevalue("postgresql")
    return server.databases


@pytest.fixture
def database(request: pytest.FixtureRequest, database_name: str) -> Iterator[str | None]:
    """A new, empty database: None for SQLite in the campaign's directory, or a URL."""
    if database_name == "sqlite":
        yield None
        return
    all_databases: Databases = request.getfixturevalue("databases")
    made = all_databases.new()
    yield made
    all_databases.drop(made)


@pytest.fixture(scope="session")
def small_collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """The collection of the small campaign."""
    return make_collection(tmp_path_factory.mktemp("assess"))


Maker = Callable[..., Campaign]


@pytest.fixture
def new_campaign(
    tmp_path: Path, database: str | None, small_collection: Collection
) -> Iterator[Maker]:
    """Make the small campaign with settings of one's own; once, as there is one database."""
    made: list[Campaign] = []

    def maker(**settings: Any) -> Campaign:
        given = {"collection": small_collection, **settings}
        made.append(make_campaign(tmp_path, database, **given))
        return made[-1]

    yield maker
    for campaign in made:
        campaign.close()


# The small campaign as most tests want it is made once on each database, and copied for each test.


@pytest.fixture(scope="session")
def model_on_sqlite(tmp_path_factory: pytest.TempPathFactory, small_collection: Collection) -> Path:
    directory = tmp_path_factory.mktemp("model")
    with quick_hashes(), make_campaign(directory, None, small_collection) as made:
        return made.directory


@pytest.fixture(scope="session")
def model_on_postgresql(
    tmp_path_factory: pytest.TempPathFactory, small_collection: Collection, databases: Databases
) -> Iterator[Path]:
    url, place = databases.new(), tmp_path_factory.mktemp("model")
    with quick_hashes(), make_campaign(place, url, small_collection) as made:
        directory = made.directory
    yield directory
    databases.drop(url)


@pytest.fixture
def campaign(
    request: pytest.FixtureRequest, tmp_path: Path, database_name: str
) -> Iterator[Campaign]:
    """The small campaign."""
    model: Path = request.getfixturevalue(f"model_on_{database_name}")
    directory = Path(shutil.copytree(model, tmp_path / "campaign"))
    with ExitStack() as stack:
        if database_name == "postgresql":
            databases: Databases = request.getfixturevalue("databases")
            facts = read_facts(directory)
            url = databases.new(facts.database)
            stack.callback(databases.drop, url)
            write_facts(directory, replace(facts, database=url))
        yield stack.enter_context(Campaign.open(directory))
