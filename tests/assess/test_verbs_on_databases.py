"""A campaign from the command line, on every database that there is, and moved between them."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from campaigns_by_hand import HIGH, LOW, judge, make_campaign, make_sources
from conftest import doxeval


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
