"""Spreading the documents of topics evenly over assessors, again and again as a campaign changes.

Every document needs one assessor, or as many as the organiser wants; a share of the documents, of
all topics alike, may need two, so that agreement can be measured. A document is covered by whoever
validated it, by active assessors who began with it, and by those who have the whole topic. For what
is lacking, documents are given one by one, or topic by topic, always to those who have least.

Loads are all documents that somebody has, those that are done included. What somebody began with
stays with them. Other documents stay where they are as long as loads differ by at most one, and are
given to somebody else only to even them out, or because their assessor no longer takes part. All
choices follow hashes of the seed, so the same campaign is always balanced in the same way.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from doxeval.assess.db.pools import note_change
from doxeval.assess.db.schema import (
    ASSIGNMENTS,
    JUDGMENTS,
    POOL_DOCUMENTS,
    SHARES,
    USERS,
    note_event,
)
from doxeval.assess.db.session import CampaignError
from doxeval.assess.db.topics import all_topics, unknown_topic
from doxeval.assess.db.users import User, all_users, user_named
from doxeval.messages import Parameter, plural, quoted

_ROWS_AT_ONCE = 5000


class Document(NamedTuple):
    """A document of a topic."""

    topic: str
    document: str


@dataclass(frozen=True)
class BalanceOptions:
    """How documents are spread.

    per_document: how many assessors judge each document. twice: the share of documents that two
    judge. keep_topics: a topic goes to as few people as possible.

    >>> BalanceOptions(twice=1.5)
    Traceback (most recent call last):
    doxeval.assess.db.session.CampaignError: twice=1.5: expected a share from 0 to 1
    """

    per_document: int = 1
    twice: float = 0.0
    keep_topics: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.per_document < 1:
            raise CampaignError(
                Parameter("per_document", self.per_document) + ": expected 1 or more"
            )
        if not 0 <= self.twice <= 1:
            raise CampaignError(Parameter("twice", self.twice) + ": expected a share from 0 to 1")
        if self.twice and self.per_document > 1:
            raise CampaignError(
                Parameter("twice", self.twice)
                + " has no effect: every document has several assessors"
            )


@dataclass(frozen=True)
class AssessorShare:
    """What somebody has after a campaign was balanced, and what that changed.

    topics, documents: how many, of the topics that were balanced. begun: those documents that the
    assessor has begun or done. added: new ones. withdrawn: ones that were not begun, and went.
    """

    user: str
    topics: int
    documents: int
    begun: int
    added: int
    withdrawn: int


@dataclass(frozen=True)
class Balanced:
    """How documents are spread: how many there are, how many several judge, and who has what."""

    documents: int
    several: int
    shares: tuple[AssessorShare, ...]


# Who gets what, without a database


@dataclass(frozen=True)
class Spreading:
    """Everything that decides who gets which documents; people are ids of users.

    needs: how many assessors each document is to have. covered: who counts for it already. given:
    who has it without having begun. begun: who began with some document of a topic. loads: how many
    documents somebody has that cannot be moved.

    >>> documents = [Document("7", name) for name in "abcd"]
    >>> spreading = Spreading(dict.fromkeys(documents, 1), people=(1, 2), loads={1: 2})
    >>> sorted(Counter(user for users in spreading.spread().values() for user in users).items())
    [(1, 1), (2, 3)]
    """

    needs: Mapping[Document, int]
    people: Sequence[int]
    covered: Mapping[Document, Collection[int]] = field(default_factory=dict)
    given: Mapping[Document, Collection[int]] = field(default_factory=dict)
    begun: Mapping[str, Collection[int]] = field(default_factory=dict)
    loads: Mapping[int, int] = field(default_factory=dict)
    keep_topics: bool = False
    seed: int = 0

    def spread(self) -> dict[Document, list[int]]:
        """Return who gets which documents, besides those who count for them already."""
        load = Counter({person: self.loads.get(person, 0) for person in self.people})
        order = sorted(self.needs, key=self._hash)
        lacking = {
            document: max(self.needs[document] - len(self.covered.get(document, ())), 0)
            for document in order
        }
        if self.keep_topics:
            return self._topic_by_topic(lacking, load)
        shares: dict[Document, list[int]] = {}
        for document in order:
            kept = [
                person
                for person in sorted(self.given.get(document, ()))
                if person in load and person not in self.covered.get(document, ())
            ]
            shares[document] = kept[: lacking[document]]
            load.update(shares[document])
        for document in order:
            while len(shares[document]) < lacking[document]:
                taken = {*shares[document], *self.covered.get(document, ())}
                person = self._least(load, taken, document)
                if person is None:
                    break
                shares[document].append(person)
                load[person] += 1
        self._even_out(shares, load)
        return shares

    def _least(self, load: Counter[int], taken: Collection[int], what: object) -> int | None:
        """Return who has least of those who are not taken; a hash decides among several."""
        free = [person for person in self.people if person not in taken]
        least = min((load[person] for person in free), default=0)
        equal = [person for person in free if load[person] == least]
        return min(equal, key=lambda person: self._hash((what, person)), default=None)

    def _even_out(self, shares: dict[Document, list[int]], load: Counter[int]) -> None:
        """Move documents from those who have most to those who have least, one after another."""
        has: dict[int, list[Document]] = {person: [] for person in self.people}
        for document, people in shares.items():
            for person in people:
                has[person].append(document)
        while (move := self._next_move(shares, load, has)) is not None:
            document, source, target = move
            shares[document].remove(source)
            shares[document].append(target)
            has[source].remove(document)
            has[target].append(document)
            load[source] -= 1
            load[target] += 1

    def _next_move(
        self,
        shares: Mapping[Document, list[int]],
        load: Counter[int],
        has: Mapping[int, list[Document]],
    ) -> tuple[Document, int, int] | None:
        upwards = sorted(self.people, key=lambda person: (load[person], self._hash(person)))
        for source in reversed(upwards):
            for target in upwards:
                if load[source] - load[target] < 2:
                    break
                for document in has[source]:
                    if target not in shares[document] and target not in self.covered.get(
                        document, ()
                    ):
                        return document, source, target
        return None

    def _topic_by_topic(
        self, lacking: Mapping[Document, int], load: Counter[int]
    ) -> dict[Document, list[int]]:
        """Give whole topics: each has a team, of which the first judges what needs one assessor."""
        by_topic: dict[str, list[Document]] = {}
        for document in lacking:
            by_topic.setdefault(document.topic, []).append(document)
        topics = sorted(by_topic, key=lambda topic: (-len(by_topic[topic]), self._hash(topic)))
        teams = {topic: self._members(by_topic[topic]) for topic in topics}
        shares: dict[Document, list[int]] = {}
        for topic in topics:  # what is somebody's already counts before anything new is given
            load.update(self._fill(by_topic[topic], teams[topic], lacking, shares))
        for topic in topics:
            size = max(self.needs[document] for document in by_topic[topic])
            while len(teams[topic]) < size:
                person = self._least(load, teams[topic], topic)
                if person is None:
                    break
                teams[topic].append(person)
                load.update(self._fill(by_topic[topic], [person], lacking, shares))
        while (swap := self._next_swap(shares, load, teams)) is not None:
            topic, source, target = swap
            for document in by_topic[topic]:
                if source in shares[document]:
                    shares[document][shares[document].index(source)] = target
                    load[source] -= 1
                    load[target] += 1
            teams[topic][teams[topic].index(source)] = target
        return shares

    def _members(self, documents: Sequence[Document]) -> list[int]:
        """Return who has documents of a topic, those first who began; no more than are needed."""
        counts = Counter(
            person
            for document in documents
            for person in {*self.given.get(document, ()), *self.covered.get(document, ())}
        )
        begun = self.begun.get(documents[0].topic, ())
        members = sorted(
            (person for person in self.people if counts[person]),
            key=lambda person: (person not in begun, -counts[person], self._hash(person)),
        )
        return members[: max(self.needs[document] for document in documents)]

    def _fill(
        self,
        documents: Iterable[Document],
        members: Iterable[int],
        lacking: Mapping[Document, int],
        shares: dict[Document, list[int]],
    ) -> Counter[int]:
        """Give documents to members as far as they lack assessors; return how many to each."""
        members, filled = list(members), Counter[int]()
        for document in documents:
            people = shares.setdefault(document, [])
            for person in members:
                if len(people) >= lacking[document]:
                    break
                if person not in people and person not in self.covered.get(document, ()):
                    people.append(person)
                    filled[person] += 1
        return filled

    def _next_swap(
        self,
        shares: Mapping[Document, list[int]],
        load: Counter[int],
        teams: Mapping[str, list[int]],
    ) -> tuple[str, int, int] | None:
        """Return a topic that nobody of its owner's began, and to whom it should go instead."""
        sizes = Counter(
            (document.topic, person) for document, people in shares.items() for person in people
        )
        for (topic, source), size in sorted(sizes.items(), key=lambda row: (-row[1], row[0])):
            if source in self.begun.get(topic, ()):
                continue
            covered = {
                person
                for document, people in shares.items()
                if document.topic == topic and source in people
                for person in {*people, *self.covered.get(document, ())}
            }
            target = self._least(load, {*teams[topic], *covered}, topic)
            if target is not None and load[target] + size < load[source]:
                return topic, source, target
        return None

    def _hash(self, what: object) -> str:
        return _hash(self.seed, what)


def judged_twice(
    documents: Iterable[Document], begun: Mapping[Document, int], share: float, seed: int
) -> set[Document]:
    """Return the share of documents that two people judge, of every topic alike.

    begun: how many began with a document; where two did, the second judgment is there already.

    >>> documents = [Document(topic, str(n)) for topic in ("7", "8") for n in range(5)]
    >>> chosen = judged_twice(documents, {documents[3]: 2}, 0.4, seed=1)
    >>> sorted(Counter(document.topic for document in chosen).items()), documents[3] in chosen
    ([('7', 2), ('8', 2)], True)
    """
    by_topic: dict[str, list[Document]] = {}
    for document in documents:
        by_topic.setdefault(document.topic, []).append(document)
    places: list[tuple[float, str, Document]] = []
    for of_topic in by_topic.values():
        of_topic.sort(key=lambda each: (-min(begun.get(each, 0), 2), _hash(seed, each)))
        places += [
            ((number + 0.5) / len(of_topic), _hash(seed, each), each)
            for number, each in enumerate(of_topic)
        ]
    places.sort()
    return {document for _, _, document in places[: round(share * len(places))]}


def _hash(seed: int, what: object) -> str:
    name = f"{seed}\t{what!r}"
    return hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()


# In the database


@dataclass(frozen=True)
class _CurrentShares:
    """Who has and who began what, in the topics that are balanced and in all others."""

    documents: list[Document]
    whole: dict[str, set[int]]  # topics that somebody has as a whole
    given: dict[Document, set[int]]
    begun: dict[Document, set[int]]
    done: dict[Document, set[int]]
    other_loads: Counter[int]


def balance(
    connection: Connection,
    options: BalanceOptions,
    topics: Collection[str] | None,
    people: Collection[str] | None,
    by: int | None,
    dry_run: bool,
) -> Balanced:
    """Spread the documents of topics (all that are open) over people (all active assessors)."""
    chosen = _topics(connection, topics)
    users = _people(connection, people)
    needed = 2 if options.twice else options.per_document
    if len(users) < needed:
        raise CampaignError(
            f"{plural(needed, 'assessor')} for a document, and there "
            f"{'is' if len(users) == 1 else 'are'} only {len(users)}"
        )
    now = _current_shares(connection, chosen)
    active = {user.id for user in all_users(connection) if user.active}
    covered = {
        document: now.done.get(document, set())
        | (now.begun.get(document, set()) & active)
        | (now.whole.get(document.topic, set()) & active)
        for document in now.documents
    }
    counts = {document: len(people) for document, people in covered.items()}
    several = (
        judged_twice(now.documents, counts, options.twice, options.seed)
        if options.per_document == 1
        else set(now.documents)
    )
    needs = {
        document: max(options.per_document, 2) if document in several else 1
        for document in now.documents
    }
    begun_topics: dict[str, set[int]] = {}
    loads = now.other_loads.copy()
    for document in now.documents:
        began = now.begun.get(document, set())
        begun_topics.setdefault(document.topic, set()).update(began)
        loads.update(covered[document] | began)
    spread = Spreading(
        needs,
        [user.id for user in users],
        covered,
        now.given,
        begun_topics,
        loads,
        options.keep_topics,
        options.seed,
    ).spread()
    shares = _with_begun(spread, now)
    if not dry_run:
        _write(connection, chosen, shares, now)
        note_change(connection)
        note_event(
            connection,
            "documents spread",
            by,
            topics=list(chosen),
            people=[user.name for user in users],
            **{name: getattr(options, name) for name in options.__dataclass_fields__},
        )
    return Balanced(
        len(now.documents),
        sum(needs[document] > 1 for document in now.documents),
        tuple(_rows(connection, users, shares, now)),
    )


def _topics(connection: Connection, topics: Collection[str] | None) -> list[str]:
    """Return the ids of the topics to balance; those that are closed only if they are not named."""
    every = all_topics(connection)
    known = {topic.id: topic for topic in every}
    for topic in topics or ():
        if topic not in known:
            raise unknown_topic(connection, topic)
        if known[topic].is_closed:
            raise CampaignError(f"topic {quoted(topic)} is closed: reopen it first")
    chosen = [
        topic.id for topic in every if not topic.is_closed and (not topics or topic.id in topics)
    ]
    if not chosen:
        raise CampaignError("all topics are closed: reopen some first")
    return chosen


def _people(connection: Connection, names: Collection[str] | None) -> list[User]:
    if names:
        users = [user_named(connection, name) for name in dict.fromkeys(names)]
        for user in users:
            if not user.active:
                raise CampaignError(f"{quoted(user.name)} is disabled: enable the account first")
        return sorted(users, key=lambda user: user.id)
    users = [user for user in all_users(connection) if user.active and user.role == "assessor"]
    if not users:
        raise CampaignError("there are no active assessors: add some first")
    return users


def _current_shares(connection: Connection, topics: Sequence[str]) -> _CurrentShares:
    chosen = set(topics)
    pool, loads = POOL_DOCUMENTS.c, Counter[int]()
    documents, sizes = [], Counter[str]()
    for row in connection.execute(
        select(pool.topic, pool.document).order_by(pool.topic, pool.position, pool.document)
    ):
        sizes[row.topic] += 1
        documents += [Document(*row)] if row.topic in chosen else []
    whole: dict[str, set[int]] = {}
    assigned = ASSIGNMENTS.c
    query = select(assigned.topic, assigned.user_id).where(
        assigned.part == "assess", ~assigned.by_document
    )
    for topic, user in connection.execute(query):
        if topic in chosen:
            whole.setdefault(topic, set()).add(user)
        else:
            loads[user] += sizes[topic]
    given: dict[Document, set[int]] = {}
    for topic, user, document in connection.execute(
        select(SHARES.c.topic, SHARES.c.user_id, SHARES.c.document)
    ):
        if topic in chosen:
            given.setdefault(Document(topic, document), set()).add(user)
        else:
            loads[user] += 1
    begun: dict[Document, set[int]] = {}
    done: dict[Document, set[int]] = {}
    judged = JUDGMENTS.c
    by_people = (
        select(judged.topic, judged.document, judged.judge, judged.status)
        .join(USERS, USERS.c.id == judged.judge)
        .where(USERS.c.program.is_(None), (judged.version > 0) | (judged.seconds > 0))
    )
    for topic, document, user, status in connection.execute(by_people):
        if topic in chosen:
            begun.setdefault(Document(topic, document), set()).add(user)
            if status == "validated":
                done.setdefault(Document(topic, document), set()).add(user)
    return _CurrentShares(documents, whole, given, begun, done, loads)


def _with_begun(
    spread: Mapping[Document, Sequence[int]], now: _CurrentShares
) -> dict[Document, set[int]]:
    """Return everybody's documents, also those that they began with."""
    return {
        document: ({*spread.get(document, ())} | now.begun.get(document, set()))
        - now.whole.get(document.topic, set())
        for document in now.documents
    }


def _write(
    connection: Connection,
    topics: Sequence[str],
    shares: Mapping[Document, set[int]],
    now: _CurrentShares,
) -> None:
    share, assigned, judged = SHARES.c, ASSIGNMENTS.c, JUDGMENTS.c
    by_document: dict[str, set[int]] = {topic: set() for topic in topics}
    rows = []
    for (topic, document), people in shares.items():
        by_document[topic] |= people
        rows += [{"topic": topic, "user_id": user, "document": document} for user in sorted(people)]
    connection.execute(delete(SHARES).where(share.topic.in_(topics)))
    for batch in _batches(rows):
        connection.execute(insert(SHARES), batch)
    for (topic, document), people in now.given.items():
        for user in people - shares.get(Document(topic, document), set()):
            connection.execute(  # opened, but never touched
                delete(JUDGMENTS).where(
                    judged.topic == topic,
                    judged.document == document,
                    judged.judge == user,
                    judged.version == 0,
                    judged.seconds == 0,
                )
            )
    connection.execute(delete(ASSIGNMENTS).where(assigned.topic.in_(topics), assigned.by_document))
    new = [
        {"topic": topic, "user_id": user, "part": "assess", "by_document": True}
        for topic, people in by_document.items()
        for user in sorted(people)
    ]
    for batch in _batches(new):
        connection.execute(insert(ASSIGNMENTS), batch)


def _batches(rows: Sequence[dict[str, object]]) -> Iterator[Sequence[dict[str, object]]]:
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[start : start + _ROWS_AT_ONCE]


def _rows(
    connection: Connection,
    users: Sequence[User],
    shares: Mapping[Document, set[int]],
    now: _CurrentShares,
) -> Iterator[AssessorShare]:
    """Yield the shares of those who take part, and of others who had some or have some now."""
    chosen = {user.id for user in users}
    for user in all_users(connection):
        had = {document for document, people in now.given.items() if user.id in people}
        has = {document for document, people in shares.items() if user.id in people}
        whole = {
            document for document in now.documents if user.id in now.whole.get(document.topic, ())
        }
        if user.id in chosen or had or has or whole:
            every = has | whole
            yield AssessorShare(
                user.name,
                len({document.topic for document in every}),
                len(every),
                sum(user.id in now.begun.get(document, ()) for document in every),
                len(has - had),
                len(had - has),
            )


def take_share(connection: Connection, topic: str, user: int) -> None:
    """Take all documents of a topic that somebody was given one by one."""
    row = SHARES.c
    connection.execute(delete(SHARES).where(row.topic == topic, row.user_id == user))


def give_whole(connection: Connection, topic: str, user: int) -> bool:
    """Give the whole topic to somebody who has some documents of it; return whether they had."""
    row = ASSIGNMENTS.c
    changed = connection.execute(
        update(ASSIGNMENTS)
        .where(row.topic == topic, row.user_id == user, row.part == "assess", row.by_document)
        .values(by_document=False)
    )
    if changed.rowcount:
        take_share(connection, topic, user)
    return bool(changed.rowcount)


def uncovered_documents(connection: Connection) -> dict[str, int]:
    """Return how many documents of each open topic nobody has, of topics with such documents."""
    pool, judged, assigned, share = POOL_DOCUMENTS.c, JUDGMENTS.c, ASSIGNMENTS.c, SHARES.c
    open_topics = [topic.id for topic in all_topics(connection) if not topic.is_closed]
    whole = select(assigned.topic).where(assigned.part == "assess", ~assigned.by_document)
    has = {Document(*row) for row in connection.execute(select(share.topic, share.document))}
    validated = (
        select(judged.topic, judged.document)
        .join(USERS, USERS.c.id == judged.judge)
        .where(judged.status == "validated", USERS.c.program.is_(None))
    )
    has |= {Document(*row) for row in connection.execute(validated)}
    covered = set(connection.execute(whole).scalars())
    lacking = Counter(
        row.topic
        for row in connection.execute(select(pool.topic, pool.document))
        if row.topic not in covered and Document(*row) not in has
    )
    return {topic: lacking[topic] for topic in open_topics if lacking[topic]}
