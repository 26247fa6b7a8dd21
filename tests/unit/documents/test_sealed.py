"""A collection that was truncated, altered or made by another version is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from damaging import rot
from doxeval.documents import Collection
from doxeval.errors import CollectionError
from helpers import Builder, doxeval

FILES = {"a.xml": "<a>one<b>two</b></a>", "b.xml": "<a>three</a>"}
NAMES = [
    "documents.id_ends.npy",
    "documents.ids.txt",
    "documents.index_checks.npy",
    "documents.index_keys.npy",
    "documents.index_numbers.npy",
    "documents.origins.txt",
    "documents.rows.npy",
    "documents.sha256.npy",
    "documents.text_ends.npy",
    "nodes.end.npy",
    "nodes.ordinal.npy",
    "nodes.parent.npy",
    "nodes.path.npy",
    "nodes.size.npy",
    "nodes.start.npy",
    "summary.elements.npy",
    "summary.parent.npy",
    "summary.tag.npy",
    "summary.tags.json",
]


@pytest.fixture(params=["plain", "compressed"])
def collection(build: Builder, request: pytest.FixtureRequest) -> Path:
    return build(FILES, text=request.param).directory


def test_these_are_all_the_files(collection: Path) -> None:
    names = sorted(path.name for path in collection.iterdir())
    assert names == sorted([*NAMES, "manifest.json", "text.bin"])


def not_refused(
    collection: Path, names: list[str], damage: Callable[[Path], object], expected: str
) -> dict[str, str]:
    """Damage one file after another; return those that are not refused as expected, and how."""
    wrong = {}
    for name in names:
        path = collection / name
        before = path.read_bytes()
        damage(path)
        try:
            Collection(collection)
            message = "opened"
        except CollectionError as error:
            message = str(error)
        if not re.search(f"{re.escape(name)}: {expected}", message):
            wrong[name] = message
        path.write_bytes(before)
    Collection(collection)
    return wrong


def test_a_truncated_file_is_refused(collection: Path) -> None:
    def truncate(path: Path) -> None:
        os.truncate(path, path.stat().st_size - 1)

    expected = "the file has .* bytes instead of"
    assert not_refused(collection, [*NAMES, "text.bin"], truncate, expected) == {}


def test_an_altered_file_is_refused(collection: Path) -> None:
    def alter(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)

    assert not_refused(collection, NAMES, alter, "the file was altered") == {}


def test_a_file_altered_without_a_trace_is_refused(collection: Path) -> None:
    def alter(path: Path) -> None:
        before = path.stat()
        rot(path)
        after = path.stat()
        assert (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)

    assert not_refused(collection, NAMES, alter, "the file was altered") == {}


def test_so_is_one_that_this_process_has_verified_before(collection: Path) -> None:
    Collection(collection)
    rot(collection / "nodes.start.npy")
    with pytest.raises(CollectionError, match=r"nodes\.start\.npy: the file was altered"):
        Collection(collection)


def test_an_altered_text_is_refused_when_it_is_read(collection: Path) -> None:
    data = bytearray((collection / "text.bin").read_bytes())
    data[-1] ^= 1
    (collection / "text.bin").write_bytes(data)
    opened = Collection(collection)
    assert opened.root("a").text == "onetwo"
    with pytest.raises(CollectionError, match=r"text\.bin: a text is (not the one|damaged)"):
        _ = opened.root("b").text


def test_a_missing_file_is_refused(collection: Path) -> None:
    assert not_refused(collection, [*NAMES, "text.bin"], Path.unlink, "No such file") == {}


def test_a_copy_is_as_good_as_the_original(collection: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(collection, copy, copy_function=shutil.copyfile)
    assert Collection(copy).root("b").text == "three"
    (copy / "nodes.path.npy").chmod(0o444)
    assert Collection(copy).root("b").text == "three"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "format version 99, this doxeval reads version 1"),
        ({"format": "something"}, "not the manifest of a collection"),
        ({"counts": {}}, "the manifest was altered"),
        ({"files": {}}, "the manifest was altered"),
    ],
)
def test_an_altered_manifest_is_refused(
    collection: Path, change: dict[str, object], message: str
) -> None:
    path = collection / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CollectionError, match=message):
        Collection(collection)


@pytest.mark.parametrize("contents", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_damaged_manifest_is_refused(collection: Path, contents: bytes) -> None:
    (collection / "manifest.json").write_bytes(contents)
    with pytest.raises(CollectionError, match="the manifest is damaged"):
        Collection(collection)


def test_the_manifest_says_how_it_was_built(collection: Path) -> None:
    manifest = json.loads((collection / "manifest.json").read_text())
    assert manifest["counts"] == {
        "documents": 2,
        "elements": 3,
        "paths": 2,
        "tags": 2,
        "source_bytes": 32,
    }
    assert manifest["options"]["id"] == "stem"
    assert manifest["version"] == 1


def test_no_collection_is_told_with_advice(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nothing"):
        result = doxeval("collection", "info", place)
        assert result.exit_code == 1
        assert "`doxeval collection build`, makes one" in result.stderr
