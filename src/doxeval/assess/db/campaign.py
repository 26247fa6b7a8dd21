"""A campaign: topics, the pool, the people who judge it, and what they said.

This is the front of the store: every method is one transaction, or one look at the database.

    open_campaign.py   what all parts share: the database, the collection, the trail of events
    people.py          users and sessions
    planning.py        topics, assignments, keywords, the pool
    working.py         queues, judgments, operations
    results.py         all judgments together: verified, imported, adjudicated, backed up
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from doxeval.assess.db import (
    backup,
    opening,
)
from doxeval.assess.db.planning import Planning
from doxeval.assess.db.rebase import RebaseReport
from doxeval.assess.db.results import Results
from doxeval.assess.db.settings import Order, Settings, Snap
from doxeval.assess.db.working import Working
from doxeval.assess.judging import Mode
from doxeval.documents import Collection
from doxeval.pooling import Pool
from doxeval.topics import Topic


class Campaign(Planning, Working, Results):
    """A campaign in its directory, open for work. Many threads may use it at once.

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
        return cls(place, opening.open_directory(place, collection))

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
        backup.restore(Path(path), Path(directory), collection, database)
        return cls.open(directory)

    @staticmethod
    def rebase(directory: str | Path, collection: str | Path) -> RebaseReport:
        """Carry the judgments over to a collection that was built again; no server may run.

        Highlights and entry points go where their text stands now. What has no certain place is in
        the report, and its judgment is open again.
        """
        return opening.rebase_directory(Path(directory), collection)
