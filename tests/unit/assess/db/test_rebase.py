"""Judgments carried over to a collection that was built again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from doxeval.assess.db import Campaign, CampaignError
from doxeval.assess.judging import State
from doxeval.documents import Collection
from doxeval.output import HAS_LOCKS
from small_campaign import DOCUMENTS, Answer, bep, highlight, make_collection, operation

Maker = Callable[..., Campaign]
WAVES = "<article><title>On waves</title><p>Wind makes waves 🌊 of all sizes.</p></article>"


@pytest.fixture
def own(tmp_path: Path) -> Collection:
    """A collection that may be destroyed."""
    return make_collection(tmp_path / "own")


def work(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    start = article.text.index("makes")
    sent = [
        highlight(article, start, start + 13, 0),
        bep(article, start, 1),
        operation("validate", 2),
    ]
    campaign.submit("7", "waves", ann.id, ann, sent)
    campaign.submit("7", "tides", ann.id, ann, [operation("not-relevant", 0)])


def test_a_document_that_was_merely_opened_does_not_stop_a_rebase(
    new_campaign: Maker, own: Collection, tmp_path: Path
) -> None:
    campaign = new_campaign(collection=own)
    work(campaign)
    ann, bob = campaign.user("ann"), campaign.user("bob")
    campaign.add_outside("7", "salt", ann.id)  # outside the pool
    campaign.add_time("8", "salt", bob.id, 3)  # in the pool
    campaign.close()
    left = {name: xml for name, xml in DOCUMENTS.items() if name != "salt"}
    new = make_collection(tmp_path / "new", left)
    report = Campaign.rebase(campaign.directory, new.directory)
    assert (report.unchanged, report.not_found) == (2, ())
    assert report.removed == (("7", "salt"), ("8", "salt"))
    with Campaign.open(campaign.directory) as again:
        assert "salt" not in [entry.document for entry in again.queue("7", ann.id)]
        assert again.verify() == []


@pytest.mark.parametrize("in_place", [False, True])
def test_highlights_move_with_their_text(
    new_campaign: Maker, own: Collection, tmp_path: Path, in_place: bool
) -> None:
    campaign = new_campaign(collection=own)
    work(campaign)
    campaign.place_honeypots([Answer("8", "waves", State(highlights=((0, 5),), bep=0))])
    campaign.close()
    new = make_collection(tmp_path / "new", {**DOCUMENTS, "waves": WAVES})
    place = new.directory
    if in_place:  # the old text is gone
        shutil.rmtree(own.directory)
        place = Path(shutil.move(new.directory, own.directory))
    with pytest.raises(CampaignError, match="doxeval assess rebase"):
        Campaign.open(campaign.directory, collection=place)
    report = Campaign.rebase(campaign.directory, place)
    assert (report.unchanged, report.moved, report.removed) == (1, 1, ())
    # The answer of the honeypot began with a title that has changed.
    assert {one.who for one in report.not_found} == {"honeypot"}
    with Campaign.open(campaign.directory) as again:
        ann, article = again.user("ann"), again.article("waves")
        stored = again.judgment("7", "waves", ann.id)
        (found,) = stored.state.highlights
        assert article.text[slice(*found)] == "makes waves 🌊"
        assert (stored.state.bep, stored.state.status) == (found[0], "validated")
        assert (stored.version, stored.can_undo) == (4, False)
        assert again.gold() == {}
        assert again.verify() == []
        assert again.submit("7", "waves", ann.id, ann, [operation("reopen", 4)]).failure is None
        assert again.verify() == []
        assert again.events()[-1].what == "rebased"


def test_what_has_no_certain_place_is_listed(
    new_campaign: Maker, own: Collection, tmp_path: Path
) -> None:
    campaign = new_campaign(collection=own)
    work(campaign)
    other = WAVES.replace("makes waves", "causes them")
    new = make_collection(tmp_path / "new", {**DOCUMENTS, "waves": other})
    report = Campaign.rebase(campaign.directory, new.directory)
    assert {(one.topic, one.document, one.who) for one in report.not_found} == {
        ("7", "waves", "ann")
    }
    assert any("makes waves" in one.what for one in report.not_found)
    with pytest.raises(CampaignError, match="another collection"):  # the one that is open is stale
        campaign.submit(
            "7", "waves", 3, campaign.user("ann"), [operation("note", 4, value="too late")]
        )
    with Campaign.open(campaign.directory) as again:
        state = again.judgment("7", "waves", again.user("ann").id).state
        assert (state.highlights, state.status) == ((), "open")
        assert again.verify() == []


def test_judged_documents_may_not_disappear(
    new_campaign: Maker, own: Collection, tmp_path: Path
) -> None:
    campaign = new_campaign(collection=own)
    work(campaign)
    fewer = {name: xml for name, xml in DOCUMENTS.items() if name != "waves"}
    new = make_collection(tmp_path / "new", fewer)
    with pytest.raises(CampaignError, match="lacks 1 document that were judged: waves"):
        Campaign.rebase(campaign.directory, new.directory)
    fewer = {name: xml for name, xml in DOCUMENTS.items() if name != "salt"}
    new = make_collection(tmp_path / "newer", fewer)
    assert Campaign.rebase(campaign.directory, new.directory).removed == (("8", "salt"),)


@pytest.mark.skipif(not HAS_LOCKS, reason="this system has no locks on files")
def test_no_rebase_under_a_running_server(campaign: Campaign, tmp_path: Path) -> None:
    new = make_collection(tmp_path / "new", {**DOCUMENTS, "waves": WAVES})
    with campaign.serving(), pytest.raises(CampaignError, match="a server is running"):
        Campaign.rebase(campaign.directory, new.directory)
