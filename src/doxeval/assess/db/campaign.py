"""A campaign: topics, the pool, the people who judge it, and their judgments.

Every method is one transaction, or one look at the database; what is done in it stands in the files
for users, topics, pools, queues and judgments.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Some
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, delete, insert, select

from doxeval.assess.agreement import adjudicated_by, votes
from doxeval.assess.choices import INVITED_FOR, Order, Part, Snap
from doxeval.assess.db import backup, migrations, users
from doxeval.assess.db.balance import (
    Balanced,
    BalanceOptions,
    balance,
    give_whole,
    take_share,
    uncovered_documents,
)
from doxeval.assess.db.directory import (
    OpenDirectory,
    make_directory,
    migrate_directory,
    new_facts,
    open_directory,
    read_facts,
    server_lock,
    write_facts,
)
from doxeval.assess.db.invitations import (
    Invitation,
    accept_invitation,
    all_invitations,
    checked_days,
    invite,
    invited_user,
    withdraw_invitation,
)
from doxeval.assess.db.judgments import (
    Author,
    Imported,
    NewState,
    Stored,
    Submitted,
    Target,
    add_time,
    list_judgments,
    list_operations,
    open_judgment,
    read_judgment,
    refers_to_text,
    submit_all,
    write_states,
)
from doxeval.assess.db.pace import Pace, pace
from doxeval.assess.db.people import NewPerson, raise_all
from doxeval.assess.db.pools import (
    KnownJudgment,
    PoolUpdate,
    check_pooled,
    known_answers,
    note_change,
    place_honeypots,
    pooled_elements,
    read_pool,
    update_pool,
)
from doxeval.assess.db.programs import Program, ProgramAssessor, add_program, all_programs
from doxeval.assess.db.queue import (
    ADJUDICATED,
    AssignmentProgress,
    QueueEntry,
    Queues,
    next_document,
)
from doxeval.assess.db.rebase import RebaseReport, rebase
from doxeval.assess.db.replay import verify
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    EVENTS,
    KEYWORDS,
    SESSIONS,
    Event,
    note_event,
    put_setting,
)
from doxeval.assess.db.session import CampaignError, Database, Interrupted
from doxeval.assess.db.snapshots import keep_snapshot, pack
from doxeval.assess.db.topics import (
    Assignment,
    CampaignTopic,
    Settings,
    all_assignments,
    all_topics,
    check_part,
    check_topic,
    check_topics,
    checked_keywords,
    close_or_reopen,
    load_settings,
    put_keywords,
    save_settings,
    save_topics,
    topic_of_id,
)
from doxeval.assess.db.users import Session, User, user_named
from doxeval.assess.exchange import Judged, LoggedOperation
from doxeval.assess.judging import Article, Mode, Operation, State, flaw_of_text
from doxeval.assessments import Merge, Ties, count_ties
from doxeval.documents import Collection
from doxeval.messages import join_names, quoted
from doxeval.pooling import Pool, PooledElement
from doxeval.topics import Topic

_SETTINGS_KEPT = 5  # seconds
CHANGEABLE = {"title", "instructions", "colour"}
_ARTICLES_KEPT = 64  # more than assessors work at once


class Campaign:
    """A campaign in its directory, open for work. Many threads may use it at once.

    notices: what was done when it was opened, such as a migration.

    >>> import tempfile
    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.assess.judging import Operation
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

    def __init__(self, directory: Path, opened: OpenDirectory) -> None:
        self.directory = directory
        self.facts = opened.facts
        self.collection: Collection = opened.collection
        self.notices = opened.notices
        self.database: Database = opened.database
        self._articles: OrderedDict[str, Article] = OrderedDict()
        self._articles_lock = threading.Lock()
        self._snapshots: set[str] = set()  # hashes of texts that the database keeps
        self._settings, self._settings_end = self._read_settings()
        self._queues = Queues(self._settings)
        self._attempts = users.Attempts()

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
        instructions: str = "",
        colour: str = "",
        original: str = "",
        admin: tuple[str, str] | None = None,
    ) -> Campaign:
        """Make a campaign in a new directory, all of it or nothing, and open it.

        `database` is the URL of a PostgreSQL database; without one, SQLite is used. `admin` is the
        name and the password of the first user.
        """
        settings = Settings(
            mode,
            order,
            seed,
            show_pooled,
            display or {},
            snap,
            title,
            instructions,
            colour,
            original,
        )
        judged = Collection(collection)
        check_topics(topics)
        password = None if admin is None else users.hash_password(users.checked_password(admin[1]))
        check_pooled([topic.id for topic in topics], pool)

        def fill(connection: Connection) -> None:
            migrations.migrate(connection)
            save_settings(connection, settings)
            place = {"path": judged.address, "seal": judged.checksum}
            put_setting(connection, "collection", place)
            save_topics(connection, topics)
            update_pool(connection, pool, judged)
            note_event(connection, "campaign created")
            if admin is not None and password is not None:
                users.add_user(connection, admin[0], "admin", password)

        facts = new_facts(judged.address, judged.checksum, database)
        make_directory(Path(directory), facts, fill)
        return cls.open(directory, judged)

    @classmethod
    def open(
        cls, directory: str | Path, collection: str | Path | Collection | None = None
    ) -> Campaign:
        """Open a campaign; `notices` says what was done on the way, such as a migration.

        If its collection was moved, `collection` says where it is now; this is remembered. It may
        be the collection itself, which is then not opened again.
        """
        return cls(Path(directory), open_directory(Path(directory), collection))

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
        return cls.open(
            directory, backup.restore(Path(path), Path(directory), collection, database)
        )

    @staticmethod
    def rebase(directory: str | Path, collection: str | Path) -> RebaseReport:
        """Carry the judgments over to a collection that was built again; no server may run.

        Highlights and entry points go where their text stands now. What has no certain place is in
        the report, and its judgment is open again.
        """
        place, new = Path(directory), Collection(collection)
        facts = read_facts(place)
        with closing(Database(facts.url(place))) as database:
            migrate_directory(place, database)
            with server_lock(place, "rebase it"):
                with database.write() as connection:
                    report = rebase(connection, new)
                write_facts(place, facts.moved_to(new))
        return report

    def close(self) -> None:
        """Close the database."""
        self.database.close()

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
    def settings(self) -> Settings:
        """The decisions of the organiser; what another process changes is seen within seconds."""
        if time.monotonic() > self._settings_end:
            self._settings, self._settings_end = self._read_settings()
        return self._settings

    def _read_settings(self) -> tuple[Settings, float]:
        with self.database.read() as connection:
            return load_settings(connection), time.monotonic() + _SETTINGS_KEPT

    def change_settings(self, changes: Mapping[str, str], by: User | None = None) -> Settings:
        """Change the title, the instructions or the colour, while people may be working."""
        if other := changes.keys() - CHANGEABLE:
            raise CampaignError(f"{join_names(sorted(other))} cannot be changed in a campaign")
        with self.database.write() as connection:
            before = load_settings(connection)
            after = dataclasses.replace(before, **changes)  # type: ignore[arg-type]
            if after != before:
                save_settings(connection, after)
                note_event(connection, "settings changed", _id(by), names=sorted(changes))
        self._settings, self._settings_end = self._read_settings()
        return after

    @property
    def mode(self) -> Mode:
        """What is judged: highlights, or grades of elements."""
        return self.settings.mode

    def article(self, document: str) -> Article:
        """Return a document of the collection as the rules see it; the last few are kept."""
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

    def note_event(self, what: str, user: User | None = None, **details: Any) -> None:
        """Add an event to the audit trail."""
        with self.database.write() as connection:
            note_event(connection, what, _id(user), **details)

    def events(self) -> list[Event]:
        """Return the audit trail, in the order in which things happened."""
        with self.database.read() as connection:
            rows = connection.execute(select(EVENTS).order_by(EVENTS.c.seq))
            return [Event(row.at, row.user_id, row.what, row.details) for row in rows]

    # Users and sessions

    def add_user(
        self, name: str, role: str = "assessor", password: str | None = None
    ) -> tuple[User, str]:
        """Add a user; without a password, a random one is made. It is kept nowhere but here."""
        chosen = users.checked_password(password)
        users.check_name(name)
        hashed = users.hash_password(chosen)
        with self.database.write() as connection:
            return users.add_user(connection, name, role, hashed), chosen

    def add_people(
        self,
        people: Sequence[NewPerson],
        days: int | None = None,
        by: User | None = None,
        write: Callable[[list[str]], object] = list,
    ) -> list[tuple[User, str]]:
        """Add several users, all of them or none; return each with a new password.

        With `days` each gets the token of an invitation instead, which holds for so long. `write`
        gets the passwords or tokens before the users are added for good; if it fails, none is.
        """
        passwords = [users.new_password() if days is None else "" for _ in people]
        hashes = [users.hash_password(each) if each else "" for each in passwords]
        added, problems = [], []
        with self.database.write() as connection:
            for person, password, hashed in zip(people, passwords, hashes, strict=True):
                try:
                    user = users.add_user(connection, person.name, person.role, hashed)
                except CampaignError as error:
                    problems.append(person.problem(error))
                    continue
                if days is not None:
                    password = invite(connection, user.name, days, _id(by)).token
                added.append((user, password))
            raise_all(problems)
            write([secret for _, secret in added])
        return added

    def invite(self, name: str, days: int = INVITED_FOR, by: User | None = None) -> Invitation:
        """Return the invitation by which a user can choose a password; an older one ends."""
        with self.database.write() as connection:
            return invite(connection, name, checked_days(days), _id(by))

    def invitations(self) -> list[Invitation]:
        """Return the invitations that nobody has used, without their tokens."""
        with self.database.read() as connection:
            return all_invitations(connection)

    def withdraw_invitation(self, name: str, by: User | None = None) -> bool:
        """Take back the invitation of a user; return whether there was one."""
        with self.database.write() as connection:
            user = user_named(connection, name)
            if was_there := withdraw_invitation(connection, user.id):
                note_event(connection, "invitation withdrawn", _id(by), name=name)
            return was_there

    def invited_user(self, token: str) -> User:
        """Return whom a token invites; a NoInvitation if it is not, or no longer, good."""
        with self.database.read() as connection:
            return invited_user(connection, token)

    def accept_invitation(self, token: str, password: str) -> User:
        """Give an invited user the password that they chose; a token works once."""
        self.invited_user(token)  # before the hash, which takes time
        hashed = users.hash_password(users.checked_password(password))
        with self.database.write() as connection:
            return accept_invitation(connection, token, hashed)

    def count_wrong_link(self, address: str) -> None:
        """Count a wrong link from an address; a Throttled after too many of them."""
        attempt = users.Attempt(users.WRONG_LINK + address, address)
        with (
            self._attempts.admitted(self.database, attempt) as ending,
            ending,
            self.database.write() as connection,
        ):
            users.count_failure(connection, attempt)
            note_event(connection, "wrong invitation", address=address)

    def users(self) -> list[User]:
        """Return all users."""
        with self.database.read() as connection:
            return users.all_users(connection)

    def user(self, name: str) -> User:
        """Return the user of a name; there must be one."""
        with self.database.read() as connection:
            return user_named(connection, name)

    def set_password(self, name: str, password: str | None = None) -> str:
        """Give a user a new password, and end all of the user's sessions."""
        chosen = users.checked_password(password)
        hashed = users.hash_password(chosen)
        with self.database.write() as connection:
            user = users.change_user(connection, name, "password set", password_hash=hashed)
            withdraw_invitation(connection, user.id)
            connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == user.id))
        return chosen

    def set_active(self, name: str, active: bool) -> User:
        """Let a user sign in, or no longer; then all of the user's sessions end."""
        what = "user enabled" if active else "user disabled"
        with self.database.write() as connection:
            user = users.change_user(connection, name, what, active=active)
            if not active:
                withdraw_invitation(connection, user.id)
                connection.execute(delete(SESSIONS).where(SESSIONS.c.user_id == user.id))
        return user

    def check_password(
        self,
        name: str,
        password: str,
        address: str,
        tokens: Iterable[str] = (),
        is_gone: Callable[[], bool] = lambda: False,
    ) -> User | None:
        """Return the user, if the password is right; a Throttled after too many wrong ones.

        `tokens` are those by which the browser may be known. `is_gone` tells whether nobody waits
        for the answer any more. Then the attempt is an Interrupted and changes nothing, whether the
        password is right or wrong, so that nobody can learn which.
        """
        if flaw_of_text(name + address):
            return None
        with self.database.read() as connection:
            user, password_hash = users.user_to_sign_in(connection, name) or (None, None)
            browser = None if user is None else users.known_browser(connection, user, tokens)
        attempt = users.Attempt(name, address, browser)
        with self._attempts.admitted(self.database, attempt) as ending:
            is_right = not is_gone() and users.is_right(password, password_hash)
            if is_gone():
                raise Interrupted("nobody waits for the answer")
            with ending, self.database.write() as connection:
                if is_right:
                    users.forget_failures(connection, attempt)
                else:
                    users.count_failure(connection, attempt)
                    note_event(connection, "sign-in failed", name=name, address=address)
        return user if is_right else None

    def remember_browser(self, user: User, tokens: Iterable[str] = ()) -> str:
        """Know a browser in which a user has just signed in; return the token that it keeps.

        `tokens` are those that it kept until now.
        """
        with self.database.write() as connection:
            return users.remember_browser(connection, user, tokens)

    def open_session(self, user: User) -> str:
        """Sign a user in; return the token that the browser keeps."""
        with self.database.write() as connection:
            return users.open_session(connection, user)

    def session(self, token: str, topic: str | None = None) -> Session | None:
        """Return who is signed in, with their parts in a topic; None if the session is over."""
        with self.database.read() as connection:
            known = users.find_session(connection, token, topic)
        if known is None:
            return None
        session, is_due = known
        if is_due:
            with self.database.write() as connection:
                users.note_use(connection, token)
        return session

    def session_of_name(self, name: str, topic: str | None = None) -> Session | None:
        """Return somebody whom a proxy has authenticated; None if there is no such active user."""
        if flaw_of_text(name):
            return None
        with self.database.read() as connection:
            return users.session_of_name(connection, name, topic)

    def close_session(self, token: str) -> None:
        """End a session."""
        with self.database.write() as connection:
            token_hash = users.hash_token(token)
            connection.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == token_hash))

    # Topics and who judges them

    def topics(self) -> list[CampaignTopic]:
        """Return all topics, in their order."""
        with self.database.read() as connection:
            return all_topics(connection)

    def topic(self, topic: str) -> CampaignTopic:
        """Return one topic; there must be one of this id."""
        with self.database.read() as connection:
            return topic_of_id(connection, topic)

    def close_topic(self, topic: str, by: User | None = None) -> None:
        """Close a topic: its judgments can no longer be changed."""
        with self.database.write() as connection:
            close_or_reopen(connection, topic, True, _id(by))

    def reopen_topic(self, topic: str, by: User | None = None) -> None:
        """Open a closed topic again."""
        with self.database.write() as connection:
            close_or_reopen(connection, topic, False, _id(by))

    def assign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Give a user a part in a topic (by default, the one of the role); return if it is new."""
        with self.database.write() as connection:
            who, chosen = _user_and_part(connection, topic, user, part)
            if chosen == "assess" and give_whole(connection, topic, who.id):
                note_change(connection)
            elif chosen in _parts(connection, who.id, topic):
                return False
            else:
                values = {"topic": topic, "user_id": who.id, "part": chosen}
                connection.execute(insert(ASSIGNMENTS).values(**values))
            note_event(connection, "assigned", _id(by), topic=topic, name=who.name, part=chosen)
            return True

    def unassign(
        self, topic: str, user: str | User, part: Part | None = None, by: User | None = None
    ) -> bool:
        """Take a part in a topic from a user, whose judgments stay; return if there was one."""
        with self.database.write() as connection:
            who, chosen = _user_and_part(connection, topic, user, part)
            row = ASSIGNMENTS.c
            is_it = (row.topic == topic) & (row.user_id == who.id) & (row.part == chosen)
            if not connection.execute(delete(ASSIGNMENTS).where(is_it)).rowcount:
                return False
            if chosen == "assess":
                take_share(connection, topic, who.id)
                note_change(connection)
            note_event(connection, "unassigned", _id(by), topic=topic, name=who.name, part=chosen)
            return True

    def assignments(self) -> list[Assignment]:
        """Return all assignments, by topic and by user."""
        with self.database.read() as connection:
            rows = all_assignments(connection)
        return [Assignment(row.topic, row.name, row.part, bool(row.by_document)) for row in rows]

    def balance(
        self,
        options: BalanceOptions,
        topics: Some[str] | None = None,
        people: Some[str] | None = None,
        by: User | None = None,
        dry_run: bool = False,
    ) -> Balanced:
        """Spread the documents of topics evenly over people, and return who has how many.

        By default all open topics and all active assessors take part. What somebody has begun stays
        theirs. With `dry_run` nothing changes.
        """
        with self.database.read() if dry_run else self.database.write() as connection:
            return balance(connection, options, topics, people, _id(by), dry_run)

    def has_shares(self) -> bool:
        """Tell whether documents were given to assessors one by one."""
        return any(assignment.by_document for assignment in self.assignments())

    def uncovered_documents(self) -> dict[str, int]:
        """Return how many documents of each open topic are given to nobody."""
        with self.database.read() as connection:
            return uncovered_documents(connection)

    def parts(self, user: User, topic: str) -> set[Part]:
        """Return the parts of a user in a topic."""
        with self.database.read() as connection:
            return _parts(connection, user.id, topic)

    def keywords(self, topic: str, user: User) -> list[str] | None:
        """Return the words a user has coloured; None if they were never chosen."""
        row = KEYWORDS.c
        with self.database.read() as connection:
            query = select(row.words).where(row.topic == topic, row.user_id == user.id)
            words: list[str] | None = connection.execute(query).scalar()
            return words

    def set_keywords(self, topic: str, user: User, words: Iterable[str]) -> None:
        """Choose the words that are coloured for a user."""
        chosen = checked_keywords(words)
        with self.database.write() as connection:
            check_topic(connection, topic)
            put_keywords(connection, topic, user.id, chosen)

    def progress(self, user: User | None = None) -> list[AssignmentProgress]:
        """Return how far every assignment is, or every one of a user."""
        with self.database.read() as connection:
            return self._queues.progress(connection, _id(user))

    def pace(self, progress: Iterable[AssignmentProgress] | None = None) -> Pace:
        """Return how the campaign goes on day by day, and when it may end."""
        rows = self.progress() if progress is None else progress
        closed = {topic.id for topic in self.topics() if topic.is_closed}
        with self.database.read() as connection:
            return pace(connection, rows, closed)

    # The pool

    def pool(self) -> Pool:
        """Return the pool as it is now."""
        with self.database.read() as connection:
            return read_pool(connection)

    def update_pool(self, pool: Pool) -> PoolUpdate:
        """Take over a new pool. Documents that somebody began to judge are never removed."""
        with self.database.write() as connection:
            return update_pool(connection, pool, self.collection)

    def place_honeypots(self, known: Iterable[KnownJudgment]) -> int:
        """Place documents with a known answer in the queues; return how many were not pooled.

        Where a document is in the pool already, it becomes a honeypot at its place.
        """
        given = list(known)
        with self.database.write() as connection:
            return place_honeypots(connection, self.settings, given, self.article)

    def gold(self) -> dict[tuple[str, str], State]:
        """Return the known answers of the honeypots, by topic and document."""
        with self.database.read() as connection:
            return known_answers(connection)

    def pooled_elements(self, topic: str, document: str) -> tuple[PooledElement, ...] | None:
        """Return the parts of a document that runs returned; None if it is not in the pool."""
        with self.database.read() as connection:
            return pooled_elements(connection, topic, document)

    # Queues and judgments

    def queue(self, topic: str, judge: int) -> list[QueueEntry]:
        """Return the documents of a topic in the order of a judge; judge 0 is the adjudication."""
        with self.database.read() as connection:
            return self._queues.queue(connection, topic, judge)

    def next_document(self, topic: str, judge: int, after: str | None = None) -> str | None:
        """Return the next document to judge; None if all are done."""
        return next_document(self.queue(topic, judge), after)

    def add_outside(self, topic: str, document: str, judge: int) -> str:
        """Let a judge assess a document outside the pool; return its id in the collection."""
        article = self.article(document)
        with self.database.write() as connection:
            target = Target(topic, article.document, judge)
            open_judgment(connection, target, article, outside=True)
        return article.document

    def judgment(self, topic: str, document: str, judge: int) -> Stored:
        """Return a judgment as it stands; version 0 if nobody has touched it."""
        with self.database.read() as connection:
            return read_judgment(connection, Target(topic, document, judge)) or Stored()

    def submit(
        self, topic: str, document: str, judge: int, user: User, operations: Sequence[Operation]
    ) -> Submitted:
        """Carry out operations in order, until one fails, as one transaction.

        A document that is neither pooled nor was added to the queue of the judge is a NotInQueue.
        """
        if judge not in (user.id, ADJUDICATED):
            raise CampaignError(f"{quoted(user.name)} may not change the judgments of others")
        article = self.article(document)
        target = Target(topic, article.document, judge)
        author = Author(user.id, checksum=self.collection.checksum)
        snapshot = None
        if refers_to_text(operations) and article.sha256 not in self._snapshots:
            snapshot = pack(article)  # which takes long for long documents, so not in between
        with self.database.write() as connection:
            submitted = submit_all(connection, target, author, operations, article, self.mode)
            if snapshot is not None:
                keep_snapshot(connection, article, snapshot)
        if snapshot is not None:
            self._snapshots.add(article.sha256)
        return submitted

    def add_time(self, topic: str, document: str, judge: int, seconds: float) -> None:
        """Add to the time that a judge spent on a document."""
        article = self.article(document)
        with self.database.write() as connection:
            add_time(connection, Target(topic, article.document, judge), article, seconds)

    # All judgments together

    def judgments(
        self,
        topic: str | Some[str] | None = None,
        judge: int | None = None,
        drafts: bool = False,
        document: str | None = None,
        programs: bool = False,
    ) -> list[Judged]:
        """Return judgments that were validated, and with `drafts` all that were begun.

        Of all topics, or of one or several; of all judges and documents, or of one. Judgments of
        programs are left out unless `programs` is set.
        """
        topics = [topic] if isinstance(topic, str) else topic
        with self.database.read() as connection:
            return list_judgments(
                connection, self.collection, topics, judge, drafts, document, programs
            )

    def programs(self) -> list[ProgramAssessor]:
        """Return the programs that judged documents, each with how many."""
        with self.database.read() as connection:
            return all_programs(connection)

    def operations(
        self, topic: str | None = None, document: str | None = None
    ) -> Iterator[LoggedOperation]:
        """Yield the log of operations, as far as one topic or document is concerned."""
        with self.database.read() as connection:
            yield from list_operations(connection, topic, document)

    def verify(self) -> list[str]:
        """Carry out the whole log again; return what differs from the judgments: nothing."""
        with self.database.read() as connection:
            return verify(connection, self.article, self.mode)

    def import_judgments(
        self,
        states: Iterable[KnownJudgment],
        assessor: str | User | Program,
        by: User | None = None,
        replace: bool = False,
    ) -> Imported:
        """Take over judgments of an assessor from elsewhere, all of them or none.

        A judgment that the assessor already worked on is kept, unless `replace` is set. A program
        that has judged nothing before becomes an assessor.
        """
        given = list(states)
        with self.database.write() as connection:
            if isinstance(assessor, Program):
                judge, about = add_program(connection, assessor), {"program": assessor.title}
            else:
                user = user_named(connection, _name(assessor))
                judge, about = user.id, {"assessor": user.name}
            new = [self._new_state(each.topic, each.document, judge, each.state) for each in given]
            return self._write_states(connection, new, "imported", by, replace, **about)

    def adjudicate(
        self,
        rule: Merge,
        topics: Some[str] | None = None,
        by: User | None = None,
        replace: bool = False,
        programs: bool = False,
    ) -> Imported:
        """Let a rule make one judgment of those that assessors validated, of some topics or all.

        A document that was adjudicated already is kept, unless `replace` is set. A majority needs
        three assessors, or two who agree; its ties are counted. Programs are assessors only if
        `programs` is set.
        """
        by_pair: dict[tuple[str, str], list[State]] = {}
        adjudicated: set[tuple[str, str]] = set()
        for judged in self.judgments(topics, drafts=True, programs=programs):
            if judged.adjudicated:
                adjudicated |= {judged.pair} if judged.state != State() else set()
            elif not judged.draft:
                by_pair.setdefault(judged.pair, []).append(judged.state)
        ties = Ties()
        if rule == "majority":
            every = (
                votes(*pair, states)
                for pair, states in by_pair.items()
                if replace or pair not in adjudicated
            )
            ties = count_ties(every, "union, intersection or a third assessor")
        new = []
        for (topic, document), states in by_pair.items():
            state = adjudicated_by(rule, states, self.article(document), self.mode)
            new.append(self._new_state(topic, document, ADJUDICATED, state))
        details: dict[str, Any] = {"rule": rule} | ({"programs": True} if programs else {})
        details |= {"ties": dataclasses.asdict(ties)} if ties else {}
        with self.database.write() as connection:
            done = self._write_states(connection, new, "adjudicated", by, replace, **details)
        return dataclasses.replace(done, ties=ties)

    def _new_state(self, topic: str, document: str, judge: int, state: State) -> NewState:
        known = self.collection.id_of(self.collection.document(document))
        return NewState(Target(topic, known, judge), state)

    def _write_states(
        self,
        connection: Connection,
        new: list[NewState],
        what: str,
        by: User | None,
        replace: bool,
        **details: Any,
    ) -> Imported:
        author = Author(_id(by), imports=True, checksum=self.collection.checksum)
        done = write_states(connection, new, self.mode, author, self.article, replace)
        note_event(connection, what, _id(by), written=done.written, **details)
        return done

    def backup(self, path: str | Path) -> None:
        """Write the whole campaign to one file (compressed if its name ends in .gz)."""
        backup.backup(self.database, Path(path))


def _id(user: User | None) -> int | None:
    """Return the id of a user; None for the command line."""
    return None if user is None else user.id


def _name(user: str | User) -> str:
    return user if isinstance(user, str) else user.name


def _parts(connection: Connection, user_id: int, topic: str) -> set[Part]:
    row = ASSIGNMENTS.c
    query = select(row.part).where(row.topic == topic, row.user_id == user_id)
    return set(connection.execute(query).scalars())


def _user_and_part(
    connection: Connection, topic: str, user: str | User, part: Part | None
) -> tuple[User, Part]:
    """Return the user of an assignment and the part, by default that of the role; both checked."""
    who = user_named(connection, _name(user))
    chosen: Part = part or ("adjudicate" if who.role == "adjudicator" else "assess")
    check_part(chosen)
    check_topic(connection, topic)
    return who, chosen
