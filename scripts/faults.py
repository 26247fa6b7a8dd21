"""Faults on purpose: commands killed, workers of a cluster killed, bytes flipped in collections.

    python scripts/faults.py commands --times 200       kill and interrupt commands
    python scripts/faults.py cluster --times 20         kill workers while a collection is built
    python scripts/faults.py damage --times 2000        flip bytes in the files of a collection
    python scripts/faults.py damage --unverified        as if the node table were too large to hash
    python scripts/faults.py commands --seed 7          the same faults as a run that printed 7

Servers of campaigns are killed by `scripts/assessors.py`. A fault that is not withstood is printed,
and the exit code is 1.

**Commands.** Each trial starts a command in a session of its own, with an old output in place or
none, and sends a signal at a random moment: SIGKILL, SIGTERM or SIGINT to the process, SIGTERM or
SIGINT to the whole group (as a terminal does), or SIGKILL to one of its workers. After that,

- every output is absent, the old one, or complete and the same, byte for byte, as that of a command
  that was left in peace;
- no process of the session is left;
- no traceback was printed, unless Python itself was still starting;
- the same command, started again and left in peace, gives the right output and leaves nothing else.

**Cluster.** A scheduler and workers of dask are started on this machine. While a collection is
built by them, one worker after another is killed at random moments, and a new one takes its place.
The collection must be the same, byte for byte, as one that was built here by one job, and no worker
may have left anything behind.

**Damage.** A byte is changed, while the size and the time stamp of the file stay as they were, as
after a fault of the disk. Each command must then print what it printed before (because it does not
read that byte), or refuse the collection; `collection verify` must refuse it unless the byte means
nothing. With --unverified a different answer is possible, and counted; nothing else is.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import pytest  # noqa: E402  # after the path is set
from click.testing import CliRunner  # noqa: E402  # the same

from clusters import Cluster, cluster  # noqa: E402  # the same
from doxeval import BuildOptions  # noqa: E402  # the same
from doxeval.cli import DEFECT  # noqa: E402  # the same
from doxeval.cli import main as command_line  # noqa: E402  # the same
from doxeval.documents import COLLECTION, Collection, Sizes, build_collection  # noqa: E402
from seams import change  # noqa: E402  # the same

TIMES = {"commands": 200, "cluster": 20, "damage": 2000}


def main() -> None:
    """Make the faults that were requested; exit with 1 if one was not withstood."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=[*TIMES])
    parser.add_argument("--times", type=int, help=f"how many faults (default: {TIMES})")
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    parser.add_argument("--unverified", action="store_true", help="damage: do not hash node tables")
    options = parser.parse_args()
    times = options.times or TIMES[options.what]
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    if options.what == "commands":
        faults = kill_commands(times, seed)
    elif options.what == "cluster":
        faults = kill_workers(times, seed)
    else:
        faults = damage_collections(times, seed, options.unverified)
    sys.exit(1 if faults else 0)


# Commands that are killed and interrupted

_SECONDS_TO_END = 10.0  # for processes whose parent is gone
_SECONDS_TO_STOP = 60.0  # for a command that got a signal

Snapshot = dict[str, bytes | None]
Outcome = Counter[str]


class Command(NamedTuple):
    """Words of the command line, and the outputs that they make.

    once: it refuses to replace what is there, so that it is not repeated after it was complete.
    changes: it changes a copy of this output, which is put in place before it starts.
    """

    name: str
    words: tuple[str, ...]
    outputs: tuple[str, ...]
    once: bool = False
    changes: str | None = None


class Way(NamedTuple):
    """A way to end a command: a signal, and who gets it."""

    name: str
    send: Callable[[int], None]
    codes: frozenset[int]


def kill_commands(trials: int, seed: int) -> int:
    """Kill and interrupt commands at random moments; print a table and return the faults."""
    # In the background, Ctrl-C may be ignored, and commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Commands run in other directories, and by the same sources as this script. Reports say when
    # they were made; with this, they always say the same.
    os.environ |= {"PYTHONPATH": str(ROOT / "src"), "SOURCE_DATE_EPOCH": "0"}
    with tempfile.TemporaryDirectory(prefix="doxeval-kill-") as folder:
        outcomes = tried(Path(folder), trials, random.Random(seed))
    print_table(outcomes)
    return sum(outcome["faults"] for outcome in outcomes.values())


def tried(folder: Path, trials: int, chance: random.Random) -> dict[tuple[str, str], Outcome]:
    """Outcomes of all trials, by command and way."""
    commands = world(folder)
    (folder / "work").mkdir()
    peaceful = {command: in_peace(command, folder / "work") for command in commands}
    outcomes: dict[tuple[str, str], Outcome] = {}
    for number in range(trials):
        # Every command meets every way.
        command = commands[number % len(commands)]
        way = WAYS[(number // len(commands) + number % len(commands)) % len(WAYS)]
        seconds, expected = peaceful[command]
        moment = chance.uniform(0, 1.05 * seconds)
        old = chance.random() < 0.5 and not command.once and command.changes is None
        outcome = trial(command, way, moment, folder / "work", expected, old)
        outcomes.setdefault((command.name, way.name), Counter()).update(outcome)
        print(f"\r{number + 1}/{trials}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return outcomes


def in_peace(command: Command, work: Path) -> tuple[float, Snapshot]:
    """How long a command takes when nobody disturbs it, and what it writes."""
    put_in_place(command, work)
    started = time.monotonic()
    subprocess.run(words_of(command), cwd=work, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - started
    found = snapshot(work)
    clear(work)
    return seconds, found


def trial(
    command: Command, way: Way, moment: float, work: Path, expected: Snapshot, old: bool
) -> Outcome:
    """Disturb a command, and look at what is left."""
    put_in_place(command, work)
    before = old_outputs(command, work) if old else snapshot(work)
    process = subprocess.Popen(
        words_of(command),
        cwd=work,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(moment)
    if process.poll() is None:
        way.send(process.pid)
    _, errors = process.communicate(timeout=_SECONDS_TO_STOP)
    faults = []
    orphans = waited_for(process.pid)
    if orphans:
        faults.append(f"orphans: {orphans}")
    found = {name: data for name, data in snapshot(work).items() if not is_temporary(name)}
    for name in command.outputs:
        part = below(found, name)
        if part not in ({}, below(expected, name), below(before, name)):
            faults.append(f"{name} is neither absent nor complete")
    too_early = is_too_early(errors)
    if "Traceback" in errors and not too_early:
        faults.append(f"traceback: {errors.strip().splitlines()[-1]}")
    if process.returncode not in {0, *way.codes} and not too_early:
        faults.append(f"exit code {process.returncode}: {errors.strip()[-200:]}")
    left = sum(is_temporary(name) and "/" not in name for name in snapshot(work))
    if not command.once or not below(found, command.outputs[0]):
        subprocess.run(words_of(command), cwd=work, check=True, stdout=subprocess.DEVNULL)
    after = snapshot(work)
    if after != expected:
        names = [name for name in {**after, **expected} if after.get(name) != expected.get(name)]
        faults.append(f"after the next run: {names[:4]}")
    clear(work)
    for fault in faults:
        print(f"\n{command.name}, {way.name} after {moment:.3f} s: {fault}", file=sys.stderr)
    return Counter(
        trials=1,
        ended=process.returncode != 0,
        complete=all(below(found, name) == below(expected, name) for name in command.outputs),
        left=left,
        early=too_early,
        faults=len(faults),
    )


def is_too_early(errors: str) -> bool:
    """Whether Python itself was still starting, in the command or in a worker.

    It then prints a traceback of its own, in which there is no line of doxeval yet.
    """
    return "Traceback" in errors and not re.search(r'File "[^"]*doxeval[/\\]', errors)


def words_of(command: Command) -> list[str]:
    """The command as a list of words, by the Python that runs this script."""
    return [sys.executable, "-m", "doxeval", *command.words]


def below(found: Snapshot, name: str) -> Snapshot:
    """A file, or a directory with all that is in it."""
    return {
        path: data for path, data in found.items() if path == name or path.startswith(f"{name}/")
    }


def is_temporary(path: str) -> bool:
    """Whether a path is that of an unfinished output, or below it."""
    return any(part.startswith(".") for part in path.split("/"))


def snapshot(directory: Path) -> Snapshot:
    """All names below a directory, with the contents of files."""
    return {
        str(path.relative_to(directory)): contents(path) if path.is_file() else None
        for path in sorted(directory.rglob("*"))
        if not path.name.endswith(("-wal", "-shm"))  # part of the database beside them
    }


def contents(path: Path) -> bytes:
    """The contents of a file.

    All whole PDFs are alike, since no two have the same identifier, and so are all whole databases
    and backups of campaigns, which have times and random salts in them.
    """
    if path.suffix == ".db":
        return database_in_brief(path)
    data = path.read_bytes()
    if data.startswith(b'{"doxeval-backup"') and b'\n{"end":' in data:
        return b"a whole backup"
    is_whole_pdf = data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")
    return b"a whole PDF" if is_whole_pdf else data


def database_in_brief(path: Path) -> bytes:
    """How many rows an SQLite file has in some tables, if it is in order."""
    with tempfile.TemporaryDirectory() as folder:
        for part in path.parent.glob(f"{path.name}*"):
            shutil.copy(part, folder)
        try:
            with closing(sqlite3.connect(Path(folder) / path.name)) as database:
                order = database.execute("PRAGMA integrity_check").fetchone()
                tables = ("topics", "pool_documents", "users", "judgments", "operations")
                counts = [
                    database.execute(f"SELECT count(*) FROM {name}").fetchone() for name in tables
                ]
        except sqlite3.Error as error:
            return str(error).encode()
    return repr((order, counts)).encode()


def clear(work: Path) -> None:
    """Remove all that is in a directory."""
    for path in work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def put_in_place(command: Command, work: Path) -> None:
    """Copy what a command is going to change."""
    if command.changes is not None:
        shutil.copytree(work.parent / command.changes, work / command.changes)


def old_outputs(command: Command, work: Path) -> Snapshot:
    """Put old outputs in place, as an earlier run on other documents might have."""
    for name in command.outputs:
        if name == "collection":
            shutil.copytree(work.parent / "old", work / name)
        elif "." in name:
            (work / name).write_text("old")
    return snapshot(work)


# Processes


def waited_for(session: int) -> list[int]:
    """The processes that are left of a session after some seconds; they are ended here."""
    deadline = time.monotonic() + _SECONDS_TO_END
    while (pids := in_session(session)) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return pids


def in_session(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for name in os.listdir("/proc"):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if name.isdigit() and int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(name))
    return found


def to_process(number: int) -> Callable[[int], None]:
    """Send a signal to a process alone."""
    return lambda pid: os.kill(pid, number)


def to_group(number: int) -> Callable[[int], None]:
    """Send a signal to a process and all that it has started, as a terminal does."""
    return lambda pid: os.killpg(pid, number)


def to_a_worker(pid: int) -> None:
    """Kill a worker; if there is none, the process itself."""
    others = [other for other in in_session(pid) if other != pid and not is_tracker(other)]
    with suppress(ProcessLookupError):  # it may just have ended
        os.kill(others[0] if others else pid, signal.SIGKILL)


def is_tracker(pid: int) -> bool:
    """Whether a process is the helper that multiprocessing adds to spawned workers."""
    try:
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


# A signal may come before there is anything to handle it.
WAYS = (
    Way("KILL", to_process(signal.SIGKILL), frozenset({-9})),
    Way("TERM", to_process(signal.SIGTERM), frozenset({143, -15})),
    Way("INT", to_process(signal.SIGINT), frozenset({130, -2})),
    Way("TERM to the group", to_group(signal.SIGTERM), frozenset({143, -15})),
    Way("INT to the group", to_group(signal.SIGINT), frozenset({130, -2})),
    Way("KILL a worker", to_a_worker, frozenset({1, -9})),
)


# What the commands work on


def world(folder: Path) -> list[Command]:
    """Documents, assessments and runs; the commands that are tried on them."""
    make_documents(folder / "documents", 48, 20_000)
    make_documents(folder / "others", 3, 10)
    make_archives(folder / "archives", 4)
    for source, out in (("documents", "given"), ("others", "old"), ("archives", "more")):
        call(("collection", "build", str(folder / source), "--out", str(folder / out)))
    make_assessments(folder / "qrels.txt", 40)
    runs = [make_run(folder / f"{number}.run", number, 40, 1500) for number in range(4)]
    given = ("-a", str(folder / "qrels.txt"), "-m", "MAiP", "-m", "iP[.01]", "-m", "MAgP")
    report_words = ("report", *runs, *given, "--out", "report.html", "--figures", "figures")
    index_words = ("index", "build", str(folder / "given"), "--out", "index")
    build_words = ("collection", "build", str(folder / "documents"), "--out", "collection")
    archive_words = ("collection", "build", str(folder / "archives"), "--out", "collection")
    merged = ("--out", "collection", "--force")
    return [
        *(
            command
            for jobs in ("1", "2")
            for command in (
                Command(
                    f"build, {jobs} jobs",
                    (*build_words, "--force", "--jobs", jobs),
                    ("collection",),
                ),
                Command(
                    f"index, {jobs} jobs",
                    (*index_words, "--force", "--jobs", jobs),
                    ("index",),
                ),
                Command(
                    f"evaluate, {jobs} jobs",
                    ("evaluate", *runs, *given, "--out", "scores.json", "--jobs", jobs),
                    ("scores.json",),
                ),
                Command(
                    f"report, {jobs} jobs",
                    (*report_words, "--force", "--jobs", jobs),
                    ("report.html", "figures"),
                ),
            )
        ),
        Command(
            "build of archives",
            (*archive_words, "--force", "--jobs", "2"),
            ("collection",),
        ),
        Command(
            "merge",
            ("collection", "merge", str(folder / "given"), str(folder / "more"), *merged),
            ("collection",),
        ),
        Command(
            "pool", ("pool", *runs, "--depth", "500", "--out", "p.jsonl", "--force"), ("p.jsonl",)
        ),
        *chunk_commands(folder),
        Command("convert", ("convert", runs[0], "run.jsonl", "--force"), ("run.jsonl",)),
        *campaign_commands(folder),
    ]


def chunk_commands(folder: Path) -> list[Command]:
    """Commands on chunks, with thousands of them in one document."""
    sentences = [f"Sentence {number} tells of tides." for number in range(20_000)]
    (folder / "sea.md").write_text(" ".join(sentences))
    spans = [{"spans": [{"doc": "sea", "quote": sentence}]} for sentence in sentences]
    asked = [{"id": str(at), "question": "?", "needs": [one]} for at, one in enumerate(spans)]
    cut = [{"doc": "sea", "text": sentence} for sentence in sentences]
    samples = [{"user_input": "?", "retrieved_contexts": [sentence]} for sentence in sentences]
    for name, records in (("asked", asked), ("cut", cut), ("samples", samples)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(lines)
    docs = ("--docs", str(folder / "sea.md"), "--force")
    topics = ("--topics-out", "t2.jsonl")
    gold = ("chunks", "gold", str(folder / "asked.jsonl"), *docs, "--out", "j2.jsonl", *topics)
    by = ("--by", "sentences:1:0", "--by", "words:20:0", "--force")
    cuts = ("chunks", "split", str(folder / "sea.md"), *by, "--out", "cuts")
    locate = ("chunks", "locate", str(folder / "cut.jsonl"), *docs, "--out", "l.jsonl")
    retrieved = ("chunks", "retrieved", str(folder / "samples.jsonl"), *docs, "--out", "r2.jsonl")
    return [
        Command("chunks cut", cuts, ("cuts",)),
        Command("chunks gold", gold, ("j2.jsonl", "t2.jsonl")),
        Command("chunks locate", locate, ("l.jsonl",)),
        Command("chunks retrieved", retrieved, ("r2.jsonl",)),
    ]


def campaign_commands(folder: Path) -> list[Command]:
    """Commands on a campaign with some hundred judgments; only `init` makes one of its own."""
    topics = "".join(f"{number}\tquestion {number}\n" for number in range(40))
    (folder / "topics.tsv").write_text(topics)
    make_judgments(folder / "j.jsonl", 40)
    make_documents(folder / "short", 48, 300)
    run = make_run(folder / "short.run", 5, 40, 48)
    campaign, pool, judged = (str(folder / name) for name in ("campaign", "pool.jsonl", "j.jsonl"))
    collection = str(folder / "short-collection")
    sources = ("--collection", collection, "--topics", str(folder / "topics.tsv"), "--pool", pool)
    for words in (
        ("collection", "build", str(folder / "short"), "--out", collection),
        ("pool", run, "--depth", "200", "--collection", collection, "--out", pool),
        ("assess", "init", campaign, *sources),
        ("assess", "user", "add", campaign, "ann"),
    ):
        call(words)
    judged_campaign = str(shutil.copytree(campaign, folder / "judged"))
    call(("assess", "import", judged_campaign, judged, "--assessor", "ann"))
    out = ("--out", "qrels.jsonl", "--force")
    imported = ("assess", "import", "campaign", judged, "--assessor", "ann")
    return [
        Command("assess init", ("assess", "init", "campaign", *sources), ("campaign",), once=True),
        Command(
            "assess export",
            ("assess", "export", judged_campaign, "--format", "jsonl", *out),
            ("qrels.jsonl",),
        ),
        Command("assess import", imported, ("campaign",), changes="campaign"),
        Command(
            "assess backup",
            ("assess", "backup", judged_campaign, "--out", "backup.jsonl", "--force"),
            ("backup.jsonl",),
        ),
    ]


def call(words: Sequence[str]) -> None:
    """Carry out a command in peace."""
    subprocess.run([sys.executable, "-m", "doxeval", *words], check=True, stdout=subprocess.DEVNULL)


def make_documents(directory: Path, count: int, paragraphs: int) -> None:
    """Write documents of so many paragraphs each."""
    directory.mkdir()
    for number in range(count):
        text = "".join(f"<p>{number} words <b>and</b> more {at}</p>" for at in range(paragraphs))
        (directory / f"d{number}.xml").write_text(f"<article><sec>{text}</sec></article>")


def make_archives(directory: Path, count: int) -> None:
    """Write archives of text that hardly compresses, each large enough to be read by itself."""
    directory.mkdir()
    for number in range(count):
        with tarfile.open(directory / f"{number}.tar.gz", "w:gz", compresslevel=1) as archive:
            for at in range(14):
                text = random.Random(100 * number + at).randbytes(500_000).hex()
                data = f"<article><p>{text}</p></article>".encode()
                member = tarfile.TarInfo(f"m{number}-{at}.xml")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


def make_assessments(path: Path, topics: int) -> None:
    """Write assessments with a highlighted passage in some documents for each topic."""
    lines = [
        f"{topic} Q0 d{document} 500 20000 {100 * topic} {100 * topic}:500\n"
        for topic in range(topics)
        for document in range(topic % 5, 48, 3)
    ]
    path.write_text("".join(lines))


def make_judgments(path: Path, topics: int) -> None:
    """Write judgments with a highlighted passage and a best entry point."""
    lines = []
    for topic in range(topics):
        for document in range(topic % 5, 48, 3):
            about = {"topic": str(topic), "doc": f"d{document}"}
            place = {"start": 100 * topic, "end": 100 * topic + 50}
            lines += [json.dumps(about | place), json.dumps(about | {"bep": 100 * topic})]
    path.write_text("".join(f"{line}\n" for line in lines))


def make_run(path: Path, seed: int, topics: int, results: int) -> str:
    """Write a run of passages that do not overlap."""
    chance = random.Random(seed)
    lines = [
        f"{topic} Q0 d{at % 48} {at + 1} {results - at} run{seed} {400 * (at // 48)} "
        f"{chance.randrange(1, 400)}\n"
        for topic in range(topics)
        for at in range(results)
    ]
    path.write_text("".join(lines))
    return str(path)


def print_table(outcomes: dict[tuple[str, str], Outcome]) -> None:
    """A line for each command and way, and one for all."""
    columns = ("trials", "ended", "complete", "left", "early", "faults")
    print(f"{'command':20} {'way':18}" + "".join(f"{column:>10}" for column in columns))
    for (command, way), outcome in sorted(outcomes.items()):
        print(f"{command:20} {way:18}" + "".join(f"{outcome[name]:10}" for name in columns))
    total: Outcome = sum(outcomes.values(), Counter())
    print(f"{'all':39}" + "".join(f"{total[name]:10}" for name in columns))
    print(
        "ended: by the signal, before it was done; complete: the output was there in full; left: "
        "unfinished outputs, which the next run removed; early: while Python was starting; "
        "faults: anything wrong"
    )


# Workers of a cluster that are killed

# Shards of a tenth of their usual size, so that a small collection has enough of them.
SIZES = Sizes(batch_bytes=1 << 18, batch_documents=200, shard_batches=4)
WORKERS = 3


def kill_workers(kills: int, seed: int) -> int:
    """Build a collection once in peace, and on a cluster while its workers are killed."""
    change(pytest.MonkeyPatch(), build_sizes=SIZES)
    with tempfile.TemporaryDirectory(prefix="doxeval-kills-") as folder:
        return build_with_kills(Path(folder), kills, seed)


def build_with_kills(folder: Path, kills: int, seed: int) -> int:
    """Return the number of faults."""
    sources = [folder / "sources"]
    make_documents(folder / "sources", 3_000, 60)
    make_archives(folder / "sources" / "archives", 2)
    with (folder / "sources" / "c.jsonl").open("w") as lines:
        for number in range(45_000):
            lines.write(json.dumps({"id": f"l{number}", "text": f"Line {number}.\n\n" * 9}) + "\n")
    build_collection(sources, folder / "here")
    expected = snapshot(folder / "here")
    killed = builds = 0
    faults: list[str] = []
    while killed < kills:  # one build may be over before so many are killed
        builds += 1
        with cluster(WORKERS) as running:
            killer = Killer(running, random.Random(seed + builds), kills - killed)
            killer.start()
            build_collection(sources, folder / "there", engine=running.address, force=True)
            killer.stop()
            killed += killer.killed
        if snapshot(folder / "there") != expected:
            faults.append(f"build {builds}: other bytes")
        if Collection(folder / "there").verify().problems:
            faults.append(f"build {builds}: damaged")
        left = {path.name for path in folder.iterdir()} - {"sources", "here", "there"}
        if left:
            faults.append(f"build {builds}: left behind {', '.join(sorted(left))}")
        print(f"build {builds}: {killer.killed} workers killed, {len(expected)} files compared")
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{killed} kills in {builds} builds, {len(faults)} faults")
    return len(faults)


class Killer(threading.Thread):
    """Kills workers at random moments, and starts new ones in their place."""

    def __init__(self, running: Cluster, chance: random.Random, most: int) -> None:
        super().__init__(daemon=True)
        self._running = running
        self._chance = chance
        self._most = most
        self._stopped = threading.Event()
        self.killed = 0

    def run(self) -> None:
        """Until there were enough, or the build is over."""
        while self.killed < self._most and not self._stopped.wait(self._chance.uniform(0.1, 0.8)):
            workers = [name for name in self._running.processes if name != "scheduler"]
            self._running.start_worker(f"new{self.killed}")
            self._running.kill(self._chance.choice(workers))
            self.killed += 1

    def stop(self) -> None:
        """End it, and wait for its end."""
        self._stopped.set()
        self.join()


# Bytes that are flipped in a collection

SECONDS = 20
MEASURES = ("MAiP", "iP[.01]", "MAgP", "nxCG@10", "MAep", "ESRR@10")
SECTION = "/article[1]/body[1]/sec[1]"


@dataclass(frozen=True)
class Answer:
    """What a command did: its exit code, and what it printed."""

    code: int
    output: str
    errors: str

    @property
    def is_refusal(self) -> bool:
        """Whether the command said that the collection is no good."""
        told = ("build the collection again", "build it again", "not the manifest")
        return self.code == 1 and any(words in self.errors for words in told)


class TooSlow(Exception):
    """A command took too long."""


def damage_collections(flips: int, seed: int, unverified: bool) -> int:
    """Flip bytes, and count what happens; return the number of faults."""
    with tempfile.TemporaryDirectory(prefix="doxeval-damage-") as work:
        counts = flipped(Path(work), flips, random.Random(seed), unverified)
    for (command, outcome), count in sorted(counts.items()):
        print(f"  {command:<22} {outcome:<12} {count:,}")
    faults = {"traceback", "too slow", "verify passed", *(["wrong"] * (not unverified))}
    return sum(count for (_, outcome), count in counts.items() if outcome in faults)


def flipped(
    work: Path, flips: int, chance: random.Random, unverified: bool
) -> Counter[tuple[str, str]]:
    """What each command did after each flip."""
    counts: Counter[tuple[str, str]] = Counter()
    with resources.as_file(resources.files("doxeval") / "demo_data") as data:
        collections = [demo_collection(data / "articles", work / kind, kind) for kind in KINDS]
        if unverified:
            most = bytes_without_nodes(collections[0])
            changed = replace(COLLECTION, verified_bytes=most)
            resolve_name("doxeval.documents.layout").COLLECTION = changed
        commands = [commands_on(collection, data) for collection in collections]
        good = [{name: working(words) for name, words in each.items()} for each in commands]
        for number in range(flips):
            which = number % len(collections)
            files = sorted(collections[which].iterdir())
            file = files[number // len(collections) % len(files)]
            before = file.read_bytes()
            with flipped_byte(file, chance) as change:
                is_harmless = says_the_same(file, before)
                for name, words in commands[which].items():
                    found = answer(words)
                    outcome = judged(name, found, good[which][name], is_harmless)
                    counts[name, outcome] += 1
                    if outcome not in ("same", "refused"):
                        print(f"{name}: {outcome}: {change}{place_of(found)}", flush=True)
    return counts


def place_of(found: Answer | BaseException) -> str:
    """Where an exception was raised."""
    if isinstance(found, Answer):
        return ""
    where = traceback.extract_tb(found.__traceback__)[-1]
    return f": {found!r} in {where.filename}:{where.lineno}"


KINDS = ("plain", "compressed")


def demo_collection(articles: Path, out: Path, text: Any) -> Path:
    """The demo's collection."""
    build_collection([str(articles)], out, BuildOptions(text=text))
    return out


def bytes_without_nodes(collection: Path) -> int:
    """The size of all files but the text and the node table, which are the largest."""
    large = ("nodes.", "text.", "manifest.")
    files = [path for path in collection.iterdir() if not path.name.startswith(large)]
    return sum(path.stat().st_size for path in files)


def commands_on(collection: Path, data: Path) -> dict[str, list[str]]:
    """Commands that together read everything in a collection."""
    directory = str(collection)
    runs = [str(data / "runs" / f"{name}.run") for name in ("careful", "librarian")]
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    given = ["-a", str(data / "assessments.jsonl"), "--collection", directory, "--jobs", "1"]
    return {
        "collection info": ["collection", "info", directory, "--format", "json"],
        "collection show": ["collection", "show", directory, "tides"],
        "collection show PATH": ["collection", "show", directory, "tides", SECTION],
        "evaluate": ["evaluate", *runs, *given, *measures, "--per-topic", "--format", "json"],
        "collection verify": ["collection", "verify", directory],
    }


@contextmanager
def flipped_byte(file: Path, chance: random.Random) -> Iterator[str]:
    """Change some bits of one byte, without a trace in size and time stamp; then change back."""
    state = file.stat()
    data = file.read_bytes()
    if not data:
        yield f"{file.name} is empty"
        return
    # Every fifth flip is in the first bytes, where headers are.
    most = min(len(data), 128) if chance.randrange(5) == 0 else len(data)
    offset, bits = chance.randrange(most), chance.choice((1, 2, 16, 64, 128, 255))
    rewrite(file, data[:offset] + bytes([data[offset] ^ bits]) + data[offset + 1 :], state)
    yield f"{file.parent.name}/{file.name}: byte {offset} ^ {bits}"
    rewrite(file, data, state)


def rewrite(file: Path, data: bytes, state: Any) -> None:
    """Put other contents into a file, with the time stamp that it had."""
    with file.open("r+b") as opened:
        opened.write(data)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def working(words: list[str]) -> Answer:
    """What a command says of an undamaged collection."""
    found = answer(words)
    if not isinstance(found, Answer) or found.code:
        sys.exit(f"{words} fails before anything is damaged: {found}")
    return found


def answer(words: list[str]) -> Answer | BaseException:
    """What a command did, or the exception that a user would see as a traceback."""

    def stop(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        result = CliRunner().invoke(command_line, words)
    except TooSlow as error:
        return error
    finally:
        signal.alarm(0)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return result.exception
    return Answer(result.exit_code, result.stdout, result.stderr)


def judged(name: str, found: Answer | BaseException, good: Answer, is_harmless: bool) -> str:
    """The kind of outcome, in a word or two."""
    if isinstance(found, TooSlow):
        return "too slow"
    if isinstance(found, BaseException) or found.code == DEFECT or "Traceback" in found.errors:
        return "traceback"
    if found.is_refusal:
        return "refused"
    if name == "collection verify" and not is_harmless:
        return "verify passed"
    return "same" if found == good else "wrong"


def says_the_same(file: Path, before: bytes) -> bool:
    """Whether a change means nothing, such as another kind of white space in the manifest."""
    after = file.read_bytes()
    with suppress(ValueError):
        return after == before or json.loads(after) == json.loads(before)
    return False


if __name__ == "__main__":
    main()
