"""A build on a cluster whose workers are killed all the time: the same bytes as a build here.

A scheduler and workers of dask are started as processes on this machine. While a collection is
built by them, one worker after another is killed (SIGKILL) at random moments, and a new one takes
its place. In the end the collection must be the same, byte for byte, as one that was built here by
one job, no worker may have left anything behind, and `collection verify` must be content.

    python scripts/build_kills.py --kills 20 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tarfile
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import pytest  # noqa: E402  # after the path is set

from clusters import Cluster, cluster  # noqa: E402  # after the path is set
from doxeval.documents import Collection, Sizes, build_collection  # noqa: E402  # the same
from seams import change  # noqa: E402  # the same

# Shards of a tenth of their usual size, so that a small collection has enough of them.
SIZES = Sizes(batch_bytes=1 << 18, batch_documents=200, shard_batches=4)
WORKERS = 3


def main() -> None:
    """Build once in peace and once with kills, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=20, help="workers to kill (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    parser.add_argument("--documents", type=int, default=9000, help="of each kind (default: 9000)")
    options = parser.parse_args()
    change(pytest.MonkeyPatch(), build_sizes=SIZES)
    with tempfile.TemporaryDirectory(prefix="doxeval-kills-") as folder:
        sys.exit(trial(Path(folder), options.kills, options.seed, options.documents))


def trial(folder: Path, kills: int, seed: int, documents: int) -> int:
    """The number of faults."""
    sources = make_sources(folder / "sources", documents)
    build_collection(sources, folder / "here")
    expected = contents(folder / "here")
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
        if contents(folder / "there") != expected:
            faults.append(f"build {builds}: other bytes")
        if Collection(folder / "there").verify().problems:
            faults.append(f"build {builds}: damaged")
        left = {path.name for path in folder.iterdir()} - {"sources", "here", "there"}
        if left:
            faults.append(f"build {builds}: left behind {', '.join(sorted(left))}")
        print(f"build {builds}: {killer.killed} workers killed, {len(expected)} files compared")
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{killed} kills in {builds} builds, {len(faults)} faults (seed {seed})")
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


def make_sources(folder: Path, count: int) -> list[Path]:
    """A directory of XML, archives and JSONL."""
    folder.mkdir()
    for number in range(count):
        (folder / f"a{number % 10}").mkdir(exist_ok=True)
        (folder / f"a{number % 10}" / f"d{number}.xml").write_text(document(number))
    for part in range(6):
        with tarfile.open(folder / f"b{part}.tar.gz", "w:gz") as archive:
            archive.add(folder / f"a{part}", f"part{part}", filter=renamed)
    with (folder / "c.jsonl").open("w") as lines:
        for number in range(5 * count):
            lines.write(json.dumps({"id": f"l{number}", "text": f"Line {number}.\n\n" * 9}) + "\n")
    return [folder]


def renamed(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member under a name of its own, so that its id is no duplicate."""
    member.name = member.name.replace("/d", "/m")
    return member


def document(number: int) -> str:
    """An XML document of some kilobytes."""
    text = "".join(f"<p>{number} words <b>and</b> more {at}</p>" for at in range(number % 60))
    return f"<article><sec{number % 7}>{text}</sec{number % 7}></article>"


def contents(directory: Path) -> dict[str, bytes]:
    """All files of a directory."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


if __name__ == "__main__":
    main()
