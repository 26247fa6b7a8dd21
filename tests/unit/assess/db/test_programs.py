"""Programs as assessors: kept apart from people wherever people's judgments are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess_client import browser
from doxeval.assess.agreement import agreement, agreement_with_programs
from doxeval.assess.db import ADJUDICATED, Campaign, CampaignError, Program, Unknown
from doxeval.assess.exchange import judgments_to_export
from doxeval.assess.judging import State
from small_campaign import HIGHLIGHTED, Answer, make_collection, stored

DONE = State(HIGHLIGHTED.highlights, HIGHLIGHTED.bep, status="validated")
MORE = State(((0, 9),), 0, status="validated")
LLAMA = Program("llama", "3.1", "Is this relevant?")
TITLE = "llama 3.1"


@pytest.fixture
def judged(campaign: Campaign) -> Campaign:
    """Ann judged one document; the program the same, and one outside the pool of topic 7."""
    campaign.import_judgments([Answer("7", "tides", DONE)], "ann")
    answers = [Answer("7", "tides", MORE), Answer("7", "salt", DONE)]
    assert campaign.import_judgments(answers, LLAMA).written == 2
    return campaign


def test_people_alone_are_read_unless_programs_are_to_count(judged: Campaign) -> None:
    ann = judged.user("ann").pseudonym
    assert [each.assessor for each in judged.judgments()] == [ann]
    every = judged.judgments(programs=True)
    assert {(each.document, each.assessor, each.program) for each in every} == {
        ("tides", ann, False),
        ("tides", TITLE, True),
        ("salt", TITLE, True),
    }
    assert all(("program" in each.marks) == each.program for each in every)


def test_what_made_the_judgments_is_recorded(judged: Campaign) -> None:
    (assessor,) = judged.programs()
    assert assessor.program == LLAMA
    assert (assessor.judged, assessor.validated, assessor.relevant) == (2, 2, 2)
    events = {event.what: event.details for event in judged.events()}
    assert events["program added"] == {
        "name": "llama",
        "version": "3.1",
        "about": "Is this relevant?",
    }
    assert events["imported"]["program"] == TITLE
    logged = {each.assessor: each.program for each in judged.operations()}
    assert logged == {judged.user("ann").pseudonym: False, TITLE: True}


def test_progress_and_the_queue_of_adjudicators_know_nothing_of_programs(judged: Campaign) -> None:
    assert {row.user for row in judged.progress()} == {"ann", "bob", "adj"}
    assert [entry.document for entry in judged.queue("7", ADJUDICATED)] == ["tides"]


def test_adjudication_takes_people_alone_unless_told_otherwise(judged: Campaign) -> None:
    judged.adjudicate("union")
    assert judged.judgment("7", "tides", ADJUDICATED).state.highlights == DONE.highlights
    assert judged.judgment("7", "salt", ADJUDICATED).version == 0
    judged.adjudicate("union", replace=True, programs=True)
    assert judged.judgment("7", "tides", ADJUDICATED).state.highlights == MORE.highlights
    assert judged.judgment("7", "salt", ADJUDICATED).version == 1
    adjudicated = [event.details for event in judged.events() if event.what == "adjudicated"]
    assert [details.get("programs", False) for details in adjudicated] == [False, True]


def test_a_judgment_that_a_program_had_a_part_in_is_marked(judged: Campaign) -> None:
    about = {"collection": judged.collection, "mode": judged.mode, "judgments": "union"}
    by_all = judgments_to_export(judged.judgments(programs=True), **about)  # type: ignore[arg-type]
    assert ["program" in each.marks for each in by_all.assessments] == [True, True]
    by_people = judgments_to_export(judged.judgments(), **about)  # type: ignore[arg-type]
    assert [each.marks for each in by_people.assessments] == [()]


def test_people_and_programs_are_compared_in_a_table_of_their_own(judged: Campaign) -> None:
    judged.import_judgments([Answer("7", "tides", DONE)], "bob")
    judged.import_judgments([Answer("7", "tides", DONE)], Program("rule"))
    judged.adjudicate("union")
    every = judged.judgments(programs=True)
    people = sorted(judged.user(name).pseudonym for name in ("ann", "bob"))
    rows = agreement_with_programs(every, judged.mode).rows
    assert [row.assessors for row in rows] == [
        (person, program) for program in (TITLE, "rule") for person in ["adjudicated", *people]
    ]
    assert all(row.documents.judged == row.documents.agreed == 1 for row in rows)
    jaccard = {row.assessors[1]: row.characters.jaccard.micro for row in rows if row.characters}
    assert jaccard == {TITLE: 4 / 9, "rule": 1.0}
    assert [row.assessors for row in agreement(judged.judgments(), judged.mode).rows] == [
        tuple(people)
    ]


def test_a_program_is_nobody(judged: Campaign) -> None:
    assert TITLE not in [user.name for user in judged.users()]
    with pytest.raises(Unknown):
        judged.user(TITLE)
    for change in (
        lambda: judged.set_password(TITLE, "high and low"),
        lambda: judged.set_active(TITLE, True),
        lambda: judged.assign("7", TITLE),
    ):
        with pytest.raises(Unknown):
            change()
    for password in ("", "llama 3.1", "x" * 20):
        assert judged.check_password(TITLE, password, "here") is None


@pytest.mark.parametrize("program", [Program("ann"), Program("ANN"), Program("union"),
                                     Program("a", "x" * 200), Program("a\nb"), Program(""),
                                     Program("a", " "), Program("a", about="\ud800"),
                                     Program("llama", "3.1", "Something else?")])  # fmt: skip
def test_a_program_has_a_name_of_its_own(judged: Campaign, program: Program) -> None:
    events = len(judged.events())
    with pytest.raises(CampaignError):
        judged.import_judgments([Answer("8", "tides", DONE)], program)
    assert len(judged.events()) == events
    assert len(judged.programs()) == 1


def test_no_person_gets_the_name_of_a_program(judged: Campaign) -> None:
    with pytest.raises(CampaignError, match="already a user"):
        judged.add_user("Llama 3.1")


def test_a_version_is_an_assessor_and_comes_again(judged: Campaign) -> None:
    again = Program("llama", "3.1")  # what it is was said the first time
    done = judged.import_judgments([Answer("7", "tides", MORE)], again)
    assert (done.written, done.unchanged) == (0, 1)
    judged.import_judgments([Answer("7", "tides", MORE)], Program("llama", "3.2"))
    assert [each.program.title for each in judged.programs()] == [TITLE, "llama 3.2"]


def test_an_import_that_fails_leaves_no_program(campaign: Campaign) -> None:
    with pytest.raises(CampaignError):
        campaign.import_judgments([Answer("9", "tides", DONE)], LLAMA)
    assert campaign.programs() == []


def test_backups_and_the_log_keep_the_kind(judged: Campaign, tmp_path: Path) -> None:
    judged.backup(tmp_path / "backup.jsonl")
    with Campaign.restore(tmp_path / "backup.jsonl", tmp_path / "again") as restored:
        assert restored.programs() == judged.programs()
        assert restored.judgments(programs=True) == judged.judgments(programs=True)
        assert restored.verify() == []
    assert judged.verify() == []


def test_a_rebase_keeps_the_kind(judged: Campaign, tmp_path: Path) -> None:
    texts = {"tides": "<a><t>New: Tides</t></a>", "salt": "<a>Salt lakes</a>", "waves": "<a>W</a>"}
    other = make_collection(tmp_path / "other", texts)
    directory = judged.directory
    judged.close()
    Campaign.rebase(directory, other.directory)
    with Campaign.open(directory) as moved:
        every = moved.judgments(programs=True, drafts=True)
        assert {(each.document, each.program) for each in every} == {
            ("tides", False),
            ("tides", True),
            ("salt", True),
        }
        assert [each.program.title for each in moved.programs()] == [TITLE]


def test_the_pages_of_organisers_and_adjudicators(judged: Campaign) -> None:
    organiser, adjudicator = browser(judged, "organiser"), browser(judged, "adj")
    page = organiser.get("/organise").text
    assert "Programs that judged documents" in page and "Agreement of people and programs" in page
    assert "Is this relevant?" in page
    data = adjudicator.get("/api/article?topic=7&doc=tides&judge=adjudicated").json()
    assert [other["who"] for other in data["others"]] == [judged.user("ann").pseudonym]
    exports = organiser.get("/organise/exports").text
    assert "Judgments of programs are left out" in exports and "1 judgment" in exports
    both = organiser.get("/organise/exports?programs=yes&judgments=union").text
    assert "with those of programs" in both and "2 judgments" in both
    assert organiser.get("/organise/exports?programs=perhaps").status_code == 400
    file = organiser.get("/organise/export?format=jsonl&judgments=llama+3.1").text
    assert file.count('"marks":["program"') + file.count('"program"') >= 2


def test_passwords_of_programs_are_none(judged: Campaign) -> None:
    assert "" in stored(judged, "users", "password_hash")
