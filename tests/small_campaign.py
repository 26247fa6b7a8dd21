"""A small campaign: three documents, two topics, and five people who work on them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.engine import URL, make_url

from doxeval.assess.db import ADJUDICATED, Campaign
from doxeval.assess.judging import Article, Operation, State
from doxeval.documents import Collection, build_collection
from doxeval.pooling import Pool, PooledDocument, PooledElement
from doxeval.topics import Topic

DOCUMENTS = {
    "tides": (
        "<article><title>Tides</title><sec><p>The moon pulls the sea.</p><p>Twice a day the "
        "water rises.</p></sec><sec><p>Spring tides are high.</p></sec></article>"
    ),
    "waves": "<article><title>Waves</title><p>Wind makes waves 🌊 of all sizes.</p></article>",
    "salt": "<article><title>Salt</title><p>The sea is salty.</p></article>",
}
TOPICS = (
    Topic("7", title="tides", description="Why does the water rise and fall?"),
    Topic("8", title="salt water", narrative="Anything about salt."),
)
POOL = Pool(
    {
        "7": (
            PooledDocument("waves", 0.1, (PooledElement("/article[1]/p[1]"),), (("mine", 1),)),
            PooledDocument("tides", 0.3, (PooledElement("/article[1]/sec[1]"),), (("mine", 2),)),
        ),
        "8": (
            PooledDocument("salt", 0.2),
            PooledDocument("tides", 0.2),
            PooledDocument("waves", 0.1),
        ),
    }
)
PEOPLE = {
    "admin": "admin",
    "organiser": "organiser",
    "ann": "assessor",
    "bob": "assessor",
    "adj": "adjudicator",
}
PASSWORD = "correct horse"
_NUMBERS = count(1)


HIGHLIGHTED = State(highlights=((0, 4),), bep=0)


@dataclass(frozen=True)
class Answer:
    """A judgment from elsewhere."""

    topic: str
    document: str
    state: State = HIGHLIGHTED


def make_collection(directory: Path, documents: dict[str, str] | None = None) -> Collection:
    sources = directory / "sources"
    sources.mkdir(parents=True)
    for name, xml in (documents or DOCUMENTS).items():
        (sources / f"{name}.xml").write_text(xml, encoding="utf-8")
    build_collection([str(sources)], directory / "collection")
    return Collection(directory / "collection")


def make_campaign(
    directory: Path, database: str | None = None, collection: Collection | None = None, **more: Any
) -> Campaign:
    """The campaign, with its people and their assignments."""
    if collection is None:
        collection = make_collection(directory)
    campaign = Campaign.create(
        directory / "campaign",
        **{
            "collection": collection.directory,
            "topics": TOPICS,
            "pool": POOL,
            "database": database,
            **more,
        },
    )
    for name, role in PEOPLE.items():
        campaign.add_user(name, role, PASSWORD)
    for topic in campaign.topics():
        for name in ("ann", "bob", "adj"):
            campaign.assign(topic.id, name)
    return campaign


def operation(kind: str, base_version: int, **fields: Any) -> Operation:
    """An operation with an id of its own."""
    op_id = fields.pop("op_id", None) or f"test-{next(_NUMBERS)}"
    return Operation(op_id, base_version, kind, **fields)


def highlight(article: Article, start: int, end: int, base_version: int, **more: Any) -> Operation:
    quote = article.text[start:end]
    return operation("highlight", base_version, start=start, end=end, quote=quote, **more)


def bep(article: Article, start: int, base_version: int, **more: Any) -> Operation:
    return operation(
        "bep", base_version, start=start, quote=article.text[start : start + 32], **more
    )


def random_operation(campaign: Campaign, document: str, version: int, chance: random.Random) -> Any:
    article = campaign.article(document)
    start, end = sorted(chance.sample(range(len(article.text) + 1), 2))
    kind = chance.choice(
        ["highlight", "highlight", "unhighlight", "bep", "clear-bep", "validate", "not-relevant",
         "reopen", "note", "problem", "skip", "undo", "undo", "redo"]
    )  # fmt: skip
    if kind == "bep":
        return bep(article, start, version)
    if kind in ("highlight", "unhighlight"):
        quote = article.text[start:end]
        return operation(kind, version, start=start, end=end, quote=quote)
    values = {"note": str(start), "problem": start % 2 == 0, "skip": start % 2 == 0}
    return operation(kind, version, value=values.get(kind))


def work_at_random(campaign: Campaign, steps: int, seed: int) -> int:
    """Operations of several people in any order; how many were applied."""
    chance = random.Random(seed)
    people = [campaign.user(name) for name in ("ann", "bob")]
    applied = 0
    for _ in range(steps):
        user, document = chance.choice(people), chance.choice(["tides", "waves"])
        judge = ADJUDICATED if chance.random() < 0.2 else user.id
        version = campaign.judgment("7", document, judge).version
        sent = random_operation(campaign, document, version, chance)
        applied += campaign.submit("7", document, judge, user, [sent]).applied
    return applied


@contextmanager
def database_of(campaign: Campaign) -> Iterator[Connection]:
    """A transaction of our own in the database of a campaign, which knows nothing of it."""
    with create_engine(_url_of(campaign), poolclass=NullPool).begin() as connection:
        yield connection


def _url_of(campaign: Campaign) -> URL:
    if campaign.facts.database is None:
        return URL.create("sqlite", database=str(campaign.directory / "campaign.db"))
    return make_url(campaign.facts.database).set(drivername="postgresql+psycopg")


def stored(campaign: Campaign, table: str, column: str = "*") -> list[Any]:
    """The values of a column in the database, or the first of each row."""
    with database_of(campaign) as connection:
        query = f"SELECT {column} FROM {table}"
        return list(connection.exec_driver_sql(query).scalars())
