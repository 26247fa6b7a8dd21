"""A small campaign on every database that there is.

PostgreSQL is the server that DOXEVAL_TEST_POSTGRESQL names (the URL of a database in which other
databases may be made), or a private one from Debian's packages that lives as long as the tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher

from doxeval.assess.store import Campaign, passwords
from doxeval.documents import Collection
from private_postgresql import Cluster, cluster, programs
from small_campaign import make_campaign, make_collection

DATABASES = ("sqlite", "postgresql")


@cache
def _quick() -> PasswordHasher:
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time; test_passwords.py looks at the real ones."""
    monkeypatch.setattr(passwords, "hasher", _quick)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A server for the tests of this process, without waiting for the disk."""
    if programs() is None:
        pytest.skip("there is no PostgreSQL")
    with cluster("fsync=off", "synchronous_commit=off", "full_page_writes=off") as started:
        yield started


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """A new, empty database: None for SQLite in the campaign's directory, or a URL."""
    if request.param == "sqlite":
        yield None
        return
    if url := os.environ.get("DOXEVAL_TEST_POSTGRESQL"):
        with _database_on(url) as made:
            yield made
        return
    server: Cluster = request.getfixturevalue("postgresql")
    made = server.new_database()
    yield made
    server.drop(made)


@contextmanager
def _database_on(url: str) -> Iterator[str]:
    """A new database on a server that was given."""
    import secrets

    import psycopg
    from sqlalchemy.engine import make_url

    name = f"doxeval_test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield make_url(url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


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


@pytest.fixture
def campaign(new_campaign: Maker) -> Campaign:
    """The small campaign, on one database after the other."""
    return new_campaign()
