"""Databases of older revisions are brought to the newest one with all that is in them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, insert

from doxeval.assess.db import (
    METADATA,
    Campaign,
    CampaignError,
    count_on,
    migrate,
    new_facts,
    revisions,
    server_lock,
    write_facts,
)
from doxeval.documents import Collection
from helpers import DATA
from small_campaign import PASSWORD, database_of, highlight, operation

OLD = (DATA / "assess" / "campaign-revision-0001.sql").read_text(encoding="utf-8")


@pytest.fixture
def old(tmp_path: Path, small_collection: Collection) -> Path:
    """The directory of a campaign whose database is the oldest."""
    directory = tmp_path / "old"
    directory.mkdir()
    place = {"path": str(small_collection.directory), "seal": small_collection.checksum}
    with closing(sqlite3.connect(directory / "campaign.db")) as connection:
        connection.executescript(OLD)
        changed = "UPDATE settings SET value = ? WHERE key = 'collection'"
        connection.execute(changed, [json.dumps(place)])
        connection.commit()
    write_facts(directory, new_facts(small_collection.directory, small_collection.checksum, None))
    return directory


def test_the_migrated_tables_are_those_of_the_schema(campaign: Campaign) -> None:
    with database_of(campaign) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        assert context.get_current_revision() == revisions()[-1]


@pytest.mark.parametrize("state", ["{", "[]", "{}"])
def test_a_damaged_judgment_stops_the_migration_and_nothing_changes(old: Path, state: str) -> None:
    with closing(sqlite3.connect(old / "campaign.db")) as connection:
        connection.execute("UPDATE judgments SET state = ? WHERE document = 'salt'", [state])
        connection.commit()
        before = list(connection.iterdump())
    with pytest.raises(CampaignError, match="a stored judgment is damaged"):
        Campaign.open(old)
    with closing(sqlite3.connect(old / "campaign.db")) as connection:
        assert list(connection.iterdump()) == before


def test_an_old_database_is_upgraded_with_its_data(old: Path) -> None:
    with Campaign.open(old) as campaign:
        (notice,) = campaign.notices
        assert "from revision 0001" in notice
        assert campaign.verify() == []  # which compares the new columns with the states, too
        ann, bob = campaign.user("ann"), campaign.user("bob")
        assert sum(1 for _ in campaign.operations()) > 30
        entries = {entry.document: entry for entry in campaign.queue("8", bob.id)}
        assert entries["salt"].status == "validated"
        assert (entries["waves"].status, entries["waves"].problem) == ("skipped", True)
        relevant = [one for one in campaign.judgments(drafts=True) if one.state.is_relevant]
        assert relevant
        for one in relevant:
            assert one.judge is not None
            queue = campaign.queue(one.topic, one.judge) if one.judge else []
            assert all(entry.relevant for entry in queue if entry.document == one.document)
        assert campaign.keywords("7", bob) == ["tide", "🌊"]
        assert campaign.check_password("ann", PASSWORD, "here") == ann
        version = campaign.judgment("8", "waves", bob.id).version
        sent = [highlight(campaign.article("waves"), 0, 5, version), operation("undo", version + 1)]
        assert campaign.submit("8", "waves", bob.id, bob, sent).failure is None
        assert campaign.verify() == []
    with Campaign.open(old) as again:
        assert again.notices == ()


def test_a_copy_of_the_old_database_is_kept(old: Path) -> None:
    Campaign.open(old).close()
    (copy,) = (old / "backups").iterdir()
    assert "0001" in copy.name
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        dumped = "\n".join(connection.iterdump())
    assert dumped.count("INSERT INTO") == OLD.count("INSERT INTO")
    assert "VALUES('0001')" in dumped


def test_no_migration_under_a_running_server(old: Path) -> None:
    with server_lock(old, "test"), pytest.raises(CampaignError, match="a server is running"):
        Campaign.open(old)


def test_a_newer_database_is_refused(campaign: Campaign) -> None:
    with database_of(campaign) as to:
        to.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CampaignError, match="newer doxeval"):
        Campaign.open(campaign.directory)


def test_an_old_postgresql_database_is_upgraded(old: Path, campaign: Campaign) -> None:
    """The rows of the old file in a PostgreSQL database of the old revision."""
    if campaign.facts.database is None:
        return
    campaign.close()
    with (
        closing(sqlite3.connect(old / "campaign.db")) as source,
        database_of(campaign) as connection,
    ):
        source.row_factory = sqlite3.Row
        METADATA.drop_all(connection)
        connection.exec_driver_sql("DROP TABLE alembic_version")
        migrate(connection, "0001")
        reflected = MetaData()
        reflected.reflect(connection)
        for table in reflected.sorted_tables:
            rows = [dict(row) for row in source.execute(f"SELECT * FROM {table.name}")]
            for row in rows:
                flags = {"active", "off_pool", "honeypot"} & row.keys()
                row.update({name: bool(row[name]) for name in flags})
            if rows and table.name != "alembic_version":
                connection.execute(insert(table), rows)
        count_on(connection, reflected.sorted_tables)
    with Campaign.open(campaign.directory) as upgraded:
        assert "from revision 0001" in upgraded.notices[0]
        assert upgraded.verify() == []
        assert upgraded.judgments(drafts=True)
