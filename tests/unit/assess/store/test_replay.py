"""The log replays to the judgments that are stored, whatever was done to them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from doxeval.assess.judging import State
from doxeval.assess.store import JUDGMENTS, OPERATIONS, Campaign
from small_campaign import bep, highlight, work_at_random


def test_random_work_replays_to_the_same(campaign: Campaign) -> None:
    applied = work_at_random(campaign, 150, 1)
    assert applied > 80
    assert campaign.verify() == []
    assert sum(1 for _ in campaign.operations()) == applied


def test_what_was_altered_is_found(campaign: Campaign) -> None:
    work_at_random(campaign, 60, 2)
    ann = campaign.user("ann")
    changed = update(JUDGMENTS).where(
        JUDGMENTS.c.judge == ann.id, JUDGMENTS.c.document == "waves", JUDGMENTS.c.version > 0
    )
    state = State(highlights=((1, 2),), note="forged").as_json()
    assert campaign._database.write(lambda to: to.execute(changed.values(state=state))).rowcount
    (problem,) = [one for one in campaign.verify() if "another state" in one]
    assert problem.startswith("topic 7, document waves, judge")


@pytest.mark.parametrize("column", ["version", "change", "operation"])
def test_an_altered_log_is_found(campaign: Campaign, column: str) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 9, 0), bep(article, 5, 1)])
    assert campaign.verify() == []
    values: dict[str, Any] = {
        "version": 7,
        "change": {"bep": [None, 3]},
        "operation": {"base_version": 1, "kind": "bep", "start": 6, "quote": article.text[6:38]},
    }
    altered = update(OPERATIONS).where(OPERATIONS.c.version == 2).values({column: values[column]})
    campaign._database.write(lambda to: to.execute(altered))
    assert len(campaign.verify()) == 1


def test_a_lost_log_is_found(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 9, 0)])
    campaign._database.write(lambda to: to.execute(OPERATIONS.delete()))
    assert any("version 0" in one for one in campaign.verify())
    campaign._database.write(lambda to: to.execute(JUDGMENTS.delete()))
    assert campaign.verify() == []
