"""What it costs to score runs elsewhere: in processes, on executors, on a cluster of dask.

    python benchmarks/engines.py                 77 runs of 114 topics × 1500 passages
    python benchmarks/engines.py --runs 10       fewer runs

The cluster runs on this machine, with one thread in each worker process, and is started before
anything is measured. CPU seconds are those of the command, the scheduler and the workers together,
less what the cluster takes while it waits. Besides whole commands, the scoring alone is timed in
Python, with dask imported before: importing it takes about a third of a second. All ways give the
same scores, or the benchmark fails.
"""

from __future__ import annotations

import importlib
import os
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.evaluation import Evaluation
from doxeval.parallel import keep_freed_blocks
from evaluate import FOCUSED, RESULTS, TOPICS, scored
from runner import heading, line, options_of, run, step, workplace
from worlds import World

RUNS = 77
CPU_BAR, WALL_BAR, SPEED_BAR = 1.3, 1.15, 1.7
_IDLE_SECONDS = 3.0


class Cost(NamedTuple):
    """Seconds of wall clock and of all processors, and what was printed."""

    wall: float
    cpu: float
    output: str


def main() -> None:
    """All ways, one after another, several times over."""
    parser = options_of(__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs to score (default: {RUNS})")
    options = parser.parse_args()
    if options.step:
        score_in_python(*options.step)
        return
    title = f"scoring {options.runs} runs elsewhere, {options.rounds} rounds"
    with workplace(title) as work:
        world = World(work / "world", TOPICS, RESULTS, options.runs).write()
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
            "jobs=2": (in_python(world, "jobs"), None),
            "engine=, one worker": (in_python(world, "engine", address(one)), one),
            "engine=, two workers": (in_python(world, "engine", address(two)), two),
            "executor=ProcessPoolExecutor(2), spawned": (in_python(world, "pool"), None),
            "executor=client.get_executor()": (in_python(world, "executor", address(two)), two),
        }
        for _ in range(rounds):
            for name, (command, cluster) in commands.items():
                found.setdefault(name, []).append(cost(command, cluster))
    told = {(name[0] == "-", scores(one)) for name, runs in found.items() for one in runs}
    if len(told) != 2:  # one table of commands, one of Python
        raise SystemExit("not all ways give the same scores")
    return found


def scores(one: Cost) -> str:
    """What a command printed, without the time it took."""
    return one.output.partition("seconds")[0]


def seconds(one: Cost) -> float:
    """How long scoring took: as told in Python, or else the whole command."""
    return float(one.output.partition("seconds")[2] or one.wall)


def report(costs: dict[str, list[Cost]]) -> None:
    """What each way costs, and the bars."""
    cpu = {name: min(one.cpu for one in runs) for name, runs in costs.items()}
    wall = {name: min(map(seconds, runs)) for name, runs in costs.items()}
    heading("seconds of all processors, and of wall clock (minima)")
    for name in costs:
        what = "of wall clock" if name.startswith("--") else "of scoring"
        line(name, f"{cpu[name]:.2f} s", f"{wall[name]:.2f} s {what}")
    two, here = "--engine, two workers", "--jobs 2"
    heading("dask with two local workers")
    line("processors, of --jobs 2", f"{cpu[two] / cpu[here]:.2f}", f"bar: {CPU_BAR}")
    line("wall clock of the command, of --jobs 2", f"{wall[two] / wall[here]:.2f}")
    there, alone = wall["engine=, two workers"], wall["engine=, one worker"]
    line("wall clock of scoring, of jobs=2", f"{there / wall['jobs=2']:.2f}", f"bar: {WALL_BAR}")
    line("two workers, of the speed of one", f"{alone / there:.2f}", f"bar: {SPEED_BAR}")


# Costs


def cost(command: list[str], cluster: Any) -> Cost:
    """Run a command, and count what the cluster does meanwhile."""
    idle = 0.0 if cluster is None else idle_share(cluster)
    before = cpu_of(cluster)
    done = run(command)
    there = cpu_of(cluster) - before - idle * done.wall
    return Cost(done.wall, done.cpu + max(there, 0.0), done.output)


@cache
def idle_share(cluster: Any) -> float:
    """The CPU seconds in a second in which a cluster only waits."""
    before = cpu_of(cluster)
    time.sleep(_IDLE_SECONDS)
    return (cpu_of(cluster) - before) / _IDLE_SECONDS


def cpu_of(cluster: Any) -> float:
    """The CPU seconds of the workers, and of this process, where the scheduler is."""
    if cluster is None:
        return 0.0  # it is not used
    psutil: Any = importlib.import_module("psutil")
    own = resource.getrusage(resource.RUSAGE_SELF)
    workers = [psutil.Process(nanny.pid).cpu_times() for nanny in cluster.workers.values()]
    return own.ru_utime + own.ru_stime + float(sum(one.user + one.system for one in workers))


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A cluster of processes on this machine, as dask itself starts it."""
    distributed: Any = importlib.import_module("distributed")
    before = dict(os.environ)
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None
    ) as found:
        # dask leaves the settings of its workers in this process, among them one of the
        # allocator; the other commands would inherit them.
        for name in set(os.environ) - set(before):
            del os.environ[name]
        yield found


def address(cluster: Any) -> str:
    """The address for --engine."""
    return str(cluster.scheduler_address).replace("tcp://", "dask://")


# In Python


def in_python(world: World, how: str, where: str = "") -> list[str]:
    """The command that scores all runs in Python, somehow and somewhere."""
    return step(__file__, str(world.work), world.runs, how, where)


def score_in_python(work: str, runs: str, how: str, where: str) -> None:
    """Score all runs, and print the means and how long it took."""
    world = World(Path(work), TOPICS, RESULTS, int(runs))
    evaluation = Evaluation(world.passages, FOCUSED)
    if how == "jobs":
        keep_freed_blocks()  # as commands do: this process scores as well
    with way(how, where) as options:
        start = time.perf_counter()
        table = evaluation.score_all(world.passage_runs(), **options)
        print(f"{table.mean()} seconds {time.perf_counter() - start}")


@contextmanager
def way(how: str, where: str) -> Iterator[dict[str, Any]]:
    """What `score_all` is called with."""
    if how == "jobs":
        yield {"jobs": 2}
    elif how == "pool":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            yield {"executor": pool}
    elif how == "engine":
        importlib.import_module("distributed")
        yield {"engine": where}
    else:
        distributed: Any = importlib.import_module("distributed")
        with distributed.Client(where.replace("dask://", "tcp://")) as client:
            yield {"executor": client.get_executor()}


if __name__ == "__main__":
    main()
