"""Feed hostile input to every reader and to the command line: all ends soon, in errors of ours.

    python scripts/fuzz.py                       200,000 inputs over all targets
    python scripts/fuzz.py --inputs 1000000      more
    python scripts/fuzz.py --seed 7              the inputs of an earlier run, which told its seed
    python scripts/fuzz.py --only nexi --only command-    targets whose names begin like that
    python scripts/fuzz.py --again DIR/nexi/X.bin         one input again, with its traceback

Good files are cut, repeated, spliced, and sprinkled with words of their grammar, numbers at the
edges of ranges, control characters and what is not UTF-8; queries, names and records also come
from grammars. Inputs that reach new lines of doxeval, or new kinds of errors, join those that
others are made from. A finding is an exception that is not a DoxevalError (or wrong usage), the
command line's own report of an unexpected error, control characters or endless lines on stderr, a
file that is left half-written, more than 10 seconds, or more than 1 GiB of memory. The input of
each finding is made smaller, and kept as a file for --again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from fuzzing.findings import Finding
from fuzzing.target import Target
from fuzzing.targets import TARGETS
from fuzzing.trials import BLOCK, Block, Tally, attempt, is_finding, prepare
from fuzzing.workers import try_all

ROOT = Path(__file__).resolve().parent.parent
HOSTILE = ROOT / "tests" / "data" / "hostile"
_IN_MEMORY = Path("/dev/shm")  # only as the place of directories with their own names


def main() -> None:
    """Try the inputs; exit 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=200_000, help="inputs in all")
    parser.add_argument("--seed", type=int, help="a fresh one by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", action="append", metavar="NAME", help="targets that begin so")
    parser.add_argument("--out", type=Path, help="directory for the inputs of findings")
    parser.add_argument("--again", type=Path, nargs="+", metavar="FILE", help="inputs of findings")
    options = parser.parse_args()
    if options.again:
        sys.exit(sum(shown_again(path) for path in options.again) > 0)
    targets = chosen(options.only)
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    out = options.out or Path(tempfile.mkdtemp(prefix="doxeval-findings-"))
    only = "".join(f" --only {name}" for name in options.only or ())
    print(f"again: python scripts/fuzz.py --inputs {options.inputs} --seed {seed}{only}\n")
    with tempfile.TemporaryDirectory(
        prefix="doxeval-fuzz-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None
    ) as temporary:
        tempfile.tempdir = temporary  # workers inherit it
        findings = fuzz(targets, options.inputs, seed, options.jobs, out)
    sys.exit(1 if findings else 0)


def chosen(names: Sequence[str] | None) -> dict[str, Target]:
    """The targets that were asked for."""
    found = {
        name: target
        for name, target in TARGETS.items()
        if names is None or name.startswith(tuple(names))
    }
    return found or sys.exit(f"no such target; there are {', '.join(TARGETS)}")


def fuzz(targets: dict[str, Target], inputs: int, seed: int, jobs: int, out: Path) -> int:
    """Try inputs, print what came of them, and return the number of kinds of findings."""
    tallies = {name: Tally() for name in targets}
    kinds: dict[str, list[Finding]] = {}
    started = time.monotonic()

    def found(finding: Finding) -> None:
        known = kinds.setdefault(finding.kind, [])
        known.append(finding)
        if len(known) == 1:
            path = finding.saved(out, targets[finding.target].suffix)
            print(f"FOUND {finding.kind}\n  python scripts/fuzz.py --again {path}", flush=True)

    try_all(
        targets,
        blocks(targets, inputs, seed),
        known_cases(),
        jobs,
        lambda block, tally: tallies[block.target].add(tally),
        found,
    )
    print_table(tallies, time.monotonic() - started)
    for kind, findings in sorted(kinds.items()):
        print(f"{len(findings):>7,} × {kind}")
    print(f"{len(kinds)} kinds of findings{f' in {out}' if kinds else ''}")
    return len(kinds)


def blocks(targets: dict[str, Target], inputs: int, seed: int) -> list[Block]:
    """All inputs in blocks; each target has its share, and at least one input."""
    whole = sum(target.share for target in targets.values())
    made = []
    for target in reversed(targets.values()):  # the slow ones first, so that the end is even
        count = max(1, round(inputs * target.share / whole))
        for number, at in enumerate(range(0, count, BLOCK)):
            made.append(Block(target.name, number, min(BLOCK, count - at), seed))
    return made


def known_cases() -> dict[str, list[bytes]]:
    """What was found before, by target."""
    return {
        directory.name: [path.read_bytes() for path in sorted(directory.iterdir())]
        for directory in sorted(HOSTILE.glob("*/"))
        if directory.is_dir()
    }


def print_table(tallies: dict[str, Tally], seconds: float) -> None:
    """How many inputs each target had, and how long they took."""
    print(f"\n{'target':<26}{'inputs':>10}{'refused':>10}{'lines':>7}{'ms each':>9}{'slowest':>9}")
    for name, tally in tallies.items():
        each = 1000 * tally.seconds / max(tally.inputs, 1)
        print(
            f"{name:<26}{tally.inputs:>10,}{tally.refused:>10,}{tally.lines:>7,}{each:>9.2f}"
            f"{tally.slowest:>7.1f} s"
        )
    inputs = sum(tally.inputs for tally in tallies.values())
    busy = sum(tally.seconds for tally in tallies.values())
    print(f"{inputs:,} inputs in {seconds:,.0f} s ({busy:,.0f} s of processor time)\n")


def shown_again(path: Path) -> bool:
    """Read the input of a finding once more, and show how it ends; whether it is still one."""
    target = TARGETS.get(path.parent.name) or sys.exit(
        f"{path}: its directory should have the name of a target: {', '.join(TARGETS)}"
    )
    prepare()
    error = attempt(target, path.read_bytes())
    if error is not None and is_finding(error):
        traceback.print_exception(error)
        return True
    print(f"{path}: {'read' if error is None else f'refused: {error}'}")
    return False


if __name__ == "__main__":
    main()
