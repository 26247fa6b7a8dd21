"""Kill the server of a campaign at random moments while assessors work, again and again.

    python scripts/assess_trials.py --kills 50
    python scripts/assess_trials.py --kills 50 --database postgresql     which crashes at times, too

Assessors are threads that send operations through HTTP. After every kill, the server is started
again, and they send once more what was not answered. At the end, everything that was acknowledged
must be in the log, nothing twice, and the log must lead to the judgments that are stored.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from private_postgresql import Cluster, cluster
from scripted_assessors import Assessor, assessors, make_campaign, problems, serving

_PATIENCE = 60  # seconds


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
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="doxeval-trials-") as directory,
        chosen_database(asked.database) as database,
    ):
        outcome = trial(
            Path(directory),
            kills=asked.kills,
            people=asked.assessors,
            seed=asked.seed,
            database=database,
        )
    print(outcome)
    for problem in outcome.problems[:20]:
        print(" ", problem)
    sys.exit(bool(outcome.problems))


if __name__ == "__main__":
    main()
