"""How a campaign goes on: documents done day by day, and when it may end.

A document is done on the day on which its assessor first validated it; judgments that were imported
were done by nobody that day, so they count in the sums and not in anybody's pace. Adjudication is
left out.

The pace of an assessor is that of the last week, or of the time since the first document, if that
is shorter, days without work included. The campaign ends when the slowest assessor does. Without a
day of work nothing can be told, nor if somebody who has documents left did none in the last week.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Text, case, func, select

from doxeval.assess.db import session
from doxeval.assess.db.queue import AssignmentProgress
from doxeval.assess.db.schema import ASSIGNMENTS, JUDGMENTS, OPERATIONS, USERS
from doxeval.messages import join_names, plural

WINDOW = 7  # days
_LONGEST_BY_DAY = 31
_DAY = 24 * 3600
_FAR = 3650  # days; nobody plans for longer
_FINISHING = ("validate", "not-relevant", "import")


@dataclass(frozen=True)
class DayCount:
    """Documents done until the end of a day (or of a week that ends on it), and in that time."""

    day: date
    done: int
    new: int


@dataclass(frozen=True)
class AssessorPace:
    """How far an assessor is: done, left, done in the last week, and when all may be done.

    end: None if nothing is left, or if it cannot be told.
    """

    user: str
    done: int
    left: int
    recent: int
    per_day: float
    end: date | None


@dataclass(frozen=True)
class Pace:
    """How far a campaign is, and when it may end; `outlook` says it in a sentence.

    days: those since the first document, or weeks if these are many. left: in topics that are open.
    """

    days: tuple[DayCount, ...]
    people: tuple[AssessorPace, ...]
    done: int
    total: int
    left: int
    end: date | None
    outlook: str

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for JSON.

        >>> Pace((), (), 0, 0, 0, None, "").as_dict()["end"]
        """
        return {
            "done": self.done,
            "total": self.total,
            "left": self.left,
            "end": None if self.end is None else self.end.isoformat(),
            "outlook": self.outlook,
            "days": [
                {"day": each.day.isoformat(), "done": each.done, "new": each.new}
                for each in self.days
            ],
        }


def pace(connection: Connection, progress: Iterable[AssignmentProgress], closed: set[str]) -> Pace:
    """Return how a campaign goes on."""
    rows = [row for row in progress if row.part == "assess"]
    names = {row.user for row in rows}
    now = _moment(session.now())
    first, finished = Counter[date](), list(_finished(connection, names))
    for _, at, _ in finished:
        first[at.date()] += 1
    done, left = Counter[str](), Counter[str]()
    for row in rows:
        done[row.user] += row.done
        left[row.user] += 0 if row.topic in closed else row.total - row.done
    by_hand = [at for _, at, is_by_hand in finished if is_by_hand]
    people = tuple(
        _of_assessor(
            user,
            done[user],
            left[user],
            [at for who, at, is_by_hand in finished if who == user and is_by_hand],
            now,
        )
        for user in sorted(names)
    )
    if not _is_known(by_hand, now):
        people = tuple(replace(person, end=None) for person in people)
    end, outlook = _outlook(people, by_hand, now)
    total = sum(row.total for row in rows)
    days = tuple(_days(first, now.date()))
    return Pace(days, people, sum(done.values()), total, sum(left.values()), end, outlook)


def _finished(connection: Connection, names: set[str]) -> Iterable[tuple[str, datetime, bool]]:
    """Yield who did a document of those assigned to them, when, and whether by hand."""
    logged, judged, assigned = OPERATIONS.c, JUDGMENTS.c, ASSIGNMENTS.c
    by_hand = case((logged.kind != "import", logged.server_time))
    times = (
        select(
            logged.topic,
            logged.document,
            logged.judge,
            func.min(logged.server_time).label("at"),
            func.min(by_hand, type_=Text()).label("by_hand"),
        )
        .where(logged.kind.in_(_FINISHING), logged.judge != 0)
        .group_by(logged.topic, logged.document, logged.judge)
        .subquery()
    )
    query = (
        select(USERS.c.name, times.c.at, times.c.by_hand)
        .join(USERS, USERS.c.id == times.c.judge)
        .join(
            JUDGMENTS,
            (judged.topic == times.c.topic)
            & (judged.document == times.c.document)
            & (judged.judge == times.c.judge),
        )
        .join(
            ASSIGNMENTS,
            (assigned.topic == times.c.topic)
            & (assigned.user_id == times.c.judge)
            & (assigned.part == "assess"),
        )
        .where(judged.status == "validated", USERS.c.program.is_(None))
        .order_by(times.c.at)
    )
    for name, at, counted in connection.execute(query):
        if name in names:
            yield name, _moment(at), counted == at


def _moment(time: str) -> datetime:
    return datetime.fromisoformat(time)


def _days(new: Mapping[date, int], today: date) -> Iterable[DayCount]:
    if not new:
        return
    day = min(new)
    last = max(today, *new)
    step = 1 if (last - day).days < _LONGEST_BY_DAY else WINDOW
    done = 0
    while day <= last:
        until = min(day + timedelta(days=step - 1), last)
        fresh = sum(new.get(day + timedelta(days=n), 0) for n in range((until - day).days + 1))
        done += fresh
        yield DayCount(until, done, fresh)
        day = until + timedelta(days=1)


def _window(times: list[datetime], now: datetime) -> tuple[int, float]:
    """Return how many were done lately, and in how many days; no time is shorter than a day."""
    since = now - timedelta(days=WINDOW)
    recent = sum(at >= since for at in times)
    length = min((now - times[0]).total_seconds() / _DAY, WINDOW) if times else 0.0
    return recent, max(length, 1.0)


def _is_known(times: list[datetime], now: datetime) -> bool:
    """Tell whether there was at least a day of work, from which anything can be told."""
    return bool(times) and (now - times[0]).total_seconds() >= _DAY


def _of_assessor(
    user: str, done: int, left: int, times: list[datetime], now: datetime
) -> AssessorPace:
    recent, days = _window(times, now)
    per_day = recent / days
    end = _after(now, left / per_day) if left and per_day else None
    return AssessorPace(user, done, left, recent, per_day, end)


def _after(now: datetime, days: float) -> date:
    return (now + timedelta(days=min(days, _FAR))).date()


def _outlook(
    people: Iterable[AssessorPace], times: list[datetime], now: datetime
) -> tuple[date | None, str]:
    """Return when everything may be done, and a sentence about it."""
    busy = [person for person in people if person.left]
    left = sum(person.left for person in busy)
    if not left:
        return None, "Nothing is left to do."
    documents = f"{plural(left, 'document')} {'is' if left == 1 else 'are'} left"
    if not _is_known(times, now):
        return None, f"{documents}. When they will be done is not yet known: work has just begun."
    idle = [person.user for person in busy if not person.recent]
    recent, days = _window(times, now)
    lately = f"{recent / days:,.1f} documents a day in the last {plural(round(days), 'day')}"
    if idle:
        those = f"{join_names(idle, 4)}, who did none in the last {WINDOW} days,"
        some = f"{those} {'has' if len(idle) == 1 else 'have'} documents left"
        shared = ""
        if recent:
            day = _after(now, left * days / recent)
            shared = f" If others took over, at {lately}, it would be about {day}."
        return None, f"{documents}. When they will be done is not yet known: {some}.{shared}"
    end = max(person.end for person in busy if person.end is not None)
    return end, f"{documents}, with {lately}. At everybody's pace they will be done about {end}."
