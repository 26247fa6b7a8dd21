"""What organisers decide: topics, who judges them, and the pool."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from doxeval.assess.db import (
    assignments,
    gold,
    opening,
    pools,
    progress,
    topics,
    users,
)
from doxeval.assess.db.assignments import Assignment, Part
from doxeval.assess.db.gold import Known
from doxeval.assess.db.open_campaign import OpenCampaign, id_of, name_of
from doxeval.assess.db.pools import PoolUpdate
from doxeval.assess.db.progress import Progress
from doxeval.assess.db.topics import CampaignTopic
from doxeval.assess.db.users import User
from doxeval.assess.judging import State
from doxeval.pooling import Pool, PooledElement


class Planning(OpenCampaign):
    """Topics, assignments, keywords and the pool."""

    def topics(self) -> list[CampaignTopic]:
        """All topics, in their order."""
        with self._database.read() as connection:
            return topics.all_topics(connection)

    def topic(self, topic: str) -> CampaignTopic:
        """One topic; there must be one of this id."""
        with self._database.read() as connection:
            topics.check_known(connection, topic)
            return next(one for one in topics.all_topics(connection) if one.id == topic)

    def close_topic(self, topic: str, by: User | None = None) -> None:
        """Close a topic: its judgments can no longer be changed."""
        self._database.write(lambda to: topics.set_closed(to, topic, True, id_of(by)))

    def reopen_topic(self, topic: str, by: User | None = None) -> None:
        """Open a closed topic again."""
        self._database.write(lambda to: topics.set_closed(to, topic, False, id_of(by)))

    def assign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Give a user a part in a topic (by default, the one of the role); whether it is new."""

        def change(connection: Any) -> bool:
            who = users.by_name(connection, name_of(user))
            chosen = part or ("adjudicate" if who.role == "adjudicator" else "assess")
            return assignments.assign(connection, topic, who, chosen, id_of(by))

        return self._database.write(change)

    def unassign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Take a part in a topic from a user (by default, the one of the role)."""

        def change(connection: Any) -> bool:
            who = users.by_name(connection, name_of(user))
            chosen = part or ("adjudicate" if who.role == "adjudicator" else "assess")
            return assignments.unassign(connection, topic, who, chosen, id_of(by))

        return self._database.write(change)

    def assignments(self) -> list[Assignment]:
        """All assignments."""
        with self._database.read() as connection:
            return assignments.all_assignments(connection)

    def parts(self, user: User, topic: str) -> set[Part]:
        """The parts of a user in a topic."""
        with self._database.read() as connection:
            return assignments.parts(connection, user.id, topic)

    def keywords(self, topic: str, user: User) -> list[str] | None:
        """The words a user has coloured; None if they were never chosen."""
        with self._database.read() as connection:
            return topics.keywords(connection, topic, user.id)

    def set_keywords(self, topic: str, user: User, words: Iterable[str]) -> None:
        """Choose the words that are coloured for a user."""
        chosen = list(words)
        self._database.write(lambda to: topics.set_keywords(to, topic, user.id, chosen))

    # The pool

    def update_pool(self, pool: Pool) -> PoolUpdate:
        """Take over a new pool. Documents that somebody began to judge are never removed."""
        known = opening.known_in(self.collection)
        return self._database.write(lambda to: pools.update_pool(to, pool, known))

    def place_honeypots(self, known: Iterable[Known]) -> int:
        """Place documents with a known answer in the queues; the number of those not pooled.

        Where a document is in the pool already, it becomes a honeypot at its place.
        """
        given = list(known)
        return self._database.write(lambda to: gold.place(to, self.settings, given, self.article))

    def gold(self) -> dict[tuple[str, str], State]:
        """The known answers of the honeypots, by topic and document."""
        with self._database.read() as connection:
            return gold.gold(connection)

    def pooled_elements(self, topic: str, document: str) -> tuple[PooledElement, ...] | None:
        """The parts of a document that runs returned; None if it is not in the pool."""
        with self._database.read() as connection:
            return pools.elements(connection, topic, document)

    def progress(self) -> list[Progress]:
        """How far every assignment is."""
        with self._database.read() as connection:
            return progress.progress(connection, self._queues)
