"""Clusters of dask for tests: a scheduler and workers, each a process of its own.

They are forked by one process for each process of tests, which has dask imported: see
worker_nursery.py.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SHIMS = Path(__file__).parent / "data" / "worker_shims"
NOTHING: Mapping[str, str] = {}
_SECONDS_TO_START = 60.0


def import_path() -> str:
    """Where this process finds doxeval and the modules of the tests."""
    ours = [path for path in sys.path if Path(path).is_relative_to(ROOT)]
    return os.pathsep.join([str(SHIMS), str(ROOT / "src"), *ours])


class Process(NamedTuple):
    """A process of a cluster."""

    pid: int

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True


@cache
def _nursery() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "worker_nursery.py")],
        env={**os.environ, "PYTHONPATH": import_path()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


class Cluster:
    """The processes of a cluster: they can be added and killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scheduler_file = folder / "scheduler.json"
        self.processes: dict[str, Process] = {}

    @property
    def address(self) -> str:
        """As `engine=` takes it."""
        address: str = json.loads(self.scheduler_file.read_text())["address"]
        return address.replace("tcp://", "dask://")

    def start_scheduler(self, settings: Mapping[str, str] = NOTHING) -> None:
        """Start the scheduler; `settings` are added to its environment (see data/worker_shims)."""
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        options += ["--scheduler-file", str(self.scheduler_file)]
        self._start("scheduler", "dask_scheduler", options, settings)

    def start_worker(
        self,
        name: str,
        settings: Mapping[str, str] = NOTHING,
        *,
        threads: int = 1,
        cwd: Path | None = None,
    ) -> None:
        """Start a worker; `settings` are added to its environment (see data/worker_shims)."""
        options = ["--scheduler-file", str(self.scheduler_file), "--name", name]
        options += ["--nthreads", str(threads), "--no-dashboard", "--no-nanny"]
        options += ["--host", "127.0.0.1", "--local-directory", str(self.folder)]
        options += ["--memory-limit", "0", "--death-timeout", "60"]
        self._start(name, "dask_worker", options, settings, cwd)

    def _start(
        self,
        name: str,
        program: str,
        options: list[str],
        settings: Mapping[str, str],
        cwd: Path | None = None,
    ) -> None:
        log = self.folder / f"{name}.log"
        log.write_bytes(b"")  # nothing of an earlier worker of this name
        usual = {"PYTHONPATH": import_path(), "DASK_TEMPORARY_DIRECTORY": str(self.folder)}
        asked = {
            "program": program,
            "options": options,
            "environment": {**os.environ, **usual, **settings},
            "log": str(log),
            "directory": str(cwd or self.folder),
        }
        nursery = _nursery()
        assert nursery.stdin is not None and nursery.stdout is not None
        nursery.stdin.write(f"{json.dumps(asked)}\n")
        nursery.stdin.flush()
        self.processes[name] = Process(int(nursery.stdout.readline()))

    def log(self, name: str) -> str:
        """What a process has printed."""
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        """Wait until something is true."""
        deadline = time.monotonic() + _SECONDS_TO_START
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(f"{name}: {self.log(name)[-2000:]}" for name in self.processes)
                raise TimeoutError(f"no {what} in {_SECONDS_TO_START} s\n{logs}")
            time.sleep(0.02)

    def wait_for_workers(self, *names: str) -> None:
        """Wait until workers have told the scheduler of themselves."""
        for name in names:
            self.wait_for(lambda name=name: "Registered to:" in self.log(name), f"worker {name}")  # type: ignore[misc]

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Kill a process, and wait for its end."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
        self.wait_for(lambda: not process.is_running, f"end of {name}")

    def kill_all(self) -> None:
        """Kill all processes that are left."""
        for name in list(self.processes):
            self.kill(name)


@contextmanager
def cluster(
    workers: int = 2, *, threads: int = 1, settings: Mapping[str, str] = NOTHING
) -> Iterator[Cluster]:
    """A scheduler and workers `w0`, `w1`, …, killed at the end.

    The workers import doxeval and the modules of the tests from here. `settings` are added to the
    environment of the scheduler.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = Cluster(Path(folder))
        try:
            found.start_scheduler(settings)
            names = [f"w{number}" for number in range(workers)]
            for name in names:  # they wait for the scheduler's file themselves
                found.start_worker(name, threads=threads)
            found.wait_for(found.scheduler_file.exists, "scheduler")
            found.wait_for_workers(*names)
            yield found
        finally:
            found.kill_all()
