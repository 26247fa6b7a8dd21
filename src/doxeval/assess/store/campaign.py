"""A campaign: topics, the pool, the people who judge it, and what they said.

This is the front of the store: every method is one transaction, or one look at the database. The
work is done by the other files of this package.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from doxeval.assess.agreement.adjudication import adjudicated_by
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.exchange.log import LoggedOperation
from doxeval.assess.judging import Article, Mode, Operation, State
from doxeval.assess.store import (
    assignments,
    audit,
    backup,
    gold,
    imports,
    judgments,
    kept_articles,
    listing,
    opening,
    passwords,
    pools,
    progress,
    queue,
    replay,
    sessions,
    settings,
    submitting,
    throttling,
    topics,
    users,
)
from doxeval.assess.store.assignments import Assignment, Part
from doxeval.assess.store.audit import Event
from doxeval.assess.store.engine import is_storable
from doxeval.assess.store.failures import CampaignError
from doxeval.assess.store.gold import Known
from doxeval.assess.store.imports import Imported, NewState
from doxeval.assess.store.judgments import Stored, Target
from doxeval.assess.store.kept_articles import PLACED
from doxeval.assess.store.places import server_lock
from doxeval.assess.store.pools import PoolUpdate
from doxeval.assess.store.progress import Progress
from doxeval.assess.store.queue import ADJUDICATED, QueueEntry
from doxeval.assess.store.rebase import RebaseReport
from doxeval.assess.store.settings import Order, Settings, Snap
from doxeval.assess.store.submitting import Author, Failed, Submitted
from doxeval.assess.store.topics import CampaignTopic
from doxeval.assess.store.users import User
from doxeval.assessments.merge import Merge
from doxeval.documents import Collection
from doxeval.pooling import Pool, PooledElement
from doxeval.topics import Topic
from doxeval.wording import brief

_ARTICLES_KEPT = 16


class Campaign:
    """A campaign in its directory, open for work. Many threads may use it at once.

    >>> import tempfile
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.pooling import PooledDocument
    >>> collection = example_collection({"a": "<p>Low tide.</p>", "b": "<p>High tide.</p>"})
    >>> campaign = Campaign.create(
    ...     Path(tempfile.mkdtemp()) / "campaign",
    ...     collection=collection.directory,
    ...     topics=[Topic("7", title="tides")],
    ...     pool=Pool({"7": (PooledDocument("b"), PooledDocument("a"))}),
    ... )
    >>> ann, password = campaign.add_user("ann")
    >>> campaign.assign("7", "ann")
    True
    >>> [entry.document for entry in campaign.queue("7", ann.id)]
    ['b', 'a']
    >>> highlight = Operation("op-1", 0, "highlight", start=5, end=9, quote="tide")
    >>> submitted = campaign.submit("7", "b", ann.id, ann, [highlight])
    >>> submitted.stored.version, submitted.stored.state.highlights
    (1, ((5, 9),))
    >>> campaign.submit("7", "b", ann.id, ann, [highlight]).stored.version  # sent again
    1
    >>> campaign.close()
    """

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

    @classmethod
    def create(
        cls,
        directory: str | Path,
        *,
        collection: str | Path,
        topics: Sequence[Topic],
        pool: Pool,
        mode: Mode = "2006",
        order: Order = "pool",
        seed: int = 0,
        show_pooled: bool = False,
        display: Mapping[str, str] | None = None,
        database: str | None = None,
        snap: Snap = "characters",
        title: str = "",
        admin: tuple[str, str] | None = None,
    ) -> Campaign:
        """Make a campaign in a new directory, and open it.

        `database` is the URL of a PostgreSQL database; without one, SQLite is used. `admin` is the
        name and the password of the first user.
        """
        chosen = Settings(mode, order, seed, show_pooled, display or {}, snap, title)
        place = Path(directory)
        opening.create(place, Collection(collection), topics, pool, chosen, database, admin)
        return cls.open(place)

    @classmethod
    def open(cls, directory: str | Path, collection: str | Path | None = None) -> Campaign:
        """Open a campaign; `notices` says what was done on the way, such as a migration.

        If its collection was moved, `collection` says where it is now; this is remembered.
        """
        place = Path(directory)
        moved = None if collection is None else Path(collection)
        return cls(place, opening.open_directory(place, moved))

    @classmethod
    def restore(
        cls,
        path: str | Path,
        directory: str | Path,
        *,
        collection: str | Path | None = None,
        database: str | None = None,
    ) -> Campaign:
        """Make a campaign from a backup in a new directory, and open it."""
        place = None if collection is None else Path(collection)
        backup.restore(Path(path), Path(directory), place, database)
        return cls.open(directory)

    @staticmethod
    def rebase(directory: str | Path, collection: str | Path) -> RebaseReport:
        """Carry the judgments over to a collection that was built again; no server may run.

        Highlights and entry points go where their text stands now. What has no certain place is in
        the report, and its judgment is open again.
        """
        return opening.rebase_directory(Path(directory), Path(collection))

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Campaign:
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

    # Users

    def add_user(
        self, name: str, role: str = "assessor", password: str | None = None
    ) -> tuple[User, str]:
        """Add a user; without a password, a random one is made. It is kept nowhere but here."""
        chosen = users.password_or_new(password)
        users.check_name(name)
        hashed = passwords.hashed(chosen)
        return self._database.write(lambda to: users.add(to, name, role, hashed)), chosen

    def users(self) -> list[User]:
        """All users."""
        with self._database.read() as connection:
            return users.all_users(connection)

    def user(self, name: str) -> User:
        """The user of a name; there must be one."""
        with self._database.read() as connection:
            return users.by_name(connection, name)

    def set_password(self, name: str, password: str | None = None) -> str:
        """Give a user a new password, and end all of the user's sessions."""
        chosen = users.password_or_new(password)
        hashed = passwords.hashed(chosen)

        def change(connection: Any) -> None:
            user = users.set_password_hash(connection, name, hashed)
            sessions.close_sessions(connection, user.id)

        self._database.write(change)
        return chosen

    def set_active(self, name: str, active: bool) -> User:
        """Let a user sign in, or no longer; then all of the user's sessions end."""

        def change(connection: Any) -> User:
            user = users.set_active(connection, name, active)
            if not active:
                sessions.close_sessions(connection, user.id)
            return user

        return self._database.write(change)

    def check_password(self, name: str, password: str, address: str) -> User | None:
        """The user, if the password is right; a Throttled after too many wrong ones."""
        if not is_storable(name + address):
            return None
        self._database.write(lambda to: throttling.count_attempt(to, name, address))
        with self._database.read() as connection:
            found = users.with_hash(connection, name)
        if not passwords.is_right(password, found[1] if found else None) or found is None:
            self.note_event("sign-in failed", name=name, address=address)
            return None
        self._database.write(lambda to: throttling.forget_attempts(to, name, address))
        return found[0]

    # Sessions

    def open_session(self, user: User) -> str:
        """Sign a user in; the token that the browser keeps."""

        def change(connection: Any) -> str:
            audit.note(connection, "signed in", user.id)
            return sessions.open_session(connection, user.id)

        return self._database.write(change)

    def session_user(self, token: str) -> User | None:
        """The user of a session; None if it is over."""
        with self._database.read() as connection:
            found = sessions.user_of(connection, token)
            user = users.by_id(connection, found[0]) if found else None
        if found and found[1]:
            self._database.write(lambda to: sessions.note_use(to, token), alone=False)
        return user

    def close_session(self, token: str) -> None:
        """End a session."""
        self._database.write(lambda to: sessions.close_session(to, token))

    def close_sessions(self, user: User) -> None:
        """End all sessions of a user."""
        self._database.write(lambda to: sessions.close_sessions(to, user.id))

    # Topics and assignments

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
        self._database.write(lambda to: topics.set_closed(to, topic, True, _id(by)))

    def reopen_topic(self, topic: str, by: User | None = None) -> None:
        """Open a closed topic again."""
        self._database.write(lambda to: topics.set_closed(to, topic, False, _id(by)))

    def assign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Give a user a part in a topic (by default, the one of the role); whether it is new."""

        def change(connection: Any) -> bool:
            who = users.by_name(connection, _name(user))
            chosen = part or ("adjudicate" if who.role == "adjudicator" else "assess")
            return assignments.assign(connection, topic, who, chosen, _id(by))

        return self._database.write(change)

    def unassign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Take a part in a topic from a user (by default, the one of the role)."""

        def change(connection: Any) -> bool:
            who = users.by_name(connection, _name(user))
            chosen = part or ("adjudicate" if who.role == "adjudicator" else "assess")
            return assignments.unassign(connection, topic, who, chosen, _id(by))

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

    # Work

    def queue(self, topic: str, judge: int) -> list[QueueEntry]:
        """The documents of a topic in the order of a judge; judge 0 is the adjudication."""
        with self._database.read() as connection:
            topics.check_known(connection, topic)
            return queue.queue(connection, self.settings, topic, judge)

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
            raise CampaignError(f"{brief(user.name)} may not change the judgments of others")
        article = self.article(document)
        target = Target(topic, article.document, judge)
        author = Author(user.id, seal=self.collection.seal)
        if not PLACED.isdisjoint(one.kind for one in operations):
            self._keep(article)
        return self._submitted(target, author, operations, article)

    def _keep(self, article: Article) -> None:
        """Keep a document as it is judged; once is enough."""
        if article.sha256 not in self._kept:
            packed = kept_articles.packed(article)
            document, sha256 = article.document, article.sha256
            self._database.write(
                lambda to: kept_articles.keep(to, document, sha256, packed), alone=False
            )
            self._kept.add(sha256)

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

    # All judgments

    def judgments(
        self, topic: str | None = None, judge: int | None = None, drafts: bool = False
    ) -> list[Judged]:
        """Judgments that were validated, and with `drafts` all that were begun."""
        with self._database.read() as connection:
            return listing.judgments(connection, self.collection, topic, judge, drafts)

    def operations(
        self, topic: str | None = None, document: str | None = None
    ) -> Iterator[LoggedOperation]:
        """The log of operations, as far as one topic or document is concerned."""
        with self._database.read() as connection:
            yield from listing.operations(connection, topic, document)

    def verify(self) -> list[str]:
        """Carry out the whole log again, and say what differs from the judgments: nothing."""
        with self._database.read() as connection:
            return replay.verify(connection, self.article, self.mode)

    def import_judgments(
        self,
        states: Iterable[Known],
        assessor: str | User,
        by: User | None = None,
        replace: bool = False,
    ) -> Imported:
        """Take over judgments of an assessor from elsewhere, all of them or none.

        A judgment that the assessor already worked on is kept, unless `replace` is set.
        """
        judge = self.user(_name(assessor)).id
        new = [self._new_state(one.topic, one.document, judge, one.state) for one in states]
        return self._written(new, "imported", by, replace, assessor=_name(assessor))

    def adjudicate(
        self,
        rule: Merge,
        topic: str | None = None,
        by: User | None = None,
        replace: bool = False,
    ) -> Imported:
        """Let a rule make one judgment of those that assessors validated.

        A document that was adjudicated already is kept, unless `replace` is set.
        """
        by_pair: dict[tuple[str, str], list[State]] = {}
        for one in self.judgments(topic):
            if not one.adjudicated:
                by_pair.setdefault(one.pair, []).append(one.state)
        new = []
        for (about, document), states in by_pair.items():
            state = adjudicated_by(rule, states, self.article(document), self.mode)
            new.append(self._new_state(about, document, ADJUDICATED, state))
        return self._written(new, "adjudicated", by, replace, rule=rule)

    def _new_state(self, topic: str, document: str, judge: int, state: State) -> NewState:
        article = self.article(document)
        return NewState(Target(topic, article.document, judge), state, article)

    def _written(
        self, new: list[NewState], what: str, by: User | None, replace: bool, **details: Any
    ) -> Imported:
        author = Author(_id(by), imports=True, seal=self.collection.seal)
        for one in new:
            self._keep(one.article)

        def change(connection: Any) -> Imported:
            done = imports.write_states(connection, new, self.mode, author, replace)
            audit.note(connection, what, _id(by), written=done.written, **details)
            return done

        return self._database.write(change)

    def backup(self, path: str | Path) -> None:
        """Write the whole campaign to one file (compressed if its name ends in .gz)."""
        backup.backup(self._database, Path(path))

    def progress(self) -> list[Progress]:
        """How far every assignment is."""
        with self._database.read() as connection:
            return progress.progress(connection, self.settings)

    # Audit

    def note_event(self, what: str, user: User | None = None, **details: Any) -> None:
        """Add an event to the audit trail."""
        self._database.write(lambda to: audit.note(to, what, _id(user), **details))

    def events(self) -> list[Event]:
        """The audit trail."""
        with self._database.read() as connection:
            return audit.events(connection)


def _id(user: User | None) -> int | None:
    return None if user is None else user.id


def _name(user: str | User) -> str:
    return user if isinstance(user, str) else user.name
