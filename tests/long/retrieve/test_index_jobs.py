"""An index that several processes built."""

from __future__ import annotations

import pytest

from doxeval.retrieve import build_index
from indexed_trees import files_of, indexed, random_trees
from seams import change


@pytest.mark.parametrize("jobs", [2, 3])
def test_any_number_of_jobs_gives_the_same_bytes(
    jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, index_batch_documents=2)
    one = indexed(random_trees())
    out = one.directory.with_name("several")
    build_index(one.collection, out, jobs=jobs)
    assert files_of(out) == files_of(one.directory)
    assert (out / "manifest.json").read_bytes() == (one.directory / "manifest.json").read_bytes()
