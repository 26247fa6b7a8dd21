"""Try the property tests on fresh examples, round after round, for some minutes.

    python scripts/explore.py                    ten minutes
    python scripts/explore.py --minutes 60       an hour
    python scripts/explore.py --seed 7           the round that printed this seed, once more
    python scripts/explore.py tests/unit/measures    only some tests

CI tries the same examples every time. Here every round has a seed of its own, which is printed.
The last round may end after the time is over; the first round that fails ends it all.
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
    parser.add_argument(
        "tests", nargs="*", default=["tests"], help="files of tests; all by default"
    )
    parser.add_argument("--minutes", type=float, default=10, help="how long to go on")
    parser.add_argument("--seed", type=int, help="one round with this seed")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    rounds = 0
    while options.seed is not None or time.monotonic() < until:
        chosen = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
        if not passes(options.tests, chosen):
            again = " ".join(["python scripts/explore.py", *sys.argv[1:]])
            sys.exit(f"failed; the same examples again: {again} --seed {chosen}")
        rounds += 1
        if options.seed is not None:
            break
    print(f"{rounds} rounds without a finding")


def passes(tests: list[str], seed: int) -> bool:
    """One round of the property tests."""
    print(f"seed {seed}", flush=True)
    chosen = ["-m", "hypothesis", f"--hypothesis-seed={seed}", *tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "auto", *chosen],
        cwd=ROOT,
        env=os.environ | {"DOXEVAL_TEST_LEVEL": "explore"},
        check=False,
    )
    return done.returncode == 0


if __name__ == "__main__":
    main()
