"""An index that is not what it should be is refused, and nothing is left half-written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from damaging import forge_manifest, rot
from doxeval.documents import Collection
from doxeval.errors import DoxevalError, InputError, MissingText, OutputError, SearchIndexError
from doxeval.retrieve import Index, build_index
from helpers import Builder

TEXTS = {"a.xml": "<s><p>Fog horns.</p><p>Fog.</p></s>", "b.xml": "<s>The sea lion.</s>"}


@pytest.fixture
def collection(build: Builder) -> Collection:
    return build(TEXTS)


@pytest.fixture
def directory(collection: Collection) -> Path:
    return build_index(collection).directory


def test_every_flipped_byte_is_noticed(collection: Collection, directory: Path) -> None:
    for file in sorted(directory.iterdir()):
        whole = file.read_bytes()
        for offset in range(0, len(whole), 7):
            rot(file, offset)
            with pytest.raises(SearchIndexError):
                Index(directory, collection)
            rot(file, offset)
    Index(directory, collection)


@pytest.mark.parametrize("damage", ["cut", "longer", "gone", "swapped"])
def test_damaged_files_are_refused(collection: Collection, directory: Path, damage: str) -> None:
    for file in sorted(directory.iterdir()):
        whole = file.read_bytes()
        other = (directory / "words.gaps.npy").read_bytes()
        contents = {"cut": whole[:-3], "longer": whole + b"x", "swapped": other}.get(damage)
        if contents == whole:
            continue
        file.unlink()
        if contents is not None:
            file.write_bytes(contents)
        with pytest.raises(SearchIndexError, match="index"):
            Index(directory, collection)
        file.write_bytes(whole)
    Index(directory, collection)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("version", 99, "version 99"),
        ("unicode", "3.2.0", "Unicode version '3.2.0'"),
        ("stemmer_fingerprint", "0" * 16, "other rules"),
        ("stemmer", "klingon", "klingon"),
        ("stemmer", 7, "stemmer"),
        ("collection", "0" * 64, "another collection"),
        ("counts", {}, "counts"),
        ("format", "doxeval collection", "not the manifest of an index"),
    ],
)
def test_other_rules_and_other_collections_are_refused(
    collection: Collection, directory: Path, name: str, value: object, message: str
) -> None:
    forge_manifest(directory, lambda manifest: manifest.update({name: value}))
    with pytest.raises(InputError, match=message):
        Index(directory, collection)


def test_the_index_of_a_collection_that_was_built_again_is_refused(
    build: Builder, collection: Collection, directory: Path
) -> None:
    other = build({"a.xml": "<s>Other words.</s>"})
    with pytest.raises(SearchIndexError, match="another collection"):
        Index(directory, other)


def test_an_index_finds_its_collection_beside_it(directory: Path, tmp_path: Path) -> None:
    assert Index(directory).positions("fog").tolist() == [0, 2]
    moved = tmp_path / "elsewhere"
    shutil.copytree(directory, moved)
    with pytest.raises(SearchIndexError, match="needs collection="):
        Index(moved)
    with pytest.raises(SearchIndexError, match="build_index"):
        Index(tmp_path / "nowhere")


def test_a_collection_without_text_cannot_be_indexed(build: Builder) -> None:
    collection = build(TEXTS, text="none")
    with pytest.raises(MissingText, match="nothing to index"):
        build_index(collection)
    assert not collection.directory.with_name(f"{collection.directory.name}.index").exists()


def test_an_index_is_replaced_only_on_request(collection: Collection, directory: Path) -> None:
    with pytest.raises(OutputError, match="force=True replaces an index"):
        build_index(collection)
    assert build_index(collection, force=True, stemmer="none").words == 6
    with pytest.raises(OutputError, match="is not an index"):
        build_index(collection, collection.directory, force=True)


@pytest.mark.parametrize("moment", ["reading", "merging"])
def test_interrupted_builds_leave_nothing(collection: Collection, moment: str) -> None:
    before = sorted(collection.directory.parent.iterdir())

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(collection, progress=interrupt)
    assert sorted(collection.directory.parent.iterdir()) == before


def test_unknown_stemmers_are_refused_before_anything_is_written(collection: Collection) -> None:
    with pytest.raises(InputError, match="expected one of s, none, "):
        build_index(collection, stemmer="klingon")
    assert not collection.directory.with_name(f"{collection.directory.name}.index").exists()


# A forged index: the manifest vouches for files that contradict each other.


def put(directory: Path, name: str, at: int, value: int) -> None:
    path = directory / name
    data = bytearray(path.read_bytes())
    data[at] = value
    from damaging import forge

    forge(directory, name, bytes(data))


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("terms.number.npy", lambda index: index.positions("fog")),
        ("terms.starts.npy", lambda index: index.positions("fog")),
        ("terms.ends.npy", lambda index: index.positions("fog")),
        ("words.gaps.npy", lambda index: index.starts(0)),
        ("documents.first.npy", lambda index: index.frequencies(["fog"])),
    ],
)
def test_forged_numbers_never_end_in_a_crash(
    collection: Collection, directory: Path, name: str, asked: Callable[[Index], object]
) -> None:
    size = (directory / name).stat().st_size
    for at in range(128, size):
        copy = directory.with_name(f"forged-{at}")
        shutil.copytree(directory, copy)
        put(copy, name, at, 255)
        try:
            asked(Index(copy, collection))
        except (DoxevalError, IndexError, ValueError):
            continue


def test_the_manifest_tells_everything(collection: Collection, directory: Path) -> None:
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["counts"] == {
        "documents": 2, "elements": 4, "words": 6, "terms": 5, "far": 0,
    }  # fmt: skip
    assert manifest["collection"] == collection.checksum
    assert manifest["stemmer"] == "s"
