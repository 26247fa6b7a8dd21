"""Measuring commands side by side: each in a process of its own, interleaved, by the median."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import doxeval


@dataclass(frozen=True)
class Run:
    """One run of a command: seconds of wall clock and of processors, and what it printed."""

    wall: float
    cpu: float
    output: str


def run(command: Sequence[str]) -> Run:
    """Run a command to its end; its failure is ours."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, done.stdout)


def compiled() -> None:
    """Compile the package to bytecode, which an installed package has from the beginning."""
    compileall.compile_dir(Path(doxeval.__file__).parent, quiet=1)


def python(*arguments: str) -> list[str]:
    """A command that runs this Python."""
    return [sys.executable, *arguments]


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[Run]]:
    """Run all commands in turn, several times over."""
    results: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            results[name].append(run(command))
    return results


def median(runs: Sequence[Run], value: Callable[[Run], float]) -> float:
    """The median of a value over runs."""
    return statistics.median(value(one) for one in runs)


def medians(
    ways: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """The median seconds of each way to do something in this process, all of them in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = clock()
            way()
            seconds[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def printed(one: Run, key: str) -> Any:
    """A value from the JSON object that a command printed."""
    return json.loads(one.output)[key]


def heading(text: str) -> None:
    """A heading in the terminal."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def line(what: str, value: str, bar: str = "") -> None:
    """One row: what, its value, and the bar it is held to."""
    print(f"  {what:<52} {value:>14}   {bar}", flush=True)


def machine() -> str:
    """The machine in a few words."""
    return f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"


def measured(work: Callable[[], object], workers: int = 0) -> dict[str, float]:
    """Seconds, and the peak memory in MiB of this process and its workers together."""

    def cpu() -> float:
        usages = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    cpu_before, wall_before = cpu(), time.perf_counter()
    work()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "cpu": cpu() - cpu_before,
        "wall": time.perf_counter() - wall_before,
        "peak": (own + workers * child) / 1024,
    }


# The command line of a benchmark, which runs its steps in processes of their own


def step(script: str, name: str, *arguments: object) -> list[str]:
    """The command that runs one step of a benchmark."""
    return python(script, "--step", name, *map(str, arguments))


def options_of(description: str, rounds: int = 3) -> argparse.ArgumentParser:
    """What every benchmark with steps takes."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument(
        "--rounds", type=int, default=rounds, help=f"rounds of each (default: {rounds})"
    )
    parser.add_argument("--step", nargs="+", help=argparse.SUPPRESS)
    return parser


@contextmanager
def workplace(title: str, directory: Path | None = None) -> Iterator[Path]:
    """Begin a benchmark: compile, print its title and the machine, yield a directory for files."""
    compiled()
    print(f"{title}; {machine()}", flush=True)
    if directory is not None:
        yield directory
        return
    with tempfile.TemporaryDirectory(prefix="doxeval-benchmark-") as work:
        yield Path(work)


def steps_or_all(
    title: str,
    description: str,
    steps: Mapping[str, Callable[..., Any]],
    everything: Callable[[Path, int, int], object],
) -> None:
    """Run a benchmark over documents: one of its steps, or everything."""
    parser = options_of(description)
    parser.add_argument("--docs", type=int, default=20_000, help="documents (default: 20000)")
    parser.add_argument("--work", type=Path, help="directory to work in (default: a temporary one)")
    options = parser.parse_args()
    if options.step:
        name, *arguments = options.step
        print(json.dumps(steps[name](*arguments)))
        return
    size = f"{title}, {options.docs:,} documents, {options.rounds} rounds"
    with workplace(size, options.work) as work:
        everything(work, options.docs, options.rounds)
