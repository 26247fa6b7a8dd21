"""Runs all studies, on world 1 and on the demo, and writes their output into their pages.

It goes between two comments for each world. Between two more comments goes how far the numbers of
worlds 1 to 5 lie apart. The text around them is written by hand: read it again. A study that needs
words with a meaning is run on the demo only.

python docs/studies/update.py            writes
python docs/studies/update.py --check    ends with 1 if a page lags
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
STUDIES = ("erru", "recall-bases", "quantisation", "esr", "findings", "baselines")
WORLDS = ("1", "demo")
DEMO_ONLY = ("findings", "baselines")
SEVERAL = ("1", "2", "3", "4", "5")
# The columns whose ranges over several worlds are shown.
RANGES = {
    "erru": ("ERRU@10", "inex_eval(quant=gen)"),
    "recall-bases": ("Kendall τ here",),
    "quantisation": ("Pearson r here", "Kendall τ here"),
    "esr": ("Kendall τ here",),
}


def main() -> int:
    """All studies, one after the other."""
    lagging = []
    for study in STUDIES:
        page = HERE / f"{study}.md"
        old = page.read_text(encoding="utf-8")
        new = old
        for world in worlds(study):
            new = _filled(new, f"world {world}", output(study, world))
        if study in RANGES:
            new = _filled(new, "ranges", _ranges(study))
        if new != old:
            lagging.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    sys.stdout.write("".join(f"{name} has new output\n" for name in lagging))
    return 1 if lagging and "--check" in sys.argv else 0


def worlds(study: str) -> tuple[str, ...]:
    """The worlds that a study is run on."""
    return ("demo",) if study in DEMO_ONLY else WORLDS


def _filled(page: str, name: str, text: str) -> str:
    """The page with a text between the two comments of a name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, rest = page.split(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"


def _ranges(study: str) -> str:
    """The lowest and the highest number of each row over several worlds, by columns."""
    columns = RANGES[study]
    by_world = [dict(_cells(output(study, world), columns)) for world in SEVERAL]
    lines = [
        f"| range over worlds {SEVERAL[0]} to {SEVERAL[-1]} | {' | '.join(columns)} |",
        "|---" + "|---:" * len(columns) + "|",
    ]
    for row in by_world[0]:
        found = zip(*(world[row] for world in by_world), strict=True)
        shown = (_range(values) for values in found)
        lines.append(f"| {row} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _cells(text: str, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The rows of all tables that have these columns: what is compared, and the numbers."""
    head: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells
        elif set(columns) <= set(head) and not line.startswith("|---"):
            words = [cell for cell in cells if not _is_number(cell) and cell not in ("yes", "no")]
            yield ", ".join(words), [cells[head.index(column)] for column in columns]


def _is_number(text: str) -> bool:
    return text.replace("−", "").replace(".", "").isdigit()


def _range(values: Sequence[str]) -> str:
    ordered = sorted(set(values), key=lambda value: float(value.replace("−", "-")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


@cache
def output(study: str, world: str) -> str:
    """What a study prints."""
    command = [sys.executable, str(HERE / f"{study}.py")]
    environment = {**os.environ, "WORLD": world}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)  # noqa: S603
    return done.stdout.decode()


if __name__ == "__main__":
    sys.exit(main())
