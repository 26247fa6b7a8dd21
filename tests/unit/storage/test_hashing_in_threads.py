"""Files are hashed in a few threads; the results are those of one after another."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from damaging import rot
from doxeval.documents import Collection, verify_collection
from doxeval.errors import CollectionError
from doxeval.storage import digest, map_in_threads
from helpers import Builder
from seams import change, value_of


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """However small files are, three threads hash them; these are their numbers."""
    met: set[int] = set()
    real = hashlib.sha256

    def sha256(data: bytes = b"") -> object:
        met.add(threading.get_ident())
        return real(data)

    change(monkeypatch, hashing_threads_from=0)
    change(monkeypatch, hashing_cores=lambda: 3)
    monkeypatch.setattr(hashlib, "sha256", sha256)
    return met


FILES = {f"{name}.xml": f"<a>{name}<b>two</b></a>" for name in "abc"}


def test_the_manifest_has_the_hash_of_every_file(build: Builder, threads: set[int]) -> None:
    opened = build(FILES)
    assert threads - {threading.get_ident()}
    files = opened.manifest["files"]
    assert list(files) == sorted(files)
    for name in files.keys() - {"text.bin"}:
        data = (opened.directory / name).read_bytes()
        assert files[name] == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def test_all_damage_is_told_in_the_order_of_the_files(
    build: Builder, threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = build(FILES)
    here = threading.get_ident()
    told: list[tuple[int, int]] = []
    found = verify_collection(
        opened.directory, lambda done, _: told.append((done, threading.get_ident()))
    )
    assert found.problems == ()
    assert sum(done for done, _ in told) == found.bytes
    assert {thread for _, thread in told} == {here}
    for name in ("nodes.start.npy", "documents.ids.txt", "summary.tag.npy"):
        rot(opened.directory / name)
    problems = [str(problem) for problem in verify_collection(opened.directory).problems]
    names = [problem.split(": ")[0].rpartition("/")[2] for problem in problems]
    assert names == ["documents.ids.txt", "nodes.start.npy", "summary.tag.npy"]
    with pytest.raises(CollectionError, match=r"documents\.ids\.txt: the file was altered"):
        Collection(opened.directory)


def test_results_come_in_order_and_the_largest_is_begun_first(threads: set[int]) -> None:
    begun: list[int] = []

    def task(item: int, progress: Callable[[int], object]) -> int:
        begun.append(item)
        progress(item)
        time.sleep(0.01)
        return -item

    done: list[int] = []
    items = [1, 5, 2, 4, 3]
    assert map_in_threads(task, items, items, done.append) == [-1, -5, -2, -4, -3]
    assert set(begun[:3]) == {5, 4, 3}
    assert sum(done) == 15


def test_the_first_error_in_order_is_raised(threads: set[int]) -> None:
    def task(item: int, progress: Callable[[int], object]) -> None:
        if item:
            raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item 1"):
        map_in_threads(task, [0, 1, 2], [1, 2, 3])


def test_an_interrupted_caller_does_not_wait(threads: set[int]) -> None:
    """Threads that have not finished stop when they next tell their progress."""
    stopped = threading.Event()

    def endless(item: int, progress: Callable[[int], object]) -> None:
        try:
            while True:
                progress(1)
        finally:
            stopped.set()

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_in_threads(endless, [1, 2], [1, 1], interrupt)
    assert stopped.wait(5)


def test_a_digest_is_that_of_the_file(tmp_path: Path) -> None:
    data = b"x" * (3 * value_of("hashing_block_bytes") + 5)
    (tmp_path / "file").write_bytes(data)
    done: list[int] = []
    with (tmp_path / "file").open("rb", buffering=0) as file:
        assert digest(file, done.append) == hashlib.sha256(data).hexdigest()
    assert sum(done) == len(data)
