"""Unfinished outputs: what dead processes leave is removed, what living ones write is not."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from doxeval.errors import OutputError
from doxeval.files import open_output, output_directory, outputs_together
from doxeval.output import move_into_place, remove_leftovers, temporary_output
from seams import change, value_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks")

HOST = value_of("unfinished_host")()
OTHER = f"{int(HOST, 16) ^ 1:08x}"

# A process that begins an output, and waits to be killed.
BEGIN = """
import sys, time
from pathlib import Path
from doxeval.files import open_output, output_directory

with {call}(sys.argv[1]) as begun:
    print("begun", flush=True)
    time.sleep(60)
"""


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def begun(call: str, target: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN.format(call=call), str(target)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize("call", ["open_output", "output_directory"])
def test_the_living_are_left_alone_and_the_dead_are_removed(tmp_path: Path, call: str) -> None:
    with begun(call, tmp_path / "a") as process:
        (left,) = names(tmp_path)
        remove_leftovers(tmp_path)
        with open_output(tmp_path / "a") as file:
            file.write(b"mine")
        assert names(tmp_path) == [left, "a"]
        process.kill()
    with open_output(tmp_path / "b") as file:  # any output in the same directory will do
        file.write(b"mine")
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize(
    "name",
    [
        f".a.writing-{OTHER}-01234567",  # another host's
        ".a.writing-01234567",  # there were no locks
        f".a.writing-{HOST}-0123456",
        f".a.writing-{HOST}-01234567.txt",
        f"a.writing-{HOST}-01234567",
        f".a.reading-{HOST}-01234567",
        ".a.building-notes",
        f".a.replaced-{HOST}-01234567",  # the only copy, for there is no "a"
    ],
)
@pytest.mark.parametrize("is_directory", [False, True])
def test_what_may_be_somebody_elses_stays(tmp_path: Path, name: str, is_directory: bool) -> None:
    (tmp_path / name).mkdir() if is_directory else (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    assert names(tmp_path) == [name]


def test_links_and_pipes_with_such_a_name_do_no_harm(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.tex").touch()
    (tmp_path / f".a.building-{HOST}-01234567").symlink_to(precious)
    os.mkfifo(tmp_path / f".b.writing-{HOST}-01234567")
    remove_leftovers(tmp_path)
    assert names(precious) == ["thesis.tex"]


def test_a_new_output_is_never_taken_for_a_leftover(tmp_path: Path) -> None:
    """Many write while many clean up."""
    done = threading.Event()

    def clean() -> None:
        while not done.is_set():
            remove_leftovers(tmp_path)

    def write(number: int) -> None:
        with open_output(tmp_path / "file") as file:
            file.write(b"%d" % number * 1000)
        with output_directory(tmp_path / f"d{number}") as directory:
            (directory / "x").touch()

    with ThreadPoolExecutor(6) as threads:
        cleaning = [threads.submit(clean) for _ in range(2)]
        try:
            for one in [threads.submit(write, number) for number in range(10, 90)]:
                one.result()
        finally:
            done.set()
        for one in cleaning:
            one.result()
    text = (tmp_path / "file").read_bytes()
    assert text == text[:2] * 1000
    assert names(tmp_path) == sorted(["file", *(f"d{number}" for number in range(10, 90))])
    assert all(names(tmp_path / f"d{number}") == ["x"] for number in range(10, 90))


def test_an_output_that_was_swept_away_before_its_lock_is_made_again(tmp_path: Path) -> None:
    made: list[Path] = []

    def make(path: Path) -> None:
        path.mkdir()
        made.append(path)
        if len(made) < 3:
            remove_leftovers(tmp_path)  # as another process might, at just this moment
            assert not path.exists()

    with temporary_output(tmp_path / "a", "building", make) as path:
        assert path == made[2]
        remove_leftovers(tmp_path)
        assert path.is_dir()
    assert names(tmp_path) == []


def test_without_locks_everything_works_and_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(file: int, *, wait: bool) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    change(monkeypatch, lock_file=no_locks)
    left = tmp_path / f".a.writing-{HOST}-01234567"
    left.touch()
    with open_output(tmp_path / "a") as file:
        file.write(b"mine")
        assert left.exists()
        monkeypatch.undo()  # another process, where there are locks
        remove_leftovers(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"mine"
    assert names(tmp_path) == ["a"]


def test_very_long_names_are_written_too(tmp_path: Path) -> None:
    name = "é" * 120 + ".txt"
    with open_output(tmp_path / name) as file:
        file.write(b"mine")
    assert names(tmp_path) == [name]


# Replacing


def directory(path: Path, *files: str) -> Path:
    path.mkdir()
    for name in files:
        (path / name).touch()
    return path


def test_a_directory_takes_the_place_of_another(tmp_path: Path) -> None:
    target = directory(tmp_path / "target", "old")
    with temporary_output(target, "building", Path.mkdir) as path:
        (path / "new").touch()
        move_into_place(path, target)
    assert (names(tmp_path), names(target)) == (["target"], ["new"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_failed_replacement_puts_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    target = directory(tmp_path / "target", "old")
    rename = Path.rename

    def failing(self: Path, other: Path) -> Path:
        if ".building-" in self.name:
            assert not target.exists()
            raise error
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(error), temporary_output(target, "building", Path.mkdir) as path:
        move_into_place(path, target)
    assert (names(tmp_path), names(target)) == (["target"], ["old"])


def test_what_another_process_put_there_meanwhile_is_replaced_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = directory(tmp_path / "target", "old")
    rename = Path.rename

    def meanwhile(self: Path, other: Path) -> Path:
        if ".building-" in self.name:
            monkeypatch.setattr(Path, "rename", rename)
            directory(target, "another")
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", meanwhile)
    with temporary_output(target, "building", Path.mkdir) as path:
        (path / "new").touch()
        move_into_place(path, target)
    assert (names(tmp_path), names(target)) == (["target"], ["new"])


# Files


def test_a_device_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(pipe.read_bytes)
        with open_output(pipe) as file:
            file.write(b"hello")
        assert reading.result() == b"hello"
    assert pipe.is_fifo()
    before = os.stat(os.devnull)
    with open_output(os.devnull) as file:
        file.write(b"hello")
    assert os.path.samestat(before, os.stat(os.devnull))


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/file")
    for text in (b"one", b"two"):  # it points to nothing at first
        with open_output(link) as file:
            file.write(text)
        assert (link.is_symlink(), (tmp_path / "there/file").read_bytes()) == (True, text)
    assert names(tmp_path) == ["link", "there"]


def test_an_error_in_the_body_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), open_output(path) as file:
            file.write(b"half")
            raise error
    with (
        pytest.raises(OutputError, match="a: cannot be written: No space"),
        open_output(path) as file,
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert (names(tmp_path), path.read_text()) == (["a"], "old")


def test_a_directory_is_new_or_its_files_are_added(tmp_path: Path) -> None:
    target = tmp_path / "new" / "parents" / "figures"
    with pytest.raises(ValueError, match="half"), output_directory(target) as made:
        (made / "a").touch()
        raise ValueError("half")
    assert names(tmp_path) == [], "parents that were made are removed, too"
    with output_directory(target) as made:
        (made / "a").write_text("1")
    assert names(target) == ["a"]
    with pytest.raises(ValueError, match="half"), output_directory(target) as made:
        (made / "a").write_text("2")
        raise ValueError("half")
    assert (names(target), (target / "a").read_text()) == (["a"], "1")
    with output_directory(target) as made:
        (made / "a").write_text("2")
        (made / "b").touch()
    assert (names(target), (target / "a").read_text()) == (["a", "b"], "2")
    with pytest.raises(OutputError, match="cannot be written"), output_directory(target / "a"):
        pass


def test_several_outputs_appear_together_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    def write() -> None:
        with open_output(tmp_path / "a") as file:
            file.write(b"new")
        with output_directory(tmp_path / "b") as made, open_output(made / "inner") as file:
            file.write(b"new")
        assert (tmp_path / "a").read_text() == "old" and not (tmp_path / "b").exists()

    for error in (ValueError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), outputs_together():
            write()
            raise error
        assert (names(tmp_path), (tmp_path / "a").read_text()) == (["a"], "old")
    with outputs_together():
        write()
    assert names(tmp_path) == ["a", "b"] and names(tmp_path / "b") == ["inner"]
    assert (tmp_path / "a").read_text() == "new"


def test_an_output_that_has_no_place_keeps_all_others_from_theirs(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inner").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    for other, why in (("taken", "Is a directory"), ("link/a", "two outputs"), ("no/b", "No such")):
        with pytest.raises(OutputError, match=why), outputs_together():
            for path in ("a", other):
                with open_output(tmp_path / path) as file:
                    file.write(b"new")
        assert names(tmp_path) == ["link", "taken"]
    taken = tmp_path / "taken"
    with pytest.raises(OutputError, match="Is a directory"), output_directory(taken) as made:
        for name in ("above", "inner"):
            (made / name).touch()
    assert names(taken) == ["inner"]


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("links", [True, False])
def test_outputs_are_taken_back_if_one_cannot_be_put_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, links: bool
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    paths = [tmp_path / name for name in ("a", "b", "c")]
    # Without links, what was replaced is gone: only new files are taken back.
    old = paths[1:] if links else [paths[failing]]
    for path in old:
        path.write_text("old")
    error = pytest.raises(OutputError, match=f"{paths[failing].name}: cannot be written: No such")
    with error, outputs_together():
        for path in paths:
            with open_output(path) as file:
                file.write(b"new")
        next(tmp_path.glob(f".{paths[failing].name}.writing-*")).unlink()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        path.name: "old" for path in old
    }


def test_a_kill_leaves_none_of_several_outputs(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from pathlib import Path
from doxeval.files import open_output, output_directory, outputs_together

with outputs_together():
    for name in ("a", "b"):
        with open_output(Path(sys.argv[1]) / name) as file:
            file.write(b"new")
    with output_directory(Path(sys.argv[1]) / "c") as made, open_output(made / "d") as file:
        file.write(b"new")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert killed.returncode == -9
    assert all(name.startswith(".") for name in names(tmp_path))
    remove_leftovers(tmp_path)
    assert names(tmp_path) == []
