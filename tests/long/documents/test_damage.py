"""Damage that leaves no trace in sizes and time stamps, and files that never were a collection's.

Whatever is in the files, reading ends in a CollectionError that names one, never in a traceback.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest

from damaging import forge, forge_column, forge_manifest, rot, without_statistics
from doxeval.documents import COLLECTION, Collection, build_collection
from doxeval.errors import CollectionError
from doxeval.evaluation import evaluate
from doxeval.storage import StoreType, digest
from helpers import Builder, doxeval
from seams import change, value_of

SECTION = "<sec><p>one two</p><p>three <b>four</b></p></sec>"
FILES = {f"{name}.xml": f"<a>{SECTION * (1 + number)}</a>" for number, name in enumerate("abcd")}
RUN = "1 Q0 a 1 2 r /a[1]/sec[1]/p[2]\n1 Q0 b 2 1 r /a[1]/sec[2]\n"
JUDGED = (
    '{"topic": "1", "doc": "a", "start": 0, "end": 9}\n{"topic": "1", "doc": "b", "judged": true}\n'
)
FLIPS_PER_FILE = 6


@pytest.fixture
def collection(build: Builder) -> Path:
    return build(FILES).directory


def verify_at_opening(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Opening a collection hashes at most so many bytes."""
    changed = replace(COLLECTION, verified_bytes=most)
    change(monkeypatch, collection_kind=changed)


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening hashes nothing, as if the collection were very large."""
    verify_at_opening(monkeypatch, -1)
    change(monkeypatch, open_unverified=WeakSet())  # none of other tests


# Bytes that flip, while size and time stamp stay


def test_a_flipped_byte_is_refused_or_changes_nothing(collection: Path, tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text(RUN)
    (tmp_path / "judged.jsonl").write_text(JUDGED)
    given = ("-a", tmp_path / "judged.jsonl", "--collection", collection, "--format", "json")
    measures = ("-m", "MAiP", "-m", "nxCG@2", "-m", "ESRR@2")
    commands: list[tuple[object, ...]] = [
        ("collection", "info", collection, "--format", "json"),
        ("collection", "show", collection, "a"),
        ("evaluate", tmp_path / "r.run", *given, *measures),
    ]
    good = [doxeval(*command) for command in commands]
    assert [result.exit_code for result in good] == [0, 0, 0]
    chance = random.Random(1)
    refused = 0
    for file in sorted(collection.iterdir()):
        for _ in range(FLIPS_PER_FILE):
            offset, bits = chance.randrange(file.stat().st_size), chance.choice((1, 16, 128, 255))
            rot(file, offset, bits)
            for command, before in zip(commands, good, strict=True):
                after = doxeval(*command)
                is_refused = after.exit_code == 1 and file.name in after.stderr + "manifest.json"
                assert is_refused or after.output == before.output, (file.name, offset, bits)
                refused += is_refused
            assert doxeval("collection", "verify", collection).exit_code == 1
            rot(file, offset, bits)
    assert refused > 3 * FLIPS_PER_FILE * 18  # all but some of the text
    assert doxeval("collection", "verify", collection).exit_code == 0


def test_contents_are_hashed_once_in_a_process(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, small_file_bytes=0)
    change(monkeypatch, settled_after=-1)
    hashed: list[str] = []

    def counting(file: Any, progress: Any = None) -> str:
        hashed.append(Path(file.name).name)
        return digest(file, progress)

    change(monkeypatch, digest=counting)
    Collection(collection)
    assert len(hashed) == len(set(hashed)) == 19
    Collection(collection)
    pickle.loads(pickle.dumps(Collection(collection)))
    assert len(hashed) == 19
    rot(collection / "nodes.end.npy")
    with pytest.raises(CollectionError, match="altered"):
        Collection(collection)
    assert hashed[19:] == ["nodes.end.npy"]


def test_the_hash_of_a_file_that_has_just_changed_is_not_remembered(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, small_file_bytes=0)
    change(monkeypatch, kept_digests={})
    Collection(collection)
    assert value_of("kept_digests") == {}


def test_hashing_goes_from_the_smallest_file_up(
    collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {
        path.name: path.stat().st_size
        for path in collection.iterdir()
        if path.name not in ("manifest.json", "text.bin")
    }
    largest = max(sizes, key=lambda name: (sizes[name], name))
    verify_at_opening(monkeypatch, sum(sizes.values()) - 1)
    assert Collection(collection).files.unverified == [largest]
    verify_at_opening(monkeypatch, sum(sizes.values()))
    assert Collection(collection).files.are_verified


# Large collections, of which the largest files are not hashed


@pytest.mark.usefixtures("unverified")
def test_what_a_large_collection_verifies_is_told(collection: Path) -> None:
    told = doxeval("collection", "info", collection).stdout
    assert f"doxeval collection verify {collection}" in told
    assert "nodes.end.npy" in told
    facts = json.loads(doxeval("collection", "info", collection, "--format", "json").stdout)
    assert len(facts["unverified_files"]) == 19


@pytest.mark.usefixtures("unverified")
def test_the_largest_files_are_hashed_by_verify(collection: Path) -> None:
    rot(collection / "nodes.end.npy")
    opened = Collection(collection)
    with pytest.raises(CollectionError, match=r"nodes\.end\.npy: the file was altered"):
        opened.verify()


HIGH = 3  # the highest byte of a number of 32 bits
FIRST = 128  # where the numbers begin


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("name", "offset", "read"),
    [
        ("nodes.path", FIRST + HIGH, lambda opened: opened.root("a").tag),
        ("nodes.path", FIRST + HIGH, lambda opened: opened.root("a").depth),
        ("nodes.path", FIRST + HIGH, lambda opened: opened.root("a").path),
        ("nodes.path", FIRST + HIGH, lambda opened: opened.matching("//p")),
        ("nodes.path", FIRST + HIGH, lambda opened: opened.element("a", "/a[1]/sec[1]")),
        ("nodes.end", FIRST, lambda opened: opened.root("a").text),
        ("documents.rows", FIRST + 13, lambda opened: opened.root("b").tag),
        ("documents.id_ends", FIRST, lambda opened: opened.id_of(0)),
        ("documents.text_ends", FIRST, lambda opened: opened.root("a").text),
        ("documents.sha256", FIRST, lambda opened: opened.root("a").text),
        ("documents.index_numbers", FIRST + HIGH, lambda opened: opened.find_documents(FILES)),
        ("summary.parent", FIRST, lambda opened: opened.summary),
        ("summary.tag", FIRST + HIGH, lambda opened: opened.summary),
        ("summary.elements", FIRST, lambda opened: opened.statistics),
    ],
)
def test_damage_that_leads_astray_is_told_as_such(
    collection: Path, name: str, offset: int, read: Callable[[Collection], object]
) -> None:
    if name == "documents.id_ends":
        rot(collection / "documents.ids.txt", 0, 255)  # a byte that is not UTF-8
    rot(collection / f"{name}.npy", offset, 64)
    with pytest.raises(CollectionError):
        read(Collection(collection))


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(("name", "offset"), [("nodes.path", HIGH), ("documents.rows", 13)])
def test_so_is_damage_that_is_met_in_counting(collection: Path, name: str, offset: int) -> None:
    without_statistics(collection)
    rot(collection / f"{name}.npy", FIRST + offset, 64)
    with pytest.raises(CollectionError, match=f"{name}.npy: the file was altered"):
        _ = Collection(collection).statistics


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    "climb",
    [
        lambda opened: opened.path_of(8),
        lambda opened: list(opened.node(8).ancestors()),
        lambda opened: opened.innermost([1], [1], np.array([30])),
    ],
)
def test_climbing_in_a_circle_ends(collection: Path, climb: Callable[[Collection], object]) -> None:
    rot(collection / "nodes.parent.npy", FIRST + 4 * 6, 1)  # b's first sec is its own parent
    with pytest.raises(CollectionError, match=r"nodes\.parent\.npy"):
        climb(Collection(collection))


@pytest.mark.usefixtures("unverified")
def test_scoring_with_a_damaged_collection_names_the_file(collection: Path, tmp_path: Path) -> None:
    (tmp_path / "r.run").write_text(RUN)
    (tmp_path / "judged.jsonl").write_text(JUDGED)
    rot(collection / "nodes.path.npy", FIRST + 4 + HIGH, 64)
    opened = Collection(collection)
    with pytest.raises(CollectionError, match=r"nodes\.path\.npy: the file was altered"):
        evaluate(tmp_path / "r.run", tmp_path / "judged.jsonl", ["nxCG@2"], collection=opened)


@pytest.mark.usefixtures("unverified")
def test_so_does_any_command_that_stumbles_over_it(collection: Path, tmp_path: Path) -> None:
    (tmp_path / "judged.jsonl").write_text(JUDGED)
    rot(collection / "documents.rows.npy", FIRST + 8 + HIGH, 64)
    told = doxeval("assessments", tmp_path / "judged.jsonl", "--collection", collection)
    assert told.exit_code == 1
    assert "documents.rows.npy: the file was altered" in told.stderr


@pytest.mark.usefixtures("unverified")
def test_mistakes_of_the_caller_are_not_blamed_on_the_files(collection: Path) -> None:
    with pytest.raises(IndexError):
        Collection(collection).path_of(10_000)


# Files that never were a collection's, with hashes that are right


class Opened(Exception):
    """Somebody loaded a pickle."""


class Trap:
    """An object whose pickle raises when it is loaded."""

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _caught, ()


def _caught() -> None:
    raise Opened


def saved(array: Any, tmp_path: Path) -> bytes:
    np.save(tmp_path / "array.npy", array)
    return (tmp_path / "array.npy").read_bytes()


@pytest.mark.parametrize(
    "array",
    [
        np.array([Trap()] * 44, dtype=object),
        np.zeros(44, dtype=np.float32),
        np.zeros(44, dtype=">i4"),
        np.zeros((22, 2), dtype=np.int32),
        np.asfortranarray(np.zeros((4, 11), dtype=np.int32)),
        np.zeros(7, dtype=np.int32),
    ],
)
def test_an_array_of_another_kind_is_refused(collection: Path, tmp_path: Path, array: Any) -> None:
    forge(collection, "nodes.path.npy", saved(array, tmp_path))
    with pytest.raises(CollectionError, match=r"nodes\.path\.npy: .*damaged: expected 44 values"):
        Collection(collection)


def test_the_trap_is_a_trap(tmp_path: Path) -> None:
    data = saved(np.array([Trap()], dtype=object), tmp_path)
    with pytest.raises(Opened):
        np.load(tmp_path / "array.npy", allow_pickle=True)
    assert b"|O" in data


@pytest.mark.parametrize(
    "contents",
    [b"", b"{", b"{}", b'["a", 1]', b'["a"]', b'["a", "a", "b", "p"]', b"\xff", b"[" * 9999],
)
def test_tags_of_another_kind_are_refused(collection: Path, contents: bytes) -> None:
    forge(collection, "summary.tags.json", contents)
    with pytest.raises(CollectionError, match=r"summary\.tags\.json: the file is damaged"):
        _ = Collection(collection).summary


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("counts", None),
        ("counts", []),
        ("counts", {"documents": 4}),
        ("counts", {"documents": True, "elements": 40, "paths": 4, "tags": 4, "source_bytes": 1}),
        ("counts", {"documents": 0, "elements": 0, "paths": 0, "tags": 0, "source_bytes": 0}),
        ("counts", {"documents": 1e3, "elements": 40, "paths": 4, "tags": 4, "source_bytes": 1}),
        ("counts", {"documents": -1, "elements": 40, "paths": 4, "tags": 4, "source_bytes": 1}),
        ("counts", {"documents": 1 << 70, "elements": 4, "paths": 4, "tags": 4, "source_bytes": 1}),
        ("options", None),
        ("options", {}),
        ("options", {"whitespace": "keep", "text": "plain", "inline": [1]}),
        ("options", {"whitespace": "often", "text": "plain", "inline": []}),
        ("options", {"whitespace": "keep", "text": ["plain"], "inline": []}),
        ("files", None),
        ("files", []),
        ("files", {}),
        ("files", {"nodes.path.npy": 3}),
        ("files", {"../../secret": {"bytes": 1, "sha256": "0"}}),
        ("files", {"nodes.path.npy": {"bytes": "1", "sha256": "0"}}),
        ("files", {"nodes.path.npy": {"bytes": 1, "sha256": 0}}),
    ],
)
def test_a_manifest_of_other_types_is_refused(collection: Path, part: str, value: Any) -> None:
    forge_manifest(collection, lambda manifest: manifest.update({part: value}))
    with pytest.raises(CollectionError, match=r"manifest\.json: the manifest has no usable"):
        Collection(collection)


@pytest.mark.parametrize("name", ["documents.rows", "documents.id_ends", "documents.text_ends"])
def test_borders_must_end_where_the_files_end(collection: Path, name: str) -> None:
    forge_column(collection, name, -1, 3)
    with pytest.raises(CollectionError, match=rf"{name}\.npy: the file is damaged: expected"):
        Collection(collection)


def test_only_regular_files_are_opened(collection: Path) -> None:
    (collection / "text.bin").unlink()
    os.mkfifo(collection / "text.bin")
    forge_manifest(collection, lambda manifest: manifest["files"]["text.bin"].update(bytes=0))
    with pytest.raises(CollectionError, match=r"text\.bin: this is not a regular file"):
        Collection(collection)


def test_a_compressed_text_that_grows_is_refused(build: Builder) -> None:
    from doxeval.files import zstd

    directory = build({"a.xml": "<a>one</a>"}, text="compressed").directory
    compressor = zstd().ZstdCompressor()
    bomb = compressor.compress(b"0" * 10_000_000, compressor.FLUSH_FRAME)
    forge(directory, "text.bin", bomb)
    forge_column(directory, "documents.text_ends", 0, len(bomb))
    with pytest.raises(CollectionError, match=r"text\.bin: a text is damaged: it is not one whole"):
        Collection(directory).text_of(0)


# Collections that are replaced


def test_an_open_collection_stays_what_it_was(collection: Path, tmp_path: Path) -> None:
    opened = Collection(collection)
    other = tmp_path / "other"
    other.mkdir()
    (other / "z.xml").write_text("<z>another</z>")
    build_collection([str(other)], collection, force=True)
    assert list(opened.ids()) == ["a", "b", "c", "d"]
    assert opened.root("a").text == "one twothree four"
    assert opened.element("b", "/a[1]/sec[2]/p[2]").tag == "p"
    assert list(Collection(collection).ids()) == ["z"]
    with pytest.raises(CollectionError, match="was replaced"):
        opened.verify()


def test_a_collection_replaced_while_it_is_opened_is_opened_again(
    collection: Path, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = build({"z.xml": "<z>another</z>"}).directory
    seen = 0
    read = value_of("read_manifest")

    def replaced_after_reading(kind: StoreType, directory: Path) -> dict[str, Any]:
        nonlocal seen
        seen += 1
        manifest: dict[str, Any] = read(kind, directory)
        if seen == 1:
            shutil.rmtree(collection)
            other.rename(collection)
        return manifest

    change(monkeypatch, read_manifest=replaced_after_reading)
    assert list(Collection(collection).ids()) == ["z"]
    assert seen == 3
