"""Trying inputs one after another: each within its time and its memory."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

import click

from doxeval.errors import DoxevalError
from fuzzing.coverage import Coverage
from fuzzing.findings import Finding, finding_of
from fuzzing.shrinking import shrunk
from fuzzing.target import Target

SECONDS = 10
MEMORY = 1 << 30
_LARGEST_KEPT = 20_000  # bytes of an input that others are made from
_WEIGHTS = (4, 4, 1)  # of good files, of what was read, of what was refused
_MADE_SMALLER: set[str] = set()  # kinds of findings, in this process
BLOCK = 5_000  # inputs that share a pool, which grows as they reach new lines


class Watch(Protocol):
    """Somebody outside of this process, who knows what is being tried if the process dies."""

    def begins(self, at: int, data: bytes) -> None:
        """An input is about to be read."""

    def finds(self, finding: Finding) -> None:
        """An input ended in something that should not happen."""


class TooSlow(BaseException):
    """More seconds than allowed. No handler for errors stops it on its way."""


class TooLarge(Exception):
    """More memory than allowed."""


@dataclass(frozen=True)
class Block:
    """Some inputs of one target. The same seed gives the same inputs, whatever else is tried."""

    target: str
    number: int
    count: int
    seed: int

    def chance(self, at: int) -> Random:
        """The source of all chance for one input."""
        return Random(f"{self.seed} {self.target} {self.number} {at}")


@dataclass
class Tally:
    """What came of some inputs. Seconds are those of the processor."""

    inputs: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    lines: int = 0

    def add(self, other: Tally) -> None:
        """Add what came of other inputs."""
        self.inputs += other.inputs
        self.refused += other.refused
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.lines = max(self.lines, other.lines)


class Pools:
    """What inputs are made from: good files, and what reached something new.

    What is made from a refused file is mostly refused for the same reason, so these are chosen
    less often.
    """

    def __init__(self, target: Target, known: Sequence[bytes]) -> None:
        self._good = [*target.good, *target.starts]
        self._read = list(self._good)
        self._refused = [*self._good, *known]

    def chosen(self, chance: Random) -> list[bytes]:
        """The pool for the next input."""
        return chance.choices((self._good, self._read, self._refused), _WEIGHTS)[0]

    def keep(self, data: bytes, error: BaseException | None) -> None:
        """Make others from this input too, unless it is large."""
        if len(data) < _LARGEST_KEPT:
            (self._read if error is None else self._refused).append(data)


def attempt(target: Target, data: bytes) -> BaseException | None:
    """Read one input: None, the error that refuses it, or anything else, which is a finding."""
    before = time.process_time()
    try:
        error = _read(target, data)
    except TooSlow as caught:  # it struck just after the reading
        error = caught
    if peak_memory() > MEMORY:
        return TooLarge(f"more than {MEMORY:,} bytes of memory")
    if time.process_time() - before > SECONDS:
        return error if isinstance(error, TooSlow) else TooSlow(f"more than {SECONDS} seconds")
    return error


def _read(target: Target, data: bytes) -> BaseException | None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        target.read(data)
    except (Exception, TooSlow) as caught:
        return caught
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def is_finding(error: BaseException | None) -> bool:
    """Whether an input ended in something that should not happen."""
    return error is not None and not isinstance(error, DoxevalError | click.UsageError)


def peak_memory() -> int:
    """The most memory that this process ever had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def prepare() -> None:
    """Set the limits of this process, which does nothing but try inputs."""
    signal.signal(signal.SIGPROF, _too_slow)
    # Whoever wants much more than allowed gets a MemoryError, before the machine suffers. Address
    # space that is only reserved does not count: what draws figures reserves gigabytes.
    allowed = peak_memory() + 2 * MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
    setattr(os, "fsync", lambda _: None)  # noqa: B010  # inputs need not survive a power failure


def _too_slow(*_: object) -> None:
    raise TooSlow(f"more than {SECONDS} seconds")


def tried(target: Target, block: Block, known: Sequence[bytes], skip: int, watch: Watch) -> Tally:
    """Try the inputs of a block, from some number on.

    A process that has used too much memory stops after that input, since it cannot be told
    how much the next one uses.
    """
    tally = Tally()
    pools, coverage = Pools(target, known), Coverage()
    started = time.process_time()
    for at in range(skip, block.count):
        chance = block.chance(at)
        data = target.input(chance, pools.chosen(chance))
        watch.begins(at, data)
        begun = time.process_time()
        with coverage.watching():
            error = attempt(target, data)
        tally.slowest = max(tally.slowest, time.process_time() - begun)
        tally.inputs += 1
        if error is not None and is_finding(error):
            watch.finds(_smallest(target, finding_of(target.name, error, data)))
        else:
            tally.refused += error is not None
        if coverage.is_new(error):
            pools.keep(data, error)
        if not is_fit():
            break
    tally.lines = len(coverage.lines)
    tally.seconds = time.process_time() - started
    return tally


def is_fit() -> bool:
    """Whether this process has always kept to its memory."""
    return peak_memory() <= MEMORY


def has_room() -> bool:
    """Whether most of the memory that the limit allows is still free.

    What draws figures leaves memory mapped, which counts, so that after many reports even a small
    input would find none.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return True
    mapped = next((int(one.split()[1]) * 1024 for one in lines if one.startswith("VmData")), 0)
    return allowed == resource.RLIM_INFINITY or mapped < allowed - MEMORY


def check_good(target: Target, watch: Watch) -> None:
    """Good files must be read: otherwise inputs made from them would prove nothing."""
    for data in target.good:
        error = attempt(target, data)
        if error is not None and is_finding(error):
            watch.finds(finding_of(target.name, error, data))
        elif error is not None:
            raise ValueError(f"{target.name}: a good file is refused: {error!r}") from error


def _smallest(target: Target, finding: Finding) -> Finding:
    """The same finding from less input, the first time; slow and large ones stay as they are."""
    if finding.kind in _MADE_SMALLER or finding.is_about_limits:
        return finding
    _MADE_SMALLER.add(finding.kind)

    def shows(data: bytes) -> bool:
        error = attempt(target, data)
        return (
            error is not None
            and is_finding(error)
            and finding_of(target.name, error, data).kind == finding.kind
        )

    data = shrunk(finding.data, target.smaller, shows)
    error = attempt(target, data)
    return finding if error is None else finding_of(target.name, error, data)
