"""Ids of documents: found however many there are, in builds and merges; duplicates are named."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import in_small_batches
from doxeval.documents import Collection, build_collection, merge_collections
from doxeval.errors import DocumentError
from levels import examples
from seams import change, value_of


def json_lines(path: Path, ids: Sequence[str]) -> Path:
    path.write_text("".join(json.dumps({"id": name, "text": name}) + "\n" for name in ids))
    return path


@pytest.mark.parametrize(("limit", "dtype"), [(4, "<i4"), (3, "<i8")])
def test_numbers_take_64_bits_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, dtype: str
) -> None:
    assert value_of("ids_in_32_bits") == 1 << 31
    change(monkeypatch, ids_in_32_bits=limit)
    build_collection(json_lines(tmp_path / "d.jsonl", "abcd"), tmp_path / "c")
    opened = Collection(tmp_path / "c")
    _, _, index = opened.id_columns
    assert index.numbers.dtype == np.dtype(dtype)
    assert opened.find_documents(["d", "x", "a", "b", "c"]).tolist() == [3, -1, 0, 1, 2]
    assert opened.verify().problems == ()


ID = st.text("ab", min_size=1, max_size=4)
DISTINCT = st.lists(ID, unique=True, min_size=1, max_size=25)


@given(
    DISTINCT | st.lists(ID, min_size=1, max_size=12),
    st.integers(1, 8),
    st.integers(1, 9),
    st.integers(1, 5),
    st.sampled_from([0, 1, 64]),
)
@examples(60)
def test_runs_on_disk_and_ranges_of_keys_change_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    ids: list[str],
    batch: int,
    run: int,
    block: int,
    bits: int,
) -> None:
    """Whatever the sizes, each id has the number of its place; keys may be the same."""
    directory = tmp_path_factory.mktemp("ids")
    source = json_lines(directory / "d.jsonl", ids)
    pair = first_pair(ids)
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, batch_documents=batch)
        change(patch, id_run_length=run, id_merge_block=block, id_hash=with_few_keys(bits))
        if pair is not None:
            with pytest.raises(DocumentError) as caught:
                build_collection(source, directory / "c")
            number, earlier = pair
            assert caught.value.origin == f"{source}:{number + 1}"
            duplicate = f"duplicate document id '{ids[number]}', first given to"
            assert f"{duplicate} {source}:{earlier + 1}" in str(caught.value)
            return
        build_collection(source, directory / "c")
        opened = Collection(directory / "c")
        assert opened.find_documents(ids).tolist() == list(range(len(ids)))
        assert opened.find_documents(["c", "aaaaa"]).tolist() == [-1, -1]
        assert opened.verify().problems == ()  # keys are sorted, too


def first_pair(ids: list[str]) -> tuple[int, int] | None:
    """The first document whose id an earlier one has, and that one."""
    for number, name in enumerate(ids):
        if name in ids[:number]:
            return number, ids.index(name)
    return None


def with_few_keys(bits: int) -> Callable[[Sequence[str]], tuple[Any, Any]]:
    """Hashes whose keys have only so many bits that differ."""

    def hashed(ids: Sequence[str]) -> tuple[Any, Any]:
        keys, checks = unpatched(ids)
        return (keys if bits == 64 else keys >> np.uint64(63) if bits else keys * 0), checks

    return hashed


unpatched = value_of("id_hash")


@given(st.lists(DISTINCT, min_size=2, max_size=3), st.booleans(), st.integers(1, 3))
@examples(30)
def test_ids_of_parts_are_merged(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]], apart: bool, block: int
) -> None:
    directory = tmp_path_factory.mktemp("parts")
    if apart:
        parts = [[f"{number}{name}" for name in part] for number, part in enumerate(parts)]
    origins = []
    collections = [directory / f"c{number}" for number in range(len(parts))]
    for number, (part, collection) in enumerate(zip(parts, collections, strict=True)):
        source = json_lines(directory / f"{number}.jsonl", part)
        build_collection(source, collection)
        origins += [f"{collection} ({source}:{line})" for line in range(1, len(part) + 1)]
    ids = list(chain.from_iterable(parts))
    pair = first_pair(ids)
    with pytest.MonkeyPatch.context() as patch:
        change(patch, id_merge_block=block)
        if pair is not None:
            with pytest.raises(DocumentError) as caught:
                merge_collections(collections, directory / "merged")
            later, earlier = (origins[document] for document in pair)
            duplicate = f"duplicate document id '{ids[pair[0]]}'"
            assert str(caught.value) == f"{later}: {duplicate}, first given to {earlier}"
            return
        merge_collections(collections, directory / "merged")
    merged = Collection(directory / "merged")
    assert list(merged.ids()) == ids
    assert merged.find_documents(ids).tolist() == list(range(len(ids)))
    assert merged.verify().problems == ()


@pytest.mark.parametrize("run", [1, 2, 100])
def test_a_duplicate_is_named_with_both_origins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    change(monkeypatch, id_run_length=run)
    in_small_batches(monkeypatch, batch_documents=1)
    for name in ("1/x", "2/a", "3/b", "4/c", "5/b", "6/a"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.xml").write_text("<p>text</p>")
    with pytest.raises(DocumentError) as caught:
        build_collection(tmp_path, tmp_path.with_name("out"))
    assert f"duplicate document id 'b', first given to {tmp_path / '3/b.xml'}" in str(caught.value)
    assert caught.value.origin == str(tmp_path / "5/b.xml")
    assert not tmp_path.with_name("out").exists()


def test_scratch_files_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, id_run_length=1)
    (tmp_path / "a.xml").write_text("<p>text</p>")
    build_collection(tmp_path / "a.xml", tmp_path / "out")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name == "scratch"]
    assert Collection(tmp_path / "out").find_documents(["a"]).tolist() == [0]
