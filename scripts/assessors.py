"""Assessors without a browser: threads that judge documents through a real server.

    python scripts/assessors.py --kills 50              kill the server at random moments
    python scripts/assessors.py --kills 50 --database postgresql     which crashes at times, too

Each operation is sent until it is answered, always with the same id; a server that is gone is
waited for. What was answered is written down, so that it can be compared with the log afterwards:
everything that was acknowledged must be there, nothing twice, and the log must lead to the
judgments that are stored.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from doxeval.assess.db import Campaign
from doxeval.documents import build_collection
from doxeval.pooling import Pool, PooledDocument
from doxeval.topics import Topic
from private_postgresql import Cluster, cluster

_WORDS = (
    "tide moon sea water wave salt wind shore sand ebb flood spring neap gravity 🌊 Küste".split()
)
_KINDS = ("highlight",) * 5 + ("unhighlight", "bep", "bep", "note", "undo", "redo", "validate")
_PATIENCE = 60  # seconds until a server that was killed must be back


def make_campaign(
    directory: Path, assessors: int, *, documents: int = 20, paragraphs: int = 40, **more: Any
) -> Campaign:
    """A campaign with made-up documents and one topic, which everybody assesses."""
    chance = random.Random(0)
    sources = directory / "sources"
    sources.mkdir(parents=True)
    for number in range(documents):
        text = "".join(
            f"<p>{' '.join(chance.choices(_WORDS, k=60))}.</p>" for _ in range(paragraphs)
        )
        (sources / f"d{number}.xml").write_text(f"<article>{text}</article>", encoding="utf-8")
    build_collection([str(sources)], directory / "collection")
    pool = Pool({"7": tuple(PooledDocument(f"d{number}") for number in range(documents))})
    campaign = Campaign.create(
        directory / "campaign",
        collection=directory / "collection",
        topics=[Topic("7", title="tides")],
        pool=pool,
        **more,
    )
    for number in range(assessors):
        campaign.add_user(f"assessor{number}")
        campaign.assign("7", f"assessor{number}")
    return campaign


@dataclass
class Server:
    """A server of a campaign in a process of its own, which can be killed and started again."""

    directory: Path
    port: int = 0
    _process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it listens; it keeps its port."""
        command = [sys.executable, "-c", _SERVE, str(self.directory), str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        if not told:
            raise RuntimeError("the server did not start")
        self.port = int(told.rpartition(":")[2].strip().rstrip("/"))

    def kill(self) -> None:
        """Kill it as SIGKILL does: nothing more is written."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


_SERVE = """
import sys
from doxeval.assess.db import Campaign
from doxeval.assess.web import serve

def started(address):
    print(address, flush=True)

with Campaign.open(sys.argv[1]) as campaign:
    serve(campaign, port=int(sys.argv[2]), started=started)
"""


@contextmanager
def serving(directory: Path) -> Iterator[Server]:
    """A running server, killed at the end."""
    server = Server(directory)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def chance_of_a_moment() -> float:
    """How long to wait before the next attempt; not all at the same time."""
    return random.uniform(0.05, 0.2)


@dataclass
class Assessor:
    """One assessor: what was sent, what was answered, and how long each answer took."""

    name: str
    token: str
    server: Server
    texts: dict[str, str]
    seed: int
    versions: dict[str, int] = field(default_factory=dict)
    sent: dict[str, str] = field(default_factory=dict)  # op_id to document
    acknowledged: dict[str, int] = field(default_factory=dict)  # op_id to version
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    retries: int = 0
    _connection: http.client.HTTPConnection | None = None

    def work(self, stop: threading.Event, most: int | None = None) -> None:
        """Judge documents at random until told to stop, or until enough was done."""
        chance = random.Random(self.seed)
        number = 0
        while not stop.is_set() and (most is None or number < most):
            document = chance.choice(list(self.texts))
            batch = 1 if most is not None or chance.random() < 0.8 else chance.randint(2, 5)
            operations: list[dict[str, Any]] = []
            for _ in range(batch):
                base = self.versions.get(document, 0) + len(operations)
                op_id = f"{self.name}-{number}"
                made = self._any(chance, document)
                operations.append({"op_id": op_id, "base_version": base, **made})
                self.sent[op_id] = document
                number += 1
            self._send(document, operations)
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _any(self, chance: random.Random, document: str) -> dict[str, Any]:
        text, kind = self.texts[document], chance.choice(_KINDS)
        start = chance.randrange(len(text) - 200)
        end = start + chance.randint(1, 200)
        if kind in ("highlight", "unhighlight"):
            return {"kind": kind, "start": start, "end": end, "quote": text[start:end]}
        if kind == "bep":
            return {"kind": kind, "start": start, "quote": text[start : start + 32]}
        return {"kind": kind, "value": str(start)} if kind == "note" else {"kind": kind}

    def _send(self, document: str, operations: list[dict[str, Any]]) -> None:
        """Send operations until they are answered; those that the rules refuse are answers, too."""
        began = time.monotonic()
        while True:
            try:
                status, reply = self._post(document, operations)
            except (OSError, http.client.HTTPException, ValueError):
                self.hang_up()
                self.retries += 1
                if time.monotonic() - began > _PATIENCE:
                    self.errors.append("no answer")
                    return
                time.sleep(chance_of_a_moment())
                continue
            if status != 503:  # the database cannot save just now
                break
            time.sleep(0.05)
        self.seconds.append(time.monotonic() - began)
        if status not in (200, 422):
            self.errors.append(f"{status} {reply}")
            return
        applied = reply["applied"] if status == 422 else len(operations)
        for operation in operations[:applied]:
            self.acknowledged[operation["op_id"]] = operation["base_version"] + 1
        self.versions[document] = reply["version"]

    def _post(self, document: str, operations: list[dict[str, Any]]) -> tuple[int, Any]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        where = urlencode({"topic": "7", "doc": document})
        body = json.dumps({"operations": operations}).encode()
        headers = {
            "Content-Type": "application/json",
            "Cookie": f"doxeval-session={self.token}",
            "Sec-Fetch-Site": "same-origin",
        }
        self._connection.request("POST", f"/api/operations?{where}", body, headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())


def assessors(campaign: Campaign, server: Server) -> list[Assessor]:
    """All assessors of a campaign, signed in."""
    texts = {one: campaign.article(one).text for one in campaign.collection.ids()}
    return [
        Assessor(user.name, campaign.open_session(user), server, texts, seed)
        for seed, user in enumerate(campaign.users())
    ]


def problems(campaign: Campaign, people: list[Assessor]) -> list[str]:
    """What is wrong after all: acknowledged and lost, applied twice, or a log that does not fit."""
    found = campaign.verify()
    versions: dict[str, int] = {}
    for logged in campaign.operations():
        op_id = logged.operation.op_id
        if op_id in versions:
            found.append(f"{op_id} was applied twice")
        versions[op_id] = logged.version
    sent = {op_id for person in people for op_id in person.sent}
    found += [f"{op_id} was never sent" for op_id in versions.keys() - sent]
    for person in people:
        found += [f"{person.name}: {error}" for error in person.errors]
        for op_id, version in person.acknowledged.items():
            if versions.get(op_id) != version:
                found.append(f"{op_id} was acknowledged as version {version} and is lost")
    return found


# A server that is killed again and again


@dataclass(frozen=True)
class Outcome:
    """What happened in a trial."""

    kills: int
    crashes: int
    sent: int
    acknowledged: int
    logged: int
    retries: int
    problems: list[str]

    def __str__(self) -> str:
        return (
            f"{self.kills} kills of the server, {self.crashes} crashes of the database: "
            f"{self.sent:,} operations sent, {self.acknowledged:,} acknowledged, {self.logged:,} "
            f"in the log, {self.retries:,} attempts without an answer, "
            f"{len(self.problems)} problems"
        )


def trial(
    directory: Path,
    *,
    kills: int,
    people: int = 20,
    seed: int = 0,
    database: Cluster | None = None,
    longest: float = 1.5,
) -> Outcome:
    """Kill a server some number of times, each time within `longest` seconds of its start."""
    chance = random.Random(seed)
    url = None if database is None else database.databases.new()
    campaign = make_campaign(directory, people, database=url)
    stop, crashes = threading.Event(), 0
    with campaign, serving(campaign.directory) as server:
        workers = assessors(campaign, server)
        threads = [threading.Thread(target=one.work, args=(stop,)) for one in workers]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            _wait_for_work(workers)
            time.sleep(chance.random() * longest)
            server.kill()
            if database is not None and chance.random() < 0.2:
                database.stop(signal.SIGQUIT)
                database.start()
                crashes += 1
            server.start()
        stop.set()
        for thread in threads:
            thread.join()
        server.kill()
        return Outcome(
            kills,
            crashes,
            sum(len(one.sent) for one in workers),
            sum(len(one.acknowledged) for one in workers),
            sum(1 for _ in campaign.operations()),
            sum(one.retries for one in workers),
            problems(campaign, workers),
        )


def _wait_for_work(workers: list[Assessor]) -> None:
    """Wait until the server answers somebody: killing one that does nothing proves nothing."""
    before, began = _answers(workers), time.monotonic()
    while _answers(workers) == before and time.monotonic() - began < _PATIENCE:
        time.sleep(0.01)


def _answers(workers: list[Assessor]) -> int:
    return sum(len(one.acknowledged) for one in workers)


@contextmanager
def chosen_database(name: str) -> Iterator[Cluster | None]:
    """None for SQLite, or a PostgreSQL server that writes to disk before it answers."""
    if name == "sqlite":
        yield None
        return
    with cluster() as started:
        yield started


def main() -> None:
    """Run a trial and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="doxeval-trials-") as directory,
        chosen_database(options.database) as database,
    ):
        outcome = trial(
            Path(directory),
            kills=options.kills,
            people=options.assessors,
            seed=options.seed,
            database=database,
        )
    print(outcome)
    for problem in outcome.problems[:20]:
        print(" ", problem)
    sys.exit(bool(outcome.problems))


if __name__ == "__main__":
    main()
