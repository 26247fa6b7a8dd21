"""A target: something that reads input, with good files to start from, and the limits it keeps."""

from __future__ import annotations

import atexit
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import click

from doxeval.documents import Collection, example_collection
from doxeval.errors import DoxevalError
from fuzzing.inputs import happens, mutated

Reader = Callable[[bytes], object]
SECONDS = 10
MEMORY = 1 << 30


class Broken(Exception):
    """A promise that was not kept, although nothing was raised."""


class TooSlow(BaseException):
    """More seconds than allowed. No handler for errors stops it on its way."""


@dataclass(frozen=True)
class Target:
    """What is fed with input.

    name: also the directory of its cases in tests/data/hostile. read: returns, or raises a
    DoxevalError; anything else is a finding. good: files that are read without an error. tokens:
    words of the grammar. made: texts made from a grammar, where there is one. share: how many
    inputs it gets, relative to the others. starts: files that inputs are made from too, although
    they are refused.
    """

    name: str
    read: Reader
    good: tuple[bytes, ...]
    tokens: tuple[bytes, ...] = ()
    made: Callable[[Random], bytes] | None = None
    share: float = 1.0
    suffix: str = ".bin"
    starts: tuple[bytes, ...] = ()

    def input(self, chance: Random, pool: Sequence[bytes]) -> bytes:
        """Return the next input: a text of the grammar, or something of the pool with changes."""
        if self.made is not None and happens(chance, 0.4):
            data = self.made(chance)
            return data if happens(chance, 0.5) else mutated(data, pool, self.tokens, chance)
        return mutated(chance.choice(pool), pool, self.tokens, chance)

    def check(self, data: bytes) -> None:
        """Read an input within the limits; raise what is neither a result nor a refusal."""
        with _limited():
            try:
                self.read(data)
            except (DoxevalError, click.UsageError):
                return


@contextmanager
def _limited() -> Iterator[None]:
    """Let the process have ten seconds of processor time and one GiB more than it has now."""
    import resource  # not on every system on which tests of the unit level read this file

    pages = int(Path("/proc/self/statm").read_text().split()[5])
    before = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = pages * resource.getpagesize() + MEMORY
    handler = signal.signal(signal.SIGPROF, _too_slow)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, before[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, before)
        signal.signal(signal.SIGPROF, handler)


def _too_slow(*_: object) -> None:
    raise TooSlow(f"more than {SECONDS} seconds")


# What several targets need: a small collection, and a directory for files

DOCUMENTS = {
    "a": "<s><p>One. <b>Two</b> three.</p><p>Four.</p></s>",
    "b": "<s><p>Five.</p>six<p>Seven eight.</p><q/></s>",
    "c": "<article><body><sec><p>Nine</p></sec></body></article>",
}


@cache
def collection() -> Collection:
    """Return a small collection."""
    return example_collection(DOCUMENTS)


@cache
def workplace() -> Path:
    """Return a directory for the files of one input at a time."""
    place = Path(tempfile.mkdtemp(prefix="doxeval-fuzz-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def file_of(name: str, data: bytes) -> str:
    """Write a file with these contents; the next one of the same name replaces it."""
    path = workplace() / name
    path.write_bytes(data)
    return str(path)
