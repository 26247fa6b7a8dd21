"""Backups: whole, private, of one moment, and restored into either database."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path

import pytest

from doxeval.assess.db import Campaign, CampaignError
from doxeval.errors import DoxevalError, FormatError, OutputError
from private_postgresql import Cluster
from small_campaign import PASSWORD, make_collection, operation, work_at_random


def contents(path: Path) -> list[str]:
    """The lines of a backup without what differs between two of the same."""
    return path.read_text().splitlines()[1:-1]


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_a_backup_is_restored_into_either_database(
    campaign: Campaign, tmp_path: Path, postgresql: Cluster, into: str
) -> None:
    work_at_random(campaign, 60, 3)
    ann = campaign.user("ann")
    token = campaign.open_session(ann)
    campaign.backup(tmp_path / "a.jsonl")
    assert token not in (tmp_path / "a.jsonl").read_text()
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600
    url = None if into == "sqlite" else postgresql.databases.new()
    again = Campaign.restore(tmp_path / "a.jsonl", tmp_path / "again", database=url)
    with again:
        again.backup(tmp_path / "b.jsonl")
        before, after = contents(tmp_path / "a.jsonl"), contents(tmp_path / "b.jsonl")
        assert [line for line in after if "campaign restored" not in line] == before
        assert again.verify() == []
        assert again.users() == campaign.users()
        assert again.session(token) is None
        assert again.check_password("ann", PASSWORD, "here") == ann
        # Numbers go on where they ended.
        version = again.judgment("7", "waves", ann.id).version
        done = again.submit("7", "waves", ann.id, ann, [operation("note", version, value="on")])
        assert done.failure is None
        again.add_user("new")
        assert again.verify() == []
    if url is not None:
        postgresql.databases.drop(url)


def test_a_backup_can_be_compressed(campaign: Campaign, tmp_path: Path) -> None:
    campaign.backup(tmp_path / "a.jsonl.gz")
    lines = gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).splitlines()
    assert json.loads(lines[0])["doxeval-backup"] == 1
    with Campaign.restore(tmp_path / "a.jsonl.gz", tmp_path / "again") as again:
        assert again.users() == campaign.users()


def test_a_backup_is_of_one_moment(campaign: Campaign, tmp_path: Path) -> None:
    """Each backup made while somebody works replays to the same state."""
    ann = campaign.user("ann")
    stop = threading.Event()

    def work() -> None:
        version = 0
        while not stop.is_set():
            sent = operation("note", version, value=str(version))
            version = campaign.submit("7", "waves", ann.id, ann, [sent]).stored.version

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for number in range(3):
            campaign.backup(tmp_path / f"{number}.jsonl")
    finally:
        stop.set()
        worker.join()
    for number in range(3):
        with Campaign.restore(tmp_path / f"{number}.jsonl", tmp_path / f"at{number}") as restored:
            assert restored.verify() == []


@pytest.mark.parametrize("damage", ["cut", "altered", "other", "newer"])
def test_a_damaged_backup_is_refused(campaign: Campaign, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.jsonl"
    campaign.backup(path)
    data = path.read_bytes()
    path.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "altered": data.replace(b"tides", b"TIDES", 1),
            "other": b'{"topic": "7"}\n',
            "newer": data,
        }[damage]
    )
    if damage == "newer":
        import hashlib

        lines = data.splitlines(keepends=True)
        header = json.loads(lines[0]) | {"revision": "9999"}
        lines[0] = json.dumps(header).encode() + b"\n"
        digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
        lines[-1] = json.dumps(json.loads(lines[-1]) | {"sha256": digest}).encode()
        path.write_bytes(b"".join(lines))
    with pytest.raises(DoxevalError) as refused:
        Campaign.restore(path, tmp_path / "again")
    assert isinstance(refused.value, CampaignError if damage == "newer" else FormatError)
    assert not (tmp_path / "again").exists()


def test_a_backup_of_another_collection_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    campaign.backup(tmp_path / "a.jsonl")
    other = make_collection(tmp_path / "other", {"a": "<p>Other</p>"})
    with pytest.raises(CampaignError, match="another collection"):
        Campaign.restore(tmp_path / "a.jsonl", tmp_path / "again", collection=other.directory)


def test_nothing_is_overwritten(campaign: Campaign, tmp_path: Path) -> None:
    campaign.backup(tmp_path / "a.jsonl")
    with pytest.raises(CampaignError, match="exists already"):
        Campaign.restore(tmp_path / "a.jsonl", campaign.directory)
    with pytest.raises(OutputError):
        campaign.backup(tmp_path)
