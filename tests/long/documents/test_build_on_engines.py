"""Builds on engines: the same bytes as here, whatever happens to workers, and clear errors."""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from building import contents, in_small_batches
from clusters import Cluster, cluster
from doxeval.documents import BuildOptions, IdRule, build_collection
from doxeval.errors import DocumentError, DoxevalError, EngineError, SourceError
from doxeval.parallel import Engine, TaskResult, Tasks, Work, run_task
from helpers import doxeval, write_files
from mixed_sources import json_lines, mixed_files

SMALL = {"batch_bytes": 400, "batch_documents": 3, "shard_batches": 2, "shards_until_larger": 4}
PATHS = BuildOptions(id_rule=IdRule("path"))
SKIPPING = replace(PATHS, skip_broken=True)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_batches(monkeypatch, **SMALL)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("source"), mixed_files())


class Unreliable(Engine):
    """Finishes tasks in any order, and many of them twice, as when workers are lost.

    Each task is carried out in a context `there`, which changes what the "worker" sees.
    """

    def __init__(
        self, seed: int, there: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> None:
        self._chance = random.Random(seed)
        self._there = there
        self.checked: list[str] | None = None

    @contextmanager
    def begin(self, work: Work) -> Iterator[Tasks]:
        assert work.check is not None
        self.checked = list(pickle.loads(pickle.dumps(work.check))())
        yield UnreliableTasks(work, self._chance, self._there)


class UnreliableTasks(Tasks):
    ahead = 5

    def __init__(
        self,
        work: Work,
        chance: random.Random,
        there: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._work = work
        self._chance = chance
        self._there = there
        self._waiting: list[tuple[int, Any]] = []

    def submit(self, numbered: Iterable[tuple[int, Any]]) -> None:
        for number, item in numbered:
            assert self._work.name(item).startswith("shard ")
            self._waiting.append((number, pickle.loads(pickle.dumps(item))))

    def next_outcome(self) -> tuple[int, TaskResult]:
        number, item = self._waiting.pop(self._chance.randrange(len(self._waiting)))
        value = pickle.loads(pickle.dumps(self._work.shared.value))
        with self._there():
            for _ in range(self._chance.randrange(2)):
                run_task(self._work.task, value, item)  # whose result nobody gets
            return number, pickle.loads(pickle.dumps(run_task(self._work.task, value, item)))

    def __len__(self) -> int:
        return len(self._waiting)


def test_any_order_and_any_number_of_attempts_give_the_same_bytes(
    source: Path, tmp_path: Path
) -> None:
    here = build_collection(source, tmp_path / "here", SKIPPING)
    for seed in range(3):
        engine = Unreliable(seed)
        seen: list[tuple[int, int]] = []
        there = build_collection(
            source,
            tmp_path / "there",
            SKIPPING,
            engine=engine,
            force=True,
            progress=lambda *step, seen=seen: seen.append(step),
        )
        assert engine.checked == []
        assert contents(tmp_path / "there") == contents(tmp_path / "here")
        assert list(map(str, there.broken)) == list(map(str, here.broken))
        assert there.passed_over.most_common() == here.passed_over.most_common()
        assert sum(documents for _, documents in seen) == there.documents == here.documents
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "there"]


def test_relative_paths_are_stored_as_given(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source)
    sources = ["a", "./b/large.jsonl", "../" + source.name + "/c", str(source / "b/one.tar.gz")]
    here = build_collection(sources, tmp_path / "here", SKIPPING)

    with ThreadPoolExecutor(1) as pool:
        build_collection(sources, tmp_path / "threads", SKIPPING, engine=pool)
    elsewhere = Unreliable(1, lambda: chdir("/"))
    there = build_collection(sources, tmp_path / "there", SKIPPING, engine=elsewhere)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert contents(tmp_path / "threads") == contents(tmp_path / "here")
    assert list(map(str, there.broken)) == list(map(str, here.broken))
    assert str(there.broken[0]).startswith("a/broken.xml:")
    with pytest.raises(DocumentError) as told:
        build_collection(["a"], tmp_path / "c", PATHS, engine=elsewhere)
    assert str(told.value).startswith("a/broken.xml:")


def test_errors_are_those_of_a_build_here(source: Path, tmp_path: Path) -> None:
    for names in (["c", "none"], ["b/large.jsonl"] * 2, ["b/third.tar.gz"], ["c/z.png"]):
        sources = [source / name for name in names]
        told = []
        for engine in (None, Unreliable(0)):
            with pytest.raises(DoxevalError) as error:
                build_collection(sources, tmp_path / "c", engine=engine)
            told.append((type(error.value), str(error.value)))
        assert told[0] == told[1]
    assert list(tmp_path.iterdir()) == []


def test_workers_that_see_other_files_are_refused(source: Path, tmp_path: Path) -> None:
    own = write_files(tmp_path / "s", {f"{at}.xml": "<a>text</a>" for at in range(20)})
    names = sorted(own.iterdir())

    @contextmanager
    def vanished() -> Iterator[None]:
        names[-1].unlink(missing_ok=True)
        yield

    with pytest.raises(EngineError, match=r"9\.xml: No such file or directory on"):
        build_collection(own, tmp_path / "c", SKIPPING, engine=Unreliable(0, vanished))
    names[-1].write_text("<a>text</a>")

    @contextmanager
    def changed() -> Iterator[None]:
        names[-1].write_text("<a>other text</a>")
        yield

    with pytest.raises(EngineError, match=r"9\.xml: 17 bytes, instead of 11 on"):
        build_collection(own, tmp_path / "c", SKIPPING, engine=Unreliable(0, changed))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s"]


def test_what_only_a_worker_cannot_read_is_never_left_out(tmp_path: Path) -> None:
    own = write_files(tmp_path / "s", {f"{at}.xml": "<a>text</a>" for at in range(9)})
    real = os.open

    def refuse(path: Any, *arguments: Any, **named: Any) -> int:
        if str(path).endswith("8.xml"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *arguments, **named)

    @contextmanager
    def hidden() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", refuse)
            yield

    with pytest.raises(EngineError, match=r"8\.xml: a worker of the engine cannot read it"):
        build_collection(own, tmp_path / "c", SKIPPING, engine=Unreliable(0, hidden))


def test_what_a_worker_must_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"s/a.xml": "<a/>", "b.xml": "<b/>"})
    problems: list[list[str]] = []

    class Elsewhere(Engine):
        """Asks its only worker what it sees, again and again, and builds nothing."""

        def begin(self, work: Work) -> AbstractContextManager[Tasks]:
            check = work.check
            assert check is not None
            problems.append(list(check()))
            (mark,) = tmp_path.rglob("same-place")
            mark.write_text("another")
            (tmp_path / "b.xml").write_text("<other/>")
            (tmp_path / "s").rename(tmp_path / "t")
            problems.append(list(check()))
            mark.unlink()
            problems.append(list(check()))
            raise EngineError("no worker is left")

    with pytest.raises(EngineError, match="no worker is left"):
        build_collection(["s", "b.xml", "s/*.xml", "none"], "c", SKIPPING, engine=Elsewhere())
    at_first, elsewhere, nowhere = problems
    assert at_first == []
    text = "\n".join(elsewhere)
    assert f"{tmp_path}: another directory there" in text
    assert "s: cannot be read there: No such file or directory" in text
    assert "b.xml: 8 bytes, instead of 4 there" in text
    assert "it must be shared by all workers" in nowhere[0]


def test_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(SourceError, match="the workers of the engine cannot read it"):
        build_collection(tmp_path / "a.jsonl", tmp_path / "c", engine=Unreliable(0))


# On a cluster

LINES = {f"{at}.jsonl": json_lines(f"{at}-", 20) for at in range(20)}


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster(2) as found:
        yield found


def test_killed_workers_change_nothing(running: Cluster, tmp_path: Path) -> None:
    """One worker after another is killed as soon as something was built, and replaced."""
    source = write_files(tmp_path / "s", LINES)
    build_collection(source, tmp_path / "here")
    killed: list[str] = []

    def kill(_: int, documents: int) -> None:
        if documents and len(killed) < 3:
            name = next(name for name in running.processes if name != "scheduler")
            running.start_worker(f"after-{name}")
            running.kill(name)
            killed.append(name)

    build_collection(source, tmp_path / "there", engine=running.address, progress=kill)
    assert len(killed) == 3
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    arguments = ("--engine", running.address, "--out", tmp_path / "cli")
    assert doxeval("collection", "build", source, *arguments).exit_code == 0
    assert contents(tmp_path / "cli") == contents(tmp_path / "here")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cli", "here", "s", "there"]


def test_a_lost_scheduler_ends_the_build(tmp_path: Path) -> None:
    source = write_files(tmp_path / "s", LINES)
    with cluster(1) as own:
        address = own.address

        def kill(_: int, documents: int) -> None:
            if "scheduler" in own.processes:
                own.kill("scheduler")

        with pytest.raises(EngineError, match="lost"):
            build_collection(source, tmp_path / "c", engine=address, progress=kill)
    assert not (tmp_path / "c").exists()
    build_collection(source, tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "s"]
