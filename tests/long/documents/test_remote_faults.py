"""Collections at URLs that are altered, cut off or hostile, and caches that are damaged."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import pytest

from damaging import forge, forge_manifest, rot
from doxeval.documents import Collection, is_text_file
from doxeval.errors import CollectionError, OutputError
from doxeval.storage import cache_directory
from far_store import FarStore, bytes_read, files_read
from helpers import Builder
from seams import change

FILES = {
    f"d{number}.xml": f"<art>text {number} <sec>{'x' * number}</sec></art>" for number in range(40)
}


@pytest.fixture(autouse=True)
def patient(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits before asking again."""
    change(monkeypatch, download_pauses=(0, 0, 0))


@pytest.fixture
def near(build: Builder) -> Collection:
    return build(FILES)


@pytest.fixture
def url(near: Collection, own_cache: Path) -> str:
    return f"far://{near.directory}"


def cached_files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*") if path.is_file())


# What is wrong there


@pytest.mark.parametrize("name", ["nodes.path.npy", "documents.ids.txt", "documents.origins.txt"])
def test_an_altered_file_is_refused(url: str, near: Collection, own_cache: Path, name: str) -> None:
    rot(near.directory / name)
    with pytest.raises(CollectionError, match=rf"{url}/{name}: the file was altered; copy"):
        Collection(url)
    assert not {name, "manifest.json"} & set(cached_files(own_cache))
    rot(near.directory / name)
    assert Collection(url) == near


def test_an_altered_text_is_refused(url: str, near: Collection) -> None:
    far = Collection(url)
    rot(near.directory / "text.bin")
    far.text_of(7)
    with pytest.raises(CollectionError, match=rf"{url}/text.bin: a text is not the one"):
        far.text_of(39)
    with pytest.raises(CollectionError, match="document 'd9': a text is not"):
        far.verify()


@pytest.mark.parametrize("tells", [True, False])
def test_a_file_of_another_size_is_refused(
    url: str, near: Collection, own_cache: Path, tells: bool
) -> None:
    FarStore.tells_sizes = tells
    file = near.directory / "nodes.start.npy"
    os.truncate(file, file.stat().st_size - 1)
    said = "the file has .* bytes instead of" if tells else "bytes were asked for, and .* came"
    with pytest.raises(CollectionError, match=rf"nodes\.start\.npy: .*{said}"):
        Collection(url)
    assert not {"nodes.start.npy", "manifest.json"} & set(cached_files(own_cache))


def test_a_file_that_goes_on_is_refused(url: str, near: Collection) -> None:
    with (near.directory / "nodes.start.npy").open("ab") as file:
        file.write(b"more")
    with pytest.raises(CollectionError, match=r"nodes\.start\.npy: the file has"):
        Collection(url)


def test_a_store_that_sends_more_than_was_asked_for_is_refused(url: str, own_cache: Path) -> None:
    FarStore.alter = staticmethod(
        lambda name, begin, end, data: data + b"!" * (name == "summary.tag.npy")
    )
    with pytest.raises(CollectionError, match=r"summary\.tag\.npy: cannot be read: .* more came"):
        Collection(url)
    assert "summary.tag.npy" not in cached_files(own_cache)


def test_a_missing_file_is_refused(url: str, near: Collection) -> None:
    (near.directory / "nodes.end.npy").unlink()
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file is missing; copy the"):
        Collection(url)


@pytest.mark.parametrize("failures", [2, 10])
def test_a_lost_connection_is_tried_again_a_few_times(
    url: str, near: Collection, own_cache: Path, failures: int
) -> None:
    left = failures

    def lose(name: str, begin: int, end: int, data: bytes) -> bytes:
        nonlocal left
        if name != "nodes.end.npy" or not left:
            return data
        left -= 1
        if left % 2:
            raise ConnectionResetError(104, "Connection reset by peer")
        return data[: len(data) // 2]

    FarStore.alter = staticmethod(lose)
    if failures == 2:
        assert Collection(url) == near
        return
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: cannot be read: .*asked for"):
        Collection(url)
    assert left == failures - 4
    assert not {"nodes.end.npy", "manifest.json"} & set(cached_files(own_cache))
    left = 0
    FarStore.reads.clear()
    assert Collection(url) == near
    assert len(files_read()) < 18, "what was complete is not downloaded again"


def test_no_permission_is_not_tried_again(url: str) -> None:
    def refuse(name: str, begin: int, end: int, data: bytes) -> bytes:
        raise PermissionError("Access Denied")

    FarStore.alter = staticmethod(refuse)
    with pytest.raises(CollectionError, match=r"manifest\.json: cannot be read: Access Denied"):
        Collection(url)
    assert len(FarStore.reads) == 1


def test_an_unreachable_url_is_refused_though_the_cache_is_complete(url: str) -> None:
    def lose(name: str, begin: int, end: int, data: bytes) -> bytes:
        raise TimeoutError

    Collection(url)
    FarStore.alter = staticmethod(lose)
    with pytest.raises(CollectionError, match=r"manifest\.json: cannot be read: TimeoutError"):
        Collection(url)


# A hostile manifest


def test_a_column_of_another_size_than_its_values_is_not_even_begun(
    url: str, near: Collection, own_cache: Path
) -> None:
    forge(near.directory, "nodes.end.npy", b"short")
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: 80 values .* another size"):
        Collection(url)
    assert files_read() == {"manifest.json"}


def test_more_than_the_disk_holds_is_not_even_begun(url: str, near: Collection) -> None:
    def grown(manifest: dict[str, dict[str, dict[str, int]]]) -> None:
        manifest["files"]["documents.ids.txt"]["bytes"] = 1 << 60

    forge_manifest(near.directory, grown)
    with pytest.raises(OutputError, match=r"MB are to be downloaded, .* DOXEVAL_CACHE can name"):
        Collection(url)
    assert files_read() == {"manifest.json"}


@pytest.mark.parametrize(
    "name", ["../out", "/out", "a\0b", "manifest.json", "x" * 300, "\ud800", ""]
)
def test_a_name_that_leads_elsewhere_is_refused(
    url: str, near: Collection, own_cache: Path, name: str
) -> None:
    recorded = {"bytes": 3, "sha256": "0" * 64}
    forge_manifest(near.directory, lambda manifest: manifest["files"].update({name: recorded}))
    with pytest.raises(CollectionError, match="the manifest has no usable list of files"):
        Collection(url)
    assert not own_cache.exists()


def test_an_endless_manifest_is_not_read_to_its_end(
    url: str, near: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, largest_manifest=100)
    with pytest.raises(CollectionError, match=r"manifest\.json: the manifest has more than"):
        Collection(url)
    assert bytes_read() == 101


# The cache


def test_a_damaged_cache_is_repaired(
    url: str, near: Collection, capfd: pytest.CaptureFixture[str]
) -> None:
    here = Collection(url).directory
    rot(here / "nodes.end.npy")
    os.truncate(here / "summary.tag.npy", 3)
    (here / "documents.ids.txt").unlink()
    FarStore.reads.clear()
    capfd.readouterr()
    assert Collection(url).verify().problems == ()
    assert "downloading" in capfd.readouterr().err
    rot(here / "manifest.json", 20)
    assert Collection(url) == near


def test_damage_in_the_cache_that_opening_does_not_see_is_found_by_verify(
    url: str, near: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Collection(url).directory
    rot(here / "nodes.end.npy")
    change(monkeypatch, unverified_files=["nodes.end.npy"])
    far = Collection(url)
    message = rf"{here}/nodes\.end\.npy: the file was altered; remove it, and it is downloaded"
    with pytest.raises(CollectionError, match=message):
        far.verify()
    with pytest.raises(CollectionError, match=message):
        far.refuse_damage()


def test_a_cache_that_cannot_be_written_is_an_error(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DOXEVAL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OutputError, match=r"cannot be written: Not a directory; .*DOXEVAL_CACHE"):
        Collection(url)


def test_a_full_disk_leaves_nothing_half_written(
    url: str, near: Collection, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 5

    def full(file: BinaryIO) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        file.flush()

    change(monkeypatch, write_download=full)
    with pytest.raises(OutputError, match=r"No space left on device; .*DOXEVAL_CACHE"):
        Collection(url)
    assert len(cached_files(own_cache)) == 5
    assert "manifest.json" not in cached_files(own_cache)
    left = 100
    assert Collection(url).verify().problems == ()


def test_the_cache_itself_is_not_the_collection(url: str) -> None:
    here = Collection(url).directory
    with pytest.raises(CollectionError, match=f"{here}: this is the cache of .*: open {url}"):
        Collection(here)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_directory() == tmp_path / "cache"
    monkeypatch.delenv("DOXEVAL_CACHE")
    assert cache_directory() == tmp_path / ".cache" / "doxeval"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_directory() == tmp_path / ".cache" / "doxeval"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_directory() == tmp_path / "xdg" / "doxeval"


def opening(url: str, pause: float) -> subprocess.Popen[str]:
    """A process that opens a collection and prints the files that it has read."""
    script = (
        "import sys, far_store; from doxeval import Collection; Collection(sys.argv[1]);"
        "print(*(name for name, _, _ in far_store.FarStore.reads))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", script, url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FAR_STORE_PAUSE": str(pause)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_share_the_work_and_a_killed_one_leaves_nothing(
    url: str, near: Collection, own_cache: Path
) -> None:
    killed = opening(url, 0.05)
    while len(cached_files(own_cache)) < 4:
        time.sleep(0.01)
        assert killed.poll() is None
    killed.kill()
    killed.communicate()
    assert "manifest.json" not in cached_files(own_cache)
    finished = cached_files(own_cache)
    others = [opening(url, 0.05) for _ in range(2)]
    read = [process.communicate()[0].split() for process in others]
    assert [process.returncode for process in others] == [0, 0]
    there = {path.name for path in near.directory.iterdir() if not is_text_file(path.name)}
    assert set(cached_files(own_cache)) == there | {".url"}
    downloaded = sorted([*read[0], *read[1]])
    whole = {name for name in finished if not name.startswith(".")}
    assert set(downloaded) == (there - whole) | {"manifest.json"}
    assert len(downloaded) < 2 * len(set(downloaded)), "each downloaded everything"
    FarStore.reads.clear()
    assert Collection(url).verify().problems == ()
