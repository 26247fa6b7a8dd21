"""Speed side by side: the same commands by two checkouts, interleaved, as ratios.

    python scripts/compare_speed.py HEAD                 this working tree against its last commit
    python scripts/compare_speed.py ../before --rounds 9 --only evaluate,blocks
    python scripts/compare_speed.py HEAD --quick         smaller inputs, one round: to try it

BASE is a git revision or the directory of a checkout; "now" is the checkout that this script is in.
Both run in the same environment, each with its own `src`. Measured are commands as users give them,
and public Python, each as a process of its own: seconds of processors (with those of its children),
seconds of wall clock, and the peak memory of its largest process. Inputs are written once, for both
sides; collections, indexes and other things that doxeval makes are built by each side for itself.

A figure is marked with `!` if it is above the bar by the median and by the minimum of all samples,
and in most pairs of neighbouring runs; a short command has several of them in a round. What the
two sides print is compared, too: speed of different work is no comparison.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from glob import glob
from importlib.util import find_spec
from itertools import zip_longest
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, BAR = 5, 1.05
QUICK = 0.1  # the share of the inputs' sizes
LEAST_SECONDS, MOST_TURNS = 1.0, 10  # a short command has several turns in a round
LEAST_SAMPLES = 3  # fewer prove nothing, and are not marked

# What is measured. A command is a verb of doxeval with its words; what begins with @ is in CODE or
# PROGRAMS. {name} is the path of an input or of something built, {out} a new directory, {engine} a
# cluster. `new|old` are spellings of one word: a side gets the first that its help knows.


@dataclass(frozen=True)
class Case:
    """A command to measure."""

    group: str
    name: str
    command: str
    files: bool = False  # whether the files it writes are compared, too
    other: str = ""  # the command of another program that takes the place of the base
    bar: float = 0.0  # where it is not that of all cases

    def fields(self) -> set[str]:
        """Return the names in braces."""
        return placeholders(self.command) | placeholders(self.other)


FOCUSED = "-m iP[0] -m iP[.01] -m iP[.05] -m iP[.1] -m MAiP -m cP@10 -m cR@1500"
BY_DOCUMENTS = "evaluate {0}/0.documents -a {0}/documents.txt -m AP -m P@10 -m R@1000"
BY_PASSAGES = "evaluate {0}/0.passages -a {0}/passages.txt " + FOCUSED
ONE_RUN = BY_PASSAGES.format("{ten}")
TEN_RUNS = ONE_RUN.replace("0.passages", "*.passages")
ELEMENTS = "evaluate {elements}/0.run -a {elements}/highlights.jsonl --collection {collection} "
QUESTIONS, DOCS = "{handbook}/questions.jsonl", "--docs {handbook}/docs"
LARGE_STUDY = "chunks try {library}/docs {library}/questions.jsonl --by words:200:0"
SPLIT = "chunks split|cut {handbook}/docs --by words:50:10 "
WORDS = "{chunks}/words-50-10.jsonl"
LOCATE = f"chunks locate {{handbook}}/chunks.jsonl {DOCS} --out "
CHUNK_RUN = "{chunk_run} --chunks " + WORDS
CHUNK_SEARCH = f"chunks search {WORDS} {QUESTIONS} --out "
SEARCH = "search {articles} {topics} --index {index} --out {out}/run --max-results|--most 500 "
CASES = (
    Case("import", "import doxeval", "@import"),
    Case("import", "--help", "--help"),
    Case("evaluate", "one run of passages", ONE_RUN),
    Case("evaluate", "ten runs of passages", TEN_RUNS),
    Case("evaluate", "ten runs, 2 jobs", TEN_RUNS + " --jobs 2"),
    Case("evaluate", "one run of documents", BY_DOCUMENTS.format("{ten}")),
    Case("evaluate", "one small run, 3 topics", BY_PASSAGES.format("{small}")),
    Case("evaluate", "elements: nxCG, MAep", ELEMENTS + "-m nxCG@10 -m nxCG@50 -m MAep -m iMAep"),
    Case("evaluate", "elements: ideal", ELEMENTS + "-m MAep(base=ideal) -m nxCG@9(base=ideal)"),
    Case("evaluate", "elements: P, R, F of text", ELEMENTS + "-m cP@10 -m cR@10 -m cF@10 -m MAiP"),
    Case("evaluate", "elements: in context", ELEMENTS + "-m gP@10 -m MAgP"),
    Case("evaluate", "elements: inex_eval, ng", ELEMENTS + "-m inex_eval -m ng"),
    Case(
        "evaluate", "elements: ESR, PRUM, ERRU",
        ELEMENTS.replace("0.run", "01.short")
        + "-m ESRP@10(nav=depth) -m MAESRP(nav=depth) -m PRUM[0.1](nav=depth) -m ERRU@10",
    ),
    Case(
        "evaluate", "one run: doxeval / pytrec_eval", ONE_RUN, bar=1.0,
        other="@pytrec_eval {ten}/documents.txt {ten}/0.documents",
    ),
    Case("blocks", "documents", BY_DOCUMENTS.format("{large}")),
    Case("blocks", "passages", BY_PASSAGES.format("{large}")),
    Case("blocks", "documents, very many topics", BY_DOCUMENTS.format("{many}")),
    Case("blocks", "passages, very many topics", BY_PASSAGES.format("{many}")),
    Case("collection", "build XML", "collection build {xml} --jobs 1 --out {out}/built"),
    Case("collection", "build XML, 2 jobs", "collection build {xml} --jobs 2 --out {out}/built"),
    Case("collection", "build HTML", "collection build {html} --jobs 1 --out {out}/built"),
    Case("collection", "merge", "collection merge {first} {second} --out {out}/built"),
    Case("collection", "open and show", "collection show {collection} 7 --all"),
    Case("collection", "verify", "collection verify {collection}"),
    Case("search", "build an index", "index build {articles} --jobs 1 --out {out}/index"),
    Case("search", "build an index, 2 jobs", "index build {articles} --jobs 2 --out {out}/index"),
    Case("search", "focused", SEARCH + "--task focused", files=True),
    Case("search", "thorough", SEARCH + "--task thorough", files=True),
    Case("search", "NEXI, strict", SEARCH + "--task sscas", files=True),
    Case("search", "NEXI, vague", SEARCH + "--task vvcas", files=True),
    Case("formats", "read text", "@read_run {ten}/0.passages"),
    Case("formats", "read INEX XML", "@read_run {records}/run.xml"),
    Case("formats", "read JSONL", "@read_run {records}/run.jsonl"),
    Case("formats", "read CSV", "@read_run {records}/run.csv"),
    Case("formats", "read Parquet", "@read_run {records}/run.parquet"),
    Case("formats", "read judgments, text", "@read_assessments {large}/passages.txt"),
    Case("formats", "read judgments, JSONL", "@read_assessments {records}/judgments.jsonl"),
    Case("formats", "text to JSONL", "convert {ten}/0.passages {out}/run.jsonl", files=True),
    Case("formats", "JSONL to text", "convert {records}/run.jsonl {out}/run --to text", files=True),
    Case("formats", "CSV to INEX XML", "convert {records}/run.csv {out}/run --to inex", files=True),
    Case("engines", "2 workers of dask", TEN_RUNS + " --engine {engine}"),
    Case("engines", "an executor of 2 processes", "@executor {ten}/passages.txt {ten}/*.passages"),
    Case("chunks", "gold", f"chunks gold {QUESTIONS} {DOCS} --out {{out}}/gold.jsonl", files=True),
    Case("chunks", "try", f"chunks try {{handbook}}/docs {QUESTIONS}"),
    Case("chunks", "try, large", LARGE_STUDY),
    Case("chunks", "split", SPLIT + "--by recursive:400:100 --out {out}/all", files=True),
    Case("chunks", "locate", LOCATE + "{out}/located.jsonl"),
    Case("chunks", "search", CHUNK_SEARCH + "{out}/run.jsonl", files=True),
    Case("chunks", "evaluate", f"chunks evaluate {CHUNK_RUN} -g {QUESTIONS} {DOCS}"),
    Case(
        "report", "12 runs, collection",
        "report {elements}/*.short -a {elements}/highlights.jsonl --collection {collection} "
        "-m MAiP -m nxCG@10 -m MAep --out {out}/report.html",
    ),
    Case(
        "report", "10 runs of passages",
        "report {ten}/*.passages -a {ten}/passages.txt -m MAiP -m iP[.01] --out {out}/report.html",
    ),
    Case("assessors", "all at once (wall: p99)", "@assess {tides} {campaign} {out}"),
)  # fmt: skip
# What each side builds for itself before anything is measured; {built} is the path.
BUILT = {
    "collection": "collection build {xml} --jobs 1 --out {built}",
    "first": "collection build {xml}/first --jobs 1 --out {built}",
    "second": "collection build {xml}/second --jobs 1 --out {built}",
    "articles": "collection build {prose} --record article --id //article/@id --out {built}",
    "index": "index build {articles} --jobs 1 --out {built}",
    "chunks": SPLIT + "--out {built}",
    "chunk_run": CHUNK_SEARCH + "{built}",
    "tides_collection": "collection build {tides}/docs --jobs 1 --out {built}",
    "campaign": "@campaign {tides} {tides_collection} {built}",
}
SUFFIXES = {"chunk_run": ".jsonl", "prose": ".xml", "topics": ".jsonl"}
READ = "import sys, doxeval\nfor _ in range(2): read = doxeval.{}(sys.argv[1])\nprint(len(read))"
EXECUTOR = """
import sys, doxeval
from concurrent.futures import ProcessPoolExecutor
if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(doxeval.evaluate(sys.argv[2:], sys.argv[1], ["MAiP", "iP[.01]"], executor=pool))
"""
CODE = {
    "@import": "import doxeval",
    "@read_run": READ.format("read_run"),
    "@read_assessments": READ.format("read_assessments"),
    "@executor": EXECUTOR,
}
PROGRAMS = {
    "@pytrec_eval": ["benchmarks/others.py", "pytrec_eval"],
    "@campaign": ["benchmarks/services.py", "campaign"],
    "@assess": ["benchmarks/services.py", "assess"],
}
# An input is written in a process of its own: what this process has in memory, a command has, too.
INPUT = """
import sys, pathlib
sys.path.insert(0, sys.argv[1])
from inputs import write_input
write_input(sys.argv[2], pathlib.Path(sys.argv[3]), float(sys.argv[4]))
"""


def placeholders(command: str) -> set[str]:
    """Return the names in braces of a command."""
    return {name for _, name, _, _ in string.Formatter().parse(command) if name}


# Running and measuring


class Sample(NamedTuple):
    """What a command took: seconds of wall clock and of processors, and MB of memory."""

    wall: float
    cpu: float
    memory: float


class CommandFailed(Exception):
    """A command that ended with an error."""


@dataclass(eq=False)
class Side:
    """A checkout, with a directory to work in."""

    name: str
    source: Path  # its `src`
    work: Path
    paths: dict[str, str] = field(default_factory=dict)  # of names in commands
    cluster: subprocess.Popen[str] | None = None

    def environment(self) -> dict[str, str]:
        """Return the environment of its commands."""
        settings = {"PYTHONHASHSEED": "0", "COLUMNS": "200", "NO_COLOR": "1"}
        places = {"PYTHONPATH": str(self.source), "DOXEVAL_CACHE": str(self.work / "cache")}
        return {**os.environ, **settings, **places}

    def identity(self) -> str:
        """Compile its bytecode; return the version and the place of what it imports."""
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", "-j", "2", self.source], check=True
        )
        code = "import doxeval; print(doxeval.__version__, doxeval.__file__)"
        printed, _ = self.run([sys.executable, "-c", code])
        if not Path(printed.split()[-1]).resolve().is_relative_to(self.source):
            raise SystemExit(f"{self.name} imports {printed.strip()}, not from {self.source}")
        return printed.strip()

    def run(self, command: Sequence[str]) -> tuple[str, Sample]:
        """Run a command to its end; return what it printed, and what it took."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            cluster_before = self.cluster_cpu(command)
            start = time.perf_counter()
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                env=self.environment(), cwd=self.work,
            )  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            errors.seek(0)
            if process.returncode:
                message = errors.read().decode(errors="replace").strip() or "no message"
                raise CommandFailed(f"failed on {self.name}: {message.splitlines()[-1]}")
            cpu = usage.ru_utime + usage.ru_stime + self.cluster_cpu(command) - cluster_before
            return output.read().decode(), Sample(wall, cpu, usage.ru_maxrss / 1024)

    def command(self, text: str, **more: Path) -> list[str]:
        """Return a command with its names replaced, in the spelling of this side."""
        words = shlex.split(text.format_map({**self.paths, **more}))
        words = [each for word in words for each in (sorted(glob(word)) if "*" in word else [word])]
        if words[0] in CODE:
            return [sys.executable, "-c", CODE[words[0]], *words[1:]]
        if words[0] in PROGRAMS:
            script, step = PROGRAMS[words[0]]
            return [sys.executable, str(ROOT / script), step, *words[1:]]
        for at, word in enumerate(words):
            if re.fullmatch(r"[a-z|-]+", word) and "|" in word:
                verbs = [each for each in words[: min(at, 2)] if each.isalpha()]
                listed = re.findall(r"^  (?:-\w, )?([\w-]+)", self.help(*verbs), re.MULTILINE)
                spellings = word.split("|")
                words[at] = next((each for each in spellings if each in listed), spellings[0])
        return [sys.executable, "-m", "doxeval", *words]

    @cache  # noqa: B019  # there are two sides, which live as long as the program
    def help(self, *verbs: str) -> str:
        """Return the help of a verb."""
        return self.run([sys.executable, "-m", "doxeval", *verbs, "--help"])[0]

    def prepare(self, names: Iterable[str], share: float) -> None:
        """Write inputs that are not there yet, and build what this side builds for itself."""
        for name in sorted(set(names) - self.paths.keys() - {"out", "built"}):
            place = self.work if name in BUILT else self.work.parent / "inputs"
            path = place / (name + SUFFIXES.get(name, ""))
            if name == "engine":
                self.paths[name] = self.start_cluster()
                continue
            if name in BUILT:
                self.prepare(placeholders(BUILT[name]), share)
                self.run(self.command(BUILT[name], built=path))
            elif not path.exists():
                arguments = (str(ROOT / "benchmarks"), name, str(path), str(share))
                subprocess.run([sys.executable, "-c", INPUT, *arguments], check=True)
            self.paths[name] = str(path)

    def start_cluster(self) -> str:
        """Start a cluster of dask whose workers import this side; return its address."""
        self.cluster = subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks/services.py"), "cluster"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.environment(), cwd=self.work, text=True,
        )  # fmt: skip
        return self.cluster_line()

    def cluster_line(self) -> str:
        """Read a line that the process of the cluster prints."""
        assert self.cluster is not None and self.cluster.stdout is not None
        line = self.cluster.stdout.readline().strip()
        if not line:
            raise CommandFailed(f"failed on {self.name}: no cluster of dask (extra `dask`)")
        return line

    def cluster_cpu(self, command: Sequence[str]) -> float:
        """Return the CPU seconds of the cluster so far, if the command uses it."""
        if self.cluster is None or self.paths.get("engine") not in command:
            return 0.0
        assert self.cluster.stdin is not None
        print(file=self.cluster.stdin, flush=True)
        return float(self.cluster_line())

    def close(self) -> None:
        """End the cluster, if there is one."""
        if self.cluster is not None:
            self.cluster.communicate()


def measure(side: Side, case: Case) -> tuple[str, Sample]:
    """Run a case; return what it printed, without paths, times and sizes, and what it took."""
    out = side.work / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    command = case.other if case.other and side.name == "base" else case.command
    printed, sample = side.run(side.command(command, out=out))
    if command.startswith("@assess"):
        return "", Sample(**json.loads(printed))
    printed = printed.replace(str(side.work), "…")
    printed = re.sub(r"\d[\d.,]* (s|ms|seconds|bytes)\b", "…", printed)
    if case.files:
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            with path.open("rb") as file:
                printed += f"\n{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}"
    return printed, sample


@dataclass
class Comparison:
    """All samples of a case on both sides."""

    case: Case
    samples: dict[str, list[Sample]] = field(default_factory=lambda: {"base": [], "now": []})
    printed: dict[str, str] = field(default_factory=dict)
    failure: str = ""

    def turn(self, sides: Iterable[Side]) -> None:
        """Measure both sides once more; after a failure nothing is measured."""
        for side in sides:
            if self.failure:
                return
            try:
                self.printed[side.name], sample = measure(side, self.case)
                self.samples[side.name].append(sample)
            except CommandFailed as error:
                self.failure = str(error)

    def turns(self) -> int:
        """Return how many turns it has in a round, by how long the first one took."""
        walls = [samples[0].wall for samples in self.samples.values() if samples]
        is_assessing = self.case.group == "assessors"  # its wall clock is that of a request
        return 1 if is_assessing or not walls else min(ceil(LEAST_SECONDS / min(walls)), MOST_TURNS)

    def row(self, bar: float) -> dict[str, Any]:
        """Return all figures; `above` names those that are above the bar."""
        row: dict[str, Any] = {"group": self.case.group, "case": self.case.name}
        above = []
        for name in () if self.failure else FIGURES:
            base, now = (
                [getattr(sample, name) for sample in self.samples[side]] for side in ("base", "now")
            )
            ratios = (median(now) / median(base), min(now) / min(base))
            for key, value in zip(KEYS, (median(base), median(now), *ratios), strict=True):
                row[f"{name}_{key}"] = round(value, 4)
            in_pairs = median(mine / other for mine, other in zip(now, base, strict=True))
            lowest = min(*ratios, in_pairs)  # noise that comes and goes spares some of them
            is_alike = name == "wall" or not self.case.other
            if len(now) >= LEAST_SAMPLES and is_alike and lowest > (self.case.bar or bar):
                above.append(name)
        return {**row, "above": " ".join(above), "note": self.failure or self.difference()}

    def difference(self) -> str:
        """Say whether the sides print different things, with the first lines that differ."""
        if self.case.other or self.printed["base"] == self.printed["now"]:
            return ""
        lines = (self.printed[side].splitlines() for side in ("base", "now"))
        pairs = zip_longest(*lines, fillvalue="")
        first, second = next(pair for pair in pairs if pair[0] != pair[1])
        return f"output differs: {first.strip()[:70]!r} / {second.strip()[:70]!r}"


FIGURES = {"cpu": ("CPU s", 3), "wall": ("wall s", 3), "memory": ("MB", 0)}
KEYS = ("base", "now", "ratio", "ratio_of_minima")


# The command line


def main() -> None:
    """Compare two checkouts, and print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("base", help="a git revision, or the directory of a checkout")
    parser.add_argument("--rounds", type=int, help=f"rounds (default: {ROUNDS}; with --quick 1)")
    groups = list(dict.fromkeys(case.group for case in CASES))
    parser.add_argument("--only", metavar="GROUP,…", help=", ".join(groups))
    parser.add_argument("--quick", action="store_true", help="smaller inputs, one turn: to try it")
    parser.add_argument("--bar", type=float, default=BAR, help=f"mark above (default: {BAR})")
    parser.add_argument(
        "--fail", action="store_true", help="exit with 1 if a row has a mark or note"
    )
    parser.add_argument("--out", type=Path, help="also write the figures (.csv or .json)")
    options = parser.parse_args()
    chosen = groups if options.only is None else options.only.split(",")
    if unknown := set(chosen) - set(groups):
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    cases = [case for case in CASES if case.group in chosen]
    if find_spec("pytrec_eval") is None and any(case.other for case in cases):
        print("pytrec_eval is not installed (extra `bench`), so it is not measured")
        cases = [case for case in cases if not case.other]
    with tempfile.TemporaryDirectory(prefix="doxeval-speed-") as work, ExitStack() as stack:
        sides = both_sides(options.base, Path(work))
        for side in sides:
            stack.callback(side.close)
            print(f"{side.name:<5}{side.identity()}", flush=True)
        comparisons = prepared(cases, sides, QUICK if options.quick else 1.0)
        rounds = options.rounds or (1 if options.quick else ROUNDS)
        for number in range(rounds):
            compare(comparisons, sides, number, rounds, is_quick=options.quick)
    rows = [comparison.row(options.bar) for comparison in comparisons]
    print(f"\n{rounds} rounds: medians, their ratio, the ratio of minima; ! is above {options.bar}")
    print_rows(rows)
    if options.out is not None:
        write_rows(options.out, rows)
    if options.fail and any(row["above"] or row["note"] for row in rows):
        raise SystemExit(1)


def both_sides(base: str, work: Path) -> list[Side]:
    """Return base and now; a revision is unpacked into the directory."""
    sources = {"base": Path(base).resolve() / "src", "now": ROOT / "src"}
    for name in ("inputs", *sources):
        (work / name).mkdir()
    if not Path(base).is_dir():
        archive = str(work / "base.tar")
        command = ["git", "-C", str(ROOT), "archive", "-o", archive, base, "src"]
        packed = subprocess.run(command, capture_output=True, text=True)
        if packed.returncode:
            raise SystemExit(packed.stderr.strip())
        subprocess.run(["tar", "-xf", archive, "-C", str(work / "base")], check=True)
        sources["base"] = work / "base" / "src"
    return [Side(name, source, work / name) for name, source in sources.items()]


def prepared(cases: Iterable[Case], sides: Iterable[Side], share: float) -> list[Comparison]:
    """Prepare all that the cases need, on both sides."""
    comparisons = []
    for case in cases:
        comparison = Comparison(case)
        comparisons.append(comparison)
        show_progress(f"preparing {case.group}: {case.name}")
        for side in sides:
            try:
                side.prepare(case.fields(), share)
            except CommandFailed as error:
                comparison.failure = str(error)
    return comparisons


def compare(
    comparisons: Iterable[Comparison],
    sides: Sequence[Side],
    number: int,
    rounds: int,
    *,
    is_quick: bool,
) -> None:
    """Measure a round: each case by both sides in turn, first by one of them, then by the other."""
    for comparison in comparisons:
        case = comparison.case
        show_progress(f"round {number + 1} of {rounds}, {case.group}: {case.name}")
        turn = 0
        while turn == 0 or (not is_quick and turn < comparison.turns()):
            comparison.turn(sides if (number + turn) % 2 == 0 else sides[::-1])
            turn += 1
    show_progress("")


def print_rows(rows: Iterable[dict[str, Any]]) -> None:
    """Print the figures, a heading for each group, and notes below the rows that have one."""
    heading = "".join(
        f"  {unit:>8} {'now':>8} {'ratio':>5} {'min':>5} " for unit, _ in FIGURES.values()
    )
    group = ""
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            print(f"\n{group:<32}{heading}".rstrip())
        text = f"  {row['case']:<30}"
        for name, (_, digits) in FIGURES.items():
            if f"{name}_base" in row:
                base, now, ratio, least = (row[f"{name}_{key}"] for key in KEYS)
                mark = "!" if name in row["above"].split() else " "
                text += f"  {base:8.{digits}f} {now:8.{digits}f} {ratio:5.2f} {least:5.2f}{mark}"
        print(text.rstrip())
        if row["note"]:
            print(f"      {row['note']}")


def show_progress(text: str) -> None:
    """Show on a terminal what is being done."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Write the figures as JSON or CSV, by the name of the file."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1) + "\n")
        return
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
