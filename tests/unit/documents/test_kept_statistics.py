"""Statistics are kept with the collection; those of older collections are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from building import in_small_batches
from damaging import forge, forge_column, forge_manifest, without_statistics
from doxeval.documents import (
    Collection,
    example_collection,
    verify_collection,
)
from doxeval.errors import CollectionError
from helpers import Builder, doxeval
from levels import examples
from seams import change
from strategies import Node, collections_of

FILES = {"a.xml": "<a>one<b>two</b></a>", "b.xml": "<a>three</a>"}


@examples(30)
@given(collections_of())
def test_kept_statistics_are_those_that_are_counted(documents: list[Node]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, batch_documents=2)
        change(patch, statistics_rows=3)
        kept = example_collection({str(n): node.source for n, node in enumerate(documents)})
        assert kept.verify().problems == ()
        without_statistics(kept.directory)
        counted = Collection(kept.directory)
        assert counted.verify().problems == ()
        assert kept.statistics == counted.statistics
        assert np.array_equal(kept.elements_by_path, counted.elements_by_path)
        lengths = [len(kept.text_of(number)) for number in range(len(kept))]
        assert kept.statistics.characters == sum(lengths)
        assert kept.statistics.longest_document == max(lengths)
        total = (kept.nodes.end - kept.nodes.start).sum(dtype=np.int64)
        assert kept.text_totals.element_characters == total


def test_kept_statistics_need_no_pass_over_the_elements(
    build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = build(FILES).directory
    change(monkeypatch, statistics_chunks=None)
    assert Collection(directory).statistics.elements == 3
    without_statistics(directory)
    with pytest.raises(TypeError):
        _ = Collection(directory).statistics


def test_statistics_of_other_elements_are_found(build: Builder) -> None:
    def longer(manifest: dict[str, Any]) -> None:
        manifest["statistics"]["characters"] += 1

    directory = build(FILES).directory
    forge_manifest(directory, longer)
    (problem,) = verify_collection(directory).problems
    assert "manifest.json: the file is damaged: the statistics are not those" in str(problem)


@pytest.mark.parametrize("value", [-1, "3", None, True, 1 << 62])
def test_unusable_statistics_are_refused(build: Builder, value: object) -> None:
    def unusable(manifest: dict[str, Any]) -> None:
        manifest["statistics"]["longest_document"] = value

    directory = build(FILES).directory
    forge_manifest(directory, unusable)
    with pytest.raises(CollectionError, match="the manifest has no usable statistics"):
        Collection(directory)


def test_counts_with_another_sum_are_refused(build: Builder) -> None:
    directory = build(FILES).directory
    forge_column(directory, "summary.elements", 0, 3)
    result = doxeval("collection", "info", directory)
    assert result.exit_code == 1
    assert "summary.elements.npy: the file is damaged: it does not count all" in result.stderr


@pytest.mark.parametrize("pattern", ["//a", "//b"])
def test_counts_of_other_paths_are_found_by_matching(build: Builder, pattern: str) -> None:
    directory = build(FILES).directory
    forge_column(directory, "summary.elements", 0, 1)
    forge_column(directory, "summary.elements", 1, 2)
    with pytest.raises(CollectionError, match="a path has another number of elements"):
        Collection(directory).matching(pattern)


def test_counts_of_another_length_are_refused(build: Builder) -> None:
    directory = build(FILES).directory
    counts = (directory / "summary.elements.npy").read_bytes()
    forge(directory, "summary.elements.npy", counts + bytes(8))
    with pytest.raises(CollectionError, match="expected 2 values of type int64"):
        Collection(directory)
