"""Reading a collection writes nothing there; what was hashed is remembered elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from damaging import rot
from doxeval.documents import Collection
from doxeval.errors import CollectionError
from doxeval.retrieve import build_index
from doxeval.storage import digest
from helpers import Builder, doxeval
from seams import change, value_of

FILES = {"a.xml": "<a>one<b>two</b></a>", "b.xml": "<a>three</a>"}
HASHED = 19  # files of a collection with a hash of their own


@pytest.fixture
def collection(build: Builder) -> Path:
    return build(FILES).directory


@pytest.fixture
def hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are hashed, none of them too small or too new to remember."""
    names: list[str] = []

    def counting(file: Any, progress: Any = None) -> str:
        names.append(Path(file.name).name)
        return digest(file, progress)

    monkeypatch.setenv("DOXEVAL_CACHE", str(tmp_path / "cache"))
    change(monkeypatch, small_file_bytes=0)
    change(monkeypatch, settled_after=-1)
    change(monkeypatch, digest=counting)
    forget(monkeypatch)
    return names


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process has hashed, as if it were another one."""
    change(monkeypatch, kept_digests={})
    change(monkeypatch, digests_not_kept={})
    change(monkeypatch, recalled_digests=set())


def state(*directories: Path) -> dict[Path, tuple[int, ...]]:
    """All that can change in directories, but for the time of the last access."""
    paths = [path for directory in directories for path in (directory, *directory.rglob("*"))]
    states = {path: path.stat() for path in paths}
    return {
        path: (one.st_ino, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
        for path, one in states.items()
    }


def test_reading_writes_nothing(collection: Path, tmp_path: Path) -> None:
    index = build_index(Collection(collection)).directory
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 r /a[1]/b[1]\n")
    (tmp_path / "judged.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 3}\n')
    for path in (*collection.iterdir(), *index.iterdir()):
        os.utime(path)  # as a copy has other time stamps
    before = state(collection, index, tmp_path / "source1")
    assessments = ("-a", tmp_path / "judged.jsonl", "--collection", collection, "-m", "MAiP")
    for command in (
        ("collection", "info", collection),
        ("collection", "show", collection, "a"),
        ("collection", "verify", collection),
        ("evaluate", tmp_path / "r.run", *assessments),
        ("search", collection, "--words", "two"),
        ("report", tmp_path / "r.run", *assessments, "--out", tmp_path / "report.html"),
    ):
        assert doxeval(*command).exit_code == 0, command
    assert state(collection, index, tmp_path / "source1") == before


def test_a_file_replaced_while_it_is_hashed_is_not_taken_for_intact(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = value_of("digest")

    def replacing(file: Any, progress: Any = None) -> str:
        found: str = counting(file, progress)
        if Path(file.name).name == "nodes.end.npy":
            altered = collection.parent / "altered"
            altered.write_bytes(Path(file.name).read_bytes())
            rot(altered)
            altered.replace(file.name)
        return found

    change(monkeypatch, digest=replacing)
    opened = Collection(collection)
    change(monkeypatch, digest=counting)
    assert opened.root("a").end == 6  # from the file that was hashed
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        Collection(collection)


def test_what_is_remembered_need_not_be_hashed_again(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection(collection)
    assert len(hashed) == HASHED
    forget(monkeypatch)
    Collection(collection)
    assert len(hashed) == HASHED


def test_what_changed_is_hashed_again(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection(collection)
    hashed.clear()
    forget(monkeypatch)
    rot(collection / "nodes.end.npy")  # the time stamp is put back
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        Collection(collection)
    assert hashed == ["nodes.end.npy"]


def test_verify_does_not_trust_its_memory(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection(collection)
    hashed.clear()
    forget(monkeypatch)
    assert doxeval("collection", "verify", collection).exit_code == 0
    assert len(hashed) == HASHED


def test_damage_that_only_verify_notices_is_remembered(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection(collection)
    kept = collection.parent / "cache" / "hashes.json"
    rot(collection / "nodes.end.npy")
    before = kept.read_text()
    forget(monkeypatch)
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        Collection(collection)
    manifest = json.loads((collection / "manifest.json").read_text())
    good = manifest["files"]["nodes.end.npy"]["sha256"]
    after = json.loads(kept.read_text())
    damaged = after.keys() - json.loads(before).keys()
    assert len(damaged) == 1
    kept.write_text(json.dumps({**after, damaged.pop(): good}))  # as if a disk had failed
    forget(monkeypatch)
    Collection(collection)
    assert doxeval("collection", "verify", collection).exit_code == 1
    forget(monkeypatch)
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        Collection(collection)


def test_what_has_just_changed_is_not_remembered(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, settled_after=60 * 10**9)
    Collection(collection)
    assert not (collection.parent / "cache").exists()
    Collection(collection)
    assert len(hashed) == 2 * HASHED


@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"[]", b'{"a": 1}', b"\xff", b"[" * 100_000, b" " * (2 << 20) + b"{}"],
)
def test_a_damaged_memory_is_no_error(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch, contents: bytes
) -> None:
    kept = collection.parent / "cache" / "hashes.json"
    kept.parent.mkdir()
    kept.write_bytes(contents)
    Collection(collection)
    assert len(hashed) == HASHED
    forget(monkeypatch)
    Collection(collection)
    assert len(hashed) == HASHED
    assert [path.name for path in kept.parent.iterdir()] == ["hashes.json"]


def test_nor_is_one_with_other_hashes(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Collection(collection)
    kept = collection.parent / "cache" / "hashes.json"
    kept.write_text(json.dumps(dict.fromkeys(json.loads(kept.read_text()), "0" * 64)))
    forget(monkeypatch)
    assert Collection(collection).root("b").text == "three"
    assert len(hashed) == 2 * HASHED


@pytest.mark.parametrize("obstacle", ["a file", "a directory", "no home"])
def test_nor_is_a_cache_that_cannot_be_written(
    collection: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    cache = collection.parent / "cache"
    if obstacle == "a file":
        cache.write_text("not a directory")
    elif obstacle == "a directory":
        (cache / "hashes.json" / "full").mkdir(parents=True)
    else:
        monkeypatch.delenv("DOXEVAL_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", "")
        monkeypatch.setattr(Path, "expanduser", no_home)
    for _ in range(2):
        forget(monkeypatch)
        assert Collection(collection).root("b").text == "three"
    assert len(hashed) == 2 * HASHED


def no_home(path: Path) -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_the_memory_does_not_grow_without_limit(
    build: Builder, hashed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    change(monkeypatch, kept_digests_limit=HASHED + 3)
    for _ in range(3):
        newest = build(FILES).directory
    kept = json.loads((tmp_path / "cache" / "hashes.json").read_text())
    assert len(kept) == HASHED + 3
    forget(monkeypatch)
    hashed.clear()
    Collection(newest)
    assert hashed == []


def test_the_largest_memory_can_be_read() -> None:
    longest = f'"{" ".join([str((1 << 64) - 1)] * 5)}": "{"0" * 64}",\n'
    assert len(longest) * value_of("kept_digests_limit") < value_of("largest_digests_file")
