"""Text in parts: the same texts, wherever one file ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    BuildOptions,
    Collection,
    CollectionWriter,
    MappedText,
    RawDocument,
    is_text,
    read_batch,
    text_part,
    text_parts,
)
from doxeval.errors import CollectionError


def built(out: Path, parts: Sequence[Sequence[str]]) -> Collection:
    """A collection of plain texts, a part of the text for each of `parts`."""
    options = BuildOptions()
    with CollectionWriter(out) as writer:
        for number, texts in enumerate(parts):
            raw = [
                RawDocument(f"{number}-{at}.txt", f"{number}-{at}", "text", text.encode(), 0)
                for at, text in enumerate(texts)
            ]
            if raw:
                writer.append(read_batch(raw, options))
            writer.end_part()
        writer.finish({"options": options.recorded()})
    return Collection(out)


def names(collection: Collection) -> list[str]:
    return [path.name for path in collection.directory.iterdir() if is_text(path.name)]


@given(st.lists(st.binary(max_size=5), min_size=1, max_size=5), st.data())
def test_parts_read_as_one(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    text = MappedText([np.frombuffer(part, np.uint8) for part in parts], list("abcde"))
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, len(whole)))
    assert text.read(begin, end) == whole[begin:end]
    assert text.read(end, begin) == b""
    if begin < len(whole):
        holding = "".join(name * len(part) for name, part in zip("abcde", parts, strict=False))
        assert text.where(begin) == holding[begin]


def test_texts_of_all_parts_are_found(tmp_path: Path) -> None:
    collection = built(tmp_path / "c", [["one", "two"], [""], [], ["three", ""], ["four"]])
    assert sorted(names(collection)) == ["text.0001.bin", "text.0002.bin", "text.bin"]
    texts = [collection.text_of(number) for number in range(len(collection))]
    assert texts == ["one", "two", "", "three", "", "four"]
    assert collection.verify().problems == ()
    assert (collection.directory / "text.0001.bin").read_bytes() == b"three"


def test_first_part_may_be_empty(tmp_path: Path) -> None:
    collection = built(tmp_path / "c", [[""], ["one"]])
    assert names(collection) == ["text.bin"]
    assert collection.text_of(1) == "one"


def test_damage_names_the_part(tmp_path: Path) -> None:
    collection = built(tmp_path / "c", [["one"], ["two"]])
    path = collection.directory / "text.0001.bin"
    path.write_bytes(b"owt")
    with pytest.raises(CollectionError, match=r"text\.0001\.bin.*not the one that was stored"):
        Collection(collection.directory).text_of(1)
    path.unlink()
    with pytest.raises(CollectionError, match="No such file"):
        Collection(collection.directory)


def test_names_of_parts_are_in_order() -> None:
    numbers = [0, 1, 9, 10, 9999, 10_000, 10_001, 123_456]
    expected = [text_part(number) for number in numbers]
    assert text_parts(sorted(expected)) == expected
    for name in ("text.0000.bin", "text.1.bin", "text.00001.bin", "text.0001.bin.gz", "a.bin"):
        assert not is_text(name)
