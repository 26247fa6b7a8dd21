"""How far each assessor is with each topic."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from doxeval.assess.db import assignments, users
from doxeval.assess.db.queue import ADJUDICATED, Queues
from doxeval.assess.db.schema import JUDGMENTS


@dataclass(frozen=True)
class Progress:
    """One user's part in one topic: documents validated, of how many, and what was found.

    seconds: the time spent on its documents, of all adjudicators together.
    """

    topic: str
    user: str
    part: assignments.Part
    done: int
    total: int
    relevant: int
    problems: int
    skipped: int
    seconds: float


def progress(connection: Connection, queues: Queues) -> list[Progress]:
    """The progress of every assignment."""
    ids = {user.name: user.id for user in users.all_users(connection)}
    spent = _seconds(connection)
    return [
        _of_one(connection, queues, one, ids[one.user], spent)
        for one in assignments.all_assignments(connection)
    ]


def _of_one(
    connection: Connection,
    queues: Queues,
    assignment: assignments.Assignment,
    user_id: int,
    spent: dict[tuple[str, int], float],
) -> Progress:
    judge = ADJUDICATED if assignment.part == "adjudicate" else user_id
    entries = queues.queue(connection, assignment.topic, judge)
    return Progress(
        assignment.topic,
        assignment.user,
        assignment.part,
        sum(entry.is_done for entry in entries),
        len(entries),
        sum(entry.is_done and entry.relevant for entry in entries),
        sum(entry.problem for entry in entries),
        sum(entry.status == "skipped" for entry in entries),
        spent.get((assignment.topic, judge), 0.0),
    )


def _seconds(connection: Connection) -> dict[tuple[str, int], float]:
    table = JUDGMENTS.c
    spent: dict[tuple[str, int], float] = {}
    for topic, judge, seconds in connection.execute(
        select(table.topic, table.judge, table.seconds)
    ):
        spent[topic, judge] = spent.get((topic, judge), 0.0) + seconds
    return spent
