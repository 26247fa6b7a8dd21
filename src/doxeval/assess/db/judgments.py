"""Judgments as they are stored: one row for each topic, document and judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from doxeval.assess.db import pools, times
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.schema import JUDGMENTS
from doxeval.assess.judging import State
from doxeval.messages import quoted

MOST_SECONDS = 600


class Target(NamedTuple):
    """What is judged, and for whom: 0 is the judgment that adjudicators share."""

    topic: str
    document: str
    judge: int


@dataclass(frozen=True)
class Stored:
    """A judgment as it is stored; version 0 is one that nobody has touched."""

    version: int
    state: State
    can_undo: bool
    can_redo: bool
    seconds: float
    off_pool: bool
    updated_at: str | None


UNTOUCHED = Stored(0, State(), False, False, 0.0, False, None)


def row_is(target: Target) -> ColumnElement[bool]:
    """The condition that a row of the table is this judgment."""
    return and_(*(JUDGMENTS.c[name] == value for name, value in target._asdict().items()))


# Statements of the way that every operation takes are built once.
_ROW = select(JUDGMENTS).where(*(JUDGMENTS.c[name] == bindparam(name) for name in Target._fields))
_LOCKED_ROW = _ROW.with_for_update()


def read(connection: Connection, target: Target) -> Stored:
    """A judgment; the untouched one if there is none yet."""
    row = connection.execute(_ROW, target._asdict()).one_or_none()
    return UNTOUCHED if row is None else stored(row)


def locked_row(
    connection: Connection, target: Target, text_sha256: str, outside: bool = False
) -> Row[Any]:
    """The row of a judgment, locked until the transaction ends; a new one if there is none.

    A document outside the pool must have been added, unless `outside` allows it now.
    """
    row = connection.execute(_LOCKED_ROW, target._asdict()).one_or_none()
    if row is not None:
        return row
    pooled = pools.is_pooled(connection, target.topic, target.document)
    if not pooled and not outside:
        raise CampaignError(
            f"document {quoted(target.document)} is not in the pool of topic "
            f"{quoted(target.topic)}: add it first"
        )
    values = {
        **target._asdict(),
        "version": 0,
        "state": State().as_json(),
        "status": "open",
        "off_pool": not pooled,
        "seconds": 0.0,
        "undo": [],
        "redo": [],
        "text_sha256": text_sha256,
        "updated_at": times.now(),
    }
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(JUDGMENTS).values(**values).on_conflict_do_nothing())
    return connection.execute(_LOCKED_ROW, target._asdict()).one()


def add_time(connection: Connection, target: Target, text_sha256: str, seconds: float) -> None:
    """Add to the time that was spent on a document."""
    if not 0 <= seconds <= MOST_SECONDS:
        raise CampaignError(f"expected 0 to {MOST_SECONDS} seconds")
    locked_row(connection, target, text_sha256)
    chosen = update(JUDGMENTS).where(row_is(target))
    connection.execute(chosen.values(seconds=JUDGMENTS.c.seconds + seconds))


def stored(row: Row[Any]) -> Stored:
    """A row of the table as a value."""
    return Stored(
        row.version,
        State.from_json(row.state),
        bool(row.undo),
        bool(row.redo),
        row.seconds,
        bool(row.off_pool),
        row.updated_at,
    )
