"""`doxeval assess export`, `import`, `agreement`, `adjudicate`, `honeypots` and `rebase`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from campaigns_by_hand import AT_SHIPS, DOCUMENTS, HIGH, LOW, judge
from doxeval.assess.db import Campaign
from doxeval.assessments import read_assessments
from helpers import doxeval, write_files


@pytest.fixture(scope="module")
def judged_campaign(tmp_path_factory: pytest.TempPathFactory, new_campaign: Path) -> Path:
    """Ann has done topic 7; Bob disagrees about one of its documents, and left another open."""
    directory = tmp_path_factory.mktemp("judged") / "campaign"
    shutil.copytree(new_campaign, directory)
    judge(directory, "ann", "7", "tides", [LOW], 0)
    judge(directory, "ann", "7", "ships", [AT_SHIPS], 0)
    judge(directory, "bob", "7", "tides", [LOW, HIGH], 0)
    judge(directory, "bob", "7", "ships", [AT_SHIPS], validate=False)
    return directory


@pytest.fixture
def campaign(judged_campaign: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(judged_campaign, tmp_path / "campaign"))


def exported(campaign: Path, out: Path, *options: object) -> bytes:
    done = doxeval("assess", "export", campaign, "--out", out, *options)
    assert done.exit_code == 0, done.stderr
    return out.read_bytes()


def test_whose_judgments_must_be_said_if_assessors_differ(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "qrels.jsonl"
    done = doxeval("assess", "export", campaign, "--format", "jsonl", "--out", out)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "assessors differ about 1 document" in done.stderr
    assert "--judgments" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("whose", "highlights"),
    [("ann", (LOW,)), ("bob", ((0, 18),)), ("union", ((0, 18),))],
)
def test_whose_judgments_are_exported(
    campaign: Path, tmp_path: Path, whose: str, highlights: tuple[tuple[int, int], ...]
) -> None:
    out = tmp_path / "qrels.jsonl"
    exported(campaign, out, "--format", "jsonl", "--judgments", whose)
    found = {one.document: one for one in read_assessments(str(out))}
    assert found["tides"].highlights == highlights
    assert set(found) == ({"tides"} if whose == "bob" else {"tides", "ships"})


def test_drafts_are_added_when_asked_for(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "qrels.jsonl"
    exported(campaign, out, "--format", "jsonl", "--judgments", "bob", "--drafts")
    found = {one.document: one for one in read_assessments(str(out))}
    assert "draft" in found["ships"].marks
    assert "draft" not in found["tides"].marks


def test_assessors_are_called_by_their_pseudonyms(campaign: Path, tmp_path: Path) -> None:
    for number, format_ in enumerate(("jsonl", "annotations", "log")):
        out = tmp_path / f"out{number}"
        options = () if format_ == "log" else ("--judgments", "ann")
        text = exported(campaign, out, "--format", format_, *options).decode()
        assert '"ann"' not in text
        with Campaign.open(campaign) as opened:
            assert opened.user("ann").pseudonym in text


@pytest.mark.parametrize("format_", ["jsonl", "annotations", "inex2005", "inex2008", "trec"])
def test_every_format_goes_out_and_in_and_out_again(
    campaign: Path, new_campaign: Path, tmp_path: Path, format_: str
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    one_topic = ("--format", format_, "--topic", "7")
    before = exported(campaign, first, *one_topic, "--judgments", "ann")
    if format_ == "trec":  # it has no highlights to import
        assert before == b"7 0 ships 1\n7 0 tides 1\n" or before == b"7 0 tides 1\n7 0 ships 1\n"
        return
    other = shutil.copytree(new_campaign, tmp_path / "other")
    done = doxeval("assess", "import", other, first, "--assessor", "bob")
    assert done.exit_code == 0, done.stderr
    assert "2 judgments imported as those of bob" in done.stdout
    after = exported(other, second, *one_topic, "--judgments", "bob")
    with Campaign.open(other) as new, Campaign.open(campaign) as old:
        name, pseudonym = old.user("ann").pseudonym, new.user("bob").pseudonym
    # Annotations are identified by what they say and by whom.
    assert _anonymous(after, pseudonym) == _anonymous(before, name)
    again = exported(campaign, tmp_path / "again", *one_topic, "--judgments", "ann")
    assert again == before


def _anonymous(data: bytes, pseudonym: str) -> str:
    return re.sub("urn:uuid:[0-9a-f-]+", "", data.decode().replace(pseudonym, ""))


def test_what_a_format_cannot_hold_is_said(campaign: Path, tmp_path: Path) -> None:
    words = ("--format", "trec", "--judgments", "ann", "--out", tmp_path / "qrels.txt")
    done = doxeval("assess", "export", campaign, *words)
    assert done.exit_code == 0
    assert "warning: trec does not hold highlighted passages" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--format", "pdf"), 2, "pdf"),
        (("--format", "jsonl", "--judgments", "nobody"), 1, "nobody"),
        (("--format", "jsonl", "--topic", "99"), 1, "no topic '99'"),
        (("--format", "jsonl", "--topic", "8"), 1, "nothing has been validated yet"),
        (("--format", "log", "--drafts"), 2, "--drafts has no effect on the log"),
        (("--format", "log", "--judgments", "ann"), 2, "--judgments has no effect on the log"),
        (("--format", "inex2003", "--judgments", "ann"), 1, "inex2003"),
    ],
)
def test_wrong_exports(
    campaign: Path, tmp_path: Path, options: tuple[str, ...], code: int, message: str
) -> None:
    out = tmp_path / "out"
    done = doxeval("assess", "export", campaign, "--out", out, *options)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
    assert not out.exists()


def test_nothing_is_replaced_unasked(campaign: Path, tmp_path: Path) -> None:
    out = tmp_path / "qrels.jsonl"
    words = ("--format", "jsonl", "--judgments", "ann")
    first = exported(campaign, out, *words)
    done = doxeval("assess", "export", campaign, "--out", out, *words)
    assert done.exit_code == 1
    assert "--force replaces it" in done.stderr
    assert exported(campaign, out, *words, "--force") == first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ""),
        ("nonsense", ""),
        ('{"topic": "99", "doc": "tides", "start": 0, "end": 3}\n', "99"),
        ('{"topic": "7", "doc": "dragons", "start": 0, "end": 3}\n', "dragons"),
        ('{"topic": "7", "doc": "tides", "start": 0, "end": 999}\n', "tides"),
    ],
)
def test_wrong_imports_change_nothing(
    campaign: Path, tmp_path: Path, text: str, message: str
) -> None:
    write_files(tmp_path, {"wrong.jsonl": text})
    words = ("assess", "import", campaign, tmp_path / "wrong.jsonl", "--assessor")
    before = doxeval("assess", "verify", campaign).stdout
    done = doxeval(*words, "ann")
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr
    assert doxeval("assess", "verify", campaign).stdout == before
    assert doxeval(*words, "nobody").exit_code == 1


def test_what_was_judged_already_stays_unless_told_otherwise(
    campaign: Path, tmp_path: Path
) -> None:
    text = '{"topic": "7", "doc": "tides", "judged": true}\n'
    write_files(tmp_path, {"new.jsonl": text})
    words = ("assess", "import", campaign, tmp_path / "new.jsonl", "--assessor", "ann")
    done = doxeval(*words)
    assert (done.exit_code, done.stdout) == (0, "0 judgments imported as those of ann\n")
    assert "tides for topic 7" in done.stderr
    done = doxeval(*words, "--replace")
    assert (done.exit_code, done.stdout) == (0, "1 judgment imported as those of ann\n")
    with Campaign.open(campaign) as opened:
        assert not opened.judgment("7", "tides", opened.user("ann").id).state.highlights


def test_agreement_of_two_assessors(campaign: Path) -> None:
    data = json.loads(doxeval("assess", "agreement", campaign, "--format", "json").stdout)
    rows = [row for row in data["rows"] if row["topic"] == "7"]
    assert rows[0]["documents"]["judged"] == 1  # Bob has not validated the other one
    assert rows[0]["characters"]["jaccard"]["micro"] == 0.5
    table = doxeval("assess", "agreement", campaign).stdout
    assert "Jaccard" in table and "0.500" in table
    assert re.search("^7 +ann, bob ", table, re.MULTILINE)
    alone = doxeval("assess", "agreement", campaign, "--topic", "8")
    assert (alone.exit_code, alone.stdout) == (
        0,
        "No document has been validated by two assessors yet.\n",
    )
    assert doxeval("assess", "agreement", campaign, "--topic", "9").exit_code == 1


def third_judgment(campaign: Path) -> None:
    assert doxeval("assess", "user", "add", campaign, "cem").exit_code == 0
    assert doxeval("assess", "assign", campaign, "7", "cem").exit_code == 0
    judge(campaign, "cem", "7", "tides", [LOW], 0)


def test_two_assessors_have_no_majority(campaign: Path, tmp_path: Path) -> None:
    done = doxeval("assess", "adjudicate", campaign, "--by", "majority")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "two assessors differ about 1 document, and two have no majority" in done.stderr
    assert "union, intersection or a third assessor" in done.stderr
    with Campaign.open(campaign) as opened:
        assert not any(judged.adjudicated for judged in opened.judgments(drafts=True))
    out = tmp_path / "q.jsonl"
    export = ("assess", "export", campaign, "--format", "jsonl", "--out", out)
    done = doxeval(*export, "--judgments", "majority")
    assert (done.exit_code, done.stdout, out.exists()) == (1, "", False)
    assert "two have no majority" in done.stderr and "document tides for topic 7" in done.stderr
    third_judgment(campaign)
    assert doxeval(*export, "--judgments", "majority").exit_code == 0
    found = {judgment.document: judgment for judgment in read_assessments(str(out))}
    assert found["tides"].highlights == (LOW,)


def test_ties_of_four_assessors_are_told(campaign: Path, tmp_path: Path) -> None:
    third_judgment(campaign)
    judge(campaign, "cem", "7", "ships", [AT_SHIPS], 0)
    assert doxeval("assess", "user", "add", campaign, "dan").exit_code == 0
    assert doxeval("assess", "assign", campaign, "7", "dan").exit_code == 0
    judge(campaign, "dan", "7", "tides", [LOW, HIGH], 0)
    told = "ties in 1 document: 9 characters that exactly half of the assessors highlighted"
    out = tmp_path / "q.jsonl"
    export = ("assess", "export", campaign, "--format", "jsonl", "--out", out)
    done = doxeval(*export, "--judgments", "majority")
    assert done.exit_code == 0 and told in done.stderr
    done = doxeval("assess", "adjudicate", campaign, "--by", "majority")
    assert (done.exit_code, done.stdout) == (0, "2 judgments adjudicated by majority\n")
    assert told in done.stderr
    with Campaign.open(campaign) as opened:
        (event,) = [event for event in opened.events() if event.what == "adjudicated"]
        assert event.details["ties"] == {"documents": 1, "characters": 9, "grades": 0}


def test_what_was_adjudicated_by_hand_needs_no_majority(campaign: Path) -> None:
    assert doxeval("assess", "adjudicate", campaign, "--by", "union").exit_code == 0
    done = doxeval("assess", "adjudicate", campaign, "--by", "majority")
    assert done.exit_code == 0 and "tides for topic 7" in done.stderr
    replaced = doxeval("assess", "adjudicate", campaign, "--by", "majority", "--replace")
    assert replaced.exit_code == 1


@pytest.mark.parametrize(
    ("rule", "highlights"), [("union", ((0, 18),)), ("intersection", (LOW,)), ("majority", (LOW,))]
)
def test_adjudication_by_rule(
    campaign: Path, tmp_path: Path, rule: str, highlights: tuple[tuple[int, int], ...]
) -> None:
    third_judgment(campaign)
    done = doxeval("assess", "adjudicate", campaign, "--by", rule)
    assert (done.exit_code, done.stdout) == (0, f"2 judgments adjudicated by {rule}\n")
    exported(campaign, tmp_path / "q.jsonl", "--format", "jsonl")
    found = {one.document: one for one in read_assessments(str(tmp_path / "q.jsonl"))}
    assert found["tides"].highlights == highlights
    assert "adjudicated" in found["tides"].marks
    again = doxeval("assess", "adjudicate", campaign, "--by", rule)
    expected = f"0 judgments adjudicated by {rule}, 2 there already\n"
    assert (again.exit_code, again.stdout) == (0, expected)
    assert doxeval("assess", "adjudicate", campaign, "--by", "dice").exit_code == 2


def test_honeypots_are_placed_and_scored(campaign: Path, tmp_path: Path) -> None:
    gold = (
        '{"topic": "7", "doc": "whales", "judged": true}\n'
        '{"topic": "7", "doc": "tides", "start": 0, "end": 9}\n'
        '{"topic": "7", "doc": "tides", "bep": 0}\n'
    )
    write_files(tmp_path, {"gold.jsonl": gold})
    done = doxeval("assess", "honeypots", campaign, tmp_path / "gold.jsonl")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "2 honeypots placed, 1 of them not in the pool\n"
    with Campaign.open(campaign) as opened:
        queue = opened.queue("7", opened.user("ann").id)
        assert {one.document for one in queue} == {"tides", "ships", "whales"}
    table = doxeval("assess", "agreement", campaign).stdout
    assert "honeypots" in table.lower()
    data = json.loads(doxeval("assess", "agreement", campaign, "--format", "json").stdout)
    assert data["honeypots"]
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"topic": "7", "doc": "dragons", "judged": true}\n')
    assert doxeval("assess", "honeypots", campaign, wrong).exit_code == 1


def test_rebasing_keeps_what_can_be_found_again(campaign: Path, tmp_path: Path) -> None:
    changed = {
        "tides.xml": DOCUMENTS["tides.xml"].replace("<sec>", "<sec><p>New. </p>"),
        "ships.xml": "<article><sec><p>Ships wait for nothing.</p></sec></article>",
        "whales.xml": DOCUMENTS["whales.xml"],
    }
    write_files(tmp_path / "changed", changed)
    new = tmp_path / "new"
    doxeval("collection", "build", tmp_path / "changed", "--out", new, "--jobs", 1)
    done = doxeval("assess", "rebase", campaign, "--collection", new)
    assert done.exit_code == 0, done.stderr
    assert "ships" in done.stderr
    with Campaign.open(campaign) as opened:
        ann = opened.user("ann")
        state = opened.judgment("7", "tides", ann.id).state
        assert state.highlights == ((5, 14),)
        assert opened.judgment("7", "ships", ann.id).state.status == "open"
        assert opened.collection.directory.samefile(new)
    assert doxeval("assess", "verify", campaign).exit_code == 0
    assert doxeval("assess", "rebase", campaign, "--collection", tmp_path).exit_code == 1


def test_a_collection_built_again_is_refused(moveable: tuple[Path, Path], tmp_path: Path) -> None:
    campaign, collection = moveable
    other = write_files(tmp_path / "other", {"tides.xml": "<article>Other.</article>"})
    built = ("collection", "build", other, "--out", collection)
    assert doxeval(*built, "--force", "--jobs", 1).exit_code == 0
    done = doxeval("assess", "status", campaign)
    assert done.exit_code == 1
    assert "assess rebase" in done.stderr


# Programs


@pytest.fixture
def with_program(campaign: Path, tmp_path: Path) -> Path:
    """The campaign, in which a program also judged a document; that of topic 8 nobody else did."""
    lines = [
        {"topic": "7", "doc": "tides", "start": 0, "end": 9},
        {"topic": "7", "doc": "tides", "bep": 0},
        {"topic": "8", "doc": "whales", "judged": True},
    ]
    write_files(tmp_path, {"llm.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)})
    words = ("--program", "llama", "--version", "3.1", "--about", "Is it?")
    done = doxeval("assess", "import", campaign, tmp_path / "llm.jsonl", *words)
    assert done.stdout == "2 judgments imported as those of the program llama 3.1\n", done.stderr
    return campaign


@pytest.mark.parametrize("format_", ["jsonl", "annotations", "inex2005", "inex2008", "trec", "log"])
def test_programs_are_imported_in_every_format(
    with_program: Path, tmp_path: Path, format_: str
) -> None:
    out = tmp_path / "out"
    whose = () if format_ == "log" else ("--judgments", "llama 3.1")
    exported(with_program, out, "--format", format_, "--topic", "8", *whose)
    again = doxeval("assess", "import", with_program, out, "--program", "llama", "--version", "4")
    assert "1 judgment imported as those of the program llama 4" in again.stdout, again.stderr


def test_exports_and_adjudication_say_that_programs_are_left_out(
    with_program: Path, tmp_path: Path
) -> None:
    out = tmp_path / "qrels.jsonl"
    words = ("assess", "export", with_program, "--format", "jsonl", "--judgments", "union")
    done = doxeval(*words, "--out", out)
    assert "2 judgments of programs left out (llama 3.1)" in done.stderr
    assert {each.topic for each in read_assessments(str(out))} == {"7"}
    done = doxeval(*words, "--out", out, "--programs", "--force")
    assert "left out" not in done.stderr
    assert {each.topic for each in read_assessments(str(out))} == {"7", "8"}
    done = doxeval("assess", "adjudicate", with_program, "--by", "union")
    assert "left out" in done.stderr and done.stdout.startswith("2 judgments")
    done = doxeval("assess", "adjudicate", with_program, "--by", "union", "--programs")
    assert done.stdout.startswith("1 judgment adjudicated by union")


def test_agreement_and_status_have_tables_of_programs(with_program: Path) -> None:
    done = doxeval("assess", "agreement", with_program)
    assert re.search(r"People and programs\n.*\n+7 +ann, llama 3.1 +1 +1", done.stdout)
    assert re.search(r"7 +bob, llama 3.1 +1 +1", done.stdout)
    data = json.loads(doxeval("assess", "agreement", with_program, "--format", "json").stdout)
    assert [row["assessors"][1] for row in data["programs"]] == ["llama 3.1"] * 2
    assert len(data["rows"]) == 1
    words = ("assess", "agreement", with_program, "--format", "json", "--programs")
    assert len(json.loads(doxeval(*words).stdout)["rows"]) > 1
    done = doxeval("assess", "status", with_program)
    assert re.search(r"llama +3.1 +2 +2 +1 +Is it\?", done.stdout)
    data = json.loads(doxeval("assess", "status", with_program, "--format", "json").stdout)
    assert data["programs"][0]["version"] == "3.1"


def test_judgments_of_programs_do_not_pass_for_those_of_people(
    with_program: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    exported(with_program, out, "--format", "jsonl", "--judgments", "llama 3.1")
    done = doxeval("assess", "import", with_program, out, "--assessor", "bob", "--replace")
    assert done.exit_code == 1 and "made by a program" in done.stderr
    done = doxeval("assess", "honeypots", with_program, out)
    assert done.exit_code == 1 and "made by a program" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "give --assessor, or --program"),
        (("--assessor", "ann", "--program", "rule"), "give --assessor, or --program"),
        (("--assessor", "ann", "--version", "3"), "--version goes with --program"),
        (("--assessor", "ann", "--about", "x"), "--about goes with --program"),
    ],
)
def test_an_import_is_of_a_person_or_of_a_program(
    campaign: Path, words: tuple[str, ...], problem: str
) -> None:
    done = doxeval("assess", "import", campaign, "none.jsonl", *words)
    assert done.exit_code == 2
    assert problem in done.stderr


def test_to_count_programs_where_there_are_none_is_said(campaign: Path) -> None:
    done = doxeval("assess", "agreement", campaign, "--programs")
    assert "--programs has no effect" in done.stderr
