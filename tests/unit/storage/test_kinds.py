"""A made-up kind of sealed directory: sealed, opened, and refused when it was damaged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest

from damaging import forge, forge_manifest, rot
from doxeval.errors import InputError, OutputError, SearchIndexError
from doxeval.storage import (
    Column,
    StoredFiles,
    StoreType,
    StoreWriter,
    has_counts,
    is_stored,
    report_damage,
)
from seams import change


def missing(manifest: Mapping[str, Any]) -> str | None:
    return None if has_counts(manifest, "leaves") else "counts"


def columns(counts: Mapping[str, int]) -> dict[str, Column]:
    return {"leaves.npy": Column(np.dtype("<u4"), counts["leaves"])}


HERBARIUM = StoreType(
    format="herbarium",
    version=7,
    noun="herbarium",
    again="collect the plants again",
    makes_one="a walk makes one",
    error=SearchIndexError,
    unhashed=frozenset({"smells.bin"}),
    verified_bytes=1 << 20,
    missing=missing,
    columns=columns,
    other_files=frozenset({"names.txt", "smells.bin"}),
)
LEAVES = np.arange(100_000, dtype="<u4")  # more than a small file, which would not be mapped


@pytest.fixture
def herbarium(tmp_path: Path) -> Path:
    return pressed(tmp_path / "herbarium")


def pressed(out: Path, leaves: int = len(LEAVES), *, force: bool = False) -> Path:
    with StoreWriter(HERBARIUM, out, force=force) as writer:
        column = writer.column("leaves", "<u4")
        for first in range(0, leaves, 30_000):
            column.append(LEAVES[first : min(leaves, first + 30_000)])
        writer.file("names.txt").write(b"oak\nelm\n")
        writer.file("smells.bin").write(b"resin")
        writer.scratch("rain.txt").write_text("dries before the end")
        writer.finish({"counts": {"leaves": leaves}, "season": "autumn"})
    return out


def test_what_was_sealed_can_be_opened(herbarium: Path) -> None:
    names = sorted(path.name for path in herbarium.iterdir())
    assert names == ["leaves.npy", "manifest.json", "names.txt", "smells.bin"]
    opened = StoredFiles(HERBARIUM, herbarium)
    assert opened.column("leaves").tolist() == LEAVES.tolist()
    assert opened.raw("names.txt").tobytes() == b"oak\nelm\n"
    assert opened.manifest["season"] == "autumn"
    assert opened.are_verified
    assert not opened.column("leaves").flags.writeable
    assert "sha256" not in opened.manifest["files"]["smells.bin"]


@pytest.mark.parametrize("name", ["leaves.npy", "names.txt", "smells.bin"])
def test_a_truncated_file_of_any_kind_is_refused(herbarium: Path, name: str) -> None:
    os.truncate(herbarium / name, (herbarium / name).stat().st_size - 1)
    expected = f"{name}: the file has .* bytes instead of .*; collect the plants again"
    with pytest.raises(SearchIndexError, match=expected):
        StoredFiles(HERBARIUM, herbarium)


@pytest.mark.parametrize("name", ["leaves.npy", "names.txt"])
def test_an_altered_file_of_any_kind_is_refused(herbarium: Path, name: str) -> None:
    rot(herbarium / name)
    with pytest.raises(SearchIndexError, match=f"{name}: the file was altered; collect the plants"):
        StoredFiles(HERBARIUM, herbarium)


def test_only_the_smallest_files_are_hashed_at_opening(
    herbarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, open_unverified=WeakSet())  # none of other tests
    large = replace(HERBARIUM, verified_bytes=1000)
    rot(herbarium / "leaves.npy", 128)

    def refuse(*_: object) -> str:
        raise AssertionError("a large file was hashed")

    with monkeypatch.context() as patched:
        change(patched, digest=refuse)
        opened = StoredFiles(large, herbarium)
    assert opened.unverified == ["leaves.npy"]
    altered = r"leaves\.npy: the file was altered"
    with pytest.raises(SearchIndexError, match=altered), report_damage(opened):
        _ = [1, 2][5]
    rot(herbarium / "names.txt")
    with pytest.raises(SearchIndexError, match=r"names\.txt: the file was altered"):
        StoredFiles(large, herbarium)


def test_another_version_or_kind_is_refused(herbarium: Path) -> None:
    newer = replace(HERBARIUM, version=8)
    expected = "the herbarium has format version 7, this doxeval reads version 8; build it again"
    with pytest.raises(SearchIndexError, match=expected):
        StoredFiles(newer, herbarium)
    atlas = replace(HERBARIUM, format="atlas", noun="atlas")
    with pytest.raises(SearchIndexError, match="this is not the manifest of an atlas"):
        StoredFiles(atlas, herbarium)
    assert is_stored(newer, herbarium)
    assert not is_stored(atlas, herbarium)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("counts", {"leaves": -1}, "no usable counts"),
        ("counts", {"leaves": True}, "no usable counts"),
        ("files", {}, r"no usable hash of leaves\.npy"),
        ("files", {"../leaves.npy": {"bytes": 1, "sha256": ""}}, "no usable list of files"),
    ],
)
def test_an_unusable_manifest_of_any_kind_is_refused(
    herbarium: Path, part: str, value: object, message: str
) -> None:
    forge_manifest(herbarium, lambda manifest: manifest.update({part: value}))
    with pytest.raises(SearchIndexError, match=f"{message}; collect the plants again"):
        StoredFiles(HERBARIUM, herbarium)


def test_an_array_of_another_type_is_refused(herbarium: Path) -> None:
    length = len(LEAVES)
    forge(herbarium, "leaves.npy", Column(np.dtype("<f4"), length).header + LEAVES.tobytes())
    with pytest.raises(SearchIndexError, match="expected 100,000 values of type uint32"):
        StoredFiles(HERBARIUM, herbarium)


def test_no_herbarium_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match="no herbarium here; a walk makes one"):
        StoredFiles(HERBARIUM, tmp_path)
    with pytest.raises(SearchIndexError, match="no such directory; a walk makes one"):
        StoredFiles(HERBARIUM, tmp_path / "nothing")


def test_only_the_same_kind_is_replaced_and_only_by_force(herbarium: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="exists; force=True replaces a herbarium"):
        pressed(herbarium, 3)
    opened = StoredFiles(HERBARIUM, herbarium)
    pressed(herbarium, 3, force=True)
    assert len(StoredFiles(HERBARIUM, herbarium).column("leaves")) == 3
    assert len(opened.column("leaves")) == len(LEAVES)
    atlas = replace(HERBARIUM, format="atlas", noun="atlas")
    with pytest.raises(OutputError, match="exists and is not an atlas; it is not replaced"):
        StoreWriter(atlas, herbarium, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["herbarium"]


def test_an_exception_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "herbarium"
    with pytest.raises(InputError, match="rain"), StoreWriter(HERBARIUM, out) as writer:
        writer.column("leaves", "<u4").append([1])
        writer.scratch("rain.txt").touch()
        raise InputError("rain")
    assert list(tmp_path.iterdir()) == []
