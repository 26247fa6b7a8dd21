"""A small campaign for tests of the command line, made by its own verbs, and work done in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner, Result

from doxeval.assess.db import Campaign
from doxeval.assess.judging import Operation
from doxeval.cli import main
from doxeval.pooling import pool_runs, write_pool
from helpers import doxeval, write_files

TIDES = "<article><sec><p>Low tide.</p><p>High tide comes later.</p></sec></article>"
WHALES = "<article><sec><p>Whales sing.</p></sec></article>"
SHIPS = "<article><sec><p>Ships wait for the tide.</p></sec></article>"
DOCUMENTS = {"tides.xml": TIDES, "whales.xml": WHALES, "ships.xml": SHIPS}
RUN = (
    "7 Q0 tides 1 3 mine /article[1]/sec[1]/p[1]\n"
    "7 Q0 ships 2 2 mine /article[1]/sec[1]\n"
    "8 Q0 whales 1 3 mine /article[1]/sec[1]/p[1]\n"
    "8 Q0 ships 2 2 mine /article[1]\n"
)
TOPICS = [{"id": "7", "title": "tides"}, {"id": "8", "title": "songs of whales"}]
# Beginnings and ends of "Low tide.", "High tide" and "the tide" in the texts.
LOW, HIGH, AT_SHIPS = (0, 9), (9, 18), (15, 23)


class Sources(NamedTuple):
    """What a campaign is made of."""

    collection: Path
    topics: Path
    pool: Path


def make_sources(folder: Path) -> Sources:
    """A collection of three documents, two topics, and a pool of two documents for each."""
    write_files(folder / "documents", DOCUMENTS)
    lines = "".join(f"{json.dumps(topic)}\n" for topic in TOPICS)
    write_files(folder, {"mine.run": RUN, "topics.jsonl": lines})
    collection, pool = folder / "collection", folder / "pool.jsonl"
    built = ("collection", "build", folder / "documents", "--out", collection, "--jobs", 1)
    assert doxeval(*built).exit_code == 0
    write_pool(pool_runs([folder / "mine.run"], depth=9, collection=collection), pool)
    return Sources(collection, folder / "topics.jsonl", pool)


def init_words(directory: Path, sources: Sources) -> tuple[object, ...]:
    collection, topics, pool = sources
    given = ("--collection", collection, "--topics", topics, "--pool", pool)
    return ("assess", "init", directory, *given)


def make_campaign(directory: Path, sources: Sources, *options: object) -> Path:
    """A campaign in which Ann judges both topics, and Bob topic 7."""
    done = doxeval(*init_words(directory, sources), *options)
    assert done.exit_code == 0, done.stderr
    for name in ("ann", "bob"):
        assert doxeval("assess", "user", "add", directory, name).exit_code == 0
    assert doxeval("assess", "assign", directory, "7", "8", "ann").exit_code == 0
    assert doxeval("assess", "assign", directory, "7", "bob").exit_code == 0
    return directory


def with_stdin(given: str | bytes, *words: object) -> Result:
    """Call the command line with something on stdin."""
    return CliRunner().invoke(main, [str(word) for word in words], input=given)


def signed_in(directory: Path, name: str, password: str) -> bool:
    """Whether somebody can sign in with a password."""
    with Campaign.open(directory) as campaign:
        return campaign.check_password(name, password, "127.0.0.1") is not None


def judge(
    directory: Path,
    name: str,
    topic: str,
    document: str,
    highlights: Sequence[tuple[int, int]],
    bep: int | None = None,
    validate: bool = True,
) -> None:
    """Let somebody judge a document as the page would do it."""
    with Campaign.open(directory) as campaign:
        user, text = campaign.user(name), campaign.article(document).text
        version = campaign.judgment(topic, document, user.id).version
        steps: list[tuple[str, int | None, int | None]] = []
        steps += [("highlight", start, end) for start, end in highlights]
        steps += [] if bep is None else [("bep", bep, None)]
        steps += [("validate" if highlights else "not-relevant", None, None)] if validate else []
        operations = []
        for at, (kind, start, end) in enumerate(steps, version):
            quote = None
            if start is not None:
                quote = text[start : start + 32 if end is None else end]
            op_id = f"{name}-{topic}-{document}-{at}"
            operations.append(Operation(op_id, at, kind, start=start, end=end, quote=quote))
        done = campaign.submit(topic, document, user.id, user, operations)
        assert done.failure is None, done.failure
