"""Columns of names: looked up, numbered and cut down to rows, against dicts and lists."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.columns import (
    NO_LABEL,
    WRONG,
    ByteStrings,
    Categorical,
    Factorizer,
    HashTable,
    NameCollector,
    NameColumn,
    NameIndex,
    PaddedBytes,
    by_first_appearance,
    normalise_id,
)
from seams import change

# Short and long, some with the same first words, one longer than any key.
NAMES = st.one_of(
    st.text("ab\u00e9", min_size=1, max_size=9),
    st.sampled_from(["x" * 8, "x" * 9, "x" * 16, "x" * 63 + "y", "x" * 64, "x" * 65]),
)


def names_of(given_: list[str]) -> ByteStrings:
    encoded = [name.encode() for name in given_]
    ends = np.cumsum([len(name) + 1 for name in encoded]) - 1
    return ByteStrings(
        PaddedBytes(b" ".join(encoded)), ends - [len(name) for name in encoded], ends
    )


@given(st.lists(NAMES, min_size=1, max_size=20), st.lists(NAMES, unique=True, max_size=20))
def test_names_are_found_as_a_dict_finds_them(names: list[str], wanted: list[str]) -> None:
    expected = [wanted.index(name) if name in wanted else -1 for name in names]
    index = NameIndex(wanted)
    assert names_of(names).find(wanted).tolist() == expected
    assert names_of(names).find(index).tolist() == expected
    labels = NameColumn(names_of(names))
    assert labels.find(index).tolist() == expected
    known = Categorical.of(list(labels.distinct), labels.numbers)
    assert known.find(index).tolist() == known.find(wanted).tolist() == expected
    again = pickle.loads(pickle.dumps(index))
    assert (again.names, names_of(names).find(again).tolist()) == (tuple(wanted), expected)


def test_an_index_is_prepared_when_it_is_needed() -> None:
    index = NameIndex(["a", "b"])
    assert vars(index) == {"names": ("a", "b")}
    names_of(["b"]).find(index)
    assert "table" in vars(index)
    assert vars(pickle.loads(pickle.dumps(index))) == {"names": ("a", "b")}
    assert repr(index) == "NameIndex(2 names)"


@pytest.mark.parametrize("odd", ["a\0", "\0", "\ud800", ""])
def test_names_that_no_file_holds_are_not_found(odd: str) -> None:
    assert names_of(["a", "b"]).find([odd, "b"]).tolist() == [-1, 1]


def test_different_names_with_one_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, name_keys=lambda words: np.zeros(len(words[0]), dtype=np.uint64))
    change(monkeypatch, name_hashes=lambda keys: keys * np.uint64(0))
    found = names_of(["aaaaaaaa_x", "bbbbbbbb_x", "aaaaaaaa_x"])
    assert found.find(["bbbbbbbb_x"]).tolist() == [-1, 0, -1]
    assert found.numbering[0].tolist() == [0, 1, 0]


@given(
    st.lists(st.integers(0, (1 << 64) - 1), unique=True, min_size=1, max_size=50),
    st.lists(st.integers(0, (1 << 64) - 1), max_size=20),
)
def test_a_table_of_keys_finds_what_is_in_it(keys: list[int], others: list[int]) -> None:
    table = HashTable.of(np.array(keys, dtype=np.uint64))
    wanted = [*keys[::2], *others]
    assert table.find(np.array(wanted, dtype=np.uint64)).tolist() == [
        keys.index(key) if key in keys else -1 for key in wanted
    ]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=12), st.data())
def test_rows_of_a_column(names: list[str | None], data: st.DataObject) -> None:
    distinct = [name for name in dict.fromkeys(names) if name is not None]
    numbers = [NO_LABEL if name is None else distinct.index(name) for name in names]
    column = Categorical.of(distinct, np.array(numbers, dtype=np.int64))
    rows = data.draw(st.lists(st.integers(0, len(names) - 1))) if names else []
    some = column.rows(np.array(rows, dtype=np.int64))
    left = [names[row] for row in rows]
    assert list(some.distinct) == [name for name in dict.fromkeys(left) if name is not None]
    assert [None if n < 0 else some.distinct[n] for n in some.numbers.tolist()] == left
    assert some.find(["b"]).tolist() == [0 if name == "b" else -1 for name in left]
    keys = some.keys().tolist()
    assert all(
        (keys[one] == keys[other]) == (left[one] == left[other])
        for one in range(len(left))
        for other in range(len(left))
    )
    assert pickle.loads(pickle.dumps(some)) == some
    assert some.rows(np.arange(len(rows))) == some


@given(st.lists(st.integers(-1, 4), max_size=12))
def test_numbers_by_first_appearance(numbers: list[int]) -> None:
    names = "abcde"
    distinct, found = by_first_appearance(names, np.array(numbers, dtype=np.int64))
    left = [names[number] for number in numbers if number >= 0]
    assert list(distinct) == list(dict.fromkeys(left))
    assert [distinct[n] for n in found.tolist() if n >= 0] == left
    assert (found < 0).tolist() == [number < 0 for number in numbers]


VALUES: list[Any] = [
    "a",
    "b",
    " a ",
    "A.xml",
    "a.xml",
    "7",
    7,
    0,
    None,
    "",
    " ",
    True,
    1.0,
    [],
    ["a"],
]


@given(st.lists(st.lists(st.sampled_from(VALUES), max_size=8), max_size=4), st.booleans())
def test_values_are_numbered_as_one_by_one(blocks: list[list[Any]], clean: bool) -> None:
    def cleaned(names: list[str]) -> list[str]:
        return [name.removesuffix(".xml") for name in names]

    numbering = Factorizer(cleaned) if clean else Factorizer()
    expected: dict[str, int] = {}
    for block in blocks:
        found = numbering.numbers(block).tolist()
        for value, number in zip(block, found, strict=True):
            if value is None or value in ("", []):
                assert number == NO_LABEL
            elif type(value) not in (str, int) or not str(value).strip():
                assert number == WRONG
            else:
                name = str(value).strip()
                name = name.removesuffix(".xml") if clean else name
                assert number == expected.setdefault(name, len(expected))
    assert numbering.names == list(expected)


@given(
    st.lists(
        st.one_of(
            st.lists(st.sampled_from(["a", "b", "./a.xml", "c.xml", "b:1", "x" * 64]), max_size=8),
            st.lists(st.sampled_from([*VALUES, "\u00e9", "a\nb", "a\0", "x" * 65]), max_size=8),
        ),
        max_size=4,
    ),
    st.booleans(),
)
def test_names_that_come_in_blocks_are_numbered_as_together(
    blocks: list[list[Any]], document_ids: bool
) -> None:
    collector = NameCollector(document_ids=document_ids)
    numbering = Factorizer((lambda names: list(map(normalise_id, names))) if document_ids else None)
    expected: list[int] = []
    for block in blocks:
        numbers = numbering.numbers(block).tolist()
        state = collector.add(block).tolist()
        assert [min(number, 0) for number in state] == [min(number, 0) for number in numbers]
        expected += numbers
    column = collector.column()
    assert column.numbers.tolist() == expected
    assert column.distinct == tuple(numbering.names)


def test_names_are_compared_and_shown_as_tuples_are() -> None:
    names = names_of(["b", "a"])
    assert names == ("b", "a")
    assert names != ("a", "b")
    assert repr(names) == "('b', 'a')"
