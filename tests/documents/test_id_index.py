"""The index of ids: numbers of any size, and duplicates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from doxeval.documents import Collection, build_collection, id_index
from doxeval.documents.layout import columns_of


@pytest.mark.parametrize(("limit", "dtype"), [(4, "<i4"), (3, "<i8")])
def test_numbers_take_64_bits_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, dtype: str
) -> None:
    monkeypatch.setattr(id_index, "MOST_IN_32_BITS", limit)
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
