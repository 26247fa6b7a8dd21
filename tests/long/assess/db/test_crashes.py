"""Servers that are killed, disks that are full, databases that go away: nothing is lost or halved.

scripts/assessors.py does the same at length.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from assessors import trial
from doxeval.assess.db import Campaign, CampaignError, CannotSave
from doxeval.documents import Collection
from doxeval.errors import DoxevalError, OutputError
from private_postgresql import Cluster, cluster, programs
from small_campaign import highlight, make_campaign, operation


@pytest.fixture
def crashing() -> Iterator[Cluster]:
    """A PostgreSQL server of one's own, which is on disk with every answer."""
    if programs() is None:
        pytest.skip("there is no PostgreSQL")
    with cluster() as started:
        yield started


def test_killed_servers_lose_nothing(tmp_path: Path) -> None:
    outcome = trial(tmp_path, kills=3, people=5, longest=0.5)
    assert outcome.problems == []
    assert outcome.logged >= outcome.acknowledged > 0


def test_killed_servers_lose_nothing_on_postgresql(tmp_path: Path, crashing: Cluster) -> None:
    outcome = trial(tmp_path, kills=3, people=5, longest=0.5, database=crashing, seed=2)
    assert outcome.problems == []
    assert outcome.logged >= outcome.acknowledged > 0
    assert outcome.crashes > 0


def test_a_database_that_goes_away_is_said_and_comes_back(
    tmp_path: Path, crashing: Cluster, small_collection: Collection
) -> None:
    url = crashing.databases.new()
    with make_campaign(tmp_path, url, small_collection) as campaign:
        ann, article = campaign.user("ann"), campaign.article("waves")
        first, second = highlight(article, 0, 5, 0), highlight(article, 10, 15, 1)
        campaign.submit("7", "waves", ann.id, ann, [first])
        crashing.stop(signal.SIGQUIT)
        with pytest.raises(CannotSave, match="cannot save"):
            campaign.submit("7", "waves", ann.id, ann, [second])
        with pytest.raises(CampaignError, match="cannot be read"):
            campaign.judgment("7", "waves", ann.id)
        with pytest.raises(CampaignError, match="cannot be read"):
            Campaign.open(campaign.directory)
        crashing.start()
        done = campaign.submit("7", "waves", ann.id, ann, [first, second])
        assert (done.failure, done.stored.version) == (None, 2)
        assert campaign.verify() == []


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """As on a full disk, no file can become larger than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(campaign: Campaign) -> int:
    """Write notes until the disk is full; the last version that was acknowledged."""
    ann, version = campaign.user("ann"), 0
    with pytest.raises(CannotSave, match="cannot save"):
        while version < 1000:
            sent = operation("note", version, value=f"{version} " + "x" * 5000)
            done = campaign.submit("7", "waves", ann.id, ann, [sent])
            assert done.failure is None
            version = done.stored.version
    return version


def check_after_full_disk(campaign: Campaign, version: int) -> None:
    ann = campaign.user("ann")
    stored = campaign.judgment("7", "waves", ann.id)
    assert stored.version == version > 0
    assert stored.state.note.startswith(f"{version - 1} ")
    assert campaign.verify() == []
    sent = [operation("note", version, value="on")]
    assert campaign.submit("7", "waves", ann.id, ann, sent).failure is None
    assert campaign.verify() == []


def test_a_full_disk_changes_nothing(tmp_path: Path, small_collection: Collection) -> None:
    """Writes fail in the middle of a transaction (EFBIG, which SQLite calls an I/O error)."""
    with make_campaign(tmp_path, collection=small_collection) as campaign:
        with largest_file(1_000_000):
            version = fill(campaign)
        check_after_full_disk(campaign, version)
    with Campaign.open(campaign.directory) as again:
        assert again.verify() == []


def test_a_full_database_changes_nothing(tmp_path: Path, small_collection: Collection) -> None:
    """SQLITE_FULL, the answer to ENOSPC: the database may have no more pages."""
    with make_campaign(tmp_path, collection=small_collection) as campaign:
        campaign.database.close()
        engine = campaign.database.engine

        def limit(pages: int) -> None:
            campaign.database.close()
            event.listen(
                engine,
                "connect",
                lambda connection, _: connection.execute(f"PRAGMA max_page_count={pages}"),
            )

        limit(150)
        version = fill(campaign)
        limit(1_000_000)
        check_after_full_disk(campaign, version)


def test_no_campaign_is_half_made_on_a_full_disk(
    tmp_path: Path, small_collection: Collection
) -> None:
    for size in (0, 100, 4096, 20_000, 60_000, 100_000):
        with largest_file(size), pytest.raises(DoxevalError) as failed:
            make_campaign(tmp_path, collection=small_collection)
        assert "cannot" in str(failed.value)
        assert os.listdir(tmp_path) == []


def test_a_backup_on_a_full_disk_leaves_nothing(
    tmp_path: Path, small_collection: Collection
) -> None:
    with make_campaign(tmp_path / "a", collection=small_collection) as campaign:
        before = os.listdir(tmp_path)
        with largest_file(2000), pytest.raises(OutputError, match="cannot be written"):
            campaign.backup(tmp_path / "b.jsonl")
        assert os.listdir(tmp_path) == before


def test_a_disk_that_is_really_full(tmp_path: Path, small_collection: Collection) -> None:
    """A small file system in memory."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this file system cannot be mounted here")
    try:
        with make_campaign(place, collection=small_collection) as campaign:
            version = fill(campaign)
            room = [one for one in place.iterdir() if one.name != "campaign"]
            assert room == []
            with pytest.raises(CannotSave):  # a few may still fit where a note did not
                for number in range(100):
                    campaign.add_user(f"carl{number}")
            subprocess.run(["mount", "-o", "remount,size=20m", str(place)], check=True)
            check_after_full_disk(campaign, version)
    finally:
        subprocess.run(["umount", str(place)], check=True)
