"""How long assessors wait: twenty of them at once, sixty operations each, through a real server.

    python benchmarks/assessors.py                         on SQLite
    python benchmarks/assessors.py --database postgresql   on a PostgreSQL server of our own

Nobody pauses to read: each sends the next operation as soon as the last one is answered, which is
far more than twenty people do. Every answer means that the operation is on disk.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from assess_trials import chosen_database
from scripted_assessors import assessors, make_campaign, problems, serving


def benchmark(directory: Path, url: str | None, people: int, operations: int, pool: int) -> None:
    """Let everybody work, and print how long they waited."""
    campaign = make_campaign(directory, people, documents=pool, database=url)
    with campaign, serving(campaign.directory) as server:
        workers = assessors(campaign, server)
        never = threading.Event()
        threads = [threading.Thread(target=one.work, args=(never, operations)) for one in workers]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        wrong = problems(campaign, workers)
    waited = sorted(seconds for one in workers for seconds in one.seconds)
    cut = statistics.quantiles(waited, n=100)
    print(
        f"{people} assessors × {operations} operations, {pool} documents: "
        f"{len(waited) / took:,.0f} operations a second, {len(wrong)} errors; "
        f"median {cut[49] * 1e3:,.0f} ms, p99 {cut[98] * 1e3:,.0f} ms, "
        f"longest {waited[-1] * 1e3:,.0f} ms"
    )
    for problem in wrong[:10]:
        print(" ", problem)


def main() -> None:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--operations", type=int, default=60)
    parser.add_argument("--pool", type=int, default=20)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="doxeval-bench-") as directory,
        chosen_database(asked.database) as database,
    ):
        url = None if database is None else database.databases.new()
        benchmark(Path(directory), url, asked.assessors, asked.operations, asked.pool)


if __name__ == "__main__":
    main()
