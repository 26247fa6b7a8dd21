"""Text in parts: the same texts, wherever one file ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from building import in_small_batches
from doxeval.documents import Collection, build_collection, is_text_file, text_parts
from doxeval.errors import CollectionError
from helpers import write_files


def built(
    directory: Path, texts: Sequence[str], patch: pytest.MonkeyPatch, documents: int
) -> Collection:
    """A collection of plain texts, with so many documents in each part of the text."""
    files = {f"{number:03}.txt": text for number, text in enumerate(texts)}
    in_small_batches(patch, batch_documents=documents, shard_batches=1, shards_until_larger=1000)
    build_collection(write_files(directory / "s", files), directory / "c")
    return Collection(directory / "c")


def names(collection: Collection) -> list[str]:
    return [path.name for path in collection.directory.iterdir() if is_text_file(path.name)]


def test_texts_of_all_parts_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ["one", "two", "", "", "three", "", "four"]
    collection = built(tmp_path, expected, monkeypatch, 2)
    assert sorted(names(collection)) == ["text.0001.bin", "text.0002.bin", "text.bin"]
    assert [collection.text_of(number) for number in range(7)] == expected
    assert collection.verify().problems == ()
    assert (collection.directory / "text.0001.bin").read_bytes() == b"three"


def test_first_part_may_be_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = built(tmp_path, ["", "one"], monkeypatch, 1)
    assert names(collection) == ["text.bin"]
    assert collection.text_of(1) == "one"


def test_damage_names_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = built(tmp_path, ["one", "two"], monkeypatch, 1)
    path = collection.directory / "text.0001.bin"
    path.write_bytes(b"owt")
    with pytest.raises(CollectionError, match=r"text\.0001\.bin.*not the one that was stored"):
        Collection(collection.directory).text_of(1)
    path.unlink()
    with pytest.raises(CollectionError, match="No such file"):
        Collection(collection.directory)


def test_names_of_parts_are_in_order() -> None:
    numbers = ("0001", "0009", "0010", "9999", "10000", "10001", "123456")
    expected = ["text.bin", *(f"text.{number}.bin" for number in numbers)]
    others = ["text.0000.bin", "text.1.bin", "text.00001.bin", "text.0001.bin.gz", "a.bin"]
    assert text_parts(sorted([*expected, *others])) == expected
