"""Runs all studies, on world 1 and on the demo, and writes their output into their pages.

It goes between two comments for each world. The text around it is written by hand: read it again.

python docs/studies/update.py            writes
python docs/studies/update.py --check    ends with 1 if a page lags
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUDIES = ("erru", "recall-bases", "quantisation", "esr")
WORLDS = ("1", "demo")


def main() -> int:
    """All studies, one after the other."""
    lagging = []
    for study in STUDIES:
        page = HERE / f"{study}.md"
        old = page.read_text(encoding="utf-8")
        new = old
        for world in WORLDS:
            begin, end = f"<!-- world {world}: begin -->\n", f"<!-- world {world}: end -->"
            before, rest = new.split(begin)
            new = f"{before}{begin}\n{output(study, world)}\n{end}{rest.split(end)[1]}"
        if new != old:
            lagging.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    sys.stdout.write("".join(f"{name} has new output\n" for name in lagging))
    return 1 if lagging and "--check" in sys.argv else 0


def output(study: str, world: str) -> str:
    """What a study prints."""
    command = [sys.executable, str(HERE / f"{study}.py")]
    environment = {**os.environ, "WORLD": world}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)  # noqa: S603
    return done.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
