"""Ω of cuts, beside the loop of chunking_evaluation, and a whole study, in one run.

    python benchmarks/chunk_studies.py DIRECTORY [--rounds N]

DIRECTORY holds the corpora of chunking_evaluation (*.md) and its questions_df.csv. The loop of that
package is written here from its published behaviour: for every question all chunks of its corpus
are compared with every range of gold, and the ranges that are left are put together.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from doxeval import chunks
from doxeval.chunks import omegas
from doxeval.measures import GroundTruth
from runner import heading, line, machine

CUTS = ("recursive:800:0", "recursive:100:20")
TRIED = (
    "recursive:800:0", "recursive:800:400", "words:100:0", "words:200:50", "sentences:1:0",
    "sentences:5:1", "paragraphs",
)  # fmt: skip
BAR = 0.1
MOST_SECONDS = 20
Range = tuple[int, int]


def together(ranges: list[Range]) -> list[Range]:
    """Ranges put together where they overlap."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def by_loops(cut: chunks.Chunks, gold: chunks.Questions) -> list[float]:
    """Ω as chunking_evaluation computes it; chunks that merely touch gold count there."""
    places: dict[str, list[Range]] = {}
    for number, own in zip(cut.document.tolist(), cut.spans.as_tuples(), strict=True):
        places.setdefault(cut.documents[number], []).extend(own)
    values = []
    for question in gold:
        wanted = [place for need in question.needs for place in need.places[:1]]
        if not wanted:
            continue
        read: list[Range] = []
        shown: list[Range] = []
        for start, end in places[wanted[0].document]:
            for place in wanted:
                low, high = max(start, place.start), min(end, place.end)
                if low <= high:
                    read = together([(start, end), *read])
                    shown = together([(low, high), *shown])
        size = sum(end - start for start, end in shown)
        both = together([*read, *((one.start, one.end) for one in wanted)])
        values.append(size / sum(end - start for start, end in both))
    return values


def by_doxeval(cut: chunks.Chunks, gold: chunks.Questions) -> object:
    """Ω of all questions, from the judgments on."""
    return omegas(cut.table, GroundTruth.of(gold.assessments))


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Compute Ω of each cut by both, then compare the usual cuts, and print how long it takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("directory", type=Path, help="corpora and questions_df.csv")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each (default: 5)")
    options = parser.parse_args()
    docs = chunks.documents(options.directory)
    gold = chunks.questions(options.directory / "questions_df.csv", docs, "place")
    heading(f"Ω of {len(gold):,} questions ({machine()})")
    for by in CUTS:
        cut = chunks.split(docs, by)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(seconds(partial(by_doxeval, cut, gold)))
            theirs.append(seconds(partial(by_loops, cut, gold)))
        mine, other = statistics.median(ours), statistics.median(theirs)
        line(f"{by}: {len(cut):,} chunks", f"{mine:.3f} s")
        line("  chunking_evaluation", f"{other:.3f} s")
        line("  ratio", f"{mine / other:.3f}", f"bar {BAR}")
    heading(f"{len(TRIED)} cuts compared, with tests, oracle and limits")
    same = chunks.questions(options.directory / "questions_df.csv", docs)
    taken = seconds(lambda: str(chunks.compare(docs, same, list(TRIED))))
    line("as `doxeval chunks try` does it", f"{taken:.1f} s", f"bar {MOST_SECONDS} s")


if __name__ == "__main__":
    main()
