"""Commands that are killed and interrupted at random moments: what they leave must be right.

Each trial starts a command in a session of its own, with an old output in place or none, and sends
a signal at a random moment: SIGKILL, SIGTERM or SIGINT to the process, SIGTERM or SIGINT to the
whole group (as a terminal does), or SIGKILL to one of its workers. After that,

- every output is absent, the old one, or complete and the same, byte for byte, as that of a command
  that was left in peace;
- no process of the session is left;
- no traceback was printed, unless Python itself was still starting;
- the same command, started again and left in peace, gives the right output and leaves nothing else.

    python scripts/kill.py --trials 200 --seed 1
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
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import doxeval

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


def main() -> None:
    """Try, and print a table; exit with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    # In the background, Ctrl-C may be ignored, and commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Commands run in other directories, and by the same sources as this script.
    os.environ["PYTHONPATH"] = str(Path(doxeval.__file__).resolve().parents[1])
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    with tempfile.TemporaryDirectory(prefix="doxeval-kill-") as folder:
        outcomes = tried(Path(folder), arguments.trials, random.Random(seed))
    print_table(outcomes, seed)
    if any(outcome["faults"] for outcome in outcomes.values()):
        sys.exit(1)


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


# Reports say when they were made; with this, they always say the same.
os.environ["SOURCE_DATE_EPOCH"] = "0"


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
    cuts = ("chunks", "cut", str(folder / "sea.md"), *by, "--out", "cuts")
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


def print_table(outcomes: dict[tuple[str, str], Outcome], seed: int) -> None:
    """A line for each command and way, and one for all."""
    columns = ("trials", "ended", "complete", "left", "early", "faults")
    print(f"{'command':20} {'way':18}" + "".join(f"{column:>10}" for column in columns))
    for (command, way), outcome in sorted(outcomes.items()):
        print(f"{command:20} {way:18}" + "".join(f"{outcome[name]:10}" for name in columns))
    total: Outcome = sum(outcomes.values(), Counter())
    print(f"{'all':39}" + "".join(f"{total[name]:10}" for name in columns))
    print(
        f"seed {seed}. ended: by the signal, before it was done; complete: the output was there in "
        "full; left: unfinished outputs, which the next run removed; early: while Python was "
        "starting; faults: anything wrong"
    )


if __name__ == "__main__":
    main()
