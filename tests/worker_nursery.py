"""A process that has dask imported, and forks the schedulers and workers of tests, which is quick.

Each line of its input is a process to start, as JSON; the answer is the id of that process. All of
them end when this process does, and it ends with its input.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Fork what is asked for, until nobody asks any more."""
    programs = {
        name: importlib.import_module(f"distributed.cli.{name}").main
        for name in ("dask_scheduler", "dask_worker")
    }
    config: Any = importlib.import_module("dask.config")
    importlib.import_module("numpy")
    shims: Any = importlib.import_module("sitecustomize")
    prctl = ctypes.CDLL(None).prctl
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        settle(asked)
        config.refresh()
        shims.apply()
        try:
            programs[asked["program"]](asked["options"], standalone_mode=False)
        finally:
            os._exit(1)


def settle(asked: dict[str, Any]) -> None:
    """Give a new process its session, output, environment and directory."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for ours, theirs in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(ours, theirs)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["directory"])
    sys.path[:0] = [
        path for path in os.environ["PYTHONPATH"].split(os.pathsep) if path not in sys.path
    ]


if __name__ == "__main__":
    main()
