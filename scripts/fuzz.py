"""Try hostile input and all property tests on fresh examples, round after round, for some minutes.

    python scripts/fuzz.py                          ten minutes
    python scripts/fuzz.py --minutes 60             an hour
    python scripts/fuzz.py --seed 7                 the round that printed this seed, once more
    python scripts/fuzz.py tests/unit/measures      only some tests
    python scripts/fuzz.py tests/long/fuzzing -k nexi       hostile input for one target
    python scripts/fuzz.py --again DIR/nexi/finding.bin     one input again, with its traceback

CI tries the same few examples every time. Here every round has a seed of its own, which is printed.
The last round may end after the time is over; the first round that fails ends it all. Inputs that
show something are kept, as small as Hypothesis could make them; the failing test says where.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Rounds until the time is over or one fails; exit 1 in that case."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tests", nargs="*", default=["tests"], help="tests (default: all)")
    parser.add_argument("--minutes", type=float, default=10, help="how long to go on")
    parser.add_argument("--seed", type=int, help="one round with this seed")
    parser.add_argument("-k", metavar="WORDS", help="only tests whose names match, as in pytest")
    parser.add_argument("--again", type=Path, metavar="FILE", help="the input of a finding")
    options = parser.parse_args()
    if options.again is not None:
        read_again(options.again)
        return
    until = time.monotonic() + 60 * options.minutes
    rounds = 0
    while options.seed is not None or time.monotonic() < until:
        seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
        if not passes(options.tests, options.k, seed):
            again = " ".join(["python scripts/fuzz.py", *sys.argv[1:]])
            sys.exit(f"failed; the same examples again: {again} --seed {seed}")
        rounds += 1
        if options.seed is not None:
            break
    print(f"{rounds} rounds without a finding")


def passes(tests: list[str], words: str | None, seed: int) -> bool:
    """Run one round; whether all tests passed."""
    print(f"seed {seed}", flush=True)
    chosen = ["-m", "hypothesis", f"--hypothesis-seed={seed}", *tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "auto", *(["-k", words] if words else []), *chosen],
        cwd=ROOT,
        env={"DOXEVAL_FINDINGS": "/tmp"} | os.environ | {"DOXEVAL_TEST_LEVEL": "explore"},
        check=False,
    )
    return done.returncode == 0


def read_again(path: Path) -> None:
    """Read the input of a finding once more: the directory is the name of its target."""
    sys.path[:0] = [str(ROOT / "tests")]
    from fuzzing import TARGETS

    if path.parent.name not in TARGETS:
        sys.exit(f"{path}: its directory should have the name of a target: {', '.join(TARGETS)}")
    TARGETS[path.parent.name].check(path.read_bytes())
    print(f"{path}: read or refused, as it should be")


if __name__ == "__main__":
    main()
