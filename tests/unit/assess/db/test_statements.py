"""How many statements the database gets: few for a gesture, and no more for more topics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from doxeval.assess.db import Campaign
from small_campaign import highlight

LOCKS = ("BEGIN", "SELECT pg_advisory_xact_lock")


@contextmanager
def counted(campaign: Campaign) -> Iterator[list[str]]:
    """The statements that are executed meanwhile, without those that begin transactions."""
    statements: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: object) -> None:
        if not statement.startswith(LOCKS):
            statements.append(statement)

    event.listen(campaign.database.engine, "before_cursor_execute", note)
    yield statements
    event.remove(campaign.database.engine, "before_cursor_execute", note)


def test_a_gesture_takes_at_most_six_statements(campaign: Campaign) -> None:
    ann, article = campaign.user("ann"), campaign.article("tides")
    token = campaign.open_session(ann)
    for version, most in enumerate((6, 5, 5)):
        with counted(campaign) as statements:
            session = campaign.session(token, "7")
            assert session is not None and session.parts == {"assess"}
            gesture = highlight(article, 6 * version, 6 * version + 4, version)
            assert campaign.submit("7", "tides", ann.id, ann, [gesture]).failure is None
        assert len(statements) <= most, statements


def test_progress_takes_as_many_statements_for_one_topic_as_for_two(campaign: Campaign) -> None:
    ann = campaign.user("ann")
    with counted(campaign) as for_two:
        assert len(campaign.progress(ann)) == 2
    campaign.unassign("8", "ann")
    with counted(campaign) as for_one:
        assert len(campaign.progress(ann)) == 1
    assert len(for_one) <= len(for_two) <= 4


def test_a_topic_and_a_user_are_looked_up_by_themselves(campaign: Campaign) -> None:
    for look_up in (lambda: campaign.topic("7"), lambda: campaign.user("ann")):
        with counted(campaign) as statements:
            look_up()
        assert len(statements) == 1
