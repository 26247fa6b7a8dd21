"""Queues, pools and honeypots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from doxeval.assess.db import ADJUDICATED, Campaign, CampaignError
from doxeval.assess.judging import State
from doxeval.documents import Collection
from doxeval.pooling import Pool, PooledDocument, PooledElement
from small_campaign import POOL, Answer, bep, highlight, make_collection, operation

Maker = Callable[..., Campaign]


@pytest.fixture
def many(tmp_path: Path) -> Collection:
    return make_collection(tmp_path / "many", {f"d{n}": f"<p>Text {n}.</p>" for n in range(40)})


def pool_of(*numbers: int) -> Pool:
    documents = tuple(PooledDocument(f"d{n}", priority=n % 7) for n in numbers)
    return Pool({"7": documents, "8": documents[:3]})


def names(campaign: Campaign, user: str = "ann", topic: str = "7") -> list[str]:
    return [entry.document for entry in campaign.queue(topic, campaign.user(user).id)]


def test_the_order_of_the_pool(campaign: Campaign) -> None:
    assert names(campaign) == names(campaign, "bob") == ["waves", "tides"]
    assert names(campaign, topic="8") == ["salt", "tides", "waves"]


def test_documents_that_many_return_come_first(new_campaign: Maker, many: Collection) -> None:
    campaign = new_campaign(collection=many, pool=pool_of(*range(14)), order="prioritised")
    assert names(campaign)[:4] == ["d6", "d13", "d5", "d12"]


def test_the_random_order_is_fixed_for_each_judge(new_campaign: Maker, many: Collection) -> None:
    campaign = new_campaign(collection=many, pool=pool_of(*range(20)), order="random", seed=5)
    order = names(campaign)
    assert order == names(campaign) != names(campaign, "bob")
    assert sorted(order) == sorted(f"d{n}" for n in range(20))
    campaign.update_pool(pool_of(*range(30)))
    assert [name for name in names(campaign) if name in order] == order
    with Campaign.open(campaign.directory) as again:
        assert (again.settings.order, again.settings.seed) == ("random", 5)
        assert names(again) == names(campaign)


def test_where_work_goes_on(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    assert campaign.next_document("8", ann.id) == "salt"
    campaign.submit("8", "salt", ann.id, ann, [operation("skip", 0, value=True)])
    assert campaign.next_document("8", ann.id) == "tides"
    assert campaign.next_document("8", ann.id, "waves") == "tides"
    for name in ("tides", "waves"):
        campaign.submit("8", name, ann.id, ann, [operation("not-relevant", 0)])
    assert campaign.next_document("8", ann.id, "waves") == "salt"
    campaign.submit("8", "salt", ann.id, ann, [operation("not-relevant", 1)])
    assert campaign.next_document("8", ann.id) is None
    (progress,) = [one for one in campaign.progress() if (one.topic, one.user) == ("8", "ann")]
    assert (progress.done, progress.total, progress.relevant) == (3, 3, 0)


def test_time_and_progress(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.add_time("7", "waves", ann.id, 12.5)
    campaign.add_time("7", "waves", ann.id, 7.5)
    campaign.submit(
        "7",
        "waves",
        ann.id,
        ann,
        [highlight(article, 0, 5, 0), operation("problem", 1, value=True)],
    )
    (progress,) = [one for one in campaign.progress() if (one.topic, one.user) == ("7", "ann")]
    assert (progress.done, progress.total, progress.problems, progress.seconds) == (0, 2, 1, 20)
    assert campaign.verify() == []
    for seconds in (-1, 601, float("nan")):
        with pytest.raises(CampaignError):
            campaign.add_time("7", "waves", ann.id, seconds)


def test_adjudicators_see_what_was_judged(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    assert campaign.queue("7", ADJUDICATED) == []
    campaign.add_outside("7", "salt", ann.id)
    for name in ("tides", "salt"):
        campaign.submit("7", name, ann.id, ann, [operation("not-relevant", 0)])
    entries = campaign.queue("7", ADJUDICATED)
    assert [(one.document, one.status, one.off_pool) for one in entries] == [
        ("tides", "unjudged", False),
        ("salt", "unjudged", True),
    ]


def test_a_pool_grows_and_keeps_what_was_judged(new_campaign: Maker, many: Collection) -> None:
    campaign = new_campaign(collection=many, pool=pool_of(3, 1, 2, 4))
    ann = campaign.user("ann")
    campaign.submit("7", "d1", ann.id, ann, [operation("not-relevant", 0)])
    campaign.add_outside("7", "d9", ann.id)
    campaign.submit("7", "d9", ann.id, ann, [operation("not-relevant", 0)])
    updated = campaign.update_pool(Pool({"7": pool_of(9, 4, 5).documents["7"], "none": ()}))
    assert (updated.added, updated.kept, updated.removed) == (2, 1, 2)
    assert updated.kept_because_judged == 1
    assert "'none'" in updated.warnings[0]
    assert names(campaign) == ["d1", "d4", "d9", "d5"]
    assert names(campaign, topic="8") == ["d3", "d1", "d2"]
    judged = {one.document: one for one in campaign.judgments("7")}
    assert (judged["d1"].off_pool, judged["d9"].off_pool) == (False, False)
    assert campaign.verify() == []


def test_a_pool_of_another_collection_is_refused(campaign: Campaign) -> None:
    before = campaign.queue("7", 1)
    with pytest.raises(CampaignError, match="another collection"):
        campaign.update_pool(Pool({"7": (PooledDocument("salt"), PooledDocument("nowhere"))}))
    assert campaign.queue("7", 1) == before


def test_honeypots_cannot_be_told_apart(new_campaign: Maker, many: Collection) -> None:
    campaign = new_campaign(collection=many, pool=pool_of(*range(20)))
    pots = [Answer("7", f"d{n}") for n in (3, *range(20, 32))]
    assert campaign.place_honeypots(pots) == 12
    entries = campaign.queue("7", campaign.user("ann").id)
    assert len(entries) == 32
    assert {(one.status, one.off_pool, one.relevant) for one in entries} == {
        ("unjudged", False, False)
    }
    places = [one.position for one in entries if int(one.document[1:]) >= 20]
    assert min(places) < 10  # spread over the queue, not put at its end
    assert max(places) > 15
    assert [one.document for one in entries if int(one.document[1:]) < 20] == [
        f"d{n}" for n in range(20)
    ]
    assert set(campaign.gold()) == {("7", one.document) for one in pots}
    assert campaign.gold()["7", "d3"] == State(highlights=((0, 4),), bep=0)
    campaign.update_pool(pool_of(*range(5)))
    assert len(campaign.queue("7", 1)) == 17
    ann = campaign.user("ann")
    campaign.submit("7", "d25", ann.id, ann, [operation("not-relevant", 0)])
    (judged,) = campaign.judgments()
    assert (judged.honeypot, judged.off_pool, judged.assessor) == (True, False, ann.pseudonym)


def test_a_honeypot_has_pooled_elements_if_others_have(campaign: Campaign) -> None:
    campaign.place_honeypots([Answer("7", "salt"), Answer("8", "salt")])
    assert campaign.pooled_elements("7", "salt") == (PooledElement("/article[1]"),)
    assert campaign.pooled_elements("8", "salt") == ()
    assert campaign.pooled_elements("7", "nowhere") is None
    assert campaign.pooled_elements("7", "waves") == POOL.documents["7"][0].elements


def test_judgments_are_imported_and_adjudicated(campaign: Campaign) -> None:
    validated = State(highlights=((0, 4),), bep=0, status="validated")
    other = State(highlights=((2, 9),), bep=2, status="validated")
    new = [Answer("7", "salt", validated), Answer("7", "waves", validated)]
    done = campaign.import_judgments(new, "ann", campaign.user("organiser"))
    assert (done.written, done.unchanged, done.kept) == (2, 0, ())
    done = campaign.import_judgments([new[0], Answer("7", "waves", other)], "ann")
    assert (done.written, done.unchanged, done.kept) == (0, 1, (("7", "waves"),))
    campaign.import_judgments([Answer("7", "waves", other)], "bob")
    done = campaign.adjudicate("union")
    assert done.written == 2
    state = campaign.judgment("7", "waves", ADJUDICATED).state
    assert (state.highlights, state.status) == (((0, 9),), "validated")
    assert campaign.adjudicate("intersection").kept == (("7", "waves"),)
    campaign.adjudicate("intersection", replace=True)
    assert campaign.judgment("7", "waves", ADJUDICATED).state.highlights == ((2, 4),)
    assert campaign.verify() == []
    assert {one.assessor for one in campaign.operations("7", "waves")} >= {
        campaign.user("ann").pseudonym,
        campaign.user("bob").pseudonym,
    }
    flagged = {one.document: one.off_pool for one in campaign.judgments() if one.assessor}
    assert flagged == {"salt": True, "waves": False}


def test_keywords_are_each_users_own(campaign: Campaign) -> None:
    ann, bob = campaign.user("ann"), campaign.user("bob")
    assert campaign.keywords("7", ann) is None
    campaign.set_keywords("7", ann, ["tide", "moon", "tide"])
    campaign.set_keywords("7", ann, ["sea", "🌊"])
    assert campaign.keywords("7", ann) == ["sea", "🌊"]
    assert campaign.keywords("7", bob) is None
    with pytest.raises(CampaignError):
        campaign.set_keywords("7", ann, ["x"] * 0 + [str(n) for n in range(201)])
    with pytest.raises(CampaignError, match="no topic"):
        campaign.set_keywords("9", ann, [])


def test_assignments(campaign: Campaign) -> None:
    ann, adj = campaign.user("ann"), campaign.user("adj")
    assert campaign.parts(ann, "7") == {"assess"}
    assert campaign.parts(adj, "7") == {"adjudicate"}
    assert not campaign.assign("7", "ann")
    assert campaign.assign("7", ann, "adjudicate")
    assert campaign.parts(ann, "7") == {"assess", "adjudicate"}
    assert campaign.unassign("7", "ann")
    assert not campaign.unassign("7", "ann")
    assert campaign.parts(ann, "7") == {"adjudicate"}
    assert campaign.parts(ann, "8") == {"assess"}
    with pytest.raises(CampaignError, match="no user"):
        campaign.assign("7", "nobody")
    with pytest.raises(CampaignError, match="no topic"):
        campaign.assign("9", "ann")
    told = [(one.topic, one.user, one.part) for one in campaign.assignments()]
    assert told[:3] == [
        ("7", "ann", "adjudicate"),
        ("7", "bob", "assess"),
        ("7", "adj", "adjudicate"),
    ]


def test_texts_that_no_database_takes_are_errors(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    for text in ("\ud800", "a\0b", "nowhere"):
        with pytest.raises(CampaignError):
            campaign.queue(text, ann.id)
        with pytest.raises(CampaignError):
            campaign.set_keywords(text, ann, [])
        assert campaign.session(text) is None
    assert campaign.keywords("7", ann) is None


def test_only_differences_are_to_be_adjudicated(campaign: Campaign) -> None:
    def judge(name: str, document: str, end: int | None) -> None:
        user, article = campaign.user(name), campaign.article(document)
        done = [operation("not-relevant", 0)]
        if end is not None:
            done = [highlight(article, 0, end, 0), bep(article, 0, 1), operation("validate", 2)]
        assert campaign.submit("8", document, user.id, user, done).failure is None

    judge("ann", "tides", 5)
    judge("bob", "tides", 5)  # the same
    judge("ann", "waves", None)  # only one
    judge("ann", "salt", 4)
    judge("bob", "salt", None)  # not the same
    entries = {entry.document: entry for entry in campaign.queue("8", ADJUDICATED)}
    settled = {name: entry.is_settled for name, entry in entries.items()}
    assert settled == {"tides": True, "waves": True, "salt": False}
    assert campaign.next_document("8", ADJUDICATED) == "salt"
    adj = campaign.user("adj")
    (progress,) = [one for one in campaign.progress(adj) if one.topic == "8"]
    assert (progress.done, progress.total, progress.next) == (0, 1, "salt")
    # What all agree on can be opened, and counts once somebody has.
    campaign.submit("8", "tides", ADJUDICATED, adj, [operation("not-relevant", 0)])
    (progress,) = [one for one in campaign.progress(adj) if one.topic == "8"]
    assert (progress.done, progress.total) == (1, 2)
    judge("bob", "waves", 4)
    assert not any(entry.is_settled for entry in campaign.queue("8", ADJUDICATED))
    assert not any(entry.is_settled for entry in campaign.queue("8", campaign.user("ann").id))
