"""How fast collections are merged, and how archives are read side by side.

    python benchmarks/merging.py                     six collections of half a million elements

Merging is held against the build of the same documents; processor times are those of the work
alone, without Python's start. Archives are read with one job and with two.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

import runner
from runner import heading, interleaved, line, measured, printed, steps_or_all
from synthetic import Wikipedia

PARTS = 6
step = partial(runner.step, __file__)


def benchmark(work: Path, docs: int, rounds: int) -> None:
    """Everything, in one run."""
    sources = [work / f"source{part}" for part in range(PARTS)]
    for part, source in enumerate(sources):
        write_part(source, part, docs // 2)
    merging(work, sources, rounds)
    archives(work, sources, rounds)


def write_part(directory: Path, part: int, documents: int) -> None:
    """Write documents that no other part has."""
    if directory.exists():
        return
    directory.mkdir(parents=True)
    wikipedia = Wikipedia(part)
    for number in range(documents):
        (directory / f"{part}-{number}.xml").write_bytes(wikipedia.document(number))


def merging(work: Path, sources: list[Path], rounds: int) -> None:
    """Build all parts, then merge them again and again."""
    heading("Merging")
    parts = [work / f"part{part}" for part in range(PARTS)]
    for source, part in zip(sources, parts, strict=True):
        build(str(part), "1", str(source))
    commands = {
        "build": step("build", work / "whole", "1", *sources),
        "merge": step("merge", work / "merged", *parts),
    }
    results = interleaved(commands, rounds)
    least = {name: min(printed(one, "cpu") for one in runs) for name, runs in results.items()}
    elements = printed(results["merge"][0], "elements")
    line("elements", f"{elements:,}")
    line("merge, CPU seconds per million elements", f"{least['merge'] / elements * 1e6:.3f}", "0.1")
    line("merge / build, CPU", f"{least['merge'] / least['build']:.3f}")
    peak = max(printed(one, "peak") for one in results["merge"])
    line("merge: peak memory", f"{peak:,.0f} MiB")


def archives(work: Path, sources: list[Path], rounds: int) -> None:
    """Build from one archive for each part, by one job and by two."""
    heading("Archives, read side by side")
    modes: dict[str, Literal["w:gz", "w:bz2"]] = {"gz": "w:gz", "bz2": "w:bz2"}
    for compression, mode in modes.items():
        packed = [work / f"{source.name}.tar.{compression}" for source in sources]
        for source, archive in zip(sources, packed, strict=True):
            if not archive.exists():
                with tarfile.open(archive, mode) as tar:
                    tar.add(source, source.name)
        results = interleaved(
            {
                "one": step("build", work / "one", "1", *packed),
                "two": step("build", work / "two", "2", *packed),
            },
            rounds,
        )
        wall = {name: min(printed(one, "wall") for one in runs) for name, runs in results.items()}
        cpu = {name: min(printed(one, "cpu") for one in runs) for name, runs in results.items()}
        line(f"tar.{compression}: one job / two jobs, wall", f"{wall['one'] / wall['two']:.2f}")
        line(f"tar.{compression}: two jobs / one job, CPU", f"{cpu['two'] / cpu['one']:.2f}")


def build(out: str, jobs: str, *sources: str) -> dict[str, float]:
    """Build a collection."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from doxeval import build_collection

    shutil.rmtree(out, ignore_errors=True)
    return measured(lambda: build_collection(sources, out, jobs=int(jobs)))


def merge(out: str, *parts: str) -> dict[str, float]:
    """Merge collections."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from doxeval import Collection, merge_collections

    shutil.rmtree(out, ignore_errors=True)
    found = measured(lambda: merge_collections(parts, out))
    return {**found, "elements": Collection(out).manifest["counts"]["elements"]}


STEPS: dict[str, Callable[..., dict[str, float]]] = {"build": build, "merge": merge}

if __name__ == "__main__":
    steps_or_all(f"merging {PARTS} collections, each of half of", __doc__, STEPS, benchmark)
