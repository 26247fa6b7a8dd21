"""What a collection at a URL costs: opening it first, opening it again, reading its texts.

    python benchmarks/remote.py                  a small collection, in a minute

The store is this machine's own disk, read through fsspec as any store is. So the times are those
of doxeval; the network comes on top of them.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
from fsspec.spec import AbstractFileSystem

import runner
from runner import (
    heading,
    interleaved,
    line,
    measured,
    median,
    printed,
    steps_or_all,
)
from synthetic import write_wikipedia

TEXTS = 2_000
step = partial(runner.step, __file__)


class Disk(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """Local files under another name: `file:` would be opened where it is."""

    protocol = "disk"

    def cat_file(self, path: str, start: Any = None, end: Any = None, **_: Any) -> bytes:
        """A range of a file."""
        with open(path, "rb") as file:
            file.seek(start)
            return file.read(end - start)

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of a file."""
        return {"name": path, "size": os.stat(path).st_size, "type": "file"}


fsspec.register_implementation("disk", Disk)


def benchmark(work: Path, docs: int, rounds: int) -> None:
    """Everything, in one run."""
    from doxeval import build_collection

    if not (work / "collection").exists():
        write_wikipedia(work / "source", docs)
        build_collection([str(work / "source")], work / "collection")
    near, far = str(work / "collection"), f"disk://{work / 'collection'}"
    os.environ["DOXEVAL_CACHE"] = str(work / "cache")
    share(work / "collection")
    heading("Opening")
    results = interleaved(
        {
            "local": step("opening", near, "keep"),
            "first": step("opening", far, "empty"),
            "again": step("opening", far, "keep"),
        },
        rounds,
    )
    for name in ("local", "first", "again"):
        line(name, f"{median(results[name], lambda one: printed(one, 'cpu')):.3f} s CPU")
    heading(f"Reading {TEXTS:,} texts")
    for order in ("random", "in order"):
        both = {where: step("reading", where, order) for where in (near, far)}
        results = interleaved(both, rounds)
        own, other = (median(results[where], lambda one: printed(one, "cpu")) for where in both)
        line(f"{order}: local", f"{own * 1e6 / TEXTS:,.0f} µs a text")
        line(f"{order}: at a URL", f"{other * 1e6 / TEXTS:,.0f} µs a text")


def share(collection: Path) -> None:
    """How much of a collection is downloaded."""
    heading("Downloaded")
    sizes = {path.name: path.stat().st_size for path in collection.iterdir()}
    kept = sum(size for name, size in sizes.items() if not name.startswith("text."))
    total = sum(sizes.values())
    line("all files", f"{total / 1e6:,.1f} MB")
    line("kept in the cache", f"{kept / 1e6:,.1f} MB", f"{kept / total:.0%}")


def opening(location: str, cache: str) -> dict[str, float]:
    """Open a collection, with the cache as it is or with an empty one."""
    from doxeval.documents import Collection

    if cache == "empty":
        shutil.rmtree(os.environ["DOXEVAL_CACHE"], ignore_errors=True)
    return measured(lambda: Collection(location))


def reading(location: str, order: str) -> dict[str, float]:
    """Read texts, in a random order or one after another."""
    from doxeval.documents import Collection

    opened = Collection(location)
    documents = list(range(min(TEXTS, len(opened))))
    if order == "random":
        documents = random.Random(1).sample(range(len(opened)), len(documents))

    def work() -> Any:
        for document in documents:
            opened.text_of(document)

    return measured(work)


STEPS: dict[str, Callable[..., dict[str, float]]] = {"opening": opening, "reading": reading}

if __name__ == "__main__":
    steps_or_all("remote collections", __doc__, STEPS, benchmark)
