"""Operations on judgments: applied once, in order, or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from doxeval.assess.db import ADJUDICATED, Campaign, CampaignError
from small_campaign import bep, highlight, operation


def test_a_document_is_judged(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    assert campaign.judgment("7", "waves", ann.id).version == 0
    operations = [
        highlight(article, 5, 15, 0),
        bep(article, 5, 1),
        operation("validate", 2),
    ]
    done = campaign.submit("7", "waves", ann.id, ann, operations)
    assert (done.applied, done.failure, done.stored.version) == (3, None, 3)
    assert done.stored == campaign.judgment("7", "waves", ann.id)
    assert done.stored.state.highlights == ((5, 15),)
    assert done.stored.state.status == "validated"
    entries = {entry.document: entry for entry in campaign.queue("7", ann.id)}
    assert (entries["waves"].status, entries["waves"].relevant) == ("validated", True)
    assert entries["tides"].status == "unjudged"


def test_everybody_has_a_judgment_of_their_own(campaign: Campaign) -> None:
    ann, bob = campaign.user("ann"), campaign.user("bob")
    article = campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 15, 0)])
    assert campaign.judgment("7", "waves", bob.id).version == 0
    with pytest.raises(CampaignError, match="of others"):
        campaign.submit("7", "waves", ann.id, bob, [operation("skip", 1, value=True)])


def test_a_repeated_operation_changes_nothing(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    first = highlight(article, 5, 15, 0)
    campaign.submit("7", "waves", ann.id, ann, [first, operation("undo", 1)])
    again = campaign.submit("7", "waves", ann.id, ann, [first])
    assert (again.applied, again.failure, again.stored.version) == (1, None, 2)
    assert again.stored.state.highlights == ()
    later = campaign.submit("7", "waves", ann.id, ann, [replace(first, client_time="2026-01-01")])
    assert later.failure is None


def test_an_id_used_for_something_else_is_refused(campaign: Campaign) -> None:
    ann, bob, article = campaign.user("ann"), campaign.user("bob"), campaign.article("waves")
    first = highlight(article, 5, 15, 0)
    campaign.submit("7", "waves", ann.id, ann, [first])
    other = replace(first, end=14, quote=article.text[5:14])
    for topic, user, sent in (("7", ann, other), ("7", bob, first), ("8", ann, first)):
        refused = campaign.submit(topic, "waves", user.id, user, [sent])
        assert refused.failure is not None
        assert (refused.failure.kind, refused.failure.code) == ("refused", "op_id")
    assert campaign.judgment("7", "waves", bob.id).version == 0


def test_a_stale_version_is_a_conflict_and_stops_the_rest(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    sent = [highlight(article, 5, 15, 0), bep(article, 5, 5), operation("validate", 2)]
    done = campaign.submit("7", "waves", ann.id, ann, sent)
    assert done.applied == 1
    assert done.failure is not None
    assert done.failure.kind == "conflict"
    assert done.stored.version == 1
    assert done.stored.state.bep is None


def test_a_wrong_quote_changes_nothing(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    wrong = replace(highlight(article, 5, 15, 0), quote="something!")
    done = campaign.submit("7", "waves", ann.id, ann, [wrong])
    assert done.failure is not None
    assert done.failure.kind == "quote"
    assert campaign.judgment("7", "waves", ann.id).version == 0


def test_what_the_rules_refuse_is_explained(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    done = campaign.submit(
        "7", "waves", ann.id, ann, [highlight(article, 5, 15, 0), operation("validate", 1)]
    )
    assert done.failure is not None
    assert (done.failure.kind, done.applied) == ("refused", 1)
    assert "best entry point" in done.failure.message


def test_a_closed_topic_takes_no_operations_but_repeated_ones(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    first = highlight(article, 5, 15, 0)
    campaign.submit("7", "waves", ann.id, ann, [first])
    campaign.close_topic("7", campaign.user("organiser"))
    done = campaign.submit("7", "waves", ann.id, ann, [first, bep(article, 5, 1)])
    assert done.applied == 1
    assert done.failure is not None
    assert done.failure.kind == "closed"
    campaign.reopen_topic("7")
    assert campaign.submit("7", "waves", ann.id, ann, [bep(article, 5, 1)]).failure is None


def test_undo_and_redo_survive_reopening(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 15, 0), bep(article, 6, 1)])
    with Campaign.open(campaign.directory) as again:
        done = again.submit("7", "waves", ann.id, ann, [operation("undo", 2)])
        assert (done.stored.state.bep, done.stored.can_undo, done.stored.can_redo) == (
            None,
            True,
            True,
        )
        done = again.submit("7", "waves", ann.id, ann, [operation("undo", 3)])
        assert (done.stored.state.highlights, done.stored.can_undo) == ((), False)
        nothing = again.submit("7", "waves", ann.id, ann, [operation("undo", 4)])
        assert nothing.failure is not None
        assert nothing.failure.code == "nothing-to-undo"
        both = [operation("redo", 4), operation("redo", 5)]
        done = again.submit("7", "waves", ann.id, ann, both)
        assert (done.stored.state.highlights, done.stored.state.bep) == (((5, 15),), 6)
        assert (done.stored.can_undo, done.stored.can_redo) == (True, False)


def test_a_new_operation_forgets_what_could_be_redone(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    sent = [
        highlight(article, 5, 15, 0),
        operation("undo", 1),
        operation("note", 2, value="hm"),
        operation("redo", 3),
    ]
    done = campaign.submit("7", "waves", ann.id, ann, sent)
    assert done.failure is not None
    assert (done.applied, done.failure.code) == (3, "nothing-to-redo")


def test_adjudicators_share_a_judgment(campaign: Campaign) -> None:
    adj, admin = campaign.user("adj"), campaign.user("admin")
    article = campaign.article("waves")
    campaign.submit("7", "waves", ADJUDICATED, adj, [highlight(article, 5, 15, 0)])
    done = campaign.submit("7", "waves", ADJUDICATED, admin, [bep(article, 5, 1)])
    assert done.stored.version == 2


def test_documents_outside_the_pool_must_be_added(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("salt")
    sent = [highlight(article, 0, 4, 0)]
    with pytest.raises(CampaignError, match="not in the pool"):
        campaign.submit("7", "salt", ann.id, ann, sent)
    campaign.add_outside("7", "salt", ann.id)
    assert campaign.submit("7", "salt", ann.id, ann, sent).stored.off_pool
    last = campaign.queue("7", ann.id)[-1]
    assert (last.document, last.off_pool, last.status) == ("salt", True, "open")


def test_imports_do_not_come_from_browsers(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    value = campaign.judgment("7", "waves", ann.id).state.as_json()
    done = campaign.submit("7", "waves", ann.id, ann, [operation("import", 0, value=value)])
    assert done.failure is not None
    assert done.failure.kind == "malformed"


def test_the_same_operation_from_many_at_once_counts_once(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    for round_ in range(5):
        sent = operation("note", round_, value=str(round_))
        with ThreadPoolExecutor(8) as pool:
            done = list(
                pool.map(lambda one: campaign.submit("7", "waves", ann.id, ann, [one]), [sent] * 8)
            )
        assert {one.failure for one in done} == {None}
        assert {one.stored.version for one in done} == {round_ + 1}
    assert article.text.startswith("Waves")


def test_one_id_for_two_documents_at_once_counts_once(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    for round_ in range(5):
        versions = [campaign.judgment("8", name, ann.id).version for name in ("waves", "salt")]
        op_id = f"shared-{round_}"

        def send(name: str, version: int, op_id: str = op_id) -> str | None:
            sent = operation("note", version, value=op_id, op_id=op_id)
            failure = campaign.submit("8", name, ann.id, ann, [sent]).failure
            return failure.code if failure else None

        with ThreadPoolExecutor(2) as pool:
            codes = list(pool.map(send, ("waves", "salt"), versions))
        assert sorted(codes, key=str) == [None, "op_id"]


def test_of_many_with_the_same_version_one_wins(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    sent = [operation("note", 0, value=str(number)) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda one: campaign.submit("7", "waves", ann.id, ann, [one]), sent))
    assert sorted(one.applied for one in done) == [0] * 7 + [1]
    assert campaign.judgment("7", "waves", ann.id).version == 1
