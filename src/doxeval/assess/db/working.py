"""What assessors do: walk their queue, and judge one document after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doxeval.assess.db import (
    judgments,
    queue,
    submitting,
    topics,
)
from doxeval.assess.db.failures import CampaignError
from doxeval.assess.db.judgments import Stored, Target
from doxeval.assess.db.kept_articles import PLACED
from doxeval.assess.db.open_campaign import OpenCampaign
from doxeval.assess.db.queue import ADJUDICATED, QueueEntry
from doxeval.assess.db.submitting import Author, Failed, Submitted
from doxeval.assess.db.users import User
from doxeval.assess.judging import Article, Operation
from doxeval.messages import quoted


class Working(OpenCampaign):
    """Queues and judgments."""

    def queue(self, topic: str, judge: int) -> list[QueueEntry]:
        """The documents of a topic in the order of a judge; judge 0 is the adjudication."""
        with self._database.read() as connection:
            topics.check_known(connection, topic)
            return self._queues.queue(connection, topic, judge)

    def next_document(self, topic: str, judge: int, after: str | None = None) -> str | None:
        """The next document to judge; None if all are done."""
        return queue.next_document(self.queue(topic, judge), after)

    def add_outside(self, topic: str, document: str, judge: int) -> str:
        """Let a judge assess a document outside the pool; its id in the collection."""
        article = self.article(document)
        target = Target(topic, article.document, judge)

        def change(connection: Any) -> None:
            topics.check_known(connection, topic)
            judgments.locked_row(connection, target, article.sha256, outside=True)

        self._database.write(change)
        return article.document

    def judgment(self, topic: str, document: str, judge: int) -> Stored:
        """A judgment as it stands; version 0 if nobody has touched it."""
        with self._database.read() as connection:
            return judgments.read(connection, Target(topic, document, judge))

    def submit(
        self, topic: str, document: str, judge: int, user: User, operations: Sequence[Operation]
    ) -> Submitted:
        """Carry out operations in order, each in its own transaction, until one fails."""
        if judge not in (user.id, ADJUDICATED):
            raise CampaignError(f"{quoted(user.name)} may not change the judgments of others")
        article = self.article(document)
        target = Target(topic, article.document, judge)
        author = Author(user.id, seal=self.collection.checksum)
        if not PLACED.isdisjoint(one.kind for one in operations):
            self._keep(article)
        return self._submitted(target, author, operations, article)

    def _submitted(
        self, target: Target, author: Author, operations: Sequence[Operation], article: Article
    ) -> Submitted:
        stored: Stored | None = None
        for number, operation in enumerate(operations):
            try:
                stored = self._database.write(
                    lambda to, one=operation: submitting.submit(  # type: ignore[misc]
                        to, target, author, one, article, self.mode
                    ),
                    alone=False,
                )
            except Failed as failed:
                current = self.judgment(*target)
                return Submitted(current, number, failed.failure)
        return Submitted(stored or self.judgment(*target), len(operations))

    def add_time(self, topic: str, document: str, judge: int, seconds: float) -> None:
        """Add to the time that a judge spent on a document."""
        article = self.article(document)
        target = Target(topic, article.document, judge)
        self._database.write(
            lambda to: judgments.add_time(to, target, article.sha256, seconds), alone=False
        )
