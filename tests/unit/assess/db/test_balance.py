"""Documents spread over assessors: even, stable, and never taken from whoever began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assess.db import (
    BalanceOptions,
    Campaign,
    CampaignError,
    Document,
    NotInQueue,
    Spreading,
)
from doxeval.documents import Collection
from doxeval.pooling import Pool, PooledDocument
from levels import examples
from small_campaign import make_collection, operation

Maker = Callable[..., Campaign]
DOCUMENTS = [Document(topic, str(number)) for topic in "789" for number in range(12)]
PEOPLE = (1, 2, 3, 4)
BY_PEOPLE = st.dictionaries(
    st.sampled_from(DOCUMENTS), st.sets(st.sampled_from((*PEOPLE, 9)), max_size=3)
)


@st.composite
def spreadings(draw: st.DrawFn) -> Spreading:
    """Some topics of which some is begun or given already, to people who take part or do not."""
    needs = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(1, 3), min_size=1))
    begun = {document: people for document, people in draw(BY_PEOPLE).items() if document in needs}
    topics: dict[str, set[int]] = {}
    for document, who in begun.items():
        topics.setdefault(document.topic, set()).update(who)
    loads = Counter(person for who in begun.values() for person in who)
    return Spreading(
        needs,
        PEOPLE,
        begun,
        {document: people for document, people in draw(BY_PEOPLE).items() if document in needs},
        topics,
        loads,
        keep_topics=draw(st.booleans()),
        seed=draw(st.integers(0, 3)),
    )


@given(spreadings())
@examples(200)
def test_every_document_gets_as_many_people_as_it_lacks(spreading: Spreading) -> None:
    spread = spreading.spread()
    assert set(spread) == set(spreading.needs)
    for document, people in spread.items():
        covered = spreading.covered.get(document, set())
        assert len(set(people)) == len(people)
        assert set(people) <= set(PEOPLE) - set(covered)
        free = set(PEOPLE) - set(covered)
        assert len(people) == min(max(spreading.needs[document] - len(covered), 0), len(free))
    assert spreading.spread() == spread


@given(spreadings())
@examples(200)
def test_what_is_balanced_stays_as_it_is(spreading: Spreading) -> None:
    spread = spreading.spread()
    again = Spreading(
        spreading.needs,
        PEOPLE,
        spreading.covered,
        spread,
        spreading.begun,
        spreading.loads,
        spreading.keep_topics,
        spreading.seed,
    ).spread()
    assert {key: set(people) for key, people in again.items()} == {
        key: set(people) for key, people in spread.items()
    }


@given(st.sets(st.sampled_from(DOCUMENTS), min_size=1), st.integers(1, 3), st.integers(0, 5))
@examples(100)
def test_loads_differ_by_one_at_most(documents: set[Document], needed: int, seed: int) -> None:
    spread = Spreading(dict.fromkeys(documents, needed), PEOPLE, seed=seed).spread()
    loads = Counter(dict.fromkeys(PEOPLE, 0))
    loads.update(person for people in spread.values() for person in people)
    assert max(loads.values()) - min(loads.values()) <= 1


def test_pairs_are_mixed() -> None:
    spread = Spreading(dict.fromkeys(DOCUMENTS, 2), PEOPLE).spread()
    pairs = Counter(frozenset(people) for people in spread.values())
    assert len(pairs) == 6  # of four people
    assert max(pairs.values()) <= 12


@given(st.integers(0, 50))
@examples(50)
def test_topics_are_kept_together(seed: int) -> None:
    needs = {document: 2 if document.document in "13" else 1 for document in DOCUMENTS}
    spread = Spreading(needs, PEOPLE, keep_topics=True, seed=seed).spread()
    for topic in "789":
        of_topic = [people for document, people in spread.items() if document.topic == topic]
        assert len({person for people in of_topic for person in people}) == 2
        assert len(set.intersection(*map(set, of_topic))) == 1


# In a campaign


@pytest.fixture
def many(tmp_path: Path) -> Collection:
    return make_collection(tmp_path / "many", {f"d{n}": f"<p>Text {n}.</p>" for n in range(40)})


def pool_of(count: int) -> Pool:
    documents = tuple(PooledDocument(f"d{n}") for n in range(count))
    return Pool({"7": documents, "8": documents[:10]})


@pytest.fixture
def campaign_of_many(new_campaign: Maker, many: Collection) -> Campaign:
    campaign: Campaign = new_campaign(collection=many, pool=pool_of(30))
    for topic in ("7", "8"):
        for name in ("ann", "bob"):
            campaign.unassign(topic, name)
    campaign.add_user("cyd")
    return campaign


def queue(campaign: Campaign, name: str, topic: str = "7") -> list[str]:
    entries = campaign.queue(topic, campaign.user(name).id)
    assert not any(entry.off_pool for entry in entries)
    return [entry.document for entry in entries]


def judge(campaign: Campaign, name: str, document: str, topic: str = "7") -> None:
    user = campaign.user(name)
    done = campaign.submit(topic, document, user.id, user, [operation("not-relevant", 0)])
    assert done.failure is None


def test_everybody_sees_and_judges_only_their_own(campaign_of_many: Campaign) -> None:
    campaign = campaign_of_many
    trial = campaign.balance(BalanceOptions(), dry_run=True)
    assert queue(campaign, "ann") == [f"d{n}" for n in range(30)]  # nothing is assigned yet
    assert campaign.balance(BalanceOptions()) == trial
    queues = {name: queue(campaign, name) for name in ("ann", "bob", "cyd")}
    assert sorted(chain(*queues.values())) == sorted(f"d{n}" for n in range(30))
    shares = {share.user: share.documents for share in trial.shares}
    assert sorted(shares.values()) == [13, 13, 14]
    ann, (other, *_) = campaign.user("ann"), queues["bob"]
    with pytest.raises(NotInQueue, match="given to others"):
        judge(campaign, "ann", other)
    with pytest.raises(NotInQueue):
        campaign.add_time("7", other, ann.id, 3)
    campaign.add_outside("7", other, ann.id)  # found, and judged on purpose
    judge(campaign, "ann", other)
    assert queue(campaign, "ann") == [*queues["ann"], other]
    assert campaign.judgments()[0].off_pool is False
    assert campaign.progress(ann)[0].total == len(queues["ann"]) + 1
    assert campaign.uncovered_documents() == {}
    assert campaign.verify() == []


def test_a_share_is_judged_twice(campaign_of_many: Campaign) -> None:
    campaign = campaign_of_many
    balanced = campaign.balance(BalanceOptions(twice=0.2))
    assert (balanced.documents, balanced.several) == (40, 8)
    count = Counter(name for user in ("ann", "bob", "cyd") for name in queue(campaign, user))
    assert Counter(count.values()) == {1: 24, 2: 6}
    for name in ("ann", "bob", "cyd"):
        for document in queue(campaign, name):
            judge(campaign, name, document)
    again = campaign.balance(BalanceOptions(twice=0.2))
    assert {share.added for share in again.shares} == {share.withdrawn for share in again.shares}
    assert all(share.added == 0 for share in again.shares)


def test_what_was_begun_stays_when_people_and_pools_change(campaign_of_many: Campaign) -> None:
    campaign = campaign_of_many
    campaign.balance(BalanceOptions(seed=3))
    before = {name: queue(campaign, name) for name in ("ann", "bob", "cyd")}
    for name, documents in before.items():
        for document in documents[:4]:
            judge(campaign, name, document)
    campaign.add_time("7", before["bob"][4], campaign.user("bob").id, 30)  # begun to read
    campaign.set_active("cyd", False)
    campaign.add_user("dee")
    campaign.update_pool(pool_of(36))
    assert campaign.uncovered_documents() == {"7": 6}
    campaign.balance(BalanceOptions(seed=3))
    after = {name: queue(campaign, name) for name in ("ann", "bob", "cyd", "dee")}
    assert set(before["ann"][:4]) <= set(after["ann"])
    assert set(before["bob"][:5]) <= set(after["bob"])
    assert set(after["cyd"]) == set(before["cyd"][:4])
    assert sorted(chain(*after.values())) == sorted(f"d{n}" for n in range(36))
    loads = [len(after[name]) + len(queue(campaign, name, "8")) for name in ("ann", "bob", "dee")]
    assert max(loads) - min(loads) <= 1
    assert campaign.uncovered_documents() == {}


def test_whole_topics_count_and_stay(campaign_of_many: Campaign) -> None:
    campaign = campaign_of_many
    campaign.assign("7", "ann")
    campaign.balance(BalanceOptions())
    assert len(queue(campaign, "ann")) == 30
    assert [queue(campaign, name) for name in ("bob", "cyd")] != [[], []]  # nobody is assigned 7
    assert {row.topic for row in campaign.assignments() if row.by_document} == {"8"}
    assert campaign.assign("8", "bob")  # the whole topic, instead of some documents
    assert not campaign.assign("8", "bob")
    assert len(queue(campaign, "bob", "8")) == 10
    assert campaign.unassign("8", "cyd")
    assert ("8", "cyd") not in {(row.topic, row.user) for row in campaign.assignments()}


def test_a_balance_that_cannot_be(campaign_of_many: Campaign) -> None:
    campaign = campaign_of_many
    with pytest.raises(CampaignError, match="only 3"):
        campaign.balance(BalanceOptions(per_document=4))
    with pytest.raises(CampaignError, match="no effect"):
        BalanceOptions(per_document=2, twice=0.1)
    with pytest.raises(CampaignError, match="there is no topic '77'"):
        campaign.balance(BalanceOptions(), ["77"])
    with pytest.raises(CampaignError, match="there is no user 'nobody'"):
        campaign.balance(BalanceOptions(), None, ["nobody"])
    campaign.close_topic("7")
    with pytest.raises(CampaignError, match="closed"):
        campaign.balance(BalanceOptions(), ["7"])
    campaign.balance(BalanceOptions(per_document=2), None, ["ann", "bob"])
    assert len(queue(campaign, "ann", "8")) == len(queue(campaign, "bob", "8")) == 10
    assert campaign.assignments()[0].topic == "7"  # of adj, who adjudicates it


def test_backups_keep_shares_and_leave_invitations_out(
    campaign_of_many: Campaign, tmp_path: Path
) -> None:
    campaign = campaign_of_many
    campaign.balance(BalanceOptions(per_document=2))
    campaign.invite("ann")
    campaign.backup(tmp_path / "backup.jsonl")
    with Campaign.restore(tmp_path / "backup.jsonl", tmp_path / "again") as again:
        assert queue(again, "ann") == queue(campaign, "ann")
        assert again.assignments() == campaign.assignments()
        assert again.invitations() == []
        assert len(campaign.invitations()) == 1
