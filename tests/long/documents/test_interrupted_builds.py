"""Builds that are killed, that fail at any step, or that meet others at the same place."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from building import contents, in_small_batches
from clusters import import_path
from doxeval.documents import Collection, build_collection
from doxeval.errors import CollectionError, OutputError
from doxeval.parallel import WorkerLost
from helpers import write_files

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and locks")


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def sources(tmp_path: Path) -> tuple[Path, Path]:
    """An old and a new set of documents."""
    return (
        write_files(tmp_path / "old", {"a.xml": "<a><b>old</b></a>", "c.xml": "<c>both</c>"}),
        write_files(tmp_path / "new", {"a.xml": "<a>new <d>one</d></a>", "b.xml": "<b>two</b>"}),
    )


# A build that kills itself after one of the two steps of the replacement.
KILLED = """
import os, signal, sys
from pathlib import Path
from doxeval.documents import build_collection

step = int(sys.argv[3])
taken = 0

def stepping(function):
    def step_taken(*arguments):
        global taken
        found = function(*arguments)
        taken += 1
        if taken == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return found
    return step_taken

Path.rename = stepping(Path.rename)
build_collection([sys.argv[1]], sys.argv[2], force=True)
"""


@pytest.mark.parametrize("step", [1, 2])
def test_a_kill_while_a_collection_is_replaced_loses_nothing(tmp_path: Path, step: int) -> None:
    old, new = sources(tmp_path)
    out = tmp_path / "c"
    build_collection([str(old)], out)
    before = contents(out)
    build_collection([str(new)], tmp_path / "expected")
    command = [sys.executable, "-c", KILLED, str(new), str(out), str(step)]
    env = {**os.environ, "PYTHONPATH": import_path()}
    assert subprocess.run(command, env=env).returncode == -signal.SIGKILL
    if step == 1:
        with pytest.raises(CollectionError, match=r"the old one is \.c\.replaced-"):
            Collection(out)
        # Without force=, the old collection is put back and then not replaced.
        with pytest.raises(OutputError, match="exists; force=True"):
            build_collection([str(new)], out)
        assert contents(out) == before
    else:
        assert contents(out).keys() == before.keys()
        assert list(Collection(out).ids()) == ["a", "b"]
    build_collection([str(new)], out, force=True)
    assert names(tmp_path) == ["c", "expected", "new", "old"]


def test_the_next_build_leaves_a_replacement_in_progress_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = sources(tmp_path)
    build_collection([str(old)], tmp_path / "c")
    rename, seen = Path.rename, []

    def meanwhile(self: Path, target: Path) -> Path:
        """Between the two steps of the replacement, another build begins."""
        if ".building-" in self.name and target.name == "c":
            monkeypatch.setattr(Path, "rename", rename)
            build_collection([str(new)], tmp_path / "another")
            seen.extend(names(tmp_path))
            assert not target.exists()
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", meanwhile)
    build_collection([str(new)], tmp_path / "c", force=True)
    assert [name.split("-")[0] for name in seen if name.startswith(".")] == [
        ".c.building",
        ".c.replaced",
    ]
    assert names(tmp_path) == ["another", "c", "new", "old"]
    assert contents(tmp_path / "c").keys() == contents(tmp_path / "another").keys()


# A build that waits in the middle until it is killed.
WAITING = """
import sys, time
from doxeval.documents import build_collection

def wait(*_):
    print("begun", flush=True)
    time.sleep(60)

build_collection([sys.argv[1]], sys.argv[2], progress=wait)
"""


def test_the_next_build_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    old, new = sources(tmp_path)
    command = [sys.executable, "-c", WAITING, str(old), str(tmp_path / "c")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        (left,) = set(names(tmp_path)) - {"old", "new"}
        build_collection([str(new)], tmp_path / "c2")  # a living build is left alone
        assert left in names(tmp_path)
        process.kill()
    assert left in names(tmp_path)
    build_collection([str(new)], tmp_path / "c")
    assert names(tmp_path) == ["c", "c2", "new", "old"]


# Two at once


def together(*builds: Callable[[Callable[..., object]], object]) -> list[object]:
    """Builds in threads that wait for each other in the middle; each gives a result or error."""
    barrier = threading.Barrier(len(builds))

    def outcome(build: Callable[[Callable[..., object]], object]) -> object:
        try:
            return build(lambda *_: barrier.wait(20))
        except OutputError as error:
            return error

    with ThreadPoolExecutor(len(builds)) as threads:
        return list(threads.map(outcome, builds))


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("is_there", [False, True])
def test_two_builds_to_the_same_place(tmp_path: Path, force: bool, is_there: bool) -> None:
    old, new = sources(tmp_path)
    out = tmp_path / "c"
    expected = []
    for number, source in enumerate((old, new)):
        build_collection([str(source)], tmp_path / f"expected{number}")
        expected.append(contents(tmp_path / f"expected{number}"))
    if is_there and force:
        build_collection([str(old)], out)
    results = together(
        lambda wait: build_collection([str(old)], out, force=force, progress=wait),
        lambda wait: build_collection([str(new)], out, force=force, progress=wait),
    )
    errors = [str(result) for result in results if isinstance(result, OutputError)]
    assert errors == ([] if force else [f"{out} exists; force=True replaces a collection"])
    assert contents(out) in expected
    if not force:
        winner = next(
            at for at, result in enumerate(results) if not isinstance(result, OutputError)
        )
        assert contents(out) == expected[winner]
    assert names(tmp_path) == ["c", "expected0", "expected1", "new", "old"]


def test_a_collection_that_is_replaced_while_it_is_open_stays_as_it_was(tmp_path: Path) -> None:
    old, new = sources(tmp_path)
    out = tmp_path / "c"
    build_collection([str(old)], out)
    opened, pickled = Collection(out), pickle.dumps(Collection(out))
    build_collection([str(new)], out, force=True)
    # Everything of it is the old one, whether it was looked at before or not.
    assert list(opened.ids()) == ["a", "c"]
    assert opened.root("a").text == "old"
    assert opened.element("a", "/a[1]/b[1]").end == 3
    assert opened.find_documents(["b", "c"]).tolist() == [-1, 1]
    # Another process would open the new one, and says so.
    with pytest.raises(CollectionError, match="not the one that was pickled"):
        pickle.loads(pickled)
    assert list(Collection(out).ids()) == ["a", "b"]


def test_a_link_to_a_collection_stays_and_the_collection_is_replaced(tmp_path: Path) -> None:
    old, new = sources(tmp_path)
    build_collection([str(old)], tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    build_collection([str(new)], tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert list(Collection(tmp_path / "real").ids()) == ["a", "b"]
    assert names(tmp_path) == ["link", "new", "old", "real"]


# Workers


def test_a_worker_that_is_killed_ends_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_batches(monkeypatch, batch_documents=2)
    source = write_files(tmp_path / "s", {f"{n:02}.xml": "<a/>" for n in range(40)})
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")

    def kill_a_worker(*_: object) -> None:
        for pid in children.read_text().split():
            # A process may end in the meantime.
            with suppress(FileNotFoundError, ProcessLookupError):
                if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(int(pid), signal.SIGKILL)
                    return

    with pytest.raises(WorkerLost, match="killed by signal 9 while it was reading documents"):
        build_collection([str(source)], tmp_path / "c", jobs=2, progress=kill_a_worker)
    assert names(tmp_path) == ["s"]
