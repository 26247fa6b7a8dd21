"""People in a list, invitations, and documents spread over assessors, by hand, right and wrong."""

from __future__ import annotations

import csv
import json
import re
import stat
from pathlib import Path

import pytest

from campaigns_by_hand import LOW, Sources, init_words, judge, signed_in
from doxeval.assess.db import Campaign, NoInvitation
from doxeval.documents import Collection
from helpers import doxeval, write_files

LINK = re.compile(r"^invitation of (\w+): (\S+)\?token=(\S+)$", re.MULTILINE)
PEOPLE = "Name;Role;E-Mail\ncarl;;carl@x.org\ndora;organiser;d@x.org\n"


def names(directory: Path) -> list[str]:
    with Campaign.open(directory) as campaign:
        return [user.name for user in campaign.users()]


def test_a_list_of_people_becomes_accounts(campaign: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"people.csv": PEOPLE})
    out = tmp_path / "passwords.csv"
    done = doxeval("assess", "users", "import", campaign, tmp_path / "people.csv", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert "1 assessor, 1 organiser added" in done.stdout
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [list(row)[:3] for row in rows] == [["name", "role", "e-mail"]] * 2
    assert [row["e-mail"] for row in rows] == ["carl@x.org", "d@x.org"]
    for row in rows:
        assert row["password"] not in done.output
        assert signed_in(campaign, row["name"], row["password"])
    for file in campaign.rglob("*"):
        assert not file.is_file() or b"x.org" not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,role\neve,boss\n", "people.csv:2: no role 'boss'"),
        ("name\neve\n\nann\n", "people.csv:4: there is already a user ann"),
        ("name\neve\nEVE\n", "people.csv:3: 'EVE' is on line 2, too"),
        ("user\neve\n", "people.csv:1: expected a column 'name'; the columns are user"),
        ("name,role\neve\n", "people.csv:2: 1 field: expected 2"),
        ("name\n", "people.csv: there is nobody in the list"),
        ("", "people.csv: there is nobody in the list"),
        ("name,name\n", "people.csv:1: there are two columns 'name'"),
        ("name\neve\nann\nbob\n", "people.csv:4: there is already a user bob"),
        ('name\n"eve\n', "people.csv:2: "),
    ],
)
def test_a_list_with_an_error_adds_nobody(
    campaign: Path, tmp_path: Path, text: str, message: str
) -> None:
    write_files(tmp_path, {"people.csv": text})
    before = names(campaign)
    done = doxeval("assess", "user", "import", campaign, tmp_path / "people.csv")
    assert done.exit_code == 1
    assert message in done.stderr
    assert names(campaign) == before


def test_nobody_is_added_if_the_passwords_cannot_be_written(campaign: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"people.csv": PEOPLE, "file": ""})
    before = names(campaign)
    words = ("assess", "user", "import", campaign, tmp_path / "people.csv")
    for out in (tmp_path / "file" / "out.csv", tmp_path, tmp_path / "file"):
        done = doxeval(*words, "--out", out)
        assert done.exit_code == 1, done.stderr
        assert names(campaign) == before


def test_links_work_once_until_they_are_withdrawn(campaign: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"people.csv": PEOPLE})
    done = doxeval("assess", "user", "import", campaign, tmp_path / "people.csv", "--invite")
    links = {name: token for name, address, token in LINK.findall(done.stdout)}
    assert set(links) == {"carl", "dora"}
    assert not signed_in(campaign, "carl", "") and not signed_in(campaign, "carl", "password")
    listed = json.loads(doxeval("assess", "user", "list", campaign, "--format", "json").stdout)
    assert [row["name"] for row in listed if "invited_until" in row] == ["carl", "dora"]
    done = doxeval("assess", "user", "invite", campaign, "dora", "--url", "https://a.example/")
    ((name, address, token),) = LINK.findall(done.stdout)
    assert (name, address) == ("dora", "https://a.example/invitation")
    withdrawn = doxeval("assess", "user", "invite", campaign, "carl", "--withdraw")
    assert withdrawn.exit_code == 0
    with Campaign.open(campaign) as opened:
        for old in links.values():
            with pytest.raises(NoInvitation):
                opened.accept_invitation(old, "a new password")
        assert opened.accept_invitation(token, "a new password").name == "dora"
        with pytest.raises(NoInvitation):
            opened.accept_invitation(token, "a new password")
    assert signed_in(campaign, "dora", "a new password")


@pytest.mark.parametrize(
    "words",
    [
        ("assign", "--twice", ".2", "7", "ann"),
        ("assign", "--balance", "--adjudicate"),
        ("assign", "--balance", "--all-topics"),
        ("assign", "--balance", "--twice", "2"),
        ("assign",),
        ("assign", "ann"),
        ("user", "invite", "ann", "--withdraw", "--days", "3"),
        ("user", "invite", "ann", "--days", "91"),
        ("user", "import", "people.csv", "--days", "3"),
        ("user", "import", "people.csv", "--force"),
    ],
)
def test_options_without_effect_are_refused(campaign: Path, words: tuple[str, ...]) -> None:
    at = 2 if words[0] == "user" else 1
    done = doxeval("assess", *words[:at], campaign, *words[at:])
    assert done.exit_code == 2, done.output


def test_documents_are_spread(campaign: Path) -> None:
    for topic, name in (("7", "ann"), ("8", "ann"), ("7", "bob")):
        assert doxeval("assess", "unassign", campaign, topic, name).exit_code == 0
    status = doxeval("assess", "status", campaign)
    trial = doxeval("assess", "assign", campaign, "--balance", "--dry-run")
    assert "nothing was changed" in trial.stdout
    assert doxeval("assess", "status", campaign).stdout == status.stdout
    done = doxeval("assess", "assign", campaign, "--balance")
    assert done.stdout.splitlines() == trial.stdout.splitlines()[:-1]
    assert done.stdout.endswith("\n4 documents\n")
    data = json.loads(doxeval("assess", "status", campaign, "--format", "json").stdout)
    totals = [sum(r["total"] for r in data["progress"] if r["user"] == n) for n in ("ann", "bob")]
    assert totals == [2, 2]
    assert data["given_to_nobody"] == {}


def test_the_collection_is_opened_once_for_each_command(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = Collection.__init__

    def counted(self: Collection, *args: object, **settings: object) -> None:
        opened.append(str(args))
        real(self, *args, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(Collection, "__init__", counted)

    def openings(*words: object) -> int:
        opened.clear()
        done = doxeval(*words)
        assert done.exit_code == 0, done.stderr
        return len(opened)

    directory = tmp_path / "c"
    write_files(tmp_path, {"people.csv": "name\n" + "".join(f"p{n}\n" for n in range(5))})
    assert openings(*init_words(directory, sources)) == 1
    verbs: list[tuple[object, ...]] = [
        ("user", "import", directory, tmp_path / "people.csv"),
        ("user", "invite", directory, "p1", "p2"),
        ("user", "list", directory),
        ("assign", directory, "--balance", "--per-document", 2),
        ("status", directory),
    ]
    for words in verbs:
        assert openings("assess", *words) == 1, words
    for name in ("p0", "p1", "p2", "p3", "p4"):
        with Campaign.open(directory) as campaign:
            user = campaign.user(name)
            has = any(entry.document == "tides" for entry in campaign.queue("7", user.id))
            has = has and "7" in {one.topic for one in campaign.progress(user)}
        if has:
            judge(directory, name, "7", "tides", [LOW], 0)
    qrels, backup = tmp_path / "qrels.jsonl", tmp_path / "backup.jsonl"
    for words in (
        ("agreement", directory),
        ("adjudicate", directory, "--by", "union"),
        ("export", directory, "--format", "jsonl", "--out", qrels),
        ("import", directory, qrels, "--assessor", "admin"),
        ("honeypots", directory, qrels),
        ("pool", directory, sources.pool),
        ("close", directory, "8"),
        ("verify", directory),
        ("backup", directory, "--out", backup),
        ("restore", backup, tmp_path / "again"),
    ):
        assert openings("assess", *words) == 1, words
