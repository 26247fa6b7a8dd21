"""How much of a command one process does alone while the others wait, whatever the number of cores.

    python benchmarks/cores.py                            a small collection, in some minutes
    python benchmarks/cores.py --docs 659388 --rounds 1   the size of INEX 2006
    python benchmarks/cores.py --only index,search        some of the commands

Each command is carried out with --jobs 1 and with as many jobs as there are cores, start included,
each in a process of its own. The serial share is what the first process does itself with several
jobs, in seconds of processors, out of all that the command takes with one job; what it scores or
answers itself, as one of the jobs, is not serial. From the share follows by Amdahl's law how much
faster the command can be on 16 cores. Seconds of wall clock depend on what else the machine does.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import runner
from evaluate import FOCUSED, RESULTS, TOPICS
from runner import Run, heading, interleaved, line, options_of, printed, run, workplace
from search import queries
from synthetic import write_wikipedia
from synthetic_text import write_articles
from worlds import World

CORES = 16  # for which Amdahl's law is worked out
RUNS, QUERIES = 160, 100
# The largest serial shares that are meant.
BARS = {"build": 0.11, "index": 0.11, "evaluate": 0.05, "search": 0.05}
step = partial(runner.step, __file__)


def command_step(*command: object) -> list[str]:
    """The command that carries out one of doxeval's, in a process of its own."""
    return step("command", json.dumps(list(map(str, command))))


def main() -> None:
    """All commands, one after another."""
    parser = options_of(__doc__)
    parser.add_argument("--docs", type=int, default=20_000, help="documents (default: 20000)")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs to score (default: {RUNS})")
    parser.add_argument("--work", type=Path, help="directory to work in (default: a temporary one)")
    parser.add_argument("--only", default=",".join(BARS), help="commands (default: all)")
    jobs = max(2, os.cpu_count() or 2)
    parser.add_argument("--jobs", type=int, default=jobs, help=f"jobs (default: {jobs})")
    options = parser.parse_args()
    if options.step:
        print(json.dumps(STEPS[options.step[0]](*options.step[1:])))
        return
    chosen = options.only.split(",")
    title = f"serial shares, {options.docs:,} documents, {options.rounds} rounds"
    with workplace(title, options.work) as work:
        if "build" in chosen:
            source = work / "source"
            if not source.exists():
                write_wikipedia(source, options.docs)
            compare("build", ["collection", "build", source, "--out", work / "built"], options)
        if not {"index", "search"}.isdisjoint(chosen):
            collection = _articles(work, options.docs)
            if "index" in chosen:
                compare("index", ["index", "build", collection, "--force"], options)
            if "search" in chosen:
                if not (work / "articles.index").exists():
                    run(command_step("index", "build", collection, "--force"))
                topics = _write_topics(work / "topics.jsonl")
                command = ["search", collection, topics, "--task", "thorough"]
                compare("search", [*command, "--out", work / "thorough.run", "--force"], options)
        if "evaluate" in chosen:
            directory = work / "world"
            world = World(directory, TOPICS, RESULTS, options.runs)
            if not directory.exists():
                world.write()
            measures = [part for name in FOCUSED for part in ("-m", name)]
            runs = world.passage_runs()
            compare("evaluate", ["evaluate", *runs, "-a", world.passages, *measures], options)


def compare(name: str, command: Sequence[object], options: Any) -> None:
    """Measure a command with one job and with several."""
    ways = {1: command_step(*command, "--jobs", 1)}
    ways[options.jobs] = command_step(*command, "--jobs", options.jobs)
    results = interleaved({str(jobs): way for jobs, way in ways.items()}, options.rounds)
    one, several = results["1"], results[str(options.jobs)]
    if {printed(result, "digest") for result in one} != {printed(r, "digest") for r in several}:
        raise SystemExit(f"{name}: not the same with any number of jobs")
    total, serial = least(one, "cpu"), least(several, "serial")
    share = serial / total
    heading(f"{name}, {options.jobs} jobs")
    line("one job, processors", f"{total:.2f} s")
    line("all processes, of one job's", f"{least(several, 'cpu') / total:.2f}")
    line("what one process does alone", f"{serial:.2f} s")
    line("serial share", f"{100 * share:.1f} %", f"bar: {100 * BARS[name]:.0f} %")
    bound = 1 / (share + (1 - share) / CORES)
    least_bound = 1 / (BARS[name] + (1 - BARS[name]) / CORES)
    line(f"times as fast on {CORES} cores, at most", f"{bound:.1f}", f"bar: {least_bound:.1f}")
    faster = least(one, "wall") / least(several, "wall")
    line(f"times as fast here, {os.cpu_count()} cores, seen", f"{faster:.2f}")


def least(runs: Sequence[Run], key: str) -> float:
    """The least of a printed value."""
    return min(float(printed(result, key)) for result in runs)


def _articles(work: Path, docs: int) -> Path:
    """A collection of articles with the words of prose."""
    collection = work / "articles"
    if not collection.exists():
        source = work / "articles.xml"
        write_articles(source, docs)
        rule = ("--record", "article", "--id", "/article/@id")
        run(command_step("collection", "build", source, "--out", collection, *rule))
        source.unlink()
    return collection


def _write_topics(file: Path) -> Path:
    asked = queries() + [words[::-1] for words in queries()]
    with file.open("w") as topics:
        for number, words in enumerate(asked[:QUERIES], 1):
            topics.write(json.dumps({"id": str(number), "title": " ".join(words)}) + "\n")
    return file


# Steps, each in a process of its own


def carry_out(command: str) -> dict[str, Any]:
    """Carry out a command of doxeval; tell what it took, and a digest of what it made."""
    started = time.perf_counter()
    arguments: list[str] = json.loads(command)
    jobs = arguments[-1]
    if "build" in arguments and "--out" in arguments and "--force" not in arguments:
        shutil.rmtree(arguments[arguments.index("--out") + 1], ignore_errors=True)
    shared = _timed_as_a_job(arguments[0]) if jobs != "1" else lambda: 0.0
    output = _output_of(arguments)
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    alone = own.ru_utime + own.ru_stime
    return {
        "wall": time.perf_counter() - started,
        "cpu": alone + others.ru_utime + others.ru_stime,
        "serial": alone - shared(),
        "digest": _digest(arguments, output),
    }


def _output_of(arguments: Sequence[str]) -> str:
    import contextlib
    import io

    from doxeval.__main__ import run as run_command

    sys.argv = ["doxeval", *arguments]
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        run_command()
    return output.getvalue()


def _timed_as_a_job(verb: str) -> Callable[[], float]:
    """Time what this process does as one of the jobs; return a function that tells how long."""
    import multiprocessing

    seconds = 0.0

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def carried_out(*arguments: Any) -> Any:
            nonlocal seconds
            begin = time.process_time()
            try:
                return method(*arguments)
            finally:
                if multiprocessing.active_children():  # the other jobs
                    seconds += time.process_time() - begin

        return carried_out

    if verb == "evaluate":
        from doxeval.evaluation import Evaluation

        Evaluation.score_piece = timed(Evaluation.score_piece)  # type: ignore[method-assign]
    if verb == "search":
        from doxeval.retrieve import Searcher

        Searcher.answer = timed(Searcher.answer)  # type: ignore[method-assign]
    return lambda: seconds


def _digest(arguments: Sequence[str], output: str) -> str:
    """A digest of the files that a command wrote, or of what it printed."""
    import hashlib

    if "build" in arguments:
        at = arguments.index("build") + 1
        made = arguments[arguments.index("--out") + 1] if "--out" in arguments else ""
        made = made or arguments[at] + ".index"
        return hashlib.sha256(Path(made, "manifest.json").read_bytes()).hexdigest()
    if "--out" in arguments:
        output = Path(arguments[arguments.index("--out") + 1]).read_text()
    return hashlib.sha256(output.encode()).hexdigest()


STEPS = {"command": carry_out}

if __name__ == "__main__":
    main()
