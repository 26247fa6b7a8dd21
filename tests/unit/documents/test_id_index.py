"""The index of ids: numbers of any size, and duplicates."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.documents import (
    Collection,
    DuplicateId,
    IdIndex,
    IdIndexBuilder,
    build_collection,
    columns_of,
    indexed,
    merged_indexes,
    plan,
)
from doxeval.errors import DocumentError
from levels import examples
from seams import change, value_of


@pytest.mark.parametrize(("limit", "dtype"), [(4, "<i4"), (3, "<i8")])
def test_numbers_take_64_bits_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, dtype: str
) -> None:
    change(monkeypatch, ids_in_32_bits=limit)
    (tmp_path / "d.jsonl").write_text(
        "\n".join(f'{{"id": "{name}", "text": "text {name}"}}' for name in "abcd")
    )
    build_collection(tmp_path / "d.jsonl", tmp_path / "c")
    opened = Collection(tmp_path / "c")
    _, _, index = opened.id_columns
    assert index.numbers.dtype == np.dtype(dtype)
    assert opened.find_documents(["d", "x", "a", "b", "c"]).tolist() == [3, -1, 0, 1, 2]
    assert opened.verify().problems == ()


def test_the_number_of_documents_tells_the_type() -> None:
    few, many = (
        columns_of({"documents": count, "elements": count, "paths": 1})
        for count in (1 << 31, (1 << 31) + 1)
    )
    assert few["documents.index_numbers.npy"].dtype == np.dtype("<i4")
    assert many["documents.index_numbers.npy"].dtype == np.dtype("<i8")


IDS = st.lists(st.text("ab", max_size=3), max_size=12)


@given(st.lists(IDS, max_size=8), st.integers(1, 9), st.integers(1, 5), st.sampled_from([0, 1, 64]))
@examples(100)
def test_runs_on_disk_and_ranges_of_keys_change_nothing(
    batches: list[list[str]], run: int, block: int, bits: int
) -> None:
    """Whatever the sizes, each id has the number of its place; keys may be the same."""
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        change(patch, id_run_length=run)
        change(patch, id_merge_block=block)
        change(patch, id_hash=with_few_keys(bits))
        builder = IdIndexBuilder(lambda name: Path(scratch) / name)
        every = list(chain.from_iterable(batches))
        duplicate = None
        try:
            for batch in batches:
                builder.add(batch)
            blocks = list(builder.blocks())
        except DuplicateId as error:
            duplicate = error.number, error.earlier
        assert duplicate == first_pair(every)
        if duplicate is None and every:
            index = IdIndex(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
            assert index.find(every).tolist() == list(range(len(every)))
            assert index.find(["c", "aaaa"]).tolist() == [-1, -1]
            entries = list(zip(index.keys.tolist(), index.checks.tolist(), strict=True))
            assert entries == sorted(entries)


def first_pair(ids: list[str]) -> tuple[int, int] | None:
    """The first document whose id an earlier one has, and that one."""
    for number, one in enumerate(ids):
        if one in ids[:number]:
            return number, ids.index(one)
    return None


def with_few_keys(bits: int) -> Callable[[Sequence[str]], tuple[Any, Any]]:
    """Hashes whose keys have only so many bits that differ."""

    def hashed(ids: Sequence[str]) -> tuple[Any, Any]:
        keys, checks = unpatched(ids)
        return (keys if bits == 64 else keys >> np.uint64(63) if bits else keys * 0), checks

    return hashed


unpatched = value_of("id_hash")


@given(st.lists(IDS, max_size=4), st.integers(1, 3))
@examples(50)
def test_indexes_of_parts_are_merged(parts: list[list[str]], block: int) -> None:
    parts = [list(dict.fromkeys(part)) for part in parts]
    firsts = np.cumsum([0, *map(len, parts)]).tolist()[:-1]
    every = list(chain.from_iterable(parts))
    pair = first_pair(every)
    with pytest.MonkeyPatch.context() as patch:
        change(patch, id_merge_block=block)
        merging = merged_indexes([indexed(part) for part in parts], firsts)
        if pair is not None:
            with pytest.raises(DuplicateId) as told:
                list(merging)
            assert (told.value.number, told.value.earlier) == pair
            return
        blocks = list(merging)
    whole = indexed(every)
    assert np.concatenate([one.keys for one in blocks] or [whole.keys]).tolist() == (
        whole.keys.tolist()
    )
    found = {
        number: key
        for one in blocks
        for number, key in zip(one.numbers.tolist(), one.keys.tolist(), strict=True)
    }
    assert found == dict(zip(whole.numbers.tolist(), whole.keys.tolist(), strict=True))


@pytest.mark.parametrize("run", [1, 2, 100])
def test_a_duplicate_is_told_with_both_origins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: int
) -> None:
    change(monkeypatch, id_run_length=run)
    change(monkeypatch, build_sizes=plan.Sizes(batch_documents=1))
    for name in ("1/x", "2/a", "3/b", "4/c", "5/b", "6/a"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.xml").write_text("<p>text</p>")
    with pytest.raises(DocumentError) as told:
        build_collection(tmp_path, tmp_path.with_name("out"))
    assert f"duplicate document id 'b', first given to {tmp_path / '3/b.xml'}" in str(told.value)
    assert told.value.origin == str(tmp_path / "5/b.xml")
    assert not tmp_path.with_name("out").exists()


def test_scratch_files_do_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, id_run_length=1)
    (tmp_path / "a.xml").write_text("<p>text</p>")
    build_collection(tmp_path / "a.xml", tmp_path / "out")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name == "scratch"]
    assert Collection(tmp_path / "out").find_documents(["a"]).tolist() == [0]
