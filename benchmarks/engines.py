"""What it costs to score runs elsewhere: in processes, on executors, on a cluster of dask.

    python benchmarks/engines.py                 77 runs of 114 topics × 1500 passages
    python benchmarks/engines.py --runs 10       fewer runs

The cluster runs on this machine, with one thread in each worker process, and is started before
anything is measured. CPU seconds are those of the command, the scheduler and the workers together.
Every command prints the same scores, or the benchmark fails.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.evaluation import Evaluation
from evaluate import FOCUSED, RESULTS, TOPICS, scored
from runner import compiled, heading, line, machine, python, run
from worlds import World

RUNS = 77
CPU_BAR, WALL_BAR, SPEED_BAR = 1.3, 1.15, 1.7


class Cost(NamedTuple):
    """Seconds of wall clock and of all processors, and what was printed."""

    wall: float
    cpu: float
    output: str


def main() -> None:
    """All ways, one after another, several times over."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each (default: 3)")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs to score (default: {RUNS})")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step(*options.step)
        return
    compiled()
    print(f"scoring {options.runs} runs elsewhere, {options.rounds} rounds; {machine()}")
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        world = World(Path(work) / "world", TOPICS, RESULTS, options.runs).write()
        costs = measured(world, options.rounds)
    report(costs)


def measured(world: World, rounds: int) -> dict[str, list[Cost]]:
    """The cost of each way, in each round."""
    found: dict[str, list[Cost]] = {}
    with local_cluster(1) as one, local_cluster(2) as two:
        commands = {
            "--jobs 1": (scored(world, "--jobs", "1"), None),
            "--jobs 2": (scored(world, "--jobs", "2"), None),
            "--engine, one worker": (scored(world, "--engine", address(one)), one),
            "--engine, two workers": (scored(world, "--engine", address(two)), two),
            "spawned ProcessPoolExecutor(2)": (in_python(world, "spawned"), None),
            "dask's get_executor(), two workers": (in_python(world, address(two)), two),
        }
        for _ in range(rounds):
            for name, (command, cluster) in commands.items():
                found.setdefault(name, []).append(cost(command, cluster))
    means = {one.output for name, runs in found.items() if name.startswith("--") for one in runs}
    if len(means) != 1:
        raise SystemExit("not all commands print the same scores")
    return found


def report(costs: dict[str, list[Cost]]) -> None:
    """What each way costs, and the bars."""
    cpu = {name: min(one.cpu for one in runs) for name, runs in costs.items()}
    wall = {name: min(one.wall for one in runs) for name, runs in costs.items()}
    heading("seconds of all processors, and of wall clock (minima)")
    for name in costs:
        line(name, f"{cpu[name]:.2f} s", f"{wall[name]:.2f} s of wall clock")
    two, one, here = "--engine, two workers", "--engine, one worker", "--jobs 2"
    heading("dask with two local workers")
    line("processors, of --jobs 2", f"{cpu[two] / cpu[here]:.2f}", f"bar: {CPU_BAR}")
    line("wall clock, of --jobs 2", f"{wall[two] / wall[here]:.2f}", f"bar: {WALL_BAR}")
    line("two workers, of the speed of one", f"{wall[one] / wall[two]:.2f}", f"bar: {SPEED_BAR}")


# Costs


def cost(command: list[str], cluster: Any) -> Cost:
    """Run a command, and count what the cluster does meanwhile."""
    before = cpu_of(cluster)
    done = run(command)
    return Cost(done.wall, done.cpu + cpu_of(cluster) - before, done.output)


def cpu_of(cluster: Any) -> float:
    """The CPU seconds of the workers, and of this process, where the scheduler is."""
    if cluster is None:
        return 0.0
    psutil: Any = importlib.import_module("psutil")
    own = resource.getrusage(resource.RUSAGE_SELF)
    workers = [psutil.Process(nanny.pid).cpu_times() for nanny in cluster.workers.values()]
    return own.ru_utime + own.ru_stime + float(sum(one.user + one.system for one in workers))


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A cluster of processes on this machine, as dask itself starts it."""
    distributed: Any = importlib.import_module("distributed")
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None
    ) as found:
        yield found


def address(cluster: Any) -> str:
    """The address for --engine."""
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


# Executors


def in_python(world: World, executor: str) -> list[str]:
    """The command that scores all runs on an executor."""
    return python(__file__, "--step", str(world.work), str(world.runs), executor)


def step(work: str, runs: str, name: str) -> None:
    """Score all runs on an executor: a pool of spawned processes, or a cluster."""
    world = World(Path(work), TOPICS, RESULTS, int(runs))
    evaluation = Evaluation(world.passages, FOCUSED)
    with executor_named(name) as executor:
        start = time.perf_counter()
        table = evaluation.score_all(world.passage_runs(), executor=executor)
        print(json.dumps({"seconds": time.perf_counter() - start, "mean": table.mean()}))


@contextmanager
def executor_named(name: str) -> Iterator[Executor]:
    """A pool of spawned processes, or what dask's client gives as an executor."""
    if name == "spawned":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            yield pool
        return
    distributed: Any = importlib.import_module("distributed")
    with distributed.Client(name.replace("dask://", "tcp://"), set_as_default=False) as client:
        yield client.get_executor()


if __name__ == "__main__":
    main()
