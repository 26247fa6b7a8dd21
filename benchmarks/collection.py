"""How fast a collection is built, how large it is, how fast paths are resolved.

    python benchmarks/collection.py                  a small collection, in a minute
    python benchmarks/collection.py --docs 659388 --rounds 1     the size of INEX 2006

The floor is what any builder on expat pays before it does anything: reading each file and
parsing it with three callbacks that are empty. Processor times are those of the work alone,
without Python's start.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import runner
from doxeval.documents import is_text_file
from runner import (
    heading,
    interleaved,
    line,
    measured,
    median,
    printed,
    python,
    run,
    steps_or_all,
)
from synthetic import write_wikipedia

PATHS = 171_000
DOCUMENTS_ASKED = 20_000
FEW_PATHS = 1_500
CHUNKS = 20_000
step = partial(runner.step, __file__)


def benchmark(work: Path, docs: int, rounds: int) -> None:
    """Everything, in one run."""
    source = work / "source"
    if not source.exists():
        write_wikipedia(source, docs)
    building(source, work, rounds)
    chunks(work, rounds)
    collection = work / "one"
    storage(collection)
    resolving(collection, work, rounds)
    starting(rounds)


def building(source: Path, work: Path, rounds: int) -> None:
    """Floor, one job, two jobs, and compressed text, one after another."""
    heading("Building")
    run(step("floor", source))  # so that no one pays for reading the files from the disk
    results = interleaved(
        {
            "floor": step("floor", source),
            "one": step("build", source, work / "one", "1", "plain"),
            "two": step("build", source, work / "two", "2", "plain"),
            "compressed": step("build", source, work / "compressed", "1", "compressed"),
        },
        rounds,
    )
    cpu = {name: median(runs, lambda one: printed(one, "cpu")) for name, runs in results.items()}
    wall = {name: median(runs, lambda one: printed(one, "wall")) for name, runs in results.items()}
    megabytes = printed(results["floor"][0], "bytes") / 1e6
    line("source", f"{megabytes:,.0f} MB")
    for name in ("floor", "one", "compressed"):
        line(f"{name}: MB per CPU-second", f"{megabytes / cpu[name]:,.1f}")
    line("one job / floor, CPU", f"{cpu['one'] / cpu['floor']:.2f}", "bar: 1.4")
    line("compressed / floor, CPU", f"{cpu['compressed'] / cpu['floor']:.2f}")
    line("one job, wall", f"{wall['one']:.1f} s")
    line("one job / two jobs, wall", f"{wall['one'] / wall['two']:.2f}", "bar: 1.6")
    for name in ("one", "two"):
        peak = max(printed(one, "peak") for one in results[name])
        line(f"{name}: peak memory of all processes", f"{peak:,.0f} MiB", "bar: 1024")


def chunks(work: Path, rounds: int) -> None:
    """Chunks of text, a line of JSON each."""
    heading("Building from JSONL")
    source = work / "chunks.jsonl"
    text = "A sentence of a chunk, and so on and on; "
    with source.open("w") as file:
        for number in range(CHUNKS):
            paragraphs = (text * 12).rstrip() + "\n\n" + (text * 11 + str(number))
            file.write(json.dumps({"id": f"chunk{number}", "text": paragraphs}) + "\n")
    results = interleaved(
        {"chunks": step("build", source, work / "chunks", "1", "plain")}, max(rounds, 3)
    )
    each = min(printed(one, "cpu") for one in results["chunks"]) / CHUNKS
    line(f"each of {CHUNKS:,} chunks of 1 kB, CPU", f"{each * 1e6:.1f} µs", "bar: 27")


def storage(collection: Path) -> None:
    """Bytes per element."""
    heading("Storage")
    counts = json.loads((collection / "manifest.json").read_text())["counts"]
    files = {path.name: path.stat().st_size for path in collection.iterdir()}
    text = sum(files.pop(name) for name in [name for name in files if is_text_file(name)])
    line("documents", f"{counts['documents']:,}")
    line("elements", f"{counts['elements']:,}")
    line(
        "bytes per element, without text",
        f"{sum(files.values()) / counts['elements']:.1f}",
        "bar: 30",
    )
    line("text", f"{text / 1e6:,.0f} MB")


def resolving(collection: Path, work: Path, rounds: int) -> None:
    """Paths to elements, from a cold process."""
    heading("Resolving paths, from the start of a process to its end")
    run(step("ask", collection, work / "many.tsv", str(PATHS)))
    run(step("ask", collection, work / "few.tsv", str(FEW_PATHS)))
    results = interleaved(
        {
            "many": step("resolve", collection, work / "many.tsv"),
            "few": step("resolve", collection, work / "few.tsv"),
        },
        max(rounds, 5),
    )
    many, few = (median(results[name], lambda one: one.wall) for name in ("many", "few"))
    line(f"{PATHS:,} paths in {DOCUMENTS_ASKED:,} documents", f"{many:.2f} s", "bar: 1.5")
    line(f"{FEW_PATHS:,} paths", f"{few:.2f} s", "bar: 0.3")


def starting(rounds: int) -> None:
    """The time before anything happens."""
    heading("Starting")
    results = interleaved(
        {
            "bare": python("-c", "pass"),
            "import": python("-c", "import doxeval"),
            "help": python("-m", "doxeval", "--help"),
        },
        max(rounds, 5),
    )
    for name, bar in (("bare", ""), ("import", "bar: 0.15"), ("help", "bar: 0.15")):
        line(name, f"{median(results[name], lambda one: one.wall):.3f} s", bar)


def floor(source: str) -> dict[str, float]:
    """Read every file and parse it with empty callbacks."""
    from pyexpat import ParserCreate

    def start(name: str, attributes: dict[str, str]) -> None:
        pass

    def end(name: str) -> None:
        pass

    def text(data: str) -> None:
        pass

    size = 0

    def work() -> None:
        nonlocal size
        for folder, folders, files in os.walk(source):
            folders.sort()
            for name in sorted(files):
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()
                parser = ParserCreate()
                parser.buffer_text = True
                parser.StartElementHandler = start
                parser.EndElementHandler = end
                parser.CharacterDataHandler = text
                parser.Parse(data, True)
                size += len(data)

    return {**measured(work), "bytes": size}


def build(source: str, out: str, jobs: str, text: str) -> dict[str, float]:
    """Build a collection, with the settings that the command line makes."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from doxeval import BuildOptions, build_collection
    from doxeval.parallel import keep_freed_blocks

    keep_freed_blocks()
    shutil.rmtree(out, ignore_errors=True)
    options = BuildOptions(text=text)  # type: ignore[arg-type]
    return measured(
        lambda: build_collection([source], out, options, jobs=int(jobs)),
        int(jobs) if int(jobs) > 1 else 0,
    )


def ask(collection_directory: str, out: str, count: str) -> dict[str, float]:
    """Write down paths of random elements of random documents."""
    from doxeval import Collection

    chance = random.Random(1)
    collection = Collection(collection_directory)
    asked = min(DOCUMENTS_ASKED, len(collection))
    documents = chance.sample(range(len(collection)), asked)
    with Path(out).open("w") as file:
        for _ in range(int(count)):
            document = chance.choice(documents)
            node = chance.randrange(collection.rows[document], collection.rows[document + 1])
            file.write(f"{collection.id_of(document)}\t{collection.path_of(node)}\n")
    return {}


def resolve(collection_directory: str, questions: str) -> dict[str, float]:
    """Open the collection and resolve all paths of a file."""
    from doxeval import Collection

    with Path(questions).open() as file:
        pairs = [row.rstrip("\n").split("\t") for row in file]
    collection = Collection(collection_directory)
    documents = collection.find_documents([document for document, _ in pairs])
    nodes = collection.find_nodes(documents, [path for _, path in pairs])
    if (nodes < 0).any():
        raise SystemExit("some paths were not found")
    return {"found": len(nodes)}


STEPS: dict[str, Callable[..., dict[str, float]]] = {
    "floor": floor,
    "build": build,
    "ask": ask,
    "resolve": resolve,
}

if __name__ == "__main__":
    steps_or_all("collections", __doc__, STEPS, benchmark)
