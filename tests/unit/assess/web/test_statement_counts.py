"""How often requests go to the database: a gesture seldom, the first page however many topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from sqlalchemy import Engine, event

from assess_client import TestClient, browser, highlight_tide
from doxeval.assess.db import Campaign
from doxeval.pooling import Pool, PooledDocument
from doxeval.topics import Topic


@dataclass
class Traffic:
    """Transactions and statements of some requests."""

    transactions: int = 0
    statements: int = 0


@contextmanager
def counted() -> Iterator[Traffic]:
    """Count what all engines do."""
    traffic = Traffic()

    def begun(*_: object) -> None:
        traffic.transactions += 1

    def executed(_: object, __: object, statement: str, *___: object) -> None:
        traffic.statements += not statement.startswith("BEGIN")  # which SQLite gets as a statement

    event.listen(Engine, "begin", begun)
    event.listen(Engine, "before_cursor_execute", executed)
    try:
        yield traffic
    finally:
        event.remove(Engine, "begin", begun)
        event.remove(Engine, "before_cursor_execute", executed)


def post(client: TestClient, operation: dict[str, object]) -> None:
    sent = {"user": "ann", "operations": [operation]}
    answer = client.post("/api/operations?topic=7&doc=tides", json=sent)
    assert answer.status_code == 200, answer.text


def test_a_gesture_takes_two_transactions_and_six_statements(
    campaign: Campaign, database_name: str
) -> None:
    client = browser(campaign, "ann")
    most = 6 if database_name == "sqlite" else 7  # PostgreSQL locks writers by a statement
    for version in range(3):
        with counted() as traffic:
            post(client, highlight_tide(version, f"op-{version}"))
        assert traffic.transactions <= 2
        assert traffic.statements <= most


@pytest.mark.parametrize("closed", [False, True])
def test_the_first_page_asks_as_much_for_many_topics_as_for_one(
    new_campaign: Callable[..., Campaign], closed: bool
) -> None:
    topics = [Topic(str(number), title="tides") for number in range(1, 18)]
    pool = Pool({topic.id: (PooledDocument("tides"), PooledDocument("salt")) for topic in topics})
    campaign = new_campaign(topics=topics, pool=pool)
    campaign.unassign("1", "bob")
    for topic in topics:
        campaign.assign(topic.id, "ann", "adjudicate")
        if topic.id != "1":
            campaign.unassign(topic.id, "bob")
        if closed:
            campaign.close_topic(topic.id)
    campaign.assign("1", "bob")
    traffic = {}
    for name in ("ann", "bob"):
        client = browser(campaign, name)
        client.get("/")  # orders of queues are remembered
        with counted() as traffic[name]:
            page = client.get("/").text
        assert page.count('<th scope="row"') == (34 if name == "ann" else 1)
    assert traffic["ann"].transactions == traffic["bob"].transactions <= 4
    assert traffic["ann"].statements <= traffic["bob"].statements + 1 <= 10
