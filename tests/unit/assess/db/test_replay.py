"""The log replays to the judgments that are stored, whatever was done to them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import text

from doxeval.assess.db import Campaign
from doxeval.assess.judging import State
from small_campaign import bep, database_of, highlight, work_at_random


def test_random_work_replays_to_the_same(campaign: Campaign) -> None:
    applied = work_at_random(campaign, 150, 1)
    assert applied > 80
    assert campaign.verify() == []
    assert sum(1 for _ in campaign.operations()) == applied


def test_what_was_altered_is_found(campaign: Campaign) -> None:
    work_at_random(campaign, 60, 2)
    ann = campaign.user("ann")
    state = State(highlights=((1, 2),), note="forged").as_json()
    changed = (
        "UPDATE judgments SET state = :state "
        "WHERE judge = :judge AND document = 'waves' AND version > 0"
    )
    with database_of(campaign) as to:
        assert to.execute(text(changed), {"state": json.dumps(state), "judge": ann.id}).rowcount
    (problem,) = [one for one in campaign.verify() if "another state" in one]
    assert problem.startswith("topic 7, document waves, judge")


@pytest.mark.parametrize("column", ["version", "change", "operation"])
def test_an_altered_log_is_found(campaign: Campaign, column: str) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 9, 0), bep(article, 5, 1)])
    assert campaign.verify() == []
    values: dict[str, Any] = {
        "version": 7,
        "change": json.dumps({"bep": [None, 3]}),
        "operation": json.dumps(
            {"base_version": 1, "kind": "bep", "start": 6, "quote": article.text[6:38]}
        ),
    }
    with database_of(campaign) as to:
        altered = text(f"UPDATE operations SET {column} = :value WHERE version = 2")
        assert to.execute(altered, {"value": values[column]}).rowcount == 1
    assert len(campaign.verify()) == 1


def test_a_lost_log_is_found(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("waves")
    campaign.submit("7", "waves", ann.id, ann, [highlight(article, 5, 9, 0)])
    with database_of(campaign) as to:
        to.exec_driver_sql("DELETE FROM operations")
    assert any("version 0" in one for one in campaign.verify())
    with database_of(campaign) as to:
        to.exec_driver_sql("DELETE FROM judgments")
    assert campaign.verify() == []
