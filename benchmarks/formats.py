"""How fast a text run is read, against pytrec_eval's reader on the same results.

    python benchmarks/formats.py

The run has 114 topics of 1500 results, 171,000 lines; pytrec_eval reads its six-column form,
doxeval the six-column and the eight-column form. Times are those of reading alone.
"""

from __future__ import annotations

import json
import random
import time
from functools import partial
from pathlib import Path

import runner
from runner import heading, interleaved, line, median, options_of, printed, workplace

TOPICS, RESULTS = 114, 1500
step = partial(runner.step, __file__)


def main() -> None:
    """Write the runs, read them in turn, print the ratios."""
    options = options_of(__doc__, rounds=7).parse_args()
    if options.step:
        print(json.dumps({"seconds": STEPS[options.step[0]](options.step[1])}))
        return
    title = f"reading text runs, {TOPICS * RESULTS:,} lines, {options.rounds} rounds"
    with workplace(title) as work:
        benchmark(work, options.rounds)


def benchmark(work: Path, rounds: int) -> None:
    """Everything, in one run."""
    six, eight = work / "six.run", work / "eight.run"
    write_runs(six, eight)
    results = interleaved(
        {
            "pytrec_eval, six columns": step("pytrec_eval", six),
            "doxeval, six columns": step("doxeval", six),
            "doxeval, eight columns": step("doxeval", eight),
        },
        rounds,
    )
    heading("Reading")
    seconds = {
        name: median(runs, lambda one: printed(one, "seconds")) for name, runs in results.items()
    }
    floor = seconds["pytrec_eval, six columns"]
    for name, value in seconds.items():
        bar = "" if name.startswith("pytrec") else "bar: 0.6 of pytrec_eval"
        line(name, f"{value * 1000:.0f} ms  ({value / floor:.2f})", bar)


def write_runs(six: Path, eight: Path) -> None:
    """The same results with and without passages."""
    chance = random.Random(1)
    with six.open("w") as documents, eight.open("w") as passages:
        for topic in range(TOPICS):
            numbers = chance.sample(range(2_666_190), RESULTS)
            for rank, number in enumerate(numbers, 1):
                fields = f"{2009001 + topic} Q0 {number} {rank} {1 / rank:.6f} mine"
                documents.write(f"{fields}\n")
                passages.write(f"{fields} {chance.randrange(9000)} {chance.randrange(900)}\n")


def with_pytrec_eval(path: str) -> float:
    """Read by pytrec_eval."""
    import pytrec_eval

    start = time.perf_counter()
    with open(path) as file:
        pytrec_eval.parse_run(file)
    return time.perf_counter() - start


def with_doxeval(path: str) -> float:
    """Read by doxeval."""
    from doxeval.runs import read_run

    start = time.perf_counter()
    read_run(path)
    return time.perf_counter() - start


STEPS = {"pytrec_eval": with_pytrec_eval, "doxeval": with_doxeval}

if __name__ == "__main__":
    main()
