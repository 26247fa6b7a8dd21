"""The verbs of `doxeval assess` that make and run a campaign, by hand, right and wrong."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from pathlib import Path

import pytest

from campaigns_by_hand import (
    HIGH,
    LOW,
    Sources,
    init_words,
    judge,
    signed_in,
    with_stdin,
)
from doxeval.assess.db import Campaign
from doxeval.pooling import pool_runs, write_pool
from helpers import doxeval, write_files

PASSWORD = re.compile(r"^password of (\w+): (\S+)$", re.MULTILINE)


# init


def test_init_makes_a_campaign_and_prints_a_password_once(sources: Sources, tmp_path: Path) -> None:
    directory = tmp_path / "new" / "campaign"
    done = doxeval(*init_words(directory, sources))
    assert done.exit_code == 0, done.stderr
    assert f"{directory}: 4 documents for 2 topics, by highlights and a best entry" in done.stdout
    (name, password), *others = PASSWORD.findall(done.stdout)
    assert (name, others) == ("admin", [])
    assert len(password) >= 12
    assert signed_in(directory, "admin", password)
    assert stat.S_IMODE((directory / "campaign.json").stat().st_mode) == 0o600
    for file in directory.rglob("*"):
        assert not file.is_file() or password.encode() not in file.read_bytes(), file


def test_init_takes_a_password_from_stdin(sources: Sources, tmp_path: Path) -> None:
    words = (*init_words(tmp_path / "c", sources), "--admin", "olga", "--password-stdin")
    done = with_stdin("correct horse battery\n", *words)
    assert done.exit_code == 0, done.stderr
    assert "correct horse" not in done.output
    assert signed_in(tmp_path / "c", "olga", "correct horse battery")


def test_init_asks_for_a_password(sources: Sources, tmp_path: Path) -> None:
    words = (*init_words(tmp_path / "c", sources), "--password-prompt")
    done = with_stdin("correct horse battery\ncorrect horse battery\n", *words)
    assert done.exit_code == 0, done.stderr
    assert "correct horse" not in done.output
    assert signed_in(tmp_path / "c", "admin", "correct horse battery")


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("", ["--password-stdin"], "there is no password on stdin"),
        ("\n", ["--password-stdin"], "there is no password on stdin"),
        (b"\xff\xfe\xfd\n", ["--password-stdin"], "the password is not UTF-8"),
        ("x\n", ["--password-stdin", "--password-prompt"], "exclude each other"),
    ],
)
def test_wrong_ways_to_give_a_password(
    sources: Sources, tmp_path: Path, given: str | bytes, options: list[str], message: str
) -> None:
    done = with_stdin(given, *init_words(tmp_path / "c", sources), *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "c").exists()


def test_a_short_password_is_refused_and_nothing_is_made(sources: Sources, tmp_path: Path) -> None:
    done = with_stdin("x\n", *init_words(tmp_path / "c", sources), "--password-stdin")
    assert done.exit_code == 1
    assert "password" in done.stderr
    assert not (tmp_path / "c").exists()


def test_settings_are_kept(sources: Sources, tmp_path: Path) -> None:
    write_files(tmp_path, {"display.json": '{"sec": "heading"}'})
    options = ("--mode", "2005", "--order", "random", "--seed", 3, "--show-pooled")
    shown = ("--snap", "words", "--display", tmp_path / "display.json")
    assert doxeval(*init_words(tmp_path / "c", sources), *options, *shown).exit_code == 0
    with Campaign.open(tmp_path / "c") as campaign:
        found = campaign.settings
    assert (found.mode, found.order, found.seed, found.show_pooled) == ("2005", "random", 3, True)
    assert (found.snap, dict(found.display)) == ("words", {"sec": "heading"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"collection": "nowhere"}, "nowhere"),
        ({"topics": "nowhere.jsonl"}, "nowhere.jsonl"),
        ({"pool": "nowhere.jsonl"}, "nowhere.jsonl"),
        ({"pool": "foreign.jsonl"}, "the pool is of another collection"),
        ({"topics": "other.jsonl"}, "the pool has none of the topics"),
        ({"topics": "twice.jsonl"}, "topic '7' is given twice"),
        ({"pool": "garbage.jsonl"}, "garbage.jsonl"),
    ],
)
def test_wrong_sources_of_a_campaign(
    sources: Sources, tmp_path: Path, change: dict[str, str], message: str
) -> None:
    pool = sources.pool.read_text()
    write_files(
        tmp_path,
        {
            "foreign.jsonl": pool.replace('"whales"', '"dragons"'),
            "garbage.jsonl": b"\x00\xff{",
            "other.jsonl": '{"id": "9", "title": "x"}\n',
            "twice.jsonl": '{"id": "7", "title": "x"}\n{"id": "7", "title": "y"}\n',
        },
    )
    changed = sources._replace(**{name: tmp_path / file for name, file in change.items()})
    done = doxeval(*init_words(tmp_path / "c", changed))
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("display", ["{", "[]", '{"sec": 3}', '{"sec": "large"}', "\x00"])
def test_a_wrong_display(sources: Sources, tmp_path: Path, display: str) -> None:
    write_files(tmp_path, {"display.json": display})
    words = init_words(tmp_path / "c", sources)
    done = doxeval(*words, "--display", tmp_path / "display.json")
    assert done.exit_code == 1
    assert "heading" in done.stderr
    assert not (tmp_path / "c").exists()


def test_a_directory_that_is_not_empty_is_refused(sources: Sources, tmp_path: Path) -> None:
    write_files(tmp_path / "c", {"thesis.txt": "years of work"})
    done = doxeval(*init_words(tmp_path / "c", sources))
    assert done.exit_code == 1
    assert "exists" in done.stderr
    assert (tmp_path / "c" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("url", ["mysql://x/y", "nonsense", "postgresql://127.0.0.1:1/none"])
def test_databases_that_cannot_be_used(sources: Sources, tmp_path: Path, url: str) -> None:
    done = doxeval(*init_words(tmp_path / "c", sources), "--database", url)
    assert (done.exit_code, done.stdout) == (1, "")
    assert not (tmp_path / "c").exists()


def test_a_password_of_a_database_is_not_printed(sources: Sources, tmp_path: Path) -> None:
    url = "postgresql://me:s3cret-words@127.0.0.1:1/none"
    done = doxeval(*init_words(tmp_path / "c", sources), "--database", url)
    assert done.exit_code == 1
    assert "s3cret" not in done.output


def test_missing_parts_are_named(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "argon2" else found(name)
    )
    for words in (("status", campaign), ("demo", "--out", campaign.parent / "d")):
        done = doxeval("assess", *words)
        assert done.exit_code == 1
        assert (
            "needs parts that are not installed (argon2): pip install 'doxeval[assess]'"
            in done.stderr
        )


# People


def test_adding_a_user_prints_a_password_that_works(campaign: Path) -> None:
    done = doxeval("assess", "user", "add", campaign, "carl", "--role", "organiser")
    assert done.exit_code == 0, done.stderr
    ((name, password),) = PASSWORD.findall(done.stdout)
    assert name == "carl"
    assert signed_in(campaign, "carl", password)
    assert not signed_in(campaign, "carl", password + "x")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ann", "there is already a user ann"),
        ("", "cannot be the name of a user"),
        ("a\x1b[2J", "cannot be the name of a user"),
        ("majority", "means something else"),
        ("x" * 1000, "cannot be the name of a user"),
    ],
)
def test_names_that_nobody_can_have(campaign: Path, name: str, message: str) -> None:
    done = doxeval("assess", "user", "add", campaign, name)
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr


def test_a_new_password_replaces_the_old_one(campaign: Path) -> None:
    with Campaign.open(campaign) as opened:
        token = opened.open_session(opened.user("ann"))
    first = PASSWORD.findall(doxeval("assess", "user", "password", campaign, "ann").stdout)
    second = PASSWORD.findall(doxeval("assess", "user", "password", campaign, "ann").stdout)
    assert not signed_in(campaign, "ann", first[0][1])
    assert signed_in(campaign, "ann", second[0][1])
    with Campaign.open(campaign) as opened:
        assert opened.session(token) is None
    given = with_stdin(
        "correct horse battery\n",
        *("assess", "user", "password", campaign, "ann", "--password-stdin"),
    )
    assert (given.exit_code, PASSWORD.findall(given.stdout)) == (0, [])
    assert signed_in(campaign, "ann", "correct horse battery")


def test_a_user_can_be_locked_out_and_let_in(campaign: Path) -> None:
    ((_, password),) = PASSWORD.findall(
        doxeval("assess", "user", "password", campaign, "ann").stdout
    )
    done = doxeval("assess", "user", "disable", campaign, "ann")
    assert (done.exit_code, done.stdout) == (0, "ann can no longer sign in\n")
    assert not signed_in(campaign, "ann", password)
    done = doxeval("assess", "user", "enable", campaign, "ann")
    assert (done.exit_code, done.stdout) == (0, "ann can sign in again\n")
    assert signed_in(campaign, "ann", password)


@pytest.mark.parametrize("verb", ["password", "disable", "enable"])
def test_unknown_users(campaign: Path, verb: str) -> None:
    done = doxeval("assess", "user", verb, campaign, "anna")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "there is no user 'anna'; did you mean ann?" in done.stderr


def test_users_are_listed(campaign: Path) -> None:
    doxeval("assess", "user", "disable", campaign, "bob")
    doxeval("assess", "assign", campaign, "8", "bob", "--adjudicate")
    rows = json.loads(doxeval("assess", "user", "list", campaign, "--format", "json").stdout)
    assert [(row["name"], row["role"], row["active"]) for row in rows] == [
        ("admin", "admin", True),
        ("ann", "assessor", True),
        ("bob", "assessor", False),
    ]
    assert [(row["assess"], row["adjudicate"]) for row in rows] == [
        ([], []),
        (["7", "8"], []),
        (["7"], ["8"]),
    ]
    table = doxeval("assess", "user", "list", campaign).stdout.splitlines()
    assert table[0].split() == ["name", "role", "pseudonym", "active", "assesses", "adjudicates"]
    assert [line.split()[0] for line in table[1:]] == ["admin", "ann", "bob"]


def test_topics_are_assigned_and_taken_away(campaign: Path) -> None:
    done = doxeval("assess", "unassign", campaign, "7", "8", "ann")
    assert (done.exit_code, done.stdout) == (0, "ann no longer assesses 2 topics: 7, 8\n")
    done = doxeval("assess", "assign", campaign, "--all-topics", "ann", "--adjudicate")
    assert (done.exit_code, done.stdout) == (0, "ann now adjudicates 2 topics: 7, 8\n")
    with Campaign.open(campaign) as opened:
        found = {(one.topic, one.part) for one in opened.assignments() if one.user == "ann"}
    assert found == {("7", "adjudicate"), ("8", "adjudicate")}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("7", "99", "bob"), 1, "no topic '99' in the campaign; there are 7, 8"),
        (("8", "bobby"), 1, "there is no user 'bobby'; did you mean bob?"),
        (("bob",), 2, "give one or more topics, or --all-topics"),
        (("8", "bob", "--all-topics"), 2, "give one or more topics, or --all-topics"),
    ],
)
def test_wrong_assignments_change_nothing(
    campaign: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    with Campaign.open(campaign) as opened:
        before = opened.assignments()
    done = doxeval("assess", "assign", campaign, *words)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
    with Campaign.open(campaign) as opened:
        assert opened.assignments() == before


# Progress, topics and pools


def test_status_tells_how_far_everybody_is(campaign: Path) -> None:
    judge(campaign, "ann", "7", "tides", [LOW, HIGH], 0)
    judge(campaign, "ann", "7", "ships", [])
    judge(campaign, "bob", "7", "tides", [LOW], validate=False)
    doxeval("assess", "close", campaign, "8")
    data = json.loads(doxeval("assess", "status", campaign, "--format", "json").stdout)
    assert data["mode"] == "2006"
    assert [topic["closed"] is not None for topic in data["topics"]] == [False, True]
    counts = {
        (one["topic"], one["user"]): (one["done"], one["total"], one["relevant"])
        for one in data["progress"]
    }
    assert counts == {("7", "ann"): (2, 2, 1), ("7", "bob"): (0, 2, 0), ("8", "ann"): (0, 2, 0)}
    table = doxeval("assess", "status", campaign).stdout
    assert re.search(r"^7 +ann +assess +2/2 +1 +0 +0:00 +open$", table, re.MULTILINE), table
    assert re.search(r"^8 +ann +assess +0/2 +0 +0 +0:00 +closed$", table, re.MULTILINE), table


def test_closed_topics_are_closed_until_they_are_reopened(campaign: Path) -> None:
    done = doxeval("assess", "close", campaign, "7")
    assert (done.exit_code, done.stdout) == (0, "closed 7\n")
    with pytest.raises(AssertionError, match="closed"):
        judge(campaign, "ann", "7", "ships", [])
    done = doxeval("assess", "reopen", campaign, "7")
    assert (done.exit_code, done.stdout) == (0, "reopened 7\n")
    judge(campaign, "ann", "7", "ships", [])
    assert doxeval("assess", "close", campaign, "77").exit_code == 1
    assert doxeval("assess", "close", campaign).exit_code == 2


def test_a_new_pool_keeps_what_was_judged(campaign: Path, sources: Sources, tmp_path: Path) -> None:
    judge(campaign, "ann", "7", "ships", [])
    found = ("7 Q0 tides 1 3", "7 Q0 whales 2 2", "8 Q0 tides 1 1")
    run = "".join(f"{one} new /article[1]\n" for one in found)
    write_files(tmp_path, {"new.run": run})
    pool = tmp_path / "new.jsonl"
    write_pool(pool_runs([tmp_path / "new.run"], depth=5), pool)
    done = doxeval("assess", "pool", campaign, pool)
    assert done.exit_code == 0, done.stderr
    assert "2 documents added" in done.stdout
    with Campaign.open(campaign) as opened:
        ann = opened.user("ann")
        assert {one.document for one in opened.queue("7", ann.id)} == {"tides", "whales", "ships"}
    wrong = doxeval("assess", "pool", campaign, sources.topics)
    assert wrong.exit_code == 1
    assert str(sources.topics) in wrong.stderr


# Damage


@pytest.mark.parametrize(
    ("file", "contents"),
    [
        ("campaign.json", b""),
        ("campaign.json", b"{"),
        ("campaign.json", b"[1, 2]"),
        ("campaign.json", b'{"format": 99, "collection": "", "seal": ""}'),
        ("campaign.json", b'{"collection": 3, "seal": [], "database": {}}'),
        ("campaign.json", b'{"collection": "\\ud800", "seal": "x"}'),
        ("campaign.db", b""),
        ("campaign.db", b"garbage, and no database" * 100),
    ],
)
@pytest.mark.parametrize("verb", ["status", "verify", "user list"])
def test_damaged_campaigns(campaign: Path, file: str, contents: bytes, verb: str) -> None:
    for extra in campaign.glob("campaign.db-*"):
        extra.unlink()
    (campaign / file).write_bytes(contents)
    done = doxeval("assess", *verb.split(), campaign)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_what_is_no_campaign(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    for verb in ("status", "serve", "verify"):
        done = doxeval("assess", verb, tmp_path / name)
        assert (done.exit_code, done.stdout) == (1, "")
        assert name in done.stderr


def test_a_database_that_someone_changed_by_hand_is_noticed(campaign: Path) -> None:
    judge(campaign, "ann", "7", "tides", [LOW], 0)
    done = doxeval("assess", "verify", campaign)
    assert (done.exit_code, done.stdout) == (0, "3 operations replayed, 0 problems\n")
    with sqlite3.connect(campaign / "campaign.db") as database:
        (state,) = database.execute("SELECT state FROM judgments").fetchone()
        forged = json.loads(state)
        forged["highlights"] = [[0, 3]]
        database.execute("UPDATE judgments SET state = ?", [json.dumps(forged)])
    database.close()
    done = doxeval("assess", "verify", campaign)
    assert done.exit_code == 1
    assert "tides" in done.stderr


def test_a_collection_that_was_moved_is_found_again(
    moveable: tuple[Path, Path], tmp_path: Path
) -> None:
    directory, collection = moveable
    moved = collection.rename(tmp_path / "moved")
    done = doxeval("assess", "status", directory)
    assert done.exit_code == 1
    assert "say where it is with --collection" in done.stderr
    done = doxeval("assess", "user", "list", directory, "--collection", moved)
    assert done.exit_code == 0, done.stderr
    assert doxeval("assess", "status", directory).exit_code == 0


def test_backups_are_whole_campaigns(campaign: Path, tmp_path: Path) -> None:
    judge(campaign, "ann", "7", "tides", [LOW], 0)
    out = tmp_path / "backup.jsonl.gz"
    done = doxeval("assess", "backup", campaign, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert out.stat().st_size > 0
    assert stat.S_IMODE(out.stat().st_mode) & 0o077 == 0
    again = doxeval("assess", "backup", campaign, "--out", out)
    assert again.exit_code == 1
    assert "--force replaces it" in again.stderr
    assert doxeval("assess", "backup", campaign, "--out", out, "--force").exit_code == 0
    judge(campaign, "ann", "7", "ships", [])
    again = doxeval("assess", "restore", out, tmp_path / "restored")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == f"{tmp_path / 'restored'}: 2 topics, 3 users\n"
    done = doxeval("assess", "verify", tmp_path / "restored")
    assert (done.exit_code, done.stdout) == (0, "3 operations replayed, 0 problems\n")
    assert doxeval("assess", "restore", out, campaign).exit_code == 1


def test_wrong_backups_are_refused(campaign: Path, tmp_path: Path) -> None:
    out, new = tmp_path / "backup.jsonl", tmp_path / "restored"
    assert doxeval("assess", "backup", campaign, "--out", out).exit_code == 0
    whole = out.read_bytes()
    for wrong in (b"", b"{}", b"nonsense", whole[:-100], whole.replace(b"ann", b"amy"), b"\x00"):
        out.write_bytes(wrong)
        done = doxeval("assess", "restore", out, new)
        assert (done.exit_code, done.stdout) == (1, ""), wrong[:50]
        assert str(out) in done.stderr
        assert not new.exists()
    assert doxeval("assess", "restore", tmp_path / "nowhere", new).exit_code == 1


def test_a_password_that_nobody_types_is_wrong_usage(campaign: Path) -> None:
    done = with_stdin("", "assess", "user", "add", campaign, "carl", "--password-prompt")
    assert done.exit_code == 2
    assert "--password-prompt: nobody answered" in done.stderr
