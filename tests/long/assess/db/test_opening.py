"""Making and opening campaigns: whole or not at all, on the very collection, by one server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doxeval.assess.db import Campaign, CampaignError
from doxeval.documents import Collection
from doxeval.errors import CollectionError
from doxeval.pooling import Pool, PooledDocument
from doxeval.topics import Topic
from small_campaign import POOL, TOPICS, highlight, make_campaign, make_collection, operation

Maker = Callable[..., Campaign]


def test_the_directory_is_private(campaign: Campaign) -> None:
    assert campaign.directory.stat().st_mode & 0o777 == 0o700
    for path in campaign.directory.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    assert not [name for name in os.listdir(campaign.directory.parent) if ".writing-" in name]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topics": []}, "none were given"),
        ({"topics": [Topic("7"), Topic("7")]}, "twice"),
        ({"pool": Pool({"x": ()})}, "none of the topics"),
        ({"pool": Pool({"7": (PooledDocument("nowhere"),)})}, "another collection"),
        ({"mode": "2004"}, "mode='2004'"),
        ({"display": {"p": "shiny"}}, "shiny"),
    ],
)
def test_what_cannot_be_a_campaign_leaves_nothing(
    new_campaign: Maker, tmp_path: Path, wrong: dict[str, object], message: str
) -> None:
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(CampaignError, match=message):
        new_campaign(**wrong)
    assert sorted(os.listdir(tmp_path)) == before
    assert new_campaign().topics()  # the database is still empty


def test_ids_that_no_address_can_hold_are_refused(
    tmp_path: Path, small_collection: Collection
) -> None:
    long = "7" * 1001
    with pytest.raises(CampaignError, match="its id has 1,001 characters; expected at most 1,000"):
        Campaign.create(
            tmp_path / "campaign",
            collection=small_collection.directory,
            topics=[Topic(long)],
            pool=Pool({long: (PooledDocument("waves"),)}),
        )


def test_an_existing_directory_is_not_overwritten(campaign: Campaign) -> None:
    collection = campaign.collection.directory
    with pytest.raises(CampaignError, match="exists already"):
        Campaign.create(campaign.directory, collection=collection, topics=TOPICS, pool=POOL)


def test_one_database_holds_one_campaign(campaign: Campaign, tmp_path: Path) -> None:
    if campaign.facts.database is not None:
        with pytest.raises(CampaignError, match="has tables already"):
            make_campaign(tmp_path / "other", campaign.facts.database)
        assert not (tmp_path / "other" / "campaign").exists()


def test_topics_and_settings_come_back(new_campaign: Maker) -> None:
    campaign = new_campaign(mode="2005", snap="words", show_pooled=True, display={"sec": "block"})
    with Campaign.open(campaign.directory) as again:
        assert [one.topic for one in again.topics()] == list(TOPICS)
        assert again.settings == campaign.settings
        assert (again.mode, again.settings.snap, again.settings.show_pooled) == (
            "2005",
            "words",
            True,
        )


def test_what_is_no_campaign_is_said(tmp_path: Path, small_collection: Collection) -> None:
    with pytest.raises(CampaignError, match="is not a campaign"):
        Campaign.open(tmp_path)
    with make_campaign(tmp_path, collection=small_collection) as campaign:
        place = campaign.directory
    facts = (place / "campaign.json").read_text()
    for damaged in ("{", "[]", '{"a": 1}', facts.replace('"format": 1', '"format": 99')):
        (place / "campaign.json").write_text(damaged)
        with pytest.raises(CampaignError):
            Campaign.open(place)
    (place / "campaign.json").write_text(facts)
    (place / "campaign.db").write_bytes(b"no database " * 1000)
    with pytest.raises(CampaignError, match="not a database"):
        Campaign.open(place)
    (place / "campaign.db").unlink()
    with pytest.raises(CampaignError, match=r"campaign\.db is missing"):
        Campaign.open(place)
    assert not (place / "campaign.db").exists()


def test_a_collection_may_move(campaign: Campaign, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(campaign.collection.directory, moved)
    facts = json.loads((campaign.directory / "campaign.json").read_text())
    facts["collection"] = str(tmp_path / "gone")
    (campaign.directory / "campaign.json").write_text(json.dumps(facts))
    with Campaign.open(campaign.directory, collection=moved) as again:
        assert again.collection.directory == moved
        assert again.notices
    with Campaign.open(campaign.directory) as again:
        assert again.collection.directory == moved
        assert again.notices == ()


def test_a_rebuilt_collection_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    other = make_collection(tmp_path / "other", {"tides": "<p>Other.</p>"})
    with pytest.raises(CampaignError, match="doxeval assess rebase"):
        Campaign.open(campaign.directory, collection=other.directory)
    with pytest.raises((CampaignError, CollectionError)):
        Campaign.open(campaign.directory, collection=tmp_path / "nowhere")


def test_a_second_server_is_refused(campaign: Campaign) -> None:
    script = (
        "import sys; from doxeval.assess.db import Campaign, CampaignError\n"
        "with Campaign.open(sys.argv[1]) as campaign:\n"
        "    try:\n"
        "        with campaign.serving(): print('served')\n"
        "    except CampaignError as error: print(error)\n"
    )
    command = [sys.executable, "-c", script, str(campaign.directory)]

    def other() -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    with campaign.serving():
        assert "a server is running" in other()
        assert f"process {os.getpid()}" in other()
    assert other() == "served\n"


def test_another_process_may_write_at_the_same_time(campaign: Campaign) -> None:
    """The command line adds users while the server runs."""
    script = (
        "import sys; from doxeval.assess.db import Campaign\n"
        "with Campaign.open(sys.argv[1]) as campaign:\n"
        "    for number in range(5): campaign.assign('7', 'organiser'); "
        "campaign.unassign('7', 'organiser'); campaign.set_keywords('7', campaign.user('bob'), "
        "[str(number)])\n"
    )
    ann, article = campaign.user("ann"), campaign.article("waves")
    with campaign.serving():
        started = subprocess.Popen([sys.executable, "-c", script, str(campaign.directory)])
        version = 0
        while started.poll() is None and version < 5000:
            sent = operation("undo", version)
            if version % 2 == 0:
                sent = highlight(article, 0, 5, version)
            done = campaign.submit("7", "waves", ann.id, ann, [sent])
            assert done.failure is None
            version = done.stored.version
        assert started.wait(60) == 0
    assert campaign.keywords("7", campaign.user("bob")) == ["4"]
    assert campaign.verify() == []
