"""Merged collections: the same documents as in one build, and nothing lost of the others."""

from __future__ import annotations

import errno
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import contents, in_small_batches
from damaging import without_statistics
from doxeval.documents import (
    BuildOptions,
    Collection,
    IdRule,
    build_collection,
    merge_collections,
    text_parts,
)
from doxeval.errors import CollectionError, DocumentError, InputError, OutputError
from helpers import Builder, doxeval
from levels import examples
from seams import change
from strategies import Node, collections_of

ORIGINS = "documents.origins.txt"
TEXTS: list[Literal["plain", "compressed", "none"]] = ["plain", "compressed", "none"]


def without_sources(directory: Path) -> dict[str, Any]:
    """The manifest, but for what it says about sources and the numbers of paths."""
    manifest: dict[str, Any] = json.loads((directory / "manifest.json").read_text())
    for name in ("checksum", "merged", "sources"):
        manifest.pop(name, None)
    for name in ("nodes.path.npy", "summary.parent.npy", "summary.tag.npy", "summary.tags.json"):
        manifest["files"].pop(name)
    manifest["files"].pop("summary.elements.npy")
    return manifest


@examples(30)
@given(collections_of(), st.data())
def test_merging_is_building_at_once(
    tmp_path_factory: pytest.TempPathFactory, documents: list[Node], data: st.DataObject
) -> None:
    """The order in which paths are numbered may differ; everything else is the same bytes."""
    base = tmp_path_factory.mktemp("merge")
    (base / "s").mkdir()
    for number, document in enumerate(documents):
        (base / "s" / f"{number:03}.xml").write_bytes(document.source.encode())
    (base / "s" / "zzz.xml").write_text("<article>last</article>")
    files = sorted((base / "s").iterdir())
    cuts = data.draw(st.lists(st.integers(1, len(files) - 1), min_size=1, max_size=3, unique=True))
    options = BuildOptions(text=data.draw(st.sampled_from(TEXTS)))
    borders = [0, *sorted(cuts), len(files)]
    for at, (begin, end) in enumerate(pairwise(borders)):
        build_collection(files[begin:end], base / f"c{at}", options)
    build_collection(files, base / "whole", options)
    report = merge_collections([base / f"c{at}" for at in range(len(borders) - 1)], base / "merged")
    whole, merged = Collection(base / "whole"), Collection(base / "merged")
    assert report == (len(borders) - 1, len(whole), len(whole.nodes.path))
    assert without_sources(merged.directory) == without_sources(whole.directory)
    labels = [
        [one.summary.label(path) for path in one.nodes.path.tolist()] for one in (whole, merged)
    ]
    assert labels[0] == labels[1]
    assert merged.statistics == whole.statistics
    assert merged.verify().problems == ()


@pytest.fixture
def pair(build: Builder, tmp_path: Path) -> tuple[Path, Path]:
    """Two collections, the second with text in two parts."""
    one = build({"a.xml": "<s>One <b>and</b></s>", "b.xml": "<s>Two</s>"}).directory
    source = tmp_path / "more"
    source.mkdir()
    for name in "cdef":
        (source / f"{name}.xml").write_text(f"<r><s>{name}</s></r>")
    with pytest.MonkeyPatch.context() as patch:
        in_small_batches(patch, batch_documents=1, shard_batches=2)
        build_collection(source, tmp_path / "two")
    return one, tmp_path / "two"


def test_documents_keep_their_order_and_origins(pair: tuple[Path, Path], tmp_path: Path) -> None:
    before = [contents(one) for one in pair]
    merge_collections(pair, tmp_path / "both")
    both = Collection(tmp_path / "both")
    assert list(both.ids()) == list("abcdef")
    assert [both.text_of(number) for number in range(6)] == ["One and", "Two", *"cdef"]
    origins = b"".join((one / ORIGINS).read_bytes() for one in pair)
    assert (both.directory / ORIGINS).read_bytes() == origins
    assert text_parts(both.manifest["files"]) == ["text.bin"]
    assert [contents(one) for one in pair] == before
    merged = both.manifest["merged"]
    assert [one["collection"] for one in merged] == [str(one) for one in pair]
    assert [one["seal"] for one in merged] == [Collection(one).checksum for one in pair]
    assert both.manifest["sources"] == [one["sources"][0] for one in merged]


@pytest.mark.parametrize("links", [True, False])
def test_large_parts_are_shared(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    change(monkeypatch, joined_text_bytes=3)
    merge_collections(pair, tmp_path / "both")
    both = Collection(tmp_path / "both")
    sizes = [(both.directory / name).stat() for name in text_parts(both.manifest["files"])]
    assert [(one.st_size, one.st_nlink) for one in sizes] == [
        (10, 2 if links else 1),
        (2, 1),
        (2, 2 if links else 1),
    ]
    assert [both.text_of(number) for number in range(6)] == ["One and", "Two", *"cdef"]
    assert both.verify().problems == ()
    for one in pair:
        assert Collection(one).verify().problems == ()


def test_collections_of_earlier_versions_are_counted(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    merge_collections(pair, tmp_path / "new")
    without_statistics(pair[0])
    merge_collections(pair, tmp_path / "old")
    old, new = Collection(tmp_path / "old"), Collection(tmp_path / "new")
    assert np.array_equal(old.elements_by_path, new.elements_by_path)
    assert old.manifest["statistics"] == new.manifest["statistics"]


def test_appending_replaces_the_first(pair: tuple[Path, Path]) -> None:
    with pytest.raises(OutputError, match="force=True replaces a collection"):
        merge_collections(pair, pair[0])
    merge_collections(pair, pair[0], force=True)
    assert list(Collection(pair[0]).ids()) == list("abcdef")
    assert Collection(pair[0]).verify().problems == ()


def test_options_that_differ_are_named(
    pair: tuple[Path, Path], tmp_path: Path, build: Builder
) -> None:
    source = tmp_path / "z.xml"
    source.write_text("<s>z</s>")
    for options, told in (
        (BuildOptions(whitespace="strip"), "whitespace strip instead of keep"),
        (BuildOptions(text="none"), "text none instead of plain"),
        (BuildOptions(inline=frozenset("xy")), "inline with x, y, without a, abbr, b, bi, big, …"),
    ):
        build_collection(source, tmp_path / "z", options, force=True)
        with pytest.raises(CollectionError, match=told):
            merge_collections([*pair, tmp_path / "z"], tmp_path / "out")
    build_collection(source, tmp_path / "z", BuildOptions(id_rule=IdRule("path")), force=True)
    merge_collections([*pair, tmp_path / "z"], tmp_path / "out")
    assert Collection(tmp_path / "out").manifest["options"]["id"] == ["stem", "path"]
    result = doxeval("collection", "info", tmp_path / "out")
    assert "stem, path" in result.stdout


def test_duplicates_are_told_with_their_collections(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    source = tmp_path / "d.xml"
    source.write_text("<s>another d</s>")
    build_collection(source, tmp_path / "three")
    with pytest.raises(DocumentError) as told:
        merge_collections([*pair, tmp_path / "three"], tmp_path / "out")
    assert str(told.value) == (
        f"{tmp_path / 'three'} ({source}): duplicate document id 'd', first given to "
        f"{pair[1]} ({tmp_path / 'more' / 'd.xml'})"
    )
    with pytest.raises(CollectionError, match="given twice, first as"):
        merge_collections([*pair, pair[0]], tmp_path / "out")
    with pytest.raises(InputError, match="two collections or more"):
        merge_collections([pair[0]], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_collections_at_urls_are_merged(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    change(monkeypatch, joined_text_bytes=0)
    import fsspec

    store = fsspec.filesystem("memory")
    for path in pair[1].iterdir():
        store.pipe_file(f"/merged-from/{path.name}", path.read_bytes())
    merge_collections([pair[0], "memory://merged-from"], tmp_path / "both")
    both = Collection(tmp_path / "both")
    assert [both.text_of(number) for number in range(6)] == ["One and", "Two", *"cdef"]
    assert both.verify().problems == ()


def test_the_command(pair: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "both"
    result = doxeval("collection", "merge", *pair, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert f"{out}: 6 documents and 11 elements from 2 collections" in result.stdout
    assert doxeval("collection", "verify", out).exit_code == 0
    assert f"{pair[1]} (4 documents)" in doxeval("collection", "info", out).stdout
    again = doxeval("collection", "merge", *pair, "--out", out)
    assert (again.exit_code, "--force" in again.stderr) == (1, True)
    assert doxeval("collection", "merge", *pair, "--out", out, "--force").exit_code == 0
    missing = doxeval("collection", "merge", pair[0], tmp_path / "none", "--out", out, "--force")
    assert missing.exit_code == 1
    assert "no such directory" in missing.stderr
