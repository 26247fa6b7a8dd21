"""All judgments together: listed, verified, imported, adjudicated and backed up."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from doxeval.assess.agreement.adjudication import adjudicated_by, votes
from doxeval.assess.db import (
    audit,
    backup,
    imports,
    listing,
    replay,
)
from doxeval.assess.db.gold import Known
from doxeval.assess.db.imports import Imported, NewState
from doxeval.assess.db.judgments import Target
from doxeval.assess.db.open_campaign import id_of, name_of
from doxeval.assess.db.people import People
from doxeval.assess.db.queue import ADJUDICATED
from doxeval.assess.db.submitting import Author
from doxeval.assess.db.users import User
from doxeval.assess.exchange.judged import Judged
from doxeval.assess.exchange.log import LoggedOperation
from doxeval.assess.judging import State
from doxeval.assessments import Merge, Ties, count_ties


class Results(People):
    """What a campaign gives, and what it takes over from elsewhere."""

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
        judge = self.user(name_of(assessor)).id
        new = [self._new_state(one.topic, one.document, judge, one.state) for one in states]
        return self._written(new, "imported", by, replace, assessor=name_of(assessor))

    def adjudicate(
        self,
        rule: Merge,
        topics: Collection[str] | None = None,
        by: User | None = None,
        replace: bool = False,
    ) -> Imported:
        """Let a rule make one judgment of those that assessors validated, of some topics or all.

        A document that was adjudicated already is kept, unless `replace` is set. A majority needs
        three assessors, or two who agree; its ties are counted.
        """
        by_pair: dict[tuple[str, str], list[State]] = {}
        adjudicated: set[tuple[str, str]] = set()
        for judged in self.judgments(drafts=True):
            if topics is not None and judged.topic not in topics:
                continue
            if judged.adjudicated:
                adjudicated |= {judged.pair} if judged.state != State() else set()
            elif not judged.draft:
                by_pair.setdefault(judged.pair, []).append(judged.state)
        ties = Ties()
        if rule == "majority":
            decided = {
                pair: states
                for pair, states in by_pair.items()
                if replace or pair not in adjudicated
            }
            every = (votes(*pair, states) for pair, states in decided.items())
            ties = count_ties(every, "union, intersection or a third assessor")
        new = []
        for (topic, document), states in by_pair.items():
            state = adjudicated_by(rule, states, self.article(document), self.mode)
            new.append(self._new_state(topic, document, ADJUDICATED, state))
        details = {"rule": rule, **({"ties": dataclasses.asdict(ties)} if ties else {})}
        done = self._written(new, "adjudicated", by, replace, **details)
        return dataclasses.replace(done, ties=ties)

    def _new_state(self, topic: str, document: str, judge: int, state: State) -> NewState:
        known = self.collection.id_of(self.collection.document(document))
        return NewState(Target(topic, known, judge), state)

    def _written(
        self, new: list[NewState], what: str, by: User | None, replace: bool, **details: Any
    ) -> Imported:
        author = Author(id_of(by), imports=True, seal=self.collection.checksum)

        def change(connection: Any) -> Imported:
            done = imports.write_states(connection, new, self.mode, author, self.article, replace)
            audit.note(connection, what, id_of(by), written=done.written, **details)
            return done

        return self._database.write(change)

    def backup(self, path: str | Path) -> None:
        """Write the whole campaign to one file (compressed if its name ends in .gz)."""
        backup.backup(self._database, Path(path))
