"""Collections on servers of the web, which may answer ranges or ignore them."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.documents import Collection
from doxeval.errors import CollectionError
from helpers import Builder
from ranged_server import served
from seams import change

pytest.importorskip("aiohttp", reason="aiohttp is not installed")


@pytest.fixture
def near(build: Builder, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    change(monkeypatch, download_pauses=(0, 0, 0))
    return build({f"d{number}.xml": f"<art>text {number}</art>" for number in range(30)})


def test_a_collection_on_the_web_is_the_same(near: Collection) -> None:
    with served(near.directory) as url:
        far = Collection(url)
        assert far == near
        assert [far.text_of(number) for number in (20, 3, 29)] == ["text 27", "text 11", "text 9"]
        assert far.verify().problems == ()
    with pytest.raises(CollectionError, match="cannot be read: "):
        Collection(url)
    with pytest.raises(CollectionError, match=r"text\.bin: cannot be read: "):
        far.text_of(7)


def test_a_server_that_ignores_ranges_is_told(near: Collection) -> None:
    with served(near.directory, ranges=False) as url:
        far = Collection(url)  # its files are small enough to be read at once
        assert far.text_of(0) == near.text_of(0)
        with pytest.raises(CollectionError, match=r"text\.bin: cannot be read: .* range requests"):
            far.text_of(7)


def test_a_directory_without_a_collection_is_told(tmp_path: Path, near: Collection) -> None:
    with (
        served(tmp_path / "empty") as url,
        pytest.raises(CollectionError, match=f"{url}: no collection here"),
    ):
        Collection(url)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_server_that_sends_a_byte_now_and_then_is_not_waited_for(
    near: Collection, monkeypatch: pytest.MonkeyPatch, ranges: bool
) -> None:
    change(monkeypatch, download_grace=0.5)
    change(monkeypatch, slowest_download=1e9)
    change(monkeypatch, download_pauses=(60, 60, 60))  # asking again would take as long
    with (
        served(near.directory, ranges=ranges, pause=0.1) as url,
        pytest.raises(
            CollectionError,
            match=rf"{url}/manifest\.json: cannot be read: the answer takes longer than",
        ),
    ):
        Collection(url)


def test_so_is_one_that_becomes_slow(near: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(near.directory) as url:
        far = Collection(url)
    change(monkeypatch, download_grace=0.5)
    change(monkeypatch, slowest_download=1e9)
    with served(near.directory, pause=1) as url:
        far.files.remote.url = url  # type: ignore[union-attr]
        far.files.remote._connected_by = -1  # type: ignore[union-attr]
        with pytest.raises(CollectionError, match=r"text\.bin: cannot be read: the answer takes"):
            far.text_of(7)


def test_a_large_manifest_is_read_whole(near: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    size = (near.directory / "manifest.json").stat().st_size
    for most in (100, size - 1, size, size + 1):
        change(monkeypatch, manifests_limit=most)
        with served(near.directory) as url:
            assert Collection(url) == near
