"""A campaign from the command line, on every database that there is, and moved between them."""

from __future__ import annotations

import re
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from assess_client import browser
from campaigns_by_hand import HIGH, LOW, Sources, judge, make_campaign, make_sources
from doxeval.assess.db import Campaign, CampaignError, Damaged
from helpers import doxeval


def called(*words: object) -> str:
    done = doxeval("assess", *words)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_a_campaign_on_a_database(database: str | None, tmp_path: Path) -> None:
    sources = make_sources(tmp_path / "sources")
    options = () if database is None else ("--database", database)
    campaign = make_campaign(tmp_path / "campaign", sources, *options)
    assert (campaign / "campaign.db").exists() == (database is None)
    assert stat.S_IMODE((campaign / "campaign.json").stat().st_mode) == 0o600
    judge(campaign, "ann", "7", "tides", [LOW], 0)
    judge(campaign, "ann", "7", "ships", [])
    judge(campaign, "bob", "7", "tides", [LOW, HIGH], 0)
    assert re.search("^7 +ann +assess +2/2 ", called("status", campaign), re.MULTILINE)
    assert called("adjudicate", campaign, "--by", "union").startswith("2 judgments adjudicated")
    assert called("verify", campaign).endswith(", 0 problems\n")
    exported = tmp_path / "qrels.jsonl"
    called("export", campaign, "--format", "jsonl", "--out", exported)
    backup, moved = tmp_path / "backup.jsonl", tmp_path / "moved"
    called("backup", campaign, "--out", backup)
    called("restore", backup, moved)
    assert (moved / "campaign.db").exists()
    assert called("verify", moved) == called("verify", campaign)
    again = tmp_path / "again.jsonl"
    called("export", moved, "--format", "jsonl", "--out", again)
    assert again.read_bytes() == exported.read_bytes()
    if database is not None:
        taken = doxeval("assess", "restore", backup, tmp_path / "other", "--database", database)
        assert taken.exit_code == 1
        assert "choose an empty one" in taken.stderr
        assert not (tmp_path / "other").exists()


# Damaged databases


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    return make_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, sources: Sources) -> Path:
    directory = make_campaign(tmp_path_factory.mktemp("sound") / "campaign", sources)
    judge(directory, "ann", "7", "tides", [LOW], 0)
    with Campaign.open(directory) as campaign:
        campaign.set_keywords("7", campaign.user("ann"), ["tide"])
    return directory


@pytest.fixture
def campaign(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "campaign"))


def done_by_every_verb(campaign: Path, sources: Sources, folder: Path) -> Iterator[Result]:
    """What the verbs that open a campaign say; an error that nobody expected fails the test."""
    for words in (
        ("status",),
        ("user", "list"),
        ("user", "add", "cem"),
        ("verify",),
        ("agreement",),
        ("adjudicate", "--by", "union"),
        ("export", "--format", "jsonl", "--out", folder / "q.jsonl"),
        ("export", "--format", "log", "--out", folder / "log.jsonl"),
        ("backup", "--out", folder / "backup.jsonl"),
        ("pool", sources.pool),
        ("close", "7"),
        ("unassign", "7", "bob"),
        ("rebase", "--collection", sources.collection),
    ):
        verbs = 2 if words[0] == "user" else 1
        yield doxeval("assess", *words[:verbs], campaign, *words[verbs:])


def change_bytes(path: Path, start: int, new: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[start : start + len(new)] = new
    path.write_bytes(data)


FILES: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"a shopping list\n" * 500),
    "first page": lambda path: change_bytes(path, 16, bytes(range(256)) * 4),
    "pages": lambda path: change_bytes(path, 4096, b"\xff" * 40960),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:5000]),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_database_is_a_clear_error_of_every_verb(
    campaign: Path, sources: Sources, tmp_path: Path, kind: str
) -> None:
    file = campaign / "campaign.db"
    FILES[kind](file)
    for done in done_by_every_verb(campaign, sources, tmp_path):
        assert done.exit_code == 1, done.output
        assert f"{file}: the database is damaged: " in done.stderr
        assert "restore a backup" in done.stderr


@pytest.mark.parametrize("value", ["'{'", "'{\"a\": 1}'", "x'ff00'"])
@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("settings", "value"),
        ("users", "name"),
        ("topics", "fields"),
        ("pool_documents", "elements"),
        ("judgments", "state"),
        ("judgments", "version"),
        ("operations", "operation"),
        ("articles", "packed"),
        ("alembic_version", "version_num"),
    ],
)
def test_a_damaged_value_is_a_clear_error(
    campaign: Path, sources: Sources, tmp_path: Path, table: str, column: str, value: str
) -> None:
    with closing(sqlite3.connect(campaign / "campaign.db", isolation_level=None)) as database:
        database.execute(f"UPDATE OR IGNORE {table} SET {column} = {value}")
    codes = [done.exit_code for done in done_by_every_verb(campaign, sources, tmp_path)]
    assert set(codes) <= {0, 1}


@pytest.mark.parametrize("table", ["settings", "users", "topics", "judgments", "operations"])
@pytest.mark.parametrize("statement", ["DROP TABLE", "DELETE FROM"])
def test_a_table_that_is_gone_is_a_clear_error(
    campaign: Path, sources: Sources, tmp_path: Path, table: str, statement: str
) -> None:
    with closing(sqlite3.connect(campaign / "campaign.db", isolation_level=None)) as database:
        database.execute(f"{statement} {table}")
    codes = [done.exit_code for done in done_by_every_verb(campaign, sources, tmp_path)]
    assert set(codes) <= {0, 1}
    assert 1 in codes


def test_what_is_no_database_of_a_campaign_is_named(campaign: Path) -> None:
    file = campaign / "campaign.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CampaignError, match=rf"{re.escape(str(file))}: .* newer doxeval .*9999"):
        Campaign.open(campaign)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("INSERT INTO alembic_version VALUES ('0001')")
    with pytest.raises(Damaged, match="its one revision"):
        Campaign.open(campaign)
    file.write_bytes(b"")
    with pytest.raises(CampaignError, match=rf"{re.escape(str(file))}: .* holds no campaign"):
        Campaign.open(campaign)
    file.unlink()
    file.mkdir()
    assert doxeval("assess", "status", campaign).exit_code == 1


def test_text_that_is_no_utf_8_is_a_clear_error(campaign: Path) -> None:
    with closing(sqlite3.connect(campaign / "campaign.db", isolation_level=None)) as database:
        database.execute("UPDATE users SET role = CAST(x'ff' AS TEXT)")
    done = doxeval("assess", "user", "list", campaign)
    assert (done.exit_code, "the database is damaged" in done.stderr) == (1, True)


def test_a_database_that_is_damaged_while_it_is_served(campaign: Path) -> None:
    with Campaign.open(campaign) as opened:
        client = browser(opened, "ann")
        with closing(sqlite3.connect(campaign / "campaign.db", isolation_level=None)) as database:
            database.execute("UPDATE judgments SET state = '{'")
        answer = client.get("/api/article?topic=7&doc=tides")
        assert (answer.status_code, answer.json()["code"]) == (503, "storage")
        assert "damaged" in answer.json()["error"] and str(campaign) not in answer.text
