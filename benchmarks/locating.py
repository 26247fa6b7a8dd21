"""Chunks located in documents, beside the search of chunking_evaluation, in one run.

    python benchmarks/locating.py DIRECTORY [--rounds N]

DIRECTORY holds the corpora of chunking_evaluation (*.md). That package is not on the registry and
does not run with current versions of chromadb, so its search is written here from its published
behaviour: a full stop at the end is cut off, the first place of the text is taken, else the first
place with any white space between its words.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cuts import overlapping, recursive
from doxeval.locating import locate_chunks
from runner import heading, line, machine

Cut = Callable[[str], list[str]]
# Cuts, with the most of the other program's time that they may take.
CUTS: dict[str, tuple[Cut, float]] = {
    "paragraphs and lines of 800 characters": (lambda text: recursive(text, 800), 0.15),
    "800 characters, 400 of them shared": (lambda text: overlapping(text, 800, 400), 0.7),
    "100 characters, 20 of them shared": (lambda text: overlapping(text, 100, 20), 0.5),
}


def first_place(document: str, chunk: str) -> tuple[int, int] | None:
    """The place that chunking_evaluation takes, as far as its search by exact text goes."""
    wanted = chunk[:-1] if chunk.endswith(".") else chunk
    if wanted in document:
        start = document.find(wanted)
        return start, start + len(wanted)
    words = r"\s*".join(map(re.escape, wanted.split()))
    found = re.search(words, document, re.IGNORECASE)
    return found and found.span()


def by_first_place(documents: Iterable[tuple[str, Sequence[str]]]) -> None:
    """All chunks of all documents, as chunking_evaluation locates them."""
    for text, chunks in documents:
        for chunk in chunks:
            first_place(text, chunk)


def by_doxeval(documents: Iterable[tuple[str, Sequence[str]]]) -> None:
    """All chunks of all documents, located by doxeval."""
    for text, chunks in documents:
        locate_chunks(text, chunks)


def seconds(locate: Callable[[Iterable[tuple[str, Sequence[str]]]], None], work: object) -> float:
    """How long one way of locating takes."""
    start = time.perf_counter()
    locate(work)  # type: ignore[arg-type]
    return time.perf_counter() - start


def main() -> None:
    """Cut all documents in each way, locate the chunks by both, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("directory", type=Path, help="the corpora of chunking_evaluation (*.md)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each (default: 5)")
    options = parser.parse_args()
    texts = [path.read_text(encoding="utf-8") for path in sorted(options.directory.glob("*.md"))]
    heading(f"Locating chunks of {sum(map(len, texts)):,} characters ({machine()})")
    for name, (cut, bar) in CUTS.items():
        work = [(text, cut(text)) for text in texts]
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(seconds(by_doxeval, work))
            theirs.append(seconds(by_first_place, work))
        mine, other = statistics.median(ours), statistics.median(theirs)
        count = sum(len(chunks) for _, chunks in work)
        line(f"{name}: {count:,} chunks", f"{mine:.3f} s")
        line("  chunking_evaluation", f"{other:.3f} s")
        line("  ratio", f"{mine / other:.2f}", f"bar {bar:.2f}")


if __name__ == "__main__":
    main()
