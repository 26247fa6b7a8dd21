"""An open campaign: its database, its collection, and the trail of what happened."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from doxeval.assess.db import (
    audit,
    kept_articles,
    opening,
    settings,
)
from doxeval.assess.db.audit import Event
from doxeval.assess.db.places import server_lock
from doxeval.assess.db.queue import Queues
from doxeval.assess.db.settings import Settings
from doxeval.assess.db.users import User
from doxeval.assess.judging import Article, Mode
from doxeval.documents import Collection

_ARTICLES_KEPT = 64  # more than assessors work at once


class OpenCampaign:
    """What all parts of a campaign share."""

    def __init__(self, directory: Path, opened: opening.Opened) -> None:
        self.directory = directory
        self.facts = opened.facts
        self.collection: Collection = opened.collection
        self.notices = opened.notices
        self._database = opened.database
        self._articles: OrderedDict[str, Article] = OrderedDict()
        self._articles_lock = threading.Lock()
        self._kept: set[str] = set()  # hashes of texts that the database keeps
        with self._database.read() as connection:
            self.settings: Settings = settings.load(connection)
        self._queues = Queues(self.settings)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Hold the lock of the one server that may run on this directory."""
        with server_lock(self.directory, "start another one"):
            yield

    @property
    def mode(self) -> Mode:
        """What is judged: highlights, or grades of elements."""
        return self.settings.mode

    def article(self, document: str) -> Article:
        """A document of the collection as the rules see it; the last few are kept."""
        with self._articles_lock:
            article = self._articles.get(document)
            if article is not None:
                self._articles.move_to_end(document)
                return article
        article = Article.of(self.collection, document)
        with self._articles_lock:
            self._articles[document] = article
            while len(self._articles) > _ARTICLES_KEPT:
                self._articles.popitem(last=False)
        return article

    def _keep(self, article: Article) -> None:
        """Keep a document as it is judged; once is enough."""
        if article.sha256 not in self._kept:
            packed = kept_articles.packed(article)
            document, sha256 = article.document, article.sha256
            self._database.write(
                lambda to: kept_articles.keep(to, document, sha256, packed), alone=False
            )
            self._kept.add(sha256)

    def note_event(self, what: str, user: User | None = None, **details: Any) -> None:
        """Add an event to the audit trail."""
        self._database.write(lambda to: audit.note(to, what, id_of(user), **details))

    def events(self) -> list[Event]:
        """The audit trail."""
        with self._database.read() as connection:
            return audit.events(connection)


def id_of(user: User | None) -> int | None:
    """The id of a user; None for the command line."""
    return None if user is None else user.id


def name_of(user: str | User) -> str:
    """The name of a user who is given, or named."""
    return user if isinstance(user, str) else user.name
