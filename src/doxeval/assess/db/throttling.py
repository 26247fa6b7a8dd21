"""Wrong passwords slow down whoever tries them.

Every attempt counts as a failure until its password proves right, so many attempts at once gain
nothing. Three counts of the last quarter of an hour matter: of a name from one address, of a name
from anywhere, of an address with any name. The last two have more patience: a stranger must not be
able to lock an assessor out, nor one assessor a whole institute.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Text, and_, delete, func, insert, select

from doxeval.assess.db import times
from doxeval.assess.db.failures import Throttled
from doxeval.assess.db.schema import LOGIN_FAILURES

WINDOW = 15 * 60  # seconds
FREE, FREE_FROM_ANYWHERE = 5, 50
_LONGEST_WAIT = 300  # seconds


def count_attempt(connection: Connection, name: str, address: str) -> None:
    """Count an attempt to sign in; a Throttled if it came too soon after too many others."""
    now = times.now()
    table = LOGIN_FAILURES.c
    connection.execute(delete(LOGIN_FAILURES).where(table.at < times.later(now, -WINDOW)))
    by_name, by_address = table.name == name, table.address == address
    for condition, free in (
        (and_(by_name, by_address), FREE),
        (by_name, FREE_FROM_ANYWHERE),
        (by_address, FREE_FROM_ANYWHERE),
    ):
        _check(connection, condition, free, now)
    connection.execute(insert(LOGIN_FAILURES).values(name=name, address=address, at=now))


def forget_attempts(connection: Connection, name: str, address: str) -> None:
    """The password was right: earlier failures of this name from this address are forgotten."""
    table = LOGIN_FAILURES.c
    connection.execute(delete(LOGIN_FAILURES).where(table.name == name, table.address == address))


def wait_after(failures: int, free: int) -> int:
    """How many seconds after the last of some failures the next attempt may come.

    >>> [wait_after(failures, 5) for failures in (4, 5, 6, 8, 20)]
    [0, 1, 2, 8, 300]
    """
    return 0 if failures < free else min(_LONGEST_WAIT, 2 ** min(failures - free, 20))


def _check(connection: Connection, condition: ColumnElement[bool], free: int, now: str) -> None:
    counted = select(func.count(), func.max(LOGIN_FAILURES.c.at, type_=Text())).where(condition)
    failures, last = connection.execute(counted).one()
    wait = wait_after(failures, free)
    left = wait - times.seconds_between(last, now) if wait else 0
    if left > 0:
        raise Throttled(int(left) + 1)
