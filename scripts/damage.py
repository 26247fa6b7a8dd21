"""Flip bytes in the files of a collection, and see whether any command is fooled.

    python scripts/damage.py                   2,000 flips
    python scripts/damage.py --flips 200       fewer
    python scripts/damage.py --seed 7          the flips of an earlier run, which printed its seed
    python scripts/damage.py --unverified      as if the node table were too large to be hashed

The size and the time stamp of the file stay as they were, as after a fault of the disk or of a
restored copy. Each command must then print what it printed before (because it does not read that
byte), or refuse the collection; `collection verify` must refuse it unless the byte means nothing.
A different answer, a traceback, or more than a few seconds are findings, and the exit code is 1.
With --unverified a different answer is possible, and counted; nothing else is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from click.testing import CliRunner

from doxeval import BuildOptions, build_collection
from doxeval.cli import DEFECT
from doxeval.cli import main as command_line
from doxeval.documents import COLLECTION

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


def main() -> None:
    """Flip bytes, and count what happens."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--flips", type=int, default=2000, help="how many (default: 2000)")
    parser.add_argument("--seed", type=int, help="(default: a new one)")
    parser.add_argument(
        "--unverified", action="store_true", help="do not hash the node table at opening"
    )
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="doxeval-damage-") as work:
        counts = flipped(Path(work), options.flips, random.Random(seed), options.unverified)
    for (command, outcome), count in sorted(counts.items()):
        print(f"  {command:<22} {outcome:<12} {count:,}")
    faults = {"traceback", "too slow", "verify passed", *(["wrong"] * (not options.unverified))}
    sys.exit(any(outcome in faults for _, outcome in counts))


def flipped(
    work: Path, flips: int, chance: random.Random, unverified: bool
) -> Counter[tuple[str, str]]:
    """What each command did after each flip."""
    counts: Counter[tuple[str, str]] = Counter()
    with resources.as_file(resources.files("doxeval") / "demo_data") as data:
        collections = [built(data / "articles", work / kind, kind) for kind in KINDS]
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


def built(articles: Path, out: Path, text: Any) -> Path:
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
