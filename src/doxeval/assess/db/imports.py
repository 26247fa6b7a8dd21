"""Judgments that were not made in the browser: imported, adjudicated by a rule, or carried over.

Each is an operation of the log like any other: one that replaces the whole state.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection

from doxeval.assess.db import topics
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.judgments import Target, locked_row
from doxeval.assess.db.kept_articles import keep, packed
from doxeval.assess.db.submitting import Author, Failed, submit
from doxeval.assess.judging import Article, Mode, Operation, State
from doxeval.assessments import Ties


class NewState(NamedTuple):
    """What a judgment is to become."""

    target: Target
    state: State


@dataclass(frozen=True)
class Imported:
    """How many judgments were written, were so already, and were left as they are.

    A judgment that somebody worked on is replaced only if that was asked for; `kept` names those
    that were not, as (topic, document). `ties` are those of a majority.
    """

    written: int
    unchanged: int
    kept: tuple[tuple[str, str], ...] = ()
    ties: Ties = field(default_factory=Ties)


def write_states(
    connection: Connection,
    states: Sequence[NewState],
    mode: Mode,
    author: Author,
    article_of: Callable[[str], Article],
    replace: bool = False,
) -> Imported:
    """Write whole states, all of them or none."""
    written = unchanged = 0
    kept: list[tuple[str, str]] = []
    for target, state in states:
        article = article_of(target.document)
        topics.check_known(connection, target.topic)
        row = locked_row(connection, target, article.sha256, outside=True)
        current = State.from_json(row.state)
        if current == state and row.version:
            unchanged += 1
        elif row.version and current != State() and not replace:
            kept.append((target.topic, target.document))
        else:
            operation = import_operation(state, row.version)
            if state.is_relevant:
                keep(connection, target.document, article.sha256, packed(article))
            try:
                submit(connection, target, author, operation, article, mode)
            except Failed as failed:
                where = f"topic {target.topic}, document {target.document}"
                raise CampaignError(f"{where}: {failed.failure.message}") from failed
            written += 1
    return Imported(written, unchanged, tuple(kept))


def import_operation(state: State, base_version: int, op_id: str | None = None) -> Operation:
    """The operation that replaces a whole state."""
    new_id = op_id or f"import:{secrets.token_hex(12)}"
    return Operation(new_id, base_version, "import", value=state.as_json())
