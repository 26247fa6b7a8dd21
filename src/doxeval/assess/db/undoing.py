"""Undo and redo: two stacks of versions, kept with the judgment; the log has their changes."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from doxeval.assess.db.judgments import Target
from doxeval.assess.db.schema import OPERATIONS
from doxeval.assess.judging import Change, Refused, State, redone, undone

MOST_STEPS = 1000


@dataclass(frozen=True)
class Stacks:
    """Versions whose operations can be undone, and those that can be redone; the last is next."""

    undo: tuple[int, ...] = ()
    redo: tuple[int, ...] = ()


@dataclass(frozen=True)
class Step:
    """A state after an operation, and the stacks that go with it."""

    after: State
    stacks: Stacks


def done(before: State, after: State, stacks: Stacks, version: int) -> Step:
    """An ordinary operation made this version; if it changed anything, it can be undone.

    >>> done(State(), State(note="tides"), Stacks((1,), (2,)), 3).stacks
    Stacks(undo=(1, 3), redo=())
    >>> done(State(), State(), Stacks((1,), (2,)), 3).stacks
    Stacks(undo=(1,), redo=(2,))
    """
    if before == after:
        return Step(after, stacks)
    return Step(after, Stacks((*stacks.undo, version)[-MOST_STEPS:], ()))


def version_of(kind: str, stacks: Stacks) -> int:
    """The version whose change an undo or a redo takes; it is refused if there is none."""
    versions = stacks.undo if kind == "undo" else stacks.redo
    if not versions:
        raise Refused(f"nothing-to-{kind}", f"There is nothing to {kind}.")
    return versions[-1]


def taken_back(kind: str, before: State, stacks: Stacks, change: Change) -> Step:
    """The change of the last version, undone or redone."""
    if kind == "undo":
        version = stacks.undo[-1]
        moved = Stacks(stacks.undo[:-1], (*stacks.redo, version))
        return Step(undone(before, change), moved)
    version = stacks.redo[-1]
    moved = Stacks((*stacks.undo, version)[-MOST_STEPS:], stacks.redo[:-1])
    return Step(redone(before, change), moved)


def logged_change(connection: Connection, target: Target, version: int) -> Change:
    """What an operation changed, from the log."""
    table = OPERATIONS.c
    query = select(table.change).where(
        table.topic == target.topic,
        table.document == target.document,
        table.judge == target.judge,
        table.version == version,
    )
    return Change.from_json(connection.execute(query).scalar_one())
