"""What some commands need beside them while their speed is compared: a cluster, a campaign.

    python benchmarks/services.py cluster
    python benchmarks/services.py campaign TIDES COLLECTION CAMPAIGN
    python benchmarks/services.py assess TIDES CAMPAIGN OUT

TIDES are documents to judge (see `inputs`). Campaigns are made and served by commands of the
doxeval that PYTHONPATH names; the assessors are those of this checkout, who speak HTTP.
"""

from __future__ import annotations

import http.client
import importlib
import io
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = 30  # of each assessor
PASSWORD = "high water mark"


def run_cluster() -> None:
    """Run a cluster of two workers; for each line read, print the CPU seconds used so far."""
    psutil: Any = importlib.import_module("psutil")
    distributed: Any = importlib.import_module("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        print(cluster.scheduler_address.replace("tcp://", "dask://"), flush=True)
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        for _ in sys.stdin:
            times = [process.cpu_times() for process in processes]
            print(sum(each.user + each.system for each in times), flush=True)


@contextmanager
def serving(campaign: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Serve a campaign; yield the process and its port."""
    command = [sys.executable, "-m", "doxeval", "assess", "serve", str(campaign), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            match = re.search(r"http://[^\s/]*:(\d+)", server.stdout.readline())
            if match is None:
                raise SystemExit("the server did not start")
            yield server, int(match[1])
        finally:
            if server.returncode is None:
                server.kill()


def make_campaign(tides: Path, collection: Path, campaign: Path) -> None:
    """Make a campaign, and keep the sessions of all assessors in a file beside it."""
    names = json.loads((tides / "people.json").read_text())
    where = ("--collection", str(collection), "--pool", str(tides / "pool.txt"))
    topics = ("--topics", str(tides / "topics.jsonl"))
    run_command("assess", "init", str(campaign), *where, *topics, "--password-stdin")
    for name in names:
        run_command("assess", "user", "add", str(campaign), name, "--password-stdin")
        run_command("assess", "assign", str(campaign), "7", name)
    with serving(campaign) as (_, port):
        sessions = {name: sign_in(port, name) for name in names}
    campaign.with_suffix(".sessions").write_text(json.dumps(sessions))


def run_command(*words: str) -> None:
    """Run a command of doxeval in this process, which spares dozens of starts."""
    sys.argv = ["doxeval", *words]
    sys.stdin = io.TextIOWrapper(io.BytesIO(f"{PASSWORD}\n".encode()))
    try:
        runpy.run_module("doxeval", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise


def sign_in(port: int, name: str) -> str:
    """Sign somebody in; return the token of the session."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
    form = urlencode({"name": name, "password": PASSWORD})
    connection.request("POST", "/login", form, headers)
    cookie = connection.getresponse().getheader("Set-Cookie") or ""
    connection.close()
    return cookie.partition("=")[2].partition(";")[0]


def let_assess(tides: Path, campaign: Path, out: Path) -> None:
    """Let everybody judge at once on a copy of a campaign.

    Prints the 99th percentile of how long they waited, and what the server took, as JSON.
    """
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]
    from assessors import Assessor, Server

    shutil.copytree(campaign, out / "campaign")
    texts = json.loads((tides / "texts.json").read_text())
    sessions = json.loads(campaign.with_suffix(".sessions").read_text())
    with serving(out / "campaign") as (process, port):
        server = Server(out, port)
        people = [
            Assessor(name, token, server, texts, seed)
            for seed, (name, token) in enumerate(sessions.items())
        ]
        never = threading.Event()
        threads = [threading.Thread(target=each.work, args=(never, OPERATIONS)) for each in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if errors := [error for each in people for error in each.errors]:
        raise SystemExit(f"{len(errors)} operations failed, such as: {errors[0]}")
    seconds = sorted(value for each in people for value in each.seconds)
    p99 = seconds[int(0.99 * (len(seconds) - 1))]
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"wall": p99, "cpu": cpu, "memory": usage.ru_maxrss / 1024}))


STEPS: dict[str, Callable[..., None]] = {
    "cluster": run_cluster,
    "campaign": make_campaign,
    "assess": let_assess,
}

if __name__ == "__main__":
    STEPS[sys.argv[1]](*map(Path, sys.argv[2:]))
