"""`doxeval collection cache`: what was downloaded is listed and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doxeval.documents import Collection
from doxeval.retrieve import build_index
from helpers import Builder, doxeval


@pytest.fixture
def opened(build: Builder, own_cache: Path) -> list[Collection]:
    texts = [{"a.xml": "<s>one</s>"}, {"b.xml": "<s>two</s>"}]
    return [Collection(f"far://{build(files).directory}") for files in texts]


def checksums() -> list[str]:
    return [
        one["checksum"]
        for one in json.loads(doxeval("collection", "cache", "--format=json").stdout)
    ]


def test_an_empty_cache_is_listed(own_cache: Path) -> None:
    assert doxeval("collection", "cache").stdout == f"{own_cache}: 0 collections, 0.0 MB\n"
    assert doxeval("collection", "cache", "--remove", "all").exit_code == 0


def test_what_was_downloaded_is_listed(opened: list[Collection], own_cache: Path) -> None:
    (own_cache / "something else").mkdir()
    (own_cache / opened[0].checksum / "manifest.json").unlink()
    lines = doxeval("collection", "cache").stdout.splitlines()
    assert lines[0].startswith(f"{own_cache}: 2 collections, ")
    for one in opened:
        (line,) = (line for line in lines if one.checksum[:12] in line)
        assert one.location in line
        assert ("(incomplete)" in line) == (one is opened[0])
    listed = json.loads(doxeval("collection", "cache", "--format", "json").stdout)
    assert [one["checksum"] for one in listed] == sorted(one.checksum for one in opened)


def test_what_is_removed_goes_with_its_index(opened: list[Collection], own_cache: Path) -> None:
    index = build_index(opened[0]).directory
    assert index.parent == own_cache
    removed = doxeval("collection", "cache", "--remove", opened[0].checksum[:6])
    assert removed.stdout.startswith(f"removed {opened[0].checksum[:12]}")
    assert not index.exists()
    assert checksums() == [opened[1].checksum]
    assert list(opened[0].ids()) == ["a"], "who has it open can go on"
    assert doxeval("collection", "cache", "--remove", opened[1].location).exit_code == 0
    assert checksums() == []
    assert Collection(opened[0].location) == opened[0]


def test_what_is_not_there_is_an_error(opened: list[Collection]) -> None:
    for wanted in ("s3://other", opened[0].checksum[:3], "../x", ""):
        result = doxeval("collection", "cache", "--remove", wanted)
        assert result.exit_code == 1
        assert "nothing in the cache is" in result.stderr
    assert len(checksums()) == 2
