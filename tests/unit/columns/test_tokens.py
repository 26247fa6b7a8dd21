"""Columns of numbers and names read from bytes, against Python's own readers one by one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.columns import ByteStrings, PaddedBytes, TokenTable
from doxeval.documents import normalise_id
from levels import examples

_DIGITS = st.text("0123456789", min_size=1, max_size=22)
_ODD = st.text("0123456789-+.:/ex\u00e9_", min_size=1, max_size=12)


def columns_of(fields: list[str]) -> TokenTable:
    return TokenTable(PaddedBytes("".join(f"{field} x\n" for field in fields).encode()))


@examples(300)
@given(st.lists(st.one_of(_DIGITS, _ODD), min_size=1, max_size=30))
def test_integers(fields: list[str]) -> None:
    expected = [
        int(field) if field.isascii() and field.isdigit() and len(field) <= 18 else -1
        for field in fields
    ]
    assert columns_of(fields).columns(2).integers(0).tolist() == expected


@examples(300)
@given(
    st.lists(
        st.one_of(_DIGITS, _ODD, st.floats(allow_nan=False, allow_infinity=False).map(repr)),
        min_size=1,
        max_size=20,
    )
)
def test_floats(fields: list[str]) -> None:
    found = columns_of(fields).columns(2).floats(0).tolist()
    for field, value in zip(fields, found, strict=True):
        try:
            expected = math.nan if "_" in field else float(field.encode())
        except ValueError:
            expected = math.nan
        assert value == expected or (math.isnan(value) and math.isnan(expected))


@given(st.lists(st.text("./xmlab\u00e9", min_size=1, max_size=70), min_size=1, max_size=20))
def test_names_and_document_ids(fields: list[str]) -> None:
    encoded = [field.encode() for field in fields]
    ends = np.cumsum([len(field) + 1 for field in encoded]) - 1
    begins = ends - [len(field) for field in encoded]
    names = ByteStrings(PaddedBytes(b" ".join(encoded)), begins, ends)
    assert list(names) == fields
    assert list(names.distinct) == list(dict.fromkeys(fields))
    numbers = names.numbering[0].tolist()
    assert [names.distinct[number] for number in numbers] == fields
    ids = names.as_document_ids()
    assert list(ids) == [normalise_id(field) for field in fields]
    assert list(ids.distinct) == list(dict.fromkeys(ids))
    wanted = sorted({*fields[::2], "x", "a" * 9})
    assert names.find(wanted).tolist() == [
        wanted.index(field) if field in wanted else -1 for field in fields
    ]
