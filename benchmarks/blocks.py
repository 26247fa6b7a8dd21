"""Large runs, read and scored in blocks of whole topics: time, memory and growth.

    python benchmarks/blocks.py                       5,000 topics × 1,000 results, and less
    python benchmarks/blocks.py --topics 500          quicker

A run of documents is scored by P, R and AP, a run of passages by seven focused measures. Seconds
are those of processors, the least of all rounds: reading the assessments and scoring one run, start
of the program left out. Memory is the most that the process ever had, assessments included.
`scripts/compare_speed.py` compares two versions.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from runner import Run, heading, interleaved, line, options_of, printed, step, workplace
from worlds import World

MEASURES = {
    "documents": ("P@10", "R@1000", "AP"),
    "passages": ("iP[0]", "iP[.01]", "iP[.05]", "iP[.1]", "MAiP", "cP@10", "cR@1500"),
}
RESULTS, JUDGED = 1000, 100
BAR_MEMORY, BAR_GROWTH = 500, 1.1


def main() -> None:
    """All parts, in one run."""
    parser = options_of(__doc__)
    parser.add_argument("--topics", type=int, default=5000, help="topics (default: 5000)")
    options = parser.parse_args()
    if options.step:
        score(*options.step)
        return
    with workplace(f"one large run, {options.rounds} rounds") as work:
        sizes = {part: options.topics * part // 4 for part in (1, 2, 4)}
        worlds = {
            part: World(work / str(part), topics, RESULTS, 1, judged=JUDGED).write()
            for part, topics in sizes.items()
        }
        for kind in MEASURES:
            measure(kind, worlds, options)


def measure(kind: str, worlds: dict[int, World], options: argparse.Namespace) -> None:
    """Measure one kind of run: its time, its memory and its growth."""
    commands = {str(part): step(__file__, kind, world.work) for part, world in worlds.items()}
    results = interleaved(commands, options.rounds)
    now = {part: least(results[str(part)], "run") for part in worlds}
    heading(f"{kind}: {options.topics:,} topics × {RESULTS:,} results")
    line("the run", f"{now[4]:.2f} s")
    line("the assessments", f"{least(results['4'], 'assessments'):.2f} s")
    memory = max(printed(one, "memory") for one in results["4"])
    line("memory", f"{memory:.0f} MB", f"bar: {BAR_MEMORY} MB")
    for part, times in ((2, 2), (4, 4)):
        growth = now[part] / now[1] / times
        line(f"{times} × the rows: × {times} ×", f"{growth:.2f}", f"bar: {BAR_GROWTH}")


def least(runs: Sequence[Run], key: str) -> float:
    """The least of a printed value."""
    return min(float(printed(one, key)) for one in runs)


def score(kind: str, work: str) -> None:
    """Score the run of a world; print seconds of processors, and memory."""
    from doxeval import evaluate, read_assessments

    start = time.process_time()
    assessments = read_assessments(f"{work}/{kind}.txt")
    read = time.process_time()
    evaluate(f"{work}/0.{kind}", assessments, MEASURES[kind])
    done = time.process_time()
    found = {
        "assessments": read - start,
        "run": done - read,
        "memory": most_memory(),
    }
    print(json.dumps(found))


def most_memory() -> float:
    """The most memory that this process ever had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike getrusage, it does not count what the parent had
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
